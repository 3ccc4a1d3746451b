//! JSON numbers compared as the decimals they are written as.
//!
//! A PICTURE holds 18 or 31 digits and a binary floating-point number 15, so
//! bounds and steps of a schema are never taken through one while the digits
//! fit 38.

use std::cmp::Ordering;

/// Largest exponent that is followed; beyond it a number is approximate.
const MAX_EXPONENT: i32 = 999;

/// Whether a JSON number's value is whole: `1.0` and `1e3` are.
pub(super) fn is_integer(text: &str) -> bool {
    let plain = text.bytes().all(|b| b.is_ascii_digit());
    plain || decimal(text).is_some_and(|(_, scale)| scale <= 0)
}

/// Whether a number is a multiple of another in decimal arithmetic: 0.3 is one
/// of 0.1. Numbers of more digits than are held count as multiples.
pub(super) fn is_multiple(text: &str, step: &str) -> bool {
    match align(text, step) {
        Some((a, b)) if b != 0 => a % b == 0,
        _ => true,
    }
}

/// Orders two JSON numbers by their values.
pub(super) fn compare(a: &str, b: &str) -> Ordering {
    // Nearly all numbers are whole and have no sign.
    if is_natural(a) && is_natural(b) {
        return a.len().cmp(&b.len()).then_with(|| a.cmp(b));
    }
    match align(a, b) {
        Some((a, b)) => a.cmp(&b),
        None => {
            let float = |text: &str| text.parse::<f64>().unwrap_or(f64::NAN);
            float(a).partial_cmp(&float(b)).unwrap_or(Ordering::Greater)
        }
    }
}

/// Whether a text is digits, of which the first is a zero only when it is alone.
fn is_natural(text: &str) -> bool {
    let digits = text.as_bytes();
    let zeros = digits.len() != 1 && digits.first().is_none_or(|b| *b == b'0');
    !zeros && digits.iter().all(u8::is_ascii_digit)
}

/// Two numbers as integers of one scale; `None` when they do not fit.
fn align(a: &str, b: &str) -> Option<(i128, i128)> {
    let ((a, a_scale), (b, b_scale)) = (decimal(a)?, decimal(b)?);
    let scale = a_scale.max(b_scale);
    let widen = |value: i128, from: i32| {
        let power = u32::try_from(scale - from).ok()?;
        value.checked_mul(10i128.checked_pow(power)?)
    };
    Some((widen(a, a_scale)?, widen(b, b_scale)?))
}

/// A JSON number as digits without trailing zeros and the power of ten they
/// are divided by; `None` beyond 38 digits or three-digit exponents.
fn decimal(text: &str) -> Option<(i128, i32)> {
    let (mantissa, exponent) = match text.find(['e', 'E']) {
        Some(i) => {
            let exponent = text[i + 1..].parse::<i32>().ok();
            (&text[..i], exponent.filter(|e| e.abs() <= MAX_EXPONENT)?)
        }
        None => (text, 0),
    };
    let (mut value, mut scale, mut fraction) = (0i128, -exponent, false);
    for byte in mantissa.bytes() {
        match byte {
            b'0'..=b'9' => {
                let digit = i128::from(byte - b'0');
                value = value.checked_mul(10)?.checked_add(digit)?;
                scale += i32::from(fraction);
            }
            b'.' => fraction = true,
            _ => {}
        }
    }
    if value == 0 {
        return Some((0, 0));
    }
    while value % 10 == 0 {
        value /= 10;
        scale -= 1;
    }
    if mantissa.starts_with('-') {
        value = -value;
    }
    Some((value, scale))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn multiples_and_whole_numbers_are_decimal() {
        assert!(is_integer("1.50e1") && is_integer("-0.0") && !is_integer("1.5"));
        assert!(is_multiple("0.3", "0.1") && !is_multiple("1.005", "0.01"));
    }

    #[test]
    fn eighteen_digits_are_distinguished() {
        let (low, high) = ("999999999999999999", "1000000000000000000");
        assert_eq!(compare(low, high), Ordering::Less);
        assert_eq!(compare("1e18", high), Ordering::Equal);
        assert_eq!(compare("-1.10", "-1.1"), Ordering::Equal);
        assert_eq!(compare("1e400", "1e399"), Ordering::Greater);
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(text in "\\PC{0,60}") {
            let _ = (is_integer(&text), is_multiple(&text, "0.1"), compare(&text, "1"));
        }

        #[test]
        fn integers_compare_as_integers(a in proptest::prelude::any::<i64>(), b in proptest::prelude::any::<i64>()) {
            proptest::prop_assert_eq!(compare(&a.to_string(), &b.to_string()), a.cmp(&b));
        }
    }
}
