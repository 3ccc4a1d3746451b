//! `oneOf` and `anyOf` whose alternatives are distinguished by one property:
//! the alternative that a discriminator names, and the place of the fault if
//! none fits.
//!
//! Reference: OpenAPI 3.0.3, "Discriminator Object".

use super::schema::{MAX_NESTING, Schema, SchemaId, SchemaSet};
use super::walk::SchemaWalk;
use crate::json::{JsonKind, TapeValue};
use serde_json::Value;

/// The property that names the alternative.
#[derive(Debug)]
pub(crate) struct SchemaDiscriminator {
    property: String,
    /// Values and the alternatives that they name.
    by_value: Vec<(String, SchemaId)>,
}

impl SchemaDiscriminator {
    /// The discriminator of a schema, whose alternatives are compiled; `None`
    /// if it has none that names one of them.
    pub(super) fn of(schema: &Value, compiled: &[SchemaId]) -> Option<Box<SchemaDiscriminator>> {
        let discriminator = schema.get("discriminator")?;
        let property = discriminator.get("propertyName")?.as_str()?.to_owned();
        let lists = ["oneOf", "anyOf"].map(|key| schema.get(key).and_then(Value::as_array));
        let alternatives = lists.into_iter().flatten().flatten();
        let references = alternatives.map(|a| a.get("$ref").and_then(Value::as_str));
        let known: Vec<(&str, SchemaId)> = references
            .zip(compiled)
            .filter_map(|(reference, id)| Some((reference?, *id)))
            .collect();
        let last = |reference: &str| reference.rsplit('/').next().unwrap_or_default().to_owned();
        let mut by_value = Vec::new();
        let mapping = discriminator.get("mapping").and_then(Value::as_object);
        for (value, meant) in mapping.into_iter().flatten() {
            let Some(meant) = meant.as_str() else {
                continue;
            };
            // A mapping has a reference, or the name of a schema.
            let named = known.iter().find(|k| k.0 == meant || last(k.0) == meant);
            by_value.extend(named.map(|(_, id)| (value.clone(), *id)));
        }
        for (reference, id) in &known {
            let value = last(reference);
            if !by_value.iter().any(|(known, _)| *known == value) {
                by_value.push((value, *id));
            }
        }
        (!by_value.is_empty()).then(|| Box::new(SchemaDiscriminator { property, by_value }))
    }

    /// The alternative that a value names.
    pub(super) fn chosen(&self, value: TapeValue<'_>) -> Option<SchemaId> {
        if value.kind() != JsonKind::Object {
            return None;
        }
        let member = value.get(&self.property)?;
        let text = match member.kind() {
            JsonKind::String => member.plain(),
            JsonKind::Number => member.raw().into(),
            _ => return None,
        };
        let mut named = self.by_value.iter();
        named.find(|(value, _)| *value == text).map(|(_, id)| *id)
    }
}

impl SchemaWalk<'_, '_> {
    /// Reports that a value fits none of the alternatives: at the property that
    /// distinguishes them, or the faults of the alternative that it names.
    #[cold]
    pub(super) fn none_fits(&mut self, alternatives: &[SchemaId], value: Option<TapeValue<'_>>) {
        let object = value.filter(|value| value.kind() == JsonKind::Object);
        let path = tag(self.set(), alternatives, 0);
        let (Some(value), Some(path)) = (object, path) else {
            return self.fault("matches none of the allowed forms");
        };
        let mut member = value;
        for (i, name) in path.iter().enumerate() {
            let Some(inner) = member.get(name) else {
                return self.fault_at(&path[..=i], format!("{name} is required"));
            };
            member = inner;
        }
        let set = self.set();
        let property = |id: SchemaId| {
            let mut names = path.iter();
            names.try_fold(id, |id, name| set.property(id, name))
        };
        let fitting: Vec<SchemaId> = alternatives
            .iter()
            .copied()
            .filter(|id| {
                let own = property(*id);
                own.is_some_and(|own| self.tried(|walk| walk.value(own, member)))
            })
            .collect();
        match fitting[..] {
            [one] => self.deeper(|walk| walk.value(one, value)),
            [] => {
                let own = alternatives.iter().filter_map(|id| property(*id));
                let values = own.flat_map(|own| &set.get(own).values);
                let values: Vec<String> = values
                    .map(|v| v.as_str().map_or_else(|| v.to_string(), str::to_owned))
                    .collect();
                self.fault_at(&path, format!("must be one of {}", values.join(", ")));
            }
            _ => self.fault("matches none of the allowed forms"),
        }
    }
}

/// The path of the property that each alternative requires and limits to values
/// of its own.
fn tag(set: &SchemaSet, alternatives: &[SchemaId], depth: usize) -> Option<Vec<String>> {
    let first = set.get(*alternatives.first()?);
    let limits = |schema: &Schema| !schema.values.is_empty() || schema.not.is_some();
    let mut names = first.required.iter();
    names.find_map(|name| {
        let inner: Option<Vec<SchemaId>> = alternatives
            .iter()
            .map(|id| {
                let required = set.get(*id).required.contains(name);
                set.property(*id, name).filter(|_| required)
            })
            .collect();
        let inner = inner?;
        if inner.iter().all(|id| limits(set.get(*id))) {
            return Some(vec![name.clone()]);
        }
        let below = (depth < MAX_NESTING).then(|| tag(set, &inner, depth + 1))??;
        Some([vec![name.clone()], below].concat())
    })
}
