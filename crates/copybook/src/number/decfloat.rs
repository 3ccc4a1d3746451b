//! FLOAT-DECIMAL-16 and -34: decimal floats with a binary significand.
//!
//! Reference: IEEE 754-2008, 3.5.2, binary-integer-decimal encoding of
//! decimal64 and decimal128. Bytes here are big-endian; the caller turns them.

use super::BadNumber;
use super::decimal::{Decimal, DecimalMisfit, RoundingMode, pow10};

/// The shape of one width.
struct DecfloatFormat {
    bits: u32,
    /// Bits of the exponent.
    exponent: u32,
    bias: i32,
    digits: usize,
}

impl DecfloatFormat {
    fn of(len: usize) -> DecfloatFormat {
        if len == 8 {
            DecfloatFormat {
                bits: 64,
                exponent: 10,
                bias: 398,
                digits: 16,
            }
        } else {
            DecfloatFormat {
                bits: 128,
                exponent: 14,
                bias: 6176,
                digits: 34,
            }
        }
    }
}

/// Reads a decimal float of 8 or 16 bytes.
pub(crate) fn read(bytes: &[u8]) -> Result<Decimal, BadNumber> {
    let shape = DecfloatFormat::of(bytes.len());
    let value = bytes.iter().fold(0u128, |v, b| v << 8 | u128::from(*b));
    let negative = value >> (shape.bits - 1) & 1 == 1;
    let top = value >> (shape.bits - 3) & 3;
    let mask = |bits: u32| (1u128 << bits) - 1;
    let (exponent, magnitude) = if top != 3 {
        let below = shape.bits - 1 - shape.exponent;
        (value >> below & mask(shape.exponent), value & mask(below))
    } else {
        if value >> (shape.bits - 5) & 3 == 3 {
            return Err(BadNumber::NotFinite);
        }
        let below = shape.bits - 3 - shape.exponent;
        let high = 1u128 << (below + 2);
        (
            value >> below & mask(shape.exponent),
            high | value & mask(below),
        )
    };
    // A significand beyond the width's digits counts as zero.
    let limit = pow10(shape.digits).unwrap_or(u128::MAX);
    let magnitude = if magnitude < limit { magnitude } else { 0 };
    let scale = shape.bias - exponent as i32;
    Ok(Decimal {
        negative,
        magnitude,
        scale,
    })
}

/// Writes a decimal float of 8 or 16 bytes.
pub(crate) fn write(
    field: &mut [u8],
    number: Decimal,
    rounding: RoundingMode,
) -> Result<(), DecimalMisfit> {
    let shape = DecfloatFormat::of(field.len());
    let limit = pow10(shape.digits).unwrap_or(u128::MAX);
    let mut number = number;
    while number.magnitude >= limit {
        let scale = number.scale.saturating_sub(1);
        number.magnitude = number.rescale(scale, rounding)?;
        number.scale = scale;
    }
    let range = shape.bias - (3 << (shape.exponent - 2)) + 1..=shape.bias;
    while number.scale > *range.end() {
        let scale = if number.magnitude == 0 {
            *range.end()
        } else {
            number.scale - 1
        };
        number.magnitude = number.rescale(scale, rounding)?;
        number.scale = scale;
    }
    while number.scale < *range.start() {
        if number.magnitude == 0 {
            number.scale = *range.start();
            break;
        }
        number.scale += 1;
        number.magnitude *= 10;
        if number.magnitude >= limit {
            return Err(DecimalMisfit::TooLarge);
        }
    }
    let exponent = (shape.bias - number.scale) as u128;
    let below = shape.bits - 1 - shape.exponent;
    let sign = u128::from(number.negative && number.magnitude != 0) << (shape.bits - 1);
    let value = if number.magnitude >> below == 0 {
        sign | exponent << below | number.magnitude
    } else {
        let below = shape.bits - 3 - shape.exponent;
        sign | 3 << (shape.bits - 3) | exponent << below | number.magnitude & ((1 << below) - 1)
    };
    super::swar::store_tail(field, value);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_back_exactly() {
        for len in [8usize, 16] {
            for text in [
                "0",
                "1",
                "-12.50",
                "9999999999999999",
                "1e384",
                "-1e-398",
                "0.0001",
            ] {
                let number = Decimal::parse(text.as_bytes()).unwrap();
                let mut field = vec![0; len];
                if write(&mut field, number, RoundingMode::Refuse).is_err() {
                    panic!("{text} in {len} bytes");
                }
                let back = read(&field).unwrap();
                assert_eq!(
                    (
                        back.negative,
                        back.rescale(number.scale, RoundingMode::Refuse)
                    ),
                    (number.negative, Ok(number.magnitude)),
                    "{text} in {len} bytes"
                );
            }
        }
    }

    #[test]
    fn one_is_what_the_standard_says() {
        let mut field = [0; 8];
        let one = Decimal {
            negative: false,
            magnitude: 1,
            scale: 0,
        };
        write(&mut field, one, RoundingMode::Refuse).unwrap();
        assert_eq!(field, 0x31c0_0000_0000_0001u64.to_be_bytes());
        assert_eq!(
            read(&0x7800_0000_0000_0000u64.to_be_bytes()),
            Err(BadNumber::NotFinite)
        );
    }

    #[test]
    fn what_is_too_large_is_refused() {
        let number = |text: &str| Decimal::parse(text.as_bytes()).unwrap();
        let write = |text| write(&mut [0; 8], number(text), RoundingMode::Refuse);
        assert_eq!(write("1e400"), Err(DecimalMisfit::TooLarge));
        assert_eq!(write("12345678901234567"), Err(DecimalMisfit::Inexact));
        assert_eq!(write("1e-400"), Err(DecimalMisfit::Inexact));
        assert!(write("0e999999999").is_ok() && write("0e-999999999").is_ok());
    }
}
