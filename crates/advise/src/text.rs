//! Decodes a file to text: UTF-8 or a similar code page, UTF-16 of Windows'
//! editors, with or without sequence numbers in columns 73 to 80. Other content is
//! rejected.

use std::borrow::Cow;

/// Why bytes are not read as text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotText {
    /// Blanks are X'40' and letters above X'80'.
    #[error("looks like EBCDIC")]
    Ebcdic,
    /// There are zero bytes in it.
    #[error("is not text: it has bytes of zero in it")]
    Binary,
}

/// The text of a file. Bytes outside UTF-8 are replaced: rules read keywords and
/// numbers, and comments may be in any code page.
///
/// # Errors
/// When the bytes are EBCDIC, or no text.
pub fn decode(bytes: &[u8]) -> Result<String, NotText> {
    let wide = |order: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = bytes[2..]
            .as_chunks::<2>()
            .0
            .iter()
            .copied()
            .map(order)
            .collect();
        String::from_utf16_lossy(&units)
    };
    let text = match bytes {
        [0xff, 0xfe, ..] => wide(u16::from_le_bytes),
        [0xfe, 0xff, ..] => wide(u16::from_be_bytes),
        _ if is_ebcdic(bytes) => return Err(NotText::Ebcdic),
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        _ => String::from_utf8_lossy(bytes).into_owned(),
    };
    if text.contains('\0') {
        Err(NotText::Binary)
    } else {
        Ok(text)
    }
}

/// Whether at least 30 % of the bytes are above X'80' and 5 % are X'40' (lists of
/// settings have few blanks), and no byte is zero as in a program or picture.
fn is_ebcdic(bytes: &[u8]) -> bool {
    let percent =
        |test: fn(&u8) -> bool| bytes.iter().filter(|b| test(b)).count() * 100 / bytes.len().max(1);
    percent(|b| *b >= 0x80) >= 30 && percent(|b| *b == 0x40) >= 5 && !bytes.contains(&0)
}

/// The text with blanks instead of sequence numbers, which are recognised by
/// eight digits in columns 73 to 80 of every line of this length, and of most
/// lines.
pub(crate) fn without_numbers(text: &str) -> Cow<'_, str> {
    let (mut numbered, mut plain) = (0_usize, 0_usize);
    for line in text.lines().map(str::trim_end) {
        match number_at(line) {
            Some(_) => numbered += 1,
            None if line.chars().nth(TEXT_COLUMNS).is_some() => return Cow::Borrowed(text),
            None => plain += usize::from(!line.is_empty()),
        }
    }
    if numbered == 0 || plain > numbered {
        return Cow::Borrowed(text);
    }
    let line = |line: &str| {
        let end = number_at(line.trim_end()).unwrap_or(line.len());
        line[..end].trim_end().to_owned() + "\n"
    };
    Cow::Owned(text.lines().map(line).collect())
}

/// Position of the sequence number in a line of 80 columns.
fn number_at(line: &str) -> Option<usize> {
    let (at, _) = line.char_indices().nth(TEXT_COLUMNS)?;
    let number = &line[at..];
    (number.len() == 8 && number.bytes().all(|b| b.is_ascii_digit())).then_some(at)
}

/// Columns of a card before its sequence number.
const TEXT_COLUMNS: usize = 72;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_comes_in_several_encodings() {
        let utf16 = |order: fn(u16) -> [u8; 2]| -> Vec<u8> {
            "\u{feff}MXT=1\r\n".encode_utf16().flat_map(order).collect()
        };
        for bytes in [
            b"MXT=1\r\n".to_vec(),
            b"\xef\xbb\xbfMXT=1\r\n".to_vec(),
            utf16(u16::to_le_bytes),
            utf16(u16::to_be_bytes),
        ] {
            assert_eq!(decode(&bytes).as_deref(), Ok("MXT=1\r\n"));
        }
        assert_eq!(decode(b"").as_deref(), Ok(""));
        assert_eq!(decode(b"caf\xe9").as_deref(), Ok("caf\u{fffd}"));
    }

    #[test]
    fn what_is_no_text_is_refused_by_what_it_is() {
        assert_eq!(decode(b"\x7fELF\x02\x01\x01\0\0\0"), Err(NotText::Binary));
        // ` TCPCONFIG  DELAYACKS` in IBM-1047.
        let ebcdic =
            b"\x40\xe3\xc3\xd7\xc3\xd6\xd5\xc6\xc9\xc7\x40\x40\xc4\xc5\xd3\xc1\xe8\xc1\xc3\xd2\xe2";
        assert_eq!(decode(&ebcdic[..]), Err(NotText::Ebcdic));
        // `TRMF 987`, `LU NAME=DOSLU`: one blank in eight, one in thirteen.
        let dense = b"\xe3\xd9\xd4\xc6\x40\xf9\xf8\xf7\x25\xd3\xe4\x40\xd5\xc1\xd4\xc5\x7e\xc4\xd6\xe2\xd3\xe4\x25";
        assert_eq!(decode(&dense[..]), Err(NotText::Ebcdic));
    }

    #[test]
    fn sequence_numbers_are_blanked_where_every_long_line_has_one() {
        let numbered = format!(
            "{:<72}00000100\n{:<72}00000200\r\n\nEND\n",
            "PORT", " 80 TCP A"
        );
        assert_eq!(without_numbers(&numbered), "PORT\n 80 TCP A\n\nEND\n");
        let comment = format!("{numbered}; {}\n", "a long comment ".repeat(8));
        assert_eq!(without_numbers(&comment), comment);
        let short = "PORT\n 80 TCP A\n";
        assert_eq!(without_numbers(short), short);
    }
}
