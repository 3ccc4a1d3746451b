//! JSON Schema as OpenAPI 2.0, 3.0 and 3.1 have it, compiled. Keywords of 3.1 only
//! are in [`super::newer`].
//!
//! Schemas live in one arena and name each other by index, so that recursive
//! definitions need no special care.

use super::alternatives::SchemaDiscriminator;
use super::newer::NewerKeywords;
use super::pattern;
use super::walk::{ScalarValue, SchemaWalk};
use crate::json::{JsonTape, TapeValue, is_number};
use crate::openapi::target;
use crate::problem::Fault;
use serde_json::Value;
use std::collections::HashMap;

/// Most faults reported for one request.
pub(crate) const MAX_FAULTS: usize = 20;
/// Deepest nesting of schemas through `allOf`, `anyOf`, `oneOf` and `not`.
pub(super) const MAX_NESTING: usize = 64;

/// Most references that are followed within each other at once; further ones
/// wait, so that no chain of them exhausts the stack.
const MAX_JUMPS: usize = 8;

/// Index of a schema in its set.
pub(crate) type SchemaId = usize;

/// All schemas of one document.
#[derive(Debug, Default)]
pub(crate) struct SchemaSet {
    schemas: Vec<Schema>,
    by_ref: HashMap<String, SchemaId>,
    /// References that are being followed.
    jumps: usize,
    /// References that wait to be followed.
    waiting: Vec<(String, SchemaId)>,
    /// The document is of OpenAPI 3.1: its schemas are JSON Schema 2020-12.
    newer: bool,
    /// Keywords that could not be compiled.
    pub notes: Vec<SchemaWarning>,
}

/// An error in a keyword's value, for a warning: schemas do not know their
/// place.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct SchemaWarning {
    /// The keyword.
    pub keyword: &'static str,
    /// Its value as JSON.
    pub value: String,
    /// The type next to it.
    pub kind: Option<SchemaType>,
    /// The error.
    pub message: String,
    /// The suggested fix.
    pub help: &'static str,
}

impl SchemaWarning {
    /// A pattern that the regular expressions here do not have.
    pub(super) fn pattern(keyword: &'static str, pattern: &str) -> SchemaWarning {
        SchemaWarning {
            keyword,
            value: Value::from(pattern).to_string(),
            kind: None,
            message: format!("the pattern {pattern} is not supported and will not be checked"),
            help: "patterns are regular expressions of ECMAScript without look-around and back \
                references; every ( and [ must be closed",
        }
    }

    /// Whether an object of the document is the one it is about.
    pub fn is_about(&self, object: &serde_json::Map<String, Value>) -> bool {
        let kind = object
            .get("type")
            .and_then(Value::as_str)
            .and_then(SchemaType::by_name);
        let reported = |value: &Value| self.value == format!("{value}");
        let value = object.get(self.keyword);
        value.is_some_and(|value| match value {
            // Patterns are names here.
            Value::Object(map) if self.keyword == "patternProperties" => {
                map.keys().any(|name| reported(&name.as_str().into()))
            }
            value => reported(value),
        }) && (self.kind.is_none() || kind == self.kind)
    }
}

/// The `type` keyword.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SchemaType {
    String,
    Number,
    Integer,
    Boolean,
    Array,
    Object,
}

#[derive(Debug, Default)]
pub(crate) struct Schema {
    pub kind: Option<SchemaType>,
    pub nullable: bool,
    pub values: Vec<Value>,
    pub min_length: Option<usize>,
    pub max_length: Option<usize>,
    pub pattern: Option<(String, regex::Regex)>,
    pub format: Option<String>,
    pub minimum: Option<NumberBound>,
    pub maximum: Option<NumberBound>,
    pub multiple_of: Option<String>,
    pub items: Option<SchemaId>,
    pub min_items: Option<usize>,
    pub max_items: Option<usize>,
    pub unique_items: bool,
    pub properties: Vec<(String, SchemaId)>,
    pub required: Vec<String>,
    pub closed: bool,
    pub additional: Option<SchemaId>,
    pub min_properties: Option<usize>,
    pub max_properties: Option<usize>,
    pub all_of: Vec<SchemaId>,
    pub any_of: Vec<SchemaId>,
    pub one_of: Vec<SchemaId>,
    /// The property that names one of `one_of` or `any_of`.
    pub discriminator: Option<Box<SchemaDiscriminator>>,
    pub not: Option<SchemaId>,
    /// The value is the server's to give: a request need not have it.
    pub read_only: bool,
    /// A default may be found from here: in a property, in items, in `allOf`.
    pub fills: bool,
    /// Default value as JSON text.
    pub default: Option<String>,
    /// Keywords that only OpenAPI 3.1 has.
    pub newer: Option<Box<NewerKeywords>>,
}

/// A bound of a number, as the document writes it.
#[derive(Debug)]
pub(crate) struct NumberBound {
    pub text: String,
    pub exclusive: bool,
}

impl SchemaSet {
    /// A set for schemas of JSON Schema 2020-12, which OpenAPI 3.1 has, if it is
    /// `newer`.
    pub fn of_2020(newer: bool) -> SchemaSet {
        SchemaSet {
            newer,
            ..SchemaSet::default()
        }
    }

    /// Compiles a schema of `document`, following its references.
    pub fn compile(&mut self, document: &Value, schema: &Value) -> SchemaId {
        let id = self.compile_one(document, schema);
        while self.jumps == 0
            && let Some((reference, id)) = self.waiting.pop()
        {
            self.follow(document, &reference, id);
        }
        id
    }

    fn compile_one(&mut self, document: &Value, schema: &Value) -> SchemaId {
        let reference = schema.get("$ref").and_then(Value::as_str);
        // In 3.1 other keywords may be next to a reference.
        let has_siblings = self.newer && schema.as_object().is_some_and(|s| s.len() > 1);
        if let Some(reference) = reference.filter(|_| !has_siblings) {
            if let Some(id) = self.by_ref.get(reference) {
                return *id;
            }
            let id = self.reserve();
            self.by_ref.insert(reference.to_string(), id);
            if self.jumps < MAX_JUMPS {
                self.follow(document, reference, id)
            } else {
                self.waiting.push((reference.to_string(), id))
            }
            return id;
        }
        let id = self.reserve();
        self.schemas[id] = self.build(document, schema);
        id
    }

    /// Compiles what a reference means into the schema that was reserved for it.
    fn follow(&mut self, document: &Value, reference: &str, id: SchemaId) {
        self.jumps += 1;
        match target(document, reference) {
            // A reference to a reference shares its target's index.
            Some(target) if target.get("$ref").is_some() => {
                let inner = self.compile_one(document, target);
                self.schemas[id].all_of.push(inner);
            }
            Some(target) => self.schemas[id] = self.build(document, target),
            // Reported with its place by the check of keywords.
            None => {}
        }
        self.jumps -= 1;
    }

    pub fn get(&self, id: SchemaId) -> &Schema {
        &self.schemas[id]
    }

    pub(super) fn len(&self) -> usize {
        self.schemas.len()
    }

    pub(super) fn set_fills(&mut self, id: SchemaId) {
        self.schemas[id].fills = true;
    }

    pub(super) fn reserve(&mut self) -> SchemaId {
        self.schemas.push(Schema::default());
        self.schemas.len() - 1
    }

    fn build(&mut self, document: &Value, s: &Value) -> Schema {
        let count = |key: &str| s.get(key).and_then(whole);
        let flag = |key: &str| s.get(key).and_then(Value::as_bool).unwrap_or(false);
        let bound = |key: &str, exclusive: &str| {
            s.get(key).filter(|n| n.is_number()).map(|n| NumberBound {
                text: n.to_string(),
                exclusive: !self.newer && flag(exclusive),
            })
        };
        let mut schema = Schema {
            kind: s
                .get("type")
                .and_then(Value::as_str)
                .and_then(SchemaType::by_name),
            nullable: !self.newer && flag("nullable"),
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
            read_only: flag("readOnly"),
            default: s.get("default").map(Value::to_string),
            ..Schema::default()
        };
        if let Some(pattern) = s.get("pattern").and_then(Value::as_str) {
            match pattern::compile(pattern) {
                Some(regex) => schema.pattern = Some((pattern.to_owned(), regex)),
                None => self.notes.push(SchemaWarning::pattern("pattern", pattern)),
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
        let alternatives = [&schema.one_of[..], &schema.any_of].concat();
        schema.discriminator = SchemaDiscriminator::of(s, &alternatives);
        schema.not = s.get("not").map(|inner| self.compile(document, inner));
        if self.newer {
            self.build_newer(document, s, &mut schema);
        }
        schema
    }

    /// The type a value of this schema has, `allOf` looked through.
    pub fn kind_of(&self, id: SchemaId) -> Option<SchemaType> {
        self.find_in(id, 0, &|schema| schema.kind)
    }

    /// The schema of a property, `allOf` looked through.
    pub fn property(&self, id: SchemaId, name: &str) -> Option<SchemaId> {
        self.find_in(id, 0, &|schema| own_property(schema, name))
    }

    /// The names of the properties of a schema, those of `allOf` included.
    pub fn names_of(&self, id: SchemaId) -> Vec<&str> {
        let mut names = Vec::new();
        self.each_of(id, 0, &mut |schema| {
            names.extend(schema.properties.iter().map(|(name, _)| name.as_str()));
        });
        names
    }

    /// Whether a value may have properties that are named elsewhere: in one
    /// of several alternatives, or below a schema for all others.
    pub fn is_open(&self, id: SchemaId) -> bool {
        let mut open = false;
        self.each_of(id, 0, &mut |schema| {
            open |= !schema.any_of.is_empty()
                || !schema.one_of.is_empty()
                || schema.additional.is_some();
        });
        open
    }

    fn each_of<'s>(&'s self, id: SchemaId, depth: usize, f: &mut dyn FnMut(&'s Schema)) {
        let schema = &self.schemas[id];
        f(schema);
        if depth < MAX_NESTING {
            for inner in &schema.all_of {
                self.each_of(*inner, depth + 1, f);
            }
        }
    }

    /// As [`SchemaSet::property`], from a schema at hand.
    pub(super) fn property_of(&self, schema: &Schema, name: &str) -> Option<SchemaId> {
        let below = || {
            let mut all = schema.all_of.iter();
            all.find_map(|id| self.property(*id, name))
        };
        own_property(schema, name).or_else(below)
    }

    /// The schema of an array's items, `allOf` looked through.
    pub fn items_of(&self, id: SchemaId) -> Option<SchemaId> {
        self.find_in(id, 0, &|schema| schema.items)
    }

    fn find_in<T>(
        &self,
        id: SchemaId,
        depth: usize,
        f: &dyn Fn(&Schema) -> Option<T>,
    ) -> Option<T> {
        let schema = &self.schemas[id];
        f(schema).or_else(|| {
            let deeper = depth < MAX_NESTING;
            schema
                .all_of
                .iter()
                .filter(|_| deeper)
                .find_map(|id| self.find_in(*id, depth + 1, f))
        })
    }

    /// Checks a body; faults are added to `faults` with their JSON pointers.
    pub fn check(&self, id: SchemaId, value: TapeValue<'_>, faults: &mut Vec<Fault>) {
        SchemaWalk::new(self, faults).value(id, value);
    }

    /// Checks the text of a parameter; returns its errors.
    pub fn check_text(&self, id: SchemaId, text: &str) -> Vec<String> {
        let scalar = match self.kind_of(id) {
            Some(SchemaType::Integer | SchemaType::Number) if is_number(text) => {
                ScalarValue::Number(text)
            }
            Some(SchemaType::Boolean) if matches!(text, "true" | "false") => {
                ScalarValue::Bool(text)
            }
            _ => ScalarValue::Text(text),
        };
        let mut faults = Vec::new();
        SchemaWalk::new(self, &mut faults).text(id, scalar);
        faults.into_iter().map(|f| f.message).collect()
    }

    /// Checks how many texts a parameter that is a list has, and that they
    /// differ where they must.
    pub fn check_list(&self, id: SchemaId, texts: &[std::borrow::Cow<'_, str>]) -> Vec<String> {
        let mut faults = Vec::new();
        SchemaWalk::new(self, &mut faults).list(id, texts);
        faults.into_iter().map(|f| f.message).collect()
    }

    /// References of schemas that consist of themselves, by `allOf` and its kind:
    /// no value can be checked against them.
    pub fn circles(&self) -> Vec<SchemaWarning> {
        let named = self.by_ref.iter().filter(|(_, id)| self.is_circle(**id));
        let mut found: Vec<SchemaWarning> = named
            .map(|(reference, _)| SchemaWarning {
                keyword: "$ref",
                value: Value::from(reference.as_str()).to_string(),
                kind: None,
                message: format!("$ref: {reference} refers only to itself, so every value is rejected"),
                help: "a schema may have itself in properties and items, not in allOf, anyOf, oneOf or not",
            })
            .collect();
        found.sort_by(|a, b| a.value.cmp(&b.value));
        found
    }

    /// Whether a schema is among the schemas that it consists of.
    fn is_circle(&self, id: SchemaId) -> bool {
        let parts = |id: SchemaId| {
            let schema = &self.schemas[id];
            let lists = [&schema.all_of, &schema.any_of, &schema.one_of];
            let lists = lists.into_iter().flatten().copied();
            lists.chain(schema.not).collect::<Vec<_>>()
        };
        let (mut open, mut seen) = (parts(id), vec![false; self.schemas.len()]);
        while let Some(part) = open.pop() {
            if part == id {
                return true;
            }
            if !std::mem::replace(&mut seen[part], true) {
                open.extend(parts(part));
            }
        }
        false
    }

    /// The errors in the defaults of the document.
    pub fn wrong_defaults(&self) -> Vec<SchemaWarning> {
        let mut wrong = Vec::new();
        for (id, schema) in self.schemas.iter().enumerate() {
            let Some(text) = &schema.default else {
                continue;
            };
            let (mut tape, mut faults) = (JsonTape::default(), Vec::new());
            if let Ok(value) = tape.parse(text.as_bytes()) {
                self.check(id, value, &mut faults);
            }
            let faults = faults.into_iter().map(|f| f.message);
            wrong.extend(faults.map(|why| SchemaWarning {
                keyword: "default",
                value: text.clone(),
                kind: schema.kind,
                message: format!("the default {text} {why}"),
                help: "an omitted value becomes the default: give a valid one, or none",
            }));
        }
        wrong.sort_by(|a: &SchemaWarning, b| (&a.message, &a.value).cmp(&(&b.message, &b.value)));
        wrong.dedup();
        wrong
    }
}

/// A count as JSON Schema has it: 20 and 20.0 are the same.
pub(crate) fn whole(value: &Value) -> Option<usize> {
    let float = || value.as_f64().filter(|n| n.fract() == 0.0 && *n >= 0.0);
    let count = value.as_u64().map(|n| n as usize);
    count.or_else(|| float().map(|n| n as usize))
}

fn own_property(schema: &Schema, name: &str) -> Option<SchemaId> {
    let mut all = schema.properties.iter();
    all.find(|(n, _)| n == name).map(|(_, id)| *id)
}

impl SchemaType {
    pub fn by_name(name: &str) -> Option<SchemaType> {
        Some(match name {
            "string" => SchemaType::String,
            "number" => SchemaType::Number,
            "integer" => SchemaType::Integer,
            "boolean" => SchemaType::Boolean,
            "array" => SchemaType::Array,
            "object" => SchemaType::Object,
            _ => return None,
        })
    }

    pub fn described(self) -> &'static str {
        match self {
            SchemaType::String => "a string",
            SchemaType::Number => "a number",
            SchemaType::Integer => "an integer",
            SchemaType::Boolean => "true or false",
            SchemaType::Array => "an array",
            SchemaType::Object => "an object",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Map, json};

    #[test]
    fn no_chain_of_references_exhausts_the_stack() {
        const LONG: usize = 30_000;
        let mut schemas = Map::new();
        for at in 0..LONG {
            let next = json!({"$ref": format!("#/s/{}", at + 1)});
            schemas.insert(at.to_string(), json!({"properties": {"a": next}}));
        }
        schemas.insert(LONG.to_string(), json!({"type": "boolean"}));
        let document = json!({"s": schemas});
        for newer in [false, true] {
            let mut set = SchemaSet::of_2020(newer);
            let mut id = set.compile(&document, &json!({"$ref": "#/s/0"}));
            for _ in 0..LONG {
                id = set.property(id, "a").expect("the next of them");
            }
            assert_eq!(set.kind_of(id), Some(SchemaType::Boolean));
        }
    }

    #[test]
    fn a_count_may_be_written_as_a_number_without_a_fraction() {
        let of = |value: Value| whole(&value);
        assert_eq!(of(json!(20)), Some(20));
        assert_eq!(of(json!(20.0)), Some(20));
        assert_eq!(of(json!(20.5)), None);
        assert_eq!(of(json!(-1)), None);
        assert_eq!(of(json!("20")), None);
    }
}
