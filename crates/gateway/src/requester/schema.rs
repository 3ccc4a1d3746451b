//! Schemas of a document as the rules for structures take them: references
//! followed, `allOf` put together.

use crate::openapi::Document;
use serde_json::{Map, Value, json};

/// Deepest schema.
const MAX_DEPTH: usize = 32;
/// Most objects that one schema may become.
const MAX_OBJECTS: usize = 20_000;

/// A schema with nothing to look up in it.
///
/// # Errors
/// What leads nowhere, or back to itself.
pub(super) fn flat(document: &Document, schema: &Value) -> Result<Value, String> {
    let mut budget = MAX_OBJECTS;
    flatten(document, schema, 0, &mut budget)
}

fn flatten(
    document: &Document,
    schema: &Value,
    depth: usize,
    budget: &mut usize,
) -> Result<Value, String> {
    if depth > MAX_DEPTH || *budget == 0 {
        return Err("a schema is too deep, or contains itself".into());
    }
    *budget -= 1;
    if let Some(reference) = schema.get("$ref").and_then(Value::as_str) {
        let target = crate::openapi::target(&document.json, reference)
            .ok_or_else(|| format!("the reference {reference} leads nowhere"))?;
        return flatten(document, target, depth + 1, budget);
    }
    let Some(object) = schema.as_object() else {
        return Ok(schema.clone());
    };
    let mut flat: Map<String, Value> = Map::new();
    for (key, value) in object {
        let value = match key.as_str() {
            "properties" => {
                let mut properties = Map::new();
                for (name, inner) in value.as_object().into_iter().flatten() {
                    properties.insert(name.clone(), flatten(document, inner, depth + 1, budget)?);
                }
                Value::Object(properties)
            }
            "items" => flatten(document, value, depth + 1, budget)?,
            "allOf" => continue,
            // 3.1 has null among the types.
            "type" => {
                let types = value.as_array();
                if types.is_some_and(|types| types.iter().any(|one| one == "null")) {
                    flat.insert("nullable".into(), json!(true));
                }
                one_type(value)
            }
            _ => value.clone(),
        };
        flat.insert(key.clone(), value);
    }
    for part in object
        .get("allOf")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
    {
        merge(&mut flat, flatten(document, part, depth + 1, budget)?);
    }
    if flat.contains_key("properties") {
        flat.entry("type").or_insert(json!("object"));
    }
    Ok(Value::Object(flat))
}

fn one_type(value: &Value) -> Value {
    let names = value.as_array().into_iter().flatten();
    let mut names = names.filter(|name| *name != "null");
    match (names.next(), names.next()) {
        (Some(one), None) => one.clone(),
        _ => value.clone(),
    }
}

/// Adds what a part of `allOf` says and the schema itself does not.
fn merge(into: &mut Map<String, Value>, part: Value) {
    let Value::Object(part) = part else { return };
    for (key, value) in part {
        match (into.get_mut(&key), value) {
            (Some(Value::Object(known)), Value::Object(more)) => {
                for (name, value) in more {
                    known.entry(name).or_insert(value);
                }
            }
            (Some(Value::Array(known)), Value::Array(more)) if key == "required" => {
                known.extend(more);
            }
            (Some(_), _) => {}
            (None, value) => {
                into.insert(key, value);
            }
        }
    }
}
