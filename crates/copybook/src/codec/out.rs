//! JSON text, written piece by piece at the end of a byte vector.
//!
//! The unsafe functions write after the vector's length into capacity that their
//! caller has reserved; each says how much it may touch.

use crate::number::swar;

/// Appends one character of a JSON string, escaped where it must be.
pub(super) fn push_char(out: &mut Vec<u8>, c: char) {
    match c {
        '"' => out.extend_from_slice(b"\\\""),
        '\\' => out.extend_from_slice(b"\\\\"),
        '\n' => out.extend_from_slice(b"\\n"),
        '\r' => out.extend_from_slice(b"\\r"),
        '\t' => out.extend_from_slice(b"\\t"),
        '\u{8}' => out.extend_from_slice(b"\\b"),
        '\u{c}' => out.extend_from_slice(b"\\f"),
        '\0'..'\u{20}' => {
            let code = c as u8;
            out.extend_from_slice(b"\\u00");
            out.push(HEX[usize::from(code >> 4)]);
            out.push(HEX[usize::from(code & 15)]);
        }
        _ => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
    }
}

/// Appends `0x` and the hexadecimal digits of `bytes`, in quotes.
pub(super) fn push_hex(out: &mut Vec<u8>, prefix: &[u8], bytes: &[u8]) {
    out.reserve(2 * bytes.len() + prefix.len() + 2);
    out.push(b'"');
    out.extend_from_slice(prefix);
    for byte in bytes {
        out.push(HEX[usize::from(byte >> 4)]);
        out.push(HEX[usize::from(byte & 15)]);
    }
    out.push(b'"');
}

/// Copies `len` bytes of `src` from `at` to `p`.
///
/// # Safety `src` has 32 readable bytes after `at + len`; `p` has room for `len +
/// 32` bytes.
#[inline(always)]
pub(super) unsafe fn copy_key(p: *mut u8, src: &[u8], at: usize, len: usize) -> *mut u8 {
    debug_assert!(at + len + 32 <= src.len());
    // SAFETY: as demanded above; up to 32 bytes are copied for short keys.
    unsafe {
        let from = src.as_ptr().add(at);
        if len <= 32 {
            std::ptr::copy_nonoverlapping(from, p, 16);
            std::ptr::copy_nonoverlapping(from.add(16), p.add(16), 16);
        } else {
            std::ptr::copy_nonoverlapping(from, p, len);
        }
        p.add(len)
    }
}

/// Most bytes [`put_short`] touches.
pub(super) const SHORT_NUMBER: usize = 64;

/// Writes sixteen ASCII digits, of which `scale` (0 to 15) are after the point,
/// without leading zeros.
///
/// # Safety
/// `p` has room for [`SHORT_NUMBER`] bytes.
#[inline(always)]
pub(super) unsafe fn put_short(p: *mut u8, digits: u128, negative: bool, scale: u32) -> *mut u8 {
    debug_assert!(scale < 16);
    let value = digits ^ swar::ZEROS;
    let significant = 16 - (value.leading_zeros() / 8).min(16);
    let negative = negative & (value != 0);
    let whole = significant.saturating_sub(scale).max(1);
    // SAFETY: at most a sign, 16 digits, a point and 16 digits are written.
    unsafe {
        *p = b'-';
        let p = p.add(usize::from(negative));
        let shown = digits << (8 * (16 - whole - scale));
        p.cast::<[u8; 16]>().write_unaligned(shown.to_be_bytes());
        let mut p = p.add(whole as usize);
        if scale > 0 {
            *p = b'.';
            let fraction = digits << (8 * (16 - scale));
            p = p.add(1);
            p.cast::<[u8; 16]>().write_unaligned(fraction.to_be_bytes());
            p = p.add(scale as usize);
        }
        p
    }
}

/// Appends a number of any length and scale.
pub(super) fn push_long(out: &mut Vec<u8>, digits: &[u8], negative: bool, scale: i32) {
    let zeros = digits.iter().take_while(|d| **d == b'0').count();
    let significant = &digits[zeros..];
    if negative && !significant.is_empty() {
        out.push(b'-');
    }
    let fraction_digits = usize::try_from(scale).unwrap_or(0);
    let whole = significant.len().saturating_sub(fraction_digits);
    if whole == 0 {
        out.push(b'0');
    } else {
        out.extend_from_slice(&significant[..whole]);
        let missing = usize::try_from(-scale).unwrap_or(0);
        out.resize(out.len() + missing, b'0');
    }
    if fraction_digits > 0 {
        out.push(b'.');
        let fraction = &significant[whole..];
        out.resize(out.len() + (fraction_digits - fraction.len()), b'0');
        out.extend_from_slice(fraction);
    }
}

const HEX: [u8; 16] = *b"0123456789abcdef";

#[cfg(test)]
mod tests {
    use super::*;

    fn short(n: u64, negative: bool, scale: u32) -> String {
        let mut out = Vec::with_capacity(SHORT_NUMBER);
        // SAFETY: the capacity was just reserved and every byte up to the end
        // is written.
        unsafe {
            let start: *mut u8 = out.as_mut_ptr();
            let end = put_short(start, swar::digits16(n), negative, scale);
            out.set_len(end.offset_from(start) as usize);
        }
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn short_and_long_numbers_are_written_alike() {
        for n in [
            0,
            1,
            9,
            10,
            123,
            99_999,
            1_234_567_890_123_456,
            9_999_999_999_999_999,
        ] {
            for scale in 0..16 {
                for negative in [false, true] {
                    let mut long = Vec::new();
                    push_long(
                        &mut long,
                        format!("{n:040}").as_bytes(),
                        negative,
                        scale as i32,
                    );
                    assert_eq!(short(n, negative, scale).as_bytes(), long);
                }
            }
        }
        assert_eq!(short(1250, true, 2), "-12.50");
        assert_eq!(short(5, false, 3), "0.005");
        assert_eq!(short(0, true, 2), "0.00");
    }

    #[test]
    fn scaling_positions_become_zeros() {
        let text = |digits: &[u8], scale| {
            let mut out = Vec::new();
            push_long(&mut out, digits, false, scale);
            String::from_utf8(out).unwrap()
        };
        assert_eq!(text(b"012", -3), "12000");
        assert_eq!(text(b"000", -3), "0");
        assert_eq!(text(b"012", 5), "0.00012");
    }
}
