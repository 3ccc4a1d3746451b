//! Schemas of a document as the rules for structures take them: references
//! followed, `allOf` put together.

use crate::openapi::Document;
use serde_json::{Map, Value, json};

/// Deepest schema.
const MAX_DEPTH: usize = 32;
/// Most objects that one schema may become.
const MAX_OBJECTS: usize = 20_000;

/// A schema with its references resolved; a reference to an enclosing schema is
/// left.
///
/// # Errors
/// A reference without a target, and a schema that is nested too deeply or too large.
pub(super) fn flat(document: &Document, schema: &Value) -> Result<Value, String> {
    let mut budget = MAX_OBJECTS;
    flatten(document, schema, &mut Vec::new(), &mut budget)
}

/// `within` has the references that lead here; an empty one is a step into a
/// schema.
fn flatten<'d>(
    document: &'d Document,
    schema: &'d Value,
    within: &mut Vec<&'d str>,
    budget: &mut usize,
) -> Result<Value, String> {
    let reference = schema.get("$ref").and_then(Value::as_str);
    if reference.is_some_and(|reference| within.contains(&reference)) {
        return Ok(schema.clone());
    }
    if within.len() > MAX_DEPTH {
        return Err("a schema is nested too deeply".into());
    }
    if *budget == 0 {
        return Err(format!("a schema has more than {MAX_OBJECTS} parts"));
    }
    *budget -= 1;
    within.push(reference.unwrap_or_default());
    let flat = match reference {
        Some(reference) => match crate::openapi::target(&document.json, reference) {
            Some(target) => flatten(document, target, within, budget),
            None => Err(format!("the reference {reference} has no target")),
        },
        None => flatten_here(document, schema, within, budget),
    };
    within.pop();
    flat
}

fn flatten_here<'d>(
    document: &'d Document,
    schema: &'d Value,
    within: &mut Vec<&'d str>,
    budget: &mut usize,
) -> Result<Value, String> {
    let Some(object) = schema.as_object() else {
        return Ok(schema.clone());
    };
    let mut flat: Map<String, Value> = Map::new();
    for (key, value) in object {
        let value = match key.as_str() {
            "properties" => {
                let mut properties = Map::new();
                for (name, inner) in value.as_object().into_iter().flatten() {
                    properties.insert(name.clone(), flatten(document, inner, within, budget)?);
                }
                Value::Object(properties)
            }
            "items" => flatten(document, value, within, budget)?,
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
        merge(&mut flat, flatten(document, part, within, budget)?);
    }
    if let Some(kind) = implied(&flat) {
        flat.entry("type").or_insert(json!(kind));
    }
    Ok(Value::Object(flat))
}

/// The type of a schema, by its other keywords.
fn implied(schema: &Map<String, Value>) -> Option<&'static str> {
    let words = schema.get("enum").and_then(Value::as_array);
    if schema.contains_key("properties") {
        Some("object")
    } else if schema.contains_key("items") {
        Some("array")
    } else if words.is_some_and(|words| !words.is_empty() && words.iter().all(Value::is_string)) {
        Some("string")
    } else {
        None
    }
}

fn one_type(value: &Value) -> Value {
    let names = value.as_array().into_iter().flatten();
    let mut names = names.filter(|name| *name != "null");
    match (names.next(), names.next()) {
        (Some(one), None) => one.clone(),
        _ => value.clone(),
    }
}

/// Adds keywords of a part of `allOf` that the schema itself does not have.
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
