//! The presentation space of a 3270 display: its characters and fields, the
//! cursor, and the keyboard.
//!
//! A host's records go into [`Screen::handle_record`], keys into
//! [`Screen::press`]; both give back what the terminal sends. The same screen
//! serves a terminal in a browser, the load driver and tests.
//! Reference: GA23-0059; 3174 Establishment Controller Functional Description,
//! keyboard functions.
//! Invariant: characters stay EBCDIC bytes; a [`CodeTable`](crate::CodeTable)
//! is needed only to show and to type them.

mod apply;
mod edit;
mod keyboard;
mod model;
mod read;
mod text;

pub use keyboard::{InhibitReason, Key, KeyOutcome, KeyboardState};
pub use model::{ScreenSize, TerminalModel};
pub use read::ReplySettings;
pub use text::Field;

use crate::stream::{Aid, ExtendedAttributes, FieldAttribute, Intensity, StreamError};

/// Why a record could not be applied; a fault of the host.
pub type ScreenError = StreamError;

/// One position of the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ScreenCell {
    /// The character, X'00' at a field attribute.
    pub content: u8,
    /// The field attribute, if a field begins here.
    pub attribute: Option<FieldAttribute>,
    /// The extended attributes of the field or of the character.
    pub extended: ExtendedAttributes,
}

/// How one position is shown, with what the field gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellStyle {
    /// Extended attributes, those of the character first.
    pub extended: ExtendedAttributes,
    /// The attribute of the field. `None` on an unformatted screen.
    pub field: Option<FieldAttribute>,
    /// Whether the character is not shown.
    pub hidden: bool,
}

/// A display terminal's screen and keyboard.
#[derive(Clone, Debug)]
pub struct Screen {
    model: TerminalModel,
    /// The sizes of Erase/Write and Erase/Write Alternate: the model's, unless
    /// a BIND limits them.
    sizes: [ScreenSize; 2],
    size: ScreenSize,
    cells: Vec<ScreenCell>,
    cursor: u16,
    aid: Aid,
    keyboard: KeyboardState,
    insert: bool,
    alarm: bool,
    reply: ReplySettings,
}

impl Screen {
    /// An empty screen of the default size. The keyboard is locked until the
    /// host unlocks it.
    pub fn new(model: TerminalModel) -> Screen {
        let size = model.default;
        Screen {
            model,
            sizes: [model.default, model.alternate],
            size,
            cells: vec![ScreenCell::default(); usize::from(size.positions())],
            cursor: 0,
            aid: Aid::NoAid,
            keyboard: KeyboardState::System,
            insert: false,
            alarm: false,
            reply: ReplySettings::default(),
        }
    }

    /// The terminal's model.
    pub const fn model(&self) -> &TerminalModel {
        &self.model
    }

    /// The size that the host chose last.
    pub const fn size(&self) -> ScreenSize {
        self.size
    }

    /// The cursor's address, counted from 0.
    pub const fn cursor(&self) -> u16 {
        self.cursor
    }

    /// Row and column of the cursor, counted from 0.
    pub const fn cursor_position(&self) -> (u16, u16) {
        (
            self.cursor / self.size.columns,
            self.cursor % self.size.columns,
        )
    }

    /// All positions, row by row.
    pub fn cells(&self) -> &[ScreenCell] {
        &self.cells
    }

    /// Whether the operator can type, and if not, why.
    pub const fn keyboard(&self) -> KeyboardState {
        self.keyboard
    }

    /// Whether insert mode is on.
    pub const fn is_insert_mode(&self) -> bool {
        self.insert
    }

    /// The identifier of the last key that was sent.
    pub const fn aid(&self) -> Aid {
        self.aid
    }

    /// Whether the alarm sounded since the last call.
    pub fn take_alarm(&mut self) -> bool {
        std::mem::take(&mut self.alarm)
    }

    /// Whether the screen has a field.
    pub fn is_formatted(&self) -> bool {
        self.cells.iter().any(|cell| cell.attribute.is_some())
    }

    /// Address and attribute of the field that this position is in; the
    /// position of a field attribute is in that field. Returns `None` on an
    /// unformatted screen.
    pub fn field_at(&self, address: u16) -> Option<(u16, FieldAttribute)> {
        let at = usize::from(address).min(self.cells.len() - 1);
        let (up_to, after) = self.cells.split_at(at + 1);
        let found = up_to.iter().rposition(|cell| cell.attribute.is_some());
        let found = found.or_else(|| {
            let wrapped = after.iter().rposition(|cell| cell.attribute.is_some());
            wrapped.map(|index| at + 1 + index)
        })?;
        let attribute = self.cells[found].attribute?;
        // A screen has at most 16,383 positions.
        Some((found as u16, attribute))
    }

    /// How the character at this address is shown.
    pub fn style(&self, address: u16) -> CellStyle {
        let cell = self.cell(address);
        let Some((start, attribute)) = self.field_at(address) else {
            return CellStyle {
                extended: cell.extended,
                field: None,
                hidden: false,
            };
        };
        CellStyle {
            extended: cell.extended.over(&self.cell(start).extended),
            field: Some(attribute),
            hidden: attribute.intensity() == Intensity::Hidden,
        }
    }

    /// Limits the sizes, as a BIND does, and clears the screen. Queries are
    /// still answered with those of the model.
    pub fn set_sizes(&mut self, default: ScreenSize, alternate: ScreenSize) {
        self.sizes = [default, alternate];
        self.erase(false);
    }

    /// The size of Erase/Write, or of Erase/Write Alternate.
    const fn chosen_size(&self, alternate: bool) -> ScreenSize {
        self.sizes[alternate as usize]
    }

    fn cell(&self, address: u16) -> ScreenCell {
        let cell = self.cells.get(usize::from(address));
        cell.copied().unwrap_or_default()
    }

    fn cell_mut(&mut self, address: u16) -> &mut ScreenCell {
        &mut self.cells[usize::from(address)]
    }

    fn positions(&self) -> u16 {
        self.size.positions()
    }

    /// The next address; 0 after the last.
    fn after(&self, address: u16) -> u16 {
        if address + 1 < self.positions() {
            address + 1
        } else {
            0
        }
    }

    /// The address before; the last before 0.
    fn before(&self, address: u16) -> u16 {
        address.checked_sub(1).unwrap_or(self.positions() - 1)
    }

    /// Clears to the default or to the alternate size.
    fn erase(&mut self, alternate: bool) {
        self.size = self.chosen_size(alternate);
        self.cells.clear();
        let positions = usize::from(self.size.positions());
        self.cells.resize(positions, ScreenCell::default());
        self.cells.shrink_to_fit();
        self.cursor = 0;
    }

    /// The first data position of the first unprotected field after this
    /// address. Fields without data are passed over. Returns 0 if there is
    /// none.
    fn next_unprotected(&self, address: u16) -> u16 {
        let mut next = address;
        for _ in 0..self.positions() {
            let at = next;
            next = self.after(at);
            let opens = self.cell(at).attribute.is_some_and(|a| !a.is_protected());
            if opens && self.cell(next).attribute.is_none() {
                return next;
            }
        }
        0
    }

    /// The positions of a field's data, from after its attribute.
    fn field_positions(&self, start: u16) -> impl Iterator<Item = u16> + use<> {
        let mut length = 0;
        let mut at = self.after(start);
        while self.cell(at).attribute.is_none() && length < self.positions() {
            length += 1;
            at = self.after(at);
        }
        let positions = self.positions();
        let first = self.after(start);
        (0..length).map(move |offset| (first + offset) % positions)
    }

    fn set_modified(&mut self, address: u16, modified: bool) {
        if let Some((start, attribute)) = self.field_at(address) {
            self.cell_mut(start).attribute = Some(attribute.with_modified(modified));
        }
    }
}
