//! UNBIND: the end of a session.
//!
//! `32`, a type, and with type FE four bytes of sense data.
//! Reference: IBM *SNA Formats* (GA27-3136), "UNBIND".

use super::Sense;
use super::reader::{Reader, Result};

/// Request code.
pub const CODE: u8 = 0x32;

/// An UNBIND request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Repr {
    /// Its type, one of the constants of this module.
    pub kind: u8,
    /// Why, with type [`PROTOCOL_ERROR`].
    pub sense: Option<Sense>,
}

impl Repr {
    /// An UNBIND of a type that carries no sense data.
    pub const fn of(kind: u8) -> Repr {
        Repr { kind, sense: None }
    }

    /// An UNBIND because the partner broke the protocol.
    pub const fn fault(sense: Sense) -> Repr {
        Repr {
            kind: PROTOCOL_ERROR,
            sense: Some(sense),
        }
    }

    /// Parses these bytes. A type FE without sense data is accepted: the
    /// session ends in any case.
    pub fn parse(bytes: &[u8]) -> Result<Repr> {
        let mut r = Reader::new("UNBIND", bytes);
        if r.u8()? != CODE {
            return Err(r.value(0));
        }
        let kind = r.u8()?;
        let sense = match kind {
            PROTOCOL_ERROR => r.u32().ok().map(Sense),
            _ => None,
        };
        Ok(Repr { kind, sense })
    }

    /// The bytes.
    pub fn emit(&self) -> Vec<u8> {
        let mut out = vec![CODE, self.kind];
        if let Some(sense) = self.sense {
            out.extend_from_slice(&sense.to_bytes());
        }
        out
    }
}

/// Normal end.
pub const NORMAL: u8 = 0x01;
/// Another BIND follows.
pub const BIND_FORTHCOMING: u8 = 0x02;
/// The response to the BIND had parameters that cannot be.
pub const INVALID_PARAMETERS: u8 = 0x06;
/// The route failed.
pub const ROUTE: u8 = 0x07;
/// Cleanup: data of the session at the partner is discarded.
pub const CLEANUP: u8 = 0x0F;
/// The partner broke the protocol; sense data follows.
pub const PROTOCOL_ERROR: u8 = 0xFE;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_protocol_error_carries_sense() {
        let fault = Repr::fault(Sense::SEQUENCE);
        assert_eq!(fault.emit(), [0x32, 0xFE, 0x20, 0x01, 0, 0]);
        assert_eq!(Repr::parse(&fault.emit()), Ok(fault));
        assert_eq!(Repr::of(NORMAL).emit(), [0x32, 0x01]);
        assert_eq!(Repr::parse(&[0x32, 0xFE]).unwrap().sense, None);
        assert!(Repr::parse(&[0x32]).is_err());
        assert!(Repr::parse(&[0x31, 1]).is_err());
    }
}
