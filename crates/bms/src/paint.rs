//! A map as text: what `tupelo bms show` prints.
//!
//! Constants are shown unchanged. Positions of input fields are underscores, those
//! of named output fields are dots, the cursor is a number sign. A table of the
//! named fields follows. The text is ASCII except for the map's own characters.

use std::fmt::Write;

use crate::layout::{MapLayout, ScreenField, ScreenSize};
use crate::model::{Initial, Map};

/// Paints a map with rulers, and lists its named fields. Columns and lines are
/// counted from 1. The screen is the map's own place and size.
pub fn paint(map: &Map) -> Vec<String> {
    let layout = MapLayout::new(map);
    let screen = ScreenSize {
        lines: map.line.saturating_sub(1).saturating_add(map.lines).max(1),
        columns: map
            .column
            .saturating_sub(1)
            .saturating_add(map.columns)
            .max(1),
    };
    let mut cells = ScreenCells::new(screen);
    for field in &layout.fields {
        cells.field(&layout, field);
    }
    let cursor = layout.fields.iter().rev().find(|field| field.cursor);
    if let Some(field) = cursor {
        cells.set(u32::from(layout.data_address(field, screen)), '#');
    }
    let mut lines = vec![title(map)];
    lines.extend(rulers(screen.columns));
    lines.extend(cells.lines());
    lines.push("_ input   . output   # cursor".into());
    lines.extend(field_table(&layout, screen));
    lines
}

/// The characters of a screen.
struct ScreenCells {
    screen: ScreenSize,
    cells: Vec<char>,
}

impl ScreenCells {
    fn new(screen: ScreenSize) -> ScreenCells {
        let count = usize::try_from(screen.positions()).unwrap_or(0);
        ScreenCells {
            screen,
            cells: vec![' '; count],
        }
    }

    fn set(&mut self, position: u32, value: char) {
        let index = usize::from(self.screen.wrap(position));
        if let Some(cell) = self.cells.get_mut(index) {
            *cell = value;
        }
    }

    fn field(&mut self, layout: &MapLayout, field: &ScreenField) {
        self.set(u32::from(layout.attribute_address(field, self.screen)), ' ');
        let first = u32::from(layout.data_address(field, self.screen));
        let empty = match (field.attribute.is_protected(), &field.name) {
            (false, _) => '_',
            (true, Some(_)) => '.',
            (true, None) => ' ',
        };
        for part in &field.parts {
            let text: Vec<char> = match &part.initial {
                Initial::Text(text) if !field.attribute.is_hidden() => text.chars().collect(),
                _ => Vec::new(),
            };
            for index in 0..part.length {
                let given = text.get(usize::from(index)).copied();
                let given = given.filter(|c| *c != ' ' && !c.is_control());
                let position = first + u32::from(part.start) + u32::from(index);
                self.set(position, given.unwrap_or(empty));
            }
        }
    }

    fn lines(&self) -> impl Iterator<Item = String> {
        let width = usize::from(self.screen.columns);
        (1..).zip(self.cells.chunks(width)).map(|(number, cells)| {
            let text: String = cells.iter().collect();
            format!("{number:>3} |{text}|")
        })
    }
}

fn title(map: &Map) -> String {
    let mut title = format!("{}  {} lines, {} columns", map.name, map.lines, map.columns);
    if (map.line, map.column) != (1, 1) {
        let _ = write!(title, ", from line {} column {}", map.line, map.column);
    }
    title
}

/// Tens and units of the columns.
fn rulers(columns: u16) -> [String; 2] {
    let tens: String = (1..=columns)
        .map(|c| match c % 10 {
            0 => char::from_digit(u32::from(c / 10 % 10), 10).unwrap_or(' '),
            _ => ' ',
        })
        .collect();
    let units: String = (1..=columns)
        .map(|c| char::from_digit(u32::from(c % 10), 10).unwrap_or(' '))
        .collect();
    [format!("     {}", tens.trim_end()), format!("     {units}")]
}

/// Name, place, length and attributes of each named field.
fn field_table(layout: &MapLayout, screen: ScreenSize) -> Vec<String> {
    let named = layout.fields.iter().filter(|field| field.name.is_some());
    let mut lines: Vec<String> = named
        .map(|field| {
            let address = layout.data_address(field, screen);
            let (line, column) = (address / screen.columns + 1, address % screen.columns + 1);
            let name = field.name.as_deref().unwrap_or_default();
            let attributes = attribute_words(field);
            let length = field.length;
            format!("{name:<30} {line:>4} {column:>6} {length:>6}  {attributes}")
        })
        .collect();
    if !lines.is_empty() {
        lines.insert(0, format!("{:<30} line column length  attributes", "field"));
    }
    lines
}

fn attribute_words(field: &ScreenField) -> String {
    let attribute = field.attribute;
    let mut words = vec![match (attribute.is_protected(), attribute.is_numeric()) {
        (true, true) => "ASKIP",
        (true, false) => "PROT",
        (false, true) => "UNPROT,NUM",
        (false, false) => "UNPROT",
    }];
    if attribute.is_hidden() {
        words.push("DRK");
    } else if attribute.is_bright() {
        words.push("BRT");
    }
    if attribute.is_modified() {
        words.push("FSET");
    }
    if field.cursor {
        words.push("IC");
    }
    words.join(",")
}
