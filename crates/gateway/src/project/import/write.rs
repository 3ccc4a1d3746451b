//! How names, paths and values are written in the files of a project.

use serde_json::Value;
use std::fmt::Write;

/// A name as a step of a JSONata path.
pub(super) fn quoted(name: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    if name.bytes().all(plain) && !name.starts_with(|c: char| c.is_ascii_digit()) {
        name.to_string()
    } else {
        format!("\"{name}\"")
    }
}

/// A YAML scalar in single quotes.
pub(super) fn yaml(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

/// JSON as block-style YAML.
pub(super) fn write_yaml(value: &Value, indent: usize, out: &mut String) {
    let pad = " ".repeat(indent);
    match value {
        Value::Object(members) => {
            for (key, value) in members {
                let key = if key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
                    && key.starts_with(|c: char| c.is_ascii_alphabetic())
                {
                    key.clone()
                } else {
                    yaml(key)
                };
                let _ = write!(out, "{pad}{key}:");
                write_below(value, indent, out);
            }
        }
        Value::Array(items) => {
            for item in items {
                let mut inner = String::new();
                write_yaml(item, indent + 2, &mut inner);
                let _ = write!(out, "{pad}- {}", inner.trim_start());
            }
        }
        other => {
            let _ = writeln!(out, "{pad}{}", scalar(other));
        }
    }
}

fn write_below(value: &Value, indent: usize, out: &mut String) {
    let empty = match value {
        Value::Object(members) => members.is_empty(),
        Value::Array(items) => items.is_empty(),
        _ => {
            let _ = writeln!(out, " {}", scalar(value));
            return;
        }
    };
    match (empty, value.is_array()) {
        (true, true) => out.push_str(" []\n"),
        (true, false) => out.push_str(" {}\n"),
        (false, array) => {
            out.push('\n');
            write_yaml(value, if array { indent } else { indent + 2 }, out);
        }
    }
}

fn scalar(value: &Value) -> String {
    match value {
        Value::String(text) => yaml(text),
        other => other.to_string(),
    }
}
