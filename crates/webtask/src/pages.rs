//! Code pages of bodies: names of character sets as the web has them, and text
//! from one into another.
//!
//! A character that a page does not have becomes its substitute, as in CICS; no
//! command fails because of its bytes.

use copybook::codepage::CodePage;

/// A name that no page has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownCodePage;

/// The page of a name of IANA, of CICS, or a CCSID.
pub fn named(name: &str) -> Result<CodePage, UnknownCodePage> {
    let name = name.trim_matches([' ', '\0', '"']);
    // ASCII is read as the wider page that it is the lower half of.
    let latin = ["us-ascii", "ascii", "local"];
    if latin.iter().any(|n| name.eq_ignore_ascii_case(n)) {
        return Ok(CodePage::latin1());
    }
    // As older programs write the names of ISO.
    let page = if name.starts_with("8859-") {
        CodePage::by_name(&format!("iso-{name}"))
    } else {
        CodePage::by_name(name)
    };
    page.map_err(|_| UnknownCodePage)
}

/// The page that a program names as its own (HOSTCODEPAGE). Programs name the
/// EBCDIC page of their mainframe; in this region their characters are in the
/// region's page, so such a name means that page.
pub fn host(name: &str, own: CodePage) -> Result<CodePage, UnknownCodePage> {
    let page = named(name)?;
    if page.is_ebcdic() && !own.is_ebcdic() {
        Ok(own)
    } else {
        Ok(page)
    }
}

/// Text of one page in another.
pub fn convert(bytes: &[u8], from: CodePage, to: CodePage) -> Vec<u8> {
    if from.ccsid() == to.ccsid() {
        return bytes.to_vec();
    }
    let text = from
        .decode(bytes)
        .unwrap_or_else(|| String::from_utf8_lossy(bytes).into_owned());
    to.encode(&text).unwrap_or_else(|_| {
        let byte = |c| to.byte_of(c).unwrap_or(to.substitute());
        text.chars().map(byte).collect()
    })
}

/// Whether a body of this type is text, which is converted.
pub fn is_text(media: &str) -> bool {
    let media = media.split(';').next().unwrap_or_default().trim();
    let media = media.to_ascii_lowercase();
    media.is_empty()
        || media.starts_with("text/")
        || media.ends_with("+xml")
        || media.ends_with("+json")
        || matches!(
            media.as_str(),
            "application/xml" | "application/json" | "application/x-www-form-urlencoded"
        )
}

/// The value of a parameter of a media type.
pub fn parameter<'m>(media: &'m str, wanted: &str) -> Option<&'m str> {
    media.split(';').skip(1).find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        let named = name.trim().eq_ignore_ascii_case(wanted);
        named.then(|| value.trim().trim_matches('"'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_web_and_of_cics_are_known() {
        for name in [
            "utf-8",
            "UTF-8   ",
            "ISO-8859-1",
            "iso-8859-15",
            "8859-1",
            "037",
            "IBM037",
            "1252",
        ] {
            assert!(named(name).is_ok(), "{name}");
        }
        assert_eq!(named("klingon"), Err(UnknownCodePage));
    }

    #[test]
    fn what_a_page_does_not_have_becomes_its_substitute() {
        let (utf8, latin) = (CodePage::utf8(), CodePage::latin1());
        assert_eq!(convert("Zürich".as_bytes(), utf8, latin), b"Z\xFCrich");
        let euro = convert("€1".as_bytes(), utf8, latin);
        assert_eq!(euro.len(), 2);
        assert_eq!(convert(b"\xFC", latin, utf8), "ü".as_bytes());
        convert(b"\xFF\xFE", utf8, latin);
    }

    #[test]
    fn an_ebcdic_page_of_a_program_is_the_regions_where_that_is_ascii() {
        let own = CodePage::latin1();
        assert_eq!(host("1047", own).unwrap().ccsid(), own.ccsid());
        assert_eq!(host("utf-8", own).unwrap().ccsid(), 1208);
        let ebcdic = named("037").unwrap();
        assert_eq!(host("1047", ebcdic).unwrap().ccsid(), 1047);
        assert_eq!(host("nothing", own), Err(UnknownCodePage));
    }

    #[test]
    fn parameters_of_a_media_type_are_found() {
        let media = "text/html; charset=\"utf-8\"; x=1";
        assert_eq!(parameter(media, "Charset"), Some("utf-8"));
        assert_eq!(parameter(media, "boundary"), None);
        assert!(is_text(media) && is_text("application/soap+xml"));
        assert!(!is_text("image/png"));
    }
}
