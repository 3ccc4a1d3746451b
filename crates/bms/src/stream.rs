//! An outbound 3270 data stream: orders as a list, and its bytes.
//!
//! The list is what SEND commands decide; [`OutboundStream::to_bytes`] is what a
//! terminal reads. Data of all items share one buffer, so that a screen takes
//! two allocations. Reference: 3270 Data Stream Programmer's Reference, "Orders".

use crate::attribute::graphic;
use crate::layout::ScreenSize;

/// The command of a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteCommand {
    /// Write.
    Write,
    /// Erase/Write: default size.
    EraseWrite,
    /// Erase/Write Alternate: alternate size.
    EraseWriteAlternate,
}

/// One order, or data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamItem {
    /// SBA: go to an address.
    Address(u16),
    /// SF: a field begins, with this attribute byte.
    Field(u8),
    /// SFE: a field begins, with pairs of type and value.
    ExtendedField(AttributePairs),
    /// MF: pairs that change the field whose attribute is at the address.
    ModifyField(AttributePairs),
    /// IC: the cursor goes here.
    Cursor,
    /// EUA: null unprotected positions up to an address.
    EraseUnprotected(u16),
    /// RA: a character up to an address.
    Repeat(u16, u8),
    /// Data: a range of the stream's buffer.
    Data(usize, usize),
}

/// Pairs of type and value, at most eight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AttributePairs {
    pairs: [(u8, u8); 8],
    count: u8,
}

impl AttributePairs {
    /// Adds one; more than eight are dropped.
    pub fn push(&mut self, kind: u8, value: u8) {
        if let Some(pair) = self.pairs.get_mut(usize::from(self.count)) {
            *pair = (kind, value);
            self.count += 1;
        }
    }

    /// In the order they were added.
    pub fn as_slice(&self) -> &[(u8, u8)] {
        &self.pairs[..usize::from(self.count)]
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
}

/// What a SEND command writes to a terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutboundStream {
    /// The command.
    pub command: WriteCommand,
    /// The write control character.
    pub control: u8,
    /// Size of the screen after the command.
    pub screen: ScreenSize,
    items: Vec<StreamItem>,
    data: Vec<u8>,
    /// The current address; unknown after an order that moved it.
    address: Option<u16>,
}

impl OutboundStream {
    /// A stream without orders.
    pub fn new(command: WriteCommand, control: u8, screen: ScreenSize) -> OutboundStream {
        OutboundStream {
            command,
            control,
            screen,
            items: Vec::new(),
            data: Vec::new(),
            address: None,
        }
    }

    /// Its orders and data in order.
    pub fn items(&self) -> &[StreamItem] {
        &self.items
    }

    /// The data of an item; empty for orders.
    pub fn data(&self, item: StreamItem) -> &[u8] {
        match item {
            StreamItem::Data(start, end) => &self.data[start..end],
            _ => &[],
        }
    }

    /// Goes to an address, unless the stream is there.
    pub fn go_to(&mut self, address: u16) {
        if self.address != Some(address) {
            self.items.push(StreamItem::Address(address));
            self.address = Some(address);
        }
    }

    /// Begins a field.
    pub fn start_field(&mut self, attribute: u8) {
        self.items.push(StreamItem::Field(attribute));
        self.advance(1);
    }

    /// Begins a field with extended attributes.
    pub fn start_extended_field(&mut self, pairs: AttributePairs) {
        self.items.push(StreamItem::ExtendedField(pairs));
        self.advance(1);
    }

    /// Changes attributes of the field at the address.
    pub fn modify_field(&mut self, pairs: AttributePairs) {
        self.items.push(StreamItem::ModifyField(pairs));
        self.advance(1);
    }

    /// Puts the cursor at the current address.
    pub fn cursor(&mut self) {
        self.items.push(StreamItem::Cursor);
    }

    /// Nulls all unprotected positions of the screen.
    pub fn erase_unprotected(&mut self) {
        self.go_to(0);
        self.items.push(StreamItem::EraseUnprotected(0));
    }

    /// Writes characters of the terminal's page. Runs of one character become
    /// an order when that is shorter.
    pub fn write(&mut self, bytes: &[u8]) {
        let mut rest = bytes;
        while let Some(&first) = rest.first() {
            let run = rest.iter().take_while(|b| **b == first).count();
            if run >= SHORTEST_REPEAT && (run as u32) < self.screen.positions() {
                self.repeat(first, run);
                rest = &rest[run..];
                continue;
            }
            let mut end = run;
            while let Some(&next) = rest.get(end) {
                let run = rest[end..].iter().take_while(|b| **b == next).count();
                if run >= SHORTEST_REPEAT {
                    break;
                }
                end += run;
            }
            let start = self.data.len();
            self.data.extend_from_slice(&rest[..end]);
            self.items.push(StreamItem::Data(start, self.data.len()));
            self.advance(end);
            rest = &rest[end..];
        }
    }

    fn repeat(&mut self, byte: u8, count: usize) {
        match self.address {
            Some(_) => {
                self.advance(count);
                let stop = self.address.unwrap_or(0);
                self.items.push(StreamItem::Repeat(stop, byte));
            }
            // Without an address no stop address can be given.
            None => {
                let start = self.data.len();
                self.data.resize(start + count, byte);
                self.items.push(StreamItem::Data(start, self.data.len()));
            }
        }
    }

    fn advance(&mut self, positions: usize) {
        let screen = self.screen;
        let positions = u32::try_from(positions).unwrap_or(0);
        self.address = self.address.map(|a| screen.wrap(u32::from(a) + positions));
    }

    /// The bytes that a terminal reads, in the codes of TN3270.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(2 + self.items.len() * 4 + self.data.len());
        bytes.push(match self.command {
            WriteCommand::Write => 0xF1,
            WriteCommand::EraseWrite => 0xF5,
            WriteCommand::EraseWriteAlternate => 0x7E,
        });
        bytes.push(self.control);
        for item in &self.items {
            match *item {
                StreamItem::Address(address) => self.order(0x11, address, &mut bytes),
                StreamItem::Field(attribute) => bytes.extend([0x1D, attribute]),
                StreamItem::ExtendedField(pairs) => extended(0x29, &pairs, &mut bytes),
                StreamItem::ModifyField(pairs) => extended(0x2C, &pairs, &mut bytes),
                StreamItem::Cursor => bytes.push(0x13),
                StreamItem::EraseUnprotected(stop) => self.order(0x12, stop, &mut bytes),
                StreamItem::Repeat(stop, byte) => {
                    self.order(0x3C, stop, &mut bytes);
                    bytes.push(byte);
                }
                StreamItem::Data(start, end) => bytes.extend(&self.data[start..end]),
            }
        }
        bytes
    }

    /// An order with an address: 12 bits up to 4,096 positions, else 14.
    fn order(&self, code: u8, address: u16, bytes: &mut Vec<u8>) {
        let (high, low) = ((address >> 6) as u8, (address & 0x3F) as u8);
        if self.screen.positions() <= 4096 {
            bytes.extend([code, graphic(high), graphic(low)]);
        } else {
            bytes.extend([code, (address >> 8) as u8 & 0x3F, (address & 0xFF) as u8]);
        }
    }
}

fn extended(code: u8, pairs: &AttributePairs, bytes: &mut Vec<u8>) {
    bytes.extend([code, pairs.count]);
    bytes.extend(
        pairs
            .as_slice()
            .iter()
            .flat_map(|(kind, value)| [kind, value]),
    );
}

/// An order to repeat takes four bytes, so runs of five gain one.
const SHORTEST_REPEAT: usize = 5;
