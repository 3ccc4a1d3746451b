//! The screen as text and as a list of fields, for people, scripts and tests.
//!
//! Rows and columns count from 0 here, as addresses do.

use super::{Key, KeyOutcome, Screen};
use crate::code_table::CodeTable;
use crate::stream::{FieldAttribute, Intensity};

/// A field of the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// The address of the field attribute.
    pub start: u16,
    /// The first data position; that of the next attribute if the field has no
    /// data.
    pub first: u16,
    /// Data positions.
    pub length: u16,
    /// The attribute.
    pub attribute: FieldAttribute,
}

impl Screen {
    /// The fields in the order of their attributes.
    pub fn fields(&self) -> Vec<Field> {
        let starts = (0..self.positions()).filter_map(|at| Some((at, self.cell(at).attribute?)));
        let starts: Vec<_> = starts.collect();
        let positions = self.positions();
        let mut fields = Vec::with_capacity(starts.len());
        for (index, (start, attribute)) in starts.iter().enumerate() {
            let (next, _) = starts[(index + 1) % starts.len()];
            let distance = if next > *start {
                next - start
            } else {
                positions - start + next
            };
            fields.push(Field {
                start: *start,
                first: self.after(*start),
                length: distance - 1,
                attribute: *attribute,
            });
        }
        fields
    }

    /// A row as text: nulls and field attributes are blanks, hidden fields too.
    /// Rows beyond the screen are empty.
    pub fn row_text(&self, row: u16, table: &CodeTable) -> String {
        if row >= self.size.rows {
            return String::new();
        }
        let start = row * self.size.columns;
        self.text(start, self.size.columns, true, table)
    }

    /// All rows, each with a line feed.
    pub fn screen_text(&self, table: &CodeTable) -> String {
        let mut text = String::new();
        for row in 0..self.size.rows {
            text.push_str(&self.row_text(row, table));
            text.push('\n');
        }
        text
    }

    /// The data of a field as text, without what is null or blank at its end;
    /// that of a hidden field too.
    pub fn field_text(&self, field: &Field, table: &CodeTable) -> String {
        let text = self.text(field.first, field.length, false, table);
        text.trim_end().to_owned()
    }

    /// The unprotected field after a label: the first whose data begins after
    /// the end of this text. Returns `None` if the text is not on the screen.
    pub fn field_by_label(&self, label: &str, table: &CodeTable) -> Option<Field> {
        let text: Vec<char> = self
            .text(0, self.positions(), true, table)
            .chars()
            .collect();
        let label: Vec<char> = label.chars().collect();
        if label.is_empty() || label.len() > text.len() {
            return None;
        }
        let found = text.windows(label.len()).position(|part| part == label)?;
        let end = found + label.len();
        let fields = self.fields();
        let mut open = fields
            .iter()
            .filter(|field| !field.attribute.is_protected() && field.length > 0);
        let after = open.clone().find(|field| usize::from(field.first) >= end);
        after.or_else(|| open.next()).copied()
    }

    /// Types a text at the cursor as an operator does; a line feed is a new
    /// line. Stops at the first character that is not possible and returns its
    /// outcome.
    pub fn type_text(&mut self, text: &str, table: &CodeTable) -> KeyOutcome {
        for character in text.chars() {
            let key = match character {
                '\n' => Key::NewLine,
                '\t' => Key::Tab,
                // The byte X'FF' is refused as no character.
                _ => Key::Character(table.encode(character).unwrap_or(0xFF)),
            };
            let outcome = self.press(key);
            if outcome != KeyOutcome::Done {
                return outcome;
            }
        }
        KeyOutcome::Done
    }

    /// Types a text into a field after erasing it. A text that is too long for
    /// the field is cut.
    pub fn fill_field(&mut self, field: &Field, text: &str, table: &CodeTable) -> KeyOutcome {
        self.set_cursor(field.first);
        let erased = self.press(Key::EraseEof);
        if erased != KeyOutcome::Done {
            return erased;
        }
        let part: String = text.chars().take(usize::from(field.length)).collect();
        self.type_text(&part, table)
    }

    fn text(&self, first: u16, length: u16, hide: bool, table: &CodeTable) -> String {
        let mut hidden = hide && self.is_hidden(first);
        let mut text = String::with_capacity(usize::from(length));
        let cells = self.cells();
        let to_end = cells.get(usize::from(first)..).unwrap_or_default();
        // A field continues from the last position of the screen to the first.
        for cell in to_end.iter().chain(cells).take(usize::from(length)) {
            if let Some(attribute) = cell.attribute {
                hidden = hide && attribute.intensity() == Intensity::Hidden;
            }
            let shown = if hidden { 0 } else { cell.content };
            text.push(table.display(shown));
        }
        text
    }

    fn is_hidden(&self, address: u16) -> bool {
        let field = self.field_at(address);
        field.is_some_and(|(_, attribute)| attribute.intensity() == Intensity::Hidden)
    }
}
