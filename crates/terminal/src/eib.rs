//! The EXEC interface block as lines of a screen.
//!
//! Reference: CICS API reference, EXEC interface block fields.

/// How a field of the EIB is shown.
#[derive(Debug, Clone, Copy)]
enum EibKind {
    Text,
    Hexadecimal,
    Number,
}

/// Fields of the EIB: name, offset and bytes.
const EIB_FIELDS: &[(&str, usize, usize, EibKind)] = &[
    ("EIBTIME", 0, 4, EibKind::Hexadecimal),
    ("EIBDATE", 4, 4, EibKind::Hexadecimal),
    ("EIBTRNID", 8, 4, EibKind::Text),
    ("EIBTASKN", 12, 4, EibKind::Hexadecimal),
    ("EIBTRMID", 16, 4, EibKind::Text),
    ("EIBCPOSN", 22, 2, EibKind::Number),
    ("EIBCALEN", 24, 2, EibKind::Number),
    ("EIBAID", 26, 1, EibKind::Hexadecimal),
    ("EIBFN", 27, 2, EibKind::Hexadecimal),
    ("EIBRCODE", 29, 6, EibKind::Hexadecimal),
    ("EIBDS", 35, 8, EibKind::Text),
    ("EIBREQID", 43, 8, EibKind::Text),
    ("EIBRSRCE", 51, 8, EibKind::Text),
    ("EIBSIG", 67, 1, EibKind::Hexadecimal),
    ("EIBRESP", 76, 4, EibKind::Number),
    ("EIBRESP2", 80, 4, EibKind::Number),
];

/// A line for each field.
pub fn lines(eib: &[u8]) -> impl Iterator<Item = String> {
    EIB_FIELDS.iter().map(|(name, at, length, kind)| {
        let bytes = eib.get(*at..at + length).unwrap_or_default();
        let value = match kind {
            EibKind::Text => format!("'{}'", printable(bytes)),
            EibKind::Hexadecimal => format!("X'{}'", hexadecimal(bytes)),
            EibKind::Number => format!("{:+011}", number(eib, *at, *length)),
        };
        format!("{name:8} = {value}")
    })
}

/// EIBRESP or another number at an offset.
pub fn number(eib: &[u8], at: usize, length: usize) -> i32 {
    let bytes = eib.get(at..at + length).unwrap_or_default();
    match *bytes {
        [high, low] => i16::from_be_bytes([high, low]).into(),
        [a, b, c, d] => i32::from_be_bytes([a, b, c, d]),
        _ => 0,
    }
}

/// EIBRESP.
pub fn response(eib: &[u8]) -> i32 {
    number(eib, 76, 4)
}

/// EIBRESP2.
pub fn response2(eib: &[u8]) -> i32 {
    number(eib, 80, 4)
}

/// Digits of bytes.
pub fn hexadecimal(bytes: &[u8]) -> String {
    base::hex::upper(bytes)
}

/// Characters of a program; what is not printable is a period.
pub fn printable(data: &[u8]) -> String {
    let shown = |byte: &u8| {
        if byte.is_ascii_graphic() || *byte == b' ' {
            char::from(*byte)
        } else {
            '.'
        }
    };
    data.iter().map(shown).collect()
}
