//! What the settings' own types say about a key: its shape, its default and
//! what it means. The reference page and the errors of `tupelo.toml` use it.

use serde_json::Value;

use super::config::Config;

/// The schema of `tupelo.toml` with its defaults.
pub struct SettingsSchema {
    /// The JSON schema.
    pub schema: Value,
    /// What an empty file means.
    pub defaults: Value,
}

/// One key or section.
#[derive(Clone, Copy)]
pub struct Field<'a> {
    schema: &'a Value,
    /// As its section declares it.
    pub field: &'a Value,
    /// What it is when it is left out; null where there is no default.
    pub default: &'a Value,
}

impl SettingsSchema {
    /// From the types.
    pub fn new() -> SettingsSchema {
        SettingsSchema {
            schema: schemars::schema_for!(Config).to_value(),
            defaults: serde_json::to_value(Config::default()).expect("the defaults are plain data"),
        }
    }

    /// What stands at a path of keys.
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
    /// The schema itself, without the reference to it.
    pub fn shape(self) -> &'a Value {
        resolve(self.schema, self.field)
    }

    /// What a key of it is, or an item of its list.
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

    /// The names of its keys, in their order.
    pub fn keys(self) -> Vec<&'a str> {
        let properties = self.shape()["properties"].as_object();
        let names = properties.into_iter().flatten();
        names.map(|(name, _)| name.as_str()).collect()
    }

    /// What it means, in one line.
    pub fn meaning(self) -> String {
        let text = self.field["description"].as_str();
        let text = text.or(self.shape()["description"].as_str());
        text.map_or(String::new(), one_line)
    }

    /// The type of its values: `integer`, `list of string`.
    pub fn type_name(self) -> String {
        type_of(self.schema, self.field)
    }

    /// The words it may be, each with its meaning, where it has a list of them.
    pub fn choices(self) -> Vec<(&'a str, String)> {
        let words = self.shape()["oneOf"].as_array().into_iter().flatten();
        let explained = words.filter_map(|word| {
            let meaning = word["description"].as_str().map(one_line)?;
            Some((word["const"].as_str()?, meaning))
        });
        explained.collect()
    }
}

/// A section that may be left out is its shape or null; a reference is what it
/// refers to.
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

/// A text with its lines joined.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
