//! Builds an outbound record: a command, its WCC, orders and characters.
//!
//! The builder leaves out an SBA to the address at which the stream already
//! is, which keeps outputs short.

use super::address;
use super::attribute::{AttributeType, ExtendedAttributes, FieldAttribute};
use super::command::{Command, Wcc};
use super::order::{self, GraphicCharacter, Order};

/// An outbound record under construction.
#[derive(Clone, Debug)]
pub struct OutboundBuilder {
    record: Vec<u8>,
    positions: u16,
    /// The current address, where the stream says it.
    current: Option<u16>,
}

impl OutboundBuilder {
    /// Starts a record for a screen of this many positions. `wcc` is sent only
    /// after commands that have one.
    pub fn new(command: Command, wcc: Wcc, positions: u16) -> OutboundBuilder {
        let mut record = vec![command.emit()];
        record.extend(command.has_wcc().then(|| wcc.emit()));
        let erases = matches!(command, Command::EraseWrite | Command::EraseWriteAlternate);
        OutboundBuilder {
            record,
            positions,
            current: erases.then_some(0),
        }
    }

    /// SBA, unless the stream is at that address.
    pub fn address(&mut self, to: u16) -> &mut OutboundBuilder {
        if self.current != Some(to) {
            self.record.push(order::SBA);
            self.record.extend(address::emit(to, self.positions));
            self.current = Some(to);
        }
        self
    }

    /// SF.
    pub fn field(&mut self, attribute: FieldAttribute) -> &mut OutboundBuilder {
        self.record.extend([order::SF, attribute.emit()]);
        self.advance(1);
        self
    }

    /// SFE, or SF if no extended attribute is set.
    pub fn field_extended(
        &mut self,
        attribute: FieldAttribute,
        extended: &ExtendedAttributes,
    ) -> &mut OutboundBuilder {
        // There are six types of extended attributes.
        let count = extended.pairs().count() as u8;
        if count == 0 {
            return self.field(attribute);
        }
        self.record.extend([order::SFE, count + 1]);
        self.record.extend([AttributeType::FIELD, attribute.emit()]);
        for (kind, value) in extended.pairs() {
            self.record.extend([kind, value]);
        }
        self.advance(1);
        self
    }

    /// Characters. Bytes below X'40', except nulls and format controls, must
    /// not be among them: they would be taken as orders.
    pub fn text(&mut self, text: &[u8]) -> &mut OutboundBuilder {
        for byte in text {
            // An order code in data becomes a blank, as it could be anything.
            let is_order = order::is_order(*byte);
            self.record.push(if is_order { 0x40 } else { *byte });
        }
        self.advance(text.len());
        self
    }

    /// IC.
    pub fn cursor(&mut self) -> &mut OutboundBuilder {
        self.record.push(order::IC);
        self
    }

    /// RA: this character up to the address, which is excluded.
    pub fn repeat(&mut self, to: u16, byte: u8) -> &mut OutboundBuilder {
        let escape = false;
        let order = Order::RepeatToAddress(to, GraphicCharacter { byte, escape });
        order.emit(self.positions, &mut self.record);
        self.current = Some(to);
        self
    }

    /// SA: the attribute of the characters that follow.
    pub fn attribute(&mut self, kind: u8, value: u8) -> &mut OutboundBuilder {
        self.record.extend([order::SA, kind, value]);
        self
    }

    /// The record so far, without Telnet's framing.
    pub fn finish(&self) -> &[u8] {
        &self.record
    }

    /// The record, without Telnet's framing.
    pub fn into_record(self) -> Vec<u8> {
        self.record
    }

    fn advance(&mut self, by: usize) {
        let positions = usize::from(self.positions.max(1));
        self.current = self
            .current
            // The remainder is below a u16.
            .map(|at| ((usize::from(at) + by) % positions) as u16);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_screen_is_built_as_it_was_recorded() {
        let wcc = Wcc {
            reset_modified: true,
            ..Wcc::RESTORE
        };
        let mut screen = OutboundBuilder::new(Command::EraseWrite, wcc, 1920);
        screen.address(1).field(FieldAttribute::AUTOSKIP);
        screen.text(&[0xE3, 0xC9]).address(4).cursor();
        assert_eq!(
            screen.finish(),
            [0xF5, 0xC3, 0x11, 0x40, 0xC1, 0x1D, 0xF0, 0xE3, 0xC9, 0x13]
        );
    }

    #[test]
    fn order_codes_in_data_become_blanks() {
        let mut screen = OutboundBuilder::new(Command::Write, Wcc::default(), 1920);
        screen.text(&[0xC1, 0x11, 0x00, 0x1D]);
        assert_eq!(screen.finish(), [0xF1, 0x00, 0xC1, 0x40, 0x00, 0x40]);
    }
}
