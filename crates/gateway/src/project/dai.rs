//! `.dai` files: another tool's arithmetic over the same copybooks.
//!
//! They hold one XML `<field>` a COBOL item with its start and length. Where
//! they disagree with the layout the project is refused, because one of the
//! two does not belong to the program.

use super::asset::Area;
use crate::diagnostics::{Diagnostics, Position};
use quick_xml::events::Event;
use std::collections::HashMap;
use std::path::Path;

/// Compares a file's fields with the areas of its direction.
pub(crate) fn check(file: &Path, areas: &[Area], out: &mut Diagnostics) {
    let text = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(e) => return out.error(file, Position::default(), format!("cannot be read: {e}")),
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
                        "{name} is at {start} with {bytes} bytes here, \
                         the copybook has it at {here} with {length}"
                    );
                    let help = "generate both from the program's copybook again";
                    out.error_help(file, position(&text, offset), message, help);
                }
            }
            Ok(_) => {}
        }
    }
}

fn position(text: &str, offset: usize) -> Position {
    let before = &text.as_bytes()[..offset.min(text.len())];
    let line = before.iter().filter(|b| **b == b'\n').count() as u32 + 1;
    let column = before.iter().rev().take_while(|b| **b != b'\n').count() as u32 + 1;
    Position { line, column }
}
