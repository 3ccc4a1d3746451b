//! The parameter lists of analyzer and converter programs of web support, and of
//! programs that give a document template (EXITPGM).
//!
//! One table a list: the worker fills and reads a COMMAREA by it, and the
//! translator makes the copybooks DFHWBTDO, DFHWBCDO, DFHWBUCO and DFHDHTXO of it. Names,
//! meanings and constants are those of the manual. Where a parameter lies is
//! our own: a pointer has eight bytes here, so no layout of a mainframe would
//! fit, and programs are compiled with these copybooks.
//!
//! Numbers are big-endian, as programs compile COMP.
//!
//! Reference: CICS, "Reference information for analyzer programs", "Reference
//! information for converter programs", "Communication area for templates in exit
//! programs".

use std::fmt::Write;

/// The kind of a parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParameterKind {
    /// So many characters or bytes.
    Chars(u8),
    /// A halfword.
    Half,
    /// A fullword.
    Full,
    /// An address.
    Pointer,
}

impl ParameterKind {
    /// Its bytes.
    pub const fn bytes(self) -> usize {
        match self {
            ParameterKind::Chars(n) => n as usize,
            ParameterKind::Half => 2,
            ParameterKind::Full => 4,
            ParameterKind::Pointer => 8,
        }
    }
}

/// A parameter: its name as COBOL has it, and what it is.
pub type UrmParameter = (&'static str, ParameterKind);

/// The list of an analyzer program.
pub const ANALYZER: &[UrmParameter] = &[
    ("WBRA-EYECATCHER", ParameterKind::Chars(8)),
    ("WBRA-FUNCTION", ParameterKind::Half),
    ("WBRA-VERSION", ParameterKind::Chars(1)),
    ("WBRA-REQUEST-TYPE", ParameterKind::Chars(1)),
    ("WBRA-RESPONSE", ParameterKind::Full),
    ("WBRA-REASON", ParameterKind::Full),
    ("WBRA-SERVER-PROGRAM", ParameterKind::Chars(8)),
    ("WBRA-CONVERTER-PROGRAM", ParameterKind::Chars(8)),
    ("WBRA-USERID", ParameterKind::Chars(8)),
    ("WBRA-ALIAS-TRANID", ParameterKind::Chars(4)),
    ("WBRA-ALIAS-TERMID", ParameterKind::Chars(4)),
    ("WBRA-USER-TOKEN", ParameterKind::Chars(8)),
    ("WBRA-DFHCNV-KEY", ParameterKind::Chars(8)),
    ("WBRA-URIMAP", ParameterKind::Chars(8)),
    ("WBRA-CHARACTERSET", ParameterKind::Chars(40)),
    ("WBRA-HOSTCODEPAGE", ParameterKind::Chars(10)),
    ("WBRA-UNESCAPE", ParameterKind::Chars(1)),
    ("WBRA-COMMAREA", ParameterKind::Chars(1)),
    ("WBRA-APPLICATION-STYLE", ParameterKind::Chars(1)),
    ("WBRA-RESERVED", ParameterKind::Chars(3)),
    ("WBRA-CLIENT-IP-ADDRESS", ParameterKind::Full),
    ("WBRA-SERVER-IP-ADDRESS", ParameterKind::Full),
    ("WBRA-CLIENT-IPV6-ADDRESS", ParameterKind::Chars(16)),
    ("WBRA-SERVER-IPV6-ADDRESS", ParameterKind::Chars(16)),
    ("WBRA-CONTENT-LENGTH", ParameterKind::Full),
    ("WBRA-METHOD-LENGTH", ParameterKind::Full),
    ("WBRA-HTTP-VERSION-LENGTH", ParameterKind::Full),
    ("WBRA-RESOURCE-LENGTH", ParameterKind::Full),
    ("WBRA-QUERYSTRING-LENGTH", ParameterKind::Full),
    ("WBRA-HOSTNAME-LENGTH", ParameterKind::Full),
    ("WBRA-REQUEST-HEADER-LENGTH", ParameterKind::Full),
    ("WBRA-USER-DATA-LENGTH", ParameterKind::Full),
    ("WBRA-METHOD-PTR", ParameterKind::Pointer),
    ("WBRA-HTTP-VERSION-PTR", ParameterKind::Pointer),
    ("WBRA-RESOURCE-PTR", ParameterKind::Pointer),
    ("WBRA-RESOURCE-ESCAPED-PTR", ParameterKind::Pointer),
    ("WBRA-QUERYSTRING-PTR", ParameterKind::Pointer),
    ("WBRA-HOSTNAME-PTR", ParameterKind::Pointer),
    ("WBRA-REQUEST-HEADER-PTR", ParameterKind::Pointer),
    ("WBRA-USER-DATA-PTR", ParameterKind::Pointer),
];

/// The list of a converter's decode function. The parameters that encode also has come first.
pub const DECODE: &[UrmParameter] = &[
    ("DECODE-EYECATCHER", ParameterKind::Chars(8)),
    ("DECODE-FUNCTION", ParameterKind::Half),
    ("DECODE-VERSION", ParameterKind::Chars(1)),
    ("DECODE-VOLATILE", ParameterKind::Chars(1)),
    ("DECODE-RESPONSE", ParameterKind::Full),
    ("DECODE-REASON", ParameterKind::Full),
    ("DECODE-ENTRY-COUNT", ParameterKind::Full),
    ("DECODE-USER-TOKEN", ParameterKind::Chars(8)),
    ("DECODE-DATA-PTR", ParameterKind::Pointer),
    ("DECODE-INPUT-DATA-LEN", ParameterKind::Full),
    ("DECODE-OUTPUT-DATA-LEN", ParameterKind::Full),
    ("DECODE-SERVER-PROGRAM", ParameterKind::Chars(8)),
    ("DECODE-CLIENT-ADDRESS", ParameterKind::Full),
    ("DECODE-CLIENT-ADDRESS-STRING", ParameterKind::Chars(15)),
    ("DECODE-RESERVED", ParameterKind::Chars(1)),
    ("DECODE-CLIENT-IPV6-ADDRESS", ParameterKind::Chars(16)),
    ("DECODE-CLIENT-IPV6-ADDR-STRING", ParameterKind::Chars(39)),
    ("DECODE-RESERVED-2", ParameterKind::Chars(1)),
    ("DECODE-METHOD-LENGTH", ParameterKind::Full),
    ("DECODE-HTTP-VERSION-LENGTH", ParameterKind::Full),
    ("DECODE-RESOURCE-LENGTH", ParameterKind::Full),
    ("DECODE-REQUEST-HEADER-LENGTH", ParameterKind::Full),
    ("DECODE-USER-DATA-LENGTH", ParameterKind::Full),
    ("DECODE-METHOD-PTR", ParameterKind::Pointer),
    ("DECODE-HTTP-VERSION-PTR", ParameterKind::Pointer),
    ("DECODE-RESOURCE-PTR", ParameterKind::Pointer),
    ("DECODE-REQUEST-HEADER-PTR", ParameterKind::Pointer),
    ("DECODE-USER-DATA-PTR", ParameterKind::Pointer),
];

/// The list of a converter's encode function.
pub const ENCODE: &[UrmParameter] = &[
    ("ENCODE-EYECATCHER", ParameterKind::Chars(8)),
    ("ENCODE-FUNCTION", ParameterKind::Half),
    ("ENCODE-VERSION", ParameterKind::Chars(1)),
    ("ENCODE-RESERVED", ParameterKind::Chars(1)),
    ("ENCODE-RESPONSE", ParameterKind::Full),
    ("ENCODE-REASON", ParameterKind::Full),
    ("ENCODE-ENTRY-COUNT", ParameterKind::Full),
    ("ENCODE-USER-TOKEN", ParameterKind::Chars(8)),
    ("ENCODE-DATA-PTR", ParameterKind::Pointer),
    ("ENCODE-INPUT-DATA-LEN", ParameterKind::Full),
];

/// The list of DFHWBUN.
const UNESCAPER: &[UrmParameter] = &[
    ("WBUN-EYECATCHER", ParameterKind::Chars(8)),
    ("WBUN-LENGTH", ParameterKind::Half),
    ("WBUN-VERSION", ParameterKind::Half),
    ("WBUN-UNESCAPE-LEN", ParameterKind::Full),
    ("WBUN-UNESCAPE-ADDR", ParameterKind::Pointer),
];

/// The beginning of both lists of a converter.
const CONVERTER: &[UrmParameter] = &[
    ("CONVERTER-EYECATCHER", ParameterKind::Chars(8)),
    ("CONVERTER-FUNCTION", ParameterKind::Half),
    ("CONVERTER-VERSION", ParameterKind::Chars(1)),
    ("CONVERTER-RESERVED", ParameterKind::Chars(1)),
    ("CONVERTER-RESPONSE", ParameterKind::Full),
    ("CONVERTER-REASON", ParameterKind::Full),
];

/// The list of a program that gives a document template.
pub const TEMPLATE_EXIT: &[UrmParameter] = &[
    ("DHTX-LENGTH", ParameterKind::Half),
    ("DHTX-EYECATCHER", ParameterKind::Chars(13)),
    ("DHTX-VERSION", ParameterKind::Chars(1)),
    ("DHTX-BUFFER-PTR", ParameterKind::Pointer),
    ("DHTX-BUFFER-LEN", ParameterKind::Full),
    ("DHTX-TEMPLATE-LEN", ParameterKind::Full),
    ("DHTX-RETURN-CODE", ParameterKind::Full),
    ("DHTX-APPEND-CRLF", ParameterKind::Chars(1)),
    ("DHTX-CACHE-RESPONSE", ParameterKind::Chars(1)),
    ("DHTX-RESERVED", ParameterKind::Chars(2)),
    ("DHTX-TEMPLATE-NAME-PTR", ParameterKind::Pointer),
    ("DHTX-MESSAGE-PTR", ParameterKind::Pointer),
    ("DHTX-MESSAGE-LEN", ParameterKind::Full),
];

/// WBRA-FUNCTION.
pub const URP_ANALYZE: i64 = 1;
/// DECODE-FUNCTION.
pub const URP_DECODE: i64 = 1;
/// ENCODE-FUNCTION.
pub const URP_ENCODE: i64 = 2;
/// The program has done what it was asked for.
pub const URP_OK: i64 = 0;
/// The program has failed, and the reason code gives the cause.
pub const URP_EXCEPTION: i64 = 4;
/// The parameters are wrong.
pub const URP_INVALID: i64 = 8;
/// An error after which the request cannot continue.
pub const URP_DISASTER: i64 = 12;
/// Encode wants decode to be called again.
pub const URP_OK_LOOP: i64 = 16;
/// Reason: the client may not do that.
pub const URP_SECURITY_FAILURE: i64 = 1;
/// Reason: what the client sent makes no sense.
pub const URP_CORRUPT_CLIENT_DATA: i64 = 2;

/// Bytes of a list.
pub fn bytes_of(list: &[UrmParameter]) -> usize {
    list.iter().map(|(_, kind)| kind.bytes()).sum()
}

/// A list in memory.
#[derive(Debug)]
pub struct ParameterArea<'a> {
    list: &'static [UrmParameter],
    bytes: &'a mut [u8],
}

impl<'a> ParameterArea<'a> {
    /// A list over its bytes, of which there are [`bytes_of`].
    pub fn new(list: &'static [UrmParameter], bytes: &'a mut [u8]) -> ParameterArea<'a> {
        assert_eq!(bytes.len(), bytes_of(list), "the area of a parameter list");
        ParameterArea { list, bytes }
    }

    /// The bytes of a parameter.
    pub fn get(&mut self, name: &str) -> &mut [u8] {
        let mut at = 0;
        for (own, kind) in self.list {
            let end = at + kind.bytes();
            if *own == name {
                return &mut self.bytes[at..end];
            }
            at = end;
        }
        unreachable!("{name} is not a parameter of this list")
    }

    /// Stores characters, padded with blanks.
    pub fn set_text(&mut self, name: &str, text: &[u8]) {
        let to = self.get(name);
        let length = text.len().min(to.len());
        to.fill(b' ');
        to[..length].copy_from_slice(&text[..length]);
    }

    /// Stores a number.
    pub fn set_int(&mut self, name: &str, value: i64) {
        let to = self.get(name);
        let bytes = value.to_be_bytes();
        to.copy_from_slice(&bytes[bytes.len() - to.len()..]);
    }

    /// A number.
    pub fn int(&mut self, name: &str) -> i64 {
        let from = self.get(name);
        let negative = from.first().is_some_and(|b| b & 0x80 != 0);
        let mut bytes = [if negative { 0xFF } else { 0 }; 8];
        bytes[8 - from.len()..].copy_from_slice(from);
        i64::from_be_bytes(bytes)
    }

    /// Stores an address.
    pub fn set_address(&mut self, name: &str, value: usize) {
        self.get(name).copy_from_slice(&value.to_ne_bytes());
    }

    /// An address.
    pub fn address(&mut self, name: &str) -> usize {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(self.get(name));
        usize::from_ne_bytes(bytes)
    }
}

/// The copybook DFHWBTDO: the parameters of an analyzer program. WBRA-PARMS redefines
/// DFHCOMMAREA because programs use SET ADDRESS OF WBRA-PARMS.
pub fn dfhwbtdo() -> String {
    let bytes = bytes_of(ANALYZER);
    let mut text = format!(
        "       01  DFHCOMMAREA.\n           03  COMM-PARMLIST PIC X({bytes}).\n       \
         01  WBRA-PARMS REDEFINES DFHCOMMAREA.\n"
    );
    fields(ANALYZER, 3, &mut text);
    text
}

/// The copybook of the list of DFHWBUN, which unescapes storage.
pub fn dfhwbuno() -> String {
    let mut text = String::from("       01  WBUN-COMMAREA.\n");
    fields(UNESCAPER, 3, &mut text);
    text
}

/// The copybook of programs that give a document template.
pub fn dfhdhtxo() -> String {
    let mut text = String::from("       01  DHTX-PLIST.\n");
    fields(TEMPLATE_EXIT, 3, &mut text);
    text
}

/// The copybook of converters.
pub fn dfhwbcdo() -> String {
    let mut text = String::from("       01  DFHCOMMAREA.\n");
    let _ = writeln!(
        text,
        "           03  COMM-PARMLIST PIC X({}).",
        bytes_of(DECODE)
    );
    for (name, list) in [
        ("CONVERTER-PARMS", CONVERTER),
        ("DECODE-PARMS", DECODE),
        ("ENCODE-PARMS", ENCODE),
    ] {
        let _ = writeln!(text, "           03  {name} REDEFINES COMM-PARMLIST.");
        fields(list, 5, &mut text);
    }
    text
}

/// The copybook of the constants of both.
pub fn dfhwbuco() -> String {
    let mut text = String::from("       01  DFHWBUCO.\n");
    let eyes = [
        ("ANALYZE-EYECATCHER-INIT", EYE_ANALYZE),
        ("DECODE-EYECATCHER-INIT", EYE_DECODE),
        ("ENCODE-EYECATCHER-INIT", EYE_ENCODE),
        ("DFHWBUN-EYECATCHER-INIT", EYE_UNESCAPE),
        ("CNV-USER-DATA-KEY", KEY_USER_DATA),
    ];
    for (name, value) in eyes {
        constant(&mut text, name, "X(8)", &format!("'{value:<8}'"));
    }
    let halves = [
        ("URP-ANALYZE", URP_ANALYZE),
        ("URP-DECODE", URP_DECODE),
        ("URP-ENCODE", URP_ENCODE),
        ("DFHWBUN-CURRENT-VERSION", 1),
    ];
    for (name, value) in halves {
        constant(&mut text, name, "S9(4) COMP", &value.to_string());
    }
    let words = [
        ("URP-OK", URP_OK),
        ("URP-EXCEPTION", URP_EXCEPTION),
        ("URP-INVALID", URP_INVALID),
        ("URP-DISASTER", URP_DISASTER),
        ("URP-OK-LOOP", URP_OK_LOOP),
        ("URP-SECURITY-FAILURE", URP_SECURITY_FAILURE),
        ("URP-CORRUPT-CLIENT-DATA", URP_CORRUPT_CLIENT_DATA),
        ("URP-RESOURCE-TOO-SHORT", 3),
        ("URP-FIRST-SLASH-MISSING", 4),
        ("URP-CONV-NAME-INVALID", 5),
        ("URP-TRAN-NAME-INVALID", 6),
        ("URP-SERV-NAME-INVALID", 7),
        ("URP-SERVER-NAME-MISSING", 8),
    ];
    for (name, value) in words {
        constant(&mut text, name, "S9(8) COMP", &value.to_string());
    }
    let letters = [
        ("WBRA-REQUEST-HTTP", REQUEST_HTTP),
        ("WBRA-TYPE-HTTP", REQUEST_HTTP),
        ("WBRA-VERSION-CTS410", VERSION),
        ("WBRA-REQUEST-NON-HTTP", "0"),
        ("WBRA-UNESCAPE-REQUIRED", UNESCAPE_REQUIRED),
        ("WBRA-UNESCAPE-NOT-REQUIRED", UNESCAPE_NOT_REQUIRED),
    ];
    for (name, value) in letters {
        constant(&mut text, name, "X", &format!("'{value}'"));
    }
    text
}

fn fields(list: &[UrmParameter], level: u32, text: &mut String) {
    for (name, kind) in list {
        let picture = match kind {
            ParameterKind::Chars(n) => format!("PIC X({n})"),
            ParameterKind::Half => "PIC S9(4) COMP".to_owned(),
            ParameterKind::Full => "PIC S9(8) COMP".to_owned(),
            ParameterKind::Pointer => "POINTER".to_owned(),
        };
        let _ = writeln!(text, "           {level:02}  {name} {picture}.");
    }
}

fn constant(text: &mut String, name: &str, picture: &str, value: &str) {
    let _ = writeln!(text, "           03  {name} PIC {picture}");
    let _ = writeln!(text, "               VALUE {value}.");
}

/// WBRA-EYECATCHER.
pub const EYE_ANALYZE: &str = ">analyze";
/// DECODE-EYECATCHER.
pub const EYE_DECODE: &str = ">decode ";
/// ENCODE-EYECATCHER.
pub const EYE_ENCODE: &str = ">encode ";
/// WBUN-EYECATCHER.
pub const EYE_UNESCAPE: &str = ">wbunesc";
/// DHTX-EYECATCHER.
pub const EYE_TEMPLATE: &str = ">DFHDHTXPARMS";
/// WBRA-DFHCNV-KEY that samples set: not nulls, so the body is converted.
pub const KEY_USER_DATA: &str = "DFHWBUD";
/// WBRA-REQUEST-TYPE: all requests that come here.
pub const REQUEST_HTTP: &str = "1";
/// WBRA-VERSION and its like.
pub const VERSION: &str = "0";
/// WBRA-UNESCAPE: the data of a form are to be unescaped.
pub const UNESCAPE_REQUIRED: &str = "1";
/// WBRA-UNESCAPE: they stay as they are.
pub const UNESCAPE_NOT_REQUIRED: &str = "0";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_both_functions_of_a_converter_have_lies_at_one_place() {
        for list in [DECODE, ENCODE] {
            for ((_, own), (_, common)) in list.iter().zip(CONVERTER) {
                assert_eq!(own, common);
            }
        }
        let data = |list: &'static [UrmParameter], name: &str| {
            let before = list.iter().take_while(|(own, _)| *own != name);
            before.map(|(_, kind)| kind.bytes()).sum::<usize>()
        };
        let decode = data(DECODE, "DECODE-DATA-PTR");
        assert_eq!(decode, data(ENCODE, "ENCODE-DATA-PTR"));
    }

    #[test]
    fn numbers_and_texts_are_read_as_they_were_stored() {
        let mut bytes = vec![0; bytes_of(DECODE)];
        let mut area = ParameterArea::new(DECODE, &mut bytes);
        for value in [0, 1, -1, 32_768, i64::from(i32::MIN)] {
            area.set_int("DECODE-REASON", value);
            assert_eq!(area.int("DECODE-REASON"), value);
        }
        area.set_address("DECODE-DATA-PTR", 0x1234_5678_9abc);
        assert_eq!(area.address("DECODE-DATA-PTR"), 0x1234_5678_9abc);
        area.set_text("DECODE-SERVER-PROGRAM", b"ABC");
        assert_eq!(area.get("DECODE-SERVER-PROGRAM"), b"ABC     ");
        assert_eq!(area.int("DECODE-RESPONSE"), 0);
    }

    #[test]
    fn no_line_of_a_copybook_goes_beyond_column_72() {
        for text in [dfhwbtdo(), dfhwbcdo(), dfhwbuco(), dfhwbuno(), dfhdhtxo()] {
            assert!(text.lines().all(|line| line.len() <= 72), "{text}");
        }
    }
}
