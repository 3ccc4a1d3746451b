//! Numbers out of fields: the first step of reading a record.

use super::plan::{CodecPlan, LeafKind};
use crate::number::zoned::AsciiDigits;
use crate::number::{BadNumber, Decimal, decfloat, float, packed, swar, zoned};

/// The value of a numeric field.
pub(super) enum NumberText {
    /// ASCII digits, whether it is negative, and its scale.
    Digits(AsciiDigits, bool, i16),
    /// Text of a float.
    Float(float::ShortText),
    /// Of a decimal float or an edited item.
    Decimal(Decimal),
}

/// Why the short way to read a number does not apply.
#[derive(Debug, Clone, Copy)]
pub(super) struct NotShort;

impl CodecPlan {
    /// Reads the numbers that nearly all fields hold: at most sixteen digits and a
    /// scale from 0 to 15, valid. Everything stays in registers; the caller has
    /// checked that `at + len` is in the record.
    #[inline(always)]
    pub(super) fn read_short(
        &self,
        leaf: LeafKind,
        record: &[u8],
        at: usize,
        len: usize,
    ) -> Result<(u128, bool, u32), NotShort> {
        let (word, negative, scale) = match leaf {
            LeafKind::Zoned {
                digits: 1..=16,
                scale,
                sign,
                ..
            } => match zoned::read_short(record, at, len, sign, self.zones()) {
                Ok((word, negative)) => (word, negative, scale),
                Err(_) => return Err(NotShort),
            },
            LeafKind::Packed {
                digits,
                scale,
                signed,
            } if len <= 8 => match packed::read_short(record, at, len, digits, signed) {
                Ok((word, negative)) => (word, negative, scale),
                Err(_) => return Err(NotShort),
            },
            LeafKind::Binary {
                scale,
                signed,
                little,
                ..
            } if len <= 8 => {
                let (magnitude, negative) = read_word(record, at, len, signed, little);
                if magnitude >= SIXTEEN_DIGITS {
                    return Err(NotShort);
                }
                (swar::digits16(magnitude), negative, scale)
            }
            _ => return Err(NotShort),
        };
        if (0..16).contains(&scale) {
            Ok((word, negative, scale as u32))
        } else {
            Err(NotShort)
        }
    }

    /// Reads a numeric field of any kind; the caller has checked that `at + len` is
    /// in the record.
    #[inline(never)]
    pub(super) fn read_number(
        &self,
        leaf: LeafKind,
        record: &[u8],
        at: usize,
        len: usize,
    ) -> Result<NumberText, BadNumber> {
        match leaf {
            LeafKind::Zoned {
                scale, sign, blank, ..
            } => {
                match zoned::read(record, at, len, sign, self.zones()) {
                    Ok((digits, negative)) => Ok(NumberText::Digits(digits, negative, scale)),
                    Err(_) if blank && self.is_blank(&record[at..at + len]) => Ok(
                        NumberText::Digits(AsciiDigits::Short(swar::ZEROS), false, scale),
                    ),
                    Err(bad) => Err(bad),
                }
            }
            LeafKind::Packed {
                digits,
                scale,
                signed,
            } => {
                let (digits, negative) = packed::read(record, at, len, digits, signed)?;
                Ok(NumberText::Digits(digits, negative, scale))
            }
            LeafKind::PackedUnsigned { digits, scale } => {
                let (digits, negative) = packed::read_unsigned(record, at, len, digits)?;
                Ok(NumberText::Digits(digits, negative, scale))
            }
            LeafKind::Binary {
                scale,
                signed,
                little,
                ..
            } => {
                let (magnitude, negative) = read_binary(record, at, len, signed, little);
                Ok(NumberText::Digits(digits_of(magnitude), negative, scale))
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
    fn read_rare(&self, leaf: LeafKind, bytes: &[u8]) -> Result<NumberText, BadNumber> {
        let bits = |bytes: &[u8]| bytes.iter().fold(0u64, |v, b| v << 8 | u64::from(*b));
        match leaf {
            LeafKind::Float { hex: true } => {
                let value = float::from_hex_long(bits(bytes) << 32);
                // A short float has about seven digits; more would be noise.
                let text = if (value as f32).is_finite() && (value == 0.0 || value as f32 != 0.0) {
                    float::text32(value as f32)
                } else {
                    float::text64(value)
                };
                text.map(NumberText::Float).ok_or(BadNumber::NotFinite)
            }
            LeafKind::Double { hex: true } => {
                let text = float::text64(float::from_hex_long(bits(bytes)));
                text.map(NumberText::Float).ok_or(BadNumber::NotFinite)
            }
            LeafKind::Float { hex: false } => {
                let value = bytes.try_into().map_or(f32::NAN, f32::from_ne_bytes);
                float::text32(value)
                    .map(NumberText::Float)
                    .ok_or(BadNumber::NotFinite)
            }
            LeafKind::Double { hex: false } => {
                let value = bytes.try_into().map_or(f64::NAN, f64::from_ne_bytes);
                float::text64(value)
                    .map(NumberText::Float)
                    .ok_or(BadNumber::NotFinite)
            }
            LeafKind::DecimalFloat { little } => {
                let mut big = [0; 16];
                let big = &mut big[..bytes.len()];
                big.copy_from_slice(bytes);
                if little {
                    big.reverse();
                }
                decfloat::read(big).map(NumberText::Decimal)
            }
            LeafKind::Edited(at) => {
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
                    .map(NumberText::Decimal)
            }
            // Text is not asked for its number.
            _ => Err(BadNumber::Digit),
        }
    }
}

/// The value of an integer field, if its bytes are a number.
pub(super) fn read_integer(plan: &CodecPlan, leaf: LeafKind, bytes: &[u8]) -> Option<i128> {
    let NumberText::Digits(digits, negative, 0) =
        plan.read_number(leaf, bytes, 0, bytes.len()).ok()?
    else {
        return None;
    };
    let magnitude = match digits {
        AsciiDigits::Short(word) => i128::from(swar::value16(word)),
        AsciiDigits::Long(text) => std::str::from_utf8(&text).ok()?.parse().ok()?,
    };
    Some(if negative { -magnitude } else { magnitude })
}

/// Two's complement of at most 8 bytes.
#[inline(always)]
fn read_word(record: &[u8], at: usize, len: usize, signed: bool, little: bool) -> (u64, bool) {
    let shift = 64 - 8 * len as u32;
    let word = swar::load_tail(record, at + len, len) as u64;
    // The number in the top bytes. The last byte of a little-endian field is
    // its highest, and the swap brings it to the top.
    let word = if little {
        word.swap_bytes()
    } else {
        word << shift
    };
    if signed {
        let value = (word as i64) >> shift;
        (value.unsigned_abs(), value < 0)
    } else {
        (word >> shift, false)
    }
}

/// Two's complement of at most 16 bytes.
fn read_binary(record: &[u8], at: usize, len: usize, signed: bool, little: bool) -> (u128, bool) {
    if len <= 8 {
        let (magnitude, negative) = read_word(record, at, len, signed, little);
        return (u128::from(magnitude), negative);
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

fn digits_of(magnitude: u128) -> AsciiDigits {
    if magnitude < u128::from(SIXTEEN_DIGITS) {
        return AsciiDigits::Short(swar::digits16(magnitude as u64));
    }
    let mut digits = [0; 40];
    swar::fill_digits(&mut digits, magnitude);
    AsciiDigits::Long(digits)
}

/// The first number of seventeen digits.
const SIXTEEN_DIGITS: u64 = 10_000_000_000_000_000;
