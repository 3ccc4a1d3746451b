//! The mappings of an operation: request to record, and record to response.

use super::body::Body;
use super::member::{BodyMember, MemberKind};
use super::overrides::trimmed;
use super::write::{quoted, yaml};
use std::fmt::Write;

/// `request.yaml`.
pub(super) fn request(body: &Body, root: &str) -> String {
    let mut out = format!("---\nversion: 1.2\nmappings:\n- {root}:\n    mappings:\n");
    for (name, member) in &body.areas {
        let path = match body.lone() {
            Some(_) => "$body".to_string(),
            None => format!("$body.{}", quoted(&member.json)),
        };
        let mut indent = 4;
        if root == "channel" {
            let _ = writeln!(out, "    - {name}:\n        mappings:");
            indent = 8;
        }
        Side::Request { body: &path }.write(member, &path, indent, &mut out);
    }
    out
}

/// `response_200.yaml`.
pub(super) fn response(body: &Body, root: &str) -> String {
    let mut out = "---\nversion: 1.2\nmappings:\n- body:\n    mappings:\n".to_string();
    for (name, member) in &body.areas {
        let mut path = format!("$zosAssetResponse.{root}");
        if root == "channel" {
            path = format!("{path}.{}", quoted(name));
        }
        path = format!("{path}.{}", quoted(&member.cobol));
        match body.lone() {
            Some(members) => {
                for member in members {
                    let below = format!("{path}.{}", quoted(&member.cobol));
                    Side::Response.write(member, &below, 4, &mut out);
                }
            }
            None => Side::Response.write(member, &path, 4, &mut out),
        }
    }
    out
}

/// The direction of a mapping.
enum Side<'a> {
    /// From the request to the record's fields.
    Request {
        /// Path of the record's own object.
        body: &'a str,
    },
    /// From the record's fields to the response.
    Response,
}

impl Side<'_> {
    /// The mapping of the value at `path` to this member.
    fn write(&self, member: &BodyMember, path: &str, indent: usize, out: &mut String) {
        let to_body = matches!(self, Side::Response);
        if to_body && !member.is_shown() {
            return;
        }
        let pad = " ".repeat(indent);
        let name = if to_body { &member.json } else { &member.cobol };
        let _ = writeln!(out, "{pad}- {name}:");
        let (path, deeper) = self.each(member, path, indent, out);
        let pad = " ".repeat(deeper);
        match &member.kind {
            MemberKind::Object(members) => {
                let _ = writeln!(out, "{pad}mappings:");
                for member in members {
                    let from = if to_body { &member.cobol } else { &member.json };
                    let below = format!("{path}.{}", quoted(from));
                    self.write(member, &below, deeper, out);
                }
            }
            MemberKind::Text(_) => {
                let text = match self {
                    Side::Request { .. } => format!("{{{{{path}}}}}"),
                    // The blanks that fill a COBOL field do not belong to its
                    // text.
                    Side::Response => format!("{{{{$replace({path}, / +$/, \"\")}}}}"),
                };
                let _ = writeln!(out, "{pad}template: {}", yaml(&text));
            }
            MemberKind::Meant { meaning, numeric } => {
                let value = match self {
                    Side::Request { .. } => meaning.request(&path, *numeric),
                    Side::Response => meaning.response(&path, *numeric),
                };
                let _ = writeln!(out, "{pad}expression: {}", yaml(&value));
            }
            MemberKind::Number(_) => {
                let _ = writeln!(out, "{pad}expression: {}", yaml(&path));
            }
            MemberKind::Count(counted) => {
                if let Side::Request { body } = self {
                    let (inner, rows) = match counted.path.split_last() {
                        Some((inner, rows)) if counted.in_rows.is_some() => (Some(inner), rows),
                        _ => (None, &counted.path[..]),
                    };
                    let names = rows.iter().map(|name| format!(".{}", quoted(name)));
                    let path = format!("{body}{}", names.collect::<String>());
                    // Without a row the counter has its least value.
                    let count = match (inner, counted.in_rows) {
                        (Some(inner), Some(min)) => {
                            // Within the call a name in quotes were a text.
                            format!("$max([{min}, {path}.$count(`{inner}`)])")
                        }
                        _ => format!("$count({path})"),
                    };
                    let _ = writeln!(out, "{pad}expression: {}", yaml(&count));
                }
            }
        }
    }

    /// Opens the `foreach` of a table. Returns the path of its element and the
    /// indentation below.
    fn each(
        &self,
        member: &BodyMember,
        path: &str,
        indent: usize,
        out: &mut String,
    ) -> (String, usize) {
        let Some(table) = &member.table else {
            return (path.to_string(), indent + 4);
        };
        let input = match self {
            Side::Response if table.trimmed => trimmed(member, path),
            _ => path.to_owned(),
        };
        let pad = " ".repeat(indent + 4);
        let _ = writeln!(out, "{pad}foreach:\n{pad}  input: {}", yaml(&input));
        ("$item".to_string(), indent + 6)
    }
}
