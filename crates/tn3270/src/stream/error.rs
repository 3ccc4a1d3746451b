//! What can be wrong with a data stream that a peer sent.
//!
//! Every kind is the peer's fault. A terminal answers it with a negative
//! response; [`StreamError::is_command_reject`] says with which.

/// A fault of a data stream, with its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("offset {at}: {kind}")]
pub struct StreamError {
    /// Bytes from the start of the record or structured field.
    pub at: usize,
    /// What is wrong.
    pub kind: ErrorKind,
}

/// The kinds of [`StreamError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ErrorKind {
    /// The record ended inside this.
    #[error("the record ends inside {0}")]
    CutOff(&'static str),
    /// The command code is unknown.
    #[error("unknown command X'{0:02X}'")]
    UnknownCommand(u8),
    /// The attention identifier is unknown.
    #[error("unknown attention identifier X'{0:02X}'")]
    UnknownAid(u8),
    /// A buffer address is beyond the screen.
    #[error("address {address} is beyond the screen of {positions} positions")]
    Address {
        /// The address of the stream.
        address: u16,
        /// Positions of the screen.
        positions: u16,
    },
    /// The first two bits of an address are B'10'.
    #[error("the address X'{0:04X}' has reserved bits")]
    AddressBits(u16),
    /// The length of a structured field is impossible.
    #[error("structured field of length {0}")]
    Length(u16),
    /// The structured field, or its form, is not supported.
    #[error("unsupported structured field X'{0:02X}'")]
    UnsupportedField(u8),
    /// A partition that does not exist.
    #[error("unknown partition {0}")]
    Partition(u8),
    /// MF at an address that is not a field attribute.
    #[error("MF at address {0}, where no field attribute is")]
    NoField(u16),
    /// RA with an order as its character.
    #[error("X'{0:02X}' is an order, not a character to repeat")]
    OrderAsCharacter(u8),
    /// A second read in one record: the terminal answers one.
    #[error("a second read in one record")]
    SecondRead,
    /// A record without bytes.
    #[error("the record is empty")]
    Empty,
    /// Bytes follow where the format has none.
    #[error("unexpected bytes after {0}")]
    Trailing(&'static str),
}

impl StreamError {
    pub(crate) const fn new(at: usize, kind: ErrorKind) -> StreamError {
        StreamError { at, kind }
    }

    /// Whether a terminal answers with command reject; otherwise it answers
    /// with operation check.
    pub const fn is_command_reject(&self) -> bool {
        matches!(self.kind, ErrorKind::UnknownCommand(_) | ErrorKind::Empty)
    }
}
