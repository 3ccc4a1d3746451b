//! One key of a recorded session, as a step of a scenario.
//!
//! A field is named by the text before it if that text leads back to the same
//! field, otherwise by row and column. The text that a step waits for is new on the
//! answer's screen and has no digits, because the next run is likely to show such
//! text again.

use std::time::Duration;
use tn3270::screen::KeyboardState;
use tn3270::stream::{Intensity, plain_data};
use tn3270::{Aid, CodeTable, Emulator, Field, InboundRecord, Key, KeyOutcome, Screen};

/// A step of a recorded session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedStep {
    /// Fields and their texts, in the order of the screen.
    pub fields: Vec<RecordedField>,
    /// Text typed on a screen without fields.
    pub typed: String,
    /// Row and column of the cursor, both from 1, if typing does not move it
    /// there anyway.
    pub cursor: Option<(u16, u16)>,
    /// The name of the key.
    pub key: String,
    /// New text on the answer's screen.
    pub wait_for: Option<String>,
    /// The pause between the answer and the next key.
    pub think: Duration,
}

/// A field that the user changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedField {
    /// Its label, or `row,column`.
    pub name: String,
    /// Its text, or a placeholder for a hidden field.
    pub text: String,
    /// Whether the field hides its text.
    pub hidden: bool,
}

impl RecordedStep {
    /// The step for a record that the emulator sent, also performed on
    /// `shadow`. Returns `None` if the record is not a key.
    pub fn read(
        record: &InboundRecord<'_>,
        shadow: &mut Emulator,
        table: &CodeTable,
    ) -> Option<RecordedStep> {
        let (key, name) = key_of(record.aid())?;
        let mut step = RecordedStep::of_key(name);
        // The user may have pressed RESET, which sends nothing.
        if shadow.screen().keyboard() != KeyboardState::Unlocked {
            shadow.press(Key::Reset);
        }
        for field in record.fields() {
            let mut bytes = Vec::new();
            plain_data(field.data, &mut bytes);
            let text = table.decode_text(&bytes);
            match field.address {
                Some(address) => step.fill(address, &text, shadow.screen_mut(), table),
                None => step.type_free(&text, shadow.screen_mut(), table),
            }
        }
        if let Some(at) = record.cursor()
            && at != shadow.screen().cursor()
        {
            let columns = shadow.screen().size().columns();
            step.cursor = Some((at / columns + 1, at % columns + 1));
            shadow.screen_mut().set_cursor(at);
        }
        shadow.press(key);
        Some(step)
    }

    /// A step that only presses this key.
    pub fn of_key(name: String) -> RecordedStep {
        RecordedStep {
            fields: Vec::new(),
            typed: String::new(),
            cursor: None,
            key: name,
            wait_for: None,
            think: Duration::ZERO,
        }
    }

    fn fill(&mut self, address: u16, text: &str, screen: &mut Screen, table: &CodeTable) {
        let fields = screen.fields();
        let Some(field) = fields.iter().find(|f| f.first == address) else {
            return;
        };
        let text = text.trim_end();
        if text == screen.field_text(field, table) {
            // Its modified data tag was already set.
            return;
        }
        let hidden = field.attribute.intensity() == Intensity::Hidden;
        self.fields.push(RecordedField {
            name: name_of(field, screen, table),
            text: if hidden {
                PLACEHOLDER.into()
            } else {
                text.into()
            },
            hidden,
        });
        if screen.fill_field(field, text, table) != KeyOutcome::Done {
            screen.press(Key::Reset);
        }
    }

    /// Text on a screen without fields: the new part was typed.
    fn type_free(&mut self, text: &str, screen: &mut Screen, table: &CodeTable) {
        let before: Vec<u8> = screen.cells().iter().map(|cell| cell.content).collect();
        let before: Vec<u8> = before.into_iter().filter(|byte| *byte != 0).collect();
        let before = table.decode_text(&before);
        let same = before.chars().zip(text.chars());
        let front = same.take_while(|(a, b)| a == b).count();
        let rest: Vec<char> = text.chars().skip(front).collect();
        let old: Vec<char> = before.chars().skip(front).collect();
        let same = old.iter().rev().zip(rest.iter().rev());
        let back = same.take_while(|(a, b)| a == b).count();
        self.typed = rest[..rest.len() - back].iter().collect();
        self.typed.truncate(self.typed.trim_end().len());
        if screen.type_text(&self.typed, table) != KeyOutcome::Done {
            screen.press(Key::Reset);
        }
    }
}

/// The label that leads to a field, or its row and column.
fn name_of(field: &Field, screen: &Screen, table: &CodeTable) -> String {
    let columns = screen.size().columns();
    let (row, column) = (field.first / columns, field.first % columns);
    let line: String = screen.row_text(row, table);
    let before: String = line.chars().take(usize::from(column)).collect();
    let label = before.trim_end();
    let label = label.rfind("  ").map_or(label, |at| &label[at..]).trim();
    let leads = screen
        .field_by_label(label, table)
        .is_some_and(|found| found.start == field.start);
    let is_name = label.chars().any(char::is_alphabetic) && !label.contains(',');
    if leads && is_name {
        label.to_owned()
    } else {
        format!("{},{}", row + 1, column + 1)
    }
}

/// Text that is new on a screen: the longest words without digits in the first row
/// that has some. Returns `None` if there are none.
pub fn new_text(before: &str, answer: &str) -> Option<String> {
    for row in answer.lines() {
        let parts = row.split("  ").flat_map(parts_without_digits);
        let parts = parts.filter(|part| {
            let letters = part.chars().filter(|c| c.is_alphabetic()).count();
            letters >= 3 && !before.contains(part.as_str())
        });
        if let Some(part) = parts.max_by_key(String::len) {
            return Some(part);
        }
    }
    None
}

/// The runs of words without digits in a text.
fn parts_without_digits(text: &str) -> Vec<String> {
    let words: Vec<&str> = text.split(' ').filter(|word| !word.is_empty()).collect();
    let has_digit = |word: &&str| word.chars().any(|c| c.is_ascii_digit());
    let runs = words.split(has_digit);
    runs.map(|run| run.join(" ")).collect()
}

/// The key of an attention identifier, and its name. Returns `None` for identifiers
/// without a key.
fn key_of(aid: Aid) -> Option<(Key, String)> {
    Some(match aid {
        Aid::Enter => (Key::Enter, "enter".into()),
        Aid::Clear => (Key::Clear, "clear".into()),
        Aid::Pf(n) => (Key::Pf(n), format!("pf{n}")),
        Aid::Pa(n) => (Key::Pa(n), format!("pa{n}")),
        Aid::CursorSelect => (Key::CursorSelect, "select".into()),
        Aid::SysReq => (Key::SystemRequest, "sysreq".into()),
        _ => return None,
    })
}

/// Replaces the text of a hidden field.
const PLACEHOLDER: &str = "CHANGEME";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_waits_for_words_that_its_answer_brought() {
        let before = " MAIN MENU      08:15\n Option\n";
        let answer = " MAIN MENU      08:16\n Option\n\n   12 rows   Choose an account\n";
        assert_eq!(new_text(before, answer).unwrap(), "Choose an account");
        assert_eq!(new_text(before, "Goodbye, T001").unwrap(), "Goodbye,");
        assert_eq!(new_text(before, before), None);
        assert_eq!(new_text(before, " MAIN MENU      08:16\n"), None);
    }
}
