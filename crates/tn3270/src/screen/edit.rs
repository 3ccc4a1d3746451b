//! Editing of fields: characters with insert mode and autoskip, deletion, the
//! cursor's ways from field to field.
//!
//! Every edit turns on the modified data tag of its field. Nothing here changes
//! a protected position.

use super::{InhibitReason, Screen, ScreenCell};

impl Screen {
    /// Puts a character at the cursor. Returns the address after it.
    pub(super) fn put_character(&mut self, byte: u8) -> Result<u16, InhibitReason> {
        let at = self.cursor;
        self.check_unprotected(at)?;
        let field = self.field_at(at);
        let numeric = field.is_some_and(|(_, a)| a.is_numeric());
        if numeric && self.model.numeric_lock && !NUMERIC.contains(&byte) {
            return Err(InhibitReason::Numeric);
        }
        if self.insert {
            self.open_gap(at)?;
        }
        *self.cell_mut(at) = ScreenCell {
            content: byte,
            ..ScreenCell::default()
        };
        self.set_modified(at, true);
        Ok(self.after(at))
    }

    /// Puts the cursor to an address, past field attributes: an autoskip field
    /// is skipped, any other entered.
    pub(super) fn skip_to(&mut self, address: u16) {
        let mut next = address;
        // A screen of attributes only would have no end.
        for _ in 0..self.positions() {
            match self.cell(next).attribute {
                None => break,
                Some(attribute) if attribute.is_autoskip() => {
                    next = self.next_unprotected(next);
                }
                Some(_) => next = self.after(next),
            }
        }
        self.cursor = next;
    }

    fn check_unprotected(&self, at: u16) -> Result<(), InhibitReason> {
        let protected = self.field_at(at).is_some_and(|(_, a)| a.is_protected());
        if protected || self.cell(at).attribute.is_some() {
            return Err(InhibitReason::Protected);
        }
        Ok(())
    }

    /// The positions from an address to the end of its field; to the end of an
    /// unformatted screen.
    fn rest_of_field(&self, at: u16) -> Vec<u16> {
        let formatted = self.is_formatted();
        let mut positions = Vec::new();
        let mut next = at;
        while self.cell(next).attribute.is_none() {
            positions.push(next);
            next = self.after(next);
            if next == at || (next == 0 && !formatted) {
                break;
            }
        }
        positions
    }

    /// Moves characters to the right up to the first null of the field.
    fn open_gap(&mut self, at: u16) -> Result<(), InhibitReason> {
        let rest = self.rest_of_field(at);
        let null = rest.iter().position(|p| self.cell(*p).content == 0);
        let null = null.ok_or(InhibitReason::Overflow)?;
        for index in (1..=null).rev() {
            *self.cell_mut(rest[index]) = self.cell(rest[index - 1]);
        }
        Ok(())
    }

    /// Deletes at the cursor; the rest of the field moves left.
    pub(super) fn delete_at_cursor(&mut self) -> Result<(), InhibitReason> {
        self.check_unprotected(self.cursor)?;
        let rest = self.rest_of_field(self.cursor);
        for pair in rest.windows(2) {
            *self.cell_mut(pair[0]) = self.cell(pair[1]);
        }
        if let Some(last) = rest.last() {
            *self.cell_mut(*last) = ScreenCell::default();
        }
        self.set_modified(self.cursor, true);
        Ok(())
    }

    /// Deletes the character to the left of the cursor, in the same field.
    pub(super) fn backspace(&mut self) -> Result<(), InhibitReason> {
        let left = self.before(self.cursor);
        self.check_unprotected(left)?;
        self.cursor = left;
        self.delete_at_cursor()
    }

    /// Erases from the cursor to the end of the field.
    pub(super) fn erase_to_end(&mut self) -> Result<(), InhibitReason> {
        self.check_unprotected(self.cursor)?;
        for position in self.rest_of_field(self.cursor) {
            *self.cell_mut(position) = ScreenCell::default();
        }
        self.set_modified(self.cursor, true);
        Ok(())
    }

    /// The start of this unprotected field, or of the one before if the cursor
    /// is there already.
    pub(super) fn back_tab(&self) -> u16 {
        let mut at = self.before(self.cursor);
        if self.cell(at).attribute.is_some() {
            at = self.before(at);
        }
        for _ in 0..self.positions() {
            let opens = self.cell(at).attribute.is_some_and(|a| !a.is_protected());
            let first = self.after(at);
            if opens && self.cell(first).attribute.is_none() {
                return first;
            }
            at = self.before(at);
        }
        0
    }

    /// The start of the next row if the operator can type there, else the next
    /// unprotected field after it.
    pub(super) fn new_line(&self) -> u16 {
        let columns = self.size.columns;
        let row = (self.cursor / columns + 1) % self.size.rows;
        let start = row * columns;
        if self.check_unprotected(start).is_ok() {
            return start;
        }
        self.next_unprotected(start)
    }

    /// The position after the last character of the field.
    pub(super) fn field_end(&self) -> u16 {
        let Some((start, attribute)) = self.field_at(self.cursor) else {
            return self.cursor;
        };
        if attribute.is_protected() {
            return self.cursor;
        }
        let mut end = self.after(start);
        for position in self.field_positions(start) {
            if self.cell(position).content != 0 {
                end = self.after(position);
            }
        }
        if self.cell(end).attribute.is_some() {
            // The field is full: its last position.
            end = self.before(end);
        }
        end
    }
}

/// What a numeric field takes: digits, DUP and the signs of numbers.
const NUMERIC: [u8; 15] = [
    0xF0, 0xF1, 0xF2, 0xF3, 0xF4, 0xF5, 0xF6, 0xF7, 0xF8, 0xF9, 0x4E, 0x60, 0x4B, 0x6B, 0x1C,
];
