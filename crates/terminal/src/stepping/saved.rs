//! What a user's screen shows, kept while a debugger's screen may take its place.
//!
//! Programs' outputs and the user's inputs are applied to a copy of the screen.
//! One Erase/Write brings the copy back to the terminal, with modified data tags
//! and the cursor.

use tn3270::stream::Command;
use tn3270::stream::{ExtendedAttributes, plain_data};
use tn3270::{
    Aid, InboundRecord, OutboundBuilder, Screen, ScreenSize, TerminalInfo, TerminalModel, Wcc,
};

/// The copy.
#[derive(Debug)]
pub struct SavedScreen(Screen);

impl SavedScreen {
    /// An empty screen of a terminal.
    pub fn new(info: Option<&TerminalInfo>) -> SavedScreen {
        let mut model = TerminalModel::display(2);
        if let Some(info) = info {
            (model.default, model.alternate) = (info.default, info.alternate);
        }
        SavedScreen(Screen::new(model))
    }

    /// The size in use.
    pub const fn size(&self) -> ScreenSize {
        self.0.size()
    }

    /// An output of a program.
    pub fn note_output(&mut self, record: &[u8]) {
        // What a terminal rejects changes nothing there either.
        let _ = self.0.handle_record(record);
    }

    /// An input of the user.
    pub fn note_input(&mut self, record: &InboundRecord<'_>) {
        let positions = self.0.size().positions();
        if record.aid() == Aid::Clear {
            let mut cleared = OutboundBuilder::new(Command::EraseWrite, Wcc::default(), positions);
            cleared.cursor();
            return self.note_output(cleared.finish());
        }
        let Some(cursor) = record.cursor() else {
            return;
        };
        let mut out = OutboundBuilder::new(Command::Write, Wcc::default(), positions);
        for field in record.fields() {
            let first = field.address.unwrap_or(0) % positions;
            let mut data = Vec::new();
            plain_data(field.data, &mut data);
            let length = match field.address {
                Some(_) => self.mark_modified(first, &mut out),
                None => positions,
            };
            data.resize(length.into(), 0);
            out.address(first).text(&data);
        }
        out.address(cursor).cursor();
        self.note_output(out.finish());
    }

    /// Turns the modified data tag of a field on. Returns its length.
    fn mark_modified(&self, first: u16, out: &mut OutboundBuilder) -> u16 {
        let fields = self.0.fields();
        let Some(field) = fields.iter().find(|field| field.first == first) else {
            return 0;
        };
        let cell = self.0.cells()[usize::from(field.start)];
        out.address(field.start);
        out.field_extended(field.attribute.with_modified(true), &cell.extended);
        field.length
    }

    /// The record that shows it again and unlocks the keyboard.
    pub fn record(&self) -> Vec<u8> {
        let size = self.0.size();
        let alternate = size != self.0.model().default;
        let command = if alternate {
            Command::EraseWriteAlternate
        } else {
            Command::EraseWrite
        };
        let mut out = OutboundBuilder::new(command, Wcc::RESTORE, size.positions());
        let mut shown = ExtendedAttributes::default();
        for (address, cell) in (0..).zip(self.0.cells()) {
            if let Some(attribute) = cell.attribute {
                out.address(address);
                out.field_extended(attribute, &cell.extended);
                continue;
            }
            if cell.content == 0 {
                continue;
            }
            if cell.extended != shown {
                out.attribute(0, 0);
                for (kind, value) in cell.extended.pairs() {
                    out.attribute(kind, value);
                }
                shown = cell.extended;
            }
            out.address(address).text(&[cell.content]);
        }
        out.address(self.0.cursor()).cursor();
        out.into_record()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tn3270::{CodeTable, FieldAttribute, Key, KeyOutcome};

    #[test]
    fn what_was_shown_and_typed_comes_back_after_another_screen() {
        let mut terminal = Screen::new(TerminalModel::display(2));
        let mut saved = SavedScreen::new(None);
        let table = CodeTable::cp037();
        let mut out = OutboundBuilder::new(Command::EraseWrite, Wcc::RESTORE, 1_920);
        out.address(80).field(FieldAttribute::parse(0x60));
        out.text(&[0xC1, 0xC2]);
        out.field(FieldAttribute::parse(0x40)).cursor();
        out.address(100).field(FieldAttribute::AUTOSKIP);
        terminal.handle_record(out.finish()).unwrap();
        saved.note_output(out.finish());
        terminal.type_text("hello", &table);
        let KeyOutcome::Send(input) = terminal.press(Key::Enter) else {
            panic!("the keyboard is locked");
        };
        saved.note_input(&InboundRecord::parse(&input, 1_920).unwrap());
        let mut again = Screen::new(TerminalModel::display(2));
        again.handle_record(&saved.record()).unwrap();
        assert_eq!(again.screen_text(&table), terminal.screen_text(&table));
        assert_eq!(again.cursor(), terminal.cursor());
        assert_eq!(again.fields(), terminal.fields());
        // The field is sent again, because it was modified.
        assert_eq!(again.press(Key::Enter), KeyOutcome::Send(input));
    }
}
