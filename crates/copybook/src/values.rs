//! Values that people write for a field, in the form that JSON shows them.
//!
//! A type code that chooses a description is compared with what a record shows: `1` is
//! `1.00` in a field with two decimal places, and `T` is `T` with blanks after it.

use crate::{Field, FieldKind, NumberStorage, NumericItem};

/// The value as JSON shows it in this field, without quotes. Returns `None` if the field
/// cannot have it.
pub fn shown_value(field: &Field, value: &str) -> Option<String> {
    match &field.kind {
        FieldKind::Numeric(numeric) => shown_number(numeric, value.trim()),
        FieldKind::Float
        | FieldKind::Double
        | FieldKind::DecimalFloat
        | FieldKind::NumericEdited(_) => Some(value.to_owned()),
        _ => {
            let text = value.trim_end_matches(' ');
            let fits = text.chars().count() <= field.length as usize;
            fits.then(|| text.to_owned())
        }
    }
}

fn shown_number(numeric: &NumericItem, value: &str) -> Option<String> {
    let (is_negative, digits) = match value.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, value.strip_prefix('+').unwrap_or(value)),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let is_digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    if digits.is_empty() || !is_digits(whole) || !is_digits(fraction) {
        return None;
    }
    let whole = whole.trim_start_matches('0');
    let fraction = fraction.trim_end_matches('0');
    let is_zero = whole.is_empty() && fraction.is_empty();
    let scale = usize::try_from(numeric.scale).unwrap_or(0);
    // The bytes of a binary number hold more than its picture.
    let most = match numeric.storage {
        NumberStorage::Binary | NumberStorage::Native => 19,
        _ => usize::try_from(i32::from(numeric.digits) - i32::from(numeric.scale)).unwrap_or(0),
    };
    let is_signed = numeric.signed || is_zero || !is_negative;
    if !is_signed || whole.len() > most || fraction.len() > scale {
        return None;
    }
    let sign = if is_negative && !is_zero { "-" } else { "" };
    let whole = if whole.is_empty() { "0" } else { whole };
    Some(match scale {
        0 => format!("{sign}{whole}"),
        scale => format!("{sign}{whole}.{fraction:0<scale$}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(picture: &str, value: &str) -> Option<String> {
        let text = format!("       01  R.\n           05  F PIC {picture}.\n");
        let options = crate::ParseOptions::default();
        let layout = crate::parse(&text, &options).expect("a layout").remove(0);
        let id = layout.find("F").expect("the field");
        shown_value(&layout[id], value)
    }

    #[test]
    fn numbers_have_the_digits_of_their_field() {
        for (picture, value, wanted) in [
            ("9(3)", "007", Some("7")),
            ("S9(3)", "+2", Some("2")),
            ("S9(3)", "-02.0", Some("-2")),
            ("S9", "-0", Some("0")),
            ("9(3)V99", "1", Some("1.00")),
            ("S9(3)V99 COMP-3", "-.5", Some("-0.50")),
            ("9", "12", None),
            ("9", "-1", None),
            ("9", "1.5", None),
            ("9", "", None),
            ("9", "1e0", None),
            ("9(4) COMP", "40000", Some("40000")),
        ] {
            assert_eq!(
                shown(picture, value).as_deref(),
                wanted,
                "{picture} {value}"
            );
        }
    }

    #[test]
    fn texts_have_no_blanks_at_their_end() {
        assert_eq!(shown("X(2)", "T "), Some("T".to_owned()));
        assert_eq!(shown("X(2)", " T"), Some(" T".to_owned()));
        assert_eq!(shown("X(2)", "TXT"), None);
    }
}
