//! `.dai` files: another tool's arithmetic over the same copybooks.
//!
//! A file has one XML `<field>` a COBOL item with its start and length. If
//! these differ from the layout the project is refused, because one of the
//! two does not belong to the program. Among several copybooks the file selects that of
//! the direction: by the name of the copybook's file, or by that of its record.

use super::asset::DataArea;
use crate::diagnostics::{FilePosition, ProjectDiagnostics};
use quick_xml::events::Event;
use std::collections::HashMap;
use std::path::Path;

/// The structure that a file was generated from.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct DaiStructure {
    /// File names of copybooks that it names, without their folders.
    pub files: Vec<String>,
    /// Name of its first field, which is the record.
    pub record: Option<String>,
}

/// Reads which structure a file describes. An unreadable file selects nothing;
/// [`check`] reports it.
pub(crate) fn structure(file: &Path) -> DaiStructure {
    let mut found = DaiStructure::default();
    let Ok(text) = sources::read_to_string(file) else {
        return found;
    };
    let mut reader = quick_xml::Reader::from_str(&text);
    while let Ok(event) = reader.read_event() {
        let tag = match event {
            Event::Eof => break,
            Event::Start(tag) | Event::Empty(tag) => tag,
            _ => continue,
        };
        for attribute in tag.attributes().flatten() {
            let value = String::from_utf8_lossy(&attribute.value);
            let file = value.rsplit(['/', '\\']).next().unwrap_or_default();
            let extension = file.rsplit_once('.').map_or("", |(_, e)| e);
            if COPYBOOKS.iter().any(|c| extension.eq_ignore_ascii_case(c)) {
                found.files.push(file.to_owned());
            }
            let is_field = tag.local_name().as_ref().eq_ignore_ascii_case(b"field");
            if is_field && attribute.key.local_name().as_ref() == b"name" {
                found.record.get_or_insert(value.into_owned());
            }
        }
    }
    found
}

/// The endings of copybooks' names.
pub(crate) const COPYBOOKS: [&str; 3] = ["cpy", "cbl", "cob"];

/// Compares a file's fields with the areas of its direction.
pub(crate) fn check(file: &Path, areas: &[DataArea], out: &mut ProjectDiagnostics) {
    let text = match sources::read_to_string(file) {
        Ok(text) => text,
        Err(e) => {
            return out.error(
                file,
                FilePosition::default(),
                format!("cannot be read: {e}"),
            );
        }
    };
    let mut laid_out: HashMap<String, Vec<(u32, u32)>> = HashMap::new();
    for area in areas {
        for (_, field) in area.layout().iter() {
            if let Some(name) = &field.name {
                let place = (field.offset + 1, field.length);
                laid_out
                    .entry(name.to_ascii_uppercase())
                    .or_default()
                    .push(place);
            }
        }
    }
    let mut reader = quick_xml::Reader::from_str(&text);
    loop {
        let offset = reader.buffer_position() as usize;
        match reader.read_event() {
            Ok(Event::Eof) => break,
            Err(e) => {
                let at = position(&text, offset);
                return out.error(file, at, format!("not well-formed XML: {e}"));
            }
            Ok(Event::Start(tag) | Event::Empty(tag)) => {
                if !tag.local_name().as_ref().eq_ignore_ascii_case(b"field") {
                    continue;
                }
                let attribute = |name: &str| {
                    let value = tag.try_get_attribute(name).ok()??;
                    Some(String::from_utf8_lossy(&value.value).into_owned())
                };
                let number = |name: &str| attribute(name)?.parse::<u32>().ok();
                let (Some(name), Some(start), Some(bytes)) =
                    (attribute("name"), number("startPos"), number("bytes"))
                else {
                    continue;
                };
                let Some(places) = laid_out.get(&name.to_ascii_uppercase()) else {
                    continue;
                };
                if !places.contains(&(start, bytes)) {
                    let (here, length) = places[0];
                    let message = format!(
                        "{name} is at {start} with {bytes} bytes here, but the copybook has it \
                         at {here} with {length}"
                    );
                    let help = "generate both from the program's copybook again";
                    out.error_help(file, position(&text, offset), message, help);
                }
            }
            Ok(_) => {}
        }
    }
}

fn position(text: &str, offset: usize) -> FilePosition {
    let before = &text.as_bytes()[..offset.min(text.len())];
    let line = before.iter().filter(|b| **b == b'\n').count() as u32 + 1;
    let column = before.iter().rev().take_while(|b| **b != b'\n').count() as u32 + 1;
    FilePosition { line, column }
}
