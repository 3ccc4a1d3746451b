//! What a page sends: keys, characters, the place of the cursor, and texts to
//! paste.

use serde::Deserialize;
use tn3270::{CodeTable, Emulator, InhibitReason, Key, KeyOutcome, Screen};

/// One of them: `{"key": "pf", "number": 3}`, `{"text": "abc"}`,
/// `{"cursor": 81}`, `{"paste": "two\nlines"}`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub enum KeyAction {
    /// A key by its name, and the number of a PF or PA key.
    Key {
        /// The name.
        key: KeyName,
        /// 1 to 24.
        #[serde(default)]
        number: u8,
    },
    /// Characters as they are typed.
    Text {
        /// The characters.
        text: String,
    },
    /// The cursor is put to an address.
    Cursor {
        /// From 0.
        cursor: u16,
    },
    /// Lines that are put below each other from the cursor on, over input
    /// fields only.
    Paste {
        /// The lines.
        paste: String,
    },
}

/// A key's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs, reason = "each name is the key's own")]
pub enum KeyName {
    Enter,
    Pf,
    Pa,
    Clear,
    Reset,
    Attention,
    SystemRequest,
    CursorSelect,
    Tab,
    BackTab,
    NewLine,
    Home,
    FieldEnd,
    Left,
    Right,
    Up,
    Down,
    Backspace,
    Delete,
    Insert,
    EraseEof,
    EraseInput,
    Dup,
    FieldMark,
}

impl KeyAction {
    /// Whether the key action is not typed ahead: RESET and ATTN work on a locked keyboard.
    pub fn is_immediate(&self) -> bool {
        let Some(key) = self.key() else { return false };
        matches!(key, Key::Reset | Key::Attention | Key::SystemRequest)
    }

    /// Does the key action. Characters after one that is not possible are not typed.
    pub fn apply(&self, emulator: &mut Emulator, table: &CodeTable) -> KeyOutcome {
        if let Some(key) = self.key() {
            return emulator.press(key);
        }
        match self {
            KeyAction::Text { text } => emulator.screen_mut().type_text(text, table),
            KeyAction::Cursor { cursor } => {
                emulator.screen_mut().set_cursor(*cursor);
                KeyOutcome::Done
            }
            KeyAction::Paste { paste: text } => paste(emulator.screen_mut(), text, table),
            KeyAction::Key { .. } => KeyOutcome::Done,
        }
    }

    fn key(&self) -> Option<Key> {
        let KeyAction::Key { key, number } = self else {
            return None;
        };
        Some(match key {
            KeyName::Enter => Key::Enter,
            KeyName::Pf => Key::Pf(*number),
            KeyName::Pa => Key::Pa(*number),
            KeyName::Clear => Key::Clear,
            KeyName::Reset => Key::Reset,
            KeyName::Attention => Key::Attention,
            KeyName::SystemRequest => Key::SystemRequest,
            KeyName::CursorSelect => Key::CursorSelect,
            KeyName::Tab => Key::Tab,
            KeyName::BackTab => Key::BackTab,
            KeyName::NewLine => Key::NewLine,
            KeyName::Home => Key::Home,
            KeyName::FieldEnd => Key::FieldEnd,
            KeyName::Left => Key::Left,
            KeyName::Right => Key::Right,
            KeyName::Up => Key::Up,
            KeyName::Down => Key::Down,
            KeyName::Backspace => Key::Backspace,
            KeyName::Delete => Key::Delete,
            KeyName::Insert => Key::Insert,
            KeyName::EraseEof => Key::EraseEof,
            KeyName::EraseInput => Key::EraseInput,
            KeyName::Dup => Key::Dup,
            KeyName::FieldMark => Key::FieldMark,
        })
    }
}

/// Puts lines below each other, each from the cursor's column on. Positions that
/// cannot be typed into are passed over, and what does not fit is cut off.
fn paste(screen: &mut Screen, text: &str, table: &CodeTable) -> KeyOutcome {
    let (row, column) = screen.cursor_position();
    let (rows, columns) = (screen.size().rows(), screen.size().columns());
    let mut end = screen.cursor();
    for (line, to) in text.lines().zip(row..rows) {
        for (character, at) in line.chars().zip(column..columns) {
            let address = to * columns + at;
            if !is_open(screen, address) {
                continue;
            }
            let byte = table.encode(character).unwrap_or(SUBSTITUTE);
            screen.set_cursor(address);
            if let KeyOutcome::Inhibited(InhibitReason::Numeric) =
                screen.press(Key::Character(byte))
            {
                // A letter in a field of digits is left out.
                screen.press(Key::Reset);
            }
            end = screen.cursor();
        }
    }
    screen.set_cursor(end);
    KeyOutcome::Done
}

/// Whether a character can be typed there.
fn is_open(screen: &Screen, address: u16) -> bool {
    let is_attribute = screen.cells().get(usize::from(address));
    let is_attribute = is_attribute.is_none_or(|cell| cell.attribute.is_some());
    let protected = screen
        .field_at(address)
        .is_some_and(|(_, a)| a.is_protected());
    !is_attribute && !protected
}

/// What stands for a character that the page lacks.
const SUBSTITUTE: u8 = 0x6F;

#[cfg(test)]
mod tests {
    use super::*;
    use tn3270::TerminalModel;

    fn actions(json: &str) -> Vec<KeyAction> {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn what_a_page_sends_is_read_and_other_things_are_not() {
        let read =
            actions(r#"[{"key":"pf","number":3},{"text":"ab"},{"cursor":81},{"key":"enter"}]"#);
        assert_eq!(read[0].key(), Some(Key::Pf(3)));
        assert_eq!(read[1], KeyAction::Text { text: "ab".into() });
        assert_eq!(read[2], KeyAction::Cursor { cursor: 81 });
        assert!(actions(r#"[{"key":"reset"}]"#)[0].is_immediate());
        for wrong in [
            r#"[{"key":"bell"}]"#,
            r#"[{"text":1}]"#,
            "[{}]",
            "{}",
            r#"[{"cursor":70000}]"#,
        ] {
            assert!(
                serde_json::from_str::<Vec<KeyAction>>(wrong).is_err(),
                "{wrong}"
            );
        }
    }

    #[test]
    fn lines_are_pasted_below_each_other_into_input_fields_only() {
        let mut screen = Screen::new(TerminalModel::display(2));
        // Rows 1 and 3: an input field of 4 at column 2; row 2 is protected; row 3
        // takes digits.
        let record = [
            0xF5, 0xC3, 0x11, 0x40, 0x40, 0x1D, 0x40, 0x11, 0x40, 0xC5, 0x1D, 0xF0, 0x11, 0xC2,
            0x60, 0x1D, 0x50, 0x11, 0xC2, 0xE5, 0x1D, 0xF0,
        ];
        screen.handle_record(&record).unwrap();
        let table = CodeTable::cp037();
        screen.set_cursor(1);
        paste(&mut screen, "abcdef\nxyz\n1b2", &table);
        assert_eq!(screen.row_text(0, &table).trim_end(), " abcd");
        assert_eq!(screen.row_text(1, &table).trim(), "");
        assert_eq!(screen.row_text(2, &table).trim_end(), " 1 2");
    }
}
