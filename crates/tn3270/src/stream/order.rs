//! Orders: the control sequences between the characters of a data stream.
//!
//! ```text
//! SBA 11 a a          SF  1D attribute        SFE 29 n (type value)×n
//! SA  28 type value   MF  2C n (type value)×n IC  13
//! PT  05              RA  3C a a character    EUA 12 a a
//! GE  08 character
//! ```
//! [`OrderReader`] walks over the bytes without a copy. It checks each address
//! against the number of positions and each order against the record's end.
//! Reference: GA23-0059, "Orders".

use super::address;
use super::attribute::FieldAttribute;
use super::error::{ErrorKind, StreamError};

/// An order, or a run of characters between orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order<'a> {
    /// SBA: the current address.
    SetBufferAddress(u16),
    /// SF: a field begins.
    StartField(FieldAttribute),
    /// SFE: a field begins, with extended attributes.
    StartFieldExtended(AttributePairs<'a>),
    /// SA: type and value for the characters that follow.
    SetAttribute(u8, u8),
    /// MF: changes the field attribute at the current address.
    ModifyField(AttributePairs<'a>),
    /// IC: the cursor goes to the current address.
    InsertCursor,
    /// PT: to the next unprotected field.
    ProgramTab,
    /// RA: repeats the character up to the address, which is excluded.
    RepeatToAddress(u16, GraphicCharacter),
    /// EUA: nulls in unprotected positions up to the address.
    EraseUnprotectedToAddress(u16),
    /// GE: one character of the graphic set.
    GraphicEscape(u8),
    /// Characters and format controls.
    Text(&'a [u8]),
}

/// One character, of the graphic set if `escape`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GraphicCharacter {
    /// The byte.
    pub byte: u8,
    /// Whether GE precedes it.
    pub escape: bool,
}

/// Pairs of attribute type and value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttributePairs<'a>(&'a [u8]);

impl AttributePairs<'_> {
    /// Type and value, in the order of the stream.
    pub fn iter(&self) -> impl Iterator<Item = (u8, u8)> {
        self.0.chunks_exact(2).map(|pair| (pair[0], pair[1]))
    }

    /// The field attribute among them: type X'C0'. An SFE without one starts
    /// an unprotected field.
    pub fn field_attribute(&self) -> Option<FieldAttribute> {
        let mut found = self.iter().filter(|(kind, _)| *kind == 0xC0);
        found.next().map(|(_, value)| FieldAttribute::parse(value))
    }
}

/// The orders of a record, from after the WCC.
#[derive(Clone, Debug)]
pub struct OrderReader<'a> {
    bytes: &'a [u8],
    at: usize,
    positions: u16,
    failed: bool,
}

impl<'a> OrderReader<'a> {
    /// Walks over these bytes; an address of `positions` or more is an error.
    pub const fn new(bytes: &'a [u8], positions: u16) -> OrderReader<'a> {
        OrderReader {
            bytes,
            at: 0,
            positions,
            failed: false,
        }
    }

    /// Bytes that were consumed.
    pub const fn offset(&self) -> usize {
        self.at
    }

    fn order(&mut self) -> Result<Order<'a>, StreamError> {
        let code = self.bytes[self.at];
        if !is_order(code) {
            return Ok(Order::Text(self.text()));
        }
        self.at += 1;
        Ok(match code {
            SBA => Order::SetBufferAddress(self.address("SBA")?),
            SF => Order::StartField(FieldAttribute::parse(self.byte("SF")?)),
            SFE => Order::StartFieldExtended(self.pairs("SFE")?),
            SA => Order::SetAttribute(self.byte("SA")?, self.byte("SA")?),
            MF => Order::ModifyField(self.pairs("MF")?),
            IC => Order::InsertCursor,
            PT => Order::ProgramTab,
            RA => Order::RepeatToAddress(self.address("RA")?, self.graphic("RA")?),
            EUA => Order::EraseUnprotectedToAddress(self.address("EUA")?),
            _ => Order::GraphicEscape(self.byte("GE")?),
        })
    }

    /// The run of bytes up to the next order.
    fn text(&mut self) -> &'a [u8] {
        let rest = &self.bytes[self.at..];
        let length = rest.iter().position(|byte| is_order(*byte));
        let (text, _) = rest.split_at(length.unwrap_or(rest.len()));
        self.at += text.len();
        text
    }

    fn byte(&mut self, order: &'static str) -> Result<u8, StreamError> {
        let byte = self.bytes.get(self.at).copied();
        self.at += 1;
        byte.ok_or(StreamError::new(self.at - 1, ErrorKind::CutOff(order)))
    }

    fn graphic(&mut self, order: &'static str) -> Result<GraphicCharacter, StreamError> {
        let byte = self.byte(order)?;
        let escape = byte == GE;
        if is_order(byte) && !escape {
            let kind = ErrorKind::OrderAsCharacter(byte);
            return Err(StreamError::new(self.at - 1, kind));
        }
        Ok(GraphicCharacter {
            byte: if escape { self.byte(order)? } else { byte },
            escape,
        })
    }

    fn address(&mut self, order: &'static str) -> Result<u16, StreamError> {
        let start = self.at;
        let bytes = [self.byte(order)?, self.byte(order)?];
        let address = address::parse(bytes).map_err(|kind| StreamError::new(start, kind))?;
        if address < self.positions {
            return Ok(address);
        }
        let positions = self.positions;
        let kind = ErrorKind::Address { address, positions };
        Err(StreamError::new(start, kind))
    }

    fn pairs(&mut self, order: &'static str) -> Result<AttributePairs<'a>, StreamError> {
        let bytes = usize::from(self.byte(order)?) * 2;
        let Some(pairs) = self.bytes.get(self.at..self.at + bytes) else {
            let end = self.bytes.len();
            return Err(StreamError::new(end, ErrorKind::CutOff(order)));
        };
        self.at += bytes;
        Ok(AttributePairs(pairs))
    }
}

impl<'a> Iterator for OrderReader<'a> {
    type Item = Result<Order<'a>, StreamError>;

    /// The next order; nothing follows an error.
    fn next(&mut self) -> Option<Self::Item> {
        if self.failed || self.at >= self.bytes.len() {
            return None;
        }
        let order = self.order();
        self.failed = order.is_err();
        Some(order)
    }
}

impl Order<'_> {
    /// Appends the order as the host sends it to a screen of this many
    /// positions.
    pub fn emit(&self, positions: u16, out: &mut Vec<u8>) {
        match *self {
            Order::SetBufferAddress(to) => {
                out.push(SBA);
                out.extend(address::emit(to, positions));
            }
            Order::StartField(attribute) => out.extend([SF, attribute.emit()]),
            Order::StartFieldExtended(pairs) => emit_pairs(SFE, pairs, out),
            Order::SetAttribute(kind, value) => out.extend([SA, kind, value]),
            Order::ModifyField(pairs) => emit_pairs(MF, pairs, out),
            Order::InsertCursor => out.push(IC),
            Order::ProgramTab => out.push(PT),
            Order::RepeatToAddress(to, character) => {
                out.push(RA);
                out.extend(address::emit(to, positions));
                out.extend(character.escape.then_some(GE));
                out.push(character.byte);
            }
            Order::EraseUnprotectedToAddress(to) => {
                out.push(EUA);
                out.extend(address::emit(to, positions));
            }
            Order::GraphicEscape(byte) => out.extend([GE, byte]),
            Order::Text(text) => out.extend(text),
        }
    }
}

fn emit_pairs(code: u8, pairs: AttributePairs<'_>, out: &mut Vec<u8>) {
    // A count is one byte, and the pairs came from an order with such a count.
    out.extend([code, (pairs.0.len() / 2) as u8]);
    out.extend(pairs.0);
}

/// Whether a byte of a data stream is an order.
pub(super) const fn is_order(byte: u8) -> bool {
    matches!(byte, SBA | SF | SFE | SA | MF | IC | PT | RA | EUA | GE)
}

pub(crate) const PT: u8 = 0x05;
pub(crate) const GE: u8 = 0x08;
pub(crate) const SBA: u8 = 0x11;
pub(crate) const EUA: u8 = 0x12;
pub(crate) const IC: u8 = 0x13;
pub(crate) const SF: u8 = 0x1D;
pub(crate) const SA: u8 = 0x28;
pub(crate) const SFE: u8 = 0x29;
pub(crate) const MF: u8 = 0x2C;
pub(crate) const RA: u8 = 0x3C;

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(bytes: &[u8]) -> Vec<Result<Order<'_>, StreamError>> {
        OrderReader::new(bytes, 1920).collect()
    }

    #[test]
    fn orders_and_text_are_distinguished_and_come_back() {
        let bytes = [
            0x11, 0xC2, 0xE8, 0x1D, 0x40, 0x13, 0x3C, 0xC2, 0x7D, 0x00, 0x1D, 0xF0, 0xC1, 0xC2,
            0x29, 0x02, 0xC0, 0x60, 0x42, 0xF2, 0x28, 0x42, 0xF2, 0x05, 0x12, 0xC8, 0xF0, 0x08,
            0xA3, 0x2C, 0x01, 0xC0, 0x60,
        ];
        let orders: Vec<_> = OrderReader::new(&bytes, 1920).map(Result::unwrap).collect();
        assert_eq!(orders.len(), 12);
        assert_eq!(orders[5], Order::Text(&[0xC1, 0xC2]));
        let mut out = Vec::new();
        for order in &orders {
            order.emit(1920, &mut out);
        }
        assert_eq!(out, bytes);
    }

    #[test]
    fn every_cut_off_order_is_an_error_and_the_last_item() {
        let whole: [&[u8]; 9] = [
            &[0x11, 0xC2, 0xE8],
            &[0x1D, 0x40],
            &[0x29, 0x01, 0xC0, 0x40],
            &[0x28, 0x42, 0xF2],
            &[0x2C, 0x01, 0xC0, 0x40],
            &[0x3C, 0xC2, 0xE8, 0x08, 0x40],
            &[0x3C, 0xC2, 0xE8, 0x40],
            &[0x12, 0xC2, 0xE8],
            &[0x08, 0x40],
        ];
        for order in whole {
            for end in 1..order.len() {
                let cut = parsed(&order[..end]);
                assert_eq!(cut.len(), 1);
                let kind = cut[0].unwrap_err().kind;
                assert!(matches!(kind, ErrorKind::CutOff(_)), "{order:02X?} {end}");
            }
        }
    }

    #[test]
    fn addresses_beyond_the_screen_are_errors() {
        let error = parsed(&[0x11, 0x7F, 0x7F])[0].unwrap_err();
        let kind = ErrorKind::Address {
            address: 4095,
            positions: 1920,
        };
        assert_eq!(error, StreamError::new(1, kind));
    }
}
