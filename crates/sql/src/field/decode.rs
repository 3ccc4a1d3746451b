//! From the binary value of a result to a COBOL field.

use super::text::read_utf8;
use super::{CobolType, Decimal, NumberError};
use crate::temporal::{CivilDate, CivilTime, CivilTimestamp, DateStyle};
use crate::wire::oid;

/// How values become text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DecodeOptions {
    /// Format of dates and times.
    pub dates: DateStyle,
}

/// The outcome of storing a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecodeResult {
    /// The field has it whole.
    Whole,
    /// Characters that are not blanks were cut: the value's length.
    Cut(u32),
    /// The number does not fit: -304, or +304 and -2 in the indicator.
    Overflow,
    /// The field's type cannot take it: -303.
    Mismatch,
    /// The server sent bytes that are not a value of the type.
    Malformed,
}

/// Whether values of a type of the server go into a field at all.
pub fn can_decode(source: u32, cobol: CobolType) -> bool {
    match source {
        oid::INT2 | oid::INT4 | oid::INT8 | oid::NUMERIC | oid::FLOAT4 | oid::FLOAT8 => true,
        oid::DATE | oid::TIME | oid::TIMESTAMP | oid::BYTEA => !cobol.is_number(),
        oid::BPCHAR | oid::TEXT | oid::VARCHAR | oid::NAME | oid::UNKNOWN | oid::CHAR => {
            !cobol.is_number()
        }
        // A domain is described as its base type; another type is the server's own.
        _ => false,
    }
}

/// Puts a value that is not NULL into a field of the type's length.
pub fn decode(
    source: u32,
    value: &[u8],
    cobol: CobolType,
    field: &mut [u8],
    options: DecodeOptions,
) -> DecodeResult {
    let length = usize::try_from(cobol.length()).unwrap_or(usize::MAX);
    let Some(field) = field.get_mut(..length) else {
        return DecodeResult::Malformed;
    };
    match source {
        oid::INT2 | oid::INT4 | oid::INT8 | oid::NUMERIC => decimal(source, value, cobol, field),
        oid::FLOAT4 | oid::FLOAT8 => float(value, cobol, field),
        oid::DATE | oid::TIME | oid::TIMESTAMP => match datetime(source, value, options) {
            Some(text) => write_text(text.as_bytes(), cobol, field),
            None => DecodeResult::Malformed,
        },
        oid::BYTEA => write_bytes(value, cobol, field),
        oid::BPCHAR | oid::TEXT | oid::VARCHAR | oid::NAME | oid::UNKNOWN => {
            if cobol.is_number() {
                return DecodeResult::Mismatch;
            }
            write_text(value, cobol, field)
        }
        oid::CHAR => write_text(value, cobol, field),
        _ => DecodeResult::Mismatch,
    }
}

/// The value of an integer of the server.
fn whole(value: &[u8]) -> Option<i128> {
    Some(match value {
        [a, b] => i128::from(i16::from_be_bytes([*a, *b])),
        [a, b, c, d] => i128::from(i32::from_be_bytes([*a, *b, *c, *d])),
        _ => i128::from(i64::from_be_bytes(value.try_into().ok()?)),
    })
}

fn decimal(source: u32, value: &[u8], cobol: CobolType, field: &mut [u8]) -> DecodeResult {
    let scale = match cobol {
        CobolType::Zoned { scale, .. }
        | CobolType::Packed { scale, .. }
        | CobolType::Integer { scale, .. } => scale,
        _ => {
            // The scale that the server shows, up to what a number holds.
            let shown = value
                .get(6..8)
                .map_or(0, |b| u16::from_be_bytes([b[0], b[1]]));
            if source == oid::NUMERIC {
                i8::try_from(shown.min(31)).unwrap_or(31)
            } else {
                0
            }
        }
    };
    let number = if source == oid::NUMERIC {
        Decimal::from_numeric(value, scale)
    } else {
        match whole(value) {
            Some(value) => Decimal { value, scale: 0 }.rescale(scale),
            None => return DecodeResult::Malformed,
        }
    };
    let number = match number {
        Ok(number) => number,
        Err(NumberError::Range) => return DecodeResult::Overflow,
        Err(NumberError::Invalid) => return DecodeResult::Malformed,
    };
    if matches!(cobol, CobolType::Float4 | CobolType::Float8) {
        return match number.to_text().parse::<f64>() {
            Ok(value) => write_float(value, cobol, field),
            Err(_) => DecodeResult::Overflow,
        };
    }
    if !cobol.is_number() {
        return write_text(number.to_text().as_bytes(), cobol, field);
    }
    match number.write(cobol, field) {
        Ok(()) => DecodeResult::Whole,
        Err(NumberError::Range) => DecodeResult::Overflow,
        Err(NumberError::Invalid) => DecodeResult::Mismatch,
    }
}

fn float(value: &[u8], cobol: CobolType, field: &mut [u8]) -> DecodeResult {
    let value = match value {
        [a, b, c, d] => f64::from(f32::from_be_bytes([*a, *b, *c, *d])),
        _ => match value.first_chunk::<8>() {
            Some(bytes) if value.len() == 8 => f64::from_be_bytes(*bytes),
            _ => return DecodeResult::Malformed,
        },
    };
    if matches!(cobol, CobolType::Float4 | CobolType::Float8) {
        return write_float(value, cobol, field);
    }
    if !cobol.is_number() {
        return write_text(format!("{value:E}").as_bytes(), cobol, field);
    }
    if !value.is_finite() || value.abs() >= 1e31 {
        return DecodeResult::Overflow;
    }
    let number = super::encode::parse_decimal(&format!("{value}"));
    match number.map(|n| n.write(cobol, field)) {
        Some(Ok(())) => DecodeResult::Whole,
        _ => DecodeResult::Overflow,
    }
}

fn write_float(value: f64, cobol: CobolType, field: &mut [u8]) -> DecodeResult {
    if cobol == CobolType::Float8 {
        field.copy_from_slice(&value.to_ne_bytes());
        return DecodeResult::Whole;
    }
    // The result is the nearest value of the smaller type.
    #[allow(clippy::cast_possible_truncation)]
    let small = value as f32;
    if value.is_finite() && !small.is_finite() {
        return DecodeResult::Overflow;
    }
    field.copy_from_slice(&small.to_ne_bytes());
    DecodeResult::Whole
}

/// A date, time or timestamp as text; `None` beyond the years 1 to 9999.
fn datetime(source: u32, value: &[u8], options: DecodeOptions) -> Option<String> {
    Some(match source {
        oid::DATE => {
            let days = i32::from_be_bytes(value.try_into().ok()?);
            CivilDate::from_days(days)?.format(options.dates)
        }
        oid::TIME => {
            let micros = i64::from_be_bytes(value.try_into().ok()?);
            CivilTime::from_micros(micros)?.format(options.dates)
        }
        _ => {
            let micros = i64::from_be_bytes(value.try_into().ok()?);
            CivilTimestamp::from_micros(micros)?.format(6)
        }
    })
}

/// The form of a length before a value: its bytes, and whether it is big-endian.
type LengthForm = Option<(u8, bool)>;

/// A field's bytes after its length, and the length's place.
fn parts(cobol: CobolType, field: &mut [u8]) -> Option<(LengthForm, &mut [u8], &mut [u8])> {
    match cobol {
        CobolType::Char(_) | CobolType::Binary(_) => {
            let (head, body) = field.split_at_mut(0);
            Some((None, head, body))
        }
        CobolType::Varchar { big_endian, .. } | CobolType::Varbinary { big_endian, .. } => {
            let (head, body) = field.split_at_mut(2);
            Some((Some((2, big_endian)), head, body))
        }
        CobolType::Lob { big_endian, .. } => {
            let (head, body) = field.split_at_mut(4);
            Some((Some((4, big_endian)), head, body))
        }
        _ => None,
    }
}

fn write_length(length: LengthForm, head: &mut [u8], count: usize) -> Option<()> {
    let Some((bytes, big_endian)) = length else {
        return Some(());
    };
    let value = Decimal {
        value: i128::try_from(count).ok()?,
        scale: 0,
    };
    let cobol = CobolType::Integer {
        bytes,
        digits: 9,
        scale: 0,
        signed: true,
        big_endian,
    };
    value.write(cobol, head).ok()
}

fn write_text(value: &[u8], cobol: CobolType, field: &mut [u8]) -> DecodeResult {
    let Some((length, head, body)) = parts(cobol, field) else {
        return DecodeResult::Mismatch;
    };
    let (count, lost) = read_utf8(value, body);
    let kept = count.min(body.len());
    if length.is_none() {
        body[kept..].fill(b' ');
    } else if write_length(length, head, kept).is_none() {
        return DecodeResult::Overflow;
    }
    if lost {
        DecodeResult::Cut(u32::try_from(count).unwrap_or(u32::MAX))
    } else {
        DecodeResult::Whole
    }
}

fn write_bytes(value: &[u8], cobol: CobolType, field: &mut [u8]) -> DecodeResult {
    let Some((length, head, body)) = parts(cobol, field) else {
        return DecodeResult::Mismatch;
    };
    let kept = value.len().min(body.len());
    body[..kept].copy_from_slice(&value[..kept]);
    if length.is_none() {
        body[kept..].fill(if matches!(cobol, CobolType::Binary(_)) {
            0
        } else {
            b' '
        });
    } else if write_length(length, head, kept).is_none() {
        return DecodeResult::Overflow;
    }
    if value.len() > kept {
        DecodeResult::Cut(u32::try_from(value.len()).unwrap_or(u32::MAX))
    } else {
        DecodeResult::Whole
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn received(source: u32, value: &[u8], cobol: CobolType) -> (DecodeResult, Vec<u8>) {
        let mut field = vec![0xFF; cobol.length() as usize];
        let what = decode(source, value, cobol, &mut field, DecodeOptions::default());
        (what, field)
    }

    #[test]
    fn text_is_padded_or_cut_and_only_lost_characters_count() {
        let cobol = CobolType::Char(4);
        assert_eq!(
            received(oid::BPCHAR, b"AB", cobol),
            (DecodeResult::Whole, b"AB  ".to_vec())
        );
        assert_eq!(
            received(oid::BPCHAR, b"ABCD   ", cobol).0,
            DecodeResult::Whole
        );
        assert_eq!(
            received(oid::BPCHAR, b"ABCDE", cobol),
            (DecodeResult::Cut(5), b"ABCD".to_vec())
        );
        let varchar = CobolType::Varchar {
            most: 3,
            big_endian: true,
        };
        assert_eq!(
            received(oid::BPCHAR, b"ABCDE", varchar),
            (DecodeResult::Cut(5), vec![0, 3, b'A', b'B', b'C'])
        );
        assert_eq!(
            received(oid::BPCHAR, &[1, 0xC4, 0x80, 0xC3, 0xA9], cobol).1,
            [0, 1, 0xE9, b' ']
        );
    }

    #[test]
    fn numbers_are_cut_to_the_scale_and_refused_beyond_the_digits() {
        let cobol = CobolType::Packed {
            digits: 5,
            scale: 2,
            signed: true,
        };
        assert_eq!(
            received(oid::INT4, &12i32.to_be_bytes(), cobol),
            (DecodeResult::Whole, vec![0x01, 0x20, 0x0C])
        );
        assert_eq!(
            received(oid::INT4, &1000i32.to_be_bytes(), cobol).0,
            DecodeResult::Overflow
        );
    }

    #[test]
    fn dates_take_the_format_of_the_site() {
        let days = 9828i32.to_be_bytes();
        let mut field = [0; 10];
        let options = DecodeOptions {
            dates: DateStyle::Eur,
        };
        decode(oid::DATE, &days, CobolType::Char(10), &mut field, options);
        assert_eq!(&field, b"28.11.2026");
    }

    proptest::proptest! {
        #[test]
        fn no_value_of_a_server_makes_it_panic(
            source in proptest::sample::select(vec![16u32, 17, 18, 19, 20, 21, 23, 25, 700, 701, 1042, 1082, 1083, 1114, 1700]),
            value in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..24),
        ) {
            for cobol in [
                CobolType::Char(3),
                CobolType::Varchar { most: 3, big_endian: false },
                CobolType::Lob { most: 3, binary: true, big_endian: true },
                CobolType::Packed { digits: 5, scale: 2, signed: false },
                CobolType::Integer { bytes: 2, digits: 4, scale: 0, signed: true, big_endian: true },
                CobolType::Float4,
                CobolType::Float8,
            ] {
                received(source, &value, cobol);
            }
        }
    }
}
