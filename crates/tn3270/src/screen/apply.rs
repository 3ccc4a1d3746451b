//! Applies a host's record to the screen.
//!
//! All orders of a record are checked before the first one changes anything: a
//! record that a terminal rejects leaves the screen as it was. Only MF at a place
//! without a field is found while the record is applied.
//! Reference: GA23-0059, "Commands", "Orders", "Structured fields".

use super::{KeyboardState, Screen, ScreenCell, ScreenError};
use crate::stream::{
    Aid, AttributePairs, AttributeType, CharacterSet, Command, ErrorKind, ExtendedAttributes,
    FieldAttribute, GraphicCharacter, Order, OrderReader, OutboundField, ReplyMode, StreamError,
    StructuredFields, Wcc,
};

impl Screen {
    /// Applies a record of the host. Returns what the terminal answers to a
    /// read or query.
    ///
    /// # Errors
    /// The record is malformed; [`StreamError::is_command_reject`] says which
    /// negative response is due.
    pub fn handle_record(&mut self, record: &[u8]) -> Result<Option<Vec<u8>>, ScreenError> {
        // Hosts that resolve contention send records that are headers only.
        let Some((code, rest)) = record.split_first() else {
            return Ok(None);
        };
        let unknown = StreamError::new(0, ErrorKind::UnknownCommand(*code));
        let command = Command::parse(*code).ok_or(unknown)?;
        match command {
            Command::WriteStructuredField if self.model.extended => self.structured_fields(rest),
            Command::WriteStructuredField => Err(unknown),
            Command::ReadBuffer | Command::ReadModified | Command::ReadModifiedAll => {
                Ok(Some(self.answer(command)))
            }
            _ => self.write(command, rest).map(|()| None),
        }
    }

    /// The answer to a read of the host.
    fn answer(&self, command: Command) -> Vec<u8> {
        match command {
            Command::ReadBuffer => self.read_buffer(),
            Command::ReadModifiedAll => self.read_modified(true),
            _ => self.read_modified(false),
        }
    }

    /// W, EW, EWA and EAU; `rest` follows the command.
    fn write(&mut self, command: Command, rest: &[u8]) -> Result<(), ScreenError> {
        if command == Command::EraseAllUnprotected {
            self.erase_all_unprotected();
            return Ok(());
        }
        let Some((wcc, orders)) = rest.split_first() else {
            return Err(StreamError::new(1, ErrorKind::CutOff("the WCC")));
        };
        let size = match command {
            Command::EraseWrite => self.chosen_size(false),
            Command::EraseWriteAlternate => self.chosen_size(true),
            _ => self.size,
        };
        let wcc = Wcc::parse(*wcc);
        let mut checked = OrderReader::new(orders, size.positions());
        let result = match checked.find_map(Result::err) {
            Some(error) => Err(StreamError::new(error.at + 2, error.kind)),
            None => self.write_orders(command, wcc, orders),
        };
        // A rejected record still sounds the alarm and unlocks the keyboard, as
        // emulators do: the operator must not be locked out.
        self.alarm |= wcc.alarm;
        if wcc.restore_keyboard {
            self.restore_keyboard();
        }
        result
    }

    /// Applies checked orders.
    fn write_orders(
        &mut self,
        command: Command,
        wcc: Wcc,
        orders: &[u8],
    ) -> Result<(), ScreenError> {
        if command != Command::Write {
            self.erase(command == Command::EraseWriteAlternate);
            if wcc.reset {
                self.reply = Default::default();
            }
        }
        if wcc.reset_modified {
            self.reset_modified();
        }
        let mut writer = Writer {
            address: self.cursor,
            cursor: None,
            character: ExtendedAttributes::default(),
            after_order: true,
            tabbed_to_start: false,
            screen: self,
        };
        for order in OrderReader::new(orders, u16::MAX).map_while(Result::ok) {
            writer.order(order)?;
        }
        if let Some(cursor) = writer.cursor {
            self.cursor = cursor;
        }
        Ok(())
    }

    fn structured_fields(&mut self, bytes: &[u8]) -> Result<Option<Vec<u8>>, ScreenError> {
        let mut answer = None;
        for field in StructuredFields::new(bytes) {
            let (id, contents) = field?;
            let field = OutboundField::parse(id, contents)?;
            let is_read = matches!(
                field,
                OutboundField::Query(_) | OutboundField::ReadPartition { .. }
            );
            if is_read && answer.is_some() {
                return Err(StreamError::new(0, ErrorKind::SecondRead));
            }
            match field {
                OutboundField::Query(request) => answer = Some(self.query_reply(&request)),
                OutboundField::ReadPartition { partition, command } => {
                    only_partition(partition)?;
                    answer = Some(self.answer(command));
                }
                OutboundField::SetReplyMode {
                    partition,
                    mode,
                    attributes,
                } => {
                    only_partition(partition)?;
                    self.reply.set(mode, attributes);
                }
                OutboundField::EraseReset { alternate } => {
                    self.erase(alternate);
                    self.reply.set(ReplyMode::Field, &[]);
                }
                OutboundField::Outbound3270 { partition, record } => {
                    only_partition(partition)?;
                    self.outbound(record)?;
                }
            }
        }
        Ok(answer)
    }

    /// Outbound 3270DS: only commands that write are among its commands.
    fn outbound(&mut self, record: &[u8]) -> Result<(), ScreenError> {
        let command = record.first().and_then(|code| Command::parse(*code));
        let writes = |c: &Command| c.has_wcc() || *c == Command::EraseAllUnprotected;
        let Some(command) = command.filter(writes) else {
            let code = record.first().copied().unwrap_or_default();
            return Err(StreamError::new(4, ErrorKind::UnknownCommand(code)));
        };
        self.write(command, &record[1..])
    }

    /// EAU: nulls, MDT off, cursor to the first unprotected field, keyboard
    /// unlocked.
    fn erase_all_unprotected(&mut self) {
        self.erase_input_fields();
        self.restore_keyboard();
    }

    /// Fills all unprotected fields with nulls, turns their MDT off and moves the cursor to
    /// the first.
    pub(super) fn erase_input_fields(&mut self) {
        if !self.is_formatted() {
            self.cells.fill(ScreenCell::default());
            self.cursor = 0;
            return;
        }
        let mut first = None;
        let mut protected = self.field_at(0).is_some_and(|(_, a)| a.is_protected());
        for at in 0..self.positions() {
            let Some(attribute) = self.cell(at).attribute else {
                if !protected {
                    *self.cell_mut(at) = ScreenCell::default();
                }
                continue;
            };
            protected = attribute.is_protected();
            if !protected {
                self.cell_mut(at).attribute = Some(attribute.with_modified(false));
                first = first.or(Some(self.after(at)));
            }
        }
        self.cursor = first.unwrap_or(0);
    }

    fn reset_modified(&mut self) {
        for cell in &mut self.cells {
            cell.attribute = cell.attribute.map(|a| a.with_modified(false));
        }
    }

    fn restore_keyboard(&mut self) {
        self.aid = Aid::NoAid;
        self.keyboard = KeyboardState::Unlocked;
        self.insert = false;
    }
}

/// Only the implicit partition exists.
fn only_partition(partition: u8) -> Result<(), ScreenError> {
    if partition == 0 {
        return Ok(());
    }
    Err(StreamError::new(3, ErrorKind::Partition(partition)))
}

/// Where a write is on the screen.
struct Writer<'s> {
    screen: &'s mut Screen,
    address: u16,
    /// Where IC put the cursor.
    cursor: Option<u16>,
    /// The attributes that SA set.
    character: ExtendedAttributes,
    /// Whether the last item was an order or the command, not data: PT then
    /// clears nothing.
    after_order: bool,
    /// Whether the last PT cleared and came to address 0.
    tabbed_to_start: bool,
}

impl Writer<'_> {
    fn order(&mut self, order: Order<'_>) -> Result<(), ScreenError> {
        let is_tab = order == Order::ProgramTab;
        let is_data = matches!(order, Order::Text(_) | Order::GraphicEscape(_));
        match order {
            Order::SetBufferAddress(to) => self.address = to,
            Order::StartField(attribute) => self.start_field(attribute, None),
            Order::StartFieldExtended(pairs) => {
                let attribute = pairs.field_attribute();
                let attribute = attribute.unwrap_or(FieldAttribute::UNPROTECTED);
                self.start_field(attribute, Some(pairs));
            }
            Order::SetAttribute(kind, value) => {
                let color = self.screen.model.color;
                set_attribute(&mut self.character, color, kind, value);
            }
            Order::ModifyField(pairs) => self.modify_field(pairs)?,
            Order::InsertCursor => self.cursor = Some(self.address),
            Order::ProgramTab => self.tab(),
            Order::RepeatToAddress(stop, character) => self.repeat(stop, character),
            Order::EraseUnprotectedToAddress(stop) => self.erase_unprotected(stop),
            Order::GraphicEscape(byte) => self.put(GraphicCharacter { byte, escape: true }),
            Order::Text(text) => {
                for byte in text {
                    self.put(GraphicCharacter {
                        byte: *byte,
                        escape: false,
                    });
                }
            }
        }
        self.after_order = !is_data;
        self.tabbed_to_start &= is_tab;
        Ok(())
    }

    fn put(&mut self, character: GraphicCharacter) {
        let mut extended = self.character;
        if character.escape {
            extended.character_set = CharacterSet::GRAPHIC_ESCAPE;
        }
        *self.screen.cell_mut(self.address) = ScreenCell {
            content: character.byte,
            attribute: None,
            extended,
        };
        self.address = self.screen.after(self.address);
    }

    fn start_field(&mut self, attribute: FieldAttribute, pairs: Option<AttributePairs<'_>>) {
        let mut extended = ExtendedAttributes::default();
        let color = self.screen.model.color;
        for (kind, value) in pairs.iter().flat_map(AttributePairs::iter) {
            set_attribute(&mut extended, color, kind, value);
        }
        *self.screen.cell_mut(self.address) = ScreenCell {
            content: 0,
            attribute: Some(attribute),
            extended,
        };
        self.address = self.screen.after(self.address);
    }

    fn modify_field(&mut self, pairs: AttributePairs<'_>) -> Result<(), ScreenError> {
        let color = self.screen.model.color;
        let cell = self.screen.cell_mut(self.address);
        if cell.attribute.is_none() {
            return Err(StreamError::new(0, ErrorKind::NoField(self.address)));
        }
        if let Some(attribute) = pairs.field_attribute() {
            cell.attribute = Some(attribute);
        }
        for (kind, value) in pairs.iter() {
            set_attribute(&mut cell.extended, color, kind, value);
        }
        self.address = self.screen.after(self.address);
        Ok(())
    }

    fn repeat(&mut self, stop: u16, character: GraphicCharacter) {
        loop {
            self.put(character);
            if self.address == stop {
                break;
            }
        }
    }

    fn erase_unprotected(&mut self, stop: u16) {
        let field = self.screen.field_at(self.address);
        let mut protected = field.is_some_and(|(_, a)| a.is_protected());
        loop {
            let cell = self.screen.cell_mut(self.address);
            match cell.attribute {
                Some(attribute) => protected = attribute.is_protected(),
                None if !protected => *cell = ScreenCell::default(),
                None => {}
            }
            self.address = self.screen.after(self.address);
            if self.address == stop {
                break;
            }
        }
    }

    /// PT: to the next unprotected field; after data, or after a PT that
    /// cleared up to the end of the screen, the rest of the field is nulled.
    fn tab(&mut self) {
        let here = self.screen.cell(self.address).attribute;
        if here.is_some_and(|attribute| !attribute.is_protected()) {
            self.address = self.screen.after(self.address);
            self.tabbed_to_start = false;
            return;
        }
        let next = self.screen.next_unprotected(self.address);
        let next = if next < self.address { 0 } else { next };
        if self.after_order && !self.tabbed_to_start {
            self.tabbed_to_start = false;
        } else {
            while self.address != next && self.screen.cell(self.address).attribute.is_none() {
                *self.screen.cell_mut(self.address) = ScreenCell::default();
                self.address = self.screen.after(self.address);
            }
            self.tabbed_to_start |= next == 0;
        }
        self.address = next;
    }
}

/// Sets an attribute as far as the terminal shows it.
fn set_attribute(extended: &mut ExtendedAttributes, color: bool, kind: u8, value: u8) {
    let is_color = matches!(kind, AttributeType::COLOR | AttributeType::BACKGROUND);
    if color || !is_color {
        extended.set(kind, value);
    }
}
