//! Code pages: the characters of a field's bytes.
//!
//! A [`CodePage`] is a small handle on a static table; copying it is free.
//! Single-byte pages map each byte to one character and back; bytes that are not
//! character of a page are distinguished. UTF-8 is the one page where a character
//! may take several bytes: a field of *n* bytes then holds *n* bytes of UTF-8,
//! blanks fill the end, and limits count bytes.
//!
//! Reference: IBM Character Data Representation Architecture, CCSID registry.
//! Invariant: double-byte and mixed pages are named, and refused, never
//! approximated.

mod tables;

use std::fmt;
use std::sync::OnceLock;

/// A code page that character fields can be read and written in.
#[derive(Clone, Copy)]
pub struct CodePage {
    page: &'static PageTables,
    letter_signs: bool,
}

/// Why a name is not a usable code page.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CodePageError {
    /// A page that exists, whose characters do not all fit in a byte.
    #[error("code page {0} is double-byte or mixed, which is not supported")]
    DoubleByte(String),
    /// Not a page known here.
    #[error(
        "unknown code page {0:?}; supported are ASCII, UTF-8, ISO-8859-1, EBCDIC 037, 256, 273 to 275, \
         277, 278, 280, 284, 285, 290, 297, 424, 500, 833, 836, 838, 870, 871, 875, 880, 905, 918, \
         924, 1025 to 1027, 1047, 1112, 1122, 1123, 1130, 1132, 1137, 1140 to 1149, 1153 to 1160, \
         1164 to 1166, 4971, 5123, 8482, 9030, 12712, 13121, 13124, 28709, and 437, 737, 775, 813, 850, 852, 855, 857, 858, 860 to \
         863, 865, 866, 869, 874, 878, 912 to 916, 920, 921, 923, 1089, 1250 to 1258, 5346 to 5354"
    )]
    Unknown(String),
}

/// How the bytes of a page are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PageKind {
    /// Bytes below 0x80 are ASCII, the others are nothing.
    Ascii,
    /// Bytes are UTF-8.
    Utf8,
    /// Bytes below 0x80 are ASCII, the others U+0080 to U+00FF.
    Latin1,
    /// Every byte goes through a table, and all of printable ASCII is in it.
    Ebcdic,
    /// Bytes below 0x80 are ASCII, the others go through a table.
    Extended,
}

/// The tables of one page.
pub(crate) struct PageTables {
    pub(crate) kind: PageKind,
    ccsid: u16,
    /// Code unit of each byte; [`NONE`] for a byte without a character.
    pub(crate) to_unicode: [u16; 256],
    /// The ASCII character of each byte where JSON text takes it as it is,
    /// else 0.
    pub(crate) plain: [u8; 256],
    /// Byte of each of the first 256 characters; [`NONE`] for one without a byte.
    pub(crate) from_latin1: [u16; 256],
    /// Characters above U+00FF and their bytes, in ascending order.
    beyond: Vec<(char, u8)>,
}

impl CodePage {
    /// Seven-bit ASCII.
    pub fn ascii() -> CodePage {
        static PAGE: OnceLock<PageTables> = OnceLock::new();
        let page =
            PAGE.get_or_init(|| PageTables::build(PageKind::Ascii, 367, |b| ascii_unit(b, NONE)));
        CodePage::of(page)
    }

    /// UTF-8.
    pub fn utf8() -> CodePage {
        static PAGE: OnceLock<PageTables> = OnceLock::new();
        let page =
            PAGE.get_or_init(|| PageTables::build(PageKind::Utf8, 1208, |b| ascii_unit(b, NONE)));
        CodePage::of(page)
    }

    /// ISO 8859-1.
    pub fn latin1() -> CodePage {
        static PAGE: OnceLock<PageTables> = OnceLock::new();
        let page = PAGE.get_or_init(|| PageTables::build(PageKind::Latin1, 819, u16::from));
        CodePage::of(page)
    }

    /// The page of a coded character set identifier, such as 37 or 1208.
    pub fn by_ccsid(ccsid: u16) -> Result<CodePage, CodePageError> {
        static BUILT: [OnceLock<PageTables>; tables::PAGES.len()] =
            [const { OnceLock::new() }; tables::PAGES.len()];
        // The pages of Windows with the euro sign have their own numbers.
        let ccsid = match ccsid {
            5346..=5354 => ccsid - 5346 + 1250,
            other => other,
        };
        match ccsid {
            367 => return Ok(CodePage::ascii()),
            819 => return Ok(CodePage::latin1()),
            1208 => return Ok(CodePage::utf8()),
            _ => {}
        }
        let Some(at) = tables::PAGES.iter().position(|(id, _)| *id == ccsid) else {
            return Err(if DOUBLE_BYTE.contains(&ccsid) {
                CodePageError::DoubleByte(ccsid.to_string())
            } else {
                CodePageError::Unknown(ccsid.to_string())
            });
        };
        let units = &tables::PAGES[at].1;
        let kind = match units[0x40] {
            0x20 => PageKind::Ebcdic,
            _ => PageKind::Extended,
        };
        let page =
            BUILT[at].get_or_init(|| PageTables::build(kind, ccsid, |b| units[usize::from(b)]));
        Ok(CodePage::of(page))
    }

    fn of(page: &'static PageTables) -> CodePage {
        CodePage {
            page,
            letter_signs: false,
        }
    }

    /// The page of programs whose zoned numbers have the signs of EBCDIC as
    /// characters, `{A…I` and `}J…R`, as `cobc -fsign=EBCDIC` has it. It is equal to
    /// the page without them: characters are the same.
    pub fn with_letter_signs(self, letter_signs: bool) -> CodePage {
        CodePage {
            letter_signs,
            ..self
        }
    }

    /// Whether zoned numbers have the signs of EBCDIC as characters.
    pub fn has_letter_signs(self) -> bool {
        self.letter_signs
    }

    /// The page of a name as people and manifests write it: `037`, `37`,
    /// `IBM-037`, `cp037`, `ibm1047`, `UTF-8`, `ASCII`, `ISO-8859-1`, in any
    /// case.
    pub fn by_name(name: &str) -> Result<CodePage, CodePageError> {
        let mut plain: String = name
            .chars()
            .filter(|c| c.is_ascii_alphanumeric())
            .map(|c| c.to_ascii_lowercase())
            .collect();
        match plain.as_str() {
            "ascii" | "usascii" => return Ok(CodePage::ascii()),
            "utf8" => return Ok(CodePage::utf8()),
            "latin1" | "iso88591" => return Ok(CodePage::latin1()),
            "iso88592" => return CodePage::by_ccsid(912),
            "iso88595" => return CodePage::by_ccsid(915),
            "iso88596" => return CodePage::by_ccsid(1089),
            "iso88597" => return CodePage::by_ccsid(813),
            "iso88598" => return CodePage::by_ccsid(916),
            "iso88599" => return CodePage::by_ccsid(920),
            "iso885915" => return CodePage::by_ccsid(923),
            _ => {}
        }
        for prefix in ["ebcdic", "ccsid", "ibm", "windows", "cp"] {
            if let Some(rest) = plain.strip_prefix(prefix) {
                plain = rest.to_string();
            }
        }
        match plain.parse::<u16>() {
            Ok(ccsid) => CodePage::by_ccsid(ccsid).map_err(|e| match e {
                CodePageError::DoubleByte(_) => CodePageError::DoubleByte(name.to_string()),
                CodePageError::Unknown(_) => CodePageError::Unknown(name.to_string()),
            }),
            Err(_) => Err(CodePageError::Unknown(name.to_string())),
        }
    }

    /// Every page, in the order of its CCSID.
    pub fn all() -> Vec<CodePage> {
        let mut ids = vec![367, 819, 1208];
        ids.extend(tables::PAGES.iter().map(|(id, _)| *id));
        ids.sort_unstable();
        ids.into_iter()
            .filter_map(|id| CodePage::by_ccsid(id).ok())
            .collect()
    }

    /// The coded character set identifier.
    pub fn ccsid(self) -> u16 {
        self.page.ccsid
    }

    /// True for the EBCDIC pages.
    pub fn is_ebcdic(self) -> bool {
        self.page.kind == PageKind::Ebcdic
    }

    /// The byte of the blank.
    pub fn space(self) -> u8 {
        if self.is_ebcdic() { 0x40 } else { b' ' }
    }

    /// The text of `bytes`. Returns `None` if a byte is not a character of the page
    /// (or a sequence is not UTF-8).
    pub fn decode(self, bytes: &[u8]) -> Option<String> {
        if self.page.kind == PageKind::Utf8 {
            return std::str::from_utf8(bytes).ok().map(str::to_string);
        }
        bytes.iter().map(|&b| self.char_of(b)).collect()
    }

    /// The bytes of `text`; the first character that the page does not have as
    /// the error.
    pub fn encode(self, text: &str) -> Result<Vec<u8>, char> {
        if self.page.kind == PageKind::Utf8 {
            return Ok(text.as_bytes().to_vec());
        }
        text.chars().map(|c| self.byte_of(c).ok_or(c)).collect()
    }

    /// The character of one byte; in UTF-8 only the ASCII bytes have one.
    pub fn char_of(self, byte: u8) -> Option<char> {
        match self.page.to_unicode[usize::from(byte)] {
            NONE => None,
            unit => char::from_u32(u32::from(unit)),
        }
    }

    /// The byte of one character; in UTF-8 only ASCII characters have one.
    pub fn byte_of(self, c: char) -> Option<u8> {
        self.page.byte_of(c)
    }

    /// The byte that represents a character the page does not have: SUB.
    pub fn substitute(self) -> u8 {
        if self.is_ebcdic() { 0x3f } else { 0x1a }
    }

    /// The tables.
    pub(crate) fn page(self) -> &'static PageTables {
        self.page
    }
}

impl PageTables {
    fn build(kind: PageKind, ccsid: u16, unit: impl Fn(u8) -> u16) -> PageTables {
        let mut page = PageTables {
            kind,
            ccsid,
            to_unicode: [NONE; 256],
            plain: [0; 256],
            from_latin1: [NONE; 256],
            beyond: Vec::new(),
        };
        for byte in 0..=255u8 {
            let u = unit(byte);
            page.to_unicode[usize::from(byte)] = u;
            match u {
                NONE => {}
                0..=0xff => page.from_latin1[usize::from(u)] = u16::from(byte),
                _ => page
                    .beyond
                    .extend(char::from_u32(u32::from(u)).map(|c| (c, byte))),
            }
            if (0x20..0x80).contains(&u) && u != u16::from(b'"') && u != u16::from(b'\\') {
                page.plain[usize::from(byte)] = u as u8;
            }
        }
        page.beyond.sort_unstable();
        page
    }

    /// The byte of one character.
    #[inline]
    pub(crate) fn byte_of(&self, c: char) -> Option<u8> {
        let code = c as u32;
        if code < 256 {
            let byte = self.from_latin1[code as usize];
            return (byte != NONE).then_some(byte as u8);
        }
        let at = self.beyond.binary_search_by_key(&c, |(own, _)| *own).ok()?;
        Some(self.beyond[at].1)
    }
}

impl fmt::Debug for CodePage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CodePage({self})")
    }
}

impl fmt::Display for CodePage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.page.kind {
            PageKind::Ascii => f.write_str("ASCII"),
            PageKind::Utf8 => f.write_str("UTF-8"),
            PageKind::Latin1 => f.write_str("ISO-8859-1"),
            PageKind::Ebcdic | PageKind::Extended => write!(f, "IBM-{:03}", self.page.ccsid),
        }
    }
}

impl PartialEq for CodePage {
    fn eq(&self, other: &Self) -> bool {
        self.page.ccsid == other.page.ccsid
    }
}

impl Eq for CodePage {}

fn ascii_unit(byte: u8, otherwise: u16) -> u16 {
    if byte < 0x80 {
        u16::from(byte)
    } else {
        otherwise
    }
}

/// No character, or no byte; U+FFFF is not a character.
pub(crate) const NONE: u16 = 0xffff;

/// Double-byte and mixed pages met in mainframe definitions, distinguished from
/// misspelt numbers.
const DOUBLE_BYTE: [u16; 38] = [
    300, 301, 834, 835, 837, 930, 931, 932, 933, 934, 935, 936, 937, 938, 939, 942, 943, 944, 946,
    948, 949, 950, 951, 954, 964, 970, 1200, 1363, 1364, 1370, 1371, 1381, 1386, 1388, 1390, 1399,
    5026, 5035,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_page_gives_every_byte_back() {
        for page in CodePage::all() {
            let table = matches!(page.page().kind, PageKind::Ebcdic | PageKind::Extended);
            for byte in (0..=255u8).filter(|_| table) {
                if let Some(c) = page.char_of(byte) {
                    assert_eq!(page.byte_of(c), Some(byte), "{page} {byte:02x}");
                }
            }
            let ascii: String = (' '..='~').collect();
            let bytes = page
                .encode(&ascii)
                .expect("printable ASCII is in every page");
            assert_eq!(page.decode(&bytes), Some(ascii), "{page}");
        }
    }

    #[test]
    fn the_pages_of_personal_computers_are_known() {
        let at = |name: &str, byte| CodePage::by_name(name).unwrap().char_of(byte);
        assert_eq!(at("850", 0x84), Some('ä'));
        assert_eq!(at("windows-1252", 0x80), Some('€'));
        assert_eq!(at("5348", 0x80), Some('€'));
        assert_eq!(at("858", 0xd5), Some('€'));
        assert_eq!(at("437", 0x9c), Some('£'));
        assert_eq!(at("ISO-8859-15", 0xa4), Some('€'));
        assert_eq!(at("1251", 0xc0), Some('А'));
        assert_eq!(at("1252", 0x81), None);
        let page = CodePage::by_ccsid(1252).unwrap();
        assert_eq!((page.space(), page.substitute()), (b' ', 0x1a));
        assert_eq!(page.encode("€ä"), Ok(vec![0x80, 0xe4]));
        assert!(!page.is_ebcdic());
    }

    #[test]
    fn names_are_read_in_the_forms_that_manifests_use() {
        for name in [
            "037",
            "37",
            "IBM-037",
            "cp037",
            "ibm037",
            "CCSID 37",
            "EBCDIC-037",
        ] {
            assert_eq!(
                CodePage::by_name(name).map(CodePage::ccsid),
                Ok(37),
                "{name}"
            );
        }
        assert_eq!(CodePage::by_name("utf-8"), Ok(CodePage::utf8()));
        assert_eq!(CodePage::by_name("ISO-8859-1"), Ok(CodePage::latin1()));
        assert_eq!(
            CodePage::by_name("IBM-939"),
            Err(CodePageError::DoubleByte("IBM-939".into()))
        );
        assert!(matches!(
            CodePage::by_name("klingon"),
            Err(CodePageError::Unknown(_))
        ));
    }

    #[test]
    fn known_characters_stand_where_the_registry_has_them() {
        let at = |ccsid, byte| CodePage::by_ccsid(ccsid).ok().and_then(|p| p.char_of(byte));
        assert_eq!(at(37, 0xc1), Some('A'));
        assert_eq!(at(37, 0x4a), Some('¢'));
        assert_eq!(at(500, 0x4a), Some('['));
        assert_eq!(at(1047, 0xad), Some('['));
        assert_eq!(at(273, 0x4a), Some('Ä'));
        assert_eq!(at(1140, 0x9f), Some('€'));
        assert_eq!(at(1148, 0x9f), Some('€'));
        assert_eq!(at(277, 0x67), Some('$'));
        assert_eq!(at(37, 0x25), Some('\n'));
        assert_eq!(at(875, 0x4a), Some('['));
        assert_eq!(at(875, 0x41), Some('Α'));
        assert_eq!(at(875, 0xfe), Some('»'));
        assert_eq!(at(875, 0xe1), None);
    }

    #[test]
    fn pages_that_differ_by_the_euro_sign_alone_differ_by_nothing_else() {
        let pairs = [
            (37, 1140),
            (273, 1141),
            (277, 1142),
            (278, 1143),
            (280, 1144),
            (284, 1145),
            (285, 1146),
            (297, 1147),
            (500, 1148),
            (871, 1149),
            (870, 1153),
            (1025, 1154),
            (1026, 1155),
            (1112, 1156),
            (1122, 1157),
            (1123, 1158),
            (875, 4971),
            (838, 1160),
            (1130, 1164),
            (1027, 5123),
        ];
        for (without, with) in pairs {
            let page = |ccsid| CodePage::by_ccsid(ccsid).unwrap();
            let (without, with) = (page(without), page(with));
            let other = (0..=255).filter(|b| without.char_of(*b) != with.char_of(*b));
            let other: Vec<Option<char>> = other.map(|b| with.char_of(b)).collect();
            assert_eq!(other, [Some('€')], "{without} {with}");
        }
    }

    #[test]
    fn pages_of_open_systems_are_permutations_of_ibm_s() {
        for (ebcdic, open) in [(924, 923), (1047, 819)] {
            let page = |ccsid| CodePage::by_ccsid(ccsid).unwrap();
            let (ebcdic, open) = (page(ebcdic), page(open));
            for byte in 0xa0..=255 {
                let c = open.char_of(byte).unwrap();
                assert!(ebcdic.byte_of(c).is_some(), "{ebcdic} {c}");
            }
        }
        let at = |byte| CodePage::by_name("IBM-924").unwrap().char_of(byte);
        assert_eq!((at(0x9f), at(0xad)), (Some('€'), Some('[')));
    }

    #[test]
    fn what_a_page_lacks_is_distinguished() {
        let page = CodePage::by_ccsid(37).unwrap();
        assert_eq!(page.encode("A€"), Err('€'));
        assert_eq!(CodePage::ascii().decode(b"\xc3"), None);
        assert_eq!(CodePage::utf8().decode(b"\xc3\xa9").as_deref(), Some("é"));
        assert_eq!(CodePage::latin1().encode("é"), Ok(vec![0xe9]));
    }
}
