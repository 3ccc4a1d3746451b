//! JSON as text: values that are brought into a type, trimmed, compared and
//! taken for true or false without a tree in between.

use super::expr::TrimMode;
use crate::json::{JsonKind, JsonTape, TapeValue, is_number, write_string};
use crate::validate::schema::SchemaType;

/// Trims the JSON string at `from`; other values stay as they are.
pub(super) fn trimmed(trim: TrimMode, out: &mut Vec<u8>, from: usize) {
    match trim {
        TrimMode::Keep => {}
        TrimMode::Both => normalise(out, from),
        TrimMode::End => cut_end(out, from),
    }
}

/// Applies `$replace(x, / +$/, '')` to the JSON string at `from`.
fn cut_end(out: &mut Vec<u8>, from: usize) {
    if let [b'"', inner @ .., b'"'] = &out[from..] {
        // A blank has no escape of its own but \u0020, which is undone first.
        if inner.contains(&b'\\') {
            let mut tape = JsonTape::default();
            let Some(text) = tape.parse(&out[from..]).ok().and_then(|v| {
                let text = v.str()?;
                Some(text.trim_end_matches(' ').to_owned())
            }) else {
                return;
            };
            out.truncate(from);
            return write_string(&text, out);
        }
        let blanks = inner.iter().rev().take_while(|b| **b == b' ').count();
        if blanks > 0 {
            out.truncate(out.len() - blanks - 1);
            out.push(b'"');
        }
    }
}

/// Applies `$trim` to the JSON string at `from`: blanks at both ends are
/// removed, runs of blanks become one.
pub(super) fn normalise(out: &mut Vec<u8>, from: usize) {
    let mut tape = JsonTape::default();
    let Ok(value) = tape.parse(&out[from..]) else {
        return;
    };
    let Some(text) = value.str() else { return };
    let blank = |c: char| matches!(c, ' ' | '\t' | '\n' | '\r');
    let plain = !text.starts_with(blank) && !text.ends_with(blank);
    if plain && !text.contains("  ") && !text.contains(['\t', '\n', '\r']) {
        return;
    }
    let words: Vec<&str> = text.split(blank).filter(|w| !w.is_empty()).collect();
    let text = words.join(" ");
    out.truncate(from);
    write_string(&text, out);
}

/// Brings the JSON value at `from` into the type that the document wants,
/// where the value allows it.
pub(super) fn convert(want: Option<SchemaType>, out: &mut Vec<u8>, from: usize) {
    let Some(first) = out.get(from).copied() else {
        return;
    };
    match (want, first) {
        (Some(SchemaType::String), b'-' | b'0'..=b'9' | b't' | b'f') => {
            out.insert(from, b'"');
            out.push(b'"');
        }
        (Some(SchemaType::String), b'{' | b'[') => {
            let text = String::from_utf8_lossy(&out[from..]).into_owned();
            out.truncate(from);
            write_string(&text, out);
        }
        (Some(SchemaType::Integer | SchemaType::Number), b'"') => {
            let inner = String::from_utf8_lossy(&out[from + 1..out.len() - 1]).into_owned();
            let trimmed = inner.trim();
            // COBOL's leading zeros are not JSON.
            let (sign, digits) = match trimmed.strip_prefix('-') {
                Some(digits) => ("-", digits),
                None => ("", trimmed.strip_prefix('+').unwrap_or(trimmed)),
            };
            let kept = digits.trim_start_matches('0');
            let zero = !kept.starts_with(|c: char| c.is_ascii_digit());
            let number = format!("{sign}{}{kept}", if zero { "0" } else { "" });
            if !digits.is_empty() && is_number(&number) {
                out.truncate(from);
                out.extend_from_slice(number.as_bytes());
            }
        }
        (Some(SchemaType::Boolean), b'"') => {
            let word = match &out[from..] {
                b"\"true\"" => "true",
                b"\"false\"" => "false",
                _ => return,
            };
            out.truncate(from);
            out.extend_from_slice(word.as_bytes());
        }
        _ => {}
    }
}

/// Whether two JSON texts mean one value; of different types they never do.
pub(super) fn same(left: &[u8], right: &str) -> bool {
    if left == right.as_bytes() {
        return true;
    }
    let (mut a, mut b) = (JsonTape::default(), JsonTape::default());
    let (Ok(left), Ok(right)) = (a.parse(left), b.parse(right.as_bytes())) else {
        return false;
    };
    match (left.kind(), right.kind()) {
        (JsonKind::Number, JsonKind::Number) => {
            left.raw().parse::<f64>().ok() == right.raw().parse::<f64>().ok()
        }
        (JsonKind::String, JsonKind::String) => left.str() == right.str(),
        _ => false,
    }
}

/// JSONata's notion of true, for a result as JSON text.
pub(super) fn truthy(text: &str) -> bool {
    let mut tape = JsonTape::default();
    tape.parse(text.as_bytes()).is_ok_and(is_true)
}

/// Reference: jsonata.js, `boolean`; a list is true if one of its items is.
fn is_true(value: TapeValue<'_>) -> bool {
    match value.kind() {
        JsonKind::Null => false,
        JsonKind::Bool => value.raw() == "true",
        JsonKind::Number => value.raw().parse::<f64>().is_ok_and(|n| n != 0.0),
        JsonKind::String => value.raw().len() > 2,
        JsonKind::Object => value.len() > 0,
        JsonKind::Array => value.items().any(is_true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn converted(want: SchemaType, text: &str) -> String {
        let mut out = text.as_bytes().to_vec();
        convert(Some(want), &mut out, 0);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_document_decides_the_type() {
        assert_eq!(converted(SchemaType::String, "12.50"), "\"12.50\"");
        assert_eq!(converted(SchemaType::Number, "\"  007.50 \""), "7.50");
        assert_eq!(converted(SchemaType::Number, "\"-000\""), "-0");
        assert_eq!(converted(SchemaType::Integer, "\"abc\""), "\"abc\"");
        assert_eq!(converted(SchemaType::Boolean, "\"true\""), "true");
    }

    #[test]
    fn comparison_is_by_value_and_type() {
        assert!(same(b"0.0", "0") && same(b"\"a\\u0062\"", "\"ab\""));
        assert!(!same(b"\"0\"", "0"));
        assert!(truthy("\"x\"") && !truthy("\"\"") && !truthy("0") && !truthy("[]"));
        assert!(!truthy("[0]") && !truthy("[false,false]") && truthy("[0,[1]]") && !truthy("{}"));
    }

    #[test]
    fn trim_leaves_single_blanks() {
        let mut out = b"x\"  a   b \"".to_vec();
        normalise(&mut out, 1);
        assert_eq!(out, b"x\"a b\"");
    }
}
