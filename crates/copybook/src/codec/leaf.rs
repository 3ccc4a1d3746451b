//! Numbers out of fields: the first step of reading a record.

use super::plan::{Leaf, Plan};
use crate::number::zoned::Digits;
use crate::number::{BadNumber, Decimal, decfloat, float, packed, swar, zoned};

/// A number as it comes out of a field.
pub(super) enum Read {
    /// ASCII digits, whether it is negative, and its scale.
    Digits(Digits, bool, i16),
    /// Text of a float.
    Float(float::Text),
    /// Of a decimal float or an edited item.
    Decimal(Decimal),
}

impl Plan {
    /// Reads a numeric field; the caller has checked that `at + len` lies in
    /// the record.
    #[inline(always)]
    pub(super) fn read_number(
        &self,
        leaf: Leaf,
        record: &[u8],
        at: usize,
        len: usize,
    ) -> Result<Read, BadNumber> {
        match leaf {
            Leaf::Zoned {
                scale, sign, blank, ..
            } => match zoned::read(record, at, len, sign, self.zones()) {
                Ok((digits, negative)) => Ok(Read::Digits(digits, negative, scale)),
                Err(_) if blank && self.is_blank(&record[at..at + len]) => {
                    Ok(Read::Digits(Digits::Short(swar::ZEROS), false, scale))
                }
                Err(bad) => Err(bad),
            },
            Leaf::Packed {
                digits,
                scale,
                signed,
            } => {
                let (digits, negative) = packed::read(record, at, len, digits, signed)?;
                Ok(Read::Digits(digits, negative, scale))
            }
            Leaf::PackedUnsigned { digits, scale } => {
                let (digits, negative) = packed::read_unsigned(record, at, len, digits)?;
                Ok(Read::Digits(digits, negative, scale))
            }
            Leaf::Binary {
                scale,
                signed,
                little,
                ..
            } => {
                let (magnitude, negative) = read_binary(record, at, len, signed, little);
                Ok(Read::Digits(digits_of(magnitude), negative, scale))
            }
            _ => self.read_rare(leaf, &record[at..at + len]),
        }
    }

    fn is_blank(&self, bytes: &[u8]) -> bool {
        let space = self.options.code_page.space();
        bytes.iter().all(|b| *b == space)
    }

    /// The types that are not worth space in the hot path.
    #[inline(never)]
    fn read_rare(&self, leaf: Leaf, bytes: &[u8]) -> Result<Read, BadNumber> {
        let bits = |bytes: &[u8]| bytes.iter().fold(0u64, |v, b| v << 8 | u64::from(*b));
        match leaf {
            Leaf::Float { hex: true } => {
                let value = float::from_hex_long(bits(bytes) << 32);
                // A short float has about seven digits; more would be noise.
                let text = if (value as f32).is_finite() && (value == 0.0 || value as f32 != 0.0) {
                    float::text32(value as f32)
                } else {
                    float::text64(value)
                };
                text.map(Read::Float).ok_or(BadNumber::NotFinite)
            }
            Leaf::Double { hex: true } => {
                let text = float::text64(float::from_hex_long(bits(bytes)));
                text.map(Read::Float).ok_or(BadNumber::NotFinite)
            }
            Leaf::Float { hex: false } => {
                let value = bytes.try_into().map_or(f32::NAN, f32::from_ne_bytes);
                float::text32(value)
                    .map(Read::Float)
                    .ok_or(BadNumber::NotFinite)
            }
            Leaf::Double { hex: false } => {
                let value = bytes.try_into().map_or(f64::NAN, f64::from_ne_bytes);
                float::text64(value)
                    .map(Read::Float)
                    .ok_or(BadNumber::NotFinite)
            }
            Leaf::DecimalFloat { little } => {
                let mut big = [0; 16];
                let big = &mut big[..bytes.len()];
                big.copy_from_slice(bytes);
                if little {
                    big.reverse();
                }
                decfloat::read(big).map(Read::Decimal)
            }
            Leaf::Edited(at) => {
                let page = self.options.code_page;
                let mut text = Vec::with_capacity(bytes.len());
                for &byte in bytes {
                    let c = page
                        .char_of(byte)
                        .filter(char::is_ascii)
                        .ok_or(BadNumber::Edited)?;
                    text.push(c as u8);
                }
                self.pictures[usize::from(at)]
                    .deedit(&text)
                    .map(Read::Decimal)
            }
            // Text is not asked for its number.
            _ => Err(BadNumber::Digit),
        }
    }
}

/// The value of an integer field, if its bytes are a number.
pub(super) fn read_integer(plan: &Plan, leaf: Leaf, bytes: &[u8]) -> Option<i128> {
    let Read::Digits(digits, negative, 0) = plan.read_number(leaf, bytes, 0, bytes.len()).ok()?
    else {
        return None;
    };
    let magnitude = match digits {
        Digits::Short(word) => i128::from(swar::value16(word)),
        Digits::Long(text) => std::str::from_utf8(&text).ok()?.parse().ok()?,
    };
    Some(if negative { -magnitude } else { magnitude })
}

#[inline(always)]
fn read_binary(record: &[u8], at: usize, len: usize, signed: bool, little: bool) -> (u128, bool) {
    if len <= 8 {
        // Two's complement in the top bytes of a register, then down.
        let shift = 64 - 8 * len as u32;
        let word = swar::load_tail(record, at + len, len) as u64;
        let word = if little {
            word.swap_bytes()
        } else {
            word << shift
        };
        // A little-endian field ends in the record where its top byte is, so
        // that byte came first out of the swap.
        return if signed {
            let value = (word as i64) >> shift;
            (u128::from(value.unsigned_abs()), value < 0)
        } else {
            (u128::from(word >> shift), false)
        };
    }
    let mut bytes = [0; 16];
    let field = &mut bytes[16 - len..];
    field.copy_from_slice(&record[at..at + len]);
    if little {
        field.reverse();
    }
    let shift = 128 - 8 * len as u32;
    let word = u128::from_be_bytes(bytes) << shift;
    if signed {
        let value = (word as i128) >> shift;
        (value.unsigned_abs(), value < 0)
    } else {
        (word >> shift, false)
    }
}

#[inline(always)]
fn digits_of(magnitude: u128) -> Digits {
    if magnitude < 10_000_000_000_000_000 {
        return Digits::Short(swar::digits16(magnitude as u64));
    }
    let mut digits = [0; 40];
    swar::fill_digits(&mut digits, magnitude);
    Digits::Long(digits)
}
