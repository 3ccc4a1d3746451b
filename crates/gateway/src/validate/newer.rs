//! Keywords that schemas of OpenAPI 3.1 have and those of 3.0 have not.
//!
//! These keywords are stored apart from a schema, so that a request pays only for the common
//! keywords.
//!
//! Reference: JSON Schema 2020-12, Core and Validation.

use super::pattern;
use super::schema::{NumberBound, Schema, SchemaId, SchemaSet, SchemaType, SchemaWarning};
use super::walk::SchemaWalk;
use crate::json::TapeValue;
use serde_json::Value;

/// Keywords of 3.1.
#[derive(Debug, Default)]
pub(crate) struct NewerKeywords {
    /// Several types, of which a value has one.
    pub kinds: Vec<SchemaType>,
    /// The schema `false`.
    pub never: bool,
    condition: Option<Condition>,
    dependent_required: Vec<(String, Vec<String>)>,
    dependent_schemas: Vec<(String, SchemaId)>,
    /// Schemas of the first items, one each.
    pub prefix_items: Vec<SchemaId>,
    contains: Option<Contains>,
    pattern_properties: Vec<(regex::Regex, SchemaId)>,
    property_names: Option<SchemaId>,
}

/// `if`, `then` and `else`.
#[derive(Debug)]
struct Condition {
    test: SchemaId,
    then: Option<SchemaId>,
    otherwise: Option<SchemaId>,
}

/// `contains` with its bounds.
#[derive(Debug)]
struct Contains {
    schema: SchemaId,
    least: usize,
    most: Option<usize>,
}

impl SchemaSet {
    /// Reads the keywords of 3.1 into a schema.
    pub(super) fn build_newer(&mut self, document: &Value, s: &Value, schema: &mut Schema) {
        let mut newer = NewerKeywords {
            never: *s == Value::Bool(false),
            ..NewerKeywords::default()
        };
        types(s, schema, &mut newer);
        exclusive(s, schema);
        if let Some(only) = s.get("const") {
            schema.values = if schema.values.is_empty() || schema.values.contains(only) {
                vec![only.clone()]
            } else {
                Vec::new()
            };
            newer.never |= schema.values.is_empty();
        }
        // With siblings, a reference is one schema of several.
        if let Some(reference) = s.get("$ref").filter(|r| r.is_string()) {
            let target = self.compile(document, &serde_json::json!({ "$ref": reference }));
            schema.all_of.push(target);
        }
        let one = |set: &mut SchemaSet, key: &str| Some(set.compile(document, s.get(key)?));
        newer.condition = one(self, "if").map(|test| Condition {
            test,
            then: one(self, "then"),
            otherwise: one(self, "else"),
        });
        newer.property_names = one(self, "propertyNames");
        let count = |key: &str| s.get(key).and_then(super::schema::whole);
        newer.contains = one(self, "contains").map(|schema| Contains {
            schema,
            least: count("minContains").unwrap_or(1),
            most: count("maxContains"),
        });
        let prefix = s.get("prefixItems").and_then(Value::as_array);
        for item in prefix.into_iter().flatten() {
            newer.prefix_items.push(self.compile(document, item));
        }
        let map = |key: &str| s.get(key).and_then(Value::as_object).into_iter().flatten();
        for (name, inner) in map("dependentSchemas") {
            let id = self.compile(document, inner);
            newer.dependent_schemas.push((name.clone(), id));
        }
        for (name, list) in map("dependentRequired") {
            let names = list.as_array().into_iter().flatten();
            let names = names.filter_map(|n| Some(n.as_str()?.to_owned())).collect();
            newer.dependent_required.push((name.clone(), names));
        }
        for (text, inner) in map("patternProperties") {
            match pattern::compile(text) {
                Some(regex) => {
                    let id = self.compile(document, inner);
                    newer.pattern_properties.push((regex, id));
                }
                None => self
                    .notes
                    .push(SchemaWarning::pattern("patternProperties", text)),
            }
        }
        if newer.has_keywords() {
            schema.newer = Some(Box::new(newer));
        }
    }
}

/// A list of types: one, one that may be null, or several.
fn types(s: &Value, schema: &mut Schema, newer: &mut NewerKeywords) {
    let null = |v: &Value| v.as_str() == Some("null");
    match s.get("type") {
        Some(Value::Array(list)) => {
            schema.nullable = list.iter().any(null);
            let names = list.iter().filter_map(Value::as_str);
            let kinds: Vec<SchemaType> = names.filter_map(SchemaType::by_name).collect();
            match kinds.as_slice() {
                [] if schema.nullable => schema.values = vec![Value::Null],
                [one] => schema.kind = Some(*one),
                _ => newer.kinds = kinds,
            }
        }
        Some(one) if null(one) => schema.values = vec![Value::Null],
        _ => {}
    }
}

/// Exclusive bounds are numbers of their own; the tighter of two counts.
fn exclusive(s: &Value, schema: &mut Schema) {
    use std::cmp::Ordering::{Greater, Less};
    let tighter = |bound: &mut Option<NumberBound>, key: &str, side| {
        let Some(number) = s.get(key).filter(|n| n.is_number()) else {
            return;
        };
        let text = number.to_string();
        let looser = bound
            .as_ref()
            .is_some_and(|b| super::decimal::compare(&b.text, &text) == side);
        if !looser {
            *bound = Some(NumberBound {
                text,
                exclusive: true,
            });
        }
    };
    // A minimum above the exclusive one is the tighter of the two.
    tighter(&mut schema.minimum, "exclusiveMinimum", Greater);
    tighter(&mut schema.maximum, "exclusiveMaximum", Less);
}

impl NewerKeywords {
    fn has_keywords(&self) -> bool {
        self.never
            || self.condition.is_some()
            || self.contains.is_some()
            || self.property_names.is_some()
            || !(self.kinds.is_empty()
                && self.dependent_required.is_empty()
                && self.dependent_schemas.is_empty()
                && self.prefix_items.is_empty()
                && self.pattern_properties.is_empty())
    }

    /// Schemas that a property's name asks for by its form.
    pub fn by_pattern(&self, name: &str) -> impl Iterator<Item = SchemaId> {
        let matching = self.pattern_properties.iter();
        matching.filter_map(move |(regex, id)| regex.is_match(name).then_some(*id))
    }
}

impl SchemaWalk<'_, '_> {
    /// Checks a value against the keywords of 3.1 that hold it as a whole.
    pub(super) fn newer(&mut self, newer: &NewerKeywords, value: TapeValue<'_>) {
        if newer.never {
            return self.fault("must not be there");
        }
        if let Some(condition) = &newer.condition {
            let next = if self.fits(condition.test, value) {
                condition.then
            } else {
                condition.otherwise
            };
            if let Some(id) = next {
                self.deeper(|walk| walk.value(id, value));
            }
        }
        match value.kind() {
            crate::json::JsonKind::Object => self.newer_object(newer, value),
            crate::json::JsonKind::Array => self.newer_array(newer, value),
            _ => {}
        }
    }

    fn newer_object(&mut self, newer: &NewerKeywords, value: TapeValue<'_>) {
        for (name, needed) in &newer.dependent_required {
            if value.get(name).is_none() {
                continue;
            }
            for missing in needed.iter().filter(|n| value.get(n).is_none()) {
                self.fault(format!("{missing} is required where {name} is"));
            }
        }
        for (name, id) in &newer.dependent_schemas {
            if value.get(name).is_some() {
                self.deeper(|walk| walk.value(*id, value));
            }
        }
        if let Some(id) = newer.property_names {
            for (name, _) in value.members() {
                let mut faults = Vec::new();
                SchemaWalk::new(self.set(), &mut faults)
                    .text(id, super::walk::ScalarValue::Text(&name));
                for fault in faults {
                    self.fault(format!("the name {name} {}", fault.message));
                }
            }
        }
    }

    fn newer_array(&mut self, newer: &NewerKeywords, value: TapeValue<'_>) {
        let Some(contains) = &newer.contains else {
            return;
        };
        let count = value
            .items()
            .filter(|item| self.fits(contains.schema, *item))
            .count();
        if count < contains.least {
            let least = contains.least;
            self.fault(format!(
                "must contain at least {least} of the items it asks for"
            ));
        }
        if let Some(most) = contains.most.filter(|most| count > *most) {
            self.fault(format!(
                "must contain at most {most} of the items it asks for"
            ));
        }
    }

    /// Whether a value fits a schema.
    fn fits(&mut self, id: SchemaId, value: TapeValue<'_>) -> bool {
        let mut fits = false;
        self.deeper(|walk| fits = walk.tried(|inner| inner.value(id, value)));
        fits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::JsonTape;
    use serde_json::json;

    fn faults(schema: Value, body: &str) -> Vec<String> {
        let mut set = SchemaSet::of_2020(true);
        let id = set.compile(&schema, &schema);
        let (mut tape, mut faults) = (JsonTape::default(), Vec::new());
        set.check(id, tape.parse(body.as_bytes()).unwrap(), &mut faults);
        let all = faults.into_iter();
        all.map(|f| format!("{} {}", f.pointer.unwrap(), f.message))
            .collect()
    }

    #[test]
    fn types_are_lists_and_null_is_one_of_them() {
        let schema = json!({"type": ["string", "null"], "maxLength": 1});
        assert_eq!(faults(schema.clone(), "null"), [""; 0]);
        assert_eq!(faults(schema.clone(), "\"a\""), [""; 0]);
        assert_eq!(faults(schema.clone(), "1"), [" must be a string"]);
        assert_eq!(faults(schema, "\"ab\"").len(), 1);
        let schema = json!({"type": ["integer", "array"], "items": {"type": "null"}});
        assert_eq!(faults(schema.clone(), "1"), [""; 0]);
        assert_eq!(faults(schema.clone(), "[null]"), [""; 0]);
        assert_eq!(
            faults(schema.clone(), "1.5"),
            [" must be an integer or an array"]
        );
        assert_eq!(
            faults(schema.clone(), "null"),
            [" must be an integer or an array"]
        );
        assert_eq!(
            faults(schema.clone(), "{}"),
            [" must be an integer or an array"]
        );
        assert_eq!(faults(schema, "[1]"), ["/0 must be one of null"]);
        let nullable = json!({"type": "string", "nullable": true});
        assert_eq!(faults(nullable, "null"), [" must be a string"]);
    }

    #[test]
    fn exclusive_bounds_are_numbers_and_the_tighter_one_counts() {
        let schema = json!({"type": "number", "minimum": 3, "exclusiveMinimum": 1,
            "maximum": 9, "exclusiveMaximum": 9});
        assert_eq!(faults(schema.clone(), "2"), [" must be at least 3"]);
        assert_eq!(faults(schema.clone(), "3"), [""; 0]);
        assert_eq!(faults(schema, "9"), [" must be less than 9"]);
    }

    #[test]
    fn const_conditions_and_dependencies_are_checked() {
        assert_eq!(faults(json!({"const": [1, "a"]}), "[1,\"a\"]"), [""; 0]);
        assert_eq!(
            faults(json!({"const": "a"}), "\"b\""),
            [" must be one of \"a\""]
        );
        let schema = json!({"if": {"properties": {"kind": {"const": "card"}}},
            "then": {"required": ["number"]}, "else": {"required": ["iban"]},
            "dependentRequired": {"cvv": ["number"]},
            "dependentSchemas": {"note": {"properties": {"note": {"maxLength": 1}}}}});
        assert_eq!(
            faults(schema.clone(), r#"{"kind":"card"}"#),
            ["/number number is required"]
        );
        assert_eq!(
            faults(schema.clone(), r#"{"kind":"x","cvv":1,"iban":1}"#),
            [" number is required where cvv is"]
        );
        assert_eq!(
            faults(schema, r#"{"kind":"x","iban":1,"note":"ab"}"#).len(),
            1
        );
    }

    #[test]
    fn tuples_patterns_of_names_and_contained_items_are_checked() {
        let schema = json!({"prefixItems": [{"type": "integer"}, {"type": "string"}],
            "items": false, "contains": {"const": 1}});
        assert_eq!(faults(schema.clone(), r#"[1,"a"]"#), [""; 0]);
        assert_eq!(faults(schema.clone(), r#"["x"]"#).len(), 2);
        assert_eq!(faults(schema, r#"[1,"a",2]"#), ["/2 must not be there"]);
        let schema = json!({"patternProperties": {"^n_": {"type": "integer"}},
            "additionalProperties": false, "propertyNames": {"maxLength": 3}});
        assert_eq!(faults(schema.clone(), r#"{"n_a":1}"#), [""; 0]);
        assert_eq!(
            faults(schema.clone(), r#"{"n_a":"x"}"#),
            ["/n_a must be an integer"]
        );
        assert_eq!(
            faults(schema.clone(), r#"{"b":1}"#),
            ["/b b is not a member of this object"]
        );
        assert_eq!(
            faults(schema, r#"{"n_ab":1}"#),
            [" the name n_ab must have at most 3 characters, has 4"]
        );
    }

    #[test]
    fn keywords_next_to_a_reference_count() {
        let schema = json!({"$ref": "#/$defs/a", "maxLength": 2,
            "$defs": {"a": {"type": "string", "minLength": 1}}});
        assert_eq!(faults(schema.clone(), "\"abc\"").len(), 1);
        assert_eq!(faults(schema.clone(), "\"\"").len(), 1);
        assert_eq!(faults(schema, "\"ab\""), [""; 0]);
    }

    #[test]
    fn conditions_that_lead_to_themselves_end() {
        let schema = json!({"$ref": "#/$defs/a", "$defs": {"a": {"if": {"$ref": "#/$defs/a"},
            "then": {"$ref": "#/$defs/a"}, "else": {"$ref": "#/$defs/a"}}}});
        assert!(!faults(schema, "1").is_empty());
    }
}
