//! Exact decimal numbers: COBOL's zoned, packed and binary forms, and the
//! server's `numeric`.
//!
//! A number has at most 31 digits, which an `i128` holds. Digits beyond a
//! field's scale are cut, as Db2 does.
//!
//! Reference: PostgreSQL 15 source, `numeric_send`; GnuCOBOL's signs of zoned
//! numbers on ASCII machines (negative digits are `p` to `y`).

use super::{CobolType, SignPlace};

/// A decimal number: `value` / 10^`scale`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Decimal {
    /// All digits.
    pub value: i128,
    /// Digits after the point; negative for multiples of ten.
    pub scale: i8,
}

/// Why a number cannot be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NumberError {
    /// The field's bytes are not a number.
    #[error("the bytes of the field are not a decimal number")]
    Invalid,
    /// The number has too many digits for its target.
    #[error("the number has too many digits")]
    Range,
}

/// Ten to a power; `None` beyond what `i128` holds.
fn power(exponent: u32) -> Option<i128> {
    10i128.checked_pow(exponent)
}

impl Decimal {
    /// The value with another scale; digits beyond it are cut.
    pub fn rescale(self, scale: i8) -> Result<Decimal, NumberError> {
        let by = i32::from(scale) - i32::from(self.scale);
        if by == 0 {
            return Ok(self);
        }
        let value = if by >= 0 {
            let factor = power(by.unsigned_abs()).ok_or(NumberError::Range);
            match factor {
                Ok(factor) => self.value.checked_mul(factor).ok_or(NumberError::Range)?,
                Err(_) if self.value == 0 => 0,
                Err(error) => return Err(error),
            }
        } else {
            power(by.unsigned_abs()).map_or(0, |factor| self.value / factor)
        };
        Ok(Decimal { value, scale })
    }

    /// Reads a numeric field.
    pub fn read(cobol: CobolType, field: &[u8]) -> Result<Decimal, NumberError> {
        let length = usize::try_from(cobol.length()).unwrap_or(usize::MAX);
        let field = field.get(..length).ok_or(NumberError::Invalid)?;
        match cobol {
            CobolType::Zoned { scale, sign, .. } => Ok(Decimal {
                value: zoned(field, sign)?,
                scale,
            }),
            CobolType::Packed { scale, .. } => Ok(Decimal {
                value: packed(field)?,
                scale,
            }),
            CobolType::Integer {
                scale,
                signed,
                big_endian,
                ..
            } => Ok(Decimal {
                value: integer(field, signed, big_endian),
                scale,
            }),
            _ => Err(NumberError::Invalid),
        }
    }

    /// Writes the number into a numeric field.
    pub fn write(self, cobol: CobolType, field: &mut [u8]) -> Result<(), NumberError> {
        let length = usize::try_from(cobol.length()).unwrap_or(usize::MAX);
        let field = field.get_mut(..length).ok_or(NumberError::Range)?;
        match cobol {
            CobolType::Zoned {
                digits,
                scale,
                sign,
            } => {
                let value = self.rescale(scale)?.value;
                limit(value, digits)?;
                write_zoned(value, sign, field)
            }
            CobolType::Packed {
                digits,
                scale,
                signed,
            } => {
                let value = self.rescale(scale)?.value;
                limit(value, digits)?;
                write_packed(value, signed, field)
            }
            CobolType::Integer {
                scale,
                signed,
                big_endian,
                ..
            } => {
                let value = self.rescale(scale)?.value;
                write_integer(value, signed, big_endian, field)
            }
            _ => Err(NumberError::Invalid),
        }
    }

    /// Reads the server's `numeric`, cut to a scale.
    pub fn from_numeric(bytes: &[u8], scale: i8) -> Result<Decimal, NumberError> {
        let word = |at: usize| -> Option<i32> {
            let pair = bytes.get(at * 2..at * 2 + 2)?;
            Some(i32::from(i16::from_be_bytes([pair[0], pair[1]])))
        };
        let (Some(count), Some(weight), Some(sign)) = (word(0), word(1), word(2)) else {
            return Err(NumberError::Invalid);
        };
        let negative = match sign {
            0 => false,
            0x4000 => true,
            // NaN and infinity are not decimals.
            _ => return Err(NumberError::Range),
        };
        let mut value = 0i128;
        for index in 0..usize::try_from(count).map_err(|_| NumberError::Invalid)? {
            let digit = word(4 + index).ok_or(NumberError::Invalid)?;
            if !(0..10_000).contains(&digit) {
                return Err(NumberError::Invalid);
            }
            let place = i32::try_from(index).map_err(|_| NumberError::Invalid)?;
            let exponent = (weight - place) * 4 + i32::from(scale);
            let digit = i128::from(digit);
            let part = if exponent >= 0 {
                if digit == 0 {
                    continue;
                }
                let factor = power(exponent.unsigned_abs()).ok_or(NumberError::Range)?;
                digit.checked_mul(factor).ok_or(NumberError::Range)?
            } else if exponent > -4 {
                digit / power(exponent.unsigned_abs()).unwrap_or(1)
            } else {
                break;
            };
            value = value.checked_add(part).ok_or(NumberError::Range)?;
        }
        let value = if negative { -value } else { value };
        Ok(Decimal { value, scale })
    }

    /// Writes the server's `numeric`.
    pub fn to_numeric(self, out: &mut Vec<u8>) -> Result<(), NumberError> {
        let shown = self.scale.max(0);
        let fill = (4 - shown % 4) % 4;
        let groups_after = i32::from((shown + fill) / 4);
        let aligned = self.rescale(shown + fill)?.value;
        let mut rest = aligned.unsigned_abs();
        let mut groups = [0i16; 12];
        let mut count = 0usize;
        while rest > 0 {
            let group = rest % 10_000;
            *groups.get_mut(count).ok_or(NumberError::Range)? =
                i16::try_from(group).map_err(|_| NumberError::Range)?;
            rest /= 10_000;
            count += 1;
        }
        let word = |n: i32| i16::try_from(n).unwrap_or(i16::MAX).to_be_bytes();
        let count32 = i32::try_from(count).map_err(|_| NumberError::Range)?;
        out.extend_from_slice(&word(count32));
        out.extend_from_slice(&word(count32 - 1 - groups_after));
        out.extend_from_slice(&word(if aligned < 0 { 0x4000 } else { 0 }));
        out.extend_from_slice(&word(i32::from(shown)));
        for group in groups[..count].iter().rev() {
            out.extend_from_slice(&group.to_be_bytes());
        }
        Ok(())
    }

    /// The number as text, with all digits after its point.
    pub fn to_text(self) -> String {
        if self.scale <= 0 {
            return self
                .rescale(0)
                .map_or_else(|_| self.value.to_string(), |d| d.value.to_string());
        }
        let scale = usize::from(self.scale.unsigned_abs());
        let digits = format!("{:0>width$}", self.value.unsigned_abs(), width = scale + 1);
        let (whole, fraction) = digits.split_at(digits.len() - scale);
        let sign = if self.value < 0 { "-" } else { "" };
        format!("{sign}{whole}.{fraction}")
    }
}

fn limit(value: i128, digits: u8) -> Result<(), NumberError> {
    match power(u32::from(digits)) {
        Some(most) if value.unsigned_abs() >= most.unsigned_abs() => Err(NumberError::Range),
        _ => Ok(()),
    }
}

/// The digit and sign of a byte that may have a sign in its zone.
fn signed_digit(byte: u8) -> Option<(u8, bool)> {
    Some(match byte {
        b'0'..=b'9' => (byte - b'0', false),
        b'p'..=b'y' => (byte - b'p', true),
        b'{' => (0, false),
        b'A'..=b'I' => (byte - b'A' + 1, false),
        b'}' => (0, true),
        b'J'..=b'R' => (byte - b'J' + 1, true),
        _ => return None,
    })
}

fn zoned(field: &[u8], sign: SignPlace) -> Result<i128, NumberError> {
    let (digits, mut negative) = match (sign, field) {
        (SignPlace::TrailingSeparate, [digits @ .., sign]) => (digits, *sign == b'-'),
        (SignPlace::LeadingSeparate, [sign, digits @ ..]) => (digits, *sign == b'-'),
        _ => (field, false),
    };
    let mut value = 0i128;
    for (at, byte) in digits.iter().enumerate() {
        let has_sign = match sign {
            SignPlace::Trailing => at + 1 == digits.len(),
            SignPlace::Leading => at == 0,
            _ => false,
        };
        let digit = match byte {
            b'0'..=b'9' => byte - b'0',
            _ if has_sign => {
                let (digit, minus) = signed_digit(*byte).ok_or(NumberError::Invalid)?;
                negative |= minus;
                digit
            }
            _ => return Err(NumberError::Invalid),
        };
        value = value
            .checked_mul(10)
            .and_then(|v| v.checked_add(i128::from(digit)))
            .ok_or(NumberError::Range)?;
    }
    Ok(if negative { -value } else { value })
}

fn write_zoned(value: i128, sign: SignPlace, field: &mut [u8]) -> Result<(), NumberError> {
    let negative = value < 0;
    let mark = if negative { b'-' } else { b'+' };
    let digits = match (sign, &mut *field) {
        (SignPlace::TrailingSeparate, [digits @ .., last]) => {
            *last = mark;
            digits
        }
        (SignPlace::LeadingSeparate, [first, digits @ ..]) => {
            *first = mark;
            digits
        }
        (_, digits) => digits,
    };
    let mut rest = value.unsigned_abs();
    for place in digits.iter_mut().rev() {
        *place = b'0' + u8::try_from(rest % 10).unwrap_or(0);
        rest /= 10;
    }
    if negative {
        let place = match sign {
            SignPlace::Trailing => digits.last_mut(),
            SignPlace::Leading => digits.first_mut(),
            // Db2 refuses a negative number for a field without a sign.
            SignPlace::Unsigned => return Err(NumberError::Range),
            _ => None,
        };
        if let Some(place) = place {
            *place += b'p' - b'0';
        }
    }
    Ok(())
}

fn packed(field: &[u8]) -> Result<i128, NumberError> {
    let Some((last, bytes)) = field.split_last() else {
        return Err(NumberError::Invalid);
    };
    let mut value = 0i128;
    let mut add = |digit: u8| -> Result<(), NumberError> {
        if digit > 9 {
            return Err(NumberError::Invalid);
        }
        let next = value
            .checked_mul(10)
            .and_then(|v| v.checked_add(i128::from(digit)));
        value = next.ok_or(NumberError::Range)?;
        Ok(())
    };
    for byte in bytes {
        add(byte >> 4)?;
        add(byte & 15)?;
    }
    add(last >> 4)?;
    match last & 15 {
        0xA | 0xC | 0xE | 0xF => Ok(value),
        0xB | 0xD => Ok(-value),
        _ => Err(NumberError::Invalid),
    }
}

fn write_packed(value: i128, signed: bool, field: &mut [u8]) -> Result<(), NumberError> {
    if value < 0 && !signed {
        return Err(NumberError::Range);
    }
    let sign = match (signed, value < 0) {
        (false, _) => 0xF,
        (true, false) => 0xC,
        (true, true) => 0xD,
    };
    let mut rest = value.unsigned_abs();
    let mut next = || {
        let digit = u8::try_from(rest % 10).unwrap_or(0);
        rest /= 10;
        digit
    };
    for (at, byte) in field.iter_mut().rev().enumerate() {
        *byte = if at == 0 {
            next() << 4 | sign
        } else {
            next() | next() << 4
        };
    }
    Ok(())
}

fn integer(field: &[u8], signed: bool, big_endian: bool) -> i128 {
    let mut bytes: Vec<u8> = field.to_vec();
    if !big_endian && cfg!(target_endian = "little") {
        bytes.reverse();
    }
    let negative = signed && bytes.first().is_some_and(|b| *b >= 0x80);
    let start = if negative { -1i128 } else { 0 };
    bytes
        .iter()
        .fold(start, |value, b| value << 8 | i128::from(*b))
}

fn write_integer(
    value: i128,
    signed: bool,
    big_endian: bool,
    field: &mut [u8],
) -> Result<(), NumberError> {
    let bits = u32::try_from(field.len() * 8).map_err(|_| NumberError::Range)?;
    let (least, most) = if signed {
        (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1)
    } else {
        (0, (1i128 << bits) - 1)
    };
    if value < least || value > most {
        return Err(NumberError::Range);
    }
    let bytes = value.to_be_bytes();
    field.copy_from_slice(&bytes[16 - field.len()..]);
    if !big_endian && cfg!(target_endian = "little") {
        field.reverse();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numeric(value: i128, scale: i8) -> Vec<u8> {
        let mut out = Vec::new();
        Decimal { value, scale }.to_numeric(&mut out).unwrap();
        out
    }

    #[test]
    fn numeric_has_groups_of_four_digits() {
        // 12345.67: groups 1, 2345, 6700.
        assert_eq!(
            numeric(1_234_567, 2),
            [0, 3, 0, 1, 0, 0, 0, 2, 0, 1, 0x09, 0x29, 0x1A, 0x2C]
        );
        assert_eq!(numeric(0, 2), [0, 0, 0xFF, 0xFE, 0, 0, 0, 2]);
    }

    #[test]
    fn digits_beyond_the_scale_are_cut() {
        let value = numeric(-1999, 3);
        assert_eq!(Decimal::from_numeric(&value, 2).unwrap().value, -199);
        assert_eq!(Decimal::from_numeric(&value, 0).unwrap().value, -1);
        assert_eq!(Decimal { value: 5, scale: 0 }.to_text(), "5");
        assert_eq!(
            Decimal {
                value: -5,
                scale: 2
            }
            .to_text(),
            "-0.05"
        );
    }

    fn fields() -> Vec<CobolType> {
        let mut list = Vec::new();
        for sign in [
            SignPlace::Trailing,
            SignPlace::Leading,
            SignPlace::TrailingSeparate,
            SignPlace::LeadingSeparate,
        ] {
            list.push(CobolType::Zoned {
                digits: 9,
                scale: 2,
                sign,
            });
        }
        for digits in [8, 9] {
            list.push(CobolType::Packed {
                digits,
                scale: 2,
                signed: true,
            });
        }
        for big_endian in [true, false] {
            list.push(CobolType::Integer {
                bytes: 4,
                digits: 9,
                scale: 2,
                signed: true,
                big_endian,
            });
        }
        list
    }

    #[test]
    fn a_number_too_large_for_its_field_is_refused() {
        let mut field = [0; 2];
        let small = CobolType::Packed {
            digits: 3,
            scale: 0,
            signed: true,
        };
        let thousand = Decimal {
            value: 1000,
            scale: 0,
        };
        assert_eq!(thousand.write(small, &mut field), Err(NumberError::Range));
        let unsigned = CobolType::Zoned {
            digits: 2,
            scale: 0,
            sign: SignPlace::Unsigned,
        };
        let minus = Decimal {
            value: -1,
            scale: 0,
        };
        assert_eq!(minus.write(unsigned, &mut field), Err(NumberError::Range));
        assert_eq!(Decimal::read(small, b"  "), Err(NumberError::Invalid));
    }

    proptest::proptest! {
        #[test]
        fn every_form_gives_back_what_was_written(value in -9_999_999i64..=9_999_999) {
            let number = Decimal { value: i128::from(value), scale: 2 };
            for cobol in fields() {
                let mut field = vec![0; cobol.length() as usize];
                number.write(cobol, &mut field).unwrap();
                proptest::prop_assert_eq!(Decimal::read(cobol, &field), Ok(number));
            }
            proptest::prop_assert_eq!(Decimal::from_numeric(&numeric(number.value, 2), 2), Ok(number));
        }

        #[test]
        fn no_bytes_make_them_panic(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..40)) {
            let _ = Decimal::from_numeric(&bytes, 2);
            for cobol in fields() {
                let _ = Decimal::read(cobol, &bytes);
            }
        }
    }
}
