//! Sizes of request units as one byte: mantissa and exponent.
//!
//! X'me' is m × 2^e with m from 8 to 15, so X'85' is 256 and X'F7' 1,920.
//! A size between two of these is sent as the lower one.
//!
//! Reference: VTAM MODEENT macroinstruction, RUSIZES and SSNDPAC.

use super::syntax::statement::number;

/// Bytes of a size byte. Returns `None` for X'00' (no limit) and for mantissas
/// below 8.
pub fn decode(byte: u8) -> Option<u32> {
    let (mantissa, exponent) = (byte >> 4, byte & 0x0F);
    (mantissa >= 8).then(|| u32::from(mantissa) << exponent)
}

/// The size byte of the largest size that does not exceed a number of bytes.
/// Returns `None` below 8 bytes.
pub fn encode(bytes: u32) -> Option<u8> {
    let bits = bytes.checked_ilog2()?;
    let exponent = bits.checked_sub(3)?.min(15);
    let mantissa = (bytes >> exponent).min(15);
    u8::try_from((mantissa << 4) | exponent).ok()
}

/// The largest size that a BIND can name and that is not above this one.
pub fn floor(bytes: u32) -> u32 {
    encode(bytes).and_then(decode).unwrap_or(bytes)
}

/// Both halves of `RUSIZES=X'8787'`: the limit of the secondary and of the primary.
/// `None` for a half without limit. Returns an error for other text.
///
/// # Errors
/// When the text is not four hexadecimal digits, or a half that is not 00 has
/// a mantissa below 8.
pub fn rusizes(value: &str) -> Result<(Option<u32>, Option<u32>), NotRuSizes> {
    let digits = hex(value).ok_or(NotRuSizes)?;
    if digits.len() != 4 {
        return Err(NotRuSizes);
    }
    let half = |d: &str| match u8::from_str_radix(d, 16).map_err(|_| NotRuSizes)? {
        0 => Ok(None),
        byte => decode(byte).map(Some).ok_or(NotRuSizes),
    };
    let (secondary, primary) = digits.split_at_checked(2).ok_or(NotRuSizes)?;
    Ok((half(secondary)?, half(primary)?))
}

/// The value is not a pair of size bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("RUSIZES is four hexadecimal digits, as X'8787'")]
pub struct NotRuSizes;

/// A byte written as X'3F' or as a decimal number.
pub fn byte(value: &str) -> Option<u32> {
    match hex(value) {
        Some(digits) => u32::from_str_radix(digits, 16).ok().filter(|n| *n < 256),
        None => number(value).filter(|n| *n < 256),
    }
}

/// A pacing count of a mode entry: decimal from 0 to 63, or the low six bits
/// of a byte whose first bit says how many stages are paced and whose second
/// one is reserved.
pub fn pacing(value: &str) -> Option<u32> {
    let bits = byte(value)?;
    match hex(value) {
        Some(_) => (bits & 0x40 == 0).then_some(bits & 0x3F),
        None => Some(bits).filter(|n| *n < 64),
    }
}

/// The digits of `X'..'` in either case.
fn hex(value: &str) -> Option<&str> {
    let inner = value
        .strip_prefix(['X', 'x'])?
        .strip_prefix('\'')?
        .strip_suffix('\'')?;
    inner
        .bytes()
        .all(|b| b.is_ascii_hexdigit())
        .then_some(inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_bytes_have_their_sizes() {
        for (byte, bytes) in [
            (0x85, 256),
            (0x87, 1024),
            (0xF7, 1920),
            (0xF8, 3840),
            (0x8D, 65_536),
            (0xF6, 960),
            (0xB8, 2816),
        ] {
            assert_eq!(decode(byte), Some(bytes));
            assert_eq!(encode(bytes), Some(byte));
        }
        assert_eq!((decode(0x00), decode(0x71)), (None, None));
    }

    #[test]
    fn other_sizes_become_the_next_lower_one() {
        assert_eq!(floor(978), 960);
        assert_eq!(floor(4091), 3840);
        assert_eq!(floor(7), 7);
        assert_eq!(floor(u32::MAX), 15 << 15);
    }

    #[test]
    fn rusizes_has_two_halves() {
        assert_eq!(rusizes("X'F787'"), Ok((Some(1920), Some(1024))));
        assert_eq!(rusizes("x'0085'"), Ok((None, Some(256))));
        assert_eq!(rusizes("8787"), Err(NotRuSizes));
        assert_eq!(rusizes("X'878'"), Err(NotRuSizes));
        assert_eq!(rusizes("X'7187'"), Err(NotRuSizes));
        assert_eq!(
            (byte("X'3F'"), byte("63"), byte("X'GG'")),
            (Some(63), Some(63), None)
        );
    }

    #[test]
    fn a_pacing_count_is_the_low_six_bits() {
        for (value, count) in [
            ("X'03'", Some(3)),
            ("X'83'", Some(3)),
            ("X'BF'", Some(63)),
            ("63", Some(63)),
            ("X'43'", None),
            ("64", None),
            ("X'0Z'", None),
            ("+3", None),
        ] {
            assert_eq!(pacing(value), count, "{value}");
        }
    }
}
