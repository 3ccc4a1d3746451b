//! Elementary items as JSON and XML GENERATE write them: converted to
//! characters and trimmed.
//!
//! Reference: Enterprise COBOL Language Reference, "Format conversion of
//! elementary data" and "Trimming of generated JSON data", with their like of
//! XML GENERATE.

use std::fmt::Write;

use copybook::FieldKind;

use super::Fault;
use super::descriptor::{FigurativeSet, Node};
use super::number::{self, SignedDigits};

/// The characters of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ItemText {
    /// A number, with a period as its decimal point.
    Number(String),
    /// Characters, of which at least one is left.
    Text(Vec<u8>),
}

/// Converts and trims an item.
///
/// # Errors
/// A digit or sign of a number is invalid.
pub(super) fn convert(node: &Node, bytes: &[u8]) -> Result<ItemText, Fault> {
    Ok(match &node.kind {
        FieldKind::Numeric(numeric) => {
            let digits = number::read(numeric, bytes).ok_or_else(|| invalid(node, bytes))?;
            ItemText::Number(decimal(digits, i32::from(numeric.scale)))
        }
        FieldKind::Float => ItemText::Number(match bytes.try_into() {
            Ok(bytes) => scientific(f64::from(f32::from_ne_bytes(bytes)), 8),
            Err(_) => return Err(invalid(node, bytes)),
        }),
        FieldKind::Double => ItemText::Number(match bytes.try_into() {
            Ok(bytes) => scientific(f64::from_ne_bytes(bytes), 17),
            Err(_) => return Err(invalid(node, bytes)),
        }),
        _ => ItemText::Text(trim(bytes, node.is_justified).to_vec()),
    })
}

/// Digits with `scale` of them after the point, without leading zeros; zeros
/// after the point stay.
pub(super) fn decimal(digits: SignedDigits, scale: i32) -> String {
    let mut text = digits.magnitude.to_string();
    if scale < 0 && digits.magnitude != 0 {
        text.extend(std::iter::repeat_n('0', scale.unsigned_abs() as usize));
    }
    let places = usize::try_from(scale).unwrap_or(0);
    if places > 0 {
        if text.len() <= places {
            text.insert_str(0, &"0".repeat(places + 1 - text.len()));
        }
        text.insert(text.len() - places, '.');
    }
    if digits.negative && digits.magnitude != 0 {
        text.insert(0, '-');
    }
    text
}

/// A floating-point number with one digit before the point, this many after
/// it, and an exponent of two digits at least.
fn scientific(value: f64, places: usize) -> String {
    let text = format!("{value:.places$e}");
    let Some((mantissa, exponent)) = text.split_once('e') else {
        return "0".to_owned();
    };
    let (sign, digits) = match exponent.strip_prefix('-') {
        Some(digits) => ('-', digits),
        None => ('+', exponent),
    };
    let mut out = String::new();
    let _ = write!(out, "{mantissa}E{sign}{digits:0>2}");
    out
}

/// The characters without blanks at the end, or at the beginning if they are
/// justified; one blank if there is nothing else.
pub(super) fn trim(bytes: &[u8], is_justified: bool) -> &[u8] {
    let is_mark = |b: &u8| *b != b' ';
    let kept = if is_justified {
        bytes.iter().position(is_mark).map(|from| &bytes[from..])
    } else {
        bytes.iter().rposition(is_mark).map(|to| &bytes[..=to])
    };
    kept.unwrap_or(if bytes.is_empty() { b"" } else { b" " })
}

/// Whether an item is one of these figurative constants.
pub(super) fn is_figurative(node: &Node, bytes: &[u8], which: FigurativeSet) -> bool {
    let has = |bit: u8| which.0 & bit != 0;
    let all = |byte: u8| bytes.iter().all(|&b| b == byte);
    let is_zero = || match &node.kind {
        FieldKind::Numeric(numeric) => {
            number::read(numeric, bytes).is_some_and(|d| d.magnitude == 0)
        }
        FieldKind::Float => bytes.try_into().is_ok_and(|b| f32::from_ne_bytes(b) == 0.0),
        FieldKind::Double => bytes.try_into().is_ok_and(|b| f64::from_ne_bytes(b) == 0.0),
        _ => all(b'0'),
    };
    has(FigurativeSet::ZERO) && is_zero()
        || has(FigurativeSet::SPACE) && all(b' ')
        || has(FigurativeSet::LOW) && all(0)
        || has(FigurativeSet::HIGH) && all(0xFF)
}

/// Whether an item has one of the values that stand for true.
pub(super) fn is_true(node: &Node, bytes: &[u8]) -> Result<bool, Fault> {
    let own = match convert(node, bytes)? {
        ItemText::Number(text) => text.into_bytes(),
        ItemText::Text(_) => without_blanks(bytes).to_vec(),
    };
    let is_number = matches!(node.kind, FieldKind::Numeric(_));
    Ok(node.truths.iter().any(|range| {
        if is_number {
            let value = |text: &[u8]| std::str::from_utf8(text).ok()?.parse::<f64>().ok();
            match (value(&own), value(&range.low), value(&range.high)) {
                (Some(own), Some(low), Some(high)) => (low..=high).contains(&own),
                _ => false,
            }
        } else {
            let (low, high) = (without_blanks(&range.low), without_blanks(&range.high));
            low <= own.as_slice() && own.as_slice() <= high
        }
    }))
}

fn without_blanks(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|&b| b != b' ');
    end.map_or(b"", |end| &bytes[..=end])
}

/// The data exception of an item.
pub(super) fn invalid(node: &Node, bytes: &[u8]) -> Fault {
    const SHOWN: usize = 20;
    let mut text = format!("data exception (0C7): {} holds X'", node.item);
    for byte in bytes.iter().take(SHOWN) {
        let _ = write!(text, "{byte:02X}");
    }
    let more = if bytes.len() > SHOWN { "..." } else { "" };
    Fault(format!("{text}{more}', which is not a number"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_lose_leading_zeros_and_keep_those_after_the_point() {
        let cases = [
            (true, 12340, 3, "-12.340"),
            (false, 45, 2, "0.45"),
            (false, 13, 0, "13"),
            (false, 0, 0, "0"),
            (true, 0, 1, "0.0"),
            (false, 7, -3, "7000"),
            (false, 7, 5, "0.00007"),
        ];
        for (negative, magnitude, scale, expected) in cases {
            let digits = SignedDigits {
                negative,
                magnitude,
            };
            assert_eq!(decimal(digits, scale), expected);
        }
    }

    #[test]
    fn floats_are_written_with_an_exponent() {
        assert_eq!(scientific(1.5, 8), "1.50000000E+00");
        assert_eq!(scientific(-0.00025, 8), "-2.50000000E-04");
    }

    #[test]
    fn one_blank_is_left_of_blanks() {
        assert_eq!(trim(b"ab  ", false), b"ab");
        assert_eq!(trim(b"  ab", true), b"ab");
        assert_eq!(trim(b"   ", false), b" ");
        assert_eq!(trim(b"   ", true), b" ");
    }
}
