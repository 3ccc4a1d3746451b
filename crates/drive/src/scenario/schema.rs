//! Kinds of values, the check of a file against the key table, and the JSON schema
//! and reference page made from the same table.

use super::tree::{MistakeList, Node, TreeValue};
use crate::units::{parse_duration, parse_size};
use serde_json::{Map, Value as Json, json};

/// One key of a table in the file.
#[derive(Debug)]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// The kind of its value.
    pub kind: ValueKind,
    /// Whether it is required.
    pub required: bool,
    /// Its value if the file does not have the key, as text.
    pub default: Option<&'static str>,
    /// Its description in the reference.
    pub doc: &'static str,
}

impl Key {
    /// The same key with a default.
    pub(super) const fn or(self, default: &'static str) -> Key {
        Key {
            default: Some(default),
            ..self
        }
    }

    /// The meaning of the key, with its default.
    fn meaning(&self) -> String {
        match self.default {
            Some(default) => format!("{} Default: {default}.", self.doc),
            None => self.doc.to_owned(),
        }
    }
}

/// The kind of a value.
#[derive(Debug)]
pub enum ValueKind {
    /// Any text.
    Text,
    /// A duration such as `500ms`, or a number of seconds.
    Duration,
    /// A size such as `64k`, or a number of bytes.
    Size,
    /// A whole number within bounds.
    Integer(i64, i64),
    /// A number within bounds.
    Number(f64, f64),
    /// true or false.
    Bool,
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// A list.
    List(&'static ValueKind),
    /// A table with these keys.
    Table(&'static [Key]),
    /// A table with user-defined keys.
    Map(&'static ValueKind),
    /// One of several kinds; messages name the last one.
    Either(&'static [ValueKind]),
    /// Any value.
    Any,
}

impl ValueKind {
    fn name(&self) -> String {
        match self {
            ValueKind::Text => "a text in quotes".into(),
            ValueKind::Duration => "a duration like \"500ms\"".into(),
            ValueKind::Size => "a size like \"64k\"".into(),
            ValueKind::Integer(low, high) => format!("a whole number from {low} to {high}"),
            ValueKind::Number(low, high) => format!("a number from {low} to {high}"),
            ValueKind::Bool => "true or false".into(),
            ValueKind::OneOf(words) => format!("one of {}", words.join(", ")),
            ValueKind::List(of) => format!("a list, each {}", of.name()),
            ValueKind::Table(keys) => {
                let names: Vec<&str> = keys.iter().map(|k| k.name).collect();
                format!("a table of {}", names.join(", "))
            }
            ValueKind::Map(_) => "a table".into(),
            ValueKind::Either(kinds) => {
                let names: Vec<String> = kinds.iter().map(ValueKind::name).collect();
                names.join(", or ")
            }
            ValueKind::Any => "anything".into(),
        }
    }

    /// Whether the outer form of a value fits, so that mistakes inside it are
    /// reported for the intended kind.
    fn looks_like(&self, value: &TreeValue) -> bool {
        match (self, value) {
            (ValueKind::Either(kinds), _) => kinds.iter().any(|k| k.looks_like(value)),
            (ValueKind::Any, _)
            | (ValueKind::Text | ValueKind::OneOf(_), TreeValue::Text(_))
            | (
                ValueKind::Duration,
                TreeValue::Text(_) | TreeValue::Integer(_) | TreeValue::Float(_),
            )
            | (ValueKind::Size, TreeValue::Text(_) | TreeValue::Integer(_))
            | (ValueKind::Integer(..), TreeValue::Integer(_))
            | (ValueKind::Number(..), TreeValue::Integer(_) | TreeValue::Float(_))
            | (ValueKind::Bool, TreeValue::Bool(_))
            | (ValueKind::List(_), TreeValue::List(_)) => true,
            (ValueKind::Table(_) | ValueKind::Map(_), TreeValue::Table(_)) => true,
            _ => false,
        }
    }
}

/// Checks the table of a path against its keys and notes every mistake.
pub(super) fn check(node: &Node, keys: &'static [Key], path: &str, notes: &mut MistakeList<'_>) {
    for entry in node.entries() {
        match keys.iter().find(|k| k.name == entry.key) {
            Some(key) => {
                let path = join(path, key.name);
                check_kind((&path, key), &entry.node, &key.kind, notes)
            }
            None => {
                let names = keys.iter().map(|k| k.name);
                let (message, help) = settings::unknown_key(path, &entry.key, names);
                notes.add_with(&entry.span, message, Some(help));
            }
        }
    }
    for key in keys.iter().filter(|k| k.required) {
        if node.get(key.name).is_none() {
            let message = settings::missing_key(path, key.name);
            let help = format!("{}: {}", key.name, key.meaning());
            notes.add_with(&node.span, message, Some(help));
        }
    }
}

/// Checks a value of a key, or a part of it, at a path.
fn check_kind(
    (path, key): (&str, &'static Key),
    node: &Node,
    kind: &'static ValueKind,
    notes: &mut MistakeList<'_>,
) {
    let name = path.rsplit('.').next().unwrap_or(path);
    let wrong = |notes: &mut MistakeList<'_>| {
        let message = settings::wrong_value(name, &kind.name(), &notes.written(node));
        notes.add_with(&node.span, message, Some(key.meaning()));
    };
    if !kind.looks_like(&node.value) {
        return wrong(notes);
    }
    let unreadable = |why: String, notes: &mut MistakeList<'_>| {
        notes.add_with(&node.span, why, Some(key.meaning()));
    };
    match (kind, &node.value) {
        (ValueKind::Either(kinds), value) => {
            let meant = kinds.iter().find(|k| k.looks_like(value));
            check_kind((path, key), node, meant.expect("one of them fits"), notes);
        }
        (ValueKind::Duration, TreeValue::Text(text)) => {
            if let Err(why) = parse_duration(text) {
                unreadable(why, notes);
            }
        }
        (ValueKind::Duration, _) if node.as_number().is_none_or(|n| n < 0.0) => {
            wrong(notes);
        }
        (ValueKind::Size, TreeValue::Text(text)) => {
            if let Err(why) = parse_size(text) {
                unreadable(why, notes);
            }
        }
        (ValueKind::Size, TreeValue::Integer(n)) if *n < 0 => wrong(notes),
        (ValueKind::Integer(low, high), TreeValue::Integer(n)) if n < low || n > high => {
            wrong(notes)
        }
        (ValueKind::Number(low, high), _)
            if node.as_number().is_none_or(|n| !(n >= *low && n <= *high)) =>
        {
            wrong(notes);
        }
        (ValueKind::OneOf(words), TreeValue::Text(text)) if !words.contains(&text.as_str()) => {
            let (message, near) = settings::wrong_word(name, words, &notes.written(node));
            notes.add_with(&node.span, message, near.or(Some(key.meaning())));
        }
        (ValueKind::List(of), TreeValue::List(items)) => {
            items
                .iter()
                .for_each(|item| check_kind((path, key), item, of, notes));
        }
        (ValueKind::Table(keys), TreeValue::Table(_)) => check(node, keys, path, notes),
        (ValueKind::Map(of), TreeValue::Table(entries)) => {
            entries
                .iter()
                .for_each(|e| check_kind((&join(path, &e.key), key), &e.node, of, notes));
        }
        _ => {}
    }
}

/// The JSON schema of a scenario file.
pub fn json_schema() -> Json {
    let mut schema = table_schema(super::keys());
    let head = [
        ("$schema", "https://json-schema.org/draft/2020-12/schema"),
        ("title", "tupelo drive scenario"),
    ];
    if let Json::Object(map) = &mut schema {
        for (key, text) in head {
            map.insert(key.into(), json!(text));
        }
    }
    schema
}

fn table_schema(keys: &[Key]) -> Json {
    let mut properties = Map::new();
    for key in keys {
        let mut schema = kind_schema(&key.kind);
        if let Json::Object(map) = &mut schema {
            map.insert("description".into(), json!(key.meaning()));
        }
        properties.insert(key.name.into(), schema);
    }
    let required: Vec<&str> = keys.iter().filter(|k| k.required).map(|k| k.name).collect();
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

fn kind_schema(kind: &ValueKind) -> Json {
    match kind {
        ValueKind::Text => json!({"type": "string"}),
        ValueKind::Duration => {
            json!({"type": ["string", "number"], "examples": ["500ms", "10s", "1m30s"]})
        }
        ValueKind::Size => json!({"type": ["string", "integer"], "examples": ["512", "64k"]}),
        ValueKind::Integer(low, high) => {
            or_loop(json!({"type": "integer", "minimum": low, "maximum": high}))
        }
        ValueKind::Number(low, high) => {
            or_loop(json!({"type": "number", "minimum": low, "maximum": high}))
        }
        ValueKind::Bool => or_loop(json!({"type": "boolean"})),
        ValueKind::OneOf(words) => or_loop(json!({"enum": words})),
        ValueKind::List(of) => json!({"type": "array", "items": kind_schema(of)}),
        ValueKind::Table(keys) => table_schema(keys),
        ValueKind::Map(of) => json!({"type": "object", "additionalProperties": kind_schema(of)}),
        ValueKind::Either(kinds) => {
            let all: Vec<Json> = kinds.iter().map(kind_schema).collect();
            json!({"anyOf": all})
        }
        ValueKind::Any => json!({}),
    }
}

/// A value, or a loop variable.
fn or_loop(value: Json) -> Json {
    json!({"anyOf": [value, {"type": "string", "pattern": "^\\$\\{[^}]+\\}$"}]})
}

/// The reference page of scenario files, as Markdown.
pub fn reference() -> String {
    let mut out = String::from(
        "# Scenario files\n\nEvery key of a scenario for `tupelo drive --scenario`. Unknown keys are rejected. \
         A value `\"${name}\"` stands for the current value of the loop of that name.\n",
    );
    describe(super::keys(), "", &mut out);
    out += "\n## Templates\n\n| hole | gives |\n|---|---|\n";
    for (hole, gives) in super::template::HOLES {
        out += &format!("| `{{{{{hole}}}}}` | {gives} |\n");
    }
    out
}

fn describe(keys: &[Key], path: &str, out: &mut String) {
    let title = if path.is_empty() {
        "Top level".into()
    } else {
        format!("`[{path}]`")
    };
    *out += &format!("\n## {title}\n\n| key | type | default | meaning |\n|---|---|---|---|\n");
    for key in keys {
        let kind = short_name(&key.kind);
        let default = match key.default {
            _ if key.required => "required",
            Some(default) => default,
            None => "none",
        };
        *out += &format!("| `{}` | {kind} | {default} | {} |\n", key.name, key.doc);
    }
    for key in keys {
        describe_inner(&key.kind, &join(path, key.name), out);
    }
}

fn describe_inner(kind: &ValueKind, path: &str, out: &mut String) {
    match kind {
        ValueKind::Table(keys) => describe(keys, path, out),
        ValueKind::List(of) => describe_inner(of, &format!("[{path}]"), out),
        ValueKind::Map(of) => describe_inner(of, &format!("{path}.NAME"), out),
        ValueKind::Either(kinds) => kinds.iter().for_each(|k| describe_inner(k, path, out)),
        _ => {}
    }
}

fn join(path: &str, name: &str) -> String {
    let path = path.trim_matches(['[', ']']);
    match path {
        "" => name.to_owned(),
        _ => format!("{path}.{name}"),
    }
}

fn short_name(kind: &ValueKind) -> String {
    match kind {
        ValueKind::Table(_) | ValueKind::Map(_) => "table".into(),
        ValueKind::List(of) => format!("list of {}", short_name(of)),
        ValueKind::Either(kinds) => {
            let names: Vec<String> = kinds.iter().map(short_name).collect();
            names.join(" or ")
        }
        ValueKind::Text => "text".into(),
        other => other.name(),
    }
}
