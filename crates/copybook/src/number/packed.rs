//! COMP-3 and COMP-6: two digits a byte, with and without a sign nibble.
//!
//! Reference: IBM Enterprise COBOL Programming Guide, "Formats for numeric
//! data". C, A, E and F are plus, D and B minus; writing gives C and D to
//! signed fields and F to unsigned ones. With an even number of digits the
//! first nibble is unused and must be zero.

use super::BadNumber;
use super::swar;
use super::zoned::AsciiDigits;

/// Reads the packed number in `record[at..at + len]`, which the caller has checked
/// to be in the record; true for a minus sign.
pub(crate) fn read(
    record: &[u8],
    at: usize,
    len: usize,
    digits: u8,
    signed: bool,
) -> Result<(AsciiDigits, bool), BadNumber> {
    if len > 8 {
        return read_long(&record[at..at + len], digits, Some(signed));
    }
    let (word, negative) = read_short(record, at, len, digits, signed)?;
    Ok((AsciiDigits::Short(word), negative))
}

/// The same for a field of at most 8 bytes, whose digits come back as one
/// register.
#[inline(always)]
pub(crate) fn read_short(
    record: &[u8],
    at: usize,
    len: usize,
    digits: u8,
    signed: bool,
) -> Result<(u128, bool), BadNumber> {
    let word = (swar::load_tail(record, at + len, len) & swar::low_bytes(len)) as u64;
    let negative = sign(word as u8 & 0x0f, signed)?;
    let bcd = word >> 4;
    check(bcd, digits)?;
    Ok((swar::unpack16(bcd), negative))
}

/// Reads a packed number without a sign nibble.
pub(crate) fn read_unsigned(
    record: &[u8],
    at: usize,
    len: usize,
    digits: u8,
) -> Result<(AsciiDigits, bool), BadNumber> {
    if len > 8 {
        return read_long(&record[at..at + len], digits, None);
    }
    let bcd = (swar::load_tail(record, at + len, len) & swar::low_bytes(len)) as u64;
    check(bcd, digits)?;
    Ok((AsciiDigits::Short(swar::unpack16(bcd)), false))
}

/// Writes `magnitude`, which the caller has checked to fit, into a field.
pub(crate) fn write(field: &mut [u8], magnitude: u128, negative: bool, signed: bool) {
    match u64::try_from(magnitude) {
        Ok(small) if field.len() <= 8 => write_short(field, small, negative, signed),
        _ => {
            if let Some((last, rest)) = field.split_last_mut() {
                let sign = sign_nibble(negative && magnitude != 0, signed);
                *last = (((magnitude % 10) as u8) << 4) | sign;
                pack_long(rest, magnitude / 10);
            }
        }
    }
}

/// The same for a field of at most 8 bytes.
#[inline(always)]
pub(crate) fn write_short(field: &mut [u8], magnitude: u64, negative: bool, signed: bool) {
    let sign = sign_nibble(negative && magnitude != 0, signed);
    let word = (swar::pack16(magnitude) << 4) | u64::from(sign);
    swar::store_tail(field, u128::from(word));
}

#[inline(always)]
fn sign_nibble(negative: bool, signed: bool) -> u8 {
    match (signed, negative) {
        (false, _) => 0x0f,
        (true, false) => 0x0c,
        (true, true) => 0x0d,
    }
}

/// Writes a packed number without a sign nibble.
#[inline]
pub(crate) fn write_unsigned(field: &mut [u8], magnitude: u128) {
    match u64::try_from(magnitude) {
        Ok(small) if field.len() <= 8 => {
            swar::store_tail(field, u128::from(swar::pack16(small)));
        }
        _ => pack_long(field, magnitude),
    }
}

fn pack_long(field: &mut [u8], mut n: u128) {
    for byte in field.iter_mut().rev() {
        let pair = (n % 100) as u8;
        n /= 100;
        *byte = ((pair / 10) << 4) | (pair % 10);
    }
}

#[inline]
fn sign(nibble: u8, signed: bool) -> Result<bool, BadNumber> {
    match nibble {
        0x0a | 0x0c | 0x0e | 0x0f => Ok(false),
        0x0b | 0x0d if signed => Ok(true),
        _ => Err(BadNumber::Sign),
    }
}

#[inline]
fn check(bcd: u64, digits: u8) -> Result<(), BadNumber> {
    if !swar::all_decimal(bcd) {
        return Err(BadNumber::Digit);
    }
    if digits < 16 && bcd >> (4 * digits) != 0 {
        return Err(BadNumber::Pad);
    }
    Ok(())
}

/// The form for more than eight bytes; `signed` is `None` without a sign
/// nibble.
#[cold]
fn read_long(
    bytes: &[u8],
    digits: u8,
    signed: Option<bool>,
) -> Result<(AsciiDigits, bool), BadNumber> {
    let mut negative = false;
    let mut nibbles = bytes.len() * 2;
    if let (Some(signed), Some(last)) = (signed, bytes.last()) {
        negative = sign(last & 0x0f, signed)?;
        nibbles -= 1;
    }
    let mut out = [b'0'; 40];
    let unused = nibbles.saturating_sub(usize::from(digits));
    for k in 0..nibbles {
        let byte = bytes[k / 2];
        let nibble = if k % 2 == 0 { byte >> 4 } else { byte & 0x0f };
        if nibble > 9 {
            return Err(BadNumber::Digit);
        }
        if k < unused {
            if nibble != 0 {
                return Err(BadNumber::Pad);
            }
            continue;
        }
        // At most 40: the plan admits 38 digits.
        if let Some(place) = (40 + k).checked_sub(nibbles).and_then(|at| out.get_mut(at)) {
            *place = b'0' + nibble;
        }
    }
    Ok((AsciiDigits::Long(out), negative))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn magnitude(digits: AsciiDigits) -> u128 {
        match digits {
            AsciiDigits::Short(word) => u128::from(swar::value16(word)),
            AsciiDigits::Long(bytes) => std::str::from_utf8(&bytes).unwrap().parse().unwrap(),
        }
    }

    #[test]
    fn every_length_reads_back_what_was_written() {
        for digits in 1..=38u8 {
            let number = u128::MAX / 3 % 10u128.pow(u32::from(digits));
            for negative in [false, true] {
                let mut field = vec![0; usize::from(digits) / 2 + 1];
                write(&mut field, number, negative, true);
                let (got, minus) = read(&field, 0, field.len(), digits, true).unwrap();
                assert_eq!((magnitude(got), minus), (number, negative), "{field:x?}");
            }
            let mut field = vec![0; usize::from(digits).div_ceil(2)];
            write_unsigned(&mut field, number);
            let (got, _) = read_unsigned(&field, 0, field.len(), digits).unwrap();
            assert_eq!(magnitude(got), number, "{field:x?}");
        }
    }

    #[test]
    fn signs_digits_and_the_unused_nibble_are_checked() {
        let read = |bytes: &[u8], digits, signed| {
            read(bytes, 0, bytes.len(), digits, signed).map(|(d, n)| (magnitude(d), n))
        };
        assert_eq!(read(&[0x12, 0x3d], 3, true), Ok((123, true)));
        assert_eq!(read(&[0x12, 0x3f], 3, false), Ok((123, false)));
        assert_eq!(read(&[0x12, 0x3d], 3, false), Err(BadNumber::Sign));
        assert_eq!(read(&[0x12, 0x34], 3, true), Err(BadNumber::Sign));
        assert_eq!(read(&[0x1a, 0x3c], 3, true), Err(BadNumber::Digit));
        assert_eq!(read(&[0x12, 0x3c], 2, true), Err(BadNumber::Pad));
        assert_eq!(read(&[0x40, 0x40], 3, true), Err(BadNumber::Sign));
        let mut long = [0x11; 12];
        long[11] = 0x1c;
        assert_eq!(read(&long, 22, true), Err(BadNumber::Pad));
        assert!(read(&long, 23, true).is_ok());
    }
}
