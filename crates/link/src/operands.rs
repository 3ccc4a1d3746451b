//! The operands of a command that the region serves, in either direction.
//!
//! A worker sends the operand that the program gave for each option; the region
//! returns the values of receiving options. Both sides know the command's row,
//! so an operand is named by its option's index.
//!
//! ```text
//!   0               16
//!   +---------------+------------------------------------------------------
//!   | options, u128 | operands in ascending index:
//!   +---------------+------------------------------------------------------
//!                     +-------+--------+--------------+
//!                     | index | 0      | integer, i64 |
//!                     +-------+--------+--------------+
//!                     | index | 1      | length, u32  | bytes
//!                     +-------+--------+--------------+
//! ```
//!
//! Integers are in the machine's own order. Invariant: any bytes can be read;
//! bytes that fail a check are rejected as an operand list.

use crate::directory::ProtocolViolation;

/// Index of the channel that goes with a command, as
/// [`crate::channel_data`] writes it; not an option of a row.
pub const CHANNEL_DATA: u8 = 120;

/// Index of a program to run with the attached channel before the command is
/// answered; the command is repeated when the program has returned. Not
/// an option of a row.
pub const RUN_PROGRAM: u8 = 121;

/// Index of how that program ended: its abend code, or blanks; not an option
/// of a row.
pub const RUN_ENDED: u8 = 122;

/// Index of a document template to read before the command is answered: `Q`,
/// `D`, `F` or `X` for a temporary storage or transient data queue, a file or a
/// program; its name (a program's after `1` for APPENDCRLF, else `0`); a zero
/// byte and the template's name. The command is repeated with the text. The index is
/// not an option of a row.
pub const TEMPLATE_WANTED: u8 = 123;

/// Index of the text of a template: the template's name, a zero byte, and then
/// one of these. `+` and the lines, each after its length (u32, big-endian);
/// `*` and the same if the text is cached for other tasks; `-` if the
/// template's program refused; nothing if it could not be read. There may be
/// several. The index is not an option of a row.
pub const TEMPLATE_TEXT: u8 = 124;

/// The value of an operand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OperandValue {
    /// A binary, packed or zoned item.
    Int(i64),
    /// Characters or an area.
    Bytes(Vec<u8>),
}

/// Options that are there and the operands that some of them have.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommandOperands {
    /// Bit i for option i of the command's row.
    pub options: u128,
    list: Vec<(u8, OperandValue)>,
}

impl CommandOperands {
    /// No operands yet.
    pub fn new(options: u128) -> Self {
        CommandOperands {
            options,
            list: Vec::new(),
        }
    }

    /// Adds an integer.
    pub fn int(mut self, index: u8, value: i64) -> Self {
        self.push(index, OperandValue::Int(value));
        self
    }

    /// Adds characters or an area.
    pub fn bytes(mut self, index: u8, value: impl Into<Vec<u8>>) -> Self {
        self.push(index, OperandValue::Bytes(value.into()));
        self
    }

    /// Adds an operand.
    pub fn push(&mut self, index: u8, operand: OperandValue) {
        self.list.push((index, operand));
    }

    /// Whether the option is there, with or without an operand.
    pub fn has(&self, index: u8) -> bool {
        self.options >> index & 1 != 0
    }

    /// The operands, in the order they were added.
    pub fn each(&self) -> impl Iterator<Item = (u8, &OperandValue)> {
        self.list.iter().map(|(index, operand)| (*index, operand))
    }

    /// The integer of an option, if it has one.
    pub fn get_int(&self, index: u8) -> Option<i64> {
        match self.get(index)? {
            OperandValue::Int(value) => Some(*value),
            OperandValue::Bytes(_) => None,
        }
    }

    /// The bytes of an option, if it has some.
    pub fn get_bytes(&self, index: u8) -> Option<&[u8]> {
        match self.get(index)? {
            OperandValue::Bytes(bytes) => Some(bytes),
            OperandValue::Int(_) => None,
        }
    }

    /// The bytes of an option as a name of N bytes, blank padded or cut.
    pub fn get_name<const N: usize>(&self, index: u8) -> Option<[u8; N]> {
        let bytes = self.get_bytes(index)?;
        let mut name = [b' '; N];
        let n = bytes.len().min(N);
        name[..n].copy_from_slice(&bytes[..n]);
        Some(name)
    }

    fn get(&self, index: u8) -> Option<&OperandValue> {
        let found = self.list.iter().find(|(i, _)| *i == index);
        found.map(|(_, operand)| operand)
    }

    /// Writes the list.
    pub fn emit(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(64);
        out.extend_from_slice(&self.options.to_ne_bytes());
        for (index, operand) in &self.list {
            out.push(*index);
            match operand {
                OperandValue::Int(value) => {
                    out.push(0);
                    out.extend_from_slice(&value.to_ne_bytes());
                }
                OperandValue::Bytes(bytes) => {
                    out.push(1);
                    out.extend_from_slice(&(bytes.len() as u32).to_ne_bytes());
                    out.extend_from_slice(bytes);
                }
            }
        }
        out
    }

    /// Reads a list that the other side wrote.
    pub fn parse(bytes: &[u8]) -> Result<Self, ProtocolViolation> {
        let mut rest = Reader(bytes);
        let mut operands = CommandOperands::new(u128::from_ne_bytes(rest.array()?));
        while !rest.0.is_empty() {
            let [index, kind] = rest.array()?;
            let operand = match kind {
                0 => OperandValue::Int(i64::from_ne_bytes(rest.array()?)),
                1 => {
                    let bytes = u32::from_ne_bytes(rest.array()?) as usize;
                    OperandValue::Bytes(rest.take(bytes)?.to_vec())
                }
                _ => return Err(ProtocolViolation::Operands),
            };
            operands.push(index, operand);
        }
        Ok(operands)
    }
}

/// Bytes that the other side wrote, from the front.
pub(crate) struct Reader<'a>(pub &'a [u8]);

impl<'a> Reader<'a> {
    pub fn take(&mut self, bytes: usize) -> Result<&'a [u8], ProtocolViolation> {
        let (taken, rest) = self
            .0
            .split_at_checked(bytes)
            .ok_or(ProtocolViolation::Operands)?;
        self.0 = rest;
        Ok(taken)
    }

    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], ProtocolViolation> {
        let (taken, rest) = self
            .0
            .split_first_chunk()
            .ok_or(ProtocolViolation::Operands)?;
        self.0 = rest;
        Ok(*taken)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn operands_read_back_as_they_were_written() {
        let sent = CommandOperands::new(1 << 119 | 5)
            .bytes(0, *b"QUEUE")
            .int(2, -7)
            .bytes(CHANNEL_DATA, vec![]);
        let read = CommandOperands::parse(&sent.emit()).unwrap();
        assert_eq!(read, sent);
        assert!(read.has(0) && read.has(2) && read.has(119) && !read.has(1));
        assert_eq!(read.get_name::<8>(0), Some(*b"QUEUE   "));
        assert_eq!(read.get_int(2), Some(-7));
        assert_eq!(read.get_int(0), None);
        assert_eq!(read.get_bytes(CHANNEL_DATA), Some(&[][..]));
    }

    proptest! {
        #[test]
        fn no_bytes_make_the_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let _ = CommandOperands::parse(&bytes);
        }
    }
}
