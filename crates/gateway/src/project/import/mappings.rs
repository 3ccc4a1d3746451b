//! The mappings of an operation: request to record, and record to response.

use super::body::Body;
use super::member::{Member, MemberKind};
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
        let mapping = Mapping { body: &path };
        mapping.to_field(member, &path, indent, &mut out);
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
                    to_body(
                        member,
                        &format!("{path}.{}", quoted(&member.cobol)),
                        4,
                        &mut out,
                    );
                }
            }
            None => to_body(member, &path, 4, &mut out),
        }
    }
    out
}

struct Mapping<'a> {
    /// Path of the record's own object.
    body: &'a str,
}

impl Mapping<'_> {
    /// The mapping of `path` in the request to this field.
    fn to_field(&self, member: &Member, path: &str, indent: usize, out: &mut String) {
        let pad = " ".repeat(indent);
        let _ = writeln!(out, "{pad}- {}:", member.cobol);
        let (path, deeper) = each(member, path, indent, out);
        let pad = " ".repeat(deeper);
        match &member.kind {
            MemberKind::Object(members) => {
                let _ = writeln!(out, "{pad}mappings:");
                for member in members {
                    let below = format!("{path}.{}", quoted(&member.json));
                    self.to_field(member, &below, deeper, out);
                }
            }
            MemberKind::Text(_) => {
                let _ = writeln!(out, "{pad}template: {}", yaml(&format!("{{{{{path}}}}}")));
            }
            MemberKind::Number(_) => {
                let _ = writeln!(out, "{pad}expression: {}", yaml(&path));
            }
            MemberKind::Count(table) => {
                let names = table.iter().map(|name| format!(".{}", quoted(name)));
                let table = format!("$count({}{})", self.body, names.collect::<String>());
                let _ = writeln!(out, "{pad}expression: {}", yaml(&table));
            }
        }
    }
}

/// The mapping of the field at `path` to this member.
fn to_body(member: &Member, path: &str, indent: usize, out: &mut String) {
    if !member.is_shown() {
        return;
    }
    let pad = " ".repeat(indent);
    let _ = writeln!(out, "{pad}- {}:", member.json);
    let (path, deeper) = each(member, path, indent, out);
    let pad = " ".repeat(deeper);
    match &member.kind {
        MemberKind::Object(members) => {
            let _ = writeln!(out, "{pad}mappings:");
            for member in members {
                let below = format!("{path}.{}", quoted(&member.cobol));
                to_body(member, &below, deeper, out);
            }
        }
        // The blanks that fill a COBOL field are none of the text.
        MemberKind::Text(_) => {
            let text = format!("{{{{$replace({path}, / +$/, \"\")}}}}");
            let _ = writeln!(out, "{pad}template: {}", yaml(&text));
        }
        MemberKind::Number(_) => {
            let _ = writeln!(out, "{pad}expression: {}", yaml(&path));
        }
        MemberKind::Count(_) => {}
    }
}

/// Opens the `foreach` of a table; gives the path of its element and the
/// indentation below.
fn each(member: &Member, path: &str, indent: usize, out: &mut String) -> (String, usize) {
    if member.table.is_none() {
        return (path.to_string(), indent + 4);
    }
    let pad = " ".repeat(indent + 4);
    let _ = writeln!(out, "{pad}foreach:\n{pad}  input: {}", yaml(path));
    ("$item".to_string(), indent + 6)
}
