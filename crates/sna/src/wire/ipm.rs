//! Isolated pacing messages: how a receiver grants windows under adaptive
//! pacing.
//!
//! ```text
//!  0            1        2
//! +--+-+-------+-+---------------+
//! |ty|R|  0    |0|  window       |
//! +--+-+-------+-+---------------+
//! ```
//! It follows a whole expedited TH with sequence number 0 and the RH of an
//! isolated pacing response.
//! Reference: IBM *SNA Formats* (GA27-3136), "Isolated Pacing Message".

use super::reader::{Reader, Result};

/// Bytes of the message.
pub const LEN: usize = 3;

/// Which message it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PacingMessageKind {
    /// Answers a pacing request.
    Solicited,
    /// Sent without a request, to reduce or close the window.
    Unsolicited {
        /// Whether the rest of the present window is cancelled.
        reset: bool,
    },
    /// Answers an unsolicited message.
    ResetAck,
}

/// An isolated pacing message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Repr {
    /// Which message it is.
    pub kind: PacingMessageKind,
    /// The next window, in RUs, up to 32,767.
    pub window: u16,
}

impl Repr {
    /// The meaning of these bytes.
    pub fn parse(bytes: &[u8]) -> Result<Repr> {
        let mut r = Reader::new("isolated pacing message", bytes);
        let flags = r.u8()?;
        let window = r.u16()?;
        let reset = flags & 0x20 != 0;
        let kind = match flags >> 6 {
            0 if !reset => PacingMessageKind::Solicited,
            1 => PacingMessageKind::Unsolicited { reset },
            2 if !reset => PacingMessageKind::ResetAck,
            _ => return Err(r.value(0)),
        };
        if window & 0x8000 != 0 || !r.is_empty() {
            return Err(r.value(1));
        }
        Ok(Repr { kind, window })
    }

    /// The three bytes.
    pub const fn emit(&self) -> [u8; LEN] {
        let flags = match self.kind {
            PacingMessageKind::Solicited => 0x00,
            PacingMessageKind::Unsolicited { reset: false } => 0x40,
            PacingMessageKind::Unsolicited { reset: true } => 0x60,
            PacingMessageKind::ResetAck => 0x80,
        };
        let window = (self.window & 0x7FFF).to_be_bytes();
        [flags, window[0], window[1]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_message_survives_and_nothing_else_does() {
        for first in 0..=255u8 {
            for window in [0u16, 1, 7, 0x7FFF, 0x8000] {
                let w = window.to_be_bytes();
                let bytes = [first, w[0], w[1]];
                if let Ok(repr) = Repr::parse(&bytes) {
                    let out = repr.emit();
                    assert_eq!(out[0], first & 0xE0);
                    assert_eq!(&out[1..], &w);
                    assert_eq!(Repr::parse(&out), Ok(repr));
                }
            }
        }
        assert!(Repr::parse(&[0x20, 0, 1]).is_err());
        assert!(Repr::parse(&[0x00, 0]).is_err());
        assert!(Repr::parse(&[0x00, 0, 1, 0]).is_err());
    }
}
