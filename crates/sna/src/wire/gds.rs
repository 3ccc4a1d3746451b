//! General data stream variables: the records of conversations.
//!
//! ```text
//! +-+---------------+----------------+----------
//! |C|  length (15)  |  ID (16)       | data ...
//! +-+---------------+----------------+----------
//! ```
//! The length counts itself and the ID. C says that the record continues in the
//! next one, which then has no ID. Reference: IBM *SNA Formats* (GA27-3136), "GDS
//! Variables".

use super::reader::{Reader, Result};

/// Application data.
pub const APPLICATION: u16 = 0x12FF;
/// User data that was asked for and is empty.
pub const NULL: u16 = 0x12F1;
/// Change number of sessions.
pub const CNOS: u16 = 0x1210;
/// Program initialisation parameters.
pub const PIP: u16 = 0x12F5;
/// One program initialisation parameter.
pub const PIP_SUBFIELD: u16 = 0x12E2;
/// Error log data.
pub const ERROR_LOG: u16 = 0x12E1;
/// The longest logical record, length field included.
pub const MAX_RECORD: usize = 0x7FFF;
/// Bytes before the data of a record that has an ID.
pub const HEADER: usize = 4;
/// The maximum number of bytes of program initialisation parameters, the header of
/// each included.
pub const MAX_PIP: usize = MAX_RECORD - HEADER;

/// A logical record's length field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LogicalLength {
    /// The record continues in the next one.
    pub continued: bool,
    /// Bytes of the record, these two included.
    pub len: usize,
}

impl LogicalLength {
    /// Parses these two bytes. A length of 0 is invalid, and 1 marks a
    /// presentation services header, so both are returned unchanged.
    pub const fn parse(bytes: [u8; 2]) -> LogicalLength {
        let value = u16::from_be_bytes(bytes);
        LogicalLength {
            continued: value & 0x8000 != 0,
            len: (value & 0x7FFF) as usize,
        }
    }

    /// The two bytes.
    pub const fn emit(self) -> [u8; 2] {
        let flag = if self.continued { 0x8000 } else { 0 };
        (self.len as u16 & 0x7FFF | flag).to_be_bytes()
    }
}

/// A view over a whole GDS variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet<'a> {
    /// Its identifier.
    pub id: u16,
    /// Its data.
    pub data: &'a [u8],
}

impl<'a> Packet<'a> {
    /// Parses the variable at the start of these bytes. Returns it and the
    /// rest. A variable that continues in further records is rejected.
    pub fn parse(bytes: &'a [u8]) -> Result<(Packet<'a>, &'a [u8])> {
        let mut r = Reader::new("GDS variable", bytes);
        let two = r.take(2)?;
        let ll = LogicalLength::parse([two[0], two[1]]);
        if ll.continued || ll.len < HEADER {
            return Err(r.value(0));
        }
        let id = r.u16()?;
        let data = r.take(ll.len - HEADER)?;
        Ok((Packet { id, data }, r.rest()))
    }

    /// Appends the variable. Data past the longest record is cut; callers
    /// split records before.
    pub fn emit(&self, out: &mut Vec<u8>) {
        let data = &self.data[..self.data.len().min(MAX_RECORD - HEADER)];
        let ll = LogicalLength {
            continued: false,
            len: data.len() + HEADER,
        };
        out.extend_from_slice(&ll.emit());
        out.extend_from_slice(&self.id.to_be_bytes());
        out.extend_from_slice(data);
    }
}

/// The program initialisation parameters at the start of these bytes, and how
/// many bytes they take.
pub fn parse_pip(bytes: &[u8]) -> Result<(Vec<Vec<u8>>, usize)> {
    let (pip, rest) = Packet::parse(bytes)?;
    let r = Reader::new("PIP", bytes);
    if pip.id != PIP {
        return Err(r.value(2));
    }
    let (mut fields, mut left) = (Vec::new(), pip.data);
    while !left.is_empty() {
        let (field, after) = Packet::parse(left)?;
        if field.id != PIP_SUBFIELD {
            return Err(r.value(bytes.len() - rest.len() - left.len()));
        }
        fields.push(field.data.to_vec());
        left = after;
    }
    Ok((fields, bytes.len() - rest.len()))
}

/// Whether these bytes are enough to check the parameters at their start: they are
/// complete, or more bytes cannot make them valid.
pub fn pip_is_here(bytes: &[u8]) -> bool {
    let &[first, second, ref rest @ ..] = bytes else {
        return false;
    };
    let ll = LogicalLength::parse([first, second]);
    let id = PIP.to_be_bytes();
    let begun = rest.len().min(id.len());
    ll.continued || ll.len < HEADER || rest[..begun] != id[..begun] || bytes.len() >= ll.len
}

/// The variable of these program initialisation parameters.
///
/// They must have [`MAX_PIP`] bytes at most with their headers.
pub fn emit_pip(fields: &[Vec<u8>]) -> Vec<u8> {
    let mut inner = Vec::new();
    for field in fields {
        let id = PIP_SUBFIELD;
        Packet { id, data: field }.emit(&mut inner);
    }
    let mut out = Vec::new();
    let id = PIP;
    Packet { id, data: &inner }.emit(&mut out);
    out
}
