//! Kinds of values, the check of a file against the key table, and the JSON
//! schema and reference page that come from the same table.

use super::tree::{Node, Notes, Value};
use crate::units::{parse_duration, parse_size};
use serde_json::{Map, Value as Json, json};

/// One key that a table of the file may have.
#[derive(Debug)]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// What it holds.
    pub kind: Kind,
    /// Whether it must be there.
    pub required: bool,
    /// What it means, for people.
    pub doc: &'static str,
}

/// What a value may be.
#[derive(Debug)]
pub enum Kind {
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
    List(&'static Kind),
    /// A table with these keys.
    Table(&'static [Key]),
    /// A table with keys of the writer's choice.
    Map(&'static Kind),
    /// One of several kinds; the last is named when none fits.
    Either(&'static [Kind]),
    /// Anything.
    Any,
}

impl Kind {
    fn name(&self) -> String {
        match self {
            Kind::Text => "text".into(),
            Kind::Duration => "a duration like \"500ms\"".into(),
            Kind::Size => "a size like \"64k\"".into(),
            Kind::Integer(low, high) => format!("a whole number from {low} to {high}"),
            Kind::Number(low, high) => format!("a number from {low} to {high}"),
            Kind::Bool => "true or false".into(),
            Kind::OneOf(words) => format!("one of {}", words.join(", ")),
            Kind::List(of) => format!("a list, each {}", of.name()),
            Kind::Table(keys) => {
                let names: Vec<&str> = keys.iter().map(|k| k.name).collect();
                format!("a table of {}", names.join(", "))
            }
            Kind::Map(_) => "a table".into(),
            Kind::Either(kinds) => {
                let names: Vec<String> = kinds.iter().map(Kind::name).collect();
                names.join(", or ")
            }
            Kind::Any => "anything".into(),
        }
    }

    /// Whether the outer form fits, so that inner mistakes are told for the
    /// kind that was meant.
    fn looks_like(&self, value: &Value) -> bool {
        match (self, value) {
            (Kind::Either(kinds), _) => kinds.iter().any(|k| k.looks_like(value)),
            (Kind::Any, _)
            | (Kind::Text | Kind::OneOf(_), Value::Text(_))
            | (Kind::Duration, Value::Text(_) | Value::Integer(_) | Value::Float(_))
            | (Kind::Size, Value::Text(_) | Value::Integer(_))
            | (Kind::Integer(..), Value::Integer(_))
            | (Kind::Number(..), Value::Integer(_) | Value::Float(_))
            | (Kind::Bool, Value::Bool(_))
            | (Kind::List(_), Value::List(_)) => true,
            (Kind::Table(_) | Kind::Map(_), Value::Table(_)) => true,
            _ => false,
        }
    }
}

/// Checks a table against its keys and notes every mistake.
pub(super) fn check(node: &Node, keys: &'static [Key], notes: &mut Notes<'_>) {
    for entry in node.entries() {
        match keys.iter().find(|k| k.name == entry.key) {
            Some(key) => check_kind(&entry.key, &entry.node, &key.kind, notes),
            None => {
                let names = keys.iter().map(|k| k.name);
                let near = names.min_by_key(|n| distance(n, &entry.key));
                let near = near.filter(|n| distance(n, &entry.key) <= 2);
                let hint = near.map_or(String::new(), |n| format!("; did you mean `{n}`?"));
                notes.add(&entry.span, format!("unknown key `{}`{hint}", entry.key));
            }
        }
    }
    for key in keys.iter().filter(|k| k.required) {
        if node.get(key.name).is_none() {
            notes.add(&node.span, format!("`{}` is missing here", key.name));
        }
    }
}

fn check_kind(name: &str, node: &Node, kind: &'static Kind, notes: &mut Notes<'_>) {
    if !kind.looks_like(&node.value) {
        return notes.add(&node.span, format!("`{name}` must be {}", kind.name()));
    }
    let wrong = |notes: &mut Notes<'_>| {
        notes.add(&node.span, format!("`{name}` must be {}", kind.name()));
    };
    match (kind, &node.value) {
        (Kind::Either(kinds), value) => {
            let meant = kinds.iter().find(|k| k.looks_like(value));
            check_kind(name, node, meant.expect("one of them fits"), notes);
        }
        (Kind::Duration, Value::Text(text)) => {
            if let Err(why) = parse_duration(text) {
                notes.add(&node.span, why);
            }
        }
        (Kind::Duration, _) if node.as_number().is_none_or(|n| n < 0.0) => {
            wrong(notes);
        }
        (Kind::Size, Value::Text(text)) => {
            if let Err(why) = parse_size(text) {
                notes.add(&node.span, why);
            }
        }
        (Kind::Size, Value::Integer(n)) if *n < 0 => wrong(notes),
        (Kind::Integer(low, high), Value::Integer(n)) if n < low || n > high => wrong(notes),
        (Kind::Number(low, high), _)
            if node.as_number().is_none_or(|n| !(n >= *low && n <= *high)) =>
        {
            wrong(notes);
        }
        (Kind::OneOf(words), Value::Text(text)) if !words.contains(&text.as_str()) => wrong(notes),
        (Kind::List(of), Value::List(items)) => {
            items
                .iter()
                .for_each(|item| check_kind(name, item, of, notes));
        }
        (Kind::Table(keys), Value::Table(_)) => check(node, keys, notes),
        (Kind::Map(of), Value::Table(entries)) => {
            entries
                .iter()
                .for_each(|e| check_kind(&e.key, &e.node, of, notes));
        }
        _ => {}
    }
}

/// Edits that turn one word into the other.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let change = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = change.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
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
            map.insert("description".into(), json!(key.doc));
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

fn kind_schema(kind: &Kind) -> Json {
    match kind {
        Kind::Text => json!({"type": "string"}),
        Kind::Duration => {
            json!({"type": ["string", "number"], "examples": ["500ms", "10s", "1m30s"]})
        }
        Kind::Size => json!({"type": ["string", "integer"], "examples": ["512", "64k"]}),
        Kind::Integer(low, high) => {
            or_loop(json!({"type": "integer", "minimum": low, "maximum": high}))
        }
        Kind::Number(low, high) => {
            or_loop(json!({"type": "number", "minimum": low, "maximum": high}))
        }
        Kind::Bool => or_loop(json!({"type": "boolean"})),
        Kind::OneOf(words) => or_loop(json!({"enum": words})),
        Kind::List(of) => json!({"type": "array", "items": kind_schema(of)}),
        Kind::Table(keys) => table_schema(keys),
        Kind::Map(of) => json!({"type": "object", "additionalProperties": kind_schema(of)}),
        Kind::Either(kinds) => {
            let all: Vec<Json> = kinds.iter().map(kind_schema).collect();
            json!({"anyOf": all})
        }
        Kind::Any => json!({}),
    }
}

/// A value, or the loop that gives it.
fn or_loop(value: Json) -> Json {
    json!({"anyOf": [value, {"type": "string", "pattern": "^\\$\\{[^}]+\\}$"}]})
}

/// The reference page of a scenario file, as Markdown.
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
    *out += &format!("\n## {title}\n\n| key | value | meaning |\n|---|---|---|\n");
    for key in keys {
        let kind = short_name(&key.kind);
        let needed = if key.required { " (required)" } else { "" };
        *out += &format!("| `{}` | {kind} | {}{needed} |\n", key.name, key.doc);
    }
    for key in keys {
        describe_inner(&key.kind, &join(path, key.name), out);
    }
}

fn describe_inner(kind: &Kind, path: &str, out: &mut String) {
    match kind {
        Kind::Table(keys) => describe(keys, path, out),
        Kind::List(of) => describe_inner(of, &format!("[{path}]"), out),
        Kind::Map(of) => describe_inner(of, &format!("{path}.NAME"), out),
        Kind::Either(kinds) => kinds.iter().for_each(|k| describe_inner(k, path, out)),
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

fn short_name(kind: &Kind) -> String {
    match kind {
        Kind::Table(_) | Kind::Map(_) => "table".into(),
        Kind::List(of) => format!("list of {}", short_name(of)),
        Kind::Either(kinds) => {
            let names: Vec<String> = kinds.iter().map(short_name).collect();
            names.join(" or ")
        }
        other => other.name(),
    }
}
