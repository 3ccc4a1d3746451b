//! Divides a schema into the parts that have fields in a structure, and those that
//! are left out.
//!
//! APIs that others describe have parts for which there is no rule: maps,
//! values of any kind, schemas that contain themselves. A program can do
//! without them where they may be missing, and where they are answered.

use crate::project::structure::{Limits, MAX_TEXT, refusal};
use serde_json::{Value, json};

/// The side of a structure: parts that a program must provide are not left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StructureSide {
    Request,
    Response,
}

/// Collects the parts that are left out.
#[derive(Debug)]
pub(super) struct SchemaFitting<'a> {
    pub side: StructureSide,
    pub limits: Limits,
    /// Each with its place and the reason.
    pub left_out: &'a mut Vec<String>,
}

impl SchemaFitting<'_> {
    /// The schema without the parts that have no rule. Returns `None` when no part is
    /// left. The schema is flat: a reference that remains is to an enclosing schema.
    ///
    /// # Errors
    /// A part that a program must provide has no rule.
    pub fn fit(&mut self, mut schema: Value, at: &str) -> Result<Option<Value>, String> {
        if schema.get("$ref").is_some() {
            return Ok(self.without(format!("{at} contains itself")));
        }
        if schema["type"] == "array" {
            // There is no rule for a number of items that is always the same:
            // they are counted like others.
            if let Some(schema) = schema.as_object_mut() {
                schema.remove("minItems");
            }
        }
        let long = schema["maxLength"].as_u64().is_some_and(|n| n > MAX_TEXT);
        if long && schema["type"] == "string" && schema.get("enum").is_none() {
            let most = schema["maxLength"].take();
            self.left_out.push(format!(
                "{at} is text of {most} characters: its field has {MAX_TEXT}"
            ));
            schema["maxLength"] = json!(MAX_TEXT);
        }
        if let Some(why) = refusal(&schema, self.limits, at) {
            return Ok(self.without(why));
        }
        match schema["type"].as_str() {
            Some("object") => self.object(schema, at),
            Some("array") if schema["items"]["type"] == "array" => {
                Ok(self.without(format!("{at} is an array of arrays")))
            }
            Some("array") => {
                let items = schema["items"].take();
                let items = self.fit(items, at)?;
                Ok(items.map(|items| {
                    schema["items"] = items;
                    schema
                }))
            }
            _ => Ok(Some(schema)),
        }
    }

    /// As above for parts that a program may have to provide.
    ///
    /// # Errors
    /// A required part has no rule.
    pub fn fit_needed(
        &mut self,
        schema: Value,
        at: &str,
        needed: bool,
    ) -> Result<Option<Value>, String> {
        let reported = self.left_out.len();
        let fitted = self.fit(schema, at)?;
        if fitted.is_none() && needed && self.side == StructureSide::Request {
            Err(self.left_out.split_off(reported).join("; "))
        } else {
            Ok(fitted)
        }
    }

    fn object(&mut self, mut schema: Value, at: &str) -> Result<Option<Value>, String> {
        let required = schema["required"].take();
        let mut required: Vec<Value> = required.as_array().cloned().unwrap_or_default();
        let mut properties = serde_json::Map::new();
        let all = schema["properties"].as_object_mut().map(std::mem::take);
        for (name, property) in all.into_iter().flatten() {
            let needed = required.iter().any(|r| *r == name);
            match self.fit_needed(property, &format!("{at}/{name}"), needed)? {
                Some(property) => {
                    properties.insert(name, property);
                }
                None => required.retain(|r| *r != name),
            }
        }
        if properties.is_empty() {
            return Ok(self.without(format!("{at} is an object without properties")));
        }
        schema["properties"] = Value::Object(properties);
        schema["required"] = Value::Array(required);
        Ok(Some(schema))
    }

    fn without(&mut self, why: String) -> Option<Value> {
        self.left_out.push(why);
        None
    }
}
