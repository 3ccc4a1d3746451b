//! Numbers as programs store them: to a sign and digits, and back.
//!
//! Zoned digits are read as PACK does: zones do not count. A sign is one that
//! GnuCOBOL writes, or an overpunched character of EBCDIC.
//! Reference: z/Architecture Principles of Operation, "PACK"; GnuCOBOL's
//! storage with `-std=ibm`.

use copybook::{CodePage, NumberStorage, NumericItem, SignPlace};

/// A sign and the digits without their decimal point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SignedDigits {
    pub negative: bool,
    pub magnitude: u128,
}

/// The number in the bytes of an item; `None` if a digit or sign is invalid.
pub(super) fn read(number: &NumericItem, bytes: &[u8]) -> Option<SignedDigits> {
    match number.storage {
        NumberStorage::Zoned { sign } => read_zoned(bytes, sign),
        NumberStorage::Packed => read_packed(bytes, true),
        NumberStorage::PackedUnsigned => read_packed(bytes, false),
        NumberStorage::Binary | NumberStorage::BinaryFull => {
            Some(read_binary(bytes.iter().copied(), number.signed))
        }
        NumberStorage::Native => Some(if cfg!(target_endian = "big") {
            read_binary(bytes.iter().copied(), number.signed)
        } else {
            read_binary(bytes.iter().rev().copied(), number.signed)
        }),
    }
}

/// The digit of a byte and its zone in EBCDIC.
fn halves(byte: u8) -> (u8, u8) {
    let page = CodePage::by_ccsid(37).ok();
    let printable = (0x20..0x7F).contains(&byte);
    let byte = match page.filter(|_| printable) {
        Some(page) => page.byte_of(char::from(byte)).unwrap_or(byte),
        None => byte,
    };
    (byte & 15, byte >> 4)
}

fn read_zoned(bytes: &[u8], sign: SignPlace) -> Option<SignedDigits> {
    let (digits, separate) = match sign {
        SignPlace::TrailingSeparate => bytes.split_last().map(|(s, d)| (d, Some(*s)))?,
        SignPlace::LeadingSeparate => bytes.split_first().map(|(s, d)| (d, Some(*s)))?,
        _ => (bytes, None),
    };
    let mut negative = match separate {
        Some(b'-') => true,
        Some(b'+') | None => false,
        Some(_) => return None,
    };
    let signed_at = match sign {
        SignPlace::Trailing => digits.len().checked_sub(1),
        SignPlace::Leading => Some(0),
        _ => None,
    };
    let mut magnitude = 0u128;
    for (at, &byte) in digits.iter().enumerate() {
        let digit = match byte {
            b'0'..=b'9' => byte - b'0',
            b'p'..=b'y' if signed_at == Some(at) => {
                negative = true;
                byte - b'p'
            }
            _ => {
                let (digit, zone) = halves(byte);
                if signed_at == Some(at) {
                    if zone < 10 {
                        return None;
                    }
                    negative = zone == 11 || zone == 13;
                }
                digit
            }
        };
        if digit > 9 {
            return None;
        }
        magnitude = add_digit(magnitude, digit)?;
    }
    Some(SignedDigits {
        negative,
        magnitude,
    })
}

fn read_packed(bytes: &[u8], has_sign: bool) -> Option<SignedDigits> {
    let mut halves: Vec<u8> = bytes.iter().flat_map(|b| [b >> 4, b & 15]).collect();
    let negative = match has_sign.then(|| halves.pop()).flatten() {
        Some(sign) if sign < 10 => return None,
        Some(sign) => sign == 11 || sign == 13,
        None => false,
    };
    let mut magnitude = 0u128;
    for digit in halves {
        if digit > 9 {
            return None;
        }
        magnitude = add_digit(magnitude, digit)?;
    }
    Some(SignedDigits {
        negative,
        magnitude,
    })
}

fn add_digit(magnitude: u128, digit: u8) -> Option<u128> {
    magnitude.checked_mul(10)?.checked_add(u128::from(digit))
}

/// Bytes from the most significant on.
fn read_binary(bytes: impl Iterator<Item = u8>, signed: bool) -> SignedDigits {
    let mut value = 0u128;
    let mut bits = 0u32;
    for byte in bytes.take(16) {
        value = value << 8 | u128::from(byte);
        bits += 8;
    }
    let is_negative = signed && bits > 0 && value >> (bits - 1) & 1 == 1;
    let magnitude = if !is_negative {
        value
    } else if bits == 128 {
        value.wrapping_neg()
    } else {
        (1u128 << bits) - value
    };
    SignedDigits {
        negative: is_negative,
        magnitude,
    }
}

/// Stores a number whose digits the item has room for. The sign of an unsigned
/// item is lost, as in a MOVE.
pub(super) fn write(
    number: &NumericItem,
    bytes: &mut [u8],
    value: SignedDigits,
    has_ebcdic_sign: bool,
) {
    let negative = value.negative && number.signed && value.magnitude != 0;
    match number.storage {
        NumberStorage::Zoned { sign } => {
            write_zoned(bytes, sign, value.magnitude, negative, has_ebcdic_sign);
        }
        NumberStorage::Packed => {
            let sign = if negative {
                0xD
            } else if number.signed {
                0xC
            } else {
                0xF
            };
            write_packed(bytes, value.magnitude, Some(sign));
        }
        NumberStorage::PackedUnsigned => write_packed(bytes, value.magnitude, None),
        NumberStorage::Binary | NumberStorage::BinaryFull | NumberStorage::Native => {
            let twos = if negative {
                value.magnitude.wrapping_neg()
            } else {
                value.magnitude
            };
            let wide = twos.to_be_bytes();
            let from = wide.len().saturating_sub(bytes.len());
            let length = bytes.len().min(wide.len());
            bytes[..length].copy_from_slice(&wide[from..]);
            if number.storage == NumberStorage::Native && cfg!(target_endian = "little") {
                bytes.reverse();
            }
        }
    }
}

fn write_zoned(
    bytes: &mut [u8],
    sign: SignPlace,
    mut magnitude: u128,
    negative: bool,
    has_ebcdic_sign: bool,
) {
    let separate = if negative { b'-' } else { b'+' };
    let digits: &mut [u8] = match sign {
        SignPlace::TrailingSeparate => match bytes.split_last_mut() {
            Some((last, digits)) => {
                *last = separate;
                digits
            }
            None => return,
        },
        SignPlace::LeadingSeparate => match bytes.split_first_mut() {
            Some((first, digits)) => {
                *first = separate;
                digits
            }
            None => return,
        },
        _ => bytes,
    };
    for digit in digits.iter_mut().rev() {
        *digit = b'0' + (magnitude % 10) as u8;
        magnitude /= 10;
    }
    let place = match sign {
        SignPlace::Trailing => digits.last_mut(),
        SignPlace::Leading => digits.first_mut(),
        _ => None,
    };
    if let Some(place) = place.filter(|_| negative) {
        let digit = *place - b'0';
        *place = match (has_ebcdic_sign, digit) {
            (false, _) => b'p' + digit,
            (true, 0) => b'}',
            (true, _) => b'J' + digit - 1,
        };
    }
}

fn write_packed(bytes: &mut [u8], mut magnitude: u128, sign: Option<u8>) {
    let mut sign = sign;
    let mut next = || {
        sign.take().unwrap_or_else(|| {
            let digit = (magnitude % 10) as u8;
            magnitude /= 10;
            digit
        })
    };
    for byte in bytes.iter_mut().rev() {
        let low = next();
        *byte = low | next() << 4;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numeric(storage: NumberStorage, signed: bool) -> NumericItem {
        NumericItem {
            digits: 3,
            scale: 0,
            signed,
            storage,
        }
    }

    fn zoned(sign: SignPlace) -> NumericItem {
        numeric(NumberStorage::Zoned { sign }, sign != SignPlace::None)
    }

    #[test]
    fn every_storage_gives_back_what_it_was_given() {
        let all = [
            (zoned(SignPlace::Trailing), 3),
            (zoned(SignPlace::Leading), 3),
            (zoned(SignPlace::TrailingSeparate), 4),
            (zoned(SignPlace::LeadingSeparate), 4),
            (numeric(NumberStorage::Packed, true), 2),
            (numeric(NumberStorage::Binary, true), 2),
            (numeric(NumberStorage::Native, true), 2),
            (numeric(NumberStorage::BinaryFull, true), 3),
        ];
        for (number, length) in all {
            for ebcdic in [false, true] {
                for (negative, magnitude) in [(true, 120), (false, 907), (true, 1), (false, 0)] {
                    let mut bytes = vec![0; length];
                    let value = SignedDigits {
                        negative,
                        magnitude,
                    };
                    write(&number, &mut bytes, value, ebcdic);
                    assert_eq!(read(&number, &bytes), Some(value), "{number:?} {bytes:X?}");
                }
            }
        }
    }

    #[test]
    fn zones_do_not_count_and_invalid_digits_do() {
        type Case = (SignPlace, &'static [u8], Option<(bool, u128)>);
        let cases: &[Case] = &[
            (SignPlace::None, b" 12", Some((false, 12))),
            (SignPlace::None, b"1B2", Some((false, 122))),
            (SignPlace::None, b"1.2", None),
            (SignPlace::Trailing, b"12}", Some((true, 120))),
            (SignPlace::Trailing, b"12C", Some((false, 123))),
            (SignPlace::Trailing, b"12q", Some((true, 121))),
            (SignPlace::Trailing, b"   ", None),
            (SignPlace::TrailingSeparate, b"12 ", None),
        ];
        for &(sign, bytes, expected) in cases {
            let found = read(&zoned(sign), bytes).map(|d| (d.negative, d.magnitude));
            assert_eq!(found, expected, "{:?}", String::from_utf8_lossy(bytes));
        }
        assert_eq!(
            read(&numeric(NumberStorage::Packed, true), &[0x40, 0x40]),
            None
        );
    }
}
