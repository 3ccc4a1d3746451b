//! A body or a parameter held against its schema.
//!
//! Invariant: the walk is bounded by the depth of the body, which the parser
//! bounds, and by the depth of `allOf` and its kind, bounded here.

use super::decimal::{compare, is_integer, is_multiple};
use super::format;
use super::schema::{
    MAX_FAULTS, MAX_NESTING, NumberBound, Schema, SchemaId, SchemaSet, SchemaType,
};
use crate::json::{JsonKind, TapeValue};
use crate::problem::Fault;
use base::suggestion;
use serde_json::Value;
use std::borrow::Cow;
use std::cmp::Ordering;

/// Most values of an `enum` that a message lists.
const MAX_LISTED: usize = 12;
/// Most items of an array that are compared for `uniqueItems`.
const MAX_UNIQUE: usize = 4096;

/// A value without structure.
#[derive(Clone, Copy)]
pub(super) enum ScalarValue<'a> {
    Null,
    Bool(&'a str),
    Number(&'a str),
    Text(&'a str),
}

/// A name in the form of a pointer.
fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// One check, with its findings so far.
pub(super) struct SchemaWalk<'s, 'f> {
    set: &'s SchemaSet,
    pointer: String,
    faults: &'f mut Vec<Fault>,
    nesting: usize,
    /// The check went too deep and has stopped: a schema that leads back to
    /// itself twice would be walked for ever.
    ended: bool,
}

impl<'s, 'f> SchemaWalk<'s, 'f> {
    pub fn new(set: &'s SchemaSet, faults: &'f mut Vec<Fault>) -> Self {
        SchemaWalk {
            set,
            pointer: String::new(),
            faults,
            nesting: 0,
            ended: false,
        }
    }
}

impl<'s> SchemaWalk<'s, '_> {
    pub(super) fn set(&self) -> &'s SchemaSet {
        self.set
    }

    /// Whether something fits, its faults kept apart.
    pub(super) fn tried(&mut self, check: impl FnOnce(&mut SchemaWalk<'s, '_>)) -> bool {
        let mut faults = Vec::new();
        let mut inner = SchemaWalk {
            set: self.set,
            pointer: String::new(),
            faults: &mut faults,
            nesting: self.nesting,
            ended: self.ended,
        };
        check(&mut inner);
        if inner.ended && !self.ended {
            self.end();
        }
        faults.is_empty()
    }

    fn end(&mut self) {
        self.ended = true;
        self.fault("the schema is nested too deeply to be checked");
    }

    /// Goes one schema deeper into the same value.
    pub(super) fn deeper(&mut self, check: impl FnOnce(&mut Self)) {
        if self.nesting >= MAX_NESTING {
            return self.end();
        }
        self.nesting += 1;
        check(self);
        self.nesting -= 1;
    }

    #[cold]
    pub(super) fn fault(&mut self, message: impl Into<String>) {
        if self.faults.len() < MAX_FAULTS {
            self.faults.push(Fault {
                pointer: Some(self.pointer.clone()),
                message: message.into(),
                ..Fault::default()
            });
        }
    }

    /// A fault of the member at a path below the object at hand.
    #[cold]
    pub(super) fn fault_at(&mut self, path: &[String], message: impl Into<String>) {
        let length = self.pointer.len();
        for name in path {
            self.pointer.push('/');
            self.pointer.push_str(&escaped(name));
        }
        self.fault(message);
        self.pointer.truncate(length);
    }

    pub fn value(&mut self, id: SchemaId, value: TapeValue<'_>) {
        if self.ended {
            return;
        }
        let schema = self.set.get(id);
        // `nullable` next to `allOf` is how documents make a reference
        // nullable.
        if schema.nullable && value.kind() == JsonKind::Null {
            return;
        }
        match value.kind() {
            JsonKind::Object => self.object(schema, value),
            JsonKind::Array => self.array(schema, value),
            JsonKind::Null => self.scalar(schema, ScalarValue::Null),
            JsonKind::Bool => self.scalar(schema, ScalarValue::Bool(value.raw())),
            JsonKind::Number => self.scalar(schema, ScalarValue::Number(value.raw())),
            JsonKind::String => self.scalar(schema, ScalarValue::Text(&value.plain())),
        }
        if !schema.all_of.is_empty()
            || !schema.any_of.is_empty()
            || !schema.one_of.is_empty()
            || schema.not.is_some()
        {
            self.combined(schema, Some(value), &mut |walk, id| walk.value(id, value));
        }
        if let Some(newer) = &schema.newer {
            self.newer(newer, value);
        }
    }

    /// A parameter's text.
    pub fn text(&mut self, id: SchemaId, scalar: ScalarValue<'_>) {
        if self.ended {
            return;
        }
        let schema = self.set.get(id);
        self.scalar(schema, scalar);
        self.combined(schema, None, &mut |walk, id| walk.text(id, scalar));
    }

    fn combined(
        &mut self,
        schema: &Schema,
        value: Option<TapeValue<'_>>,
        check: &mut dyn FnMut(&mut SchemaWalk<'_, '_>, SchemaId),
    ) {
        self.deeper(|walk| walk.combined_there(schema, value, check));
    }

    fn combined_there(
        &mut self,
        schema: &Schema,
        value: Option<TapeValue<'_>>,
        check: &mut dyn FnMut(&mut SchemaWalk<'_, '_>, SchemaId),
    ) {
        for id in &schema.all_of {
            check(self, *id);
        }
        let discriminator = schema.discriminator.as_ref();
        let chosen = discriminator.and_then(|d| d.chosen(value?));
        if let Some(id) = chosen {
            check(self, id);
            self.must_not(schema, check);
            return;
        }
        let mut fits =
            |walk: &mut SchemaWalk<'s, '_>, id: SchemaId| walk.tried(|inner| check(inner, id));
        if !schema.any_of.is_empty() && !schema.any_of.iter().any(|id| fits(self, *id)) {
            self.none_fits(&schema.any_of, value);
        }
        if !schema.one_of.is_empty() {
            match schema.one_of.iter().filter(|id| fits(self, **id)).count() {
                0 => self.none_fits(&schema.one_of, value),
                1 => {}
                _ => self.fault("matches more than one of the allowed forms"),
            }
        }
        self.must_not(schema, check);
    }

    fn must_not(
        &mut self,
        schema: &Schema,
        check: &mut dyn FnMut(&mut SchemaWalk<'_, '_>, SchemaId),
    ) {
        if let Some(id) = schema.not
            && self.tried(|inner| check(inner, id))
        {
            let names = &self.set.get(id).required;
            self.fault(match names.as_slice() {
                [] => "has a form that is not allowed".to_owned(),
                [name] => format!("must not have {name} in this form"),
                names => format!("must not have {} together", names.join(" and ")),
            });
        }
    }

    fn object(&mut self, schema: &Schema, value: TapeValue<'_>) {
        if !self.is_kind(schema, SchemaType::Object) {
            return;
        }
        self.one_of(schema, |v| equals(v, value));
        if schema.min_properties.is_some_and(|n| value.len() < n) {
            self.fault("has too few members");
        }
        if schema.max_properties.is_some_and(|n| value.len() > n) {
            self.fault("has too many members");
        }
        let mut present = 0u128;
        for (name, member) in value.members() {
            if let Some(i) = schema.required.iter().position(|r| *r == name)
                && i < 128
            {
                present |= 1 << i;
            }
            let property = schema
                .properties
                .iter()
                .find(|(n, _)| *n == name)
                .map(|(_, id)| *id);
            let length = self.pointer.len();
            self.pointer.push('/');
            if name.bytes().any(|b| b == b'~' || b == b'/') {
                self.pointer.push_str(&escaped(&name))
            } else {
                self.pointer.push_str(&name)
            }
            let mut by_pattern = false;
            if let Some(newer) = &schema.newer {
                for id in newer.by_pattern(&name) {
                    by_pattern = true;
                    self.value(id, member);
                }
            }
            let additional = schema.additional.filter(|_| !by_pattern);
            match (property.or(additional), schema.closed && !by_pattern) {
                (Some(id), _) => self.value(id, member),
                (None, true) => {
                    // A client may send names of any length.
                    let known = schema.properties.iter().map(|(known, _)| &**known);
                    let near = (name.len() <= 64).then(|| suggestion(&name, known));
                    let meant = near
                        .flatten()
                        .map_or(String::new(), |help| format!("; {help}"));
                    self.fault(format!("{name} is not a member of this object{meant}"));
                }
                (None, false) => {}
            }
            self.pointer.truncate(length);
        }
        for (i, name) in schema.required.iter().enumerate() {
            if i < 128 && present & (1 << i) != 0 || i >= 128 && value.get(name).is_some() {
                continue;
            }
            let property = self.set.property_of(schema, name);
            if property.is_some_and(|id| self.set.get(id).read_only) {
                continue;
            }
            let length = self.pointer.len();
            self.pointer.push('/');
            self.pointer.push_str(name);
            self.fault(format!("{name} is required"));
            self.pointer.truncate(length);
        }
    }

    fn array(&mut self, schema: &Schema, value: TapeValue<'_>) {
        if !self.is_kind(schema, SchemaType::Array) {
            return;
        }
        self.one_of(schema, |v| equals(v, value));
        self.item_count(schema, value.len());
        if schema.unique_items && value.len() <= MAX_UNIQUE {
            let mut seen = std::collections::HashSet::with_capacity(value.len());
            if !value.items().all(|item| seen.insert(item.raw())) {
                self.fault("must not have two equal items");
            }
        }
        let first = schema.newer.as_ref().map_or(&[][..], |n| &n.prefix_items);
        if schema.items.is_none() && first.is_empty() {
            return;
        }
        let length = self.pointer.len();
        for (i, item) in value.items().enumerate() {
            if self.faults.len() >= MAX_FAULTS {
                break;
            }
            let Some(id) = first.get(i).copied().or(schema.items) else {
                break;
            };
            self.pointer.push_str(&format!("/{i}"));
            self.value(id, item);
            self.pointer.truncate(length);
        }
    }

    fn item_count(&mut self, schema: &Schema, count: usize) {
        if let Some(n) = schema.min_items.filter(|n| count < *n) {
            self.fault(format!("must have at least {n} items"));
        }
        if let Some(n) = schema.max_items.filter(|n| count > *n) {
            self.fault(format!("must have at most {n} items"));
        }
    }

    /// A parameter of several texts: their number. Each is checked alone.
    pub fn list(&mut self, id: SchemaId, texts: &[Cow<'_, str>]) {
        let schema = self.set.get(id);
        self.item_count(schema, texts.len());
        if schema.unique_items && texts.len() <= MAX_UNIQUE {
            let mut seen = std::collections::HashSet::with_capacity(texts.len());
            if !texts.iter().all(|text| seen.insert(text.as_ref())) {
                self.fault("must not have two equal items");
            }
        }
        self.combined(schema, None, &mut |walk, id| walk.list(id, texts));
    }

    /// Whether the schema lets a value be of this kind; a fault otherwise.
    fn is_kind(&mut self, schema: &Schema, kind: SchemaType) -> bool {
        match schema.kind {
            Some(want) if want != kind => {
                self.fault(format!("must be {}", want.described()));
                false
            }
            Some(_) => true,
            None => {
                let several = kinds(schema);
                let fits = several.is_empty() || several.contains(&kind);
                if !fits {
                    self.fault(format!("must be {}", described(several)));
                }
                fits
            }
        }
    }

    fn scalar(&mut self, schema: &Schema, value: ScalarValue<'_>) {
        let several = kinds(schema);
        let fits = match (schema.kind, value) {
            (_, ScalarValue::Null) if schema.nullable => return,
            (None, value) if !several.is_empty() => several.iter().any(|kind| value.is(*kind)),
            (None, ScalarValue::Null) => true,
            (Some(SchemaType::String), ScalarValue::Text(_))
            | (Some(SchemaType::Boolean), ScalarValue::Bool(_)) => true,
            (Some(SchemaType::Number), ScalarValue::Number(_)) | (None, _) => true,
            (Some(SchemaType::Integer), ScalarValue::Number(n)) => is_integer(n),
            _ => false,
        };
        if !fits {
            let want = match &schema.kind {
                Some(kind) => described(std::slice::from_ref(kind)),
                None => described(several),
            };
            return self.fault(format!("must be {want}"));
        }
        match value {
            ScalarValue::Text(text) => self.string(schema, text),
            ScalarValue::Number(number) => self.number(schema, number),
            _ => {}
        }
        self.one_of(schema, |v| value.equals(v));
    }

    /// The `enum` keyword.
    fn one_of(&mut self, schema: &Schema, same: impl Fn(&Value) -> bool) {
        if schema.values.is_empty() || schema.values.iter().any(same) {
            return;
        }
        let list = schema.values.iter().take(MAX_LISTED);
        let list: Vec<String> = list.map(Value::to_string).collect();
        self.fault(format!("must be one of {}", list.join(", ")));
    }

    fn string(&mut self, schema: &Schema, text: &str) {
        if schema.min_length.is_some() || schema.max_length.is_some() {
            let length = if text.is_ascii() {
                text.len()
            } else {
                text.chars().count()
            };
            if let Some(n) = schema.min_length.filter(|n| length < *n) {
                self.fault(format!("must have at least {n} characters, has {length}"));
            }
            if let Some(n) = schema.max_length.filter(|n| length > *n) {
                self.fault(format!("must have at most {n} characters, has {length}"));
            }
        }
        let pattern = schema.pattern.as_ref();
        if let Some((pattern, _)) = pattern.filter(|(_, regex)| !regex.is_match(text)) {
            self.fault(format!("must match the pattern {pattern}"));
        }
        if let Some(f) = schema
            .format
            .as_deref()
            .filter(|f| !format::accepts(f, text))
        {
            self.fault(format!("must be {}", format::described(f)));
        }
    }

    fn number(&mut self, schema: &Schema, text: &str) {
        use Ordering::{Equal, Greater, Less};
        let outside = |bound: &Option<NumberBound>, side: Ordering| {
            let bound = bound.as_ref()?;
            let order = compare(text, &bound.text);
            let out = order == side || order == Equal && bound.exclusive;
            out.then(|| (bound.exclusive, bound.text.clone()))
        };
        match outside(&schema.minimum, Less) {
            Some((true, bound)) => self.fault(format!("must be greater than {bound}")),
            Some((false, bound)) => self.fault(format!("must be at least {bound}")),
            None => {}
        }
        match outside(&schema.maximum, Greater) {
            Some((true, bound)) => self.fault(format!("must be less than {bound}")),
            Some((false, bound)) => self.fault(format!("must be at most {bound}")),
            None => {}
        }
        let range = match schema.format.as_deref() {
            Some("int32") => Some((i64::from(i32::MIN), i64::from(i32::MAX))),
            Some("int64") => Some((i64::MIN, i64::MAX)),
            _ => None,
        };
        if let Some((low, high)) = range
            && (compare(text, &low.to_string()) == Less
                || compare(text, &high.to_string()) == Greater)
        {
            self.fault(format!("must be between {low} and {high}"));
        }
        if let Some(step) = schema
            .multiple_of
            .as_deref()
            .filter(|s| !is_multiple(text, s))
        {
            self.fault(format!("must be a multiple of {step}"));
        }
    }
}

/// The types of a schema that has several.
fn kinds(schema: &Schema) -> &[SchemaType] {
    schema.newer.as_ref().map_or(&[], |newer| &newer.kinds)
}

fn described(kinds: &[SchemaType]) -> String {
    let all: Vec<&str> = kinds.iter().map(|kind| kind.described()).collect();
    all.join(" or ")
}

/// Whether a value with structure is the one that an `enum` lists.
fn equals(listed: &Value, value: TapeValue<'_>) -> bool {
    serde_json::from_str::<Value>(value.raw()).is_ok_and(|value| value == *listed)
}

impl ScalarValue<'_> {
    fn is(self, kind: SchemaType) -> bool {
        match (self, kind) {
            (ScalarValue::Text(_), SchemaType::String)
            | (ScalarValue::Bool(_), SchemaType::Boolean)
            | (ScalarValue::Number(_), SchemaType::Number) => true,
            (ScalarValue::Number(number), SchemaType::Integer) => is_integer(number),
            _ => false,
        }
    }

    fn equals(self, value: &Value) -> bool {
        match (self, value) {
            (ScalarValue::Null, Value::Null) => true,
            (ScalarValue::Bool(text), Value::Bool(b)) => (text == "true") == *b,
            (ScalarValue::Text(text), Value::String(s)) => text == s,
            // Documents often write `enum: [1, 2]` below a string type.
            (ScalarValue::Text(text), Value::Number(n)) => text == n.to_string(),
            (ScalarValue::Number(text), Value::Number(n)) => compare(text, &n.to_string()).is_eq(),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::JsonTape;
    use serde_json::json;

    fn faults(schema: Value, body: &str) -> Vec<String> {
        let mut set = SchemaSet::default();
        let id = set.compile(&schema, &schema);
        let mut tape = JsonTape::default();
        let mut faults = Vec::new();
        set.check(id, tape.parse(body.as_bytes()).unwrap(), &mut faults);
        faults
            .into_iter()
            .map(|f| format!("{} {}", f.pointer.unwrap(), f.message))
            .collect()
    }

    #[test]
    fn every_fault_of_a_body_is_named_with_its_pointer() {
        let schema = json!({"type": "object", "required": ["a", "b"], "properties": {
            "a": {"type": "string", "maxLength": 3},
            "c": {"type": "array", "items": {"type": "integer", "minimum": 0}, "maxItems": 2}},
            "additionalProperties": false});
        assert_eq!(
            faults(schema, r#"{"a":"abcd","c":[-1,1.5,2],"d/e":1}"#),
            [
                "/a must have at most 3 characters, has 4",
                "/c must have at most 2 items",
                "/c/0 must be at least 0",
                "/c/1 must be an integer",
                "/d~1e d/e is not a member of this object",
                "/b b is required",
            ]
        );
    }

    #[test]
    fn schemas_may_be_recursive_and_combined() {
        let schema = json!({"$ref": "#/defs/node", "defs": {"node": {"type": "object",
            "properties": {"next": {"$ref": "#/defs/node"},
                "v": {"oneOf": [{"type": "integer"}, {"type": "string", "enum": ["x"]}]}}}}});
        assert_eq!(
            faults(schema.clone(), r#"{"next":{"next":{"v":"x"}}}"#),
            [""; 0]
        );
        assert_eq!(
            faults(schema, r#"{"next":{"v":true}}"#),
            ["/next/v matches none of the allowed forms"]
        );
    }

    #[test]
    fn what_fits_no_alternative_is_reported_at_its_place() {
        let either = |kind: &str, member: &str, of: &str| {
            json!({"type": "object", "required": ["kind", member], "additionalProperties": false,
                "properties": {"kind": {"type": "string", "enum": [kind]}, member: {"type": of}}})
        };
        let (t, n) = (either("T", "text", "string"), either("N", "num", "integer"));
        let listed = json!({"oneOf": [t, n]});
        let named = json!({"oneOf": [{"$ref": "#/s/text"}, {"$ref": "#/s/num"}],
            "discriminator": {"propertyName": "kind", "mapping": {"T": "#/s/text", "N": "num"}},
            "s": {"text": t, "num": n}});
        for schema in [listed, named] {
            for (body, fault) in [
                (r#"{"kind":"T","text":"a"}"#, &[][..]),
                (r#"{"kind":"N","num":1}"#, &[]),
                (
                    r#"{"kind":"T","text":"a","num":7}"#,
                    &["/num num is not a member of this object"],
                ),
                (r#"{"kind":"N"}"#, &["/num num is required"]),
                (r#"{"kind":"N","num":"x"}"#, &["/num must be an integer"]),
                ("{}", &["/kind kind is required"]),
                (r#"{"kind":"Z"}"#, &["/kind must be one of T, N"]),
                ("1", &[" matches none of the allowed forms"]),
            ] {
                assert_eq!(faults(schema.clone(), body), fault, "{body}");
            }
        }
    }

    #[test]
    fn a_schema_that_contains_itself_ends() {
        let schema = json!({"$ref": "#/a", "a": {"allOf": [{"$ref": "#/a"}]}});
        assert!(!faults(schema, "1").is_empty());
        let twice = json!({"$ref": "#/a", "a": {"anyOf": [{"$ref": "#/a"}, {"$ref": "#/a"}]}});
        assert!(!faults(twice, "1").is_empty());
    }

    #[test]
    fn numbers_keep_every_digit_and_multiples_are_decimal() {
        let schema = json!({"type": "number", "multipleOf": 0.01});
        assert_eq!(faults(schema.clone(), "123456789.29"), [""; 0]);
        assert_eq!(faults(schema, "1.005"), [" must be a multiple of 0.01"]);
        let schema = json!({"type": "integer", "maximum": 999_999_999_999_999_999u64,
            "minimum": 0, "exclusiveMinimum": true});
        assert_eq!(faults(schema.clone(), "999999999999999999"), [""; 0]);
        assert_eq!(
            faults(schema.clone(), "1000000000000000000"),
            [" must be at most 999999999999999999"]
        );
        assert_eq!(faults(schema, "0"), [" must be greater than 0"]);
        let int64 = json!({"type": "integer", "format": "int64"});
        assert_eq!(faults(int64.clone(), "9223372036854775807"), [""; 0]);
        assert_eq!(faults(int64, "9223372036854775808").len(), 1);
    }

    #[test]
    fn a_request_need_not_have_what_is_read_only() {
        let schema = json!({"type": "object", "required": ["id", "name"], "properties": {
            "id": {"$ref": "#/id"}, "name": {"type": "string"}},
            "id": {"type": "integer", "readOnly": true}});
        assert_eq!(faults(schema, "{}"), ["/name name is required"]);
    }

    #[test]
    fn an_enum_may_list_arrays_objects_and_null() {
        let schema = json!({"enum": [[1, 2], {"a": null}, null]});
        assert_eq!(faults(schema.clone(), "[1,2]"), [""; 0]);
        assert_eq!(faults(schema.clone(), "null"), [""; 0]);
        assert_eq!(
            faults(schema, "[2,1]"),
            [" must be one of [1,2], {\"a\":null}, null"]
        );
    }

    #[test]
    fn additional_properties_have_a_schema_of_their_own() {
        let schema = json!({"type": "object", "minProperties": 1,
            "additionalProperties": {"type": "integer"}});
        assert_eq!(
            faults(schema.clone(), r#"{"a":1,"b":"x"}"#),
            ["/b must be an integer"]
        );
        assert_eq!(faults(schema, "{}"), [" has too few members"]);
    }

    #[test]
    fn nullable_and_formats_are_respected() {
        let schema = json!({"type": "string", "nullable": true, "format": "date"});
        assert_eq!(faults(schema.clone(), "null"), [""; 0]);
        assert_eq!(faults(schema, "\"2024-13-01\""), [" must be a date"]);
        assert_eq!(
            faults(json!({"type": "string"}), "null"),
            [" must be a string"]
        );
        let reference = json!({"nullable": true, "allOf": [{"type": "object"}]});
        assert_eq!(faults(reference.clone(), "null"), [""; 0]);
        assert_eq!(faults(reference, "1"), [" must be an object"]);
        let byte = json!({"type": "string", "format": "byte"});
        assert_eq!(faults(byte.clone(), "\"QUJD\""), [""; 0]);
        assert_eq!(faults(byte, "\"A*\""), [" must be base64 text"]);
    }
}
