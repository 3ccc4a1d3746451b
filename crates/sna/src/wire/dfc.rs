//! Data flow control requests: LUSTAT, RTR, BIS, SIGNAL.
//!
//! | code | request | flow | carries |
//! |---|---|---|---|
//! | 04 | LUSTAT | normal | four bytes of status |
//! | 05 | RTR | normal | nothing |
//! | 70 | BIS | normal | nothing |
//! | C9 | SIGNAL | expedited | two bytes of code, two of extension |
//!
//! Reference: IBM *SNA Formats* (GA27-3136), request units.

use super::reader::{Reader, Result};

/// A data flow control request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Repr {
    /// Logical unit status: carries bracket and turn indicators where there is not
    /// data to carry them.
    Lustat {
        /// The status; [`NO_DATA`] between LUs of type 6.2.
        status: u32,
    },
    /// Ready to receive: the bracket refused before may begin now.
    ReadyToReceive,
    /// Bracket initiation stopped: no more brackets from this side.
    BracketStopped,
    /// A signal to the sending side.
    Signal {
        /// The signal; [`REQUEST_TO_SEND`].
        code: u32,
    },
}

impl Repr {
    /// Parses these bytes. Bytes after the fields are skipped.
    pub fn parse(bytes: &[u8]) -> Result<Repr> {
        let mut r = Reader::new("data flow control request", bytes);
        Ok(match r.u8()? {
            0x04 => Repr::Lustat { status: r.u32()? },
            0x05 => Repr::ReadyToReceive,
            0x70 => Repr::BracketStopped,
            0xC9 => Repr::Signal { code: r.u32()? },
            _ => return Err(r.value(0)),
        })
    }

    /// The bytes, as long as the request has them.
    pub fn emit(&self) -> Vec<u8> {
        let (code, word) = match *self {
            Repr::Lustat { status } => (0x04, Some(status)),
            Repr::ReadyToReceive => (0x05, None),
            Repr::BracketStopped => (0x70, None),
            Repr::Signal { code } => (0xC9, Some(code)),
        };
        let mut out = vec![code];
        if let Some(word) = word {
            out.extend_from_slice(&word.to_be_bytes());
        }
        out
    }
}

/// LUSTAT status 0006: nothing to say but the indicators of its header.
pub const NO_DATA: u32 = 0x0006_0000;
/// SIGNAL code of a request for the right to send.
pub const REQUEST_TO_SEND: u32 = 0x0001_0001;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_those_of_published_traces() {
        let lustat = Repr::Lustat { status: NO_DATA };
        assert_eq!(lustat.emit(), [0x04, 0x00, 0x06, 0x00, 0x00]);
        assert_eq!(Repr::BracketStopped.emit(), [0x70]);
        let all = [
            lustat,
            Repr::ReadyToReceive,
            Repr::BracketStopped,
            Repr::Signal {
                code: REQUEST_TO_SEND,
            },
        ];
        for repr in all {
            assert_eq!(Repr::parse(&repr.emit()), Ok(repr));
        }
        assert!(Repr::parse(&[0xC9, 0, 1]).is_err());
        assert!(Repr::parse(&[0x99]).is_err());
        assert!(Repr::parse(&[]).is_err());
    }
}
