//! Code pages of CHAR containers.
//!
//! A container keeps the bytes that were put and the page they are in; they
//! are converted when a program wants another page. The region's own page is
//! ISO 8859-1, of which ASCII is the lower half.
//! Reference: CICS API reference, GET CONTAINER (CHANNEL), CCSIDERR.

use std::borrow::Cow;

use cics::resp::Condition;
use copybook::codepage::CodePage;

use crate::exec::{CommandCall, CommandStop};

/// CCSID of the region's code page, ISO 8859-1.
pub const LOCAL_CCSID: u16 = 819;

/// The code page that a command names by number or name. Returns `None` when the
/// command has neither.
pub fn named_page(call: &CommandCall<'_>, ccsid: u8, name: u8) -> Result<Option<u16>, CommandStop> {
    if let Some(number) = call.int(ccsid) {
        let Ok(number @ 1..) = u16::try_from(number) else {
            return Err(CommandStop::Condition(Condition::CcsidErr, 1));
        };
        page(number)?;
        return Ok(Some(number));
    }
    let Some(name) = call.arg(name) else {
        return Ok(None);
    };
    let name = String::from_utf8_lossy(name.bytes());
    let name = name.trim_matches([' ', '\0']);
    let utf16 = UTF16.iter().find(|(_, _, names)| {
        let is = |known: &&str| known.eq_ignore_ascii_case(name);
        names.iter().any(is)
    });
    if let Some((ccsid, ..)) = utf16 {
        return Ok(Some(*ccsid));
    }
    let page = CodePage::by_name(name);
    page.map(|p| Some(p.ccsid()))
        .map_err(|_| CommandStop::Condition(Condition::CodepageErr, 1))
}

/// How a container's text is read and written.
enum TextEncoding {
    Single(CodePage),
    /// UTF-16, and whether its high bytes come first.
    Utf16(bool),
}

/// CCSIDs of UTF-16, whether the high byte comes first, and their names.
const UTF16: [(u16, bool, &[&str]); 4] = [
    (
        1200,
        true,
        &["UTF-16", "UTF16", "UTF-16BE", "1200", "01200"],
    ),
    (1202, false, &["UTF-16LE", "1202", "01202"]),
    (13_488, true, &["UCS-2", "13488"]),
    (17_584, true, &["17584"]),
];

fn page(ccsid: u16) -> Result<TextEncoding, CommandStop> {
    if let Some((_, high_first, _)) = UTF16.iter().find(|(n, ..)| *n == ccsid) {
        return Ok(TextEncoding::Utf16(*high_first));
    }
    let known = CodePage::by_ccsid(ccsid);
    known
        .map(TextEncoding::Single)
        .map_err(|_| CommandStop::Condition(Condition::CcsidErr, 2))
}

impl TextEncoding {
    fn decode(&self, bytes: &[u8]) -> Option<String> {
        let high_first = match self {
            TextEncoding::Single(page) => return page.decode(bytes),
            TextEncoding::Utf16(high_first) => *high_first,
        };
        if !bytes.len().is_multiple_of(2) {
            return None;
        }
        let units: Vec<u16> = bytes
            .chunks_exact(2)
            .map(|pair| {
                if high_first {
                    u16::from_be_bytes([pair[0], pair[1]])
                } else {
                    u16::from_le_bytes([pair[0], pair[1]])
                }
            })
            .collect();
        String::from_utf16(&units).ok()
    }

    /// The bytes of a text. A character that the page does not have becomes
    /// its substitute.
    fn encode(&self, text: &str) -> Vec<u8> {
        match self {
            TextEncoding::Single(page) => page.encode(text).unwrap_or_else(|_| {
                let byte = |c| page.byte_of(c).unwrap_or(page.substitute());
                text.chars().map(byte).collect()
            }),
            TextEncoding::Utf16(true) => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
            TextEncoding::Utf16(false) => text.encode_utf16().flat_map(u16::to_le_bytes).collect(),
        }
    }
}

/// Bytes of one page in another; 0 is the region's.
pub fn convert(bytes: &[u8], from: u16, to: u16) -> Result<Cow<'_, [u8]>, CommandStop> {
    let own = |ccsid| if ccsid == 0 { LOCAL_CCSID } else { ccsid };
    if own(from) == own(to) {
        return Ok(Cow::Borrowed(bytes));
    }
    let (from, to) = (page(own(from))?, page(own(to))?);
    let text = from
        .decode(bytes)
        .ok_or(CommandStop::Condition(Condition::CcsidErr, 4))?;
    Ok(Cow::Owned(to.encode(&text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_goes_to_ebcdic_and_back() {
        let there = convert(b"HELLO 1", 0, 37).unwrap();
        assert_eq!(&*there, [0xC8, 0xC5, 0xD3, 0xD3, 0xD6, 0x40, 0xF1]);
        assert_eq!(&*convert(&there, 37, 819).unwrap(), b"HELLO 1");
        assert!(matches!(
            convert(b"same", 0, LOCAL_CCSID),
            Ok(Cow::Borrowed(_))
        ));
    }

    #[test]
    fn text_goes_to_utf_16_and_to_the_pages_of_personal_computers() {
        let wide = convert("Müller €".as_bytes(), 1208, 1200).unwrap();
        assert_eq!(wide[..4], [0, b'M', 0, 0xFC]);
        assert_eq!(wide[14..], [0x20, 0xAC]);
        assert_eq!(&*convert(&wide, 1200, 1252).unwrap(), b"M\xFCller \x80");
        assert_eq!(&*convert(b"M\x81ller", 850, 819).unwrap(), b"M\xFCller");
        assert_eq!(
            &*convert(&wide[..4], 1200, 1202).unwrap(),
            [b'M', 0, 0xFC, 0]
        );
        assert!(matches!(
            convert(&wide[..3], 1200, 819),
            Err(CommandStop::Condition(Condition::CcsidErr, 4))
        ));
    }
}
