//! Reads length-prefixed fields from untrusted bytes.

use super::Sense;

/// Why bytes are invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// They end before a field does.
    #[error("{what} is cut off at offset {offset}")]
    Truncated {
        /// The format.
        what: &'static str,
        /// Start of the incomplete field.
        offset: usize,
    },
    /// A field has a value that the format does not allow.
    #[error("{what} has a bad value at offset {offset}")]
    Value {
        /// The format.
        what: &'static str,
        /// Offset of the field.
        offset: usize,
    },
}

/// The outcome of parsing.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// Offset of the error, in bytes from the start of the format.
    pub const fn offset(self) -> usize {
        match self {
            Error::Truncated { offset, .. } | Error::Value { offset, .. } => offset,
        }
    }

    /// The sense code for a request with this fault, when the format has no
    /// closer one of its own.
    pub const fn sense(self) -> Sense {
        match self {
            Error::Truncated { .. } => Sense::RU_LENGTH,
            Error::Value { .. } => Sense::FIELD_VALUE,
        }
    }
}

/// Checks that the fixed part of a format, `len` bytes, is whole.
pub(crate) fn whole(what: &'static str, bytes: &[u8], len: usize) -> Result<()> {
    if bytes.len() < len {
        Err(Error::Truncated {
            what,
            offset: bytes.len(),
        })
    } else {
        Ok(())
    }
}

/// Checks a condition for the byte at `offset`.
pub(crate) fn value(what: &'static str, offset: usize, holds: bool) -> Result<()> {
    if holds {
        Ok(())
    } else {
        Err(Error::Value { what, offset })
    }
}

/// Takes fields off the front of a byte string.
pub(crate) struct Reader<'a> {
    what: &'static str,
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    pub fn new(what: &'static str, bytes: &'a [u8]) -> Reader<'a> {
        Reader { what, bytes, at: 0 }
    }

    /// A reader that starts `at` bytes into the string.
    pub fn starting_at(what: &'static str, bytes: &'a [u8], at: usize) -> Reader<'a> {
        let at = at.min(bytes.len());
        Reader { what, bytes, at }
    }

    pub fn offset(&self) -> usize {
        self.at
    }

    pub fn is_empty(&self) -> bool {
        self.at >= self.bytes.len()
    }

    /// The remaining bytes.
    pub fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    pub fn take(&mut self, len: usize) -> Result<&'a [u8]> {
        let end = self.at.checked_add(len).filter(|e| *e <= self.bytes.len());
        let Some(end) = end else {
            return Err(self.truncated());
        };
        let field = &self.bytes[self.at..end];
        self.at = end;
        Ok(field)
    }

    pub fn u8(&mut self) -> Result<u8> {
        Ok(self.take(1)?[0])
    }

    pub fn u16(&mut self) -> Result<u16> {
        let b = self.take(2)?;
        Ok(u16::from_be_bytes([b[0], b[1]]))
    }

    pub fn u32(&mut self) -> Result<u32> {
        let b = self.take(4)?;
        Ok(u32::from_be_bytes([b[0], b[1], b[2], b[3]]))
    }

    /// A field after its length byte, which does not count itself.
    pub fn counted(&mut self) -> Result<&'a [u8]> {
        let start = self.at;
        let len = usize::from(self.u8()?);
        self.take(len).map_err(|_| {
            self.at = start;
            self.truncated()
        })
    }

    pub fn truncated(&self) -> Error {
        Error::Truncated {
            what: self.what,
            offset: self.at,
        }
    }

    pub fn value(&self, offset: usize) -> Error {
        Error::Value {
            what: self.what,
            offset,
        }
    }
}

/// Appends a field and, before it, its length byte. Fields longer than 255
/// bytes are cut: callers check lengths that people choose.
pub(crate) fn put_counted(out: &mut Vec<u8>, field: &[u8]) {
    let field = &field[..field.len().min(255)];
    out.push(field.len() as u8);
    out.extend_from_slice(field);
}
