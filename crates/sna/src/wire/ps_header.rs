//! Presentation services headers, which sync point sends between records.
//!
//! A record whose length field is 1 is not data but such a header: a length
//! byte that counts itself, a type, and for sync point a command and a
//! modifier. This stack has sync levels none and confirm, so it reads these
//! headers only to name what it refuses. The layout is not confirmed against a
//! published trace.
//! Reference: IBM *SNA Formats* (GA27-3136), "Presentation Services Headers".

use super::reader::{Reader, Result};

/// The length field that announces a presentation services header.
pub const LL: u16 = 0x0001;

/// The meaning of a presentation services header.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Repr {
    /// Its type; [`SYNC_POINT`].
    pub kind: u8,
    /// The sync point command.
    pub command: u16,
    /// Its modifier.
    pub modifier: u16,
}

impl Repr {
    /// The meaning of these bytes, from the length byte on.
    pub fn parse(bytes: &[u8]) -> Result<Repr> {
        let mut r = Reader::new("PS header", bytes);
        let len = usize::from(r.u8()?);
        if len < LEN || len > bytes.len() {
            return Err(r.value(0));
        }
        Ok(Repr {
            kind: r.u8()?,
            command: r.u16()?,
            modifier: r.u16()?,
        })
    }

    /// The bytes, from the length byte on.
    pub const fn emit(&self) -> [u8; LEN] {
        let c = self.command.to_be_bytes();
        let m = self.modifier.to_be_bytes();
        [LEN as u8, self.kind, c[0], c[1], m[0], m[1]]
    }
}

/// Type of sync point control.
pub const SYNC_POINT: u8 = 0x0A;
const LEN: usize = 6;
