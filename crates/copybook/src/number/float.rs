//! COMP-1 and COMP-2: floats as decimal text and back.
//!
//! Here a float is the machine's own; on a mainframe it is hexadecimal (base
//! 16, seven-bit exponent in excess 64), which [`from_hex_long`] and
//! [`to_hex_long`] translate.
//!
//! Reference: z/Architecture Principles of Operation, "Hexadecimal-floating-
//! point instructions".

use std::io::Write;

/// Writes the shortest text that reads back as the same `f64`; it has at most 26
/// characters. Returns `None` if it is not finite.
pub(crate) fn text64(value: f64) -> Option<ShortText> {
    let exponent = value != 0.0 && !(1e-5..1e17).contains(&value.abs());
    value.is_finite().then(|| {
        if exponent {
            text(format_args!("{value:e}"))
        } else {
            text(format_args!("{value}"))
        }
    })
}

/// The same for an `f32`.
pub(crate) fn text32(value: f32) -> Option<ShortText> {
    let exponent = value != 0.0 && !(1e-5..1e9).contains(&value.abs());
    value.is_finite().then(|| {
        if exponent {
            text(format_args!("{value:e}"))
        } else {
            text(format_args!("{value}"))
        }
    })
}

/// Short text in place.
pub(crate) struct ShortText {
    bytes: [u8; 32],
    len: usize,
}

impl ShortText {
    /// The characters.
    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.len]
    }
}

fn text(arguments: std::fmt::Arguments<'_>) -> ShortText {
    let mut bytes = [0; 32];
    let mut rest = &mut bytes[..];
    // The bounds on the exponent keep every form below 32 characters.
    let _ = rest.write_fmt(arguments);
    let len = 32 - rest.len();
    ShortText { bytes, len }
}

/// The value of a long hexadecimal float; a short one is its upper half.
pub(crate) fn from_hex_long(bits: u64) -> f64 {
    let fraction = (bits & 0x00ff_ffff_ffff_ffff) as f64;
    let exponent = ((bits >> 56) & 0x7f) as i32;
    let value = fraction * 2f64.powi(4 * (exponent - 64) - 56);
    if bits >> 63 == 1 { -value } else { value }
}

/// The long hexadecimal float nearest to `value`. Returns `None` if it is not
/// finite or too large. What is too small becomes zero.
pub(crate) fn to_hex_long(value: f64, fraction_bits: u32) -> Option<u64> {
    if !value.is_finite() {
        return None;
    }
    if value == 0.0 {
        return Some(0);
    }
    let bits = value.abs().to_bits();
    let (mantissa, power) = match (bits >> 52) as i32 {
        0 => (bits, -1074),
        biased => (bits & 0x000f_ffff_ffff_ffff | 1 << 52, biased - 1075),
    };
    // value = mantissa × 2^power; bring the mantissa's top bit into the top
    // hexadecimal digit of the fraction with a power that is a multiple of 4.
    let top = 64 - mantissa.leading_zeros() as i32 + power;
    let exponent = top.div_euclid(4) + i32::from(top.rem_euclid(4) != 0);
    let shift = fraction_bits as i32 - (4 * exponent - power);
    let mut fraction = if shift >= 0 {
        u128::from(mantissa) << shift
    } else {
        let half = 1u128 << (-shift - 1);
        (u128::from(mantissa) + half) >> -shift
    } as u64;
    let mut exponent = exponent + 64;
    if fraction >> fraction_bits != 0 {
        fraction >>= 4;
        exponent += 1;
    }
    if exponent > 127 {
        return None;
    }
    if exponent < 0 {
        return Some(0);
    }
    let sign = u64::from(value < 0.0) << 63;
    Some(sign | (exponent as u64) << 56 | fraction << (56 - fraction_bits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_reads_back_as_the_same_float() {
        for value in [
            0.0,
            1.5,
            -0.1,
            1e300,
            -1e-300,
            5e-324,
            f64::MAX,
            123456789.125,
            1e16,
        ] {
            let text = text64(value).unwrap();
            let text = std::str::from_utf8(text.as_bytes()).unwrap();
            assert!(text.len() < 30, "{text}");
            assert_eq!(text.parse(), Ok(value), "{text}");
        }
        for value in [f32::MAX, f32::MIN_POSITIVE, 0.1, 16777216.0, -3.25] {
            let text = text32(value).unwrap();
            assert_eq!(
                std::str::from_utf8(text.as_bytes()).unwrap().parse(),
                Ok(value)
            );
        }
        assert!(text64(f64::NAN).is_none() && text32(f32::INFINITY).is_none());
    }

    #[test]
    fn hexadecimal_floats_are_those_of_the_manual() {
        assert_eq!(from_hex_long(0x4110_0000_0000_0000), 1.0);
        assert_eq!(from_hex_long(0xc276_a000_0000_0000), -118.625);
        assert_eq!(to_hex_long(-118.625, 56), Some(0xc276_a000_0000_0000));
        assert_eq!(to_hex_long(1.0, 24), Some(0x4110_0000_0000_0000));
        assert_eq!(to_hex_long(0.0, 56), Some(0));
        assert_eq!(to_hex_long(1e300, 56), None);
        assert_eq!(to_hex_long(1e-300, 56), Some(0));
        for value in [0.1, 3.7e20, -1e-70, 15.999999999999998, 7.2e75] {
            let bits = to_hex_long(value, 56).unwrap();
            assert_eq!(from_hex_long(bits), value);
        }
    }
}
