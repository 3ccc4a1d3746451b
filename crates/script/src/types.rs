//! TypeScript declarations: of what scripts see, and of each copybook.

use std::fmt::Write;

use copybook::{FieldId, JsonNames, NamingStyle, RecordLayout};

use crate::records::{FieldType, shape_of};

/// The globals that scripts have in addition to the language.
const OWN: &str = include_str!("prelude/tupelo.d.ts");

/// The declarations of the service, with those of copybooks: name and layout.
pub fn declarations<'l>(
    copybooks: impl IntoIterator<Item = (&'l str, &'l RecordLayout)>,
) -> String {
    let mut records = String::new();
    let mut map = String::new();
    for (name, layout) in copybooks {
        let type_name = type_name(name);
        records += &of_record(&type_name, layout);
        let _ = writeln!(map, "  {name:?}: {type_name};");
    }
    format!(
        "{OWN}\n{records}\n/** The copybooks of the application. */\ninterface Copybooks {{\n{map}}}\n"
    )
}

/// The interface of a record.
pub fn of_record(name: &str, layout: &RecordLayout) -> String {
    let names = JsonNames::new(layout, NamingStyle::JsonSafe { lowercase: false });
    let mut out = format!("interface {name} extends CopybookRecord {{\n");
    members(layout, &names, RecordLayout::RECORD, 1, &mut out);
    out += "}\n";
    out
}

fn members(
    layout: &RecordLayout,
    names: &JsonNames,
    group: FieldId,
    depth: usize,
    out: &mut String,
) {
    let indent = "  ".repeat(depth);
    for &id in &layout[group].children {
        let Some(name) = names.json(id) else {
            continue;
        };
        let field = &layout[id];
        if let Some(picture) = &field.picture {
            let _ = writeln!(out, "{indent}/** PIC {picture} */");
        }
        let table = field.occurs.is_some();
        let (open, close) = if table {
            ("CopybookTable<", ">")
        } else {
            ("", "")
        };
        let word = match shape_of(layout, id) {
            FieldType::Group => {
                let _ = writeln!(out, "{indent}{name}: {open}{{");
                members(layout, names, id, depth + 1, out);
                let _ = writeln!(out, "{indent}}}{close};");
                continue;
            }
            FieldType::Text | FieldType::Decimal => "string",
            FieldType::Number => "number",
            FieldType::BigInt => "bigint",
        };
        let _ = writeln!(out, "{indent}{name}: {open}{word}{close};");
    }
}

fn type_name(name: &str) -> String {
    let word = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    format!("Record_{}", name.chars().map(word).collect::<String>())
}
