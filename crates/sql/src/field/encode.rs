//! From a COBOL field to the binary value of a parameter.

use super::text::write_utf8;
use super::{CobolType, Decimal, NumberError};
use crate::temporal::{self, DatetimeError};
use crate::wire::oid;

/// Why a field cannot be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EncodeError {
    /// The field's bytes are not a number: -310.
    #[error("a decimal host variable holds no number")]
    InvalidDecimal,
    /// The number does not fit the parameter's type: -302.
    #[error("an input host variable is too large for its target")]
    Range,
    /// The length of a VARCHAR variable is negative or too large: -311.
    #[error("the length of an input host variable is negative or too large")]
    Length,
    /// No date, time or timestamp: -180 or -181.
    #[error(transparent)]
    Datetime(#[from] DatetimeError),
    /// A field of this type cannot become the parameter: -301.
    #[error("an input host variable cannot be used because of its type")]
    Type,
}

impl From<NumberError> for EncodeError {
    fn from(error: NumberError) -> Self {
        match error {
            NumberError::Invalid => EncodeError::InvalidDecimal,
            NumberError::Range => EncodeError::Range,
        }
    }
}

impl EncodeError {
    /// The SQLCODE that Db2 has for it.
    pub fn sqlcode(self) -> i32 {
        match self {
            EncodeError::InvalidDecimal => -310,
            EncodeError::Range => -302,
            EncodeError::Length => -311,
            EncodeError::Datetime(error) => error.sqlcode(),
            EncodeError::Type => -301,
        }
    }
}

/// Appends the value of a field as a parameter of the server's type.
pub fn encode(
    cobol: CobolType,
    field: &[u8],
    target: u32,
    out: &mut Vec<u8>,
) -> Result<(), EncodeError> {
    if cobol.is_number() {
        return number(cobol, field, target, out);
    }
    let value = bytes(cobol, field)?;
    match target {
        oid::BYTEA => out.extend_from_slice(value),
        oid::DATE => {
            let date = temporal::parse_date(&as_text(value))?;
            out.extend_from_slice(&date.to_days().to_be_bytes());
        }
        oid::TIME => {
            let time = temporal::parse_time(&as_text(value))?;
            out.extend_from_slice(&time.to_micros().to_be_bytes());
        }
        oid::TIMESTAMP => {
            let stamp = temporal::parse_timestamp(&as_text(value))?;
            out.extend_from_slice(&stamp.to_micros().to_be_bytes());
        }
        oid::BPCHAR | oid::TEXT | oid::VARCHAR | oid::UNKNOWN | oid::NAME => write_utf8(value, out),
        oid::INT2 | oid::INT4 | oid::INT8 | oid::NUMERIC => {
            let parsed = parse_decimal(&as_text(value)).ok_or(EncodeError::Type)?;
            write_number(parsed, target, out)?;
        }
        _ => return Err(EncodeError::Type),
    }
    Ok(())
}

/// The bytes of a text or binary field, without its length.
fn bytes(cobol: CobolType, field: &[u8]) -> Result<&[u8], EncodeError> {
    let whole = |n: u32| field.get(..n as usize).ok_or(EncodeError::Length);
    let (head, most, big_endian) = match cobol {
        CobolType::Char(n) | CobolType::Binary(n) => return whole(n),
        CobolType::Varchar { most, big_endian } | CobolType::Varbinary { most, big_endian } => {
            (2, most, big_endian)
        }
        CobolType::Lob {
            most, big_endian, ..
        } => (4, most, big_endian),
        _ => return Err(EncodeError::Type),
    };
    let length = Decimal::read(
        CobolType::Integer {
            bytes: head,
            digits: 9,
            scale: 0,
            signed: true,
            big_endian,
        },
        field,
    )?;
    let length = u32::try_from(length.value).map_err(|_| EncodeError::Length)?;
    if length > most {
        return Err(EncodeError::Length);
    }
    let head = usize::from(head);
    field
        .get(head..head + length as usize)
        .ok_or(EncodeError::Length)
}

fn as_text(value: &[u8]) -> String {
    value.iter().map(|b| char::from(*b)).collect()
}

fn number(
    cobol: CobolType,
    field: &[u8],
    target: u32,
    out: &mut Vec<u8>,
) -> Result<(), EncodeError> {
    let float = match (cobol, field) {
        (CobolType::Float4, [a, b, c, d, ..]) => {
            Some(f64::from(f32::from_ne_bytes([*a, *b, *c, *d])))
        }
        (CobolType::Float8, field) => match field.first_chunk::<8>() {
            Some(bytes) => Some(f64::from_ne_bytes(*bytes)),
            None => return Err(EncodeError::Length),
        },
        (CobolType::Float4, _) => return Err(EncodeError::Length),
        _ => None,
    };
    if let Some(value) = float {
        return write_float(value, target, out);
    }
    let value = Decimal::read(cobol, field)?;
    write_number(value, target, out)
}

fn write_float(value: f64, target: u32, out: &mut Vec<u8>) -> Result<(), EncodeError> {
    match target {
        oid::FLOAT8 => out.extend_from_slice(&value.to_be_bytes()),
        // The result is the nearest value of the smaller type.
        #[allow(clippy::cast_possible_truncation)]
        oid::FLOAT4 => out.extend_from_slice(&(value as f32).to_be_bytes()),
        _ => {
            if !value.is_finite() || value.abs() >= 1e31 {
                return Err(EncodeError::Range);
            }
            let parsed = parse_decimal(&format!("{value}")).ok_or(EncodeError::Range)?;
            write_number(parsed, target, out)?;
        }
    }
    Ok(())
}

fn write_number(value: Decimal, target: u32, out: &mut Vec<u8>) -> Result<(), EncodeError> {
    let whole = || value.rescale(0).map(|d| d.value);
    let range = |_| EncodeError::Range;
    match target {
        oid::INT2 => out.extend_from_slice(&i16::try_from(whole()?).map_err(range)?.to_be_bytes()),
        oid::INT4 => out.extend_from_slice(&i32::try_from(whole()?).map_err(range)?.to_be_bytes()),
        oid::INT8 => out.extend_from_slice(&i64::try_from(whole()?).map_err(range)?.to_be_bytes()),
        oid::NUMERIC => value.to_numeric(out)?,
        oid::FLOAT8 | oid::FLOAT4 => {
            let float: f64 = value.to_text().parse().map_err(|_| EncodeError::Range)?;
            write_float(float, target, out)?;
        }
        oid::BPCHAR | oid::TEXT | oid::VARCHAR | oid::UNKNOWN => {
            out.extend_from_slice(value.to_text().as_bytes());
        }
        _ => return Err(EncodeError::Type),
    }
    Ok(())
}

/// A decimal number of a text; blanks at both ends are passed over.
pub(super) fn parse_decimal(text: &str) -> Option<Decimal> {
    let text = text.trim();
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let fraction = fraction.get(..fraction.len().min(20))?;
    let all = format!("{whole}{fraction}");
    if all.is_empty() || !all.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let value: i128 = all.parse().ok()?;
    Some(Decimal {
        value: if negative { -value } else { value },
        scale: i8::try_from(fraction.len()).ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(cobol: CobolType, field: &[u8], target: u32) -> Result<Vec<u8>, EncodeError> {
        let mut out = Vec::new();
        encode(cobol, field, target, &mut out)?;
        Ok(out)
    }

    #[test]
    fn text_goes_as_it_is_and_low_values_keep_their_order() {
        let cobol = CobolType::Char(4);
        assert_eq!(sent(cobol, b"AB  ", oid::BPCHAR).unwrap(), b"AB  ");
        assert_eq!(
            sent(cobol, &[0, 0, b'A', 0xE9], oid::BPCHAR).unwrap(),
            [1, 1, b'A', 0xC3, 0xA9]
        );
    }

    #[test]
    fn a_varchar_variable_sends_its_length_and_no_more() {
        let cobol = CobolType::Varchar {
            most: 5,
            big_endian: true,
        };
        assert_eq!(
            sent(cobol, &[0, 2, b'A', b'B', b'C', b' ', b' '], oid::BPCHAR).unwrap(),
            b"AB"
        );
        assert_eq!(
            sent(cobol, &[0, 6, 0, 0, 0, 0, 0], oid::BPCHAR),
            Err(EncodeError::Length)
        );
        assert_eq!(
            sent(cobol, &[255, 255, 0, 0, 0, 0, 0], oid::BPCHAR),
            Err(EncodeError::Length)
        );
    }

    #[test]
    fn dates_go_as_binary_in_any_of_their_forms() {
        let date = sent(CobolType::Char(10), b"28.11.2026", oid::DATE).unwrap();
        assert_eq!(date, 9828i32.to_be_bytes());
        let bad = sent(CobolType::Char(10), b"28.13.2026", oid::DATE).unwrap_err();
        assert_eq!(bad.sqlcode(), -181);
        assert_eq!(
            sent(CobolType::Char(4), b"    ", oid::DATE)
                .unwrap_err()
                .sqlcode(),
            -180
        );
    }

    #[test]
    fn blanks_in_a_packed_field_are_310() {
        let cobol = CobolType::Packed {
            digits: 3,
            scale: 0,
            signed: true,
        };
        assert_eq!(
            sent(cobol, b"  ", oid::NUMERIC).unwrap_err().sqlcode(),
            -310
        );
    }
}
