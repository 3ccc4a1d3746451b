//! Values into fields: the last step of writing a record.
//!
//! The caller has the field's bytes and hands over a decimal or the bytes of a
//! text; what does not fit is refused before anything is written.

use super::error::NumberError;
use super::options::Overpunch;
use super::plan::{CodecPlan, LeafKind};
use crate::number::{
    Decimal, DecimalMisfit, RoundingMode, SmallDecimal, decfloat, float, packed, pow10, zoned,
};

impl CodecPlan {
    /// The digits of this plan's region.
    #[inline]
    pub(super) fn zones(&self) -> zoned::ZoneBytes {
        let page = self.options.code_page;
        zoned::ZoneBytes {
            ebcdic: page.is_ebcdic(),
            letters: page.has_letter_signs() || self.options.overpunch == Overpunch::Letters,
        }
    }

    /// Puts a small number into a field of at most 18 digits and 8 bytes, or
    /// 16 zoned ones; `false` for whatever is not as simple as that, and then
    /// nothing is written.
    #[inline(always)]
    pub(super) fn store_small(
        &self,
        leaf: LeafKind,
        field: &mut [u8],
        number: SmallDecimal,
    ) -> bool {
        let negative = number.negative;
        match leaf {
            LeafKind::Zoned {
                digits: digits @ 1..=16,
                scale,
                sign,
                blank: false,
            } => match number.fit(digits, scale) {
                Some(n) if !negative || sign != crate::SignPlace::None => {
                    zoned::write_short(field, n, negative, sign, self.zones());
                    true
                }
                _ => false,
            },
            LeafKind::Packed {
                digits: digits @ 1..=15,
                scale,
                signed,
            } => match number.fit(digits, scale) {
                Some(n) if !negative || signed => {
                    packed::write_short(field, n, negative, signed);
                    true
                }
                _ => false,
            },
            LeafKind::Binary {
                digits: digits @ 1..=18,
                scale,
                signed,
                little,
            } => match number.fit(digits, scale) {
                Some(n) if !negative || signed => {
                    store_binary(field, u128::from(n), negative, signed, little).is_ok()
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// Puts a number into a field of any numeric type.
    pub(super) fn store_number(
        &self,
        leaf: LeafKind,
        field: &mut [u8],
        number: Decimal,
    ) -> Result<(), NumberError> {
        let rounding = self.options.rounding;
        match leaf {
            LeafKind::Zoned {
                digits,
                scale,
                sign,
                blank,
            } => {
                let magnitude = limited(number, digits, scale, rounding)?;
                let signed = sign != crate::SignPlace::None;
                check_sign(number, magnitude, signed)?;
                if blank && magnitude == 0 {
                    field.fill(self.options.code_page.space());
                } else {
                    zoned::write(field, magnitude, number.negative, sign, self.zones());
                }
            }
            LeafKind::Packed {
                digits,
                scale,
                signed,
            } => {
                let magnitude = limited(number, digits, scale, rounding)?;
                check_sign(number, magnitude, signed)?;
                packed::write(field, magnitude, number.negative, signed);
            }
            LeafKind::PackedUnsigned { digits, scale } => {
                let magnitude = limited(number, digits, scale, rounding)?;
                check_sign(number, magnitude, false)?;
                packed::write_unsigned(field, magnitude);
            }
            LeafKind::Binary {
                digits,
                scale,
                signed,
                little,
            } => {
                let digits = if digits == 0 { FULL } else { digits };
                let magnitude = limited(number, digits, scale, rounding)?;
                check_sign(number, magnitude, signed)?;
                store_binary(field, magnitude, number.negative, signed, little)?;
            }
            _ => return self.store_rare_number(leaf, field, number),
        }
        Ok(())
    }

    /// The types that are not worth space in the hot path.
    #[cold]
    #[inline(never)]
    fn store_rare_number(
        &self,
        leaf: LeafKind,
        field: &mut [u8],
        number: Decimal,
    ) -> Result<(), NumberError> {
        let order = |bytes: &mut [u8], little: bool| {
            if little {
                bytes.reverse();
            }
        };
        match leaf {
            LeafKind::Float { hex } => {
                let value = to_float(number);
                let single = value as f32;
                if hex {
                    let bits = float::to_hex_long(value, 24).ok_or(DecimalMisfit::TooLarge)?;
                    field.copy_from_slice(&((bits >> 32) as u32).to_be_bytes());
                } else if single.is_finite() {
                    field.copy_from_slice(&single.to_ne_bytes());
                } else {
                    return Err(DecimalMisfit::TooLarge.into());
                }
            }
            LeafKind::Double { hex } => {
                let value = to_float(number);
                if hex {
                    let bits = float::to_hex_long(value, 56).ok_or(DecimalMisfit::TooLarge)?;
                    field.copy_from_slice(&bits.to_be_bytes());
                } else if value.is_finite() {
                    field.copy_from_slice(&value.to_ne_bytes());
                } else {
                    return Err(DecimalMisfit::TooLarge.into());
                }
            }
            LeafKind::DecimalFloat { little } => {
                decfloat::write(field, number, self.options.rounding)?;
                order(field, little);
            }
            LeafKind::Edited(at) => {
                let picture = &self.pictures[usize::from(at)];
                let mut text = Vec::with_capacity(picture.len());
                picture.edit(number, self.options.rounding, &mut text)?;
                let page = self.options.code_page;
                for (to, from) in field.iter_mut().zip(text) {
                    *to = page.byte_of(char::from(from)).unwrap_or(page.substitute());
                }
            }
            // The caller asks for numeric types only.
            _ => return Err(DecimalMisfit::TooLarge.into()),
        }
        Ok(())
    }
}

/// The digits of a number at a field's scale, if the field has that many.
#[inline]
fn limited(
    number: Decimal,
    digits: u8,
    scale: i16,
    rounding: RoundingMode,
) -> Result<u128, NumberError> {
    let magnitude = number.rescale(i32::from(scale), rounding)?;
    match pow10(usize::from(digits)) {
        Some(limit) if magnitude >= limit => Err(DecimalMisfit::TooLarge.into()),
        _ => Ok(magnitude),
    }
}

#[inline]
fn check_sign(number: Decimal, magnitude: u128, signed: bool) -> Result<(), NumberError> {
    if number.negative && magnitude != 0 && !signed {
        return Err(NumberError::Sign);
    }
    Ok(())
}

#[inline]
fn store_binary(
    field: &mut [u8],
    magnitude: u128,
    negative: bool,
    signed: bool,
    little: bool,
) -> Result<(), NumberError> {
    let bits = 8 * field.len() as u32;
    let limit = match (signed, negative) {
        (false, _) => u128::MAX >> (128 - bits),
        (true, false) => (u128::MAX >> (128 - bits)) >> 1,
        (true, true) => 1 << (bits - 1),
    };
    if magnitude > limit {
        return Err(DecimalMisfit::TooLarge.into());
    }
    let value = if negative {
        magnitude.wrapping_neg()
    } else {
        magnitude
    };
    crate::number::swar::store_tail(field, value);
    if little {
        field.reverse();
    }
    Ok(())
}

/// The nearest float: the decimal's own text is what the standard library
/// rounds correctly.
fn to_float(number: Decimal) -> f64 {
    let text = format!("{}e{}", number.magnitude, -i64::from(number.scale));
    let value: f64 = text.parse().unwrap_or(f64::INFINITY);
    if number.negative { -value } else { value }
}

/// No picture limits the value, 39 digits cannot pass it.
const FULL: u8 = 39;
