//! Conditions of level 88 in the schema of their field: its values, an example, or
//! a description.
//!
//! A condition names values; it limits its field only if its name says that they are
//! all, or if the import requests it ([`ValueLimits`]).

use super::member::ValueLimits;
use copybook::{Condition, Field, FieldKind, Literal};
use serde_json::{Value, json};

/// The text of a condition. Returns `None` when it is not a single text.
pub(super) fn texts(literal: &Literal) -> Option<Value> {
    match literal {
        Literal::Text(text) => Some(json!(text.trim_end())),
        Literal::Figurative(word) if word.starts_with("SPACE") => Some(json!("")),
        _ => None,
    }
}

/// The number of a condition. Returns `None` when it is not a single number.
pub(super) fn numbers(literal: &Literal) -> Option<Value> {
    match literal {
        Literal::Number(text) => number(text),
        Literal::Figurative(word) if word.starts_with("ZERO") => Some(json!(0)),
        _ => None,
    }
}

/// A COBOL literal as a JSON number.
pub(super) fn number(text: &str) -> Option<Value> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", text.trim_start_matches('+')),
    };
    let digits = digits.trim_start_matches('0');
    let digits = if digits.is_empty() || digits.starts_with('.') {
        format!("0{digits}")
    } else {
        digits.into()
    };
    serde_json::from_str(&format!("{sign}{digits}")).ok()
}

/// The values of conditions, each once. Returns `None` unless all are single values.
fn values<'a>(
    conditions: impl Iterator<Item = &'a Condition>,
    of: fn(&Literal) -> Option<Value>,
) -> Option<Vec<Value>> {
    let mut all: Vec<Value> = Vec::new();
    for (from, to) in conditions.flat_map(|c| &c.values) {
        let value = of(from)?;
        if to.is_some() {
            return None;
        }
        if !all.contains(&value) {
            all.push(value);
        }
    }
    (!all.is_empty()).then_some(all)
}

/// Whether a condition's name says that its values are all there are.
fn names_all(condition: &Condition) -> bool {
    let mut words = condition.name.split(['-', '_']);
    words.any(|word| {
        matches!(
            word.to_ascii_uppercase().as_str(),
            "VALID" | "VALIDS" | "VALUES"
        )
    })
}

/// Whether conditions name values of a field, of which none says that they are
/// all, so that others may be right too.
pub(super) fn names_some_values(field: &Field) -> bool {
    let of = match field.kind {
        FieldKind::Numeric(_) => numbers,
        _ => texts,
    };
    let several = values(field.conditions.iter(), of).is_some_and(|v| v.len() > 1);
    several && !field.conditions.iter().any(names_all)
}

/// The values of the conditions in a schema: as its limits, or the first of them
/// as an example.
pub(super) fn show_values(
    schema: &mut Value,
    field: &Field,
    limits: ValueLimits,
    of: fn(&Literal) -> Option<Value>,
) {
    let set = field.conditions.iter().filter(|c| names_all(c));
    let all = || values(field.conditions.iter(), of);
    let named = match limits {
        ValueLimits::Never => None,
        ValueLimits::NamedSets => values(set, of),
        ValueLimits::Always => values(set, of).or_else(all),
    };
    match named.filter(|values| values.len() > 1) {
        Some(values) => schema["enum"] = Value::Array(values),
        None => {
            let first = all().and_then(|values| values.into_iter().next());
            if let Some(first) = first {
                schema["example"] = first;
            }
        }
    }
}

/// The names of a field's conditions with their values.
pub(super) fn conditions(field: &Field) -> Option<String> {
    let shown = |literal: &Literal| match literal {
        Literal::Text(text) => format!("'{text}'"),
        Literal::Number(text) => text.clone(),
        Literal::Figurative(word) => word.clone(),
        Literal::Hex(_) | Literal::All(_) => "…".into(),
    };
    let all = field.conditions.iter().map(|condition| {
        let values = condition.values.iter().map(|(from, to)| match to {
            Some(to) => format!("{} to {}", shown(from), shown(to)),
            None => shown(from),
        });
        format!(
            "{} {}",
            condition.name,
            values.collect::<Vec<_>>().join(", ")
        )
    });
    let text = all.collect::<Vec<_>>().join("; ");
    (!text.is_empty()).then_some(text)
}
