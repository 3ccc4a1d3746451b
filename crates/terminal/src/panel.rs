//! A screen of a built-in transaction or of the debugger: texts and input fields
//! on 24 by 80, and what comes back.

use bms::TerminalPage;
use tn3270::stream::Command;
use tn3270::{FieldAttribute, OutboundBuilder, ScreenSize, Wcc};

use crate::page::PageTables;

/// A screen under construction. Rows and columns count from 1; an item's
/// attribute is at the column before, so items begin at column 2.
#[derive(Debug, Default)]
pub struct ScreenPanel {
    items: Vec<PanelItem>,
    cursor: Option<u16>,
    alarm: bool,
}

#[derive(Debug)]
struct PanelItem {
    address: u16,
    attribute: u8,
    text: String,
    /// Length of an input field.
    input: Option<u16>,
}

impl ScreenPanel {
    /// An empty screen.
    pub fn new() -> ScreenPanel {
        ScreenPanel::default()
    }

    /// Text.
    pub fn text(&mut self, row: u16, column: u16, text: impl Into<String>) -> &mut ScreenPanel {
        self.item(row, column, PROTECTED, text.into(), None)
    }

    /// Bright text.
    pub fn bright(&mut self, row: u16, column: u16, text: impl Into<String>) -> &mut ScreenPanel {
        self.item(row, column, PROTECTED_BRIGHT, text.into(), None)
    }

    /// An input field that shows a text.
    pub fn input(&mut self, row: u16, column: u16, length: u16, text: &str) -> &mut ScreenPanel {
        self.item(row, column, UNPROTECTED, text.to_owned(), Some(length))
    }

    /// An input field that shows nothing.
    pub fn hidden(&mut self, row: u16, column: u16, length: u16) -> &mut ScreenPanel {
        self.item(row, column, HIDDEN, String::new(), Some(length))
    }

    /// Where the cursor is put.
    pub fn cursor(&mut self, row: u16, column: u16) -> &mut ScreenPanel {
        self.cursor = Some(address(row, column));
        self
    }

    /// Has the terminal sound its alarm.
    pub fn alarm(&mut self, alarm: bool) -> &mut ScreenPanel {
        self.alarm = alarm;
        self
    }

    /// The record that shows it.
    pub fn record(&self, page: &PageTables) -> Vec<u8> {
        let wcc = Wcc {
            reset_modified: true,
            alarm: self.alarm,
            ..Wcc::RESTORE
        };
        let size = ScreenSize::MODEL_2;
        let mut out = OutboundBuilder::new(Command::EraseWrite, wcc, size.positions());
        let mut items: Vec<&PanelItem> = self.items.iter().collect();
        items.sort_by_key(|item| item.address);
        for (index, item) in items.iter().enumerate() {
            out.address(item.address - 1);
            out.field(FieldAttribute::parse(item.attribute));
            let row_end = size.columns() - item.address % size.columns();
            let length = item.input.unwrap_or(row_end).min(row_end);
            let mut text = page.text(&item.text);
            text.truncate(length.into());
            out.text(&text);
            let end = item.address + length;
            // The next item's attribute ends the field as well.
            let ended = items
                .get(index + 1)
                .is_some_and(|next| next.address - 1 == end);
            if item.input.is_some() && !ended && end < size.positions() {
                out.address(end);
                out.field(FieldAttribute::AUTOSKIP);
            }
        }
        if let Some(cursor) = self.cursor {
            out.address(cursor).cursor();
        }
        out.into_record()
    }

    fn item(
        &mut self,
        row: u16,
        column: u16,
        attribute: u8,
        text: String,
        input: Option<u16>,
    ) -> &mut ScreenPanel {
        self.items.push(PanelItem {
            address: address(row, column),
            attribute,
            text,
            input,
        });
        self
    }
}

/// The address of a row and a column, both from 1.
pub const fn address(row: u16, column: u16) -> u16 {
    (row - 1) * 80 + column - 1
}

/// What a user entered, for built-in transactions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UserInput {
    /// The AID.
    pub aid: u8,
    /// Characters before the first field.
    pub text: String,
    /// Fields with the address of their first character.
    pub fields: Vec<(u16, String)>,
}

impl UserInput {
    /// Takes a program's data apart.
    pub fn parse(aid: u8, data: &[u8], page: &PageTables) -> UserInput {
        let characters = |bytes: &[u8]| bytes.iter().map(|b| char::from(*b)).collect::<String>();
        let start = data.iter().position(|byte| *byte == SBA);
        let fields = crate::input::map_fields(data, page);
        let fields = fields.into_iter().map(|(at, text)| {
            let text: Vec<u8> = text.iter().map(|byte| page.to_program(*byte)).collect();
            (at, characters(&text))
        });
        UserInput {
            aid,
            text: characters(&data[..start.unwrap_or(data.len())]),
            fields: fields.collect(),
        }
    }

    /// The text of a field, trimmed. Returns `None` if the user did not change
    /// it.
    pub fn field(&self, row: u16, column: u16) -> Option<&str> {
        let at = address(row, column);
        let field = self.fields.iter().find(|(start, _)| *start == at)?;
        Some(field.1.trim_matches(['\0', ' ']))
    }

    /// The words with which the transaction was called, after its code.
    pub fn called_with(&self) -> &str {
        let typed = match self.fields.first() {
            Some((_, first)) if self.text.trim().is_empty() => first,
            _ => &self.text,
        };
        let typed = typed.trim_matches(['\0', ' ']);
        // A code of four letters may have its words at once after it.
        let code = typed.find([' ', ',']).unwrap_or(typed.len()).min(4);
        match typed.get(code..) {
            Some(rest) => rest.trim_matches([' ', ',', '\0']),
            None => "",
        }
    }
}

/// AID of CLEAR.
pub const CLEAR: u8 = 0x6D;
/// AIDs of the PF keys that panels know.
pub const PF1: u8 = 0xF1;
/// PF2.
pub const PF2: u8 = 0xF2;
/// PF3.
pub const PF3: u8 = 0xF3;
/// PF4.
pub const PF4: u8 = 0xF4;
/// PF5.
pub const PF5: u8 = 0xF5;
/// PF6.
pub const PF6: u8 = 0xF6;
/// PF7.
pub const PF7: u8 = 0xF7;
/// PF8.
pub const PF8: u8 = 0xF8;
/// PF9.
pub const PF9: u8 = 0xF9;
/// PF10.
pub const PF10: u8 = 0x7A;
/// PF11.
pub const PF11: u8 = 0x7B;
/// PF12.
pub const PF12: u8 = 0x7C;
/// Set buffer address.
const SBA: u8 = 0x11;
/// Protected.
const PROTECTED: u8 = 0x60;
/// Protected and bright.
const PROTECTED_BRIGHT: u8 = 0xE8;
/// Unprotected.
const UNPROTECTED: u8 = 0x40;
/// Unprotected and not shown.
const HIDDEN: u8 = 0x4C;

#[cfg(test)]
mod tests {
    use super::*;
    use tn3270::{CodeTable, Screen, TerminalModel};

    #[test]
    fn a_panel_has_its_texts_fields_and_cursor_where_they_were_put() {
        let mut panel = ScreenPanel::new();
        panel.bright(1, 2, "TITLE").text(3, 2, "Name").cursor(3, 10);
        panel.input(3, 10, 8, "ada").hidden(4, 10, 8);
        let mut screen = Screen::new(TerminalModel::display(2));
        screen
            .handle_record(&panel.record(&PageTables::default()))
            .unwrap();
        let table = CodeTable::cp037();
        assert_eq!(screen.row_text(0, &table).trim_end(), " TITLE");
        assert_eq!(screen.row_text(2, &table).trim_end(), " Name    ada");
        assert_eq!(screen.cursor_position(), (2, 9));
        let hidden = screen.style(address(4, 10));
        assert!(hidden.hidden);
        // The field ends after its length.
        let end = screen.field_at(address(3, 18)).unwrap();
        assert!(end.1.is_protected());
    }

    #[test]
    fn what_a_transaction_was_called_with_is_found_on_any_screen() {
        let page = PageTables::default();
        let called = |data: &[u8]| UserInput::parse(0x7D, data, &page).called_with().to_owned();
        assert_eq!(called(b"CEMT INQ TASK"), "INQ TASK");
        assert_eq!(called(b"CEMT"), "");
        assert_eq!(called(b"CEMTI TASK "), "I TASK");
        assert_eq!(called(b"\x11\x40\x40cemt,i prog(a)"), "i prog(a)");
        assert_eq!(called(b""), "");
    }
}
