//! Numbers of records as decimal text.

/// A packed number as text; `None` if a digit or the sign is none.
pub fn packed(bytes: &[u8], scale: u8) -> Option<String> {
    let mut digits = String::with_capacity(bytes.len() * 2);
    let (last, rest) = bytes.split_last()?;
    let nibbles = rest
        .iter()
        .flat_map(|b| [b >> 4, b & 15])
        .chain([last >> 4]);
    for digit in nibbles {
        digits.push(char::from_digit(u32::from(digit), 10)?);
    }
    let is_negative = sign(last & 15)?;
    Some(decimal(is_negative, &digits, scale))
}

/// Whether the sign of a packed or zoned number is minus.
fn sign(nibble: u8) -> Option<bool> {
    match nibble {
        0xA | 0xC | 0xE | 0xF => Some(false),
        0xB | 0xD => Some(true),
        _ => None,
    }
}

/// A zoned number as text. In EBCDIC the zone of the last byte is the sign; in ASCII a sign is
/// a letter as GnuCOBOL writes it (`p` to `y`), or one of EBCDIC (`}` `J` to `R`).
pub fn zoned(bytes: &[u8], scale: u8, is_ebcdic: bool) -> Option<String> {
    let (last, rest) = bytes.split_last()?;
    let mut digits = String::with_capacity(bytes.len());
    let zone = if is_ebcdic { 0xF0 } else { 0x30 };
    for byte in rest {
        let digit = byte.checked_sub(zone).filter(|digit| *digit < 10)?;
        digits.push(char::from(b'0' + digit));
    }
    let (digit, is_negative) = if is_ebcdic {
        (last & 15, sign(last >> 4)?)
    } else {
        match last {
            b'0'..=b'9' => (last - b'0', false),
            b'p'..=b'y' => (last - b'p', true),
            b'{' => (0, false),
            b'A'..=b'I' => (last - b'A' + 1, false),
            b'}' => (0, true),
            b'J'..=b'R' => (last - b'J' + 1, true),
            _ => return None,
        }
    };
    digits.push(char::from_digit(u32::from(digit), 10)?);
    Some(decimal(is_negative, &digits, scale))
}

/// Digits with a point and a sign.
fn decimal(is_negative: bool, digits: &str, scale: u8) -> String {
    let scale = usize::from(scale);
    let digits = format!("{digits:0>width$}", width = scale + 1);
    let (whole, fraction) = digits.split_at(digits.len() - scale);
    let sign = if is_negative { "-" } else { "" };
    if fraction.is_empty() {
        format!("{sign}{whole}")
    } else {
        format!("{sign}{whole}.{fraction}")
    }
}

/// A number in two's complement, big-endian, of one to eight bytes.
pub fn integer(bytes: &[u8]) -> Option<i64> {
    let first = *bytes.first().filter(|_| bytes.len() <= 8)?;
    let start = if first >= 0x80 { -1 } else { 0 };
    Some(bytes.iter().fold(start, |n, b| n << 8 | i64::from(*b)))
}

/// A number that is written as characters, with an implied scale if it has no point.
pub fn external(text: &str, scale: u8) -> Option<String> {
    let text = text.trim_matches([' ', '\0']);
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text).trim_start();
    let is_negative = text.starts_with('-');
    let is_digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    if let Some((mantissa, exponent)) = unsigned.split_once(['E', 'e']) {
        let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        let plain = mantissa.replacen('.', "", 1);
        let is_right = !digits.is_empty() && is_digits(digits) && !plain.is_empty();
        let sign = if is_negative { "-" } else { "" };
        return (is_right && is_digits(&plain)).then(|| format!("{sign}{mantissa}E{exponent}"));
    }
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    if whole.is_empty() && fraction.is_empty() || !is_digits(whole) || !is_digits(fraction) {
        return None;
    }
    if unsigned.contains('.') {
        let digits = format!("{whole}{fraction}");
        return Some(decimal(is_negative, &digits, fraction.len() as u8));
    }
    Some(decimal(is_negative, whole, scale))
}

/// A number fitted to digits before and after the point: excess digits after it are cut, as
/// Db2 does. `None` if it has more digits before the point.
pub fn fitted(number: &str, whole_digits: usize, scale: usize) -> Option<String> {
    let unsigned = number.trim_start_matches('-');
    let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, ""));
    let whole = whole.trim_start_matches('0');
    if whole.len() > whole_digits || !number.is_ascii() {
        return None;
    }
    let fraction = &fraction[..fraction.len().min(scale)];
    let is_zero = whole.is_empty() && fraction.bytes().all(|b| b == b'0');
    let sign = if number.starts_with('-') && !is_zero {
        "-"
    } else {
        ""
    };
    let whole = if whole.is_empty() { "0" } else { whole };
    let point = if fraction.is_empty() { "" } else { "." };
    Some(format!("{sign}{whole}{point}{fraction}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_of_records_become_text() {
        assert_eq!(packed(b"\x12\x34\x5D", 2).unwrap(), "-123.45");
        assert_eq!(packed(b"\x00\x1C", 0).unwrap(), "001");
        assert_eq!(packed(b"\x1A\x2C", 0), None);
        assert_eq!(packed(b"\x12\x34", 0), None);
        assert_eq!(zoned(b"\xF1\xF2\xD3", 1, true).unwrap(), "-12.3");
        assert_eq!(zoned(b"12s", 1, false).unwrap(), "-12.3");
        assert_eq!(zoned(b"12L", 0, false).unwrap(), "-123");
        assert_eq!(zoned(b"1 3", 0, false), None);
        assert_eq!(integer(b"\xFF\xFE"), Some(-2));
        assert_eq!(integer(b"\x00\x00\x01\x00"), Some(256));
        assert_eq!(external(" -12.50 ", 0).unwrap(), "-12.50");
        assert_eq!(external("125", 2).unwrap(), "1.25");
        assert_eq!(external("1.5E3", 0).unwrap(), "1.5E3");
        assert_eq!(external("12A", 0), None);
        assert_eq!(external("   ", 0), None);
    }

    #[test]
    fn a_number_is_cut_after_the_point_and_refused_before_it() {
        assert_eq!(fitted("-0001.999", 3, 2).unwrap(), "-1.99");
        assert_eq!(fitted("-0.001", 3, 2).unwrap(), "0.00");
        assert_eq!(fitted("1234", 3, 2), None);
        assert_eq!(fitted("7", 5, 0).unwrap(), "7");
    }

    proptest! {
        #[test]
        fn no_bytes_make_the_readers_panic(
            bytes in prop::collection::vec(any::<u8>(), 0..20), scale in 0..40_u8, text: String,
        ) {
            let _ = (packed(&bytes, scale), zoned(&bytes, scale, true), integer(&bytes));
            if let Some(number) = external(&text, scale) {
                let _ = fitted(&number, 5, 2);
            }
        }
    }
}
