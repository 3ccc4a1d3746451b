//! A new API project from copybooks and the name of a program.
//!
//! What comes out is an ordinary project of the same shape as those that are
//! loaded: an OpenAPI document, an asset with its copybooks and schemas, and
//! the mappings of one operation. It is meant to be edited.

use super::asset::same_name;
use super::folder_name;
use super::record::{Record, is_text};
use crate::diagnostics::{Diagnostics, Position};
use copybook::{FieldId, Kind, Layout, Numeric, Storage};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// A copybook of a program to import.
#[derive(Debug, Clone)]
pub struct ImportBook {
    /// Where it was read from, for messages.
    pub file: PathBuf,
    /// The container it describes; not needed for a COMMAREA, and the record's
    /// name where none is given.
    pub container: Option<String>,
    /// Its text.
    pub text: String,
}

/// What to import.
#[derive(Debug, Clone)]
pub struct Import {
    /// Name of the API; its base path too.
    pub name: String,
    /// Program.
    pub program: String,
    /// Transaction to run it under.
    pub transid: Option<String>,
    /// Containers of a channel instead of a COMMAREA.
    pub channel: bool,
    /// What goes in.
    pub request: Vec<ImportBook>,
    /// What comes out; for a COMMAREA that is the same both ways, the same
    /// copybook.
    pub response: Vec<ImportBook>,
}

/// A file of the new project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedFile {
    /// Where it belongs, from the project's folder.
    pub path: PathBuf,
    /// Its text.
    pub text: String,
}

/// Makes the files of a project: one operation, POST on the base path.
///
/// # Errors
/// All faults of the copybooks.
pub fn import(import: &Import) -> Result<Vec<ImportedFile>, Diagnostics> {
    let mut out = Diagnostics::default();
    let request = areas(&import.request, import, &mut out);
    let response = areas(&import.response, import, &mut out);
    if !valid_name(&import.program) {
        let message = format!("{:?} is no name of a program", import.program);
        out.error(Path::new("--program"), Position::default(), message);
    }
    if out.has_errors() {
        return Err(out);
    }
    let program = import.program.to_ascii_uppercase();
    let root = if import.channel {
        "channel"
    } else {
        "commarea"
    };
    let main = Path::new("src/main");
    let asset = main.join("zosAssets").join(&program);
    let generated = asset.join("providerFiles/gen");
    let operation = main.join("operations").join(folder_name("/")).join("post");
    let mut files = Vec::new();
    let mut add = |path: PathBuf, text: String| files.push(ImportedFile { path, text });
    let bodies = (Body::new(&request), Body::new(&response));
    add(
        main.join("api/openapi.yaml"),
        document(import, &bodies.0, &bodies.1),
    );
    add(main.join("config/options.yaml"), options(import));
    add(asset.join("zosAsset.yaml"), asset_file(import, &program));
    for (direction, areas) in [("request", &request), ("response", &response)] {
        for (i, area) in areas.iter().enumerate() {
            let name = format!("{}_{direction}_{i}.cpy", area.name);
            add(generated.join(name), area.text.clone());
        }
        let schema = asset_schema(root, areas, import.channel);
        let text = serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n";
        add(generated.join(format!("{direction}Schema.json")), text);
    }
    add(
        operation.join("operation.yaml"),
        format!("---\nversion: 1\nzasset: \"{program}\"\n"),
    );
    add(
        operation.join("request.yaml"),
        bodies.0.request_mapping(root),
    );
    add(
        operation.join("response_200.yaml"),
        bodies.1.response_mapping(root),
    );
    add(
        operation.join("response_mapping.yaml"),
        "---\nversion: 1.0\nresponse_200.yaml:\n  \
         condition: '$not($exists($zosAssetResponse.abendCode))'\n  httpStatusCode: 200\n"
            .to_string(),
    );
    Ok(files)
}

/// One record with its place in the asset.
struct AreaSource {
    name: String,
    text: String,
    record: Record,
}

fn areas(books: &[ImportBook], import: &Import, out: &mut Diagnostics) -> Vec<AreaSource> {
    let mut areas: Vec<AreaSource> = Vec::new();
    for book in books {
        let Some(record) = Record::parse(&book.file, &book.text, out) else {
            continue;
        };
        let own = record.layout().name().to_string();
        let name = match (&book.container, import.channel) {
            (Some(container), true) => container.clone(),
            _ => own,
        };
        let at = Position::default();
        if import.channel && (name.is_empty() || name.len() > 16) {
            let message = format!("{name:?} is no name of a container: it has 1 to 16 characters");
            out.error(&book.file, at, message);
        }
        if areas.iter().any(|a| same_name(&a.name, &name)) {
            out.error(&book.file, at, format!("{name} is described twice"));
        }
        let text = with_level_01(&book.text, record.layout().name());
        areas.push(AreaSource { name, text, record });
    }
    if !import.channel && areas.len() > 1 {
        let help = "name one copybook a direction, or import the program with a channel";
        let message = "a COMMAREA has one record each way";
        out.error_help(&books[1].file, Position::default(), message, help);
    }
    areas
}

/// The text with the 01 level that it lacks: a copybook that begins below it
/// is named by its file, and the project's file has another name.
fn with_level_01(text: &str, record: &str) -> String {
    let options = copybook::ParseOptions {
        source_name: "no-name-of-its-own",
        ..copybook::ParseOptions::default()
    };
    let own = copybook::parse(text, &options)
        .is_ok_and(|layouts| layouts.first().is_some_and(|l| l.name() == record));
    if own {
        return text.to_owned();
    }
    let margin = match copybook::Format::detect(text) {
        copybook::Format::Free => "",
        _ => "       ",
    };
    format!("{margin}01  {record}.\n{text}")
}

fn valid_name(name: &str) -> bool {
    let known = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'@' | b'#' | b'$');
    (1..=8).contains(&name.len()) && name.bytes().all(known)
}

/// A member of a body: a name in JSON, and the field it stands for.
struct Member {
    json: String,
    cobol: String,
    kind: MemberKind,
    table: Option<(u32, u32)>,
}

enum MemberKind {
    Text(u32),
    Number(Value),
    Object(Vec<Member>),
}

/// A request or response body: the members of each area.
struct Body {
    areas: Vec<(String, Member)>,
}

impl Body {
    fn new(sources: &[AreaSource]) -> Body {
        let mut taken = HashSet::new();
        let areas = sources.iter().map(|source| {
            let layout = source.record.layout();
            let members = members(layout, Layout::RECORD);
            let kind = match layout[Layout::RECORD].kind {
                Kind::Group => MemberKind::Object(members),
                _ => leaf(layout, Layout::RECORD),
            };
            let json = unique(&source.name, &mut taken);
            let cobol = layout.name().to_string();
            (
                source.name.clone(),
                Member {
                    json,
                    cobol,
                    kind,
                    table: None,
                },
            )
        });
        Body {
            areas: areas.collect(),
        }
    }

    /// The only record's members stand at the top of the body, those of
    /// several each in an object of its own.
    fn lone(&self) -> Option<&[Member]> {
        match self.areas.as_slice() {
            [
                (
                    _,
                    Member {
                        kind: MemberKind::Object(members),
                        ..
                    },
                ),
            ] => Some(members),
            _ => None,
        }
    }

    fn schema(&self) -> Value {
        match self.lone() {
            Some(members) => object_schema(members),
            None => {
                let properties: serde_json::Map<String, Value> = self
                    .areas
                    .iter()
                    .map(|(_, m)| (m.json.clone(), m.schema()))
                    .collect();
                json!({"type": "object", "properties": properties})
            }
        }
    }

    fn request_mapping(&self, root: &str) -> String {
        let mut out = format!("---\nversion: 1.2\nmappings:\n- {root}:\n    mappings:\n");
        for (name, member) in &self.areas {
            let path = match self.lone() {
                Some(_) => "$body".to_string(),
                None => format!("$body.{}", quoted(&member.json)),
            };
            let mut indent = 4;
            if root == "channel" {
                let _ = writeln!(out, "    - {name}:\n        mappings:");
                indent = 8;
            }
            member.to_field(&path, indent, &mut out);
        }
        out
    }

    fn response_mapping(&self, root: &str) -> String {
        let mut out = "---\nversion: 1.2\nmappings:\n- body:\n    mappings:\n".to_string();
        for (name, member) in &self.areas {
            let mut path = format!("$zosAssetResponse.{root}");
            if root == "channel" {
                path = format!("{path}.{}", quoted(name));
            }
            path = format!("{path}.{}", quoted(&member.cobol));
            match self.lone() {
                Some(members) => {
                    for member in members {
                        member.to_body(&format!("{path}.{}", quoted(&member.cobol)), 4, &mut out);
                    }
                }
                None => member.to_body(&path, 4, &mut out),
            }
        }
        out
    }
}

impl Member {
    fn schema(&self) -> Value {
        let one = match &self.kind {
            MemberKind::Text(length) => json!({"type": "string", "maxLength": length}),
            MemberKind::Number(schema) => schema.clone(),
            MemberKind::Object(members) => object_schema(members),
        };
        match self.table {
            Some((min, max)) => {
                json!({"type": "array", "minItems": min, "maxItems": max, "items": one})
            }
            None => one,
        }
    }

    /// The mapping of `path` in the request to this field.
    fn to_field(&self, path: &str, indent: usize, out: &mut String) {
        let pad = " ".repeat(indent);
        let _ = writeln!(out, "{pad}- {}:", self.cobol);
        let (path, deeper) = self.each(path, indent, out);
        let pad = " ".repeat(deeper);
        match &self.kind {
            MemberKind::Object(members) => {
                let _ = writeln!(out, "{pad}mappings:");
                for member in members {
                    let below = format!("{path}.{}", quoted(&member.json));
                    member.to_field(&below, deeper, out);
                }
            }
            MemberKind::Text(_) => {
                let _ = writeln!(out, "{pad}template: {}", yaml(&format!("{{{{{path}}}}}")));
            }
            MemberKind::Number(_) => {
                let _ = writeln!(out, "{pad}expression: {}", yaml(&path));
            }
        }
    }

    /// The mapping of the field at `path` to this member.
    fn to_body(&self, path: &str, indent: usize, out: &mut String) {
        let pad = " ".repeat(indent);
        let _ = writeln!(out, "{pad}- {}:", self.json);
        let (path, deeper) = self.each(path, indent, out);
        let pad = " ".repeat(deeper);
        match &self.kind {
            MemberKind::Object(members) => {
                let _ = writeln!(out, "{pad}mappings:");
                for member in members {
                    let below = format!("{path}.{}", quoted(&member.cobol));
                    member.to_body(&below, deeper, out);
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
        }
    }

    /// Opens the `foreach` of a table; gives the path of its element and the
    /// indentation below.
    fn each(&self, path: &str, indent: usize, out: &mut String) -> (String, usize) {
        if self.table.is_none() {
            return (path.to_string(), indent + 4);
        }
        let pad = " ".repeat(indent + 4);
        let _ = writeln!(out, "{pad}foreach:\n{pad}  input: {}", yaml(path));
        ("$item".to_string(), indent + 6)
    }
}

/// The named fields below a group; groups without a name are looked through,
/// further descriptions of storage are left out.
fn members(layout: &Layout, group: FieldId) -> Vec<Member> {
    let mut taken = HashSet::new();
    let mut names = HashSet::new();
    let mut all = Vec::new();
    collect(layout, group, &mut taken, &mut names, &mut all);
    all
}

fn collect(
    layout: &Layout,
    group: FieldId,
    taken: &mut HashSet<String>,
    names: &mut HashSet<String>,
    all: &mut Vec<Member>,
) {
    for id in &layout[group].children {
        let field = &layout[*id];
        if field.redefines.is_some() {
            continue;
        }
        let Some(name) = &field.name else {
            if field.occurs.is_none() {
                collect(layout, *id, taken, names, all);
            }
            continue;
        };
        // Of two fields of one name a mapping can reach the first.
        if !names.insert(name.clone()) || matches!(field.kind, Kind::Pointer | Kind::Index) {
            continue;
        }
        let kind = match field.kind {
            Kind::Group => MemberKind::Object(members(layout, *id)),
            _ => leaf(layout, *id),
        };
        let table = field.occurs.as_ref().map(|o| (o.min, o.max));
        all.push(Member {
            json: unique(name, taken),
            cobol: name.clone(),
            kind,
            table,
        });
    }
}

fn leaf(layout: &Layout, id: FieldId) -> MemberKind {
    let field = &layout[id];
    match &field.kind {
        Kind::Numeric(numeric) => MemberKind::Number(number_schema(numeric, field.length)),
        Kind::Float | Kind::Double | Kind::DecimalFloat => {
            MemberKind::Number(json!({"type": "number"}))
        }
        kind if is_text(kind) => MemberKind::Text(match kind {
            Kind::National | Kind::Dbcs => field.length / 2,
            _ => field.length,
        }),
        _ => MemberKind::Text(field.length),
    }
}

/// Range and step of a number, by the rules for language structures.
fn number_schema(numeric: &Numeric, bytes: u32) -> Value {
    let native = numeric.storage == Storage::Native && numeric.scale == 0 && bytes <= 8;
    if native {
        let bits = bytes * 8;
        let format = if bits <= 32 { "int32" } else { "int64" };
        let (low, high) = match numeric.signed {
            true => (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1),
            false => (0, (1i128 << bits) - 1),
        };
        let fits = |n: i128| i64::try_from(n).ok();
        let mut schema = json!({"type": "integer", "format": format});
        if let (Some(low), Some(high)) = (fits(low), fits(high)) {
            schema["minimum"] = json!(low);
            schema["maximum"] = json!(high);
        }
        return schema;
    }
    let whole = i32::from(numeric.digits) - i32::from(numeric.scale);
    let mut schema = match numeric.scale {
        scale if scale > 0 => {
            let step = format!("0.{}1", "0".repeat(scale as usize - 1));
            let step = serde_json::from_str::<Value>(&step).unwrap_or(json!(0.01));
            json!({"type": "number", "format": "decimal", "multipleOf": step})
        }
        _ => json!({"type": "integer"}),
    };
    // Larger bounds have no exact form in JSON; the field itself holds them.
    if (1..=15).contains(&whole) && numeric.scale >= 0 {
        let nines = "9".repeat(whole as usize);
        let fraction = "9".repeat(numeric.scale as usize);
        let digits = if fraction.is_empty() {
            nines
        } else {
            format!("{nines}.{fraction}")
        };
        if digits.len() <= 16 {
            let bound = |text: &str| serde_json::from_str::<Value>(text).unwrap_or(Value::Null);
            let low = if numeric.signed {
                format!("-{digits}")
            } else {
                "0".to_string()
            };
            schema["minimum"] = bound(&low);
            schema["maximum"] = bound(&digits);
        }
    } else if !numeric.signed {
        schema["minimum"] = json!(0);
    }
    schema
}

fn object_schema(members: &[Member]) -> Value {
    let properties: serde_json::Map<String, Value> = members
        .iter()
        .map(|m| (m.json.clone(), m.schema()))
        .collect();
    json!({"type": "object", "properties": properties})
}

/// A COBOL name in JSON: lower case, `_` for `-`, nothing twice.
fn unique(name: &str, taken: &mut HashSet<String>) -> String {
    let mut plain: String = name.to_ascii_lowercase().replace('-', "_");
    if plain.starts_with(|c: char| c.is_ascii_digit()) {
        plain.insert(0, '_');
    }
    let mut fresh = plain.clone();
    let mut number = 2;
    while !taken.insert(fresh.clone()) {
        fresh = format!("{plain}{number}");
        number += 1;
    }
    fresh
}

/// A name as a step of a JSONata path.
fn quoted(name: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
    match name.bytes().all(plain) && !name.starts_with(|c: char| c.is_ascii_digit()) {
        true => name.to_string(),
        false => format!("\"{name}\""),
    }
}

/// A YAML scalar in single quotes.
fn yaml(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

fn document(import: &Import, request: &Body, response: &Body) -> String {
    let name = &import.name;
    let document = json!({
        "openapi": "3.0.3",
        "info": {"title": name, "version": "1.0.0"},
        "servers": [{"url": format!("/{}", folder_name(name))}],
        "paths": {"/": {"post": {
            "operationId": format!("call{}", import.program.to_ascii_uppercase()),
            "summary": format!("Run the program {}", import.program.to_ascii_uppercase()),
            "requestBody": {"required": !request.areas.is_empty(),
                "content": {"application/json": {"schema": request.schema()}}},
            "responses": {"200": {"description": "What the program returned",
                "content": {"application/json": {"schema": response.schema()}}}},
        }}},
    });
    let mut out = String::new();
    write_yaml(&document, 0, &mut out);
    out
}

/// JSON as block-style YAML.
fn write_yaml(value: &Value, indent: usize, out: &mut String) {
    let pad = " ".repeat(indent);
    match value {
        Value::Object(members) => {
            for (key, value) in members {
                let key = match key.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
                    && key.starts_with(|c: char| c.is_ascii_alphabetic())
                {
                    true => key.clone(),
                    false => yaml(key),
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

fn options(import: &Import) -> String {
    let interface = if import.channel {
        "CHANNEL"
    } else {
        "COMMAREA"
    };
    format!(
        "provider: CICS\nprogramInterface: {interface}\nlanguage: COBOL\n\
         connectionRef: cicsConn\nccsid: 037\n"
    )
}

fn asset_file(import: &Import, program: &str) -> String {
    let kind = if import.channel {
        "cicsChannel-1.0"
    } else {
        "cicsCommarea-1.0"
    };
    let mut out = format!(
        "---\nversion: 1.0\ntype: \"{kind}\"\ndescription: \"\"\nproviderProperties:\n  \
         language: \"COBOL\"\n  program: \"{program}\"\n  connectionRef: \"cicsConn\"\n  \
         ccsid: \"037\"\n"
    );
    if let Some(transid) = &import.transid {
        let _ = write!(
            out,
            "  transid: \"{transid}\"\n  transidUsage: \"EIB_AND_MIRROR\"\n"
        );
    }
    out
}

/// The language structure as JSON Schema draft 4, COBOL names kept.
fn asset_schema(root: &str, areas: &[AreaSource], channel: bool) -> Value {
    fn of(member: &Member) -> Value {
        let mut schema = member.schema();
        if let MemberKind::Object(members) = &member.kind {
            let properties: serde_json::Map<String, Value> =
                members.iter().map(|m| (m.cobol.clone(), of(m))).collect();
            let target = if member.table.is_some() {
                &mut schema["items"]
            } else {
                &mut schema
            };
            target["properties"] = Value::Object(properties);
        }
        schema
    }
    let body = Body::new(areas);
    let properties: serde_json::Map<String, Value> = body
        .areas
        .iter()
        .map(|(name, member)| match channel {
            true => {
                let inner = json!({"type": "object", "properties": {&member.cobol: of(member)}});
                (name.clone(), inner)
            }
            false => (member.cobol.clone(), of(member)),
        })
        .collect();
    json!({
        "$schema": "http://json-schema.org/draft-04/schema#",
        "type": "object",
        "properties": {root: {"type": "object", "properties": properties},
            "abendCode": {"type": "string"}},
    })
}
