//! USAGE DISPLAY: a digit a byte, the sign overpunched or in its own byte.
//!
//! Reference: IBM Enterprise COBOL Language Reference, SIGN clause; GnuCOBOL's
//! ASCII overpunch (`p` to `y` for −0 to −9, plain digits for plus).
//!
//! Reading accepts every overpunch that can be distinguished; writing produces the
//! one asked for.

use super::swar::{self, ZEROS};
use super::{BadNumber, MAX_DIGITS};
use crate::SignPlace;

/// The bytes that digits and signs have in a region.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ZoneBytes {
    /// EBCDIC digits rather than ASCII ones.
    pub ebcdic: bool,
    /// In ASCII: overpunch with `{A…I` and `}J…R` instead of `0…9` and `p…y`.
    pub letters: bool,
}

/// A number as ASCII digits, right-aligned in 16 or in 40 bytes.
pub(crate) enum AsciiDigits {
    /// At most sixteen digits.
    Short(u128),
    /// Up to forty, `0` before them.
    Long([u8; 40]),
}

impl ZoneBytes {
    fn plus(self) -> u8 {
        if self.ebcdic { 0x4e } else { b'+' }
    }

    fn minus(self) -> u8 {
        if self.ebcdic { 0x60 } else { b'-' }
    }

    /// What turns this region's digits into ASCII ones.
    fn flip(self) -> u8 {
        if self.ebcdic { 0xc0 } else { 0 }
    }

    /// Digit and sign of an overpunched byte.
    #[inline]
    fn signed(self, byte: u8) -> Option<(u8, bool)> {
        let entry = if self.ebcdic {
            OVERPUNCH_EBCDIC[usize::from(byte)]
        } else {
            OVERPUNCH_ASCII[usize::from(byte)]
        };
        (entry != BAD).then_some((entry & 0x0f, entry & MINUS != 0))
    }

    /// The byte of a digit (0 to 9) that carries a sign.
    fn punch(self, digit: u8, negative: bool) -> u8 {
        match (self.ebcdic, self.letters, negative) {
            (true, _, false) => 0xc0 | digit,
            (true, _, true) => 0xd0 | digit,
            (false, false, false) => b'0' + digit,
            (false, false, true) => b'p' + digit,
            (false, true, false) => b"{ABCDEFGHI"[usize::from(digit)],
            (false, true, true) => b"}JKLMNOPQR"[usize::from(digit)],
        }
    }
}

/// Reads the zoned number in `record[at..at + len]`, which the caller has checked
/// to be in the record; true for a minus sign.
pub(crate) fn read(
    record: &[u8],
    at: usize,
    len: usize,
    sign: SignPlace,
    zones: ZoneBytes,
) -> Result<(AsciiDigits, bool), BadNumber> {
    let digits = len - usize::from(is_separate(sign));
    if digits > 16 || digits == 0 {
        return read_long(&record[at..at + len], sign, zones);
    }
    let (word, negative) = read_short(record, at, len, sign, zones)?;
    Ok((AsciiDigits::Short(word), negative))
}

/// The same for a number of 1 to 16 digits, which come back as one register.
#[inline(always)]
pub(crate) fn read_short(
    record: &[u8],
    at: usize,
    len: usize,
    sign: SignPlace,
    zones: ZoneBytes,
) -> Result<(u128, bool), BadNumber> {
    let separate = is_separate(sign);
    let digits = len - usize::from(separate);
    let mut negative = false;
    let mut end = at + len;
    if separate {
        let byte = match sign {
            SignPlace::LeadingSeparate => record[at],
            _ => {
                end -= 1;
                record[end]
            }
        };
        negative = byte == zones.minus();
        if !negative && byte != zones.plus() {
            return Err(BadNumber::Sign);
        }
    }
    let mask = swar::low_bytes(digits);
    let mut word = swar::load_tail(record, end, digits) & mask;
    let overpunched = match sign {
        SignPlace::Trailing => Some(0),
        SignPlace::Leading => Some(8 * (digits - 1)),
        _ => None,
    };
    if zones.ebcdic {
        word ^= ZEROS << 2 & mask;
    }
    if let Some(shift) = overpunched {
        let byte = (word >> shift) as u8;
        if !byte.is_ascii_digit() {
            let (digit, minus) = zones.signed(byte ^ zones.flip()).ok_or(BadNumber::Sign)?;
            negative = minus;
            word = word & !(0xff << shift) | u128::from(b'0' + digit) << shift;
        }
    }
    word |= ZEROS & !mask;
    if !swar::all_digits16(word) {
        return Err(BadNumber::Digit);
    }
    Ok((word, negative))
}

/// The form for more than sixteen digits.
#[cold]
fn read_long(
    bytes: &[u8],
    sign: SignPlace,
    zones: ZoneBytes,
) -> Result<(AsciiDigits, bool), BadNumber> {
    let mut negative = false;
    let mut bytes = bytes;
    let mut overpunched = None;
    match (sign, bytes) {
        (SignPlace::LeadingSeparate, [byte, rest @ ..])
        | (SignPlace::TrailingSeparate, [rest @ .., byte]) => {
            negative = *byte == zones.minus();
            if !negative && *byte != zones.plus() {
                return Err(BadNumber::Sign);
            }
            bytes = rest;
        }
        (SignPlace::Leading, _) => overpunched = Some(0),
        (SignPlace::Trailing, _) => overpunched = Some(bytes.len().wrapping_sub(1)),
        _ => {}
    }
    let mut digits = [b'0'; 40];
    if bytes.len() > usize::from(MAX_DIGITS) {
        return Err(BadNumber::Digit);
    }
    let first = 40 - bytes.len();
    for (k, &byte) in bytes.iter().enumerate() {
        let digit = if overpunched == Some(k) {
            let (digit, minus) = zones.signed(byte).ok_or(BadNumber::Sign)?;
            negative = minus;
            digit
        } else {
            let digit = (byte ^ zones.flip()).wrapping_sub(b'0');
            if digit > 9 {
                return Err(BadNumber::Digit);
            }
            digit
        };
        digits[first + k] = b'0' + digit;
    }
    Ok((AsciiDigits::Long(digits), negative))
}

/// Writes `magnitude`, which the caller has checked to fit, into a field.
pub(crate) fn write(
    field: &mut [u8],
    magnitude: u128,
    negative: bool,
    sign: SignPlace,
    zones: ZoneBytes,
) {
    match u64::try_from(magnitude) {
        Ok(small) if field.len() <= 16 => write_short(field, small, negative, sign, zones),
        _ => {
            let negative = negative && magnitude != 0;
            let digits = place_sign(field, negative, sign, zones);
            swar::fill_digits(digits, magnitude);
            digits.iter_mut().for_each(|byte| *byte |= zones.flip());
            punch(digits, negative, sign, zones);
        }
    }
}

/// The same for a number of at most 16 digits.
#[inline(always)]
pub(crate) fn write_short(
    field: &mut [u8],
    magnitude: u64,
    negative: bool,
    sign: SignPlace,
    zones: ZoneBytes,
) {
    let negative = negative && magnitude != 0;
    let digits = place_sign(field, negative, sign, zones);
    let mut word = swar::digits16(magnitude);
    if zones.ebcdic {
        word |= ZEROS << 2;
    }
    swar::store_tail(digits, word);
    punch(digits, negative, sign, zones);
}

/// Writes a separate sign; returns the place of the digits.
#[inline(always)]
fn place_sign(field: &mut [u8], negative: bool, sign: SignPlace, zones: ZoneBytes) -> &mut [u8] {
    match (sign, field) {
        (SignPlace::LeadingSeparate, [byte, rest @ ..])
        | (SignPlace::TrailingSeparate, [rest @ .., byte]) => {
            *byte = if negative {
                zones.minus()
            } else {
                zones.plus()
            };
            rest
        }
        (_, all) => all,
    }
}

/// Overpunches a sign on the digits.
#[inline(always)]
fn punch(digits: &mut [u8], negative: bool, sign: SignPlace, zones: ZoneBytes) {
    let punched = match sign {
        SignPlace::Trailing => digits.last_mut(),
        SignPlace::Leading => digits.first_mut(),
        _ => None,
    };
    if let Some(byte) = punched {
        *byte = zones.punch(*byte & 0x0f, negative);
    }
}

#[inline(always)]
fn is_separate(sign: SignPlace) -> bool {
    matches!(
        sign,
        SignPlace::LeadingSeparate | SignPlace::TrailingSeparate
    )
}

const MINUS: u8 = 0x10;
const BAD: u8 = 0xff;

/// Digit and [`MINUS`] of each byte that can end a signed ASCII number.
static OVERPUNCH_ASCII: [u8; 256] = {
    let mut table = [BAD; 256];
    let mut digit = 0;
    while digit < 10 {
        table[(b'0' + digit) as usize] = digit;
        table[(b'p' + digit) as usize] = digit | MINUS;
        table[b"{ABCDEFGHI"[digit as usize] as usize] = digit;
        table[b"}JKLMNOPQR"[digit as usize] as usize] = digit | MINUS;
        digit += 1;
    }
    table
};

/// The same in EBCDIC: zones A, C, E and F are plus, B and D minus.
static OVERPUNCH_EBCDIC: [u8; 256] = {
    let mut table = [BAD; 256];
    let mut zone = 0xa0;
    while zone <= 0xf0 {
        let minus = if zone == 0xb0 || zone == 0xd0 {
            MINUS
        } else {
            0
        };
        let mut digit = 0;
        while digit < 10 {
            table[zone | digit] = digit as u8 | minus;
            digit += 1;
        }
        zone += 0x10;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    const ASCII: ZoneBytes = ZoneBytes {
        ebcdic: false,
        letters: false,
    };
    const LETTERS: ZoneBytes = ZoneBytes {
        ebcdic: false,
        letters: true,
    };
    const EBCDIC: ZoneBytes = ZoneBytes {
        ebcdic: true,
        letters: false,
    };
    const PLACES: [SignPlace; 5] = [
        SignPlace::None,
        SignPlace::Trailing,
        SignPlace::Leading,
        SignPlace::TrailingSeparate,
        SignPlace::LeadingSeparate,
    ];

    fn value(field: &[u8], sign: SignPlace, zones: ZoneBytes) -> Result<(u128, bool), BadNumber> {
        let (digits, negative) = read(field, 0, field.len(), sign, zones)?;
        let magnitude = match digits {
            AsciiDigits::Short(word) => u128::from(swar::value16(word)),
            AsciiDigits::Long(bytes) => std::str::from_utf8(&bytes).unwrap().parse().unwrap(),
        };
        Ok((magnitude, negative))
    }

    #[test]
    fn every_length_and_sign_place_reads_back_what_was_written() {
        for zones in [ASCII, LETTERS, EBCDIC] {
            for sign in PLACES {
                let separate = matches!(
                    sign,
                    SignPlace::LeadingSeparate | SignPlace::TrailingSeparate
                );
                for digits in 1..=38usize {
                    let number = u128::MAX / 3 % 10u128.pow(digits as u32);
                    let negative = sign != SignPlace::None && digits % 2 == 1;
                    let mut field = vec![0; digits + usize::from(separate)];
                    write(&mut field, number, negative, sign, zones);
                    assert_eq!(
                        value(&field, sign, zones),
                        Ok((number, negative)),
                        "{field:x?}"
                    );
                }
            }
        }
    }

    #[test]
    fn signs_are_the_bytes_that_cobol_writes() {
        let mut field = [0; 4];
        write(&mut field, 1234, true, SignPlace::Trailing, ASCII);
        assert_eq!(&field, b"123t");
        write(&mut field, 1234, true, SignPlace::Leading, ASCII);
        assert_eq!(&field, b"q234");
        write(&mut field, 1230, true, SignPlace::Trailing, LETTERS);
        assert_eq!(&field, b"123}");
        write(&mut field, 1230, false, SignPlace::Trailing, EBCDIC);
        assert_eq!(field, [0xf1, 0xf2, 0xf3, 0xc0]);
        assert_eq!(value(b"12C", SignPlace::Trailing, ASCII), Ok((123, false)));
        assert_eq!(value(b"12L", SignPlace::Trailing, ASCII), Ok((123, true)));
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for sign in PLACES {
            for field in [&b"    "[..], b"\0\0\0\0", b"1 34", b"12a4", b"12\xff4"] {
                assert!(value(field, sign, ASCII).is_err(), "{field:x?} {sign:?}");
                assert!(value(field, sign, EBCDIC).is_err(), "{field:x?} {sign:?}");
            }
            assert!(value(&[b' '; 30], sign, ASCII).is_err());
        }
        assert_eq!(value(b"12C", SignPlace::None, ASCII), Err(BadNumber::Digit));
    }
}
