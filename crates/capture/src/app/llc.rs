//! An 802.2 connection (LLC2) that carries SNA: numbered frames hold one path
//! information unit each, unnumbered commands are answered.
//!
//! Reference: ISO/IEC 8802-2, sections 3 and 5; IBM *Token-Ring Network
//! Architecture Reference* for SNA's use of it.

use super::sessions::{ControlRole, ReceivedUnit, SnaSessions};
use super::{ExchangeAssembler, PacketStamp};
use crate::ConnectionSide;

/// Both directions of a link.
#[derive(Debug, Default)]
pub(super) struct Link {
    pub(super) sessions: SnaSessions,
}

/// A frame, as the link's numbering left it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame<'a> {
    /// First byte of the control field, without poll or final.
    pub(crate) control: u8,
    /// The frame's bytes after the LAN header, on the wire.
    pub(crate) bytes: u64,
    /// The information field, as far as it was captured.
    pub(crate) info: &'a [u8],
    /// It was sent before.
    pub(crate) repeated: bool,
}

impl Link {
    /// Takes a frame.
    pub(super) fn handle_frame(
        &mut self,
        side: ConnectionSide,
        frame: Frame<'_>,
        stamp: PacketStamp,
        out: &mut ExchangeAssembler,
    ) {
        let unit = ReceivedUnit {
            link: 0,
            side,
            bytes: frame.bytes,
            begun: stamp,
            ended: stamp,
        };
        match frame.control {
            control if control & 1 == 0 && !frame.repeated => {
                self.sessions.piu(&unit, frame.info, out);
            }
            SABME | DISC => self
                .sessions
                .control(&unit, "LLC2 mode", ControlRole::Requests, out),
            UA | DM => self
                .sessions
                .control(&unit, "LLC2 mode", ControlRole::Answers, out),
            XID => self
                .sessions
                .control(&unit, "XID", ControlRole::Either, out),
            TEST => self
                .sessions
                .control(&unit, "TEST", ControlRole::Either, out),
            _ => {}
        }
    }
}

/// Control fields of unnumbered frames, poll and final bits removed.
const SABME: u8 = 0x6F;
const UA: u8 = 0x63;
const DM: u8 = 0x0F;
const DISC: u8 = 0x43;
const XID: u8 = 0xAF;
const TEST: u8 = 0xE3;
