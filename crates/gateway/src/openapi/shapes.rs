//! The required shapes of keywords' values.
//!
//! `minLength: "2"` or `required: yes` means something to its author, but is
//! ignored by the checks of requests. Such a value is reported like an
//! unsupported keyword.
//!
//! Reference: OpenAPI 2.0, 3.0.3 and 3.1.0; JSON Schema 2020-12, "Validation".

use super::OpenapiVersion;
use super::keywords::{KeywordChild, ObjectKind};
use crate::validate::schema::whole;
use serde_json::Value;

/// The forms of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Text,
    Flag,
    Number,
    Positive,
    Count,
    /// A list of texts.
    Names,
    /// A list with something in it.
    Values,
    List,
    Map,
    Schema,
    /// A schema, or true or false.
    SchemaOrFlag,
}

/// The expected value of a keyword; `None` if the value is right.
pub(super) fn wrong(
    version: OpenapiVersion,
    (kind, keyword): (ObjectKind, &str),
    below: KeywordChild,
    value: &Value,
) -> Option<String> {
    let shape = of_below(version, keyword, below).or_else(|| of_keyword(kind, keyword))?;
    // An empty value has no effect.
    if value.is_null() || shape.is_of(value) {
        return None;
    }
    let mut shown = value.to_string();
    if shown.chars().count() > LONGEST {
        shown = shown.chars().take(LONGEST).collect::<String>() + "…";
    }
    let expected = shape.described();
    Some(format!(
        "{keyword}: expected {expected}; {shown} is ignored"
    ))
}

/// Names of responses that no answer can have.
pub(super) fn no_status(name: &str) -> bool {
    let class = matches!(name.as_bytes(), [b'1'..=b'5', b'X', b'X']);
    let code =
        matches!(name.as_bytes(), [b'1'..=b'5', a, b] if a.is_ascii_digit() && b.is_ascii_digit());
    !(class || code || name == "default")
}

fn of_below(version: OpenapiVersion, keyword: &str, below: KeywordChild) -> Option<Shape> {
    Some(match below {
        KeywordChild::Value => return None,
        KeywordChild::One(ObjectKind::Schema)
            if version == OpenapiVersion::V31 || keyword == "additionalProperties" =>
        {
            Shape::SchemaOrFlag
        }
        KeywordChild::One(ObjectKind::Schema) => Shape::Schema,
        KeywordChild::One(_) | KeywordChild::Map(_) => Shape::Map,
        KeywordChild::List(_) => Shape::List,
    })
}

fn of_keyword(kind: ObjectKind, keyword: &str) -> Option<Shape> {
    let rows = match kind {
        ObjectKind::Schema | ObjectKind::Items => SCHEMA,
        ObjectKind::Parameter => {
            let own = named(PARAMETER, keyword);
            return own.or_else(|| named(SCHEMA, keyword));
        }
        ObjectKind::RequestBody => REQUEST_BODY,
        ObjectKind::Operation => OPERATION,
        ObjectKind::Document => DOCUMENT,
        ObjectKind::Server => SERVER,
        _ => return None,
    };
    named(rows, keyword)
}

type Rows = &'static [(&'static str, Shape)];

fn named(rows: Rows, keyword: &str) -> Option<Shape> {
    let row = rows.iter().find(|(name, _)| *name == keyword);
    row.map(|(_, shape)| *shape)
}

const SCHEMA: Rows = &[
    ("multipleOf", Shape::Positive),
    ("maximum", Shape::Number),
    ("minimum", Shape::Number),
    ("maxLength", Shape::Count),
    ("minLength", Shape::Count),
    ("pattern", Shape::Text),
    ("maxItems", Shape::Count),
    ("minItems", Shape::Count),
    ("uniqueItems", Shape::Flag),
    ("maxProperties", Shape::Count),
    ("minProperties", Shape::Count),
    ("required", Shape::Names),
    ("enum", Shape::Values),
    ("format", Shape::Text),
    ("nullable", Shape::Flag),
    ("readOnly", Shape::Flag),
    ("minContains", Shape::Count),
    ("maxContains", Shape::Count),
    ("dependentRequired", Shape::Map),
];
const PARAMETER: Rows = &[
    ("name", Shape::Text),
    ("in", Shape::Text),
    ("required", Shape::Flag),
    ("allowEmptyValue", Shape::Flag),
    ("style", Shape::Text),
    ("explode", Shape::Flag),
    ("allowReserved", Shape::Flag),
    ("collectionFormat", Shape::Text),
];
const REQUEST_BODY: Rows = &[("required", Shape::Flag)];
const OPERATION: Rows = &[
    ("operationId", Shape::Text),
    ("consumes", Shape::Names),
    ("produces", Shape::Names),
];
const DOCUMENT: Rows = &[
    ("basePath", Shape::Text),
    ("consumes", Shape::Names),
    ("produces", Shape::Names),
];
const SERVER: Rows = &[("url", Shape::Text)];
/// Most characters of a value that are shown.
const LONGEST: usize = 40;

impl Shape {
    fn is_of(self, value: &Value) -> bool {
        let list = value.as_array();
        match self {
            Shape::Text => value.is_string(),
            Shape::Flag => value.is_boolean(),
            Shape::Number => value.is_number(),
            Shape::Positive => value.as_f64().is_some_and(|n| n > 0.0),
            Shape::Count => whole(value).is_some(),
            Shape::Names => list.is_some_and(|list| list.iter().all(Value::is_string)),
            Shape::Values => list.is_some_and(|list| !list.is_empty()),
            Shape::List => list.is_some(),
            Shape::Map | Shape::Schema => value.is_object(),
            Shape::SchemaOrFlag => value.is_object() || value.is_boolean(),
        }
    }

    fn described(self) -> &'static str {
        match self {
            Shape::Text => "a text",
            Shape::Flag => "true or false",
            Shape::Number => "a number",
            Shape::Positive => "a number above 0",
            Shape::Count => "a whole number from 0 on",
            Shape::Names => "a list of names",
            Shape::Values => "a list of values",
            Shape::List => "a list",
            Shape::Map => "an object",
            Shape::Schema => "a schema",
            Shape::SchemaOrFlag => "a schema, or true or false",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_value_that_cannot_be_checked_is_reported() {
        let schema = |keyword: &str, value: &Value| {
            wrong(
                OpenapiVersion::V30,
                (ObjectKind::Schema, keyword),
                KeywordChild::Value,
                value,
            )
        };
        for (keyword, value) in [
            ("minLength", json!("2")),
            ("maxLength", json!(-1)),
            ("maxItems", json!(1.5)),
            ("minimum", json!("5")),
            ("multipleOf", json!(0)),
            ("required", json!(true)),
            ("enum", json!("a,b")),
            ("enum", json!([])),
            ("nullable", json!("true")),
            ("pattern", json!(5)),
        ] {
            let reported = schema(keyword, &value).unwrap_or_default();
            assert!(
                reported.starts_with(keyword) && reported.contains("is ignored"),
                "{reported}"
            );
        }
        for (keyword, value) in [
            ("maxLength", json!(20.0)),
            ("required", json!([])),
            ("minimum", json!(-1.5)),
            ("minLength", json!(null)),
        ] {
            assert_eq!(schema(keyword, &value), None, "{keyword}");
        }
        let operation = (ObjectKind::Parameter, "required");
        assert!(
            wrong(
                OpenapiVersion::V30,
                operation,
                KeywordChild::Value,
                &json!("yes")
            )
            .is_some()
        );
        let items = (ObjectKind::Schema, "items");
        let below = KeywordChild::One(ObjectKind::Schema);
        assert!(wrong(OpenapiVersion::V30, items, below, &json!([{}])).is_some());
        assert!(wrong(OpenapiVersion::V30, items, below, &json!(false)).is_some());
        assert!(wrong(OpenapiVersion::V31, items, below, &json!(false)).is_none());
    }

    #[test]
    fn statuses_are_codes_classes_and_default() {
        for name in ["200", "4XX", "default", "599"] {
            assert!(!no_status(name), "{name}");
        }
        for name in ["4xx", "ok", "999", "20", "2000", ""] {
            assert!(no_status(name), "{name}");
        }
    }
}
