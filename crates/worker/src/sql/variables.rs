//! Host variables of a statement as CEDF shows them: a line for each, with its type,
//! its length, its indicator and its value.
//!
//! The block of a statement has no names, so the lines have the numbers that the
//! statement's text has: `:1` is IVAR 001. Of an array the first occurrence is shown.
//! Reference: Db2 for z/OS Application Programming and SQL Guide, "Testing a CICS
//! program that issues SQL", which has IVAR and OVAR.

use std::fmt::Write as _;

use runtime::sql::SqlAreas;
use sql::block::FieldDescriptor;
use sql::field::{CobolType, Decimal};

/// Appends a line for each variable; `name` is IVAR or OVAR.
pub(super) fn add(
    text: &mut String,
    name: &str,
    variables: &[FieldDescriptor],
    areas: &dyn SqlAreas,
) {
    for (number, variable) in (1..).zip(variables).take(MOST_VARIABLES) {
        let kind = type_name(variable.cobol);
        let length = variable.cobol.length();
        let indicator = indicator(variable, areas);
        let value = match indicator {
            Some(negative) if negative < 0 => "NULL".to_owned(),
            _ => value(variable, areas),
        };
        let _ = write!(text, "\n {name} {number:03}: TYPE={kind},LEN={length:05}");
        if let Some(indicator) = indicator {
            let _ = write!(text, ",IND={indicator:03}");
        }
        let _ = write!(text, " {value}");
    }
    if variables.len() > MOST_VARIABLES {
        let _ = write!(text, "\n {name}: {} more", variables.len() - MOST_VARIABLES);
    }
}

fn type_name(cobol: CobolType) -> &'static str {
    match cobol {
        CobolType::Char(_) => "CHAR",
        CobolType::Varchar { .. } => "VARCHAR",
        CobolType::Lob { binary: true, .. } => "BLOB",
        CobolType::Lob { .. } => "CLOB",
        CobolType::Binary(_) => "BINARY",
        CobolType::Varbinary { .. } => "VARBINARY",
        CobolType::Zoned { .. } => "NUMERIC",
        CobolType::Packed { .. } => "DECIMAL",
        CobolType::Integer { bytes: 2, .. } => "SMALLINT",
        CobolType::Integer { bytes: 4, .. } => "INTEGER",
        CobolType::Integer { .. } => "BIGINT",
        CobolType::Float4 => "REAL",
        CobolType::Float8 => "DOUBLE",
    }
}

/// The bytes of a place in an operand. The SQLCA and the block are before the
/// arguments.
fn part(areas: &dyn SqlAreas, argument: u16, offset: usize, length: usize) -> Option<&[u8]> {
    let operand = areas.bytes(usize::from(argument) + 2);
    operand.get(offset..)?.get(..length)
}

fn indicator(variable: &FieldDescriptor, areas: &dyn SqlAreas) -> Option<i16> {
    let (argument, offset) = variable.indicator?;
    let bytes = part(areas, argument, usize::from(offset), 2)?;
    let bytes = [bytes[0], bytes[1]];
    Some(if variable.indicator_big_endian {
        i16::from_be_bytes(bytes)
    } else {
        i16::from_ne_bytes(bytes)
    })
}

/// The value as text, or its bytes if it has none.
fn value(variable: &FieldDescriptor, areas: &dyn SqlAreas) -> String {
    let length = variable.cobol.length() as usize;
    let Some(bytes) = part(areas, variable.argument, variable.offset as usize, length) else {
        return "(beyond its item)".to_owned();
    };
    match variable.cobol {
        CobolType::Char(_) => quoted(bytes),
        CobolType::Varchar { big_endian, .. } => match bytes.split_first_chunk() {
            Some((length, data)) => quoted(cut(data, u16_of(*length, big_endian).into())),
            None => hexadecimal(bytes),
        },
        CobolType::Float4 => match bytes.try_into() {
            Ok(bytes) => f32::from_ne_bytes(bytes).to_string(),
            Err(_) => hexadecimal(bytes),
        },
        CobolType::Float8 => match bytes.try_into() {
            Ok(bytes) => f64::from_ne_bytes(bytes).to_string(),
            Err(_) => hexadecimal(bytes),
        },
        CobolType::Zoned { .. } | CobolType::Packed { .. } | CobolType::Integer { .. } => {
            match Decimal::read(variable.cobol, bytes) {
                Ok(number) => number.to_text(),
                Err(_) => hexadecimal(bytes),
            }
        }
        CobolType::Lob { .. } | CobolType::Binary(_) | CobolType::Varbinary { .. } => {
            hexadecimal(bytes)
        }
    }
}

fn u16_of(bytes: [u8; 2], big_endian: bool) -> u16 {
    if big_endian {
        u16::from_be_bytes(bytes)
    } else {
        u16::from_ne_bytes(bytes)
    }
}

fn cut(bytes: &[u8], length: usize) -> &[u8] {
    &bytes[..bytes.len().min(length)]
}

/// Characters between quotes; bytes that are none in hexadecimal.
fn quoted(bytes: &[u8]) -> String {
    let shown = cut(bytes, SHOWN_BYTES);
    let rest = if shown.len() < bytes.len() { "..." } else { "" };
    if !shown.iter().all(|byte| matches!(byte, b' '..=b'~')) {
        return hexadecimal(bytes);
    }
    format!("'{}'{rest}", String::from_utf8_lossy(shown))
}

fn hexadecimal(bytes: &[u8]) -> String {
    let shown = cut(bytes, SHOWN_BYTES / 2);
    let rest = if shown.len() < bytes.len() { "..." } else { "" };
    let mut text = String::with_capacity(2 * shown.len() + 8);
    text.push_str("X'");
    for byte in shown {
        let _ = write!(text, "{byte:02X}");
    }
    text.push('\'');
    text.push_str(rest);
    text
}

/// Characters of a value that are shown: a line of the display has 78.
const SHOWN_BYTES: usize = 32;
/// Variables that are shown: a report has a bounded length.
const MOST_VARIABLES: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    struct OperandList(Vec<Vec<u8>>);

    impl SqlAreas for OperandList {
        fn count(&self) -> usize {
            self.0.len()
        }

        fn address(&self, _: usize) -> usize {
            0
        }

        fn bytes(&self, at: usize) -> &[u8] {
            self.0.get(at).map_or(&[], Vec::as_slice)
        }

        fn bytes_mut(&mut self, at: usize) -> &mut [u8] {
            self.0.get_mut(at).map_or(&mut [], Vec::as_mut_slice)
        }

        fn pointed_at(&mut self, _: usize, _: usize) -> &mut [u8] {
            &mut []
        }
    }

    fn shown(cobol: CobolType, bytes: &[u8], indicator: Option<i16>) -> String {
        let indicators = indicator.unwrap_or_default().to_be_bytes().to_vec();
        let areas = OperandList(vec![Vec::new(), Vec::new(), bytes.to_vec(), indicators]);
        let variable = FieldDescriptor {
            argument: 0,
            offset: 0,
            cobol,
            occurs: 1,
            stride: 0,
            indicator: indicator.map(|_| (1, 0)),
            indicator_big_endian: true,
        };
        let mut text = String::new();
        add(&mut text, "IVAR", &[variable], &areas);
        text
    }

    #[test]
    fn a_variable_has_its_type_its_length_and_its_value() {
        let line = shown(CobolType::Char(4), b"BOLT", None);
        assert_eq!(line, "\n IVAR 001: TYPE=CHAR,LEN=00004 'BOLT'");
        let packed = CobolType::Packed {
            digits: 5,
            scale: 2,
            signed: true,
        };
        let line = shown(packed, &[0x12, 0x34, 0x5D], Some(0));
        assert_eq!(line, "\n IVAR 001: TYPE=DECIMAL,LEN=00003,IND=000 -123.45");
        let varchar = CobolType::Varchar {
            most: 6,
            big_endian: true,
        };
        let line = shown(varchar, b"\0\x02abXXXX", None);
        assert_eq!(line, "\n IVAR 001: TYPE=VARCHAR,LEN=00008 'ab'");
    }

    #[test]
    fn null_invalid_and_long_values_are_shown() {
        assert!(shown(CobolType::Char(1), b"A", Some(-1)).ends_with("IND=-01 NULL"));
        let packed = CobolType::Packed {
            digits: 3,
            scale: 0,
            signed: true,
        };
        assert!(shown(packed, b"  ", None).ends_with("LEN=00002 X'2020'"));
        let long = shown(CobolType::Char(40), &[b'A'; 40], None);
        assert!(long.ends_with(&format!("'{}'...", "A".repeat(32))));
        assert!(shown(CobolType::Char(2), &[0, 0], None).ends_with("X'0000'"));
        assert!(shown(CobolType::Char(9), b"AB", None).ends_with("(beyond its item)"));
    }
}
