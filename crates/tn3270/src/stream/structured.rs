//! Structured fields from the host: Read Partition, Set Reply Mode,
//! Erase/Reset and Outbound 3270DS.
//!
//! ```text
//!  0       2    3
//! +-------+----+----------
//! | length| ID | contents   length counts itself; 0 = to the record's end
//! +-------+----+----------
//! ```
//! Reference: GA23-0059, "Structured fields".

use super::command::Command;
use super::error::{ErrorKind, StreamError};

/// The fields of a record, as pairs of identifier and contents.
#[derive(Clone, Debug)]
pub struct StructuredFields<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> StructuredFields<'a> {
    /// Walks over the bytes after the command or after the AID X'88'.
    pub const fn new(bytes: &'a [u8]) -> StructuredFields<'a> {
        StructuredFields { bytes, at: 0 }
    }
}

impl<'a> Iterator for StructuredFields<'a> {
    type Item = Result<(u8, &'a [u8]), StreamError>;

    /// The next field; nothing follows an error.
    fn next(&mut self) -> Option<Self::Item> {
        let start = self.at;
        let rest = self.bytes.get(start..).filter(|rest| !rest.is_empty())?;
        self.at = self.bytes.len();
        let &[high, low, ref tail @ ..] = rest else {
            let kind = ErrorKind::CutOff("a structured field");
            return Some(Err(StreamError::new(start, kind)));
        };
        let stated = u16::from_be_bytes([high, low]);
        let length = if stated == 0 {
            rest.len()
        } else {
            usize::from(stated)
        };
        if length < 3 || length > rest.len() {
            return Some(Err(StreamError::new(start, ErrorKind::Length(stated))));
        }
        self.at = start + length;
        Some(Ok((tail[0], &tail[1..length - 2])))
    }
}

/// A structured field of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutboundField<'a> {
    /// Read Partition with Query or Query List.
    Query(QueryRequest<'a>),
    /// Read Partition with Read Buffer, Read Modified or Read Modified All.
    ReadPartition {
        /// The partition's number.
        partition: u8,
        /// Which read.
        command: Command,
    },
    /// Set Reply Mode; the types follow for character mode.
    SetReplyMode {
        /// The partition's number.
        partition: u8,
        /// The mode.
        mode: ReplyMode,
        /// Attribute types that character mode reports.
        attributes: &'a [u8],
    },
    /// Erase/Reset, to the alternate size if set.
    EraseReset {
        /// Whether the screen gets its alternate size.
        alternate: bool,
    },
    /// Outbound 3270DS: a command with WCC and orders.
    Outbound3270 {
        /// The partition's number.
        partition: u8,
        /// The command and what follows it.
        record: &'a [u8],
    },
}

/// Which Query Replies the host wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QueryRequest<'a> {
    /// All that the terminal sends for a Query.
    All,
    /// Those of the list.
    List(&'a [u8]),
    /// The equivalent of a Query and those of the list.
    EquivalentAnd(&'a [u8]),
    /// All of a Query List.
    AllListed,
}

impl QueryRequest<'_> {
    /// Whether the reply of this code is wanted.
    pub fn wants(&self, code: u8) -> bool {
        match self {
            QueryRequest::List(codes) => codes.contains(&code),
            _ => true,
        }
    }
}

/// How Read Buffer and Read Modified show attributes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ReplyMode {
    /// Field attributes only.
    #[default]
    Field,
    /// SFE with extended attributes.
    ExtendedField,
    /// Character attributes too.
    Character,
}

impl<'a> OutboundField<'a> {
    /// The meaning of an identifier and its contents.
    ///
    /// # Errors
    /// Unknown identifiers, unknown forms and cut-off contents.
    pub fn parse(id: u8, contents: &'a [u8]) -> Result<OutboundField<'a>, StreamError> {
        let fail = |kind| Err(StreamError::new(3, kind));
        match (id, contents) {
            (READ_PARTITION, [0xFF, 0x02]) => Ok(OutboundField::Query(QueryRequest::All)),
            (READ_PARTITION, [0xFF, 0x03, kind, codes @ ..]) => {
                Ok(OutboundField::Query(match kind & 0xC0 {
                    0x00 => QueryRequest::List(codes),
                    0x40 => QueryRequest::EquivalentAnd(codes),
                    0x80 => QueryRequest::AllListed,
                    _ => return fail(ErrorKind::UnsupportedField(id)),
                }))
            }
            (READ_PARTITION, [0xFF, ..]) => fail(ErrorKind::UnsupportedField(id)),
            (READ_PARTITION, [partition, code]) => {
                let command = Command::parse(*code).filter(|c| {
                    matches!(
                        c,
                        Command::ReadBuffer | Command::ReadModified | Command::ReadModifiedAll
                    )
                });
                let Some(command) = command else {
                    return fail(ErrorKind::UnsupportedField(id));
                };
                let partition = *partition;
                Ok(OutboundField::ReadPartition { partition, command })
            }
            (SET_REPLY_MODE, [partition, mode, attributes @ ..]) => {
                let mode = match mode {
                    0 => ReplyMode::Field,
                    1 => ReplyMode::ExtendedField,
                    2 => ReplyMode::Character,
                    _ => return fail(ErrorKind::UnsupportedField(id)),
                };
                Ok(OutboundField::SetReplyMode {
                    partition: *partition,
                    mode,
                    attributes,
                })
            }
            (ERASE_RESET, [size]) => Ok(OutboundField::EraseReset {
                alternate: size & 0x80 != 0,
            }),
            (OUTBOUND_3270DS, [partition, record @ ..]) if !record.is_empty() => {
                Ok(OutboundField::Outbound3270 {
                    partition: *partition,
                    record,
                })
            }
            (READ_PARTITION | SET_REPLY_MODE | ERASE_RESET | OUTBOUND_3270DS, _) => {
                fail(ErrorKind::CutOff("a structured field"))
            }
            _ => fail(ErrorKind::UnsupportedField(id)),
        }
    }

    /// Appends the field with its length.
    pub fn emit(&self, out: &mut Vec<u8>) {
        let start = out.len();
        out.extend([0, 0]);
        match self {
            OutboundField::Query(request) => {
                out.extend([READ_PARTITION, 0xFF]);
                match request {
                    QueryRequest::All => out.push(0x02),
                    QueryRequest::List(codes) => {
                        out.extend([0x03, 0x00]);
                        out.extend(*codes);
                    }
                    QueryRequest::EquivalentAnd(codes) => {
                        out.extend([0x03, 0x40]);
                        out.extend(*codes);
                    }
                    QueryRequest::AllListed => out.extend([0x03, 0x80]),
                }
            }
            OutboundField::ReadPartition { partition, command } => {
                out.extend([READ_PARTITION, *partition, command.emit()]);
            }
            OutboundField::SetReplyMode {
                partition,
                mode,
                attributes,
            } => {
                out.extend([SET_REPLY_MODE, *partition, *mode as u8]);
                out.extend(*attributes);
            }
            OutboundField::EraseReset { alternate } => {
                out.extend([ERASE_RESET, if *alternate { 0x80 } else { 0 }]);
            }
            OutboundField::Outbound3270 { partition, record } => {
                out.extend([OUTBOUND_3270DS, *partition]);
                out.extend(*record);
            }
        }
        close_field(start, out);
    }
}

/// Writes the length of the field that begins at `start`. A field that is too
/// long for its length goes to the record's end: length 0.
pub(super) fn close_field(start: usize, out: &mut [u8]) {
    let length = u16::try_from(out.len() - start).unwrap_or(0);
    out[start..start + 2].copy_from_slice(&length.to_be_bytes());
}

const READ_PARTITION: u8 = 0x01;
const ERASE_RESET: u8 = 0x03;
const SET_REPLY_MODE: u8 = 0x09;
const OUTBOUND_3270DS: u8 = 0x40;

#[cfg(test)]
mod tests {
    use super::*;

    fn only(bytes: &[u8]) -> Result<OutboundField<'_>, StreamError> {
        let (id, contents) = StructuredFields::new(bytes).next().unwrap()?;
        OutboundField::parse(id, contents)
    }

    #[test]
    fn fields_of_the_recorded_exchanges_come_back() {
        let recorded: [&[u8]; 6] = [
            &[0, 5, 1, 0xFF, 2],
            &[0, 6, 1, 0xFF, 3, 0x80],
            &[0, 5, 9, 0, 1],
            &[0, 4, 3, 0x80],
            &[0, 8, 0x40, 0, 0xF1, 0xC2, 0x11, 0xC8],
            &[0, 5, 1, 0, 0xF2],
        ];
        for bytes in recorded {
            let mut out = Vec::new();
            only(bytes).unwrap().emit(&mut out);
            assert_eq!(out, bytes);
        }
    }

    #[test]
    fn impossible_lengths_and_unknown_fields_are_errors() {
        let kind = |bytes| only(bytes).unwrap_err().kind;
        assert_eq!(kind(&[0, 2, 1]), ErrorKind::Length(2));
        assert_eq!(kind(&[0, 9, 1, 0xFF, 2]), ErrorKind::Length(9));
        assert_eq!(kind(&[0]), ErrorKind::CutOff("a structured field"));
        assert_eq!(kind(&[0, 3, 0x77]), ErrorKind::UnsupportedField(0x77));
        assert_eq!(kind(&[0, 4, 9, 0]), ErrorKind::CutOff("a structured field"));
    }

    #[test]
    fn length_zero_goes_to_the_end() {
        let field = only(&[0, 0, 0x40, 0, 0xF5, 0xC3, 0xC1]).unwrap();
        let OutboundField::Outbound3270 { record, .. } = field else {
            panic!("{field:?}");
        };
        assert_eq!(record, [0xF5, 0xC3, 0xC1]);
    }
}
