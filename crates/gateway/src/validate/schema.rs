//! JSON Schema as OpenAPI 3.0 has it, compiled.
//!
//! Schemas live in one arena and name each other by index, so that recursive
//! definitions need no special care. A body is checked against its tape.
//!
//! Invariant: the walk is bounded by the depth of the body, which the parser
//! bounds, and by the depth of `allOf` and its kind, bounded here.

use super::format;
use crate::json::{Json, Kind, is_number};
use crate::problem::Fault;
use serde_json::Value;
use std::collections::HashMap;

/// Most faults reported for one request.
pub(crate) const MAX_FAULTS: usize = 20;
/// Deepest nesting of schemas through `allOf`, `anyOf`, `oneOf` and `not`.
const MAX_NESTING: usize = 64;
/// Most items of an array that are compared for `uniqueItems`.
const MAX_UNIQUE: usize = 4096;

/// Index of a schema in its set.
pub(crate) type SchemaId = usize;

/// All schemas of one document.
#[derive(Debug, Default)]
pub(crate) struct SchemaSet {
    schemas: Vec<Schema>,
    by_ref: HashMap<String, SchemaId>,
    /// What could not be compiled: pointer-free text, for warnings.
    pub notes: Vec<String>,
}

/// The `type` keyword.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Type {
    String,
    Number,
    Integer,
    Boolean,
    Array,
    Object,
}

#[derive(Debug, Default)]
pub(crate) struct Schema {
    pub kind: Option<Type>,
    nullable: bool,
    values: Vec<Value>,
    min_length: Option<usize>,
    max_length: Option<usize>,
    pattern: Option<regex::Regex>,
    format: Option<String>,
    minimum: Option<(f64, bool)>,
    maximum: Option<(f64, bool)>,
    multiple_of: Option<String>,
    pub items: Option<SchemaId>,
    min_items: Option<usize>,
    max_items: Option<usize>,
    unique_items: bool,
    pub properties: Vec<(String, SchemaId)>,
    pub required: Vec<String>,
    closed: bool,
    additional: Option<SchemaId>,
    min_properties: Option<usize>,
    max_properties: Option<usize>,
    pub all_of: Vec<SchemaId>,
    any_of: Vec<SchemaId>,
    one_of: Vec<SchemaId>,
    not: Option<SchemaId>,
    /// Default value as JSON text.
    pub default: Option<String>,
}

/// A value without structure.
#[derive(Clone, Copy)]
enum Scalar<'a> {
    Null,
    Bool(&'a str),
    Number(&'a str),
    Text(&'a str),
}

impl SchemaSet {
    /// Compiles a schema of `document`, following its references.
    pub fn compile(&mut self, document: &Value, schema: &Value) -> SchemaId {
        if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
            if let Some(id) = self.by_ref.get(reference) {
                return *id;
            }
            let id = self.reserve();
            self.by_ref.insert(reference.to_string(), id);
            let target = reference
                .strip_prefix('#')
                .and_then(|p| document.pointer(p));
            match target {
                // A reference to a reference shares its target's index.
                Some(target) if target.get("$ref").is_some() => {
                    let inner = self.compile(document, target);
                    self.schemas[id].all_of.push(inner);
                }
                Some(target) => self.schemas[id] = self.build(document, target),
                None => self
                    .notes
                    .push(format!("the reference {reference} leads nowhere")),
            }
            return id;
        }
        let id = self.reserve();
        self.schemas[id] = self.build(document, schema);
        id
    }

    pub fn get(&self, id: SchemaId) -> &Schema {
        &self.schemas[id]
    }

    fn reserve(&mut self) -> SchemaId {
        self.schemas.push(Schema::default());
        self.schemas.len() - 1
    }

    fn build(&mut self, document: &Value, s: &Value) -> Schema {
        let count = |key: &str| s.get(key).and_then(Value::as_u64).map(|n| n as usize);
        let flag = |key: &str| s.get(key).and_then(Value::as_bool).unwrap_or(false);
        let bound = |key: &str, exclusive: &str| {
            s.get(key)
                .and_then(Value::as_f64)
                .map(|n| (n, flag(exclusive)))
        };
        let mut schema = Schema {
            kind: s
                .get("type")
                .and_then(Value::as_str)
                .and_then(Type::by_name),
            nullable: flag("nullable"),
            values: s
                .get("enum")
                .and_then(Value::as_array)
                .cloned()
                .unwrap_or_default(),
            min_length: count("minLength"),
            max_length: count("maxLength"),
            format: s.get("format").and_then(Value::as_str).map(str::to_string),
            minimum: bound("minimum", "exclusiveMinimum"),
            maximum: bound("maximum", "exclusiveMaximum"),
            multiple_of: s
                .get("multipleOf")
                .filter(|v| v.is_number())
                .map(Value::to_string),
            min_items: count("minItems"),
            max_items: count("maxItems"),
            unique_items: flag("uniqueItems"),
            min_properties: count("minProperties"),
            max_properties: count("maxProperties"),
            default: s.get("default").map(Value::to_string),
            ..Schema::default()
        };
        if let Some(pattern) = s.get("pattern").and_then(Value::as_str) {
            match regex::RegexBuilder::new(pattern)
                .size_limit(1 << 20)
                .build()
            {
                Ok(regex) => schema.pattern = Some(regex),
                Err(_) => self.notes.push(format!(
                    "the pattern {pattern} is not supported and will not be checked"
                )),
            }
        }
        schema.items = s.get("items").map(|items| self.compile(document, items));
        if let Some(properties) = s.get("properties").and_then(Value::as_object) {
            for (name, property) in properties {
                let id = self.compile(document, property);
                schema.properties.push((name.clone(), id));
            }
        }
        if let Some(required) = s.get("required").and_then(Value::as_array) {
            schema.required = required
                .iter()
                .filter_map(|r| Some(r.as_str()?.into()))
                .collect();
        }
        match s.get("additionalProperties") {
            Some(Value::Bool(false)) => schema.closed = true,
            Some(inner @ Value::Object(_)) => {
                schema.additional = Some(self.compile(document, inner));
            }
            _ => {}
        }
        let mut several = |key: &str| -> Vec<SchemaId> {
            let list = s.get(key).and_then(Value::as_array);
            list.map(|l| l.iter().map(|i| self.compile(document, i)).collect())
                .unwrap_or_default()
        };
        schema.all_of = several("allOf");
        schema.any_of = several("anyOf");
        schema.one_of = several("oneOf");
        schema.not = s.get("not").map(|inner| self.compile(document, inner));
        schema
    }

    /// The type a value of this schema has, `allOf` looked through.
    pub fn kind_of(&self, id: SchemaId) -> Option<Type> {
        self.look(id, 0, &|schema| schema.kind)
    }

    /// The schema of a property, `allOf` looked through.
    pub fn property(&self, id: SchemaId, name: &str) -> Option<SchemaId> {
        let find = |s: &Schema| {
            s.properties
                .iter()
                .find(|(n, _)| n == name)
                .map(|(_, id)| *id)
        };
        self.look(id, 0, &find)
    }

    /// The schema of an array's items, `allOf` looked through.
    pub fn items_of(&self, id: SchemaId) -> Option<SchemaId> {
        self.look(id, 0, &|schema| schema.items)
    }

    fn look<T>(&self, id: SchemaId, depth: usize, f: &dyn Fn(&Schema) -> Option<T>) -> Option<T> {
        let schema = &self.schemas[id];
        f(schema).or_else(|| {
            let deeper = depth < MAX_NESTING;
            schema
                .all_of
                .iter()
                .filter(|_| deeper)
                .find_map(|id| self.look(*id, depth + 1, f))
        })
    }

    /// Checks a body; faults are added to `faults` with their JSON pointers.
    pub fn check(&self, id: SchemaId, value: Json<'_>, faults: &mut Vec<Fault>) {
        Walk {
            set: self,
            pointer: String::new(),
            faults,
            nesting: 0,
        }
        .value(id, value);
    }

    /// Checks the text of a parameter; gives what is wrong with it.
    pub fn check_text(&self, id: SchemaId, text: &str) -> Vec<String> {
        let scalar = match self.kind_of(id) {
            Some(Type::Integer | Type::Number) if is_number(text) => Scalar::Number(text),
            Some(Type::Boolean) if matches!(text, "true" | "false") => Scalar::Bool(text),
            _ => Scalar::Text(text),
        };
        let mut faults = Vec::new();
        let mut walk = Walk {
            set: self,
            pointer: String::new(),
            faults: &mut faults,
            nesting: 0,
        };
        walk.text(id, scalar);
        faults.into_iter().map(|f| f.message).collect()
    }
}

struct Walk<'s, 'f> {
    set: &'s SchemaSet,
    pointer: String,
    faults: &'f mut Vec<Fault>,
    nesting: usize,
}

impl Walk<'_, '_> {
    fn fault(&mut self, message: impl Into<String>) {
        if self.faults.len() < MAX_FAULTS {
            self.faults.push(Fault {
                pointer: Some(self.pointer.clone()),
                message: message.into(),
                ..Fault::default()
            });
        }
    }

    fn value(&mut self, id: SchemaId, value: Json<'_>) {
        let schema = &self.set.schemas[id];
        match value.kind() {
            Kind::Object => self.object(schema, value),
            Kind::Array => self.array(schema, value),
            Kind::Null => self.scalar(schema, Scalar::Null),
            Kind::Bool => self.scalar(schema, Scalar::Bool(value.raw())),
            Kind::Number => self.scalar(schema, Scalar::Number(value.raw())),
            Kind::String => self.scalar(schema, Scalar::Text(&value.plain())),
        }
        if !schema.all_of.is_empty()
            || !schema.any_of.is_empty()
            || !schema.one_of.is_empty()
            || schema.not.is_some()
        {
            self.combined(schema, &mut |walk, id| walk.value(id, value));
        }
    }

    /// A parameter's text.
    fn text(&mut self, id: SchemaId, scalar: Scalar<'_>) {
        let schema = &self.set.schemas[id];
        self.scalar(schema, scalar);
        self.combined(schema, &mut |walk, id| walk.text(id, scalar));
    }

    fn combined(&mut self, schema: &Schema, check: &mut dyn FnMut(&mut Walk<'_, '_>, SchemaId)) {
        if self.nesting >= MAX_NESTING {
            return self.fault("the schema is nested too deep to be checked");
        }
        self.nesting += 1;
        for id in &schema.all_of {
            check(self, *id);
        }
        let mut fits = |walk: &mut Walk<'_, '_>, id: SchemaId| {
            let mut faults = Vec::new();
            let mut inner = Walk {
                set: walk.set,
                pointer: String::new(),
                faults: &mut faults,
                nesting: walk.nesting,
            };
            check(&mut inner, id);
            faults.is_empty()
        };
        if !schema.any_of.is_empty() && !schema.any_of.iter().any(|id| fits(self, *id)) {
            self.fault("fits none of the forms it may have");
        }
        if !schema.one_of.is_empty() {
            match schema.one_of.iter().filter(|id| fits(self, **id)).count() {
                0 => self.fault("fits none of the forms it may have"),
                1 => {}
                _ => self.fault("fits more than one of the forms it may have"),
            }
        }
        if schema.not.is_some_and(|id| fits(self, id)) {
            self.fault("has a form it must not have");
        }
        self.nesting -= 1;
    }

    fn object(&mut self, schema: &Schema, value: Json<'_>) {
        if !self.is_kind(schema, Type::Object) {
            return;
        }
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
            for c in name.chars() {
                match c {
                    '~' => self.pointer.push_str("~0"),
                    '/' => self.pointer.push_str("~1"),
                    c => self.pointer.push(c),
                }
            }
            match (property.or(schema.additional), schema.closed) {
                (Some(id), _) => self.value(id, member),
                (None, true) => self.fault(format!("{name} is not a member this object has")),
                (None, false) => {}
            }
            self.pointer.truncate(length);
        }
        for (i, name) in schema.required.iter().enumerate() {
            if i < 128 && present & (1 << i) != 0 || i >= 128 && value.get(name).is_some() {
                continue;
            }
            let length = self.pointer.len();
            self.pointer.push('/');
            self.pointer.push_str(name);
            self.fault(format!("{name} is required"));
            self.pointer.truncate(length);
        }
    }

    fn array(&mut self, schema: &Schema, value: Json<'_>) {
        if !self.is_kind(schema, Type::Array) {
            return;
        }
        if let Some(n) = schema.min_items.filter(|n| value.len() < *n) {
            self.fault(format!("must have at least {n} items"));
        }
        if let Some(n) = schema.max_items.filter(|n| value.len() > *n) {
            self.fault(format!("must have at most {n} items"));
        }
        if schema.unique_items && value.len() <= MAX_UNIQUE {
            let mut seen = std::collections::HashSet::with_capacity(value.len());
            if !value.items().all(|item| seen.insert(item.raw())) {
                self.fault("must not have two equal items");
            }
        }
        let Some(items) = schema.items else { return };
        let length = self.pointer.len();
        for (i, item) in value.items().enumerate() {
            if self.faults.len() >= MAX_FAULTS {
                break;
            }
            self.pointer.push_str(&format!("/{i}"));
            self.value(items, item);
            self.pointer.truncate(length);
        }
    }

    /// Whether the schema lets a value be of this kind; a fault otherwise.
    fn is_kind(&mut self, schema: &Schema, kind: Type) -> bool {
        match schema.kind {
            Some(want) if want != kind => {
                self.fault(format!("must be {}", want.described()));
                false
            }
            _ => true,
        }
    }

    fn scalar(&mut self, schema: &Schema, value: Scalar<'_>) {
        let fits = match (schema.kind, value) {
            (None, Scalar::Null) => true,
            (_, Scalar::Null) if schema.nullable => return,
            (Some(Type::String), Scalar::Text(_)) | (Some(Type::Boolean), Scalar::Bool(_)) => true,
            (Some(Type::Number), Scalar::Number(_)) | (None, _) => true,
            (Some(Type::Integer), Scalar::Number(n)) => is_integer(n),
            _ => false,
        };
        if !fits {
            let want = schema.kind.map_or("another kind", Type::described);
            return self.fault(format!("must be {want}"));
        }
        match value {
            Scalar::Text(text) => self.string(schema, text),
            Scalar::Number(number) => self.number(schema, number),
            _ => {}
        }
        if !schema.values.is_empty() && !schema.values.iter().any(|v| value.equals(v)) {
            let list: Vec<String> = schema
                .values
                .iter()
                .take(12)
                .map(Value::to_string)
                .collect();
            self.fault(format!("must be one of {}", list.join(", ")));
        }
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
        if let Some(pattern) = schema.pattern.as_ref().filter(|p| !p.is_match(text)) {
            self.fault(format!("must match the pattern {}", pattern.as_str()));
        }
        if let Some(f) = schema
            .format
            .as_deref()
            .filter(|f| !format::accepts(f, text))
        {
            self.fault(format!("must be a {f}"));
        }
    }

    fn number(&mut self, schema: &Schema, text: &str) {
        let value: f64 = text.parse().unwrap_or(f64::NAN);
        if let Some((n, exclusive)) = schema.minimum
            && !(value > n || value == n && !exclusive)
        {
            let words = if exclusive {
                "must be greater than"
            } else {
                "must be at least"
            };
            self.fault(format!("{words} {n}"));
        }
        if let Some((n, exclusive)) = schema.maximum
            && !(value < n || value == n && !exclusive)
        {
            let words = if exclusive {
                "must be less than"
            } else {
                "must be at most"
            };
            self.fault(format!("{words} {n}"));
        }
        let range = match schema.format.as_deref() {
            Some("int32") => Some((i64::from(i32::MIN), i64::from(i32::MAX))),
            Some("int64") => Some((i64::MIN, i64::MAX)),
            _ => None,
        };
        if let Some((low, high)) = range
            && text
                .parse::<i64>()
                .map_or(value.abs() >= 1e18, |n| n < low || n > high)
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

impl Scalar<'_> {
    fn equals(self, value: &Value) -> bool {
        match (self, value) {
            (Scalar::Null, Value::Null) => true,
            (Scalar::Bool(text), Value::Bool(b)) => (text == "true") == *b,
            (Scalar::Text(text), Value::String(s)) => text == s,
            // Documents often write `enum: [1, 2]` below a string type.
            (Scalar::Text(text), Value::Number(n)) => text == n.to_string(),
            (Scalar::Number(text), Value::Number(n)) => text.parse::<f64>().ok() == n.as_f64(),
            _ => false,
        }
    }
}

impl Type {
    pub fn by_name(name: &str) -> Option<Type> {
        Some(match name {
            "string" => Type::String,
            "number" => Type::Number,
            "integer" => Type::Integer,
            "boolean" => Type::Boolean,
            "array" => Type::Array,
            "object" => Type::Object,
            _ => return None,
        })
    }

    fn described(self) -> &'static str {
        match self {
            Type::String => "a string",
            Type::Number => "a number",
            Type::Integer => "an integer",
            Type::Boolean => "true or false",
            Type::Array => "an array",
            Type::Object => "an object",
        }
    }
}

/// Whether a JSON number's value is whole: `1.0` and `1e3` are.
fn is_integer(text: &str) -> bool {
    decimal(text).is_some_and(|(_, scale)| scale <= 0)
}

/// A JSON number as digits without trailing zeros and the power of ten they
/// are divided by; `None` beyond 38 digits or three-digit exponents.
fn decimal(text: &str) -> Option<(i128, i32)> {
    let (mantissa, exponent) = match text.find(['e', 'E']) {
        Some(i) => (
            &text[..i],
            text[i + 1..]
                .parse::<i32>()
                .ok()
                .filter(|e| e.abs() < 1000)?,
        ),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let mut value: i128 = format!("{whole}{fraction}").parse().ok()?;
    let mut scale = fraction.len() as i32 - exponent;
    while value != 0 && value % 10 == 0 {
        value /= 10;
        scale -= 1;
    }
    if value == 0 {
        scale = 0;
    }
    Some((value, scale))
}

/// Decimal arithmetic: 0.3 is a multiple of 0.1.
fn is_multiple(text: &str, step: &str) -> bool {
    let (Some((a, a_scale)), Some((b, b_scale))) = (decimal(text), decimal(step)) else {
        return true;
    };
    let scale = a_scale.max(b_scale);
    let widen = |value: i128, from: i32| {
        let power = u32::try_from(scale - from).ok()?;
        value.checked_mul(10i128.checked_pow(power)?)
    };
    match (widen(a, a_scale), widen(b, b_scale)) {
        (Some(a), Some(b)) if b != 0 => a % b == 0,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Tape;
    use serde_json::json;

    fn faults(schema: Value, body: &str) -> Vec<String> {
        let mut set = SchemaSet::default();
        let id = set.compile(&schema, &schema);
        let mut tape = Tape::default();
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
                "/d~1e d/e is not a member this object has",
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
            ["/next/v fits none of the forms it may have"]
        );
    }

    #[test]
    fn a_schema_that_contains_itself_ends() {
        let schema = json!({"$ref": "#/a", "a": {"allOf": [{"$ref": "#/a"}]}});
        assert!(!faults(schema, "1").is_empty());
    }

    #[test]
    fn multiples_are_decimal() {
        let schema = json!({"type": "number", "multipleOf": 0.01});
        assert_eq!(faults(schema.clone(), "123456789.29"), [""; 0]);
        assert_eq!(faults(schema, "1.005"), [" must be a multiple of 0.01"]);
        assert!(is_integer("1.50e1") && !is_integer("1.5"));
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
    }
}
