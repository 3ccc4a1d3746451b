//! The keys of the terminal: what each does to the screen and what it sends.
//!
//! Keys that send lock the keyboard until the host unlocks it. A key that is not
//! possible inhibits the keyboard until RESET. Typing ahead is the caller's
//! matter: a key on a locked keyboard changes nothing.
//! Reference: 3174 Functional Description (GA23-0218), keyboard functions.

use super::{Screen, ScreenCell};
use crate::code_table::SPACE;
use crate::stream::{Aid, Intensity, ReplyMode};

/// A key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    /// A character, as the EBCDIC byte that it has in the terminal's code page.
    Character(u8),
    /// DUP.
    Dup,
    /// FIELD MARK.
    FieldMark,
    /// ENTER.
    Enter,
    /// PF1 to PF24.
    Pf(u8),
    /// PA1 to PA3.
    Pa(u8),
    /// CLEAR.
    Clear,
    /// CURSOR SELECT: chooses the field under the cursor.
    CursorSelect,
    /// ATTN.
    Attention,
    /// SYSREQ.
    SystemRequest,
    /// RESET.
    Reset,
    /// To the next unprotected field.
    Tab,
    /// To the start of this or the unprotected field before.
    BackTab,
    /// To the first unprotected position of the next rows.
    NewLine,
    /// To the first unprotected field.
    Home,
    /// After the last character of the field.
    FieldEnd,
    /// One position to the left.
    Left,
    /// One position to the right.
    Right,
    /// One row up.
    Up,
    /// One row down.
    Down,
    /// Deletes the character to the left.
    Backspace,
    /// Deletes the character at the cursor.
    Delete,
    /// Turns insert mode on or off.
    Insert,
    /// Erases from the cursor to the end of the field.
    EraseEof,
    /// Erases all unprotected fields.
    EraseInput,
}

/// What a key did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyOutcome {
    /// It changed the screen, the cursor or a mode.
    Done,
    /// The terminal sends this record.
    Send(Vec<u8>),
    /// The terminal sends ATTN, which is not a record.
    Attention,
    /// The terminal sends SYSREQ, which TN3270E has apart from records.
    SystemRequest,
    /// It is not possible here.
    Inhibited(InhibitReason),
}

/// Why a key is not possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InhibitReason {
    /// The host has not unlocked the keyboard: X SYSTEM.
    System,
    /// The position is protected or a field attribute.
    Protected,
    /// The field takes digits only.
    Numeric,
    /// There is no room to insert.
    Overflow,
    /// The byte is not a character.
    NoCharacter,
}

/// Whether the operator can type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeyboardState {
    /// Keys are taken.
    Unlocked,
    /// The host has to unlock the keyboard, or RESET does.
    System,
    /// A key was not possible; RESET unlocks the keyboard.
    Inhibited(InhibitReason),
}

impl Screen {
    /// Presses a key.
    pub fn press(&mut self, key: Key) -> KeyOutcome {
        match key {
            Key::Reset => {
                self.keyboard = KeyboardState::Unlocked;
                self.insert = false;
                return KeyOutcome::Done;
            }
            Key::Attention => return KeyOutcome::Attention,
            Key::SystemRequest => return KeyOutcome::SystemRequest,
            _ => {}
        }
        match self.keyboard {
            KeyboardState::Unlocked => {}
            KeyboardState::System => return KeyOutcome::Inhibited(InhibitReason::System),
            KeyboardState::Inhibited(reason) => return KeyOutcome::Inhibited(reason),
        }
        let edited = match key {
            Key::Enter => return self.send(Aid::Enter),
            Key::Pf(number @ 1..=24) => return self.send(Aid::Pf(number)),
            Key::Pa(number @ 1..=3) => return self.send(Aid::Pa(number)),
            Key::Clear => {
                self.cells.fill(ScreenCell::default());
                self.cursor = 0;
                self.reply.set(ReplyMode::Field, &[]);
                return self.send(Aid::Clear);
            }
            Key::CursorSelect => return self.select(),
            Key::Character(byte) => self.type_character(byte),
            Key::Dup => self.type_dup(),
            Key::FieldMark => self
                .put_character(FIELD_MARK)
                .map(|next| self.skip_to(next)),
            Key::Backspace => self.backspace(),
            Key::Delete => self.delete_at_cursor(),
            Key::EraseEof => self.erase_to_end(),
            _ => {
                self.move_cursor(key);
                Ok(())
            }
        };
        match edited {
            Ok(()) => KeyOutcome::Done,
            Err(reason) => {
                self.keyboard = KeyboardState::Inhibited(reason);
                KeyOutcome::Inhibited(reason)
            }
        }
    }

    /// Moves the cursor to an address, as a pointer does. Addresses beyond the
    /// screen are ignored.
    pub fn set_cursor(&mut self, address: u16) {
        if address < self.positions() {
            self.cursor = address;
        }
    }

    fn send(&mut self, aid: Aid) -> KeyOutcome {
        self.aid = aid;
        self.keyboard = KeyboardState::System;
        self.insert = false;
        KeyOutcome::Send(self.read_modified(false))
    }

    fn type_character(&mut self, byte: u8) -> Result<(), InhibitReason> {
        if byte < SPACE || byte == 0xFF {
            return Err(InhibitReason::NoCharacter);
        }
        let next = self.put_character(byte)?;
        self.skip_to(next);
        Ok(())
    }

    fn type_dup(&mut self) -> Result<(), InhibitReason> {
        self.put_character(DUP)?;
        self.cursor = self.next_unprotected(self.cursor);
        Ok(())
    }

    fn move_cursor(&mut self, key: Key) {
        let columns = self.size.columns;
        let positions = self.positions();
        self.cursor = match key {
            Key::Tab => self.next_unprotected(self.cursor),
            Key::BackTab => self.back_tab(),
            Key::NewLine => self.new_line(),
            Key::Home => self.next_unprotected(positions - 1),
            Key::FieldEnd => self.field_end(),
            Key::Left => self.before(self.cursor),
            Key::Right => self.after(self.cursor),
            Key::Up if self.cursor < columns => self.cursor + (positions - columns),
            Key::Up => self.cursor - columns,
            Key::Down if self.cursor + columns >= positions => self.cursor - (positions - columns),
            Key::Down => self.cursor + columns,
            Key::Insert => {
                self.insert = !self.insert;
                self.cursor
            }
            Key::EraseInput => {
                self.erase_input_fields();
                self.cursor
            }
            // PF and PA keys that do not exist.
            _ => self.cursor,
        };
    }

    /// CURSOR SELECT: `?` becomes `>` and back, a blank field sends the
    /// addresses of what is selected, `&` sends as ENTER does.
    fn select(&mut self) -> KeyOutcome {
        let Some((start, attribute)) = self.field_at(self.cursor) else {
            return KeyOutcome::Done;
        };
        let selectable = matches!(
            attribute.intensity(),
            Intensity::Detectable | Intensity::Bright
        );
        let designator = self.after(start);
        let cell = self.cell(designator);
        if !selectable || cell.attribute.is_some() {
            return KeyOutcome::Done;
        }
        match cell.content {
            NOT_SELECTED => {
                self.cell_mut(designator).content = SELECTED;
                self.set_modified(designator, true);
                KeyOutcome::Done
            }
            SELECTED => {
                self.cell_mut(designator).content = NOT_SELECTED;
                self.set_modified(designator, false);
                KeyOutcome::Done
            }
            0 | SPACE => {
                self.set_modified(designator, true);
                self.send(Aid::CursorSelect)
            }
            AMPERSAND => {
                self.set_modified(designator, true);
                self.send(Aid::Enter)
            }
            _ => KeyOutcome::Done,
        }
    }
}

const DUP: u8 = 0x1C;
const FIELD_MARK: u8 = 0x1E;
const AMPERSAND: u8 = 0x50;
const SELECTED: u8 = 0x6E;
const NOT_SELECTED: u8 = 0x6F;
