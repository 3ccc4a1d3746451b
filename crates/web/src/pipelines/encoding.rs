//! The characters of messages: what comes in another encoding becomes UTF-8
//! before a pipeline sees it.
//!
//! The order is that of the standard: a byte order mark, the charset of the
//! Content-Type, the XML declaration, UTF-8. In an unknown encoding the bytes
//! stay unchanged, and the pipeline reports the error.
//!
//! Reference: RFC 7303, section 3; XML 1.0, appendix F.

use std::borrow::Cow;

use copybook::codepage::CodePage;

use crate::pages;

/// A message in UTF-8, without a byte order mark.
pub fn in_utf8<'m>(message: &'m [u8], media: &str) -> Cow<'m, [u8]> {
    match message {
        [0xEF, 0xBB, 0xBF, rest @ ..] => return Cow::Borrowed(rest),
        [0xFF, 0xFE, rest @ ..] => return utf16(rest, u16::from_le_bytes),
        [0xFE, 0xFF, rest @ ..] => return utf16(rest, u16::from_be_bytes),
        _ => {}
    }
    let name = pages::parameter(media, "charset").or_else(|| declared(message));
    let name = name.unwrap_or("utf-8").to_ascii_lowercase();
    match name.as_str() {
        "utf-16le" => utf16(message, u16::from_le_bytes),
        // Without a mark, as the standard of UTF-16 has it.
        "utf-16" | "utf-16be" => utf16(message, u16::from_be_bytes),
        name => match pages::named(name) {
            Ok(page) if page.ccsid() != CodePage::utf8().ccsid() => {
                Cow::Owned(pages::convert(message, page, CodePage::utf8()))
            }
            _ => Cow::Borrowed(message),
        },
    }
}

/// Bytes that are not UTF-16 stay as they are.
fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Cow<'_, [u8]> {
    let (units, rest) = bytes.as_chunks::<2>();
    let units = units.iter().map(|pair| unit(*pair));
    match char::decode_utf16(units).collect::<Result<String, _>>() {
        Ok(text) if rest.is_empty() => Cow::Owned(text.into_bytes()),
        _ => Cow::Borrowed(bytes),
    }
}

/// The encoding in the XML declaration of a message in a superset of ASCII.
fn declared(message: &[u8]) -> Option<&str> {
    let end = memchr::memmem::find(&message[..message.len().min(200)], b"?>")?;
    let text = std::str::from_utf8(&message[..end]).ok()?;
    let (_, value) = text.strip_prefix("<?xml")?.split_once("encoding")?;
    let value = value.trim_start().strip_prefix('=')?.trim_start();
    let quote = value.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    value[1..].split_once(quote).map(|(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text<'m>(message: &'m [u8], media: &str) -> Cow<'m, str> {
        match in_utf8(message, media) {
            Cow::Borrowed(bytes) => String::from_utf8_lossy(bytes),
            Cow::Owned(bytes) => String::from_utf8(bytes).unwrap().into(),
        }
    }

    #[test]
    fn a_mark_goes_before_the_charset_and_that_before_the_declaration() {
        let latin = b"<?xml version=\"1.0\" encoding='ISO-8859-1'?><a>\xFC</a>";
        assert!(text(latin, "text/xml").ends_with("<a>ü</a>"));
        let both = b"<?xml version=\"1.0\" encoding='UTF-8'?><a>\xFC</a>";
        assert!(text(both, "text/xml; charset=\"iso-8859-1\"").ends_with("<a>ü</a>"));
        assert_eq!(
            text(b"\xEF\xBB\xBF<a/>", "text/xml; charset=iso-8859-1"),
            "<a/>"
        );
        let wide = |order: fn(u16) -> [u8; 2]| -> Vec<u8> {
            "\u{FEFF}<a>ü\u{1F600}</a>"
                .encode_utf16()
                .flat_map(order)
                .collect()
        };
        for message in [wide(u16::to_le_bytes), wide(u16::to_be_bytes)] {
            assert_eq!(text(&message, "text/xml"), "<a>ü\u{1F600}</a>");
        }
        assert_eq!(text(b"\x00<\x00a", "text/xml; charset=utf-16"), "<a");
    }

    #[test]
    fn an_unknown_encoding_leaves_the_bytes() {
        for media in ["text/xml; charset=klingon", "text/xml", ""] {
            assert_eq!(&*in_utf8(b"<a>\xFC</a>", media), b"<a>\xFC</a>");
        }
        assert_eq!(&*in_utf8(b"\xFF\xFE<", ""), b"<");
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(
            start in prop::sample::select(vec![
                &b""[..], b"\xFF\xFE", b"\xFE\xFF", b"<?xml encoding=", b"<?xml encoding='",
            ]),
            rest in prop::collection::vec(any::<u8>(), 0..40),
            media in "(text/xml; ?charset=)?(utf-16|utf-8|037|x)?",
        ) {
            let _ = in_utf8(&[start, &rest].concat(), &media);
        }
    }
}
