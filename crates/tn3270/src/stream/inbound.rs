//! What a terminal sends: an attention identifier, the cursor, and fields.
//!
//! ```text
//! long read:    AID | cursor a a | (SBA a a data)…
//! unformatted:  AID | cursor a a | data
//! short read:   AID                                  PA keys, CLEAR
//! structured:   88  | structured fields
//! read buffer:  AID | cursor a a | SF, SFE, SA, GE and data
//! ```
//! The parser copies nothing. It checks the cursor, the addresses and every
//! order before a caller sees a field.
//! Reference: GA23-0059, "Read operations".

use super::address;
use super::aid::Aid;
use super::error::{ErrorKind, StreamError};
use super::order::{self, Order, OrderReader};

/// A checked record of a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InboundRecord<'a> {
    /// An attention identifier alone.
    Short(Aid),
    /// An attention identifier, the cursor's address and what follows it.
    Fields {
        /// Why it was sent.
        aid: Aid,
        /// The cursor's address.
        cursor: u16,
        /// From after the cursor's address.
        data: &'a [u8],
    },
    /// Structured fields; Query Reply among them.
    Structured(&'a [u8]),
}

impl<'a> InboundRecord<'a> {
    /// Parses a record of a screen of this many positions.
    ///
    /// # Errors
    /// Unknown identifiers, cut-off records and orders, addresses beyond the
    /// screen.
    pub fn parse(record: &'a [u8], positions: u16) -> Result<InboundRecord<'a>, StreamError> {
        let Some((first, rest)) = record.split_first() else {
            return Err(StreamError::new(0, ErrorKind::Empty));
        };
        if record == TEST_REQUEST {
            return Ok(InboundRecord::Short(Aid::SysReq));
        }
        let unknown = StreamError::new(0, ErrorKind::UnknownAid(*first));
        let aid = Aid::parse(*first).ok_or(unknown)?;
        if aid == Aid::StructuredField {
            return Ok(InboundRecord::Structured(rest));
        }
        if rest.is_empty() {
            return Ok(InboundRecord::Short(aid));
        }
        let [high, low, data @ ..] = rest else {
            return Err(StreamError::new(2, ErrorKind::CutOff("the cursor address")));
        };
        let cursor = cursor([*high, *low], positions)?;
        for order in OrderReader::new(data, positions) {
            order.map_err(|error| StreamError::new(error.at + 3, error.kind))?;
        }
        Ok(InboundRecord::Fields { aid, cursor, data })
    }

    /// Why the record was sent.
    pub const fn aid(&self) -> Aid {
        match self {
            InboundRecord::Short(aid) | InboundRecord::Fields { aid, .. } => *aid,
            InboundRecord::Structured(_) => Aid::StructuredField,
        }
    }

    /// The cursor's address. Returns `None` after a short read, which has none.
    pub const fn cursor(&self) -> Option<u16> {
        match self {
            InboundRecord::Fields { cursor, .. } => Some(*cursor),
            _ => None,
        }
    }

    /// The fields of a long read, in the order of the stream.
    pub const fn fields(&self) -> InboundFields<'a> {
        let data = match self {
            InboundRecord::Fields { data, .. } => *data,
            _ => &[],
        };
        InboundFields { data }
    }

    /// Appends the record of a terminal whose screen has this many positions.
    /// Fields are pairs of address and data as [`plain_data`] gives them; a
    /// field without an address belongs to an unformatted screen.
    pub fn emit_fields(
        aid: Aid,
        cursor: u16,
        fields: &[(Option<u16>, &[u8])],
        positions: u16,
        out: &mut Vec<u8>,
    ) {
        out.push(aid.emit());
        out.extend(address::emit(cursor, positions));
        for (start, data) in fields {
            if let Some(start) = start {
                out.push(order::SBA);
                out.extend(address::emit(*start, positions));
            }
            out.extend(*data);
        }
    }
}

/// One field of a long read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InboundField<'a> {
    /// The first data position, one after the field attribute. `None` for the
    /// data of an unformatted screen.
    pub address: Option<u16>,
    /// The data, which can contain SA and GE; see [`plain_data`].
    pub data: &'a [u8],
}

/// Iterates over the fields of a long read.
#[derive(Clone, Debug)]
pub struct InboundFields<'a> {
    data: &'a [u8],
}

impl<'a> Iterator for InboundFields<'a> {
    type Item = InboundField<'a>;

    fn next(&mut self) -> Option<InboundField<'a>> {
        if self.data.is_empty() {
            return None;
        }
        let mut start = None;
        let mut orders = OrderReader::new(self.data, u16::MAX);
        let mut begin = 0;
        let mut end = self.data.len();
        let mut at = 0;
        while let Some(Ok(order)) = orders.next() {
            if let Order::SetBufferAddress(to) = order {
                if at == 0 {
                    start = Some(to);
                    begin = orders.offset();
                } else {
                    end = at;
                    break;
                }
            }
            at = orders.offset();
        }
        let data = &self.data[begin..end];
        self.data = &self.data[end..];
        Some(InboundField {
            address: start,
            data,
        })
    }
}

/// Appends the characters of a field's data without its orders; a graphic
/// escape's character stays.
pub fn plain_data(data: &[u8], out: &mut Vec<u8>) {
    for order in OrderReader::new(data, u16::MAX).map_while(Result::ok) {
        match order {
            Order::Text(text) => out.extend(text),
            Order::GraphicEscape(byte) => out.push(byte),
            _ => {}
        }
    }
}

fn cursor(bytes: [u8; 2], positions: u16) -> Result<u16, StreamError> {
    let cursor = address::parse(bytes).map_err(|kind| StreamError::new(1, kind))?;
    if cursor < positions {
        return Ok(cursor);
    }
    let address = cursor;
    Err(StreamError::new(
        1,
        ErrorKind::Address { address, positions },
    ))
}

/// The test request header that non-SNA terminals send for SYSREQ.
pub(crate) const TEST_REQUEST: [u8; 4] = [0x01, 0x6C, 0x61, 0x02];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_a_recorded_read_are_found() {
        let record = [
            0x7D, 0xC2, 0x6C, 0x11, 0xC2, 0xE9, 0x81, 0x82, 0xF1, 0x11, 0xC6, 0xD9, 0xD4, 0x11,
            0xC7, 0xE9,
        ];
        let parsed = InboundRecord::parse(&record, 1920).unwrap();
        assert_eq!(parsed.aid(), Aid::Enter);
        assert_eq!(parsed.cursor(), Some(172));
        let fields: Vec<_> = parsed.fields().map(|f| (f.address, f.data)).collect();
        assert_eq!(
            fields,
            [
                (Some(169), &[0x81, 0x82, 0xF1][..]),
                (Some(409), &[0xD4][..]),
                (Some(489), &[][..])
            ]
        );
        let mut out = Vec::new();
        InboundRecord::emit_fields(Aid::Enter, 172, &fields, 1920, &mut out);
        assert_eq!(out, record);
    }

    #[test]
    fn an_unformatted_screen_has_one_field_without_address() {
        let record = [0x7D, 0x40, 0x40, 0xC5, 0xE6];
        let parsed = InboundRecord::parse(&record, 1920).unwrap();
        let fields: Vec<_> = parsed.fields().collect();
        assert_eq!(fields.len(), 1);
        assert_eq!(
            (fields[0].address, fields[0].data),
            (None, &[0xC5, 0xE6][..])
        );
    }

    #[test]
    fn short_reads_have_no_cursor() {
        let parsed = InboundRecord::parse(&[0x6D], 1920).unwrap();
        assert_eq!(parsed, InboundRecord::Short(Aid::Clear));
        assert_eq!(parsed.cursor(), None);
        assert_eq!(parsed.fields().count(), 0);
    }

    #[test]
    fn malformed_records_are_refused() {
        let parse = |record| InboundRecord::parse(record, 1920).unwrap_err().kind;
        assert_eq!(parse(&[]), ErrorKind::Empty);
        assert_eq!(parse(&[0x99]), ErrorKind::UnknownAid(0x99));
        assert!(matches!(parse(&[0x7D, 0x40]), ErrorKind::CutOff(_)));
        assert!(matches!(
            parse(&[0x7D, 0x7F, 0x7F]),
            ErrorKind::Address { .. }
        ));
        assert!(matches!(
            parse(&[0x7D, 0x40, 0x40, 0x11, 0x40]),
            ErrorKind::CutOff("SBA")
        ));
    }

    #[test]
    fn character_attributes_are_taken_out_of_data() {
        let mut out = Vec::new();
        plain_data(
            &[0x28, 0x42, 0xF2, 0xC1, 0x08, 0xA3, 0x28, 0, 0, 0xC2],
            &mut out,
        );
        assert_eq!(out, [0xC1, 0xA3, 0xC2]);
    }
}
