//! The shape, the default and the meaning of each key, from the types of the settings.
//! The reference page and the errors of `tupelo.toml` use them.

use serde_json::Value;

use super::config::Config;

/// The schema of `tupelo.toml` with its defaults.
pub struct SettingsSchema {
    /// The JSON schema.
    pub schema: Value,
    /// The values of an empty file.
    pub defaults: Value,
}

/// A key or section.
#[derive(Clone, Copy)]
pub struct Field<'a> {
    schema: &'a Value,
    /// The key's schema, as its section declares it.
    pub field: &'a Value,
    /// The default value; null without a default.
    pub default: &'a Value,
}

impl SettingsSchema {
    /// Builds the schema from the types.
    pub fn new() -> SettingsSchema {
        SettingsSchema {
            schema: schemars::schema_for!(Config).to_value(),
            defaults: serde_json::to_value(Config::default()).expect("the defaults are plain data"),
        }
    }

    /// The key or section at a path of keys.
    pub fn at<'a>(&'a self, path: &[String]) -> Option<Field<'a>> {
        let mut found = Field {
            schema: &self.schema,
            field: &self.schema,
            default: &self.defaults,
        };
        for name in path {
            found = found.inner(name)?;
        }
        Some(found)
    }
}

impl<'a> Field<'a> {
    /// The schema itself, with references resolved.
    pub fn shape(self) -> &'a Value {
        resolve(self.schema, self.field)
    }

    /// A key of this section, or the items of this list.
    pub fn inner(self, name: &str) -> Option<Field<'a>> {
        let mut shape = self.shape();
        if shape["items"].is_object() {
            shape = resolve(self.schema, &shape["items"]);
        }
        let field = match &shape["properties"][name] {
            Value::Null => &shape["additionalProperties"],
            field => field,
        };
        let default = match &self.default[name] {
            Value::Null => &field["default"],
            default => default,
        };
        field.is_object().then_some(Field {
            schema: self.schema,
            field,
            default,
        })
    }

    /// The names of its keys, in the order of their declaration.
    pub fn keys(self) -> Vec<&'a str> {
        let properties = self.shape()["properties"].as_object();
        let names = properties.into_iter().flatten();
        names.map(|(name, _)| name.as_str()).collect()
    }

    /// The meaning, in one line.
    pub fn meaning(self) -> String {
        let text = self.field["description"].as_str();
        let text = text.or(self.shape()["description"].as_str());
        text.map_or(String::new(), one_line)
    }

    /// The type of its values: `integer`, `list of string`.
    pub fn type_name(self) -> String {
        type_of(self.schema, self.field)
    }

    /// The words that are allowed, each with its meaning, if the key has a list of them.
    pub fn choices(self) -> Vec<(&'a str, String)> {
        let words = self.shape()["oneOf"].as_array().into_iter().flatten();
        let explained = words.filter_map(|word| {
            let meaning = word["description"].as_str().map(one_line)?;
            Some((word["const"].as_str()?, meaning))
        });
        explained.collect()
    }
}

/// Resolves a reference, and the shape of a section that may be absent.
pub fn resolve<'a>(schema: &'a Value, shape: &'a Value) -> &'a Value {
    let shape = match shape["anyOf"].get(0) {
        Some(some) if shape["anyOf"][1]["type"] == "null" => some,
        _ => shape,
    };
    match shape["$ref"].as_str() {
        Some(path) => schema
            .pointer(path.trim_start_matches('#'))
            .unwrap_or(shape),
        None => shape,
    }
}

/// The type of a field's values.
pub fn type_of(schema: &Value, field: &Value) -> String {
    let field = resolve(schema, field);
    match &field["type"] {
        Value::String(name) if name == "array" => {
            format!("list of {}", type_of(schema, &field["items"]))
        }
        Value::String(name) => name.clone(),
        Value::Array(names) => names
            .iter()
            .filter_map(Value::as_str)
            .find(|name| *name != "null")
            .unwrap_or("any")
            .to_owned(),
        _ => "string".to_owned(),
    }
}

/// A text with its lines joined by blanks.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
