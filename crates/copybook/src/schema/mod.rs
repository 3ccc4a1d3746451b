//! JSON Schema (2020-12) of a record.
//!
//! A schema describes what a [`RecordCodec`] with the same options writes, or what
//! it reads: the names, the choice among REDEFINES and the form of numbers
//! come from the one [`CodecOptions`]. FILLER does not appear.
//!
//! Reference: JSON Schema 2020-12; the rules for types are those of the
//! service tooling that API projects were made with.
//!
//! Invariant: a bound is either exact or an exclusive power of ten; no digits
//! are lost on the way through binary floats.

mod leaf;

use serde_json::{Map, Value, json};

use crate::codec::{
    BuildError, CodecOptions, MissingMembers, NumberForm, RecordCodec, RedefinesChoice,
    UnknownMembers,
};
use crate::model::{Field, FieldId, FieldKind, RecordLayout};
use crate::naming::JsonNames;

/// Which way the JSON goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SchemaDirection {
    /// From records: what the codec writes.
    FromRecord,
    /// Into records: what the codec reads.
    ToRecord,
}

/// The schema of a record's JSON.
///
/// # Errors
/// Those of [`RecordCodec::build`]: a schema exists where a codec does.
pub fn json_schema(
    layout: &RecordLayout,
    options: &CodecOptions,
    direction: SchemaDirection,
) -> Result<Value, BuildError> {
    RecordCodec::build(layout, options)?;
    let writer = Writer {
        layout,
        options,
        direction,
        names: JsonNames::new(layout, options.naming),
    };
    let mut schema = Map::new();
    schema.insert(
        "$schema".into(),
        "https://json-schema.org/draft/2020-12/schema".into(),
    );
    schema.insert("title".into(), layout.name().into());
    schema.extend(writer.item(RecordLayout::RECORD));
    Ok(Value::Object(schema))
}

/// A schema under construction.
type Schema = Map<String, Value>;

struct Writer<'a> {
    layout: &'a RecordLayout,
    options: &'a CodecOptions,
    direction: SchemaDirection,
    names: JsonNames,
}

impl Writer<'_> {
    /// One item with all its occurrences.
    fn value(&self, id: FieldId) -> Schema {
        let item = self.item(id);
        let Some(occurs) = &self.layout[id].occurs else {
            return item;
        };
        let mut schema = Schema::new();
        schema.insert("type".into(), "array".into());
        schema.insert("items".into(), Value::Object(item));
        schema.insert("minItems".into(), occurs.min.into());
        schema.insert("maxItems".into(), occurs.max.into());
        schema
    }

    /// One occurrence.
    fn item(&self, id: FieldId) -> Schema {
        let field = &self.layout[id];
        match field.kind {
            FieldKind::Group => self.group(field),
            _ => self.leaf(field),
        }
    }

    fn group(&self, group: &Field) -> Schema {
        let mut properties = Map::new();
        let mut required: Vec<Value> = Vec::new();
        let mut rules: Vec<Value> = Vec::new();
        for &child in &group.children {
            if self.layout[child].redefines.is_some() {
                continue;
            }
            let variants = self.variants(group, child);
            let shown = self.shown(&variants);
            for &variant in &shown {
                if let Some(name) = self.names.json(variant) {
                    properties.insert(name.into(), Value::Object(self.value(variant)));
                    if variants.len() == 1 || shown.len() == 1 {
                        required.push(name.into());
                    }
                }
            }
            rules.extend(self.choice_rules(&variants, &shown));
        }
        let mut schema = Schema::new();
        schema.insert("type".into(), "object".into());
        schema.insert("properties".into(), Value::Object(properties));
        if self.requires() && !required.is_empty() {
            schema.insert("required".into(), Value::Array(required));
        }
        let closed = self.direction == SchemaDirection::FromRecord
            || self.options.unknown == UnknownMembers::Error;
        if closed {
            schema.insert("additionalProperties".into(), false.into());
        }
        if !rules.is_empty() {
            schema.insert("allOf".into(), Value::Array(rules));
        }
        schema
    }

    /// Whether members are there without fail.
    fn requires(&self) -> bool {
        match self.direction {
            SchemaDirection::FromRecord => !self.options.omit_empty,
            SchemaDirection::ToRecord => self.options.missing == MissingMembers::Error,
        }
    }

    /// The redefined item and its redefinitions, in source order.
    fn variants(&self, group: &Field, original: FieldId) -> Vec<FieldId> {
        group
            .children
            .iter()
            .copied()
            .filter(|&id| id == original || self.layout[id].redefines == Some(original))
            .collect()
    }

    /// The rule that holds for redefined storage.
    fn choice(&self, original: FieldId) -> &RedefinesChoice {
        self.options
            .redefines
            .iter()
            .find(|rule| self.layout.find(&rule.item) == Some(original))
            .map_or(&self.options.other_redefines, |rule| &rule.choice)
    }

    /// The descriptions that can appear.
    fn shown(&self, variants: &[FieldId]) -> Vec<FieldId> {
        if variants.len() == 1 {
            return variants.to_vec();
        }
        match self.choice(variants[0]) {
            RedefinesChoice::Redefined => vec![variants[0]],
            RedefinesChoice::Named(name) => self.named(variants, name).into_iter().collect(),
            RedefinesChoice::AllValid => variants.to_vec(),
            RedefinesChoice::ByValue {
                cases, otherwise, ..
            } => variants
                .iter()
                .copied()
                .filter(|variant| {
                    let names = cases.iter().map(|(_, name)| name).chain(otherwise);
                    names
                        .into_iter()
                        .any(|name| self.named(variants, name) == Some(*variant))
                })
                .collect(),
        }
    }

    /// The description that a rule names by its COBOL name or number.
    fn named(&self, variants: &[FieldId], name: &str) -> Option<FieldId> {
        let number = name.strip_prefix('#').and_then(|n| n.parse::<usize>().ok());
        number.and_then(|n| variants.get(n).copied()).or_else(|| {
            variants.iter().copied().find(|id| {
                let own = self.layout[*id].name.as_deref();
                own.is_some_and(|own| own.eq_ignore_ascii_case(name))
            })
        })
    }

    /// What the object must fulfil besides its members: which of several
    /// descriptions of the same storage are there.
    fn choice_rules(&self, variants: &[FieldId], shown: &[FieldId]) -> Vec<Value> {
        if shown.len() < 2 {
            return Vec::new();
        }
        let present: Vec<Value> = shown
            .iter()
            .filter_map(|id| self.names.json(*id))
            .map(|name| json!({"required": [name]}))
            .collect();
        let RedefinesChoice::ByValue { field, cases, .. } = self.choice(variants[0]) else {
            // Each description that holds valid data appears, or is accepted.
            let needs_one = self.direction == SchemaDirection::ToRecord && self.requires();
            return if needs_one {
                vec![json!({"anyOf": present})]
            } else {
                Vec::new()
            };
        };
        let mut one_of = present.clone();
        if !self.requires() || self.direction == SchemaDirection::FromRecord {
            one_of.push(json!({"not": {"anyOf": present}}));
        }
        let mut rules = vec![json!({"oneOf": one_of})];
        rules.extend(self.discriminator_rules(variants, field, cases));
        rules
    }

    /// `if` the deciding field has a value `then` its description is there,
    /// when both are members of the same object.
    fn discriminator_rules(
        &self,
        variants: &[FieldId],
        field: &str,
        cases: &[(String, String)],
    ) -> Vec<Value> {
        let Some(deciding) = self.layout.find(field) else {
            return Vec::new();
        };
        let same_object = self.layout[deciding].parent == self.layout[variants[0]].parent;
        let Some(key) = self.names.json(deciding).filter(|_| same_object) else {
            return Vec::new();
        };
        let mut rules = Vec::new();
        for (value, name) in cases {
            let variant = self.named(variants, name);
            if let Some(member) = variant.and_then(|id| self.names.json(id)) {
                let value = self.constant(&self.layout[deciding], value);
                rules.push(json!({
                    "if": {"properties": {key: {"const": value}}, "required": [key]},
                    "then": {"required": [member]},
                }));
            }
        }
        rules
    }

    /// A value as the codec writes it for this field.
    fn constant(&self, field: &Field, value: &str) -> Value {
        let number = matches!(field.kind, FieldKind::Numeric(_) | FieldKind::Index);
        if number
            && self.options.numbers == NumberForm::Number
            && let Ok(Value::Number(number)) = serde_json::from_str(value)
        {
            return Value::Number(number);
        }
        value.into()
    }
}
