//! FMH-7: an error description for the partner.
//!
//! `07 07`, four bytes of sense data, and a flag that says whether log data
//! follows as a GDS variable.
//! Reference: IBM *SNA Formats* (GA27-3136), "FM Header 7: Error
//! Description".

use super::Sense;
use super::reader::{Reader, Result};

/// FM header type.
pub const TYPE: u8 = 7;
/// Bytes of the header.
pub const LEN: usize = 7;

/// The meaning of an error description.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Repr {
    /// The error.
    pub sense: Sense,
    /// Log data follows.
    pub log_data: bool,
}

impl Repr {
    /// The meaning of the header at the start of these bytes, and how long it
    /// is.
    pub fn parse(bytes: &[u8]) -> Result<(Repr, usize)> {
        let mut r = Reader::new("FMH-7", bytes);
        let len = usize::from(r.u8()?);
        if len < LEN {
            return Err(r.value(0));
        }
        if r.u8()? & 0x7F != TYPE {
            return Err(r.value(1));
        }
        let sense = Sense(r.u32()?);
        let log_data = r.u8()? & 0x80 != 0;
        r.take(len - LEN)?;
        Ok((Repr { sense, log_data }, len))
    }

    /// The seven bytes.
    pub const fn emit(&self) -> [u8; LEN] {
        let s = self.sense.to_bytes();
        let flags = if self.log_data { 0x80 } else { 0 };
        [7, TYPE, s[0], s[1], s[2], s[3], flags]
    }
}
