//! Names, characters and references of XML.
//!
//! Text is bytes of the program's code page or UTF-8; bytes beyond ASCII are
//! taken for letters.
//! Reference: Extensible Markup Language (XML) 1.0, sections 2.2, 2.3 and 4.6.

/// Whether a byte may begin a name.
pub(super) fn begins_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || matches!(byte, b'_' | b':') || byte >= 0x80
}

/// Whether a byte may be in a name.
pub(super) fn is_name_byte(byte: u8) -> bool {
    begins_name(byte) || byte.is_ascii_digit() || matches!(byte, b'-' | b'.')
}

/// Whether a byte is a character of XML.
pub(super) fn is_character(byte: u8) -> bool {
    byte >= 0x20 || matches!(byte, b'\t' | b'\n' | b'\r')
}

/// White space.
pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// Adds text with the five characters escaped that stand for markup.
pub(super) fn escape(out: &mut Vec<u8>, text: &[u8]) {
    for &byte in text {
        match byte {
            b'&' => out.extend_from_slice(b"&amp;"),
            b'\'' => out.extend_from_slice(b"&apos;"),
            b'>' => out.extend_from_slice(b"&gt;"),
            b'<' => out.extend_from_slice(b"&lt;"),
            b'"' => out.extend_from_slice(b"&quot;"),
            _ => out.push(byte),
        }
    }
}

/// The characters of a reference without its `&` and `;`; `None` if it is no
/// character reference and no predefined entity. Characters beyond ASCII are
/// UTF-8, or one byte where `is_latin` says that characters are.
pub(super) fn resolve(reference: &[u8], is_latin: bool) -> Option<Vec<u8>> {
    let character = match reference {
        b"amp" => '&',
        b"apos" => '\'',
        b"gt" => '>',
        b"lt" => '<',
        b"quot" => '"',
        [b'#', b'x', digits @ ..] => numbered(digits, 16)?,
        [b'#', digits @ ..] => numbered(digits, 10)?,
        _ => return None,
    };
    Some(match u8::try_from(character) {
        Ok(byte) if is_latin => vec![byte],
        _ => character.encode_utf8(&mut [0; 4]).as_bytes().to_vec(),
    })
}

fn numbered(digits: &[u8], radix: u32) -> Option<char> {
    if !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let number = u32::from_str_radix(std::str::from_utf8(digits).ok()?, radix).ok()?;
    let character = char::from_u32(number)?;
    let is_valid = number >= 0x20 || matches!(character, '\t' | '\n' | '\r');
    is_valid.then_some(character)
}
