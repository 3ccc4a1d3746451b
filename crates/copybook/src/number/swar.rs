//! Digits many at a time in ordinary registers.
//!
//! Up to 16 digits are one `u128` whose most significant byte is the first
//! character, so that storing it big-endian writes text. `0123456789` stands
//! right-aligned with `0` before it.

/// Sixteen times the character `0`.
pub(crate) const ZEROS: u128 = 0x3030_3030_3030_3030_3030_3030_3030_3030;

/// Returns `true` if all eight bytes are ASCII digits.
#[inline]
pub(crate) fn all_digits(word: u64) -> bool {
    let high = word & 0xf0f0_f0f0_f0f0_f0f0;
    let carried = word.wrapping_add(0x0606_0606_0606_0606) & 0xf0f0_f0f0_f0f0_f0f0;
    (high | carried >> 4) == 0x3333_3333_3333_3333
}

/// Returns `true` if all sixteen bytes are ASCII digits.
#[inline]
pub(crate) fn all_digits16(digits: u128) -> bool {
    all_digits((digits >> 64) as u64) & all_digits(digits as u64)
}

/// The number of eight ASCII digits, the first in the least significant byte.
#[inline]
pub(crate) fn parse8(word: u64) -> u64 {
    let pairs = (word & 0x0f0f_0f0f_0f0f_0f0f).wrapping_mul(10 << 8 | 1) >> 8;
    let fours = (pairs & 0x00ff_00ff_00ff_00ff).wrapping_mul(100 << 16 | 1) >> 16;
    (fours & 0x0000_ffff_0000_ffff).wrapping_mul(10_000 << 32 | 1) >> 32
}

/// Eight decimal digits of `n` (below 10^8), a digit a byte, the first in the
/// most significant one.
#[inline]
fn spread8(n: u64) -> u64 {
    // 4 + 4, then 2 + 2 + 2 + 2, then single digits; each step divides all
    // lanes at once by multiplying with a scaled reciprocal.
    let high = n / 10_000;
    let fours = high << 32 | (n - high * 10_000);
    let hundreds = ((fours * 10_486) >> 20) & 0x0000_007f_0000_007f;
    let twos = hundreds << 16 | (fours - hundreds * 100);
    let tens = ((twos * 103) >> 10) & 0x000f_000f_000f_000f;
    tens << 8 | (twos - tens * 10)
}

/// The ASCII digits of `n`, which is below 10^16.
#[inline]
pub(crate) fn digits16(n: u64) -> u128 {
    let high = n / 100_000_000;
    let low = n - high * 100_000_000;
    ZEROS | u128::from(spread8(high)) << 64 | u128::from(spread8(low))
}

/// The number sixteen ASCII digits represent.
#[inline]
pub(crate) fn value16(digits: u128) -> u64 {
    parse8(((digits >> 64) as u64).swap_bytes()) * 100_000_000
        + parse8((digits as u64).swap_bytes())
}

/// The last sixteen digits of a `u128` and how they continue: fills `dest`
/// from its end with ASCII digits, `0` before them.
pub(crate) fn fill_digits(dest: &mut [u8], mut n: u128) {
    for chunk in dest.rchunks_mut(16) {
        let low = (n % 10_000_000_000_000_000) as u64;
        n /= 10_000_000_000_000_000;
        store_tail(chunk, digits16(low));
    }
}

/// Writes the last `dest.len()` (at most 16) bytes of `value`, big-endian.
#[inline]
pub(crate) fn store_tail(dest: &mut [u8], value: u128) {
    let n = dest.len();
    match n {
        0 => {}
        1..=3 => {
            for (k, byte) in dest.iter_mut().enumerate() {
                *byte = (value >> (8 * (n - 1 - k))) as u8;
            }
        }
        4..=7 => {
            let first = (value >> (8 * (n - 4))) as u32;
            dest[..4].copy_from_slice(&first.to_be_bytes());
            dest[n - 4..].copy_from_slice(&(value as u32).to_be_bytes());
        }
        8..=16 => {
            let first = (value >> (8 * (n - 8))) as u64;
            dest[..8].copy_from_slice(&first.to_be_bytes());
            dest[n - 8..].copy_from_slice(&(value as u64).to_be_bytes());
        }
        _ => unreachable!("at most sixteen bytes"),
    }
}

/// The `len` (at most 16) bytes of `record` that end before `end`, in the low bytes
/// of the result; what is above them is arbitrary.
///
/// The caller has checked that the bytes are in the record.
#[inline]
pub(crate) fn load_tail(record: &[u8], end: usize, len: usize) -> u128 {
    if let Some(wide) = end.checked_sub(16).and_then(|start| record.get(start..end)) {
        let mut bytes = [0; 16];
        bytes.copy_from_slice(wide);
        return u128::from_be_bytes(bytes);
    }
    let mut value = 0;
    for &byte in &record[end - len..end] {
        value = value << 8 | u128::from(byte);
    }
    value
}

/// A mask of the low `len` bytes, `len` from 1 to 16.
#[inline]
pub(crate) fn low_bytes(len: usize) -> u128 {
    u128::MAX >> (128 - 8 * len)
}

/// A digit a byte (values 0 to 9) of eight packed digits.
#[inline]
fn unpack8(bcd: u32) -> u64 {
    let mut x = u64::from(bcd);
    x = (x | x << 16) & 0x0000_ffff_0000_ffff;
    x = (x | x << 8) & 0x00ff_00ff_00ff_00ff;
    (x | x << 4) & 0x0f0f_0f0f_0f0f_0f0f
}

/// The ASCII digits of sixteen packed digits.
#[inline]
pub(crate) fn unpack16(bcd: u64) -> u128 {
    ZEROS | u128::from(unpack8((bcd >> 32) as u32)) << 64 | u128::from(unpack8(bcd as u32))
}

/// Sixteen packed digits of `n`, which is below 10^16.
#[inline]
pub(crate) fn pack16(n: u64) -> u64 {
    let high = n / 100_000_000;
    u64::from(pack8(high)) << 32 | u64::from(pack8(n - high * 100_000_000))
}

#[inline]
fn pack8(n: u64) -> u32 {
    let mut x = spread8(n);
    x = (x | x >> 4) & 0x00ff_00ff_00ff_00ff;
    x = (x | x >> 8) & 0x0000_ffff_0000_ffff;
    (x | x >> 16) as u32
}

/// Returns `true` if no nibble is above 9.
#[inline]
pub(crate) fn all_decimal(bcd: u64) -> bool {
    (bcd & 0x8888_8888_8888_8888) & ((bcd << 1) | (bcd << 2)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_distinguished_from_their_neighbours() {
        for byte in 0..=255u8 {
            for place in 0..8 {
                let mut bytes = *b"90817263";
                bytes[place] = byte;
                assert_eq!(
                    all_digits(u64::from_le_bytes(bytes)),
                    byte.is_ascii_digit(),
                    "{byte:02x} at {place}"
                );
            }
        }
        for nibble in 0..16u64 {
            for place in 0..16 {
                let bcd = 0x9081_7263_5490_1827 & !(0xf << (4 * place)) | nibble << (4 * place);
                assert_eq!(all_decimal(bcd), nibble < 10, "{nibble:x} at {place}");
            }
        }
    }

    #[test]
    fn numbers_and_digits_agree() {
        let mut random = base::SeededRandom::new(1);
        for step in 0..20_000 {
            let value = random.below(10u64.pow(step % 17));
            let text = format!("{value:016}");
            let digits = digits16(value);
            assert_eq!(digits.to_be_bytes().as_slice(), text.as_bytes());
            assert_eq!(value16(digits), value);
            let bcd = pack16(value);
            assert_eq!(format!("{bcd:016x}"), text);
            assert_eq!(unpack16(bcd), digits);
            let first = u64::from_le_bytes(text.as_bytes()[..8].try_into().unwrap());
            assert_eq!(parse8(first), text[..8].parse::<u64>().unwrap());
        }
        let mut wide = [0; 40];
        fill_digits(&mut wide, u128::from(u64::MAX) * 1_000_000_007);
        assert_eq!(
            std::str::from_utf8(&wide).unwrap(),
            format!("{:040}", u128::from(u64::MAX) * 1_000_000_007)
        );
    }

    #[test]
    fn tails_of_any_length_are_stored_and_loaded() {
        let record: Vec<u8> = (1..=40).collect();
        for len in 1..=16usize {
            for end in len..=40 {
                let loaded = load_tail(&record, end, len) & low_bytes(len);
                let mut out = vec![0; len];
                store_tail(&mut out, loaded);
                assert_eq!(out, record[end - len..end], "{len} bytes before {end}");
            }
        }
    }
}
