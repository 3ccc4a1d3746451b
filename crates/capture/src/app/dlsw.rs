//! Data-link switching: SSP messages in the stream, SNA units in the messages.
//!
//! A message is followed to its end; of its beginning as much is kept as the
//! headers inside need. Information frames go to their circuit's sessions,
//! control messages that are answered become exchanges of the circuit.
//! Reference: RFC 1795 (message formats); `sna::dlc::ssp` for the codes.
//! A link has one TCP connection or two. Which it is shows a little later than
//! the first messages, so these wait until the engine knows ([`UnlinkedMessages`]).
//! Invariant: at most [`HEAD_BYTES`] of a message are held, and of waiting
//! messages as many as [`UnlinkedMessages::is_long`] allows.

use super::circuits::CircuitTable;
use super::feed::{FeedContext, ParseStep, ProtocolParser};
use super::sessions::{ControlRole, ReceivedUnit, SnaSessions};
use super::unlinked::UnlinkedMessages;
use super::{ExchangeAssembler, PacketStamp};
use crate::ConnectionSide;
use sna::dlc::ssp::{CONTROL_HEADER_BYTES, INFO_HEADER_BYTES, Kind, SspMessage};

/// Both directions of a link between two switches.
#[derive(Debug, Default)]
pub(super) struct DlswParser {
    /// The directions of its first TCP connection, and those of its second.
    directions: [[DlswDirection; 2]; 2],
    /// The messages so far, until the link is known.
    waiting: WaitingMessages,
    /// Bytes passed over since the last whole message.
    passed: u64,
    circuits: CircuitTable,
    pub(super) sessions: SnaSessions,
}

#[derive(Debug)]
enum WaitingMessages {
    Yes(UnlinkedMessages, Vec<WholeMessage>),
    No,
}

impl Default for WaitingMessages {
    fn default() -> WaitingMessages {
        WaitingMessages::Yes(UnlinkedMessages::default(), Vec::new())
    }
}

/// A complete message.
#[derive(Debug)]
pub(crate) struct WholeMessage {
    /// Its sender.
    pub(crate) side: ConnectionSide,
    /// Its beginning.
    head: Vec<u8>,
    /// All of its bytes.
    total: u64,
    begun: PacketStamp,
    /// The packet that ended it.
    pub(crate) ended: PacketStamp,
}

#[derive(Debug, Default)]
struct DlswDirection {
    /// The beginning of the message, as far as received.
    head: Vec<u8>,
    /// Remaining bytes of the message, after its length is known.
    left: Option<u64>,
    total: u64,
    /// The packet that began it.
    begun: PacketStamp,
    /// The start of the next message is unknown: it is searched at the start of
    /// a segment.
    lost: bool,
}

impl DlswDirection {
    /// Nothing more is known of the message.
    fn lose(&mut self) {
        self.lost = true;
        self.left = None;
        self.head.clear();
    }
}

impl ProtocolParser for DlswParser {
    fn step(&mut self, at: &mut FeedContext<'_>, bytes: &[u8]) -> ParseStep {
        let direction = &mut self.directions[at.via][at.side.index()];
        if direction.lost {
            if !begins_message(bytes) {
                return self.pass_over(bytes.len());
            }
            direction.lost = false;
        }
        if direction.head.is_empty() {
            direction.begun = at.stamp;
        }
        let Some(left) = direction.left else {
            let take = (4 - direction.head.len()).min(bytes.len());
            direction.head.extend_from_slice(&bytes[..take]);
            if let [_, header, high, low] = direction.head[..] {
                if !is_dlsw(&direction.head) {
                    direction.lose();
                    self.sessions.lose(at.side, at.out);
                    return self.pass_over(bytes.len());
                }
                let data = u16::from_be_bytes([high, low]);
                direction.total = u64::from(header) + u64::from(data);
                direction.left = Some(direction.total - 4);
            }
            return ParseStep::Used(take);
        };
        let used = left.min(bytes.len() as u64);
        let room = HEAD_BYTES.saturating_sub(direction.head.len());
        let kept = room.min(used as usize);
        direction.head.extend_from_slice(&bytes[..kept]);
        direction.left = Some(left - used);
        self.end_if_whole(at);
        ParseStep::Used(used as usize)
    }

    fn miss(&mut self, at: &mut FeedContext<'_>, missing: u64) -> bool {
        let direction = &mut self.directions[at.via][at.side.index()];
        if direction.lost {
            return true;
        }
        let Some(left) = direction.left.and_then(|left| left.checked_sub(missing)) else {
            direction.lose();
            self.sessions.lose(at.side, at.out);
            return true;
        };
        direction.left = Some(left);
        self.end_if_whole(at);
        true
    }
}

impl DlswParser {
    /// Messages received before the link is known. Returns `None` afterwards.
    pub(super) fn unlinked_messages(&self) -> Option<&UnlinkedMessages> {
        match &self.waiting {
            WaitingMessages::Yes(said, _) => Some(said),
            WaitingMessages::No => None,
        }
    }

    /// The messages that waited; later ones do not.
    pub(super) fn take_waiting(&mut self) -> Vec<WholeMessage> {
        match std::mem::replace(&mut self.waiting, WaitingMessages::No) {
            WaitingMessages::Yes(_, held) => held,
            WaitingMessages::No => Vec::new(),
        }
    }

    /// The link is decided: messages no longer wait.
    pub(super) fn settle(&mut self, out: &mut ExchangeAssembler) {
        for whole in self.take_waiting() {
            self.handle_whole(&whole, out);
        }
    }

    /// Takes over the incomplete messages of `second`.
    pub(super) fn join(&mut self, second: &mut DlswParser, turned: bool) {
        let [own, _] = std::mem::take(&mut second.directions);
        self.directions[1] = own;
        if turned {
            self.directions[1].reverse();
        }
    }

    /// Skips bytes in which no message is known to begin.
    fn pass_over(&mut self, bytes: usize) -> ParseStep {
        self.passed += bytes as u64;
        if self.passed > MAX_PASSED {
            ParseStep::Leave(0)
        } else {
            ParseStep::Used(bytes)
        }
    }

    fn end_if_whole(&mut self, at: &mut FeedContext<'_>) {
        let direction = &mut self.directions[at.via][at.side.index()];
        if direction.left != Some(0) {
            return;
        }
        self.passed = 0;
        direction.left = None;
        let whole = WholeMessage {
            side: at.side,
            head: std::mem::take(&mut direction.head),
            total: direction.total,
            begun: direction.begun,
            ended: at.stamp,
        };
        if let WaitingMessages::Yes(said, held) = &mut self.waiting {
            said.add(whole.side, &whole.head);
            held.push(whole);
            return;
        }
        self.handle_whole(&whole, at.out);
        let mut head = whole.head;
        head.clear();
        self.directions[at.via][at.side.index()].head = head;
    }

    /// Takes a message of the link.
    pub(super) fn handle_whole(&mut self, whole: &WholeMessage, out: &mut ExchangeAssembler) {
        let WholeMessage {
            side,
            head,
            total,
            begun,
            ended,
        } = whole;
        let (side, total, begun, ended) = (*side, *total, *begun, *ended);
        let Some((message, data)) = header(head) else {
            return;
        };
        if let Some(control) = &message.control {
            let origin = if control.from_origin {
                side
            } else {
                side.other()
            };
            let ends = [
                (origin, control.origin.correlator),
                (origin.other(), control.target.correlator),
            ];
            self.circuits.learn(ends);
        }
        let circuit = self.circuits.of(side.other(), message.correlator);
        let (sender, marks) = self.circuits.count(circuit, side, &message);
        let unit = ReceivedUnit {
            link: circuit,
            side,
            bytes: total,
            begun,
            ended,
        };
        match message.kind {
            Kind::InfoFrame => self.sessions.piu(&unit, data, out),
            kind => {
                if kind == Kind::CapExchange {
                    self.circuits.capabilities(side, data);
                }
                if let Some((label, role)) = answered(kind) {
                    // Before the answer, only the origin has a number.
                    let origin = message.control.map(|control| control.origin.correlator);
                    let link = match kind {
                        Kind::CanYouReach | Kind::ICanReach => origin.unwrap_or_default(),
                        _ => unit.link,
                    };
                    let unit = ReceivedUnit { link, ..unit };
                    self.sessions.control(&unit, label, role, out);
                }
            }
        }
        self.sessions.mark(circuit, sender, marks);
    }
}

/// The header of a message, and what was kept of its data.
pub(super) fn header(head: &[u8]) -> Option<(SspMessage<'static>, &[u8])> {
    let bytes = match head.get(1) {
        Some(72) => CONTROL_HEADER_BYTES,
        _ => INFO_HEADER_BYTES,
    };
    // The header only: the stored data is read separately.
    let mut alone = [0; CONTROL_HEADER_BYTES];
    let (known, data) = head.split_at_checked(bytes)?;
    alone[..bytes].copy_from_slice(known);
    (alone[2], alone[3]) = (0, 0);
    let (message, _) = SspMessage::parse(&alone[..bytes]).ok()??;
    Some((
        SspMessage {
            data: &[],
            ..message
        },
        data,
    ))
}

/// The name and the role of a control message. Returns `None` for messages that are
/// only reported.
fn answered(kind: Kind) -> Option<(&'static str, ControlRole)> {
    Some(match kind {
        Kind::CanYouReach => ("DLSw CANUREACH", ControlRole::Requests),
        Kind::ICanReach => ("DLSw CANUREACH", ControlRole::Answers),
        Kind::XidFrame => ("DLSw XID", ControlRole::Either),
        Kind::Contact => ("DLSw CONTACT", ControlRole::Requests),
        Kind::Contacted => ("DLSw CONTACT", ControlRole::Answers),
        Kind::HaltDl => ("DLSw HALT_DL", ControlRole::Requests),
        Kind::DlHalted => ("DLSw HALT_DL", ControlRole::Answers),
        Kind::RestartDl => ("DLSw RESTART_DL", ControlRole::Requests),
        Kind::DlRestarted => ("DLSw RESTART_DL", ControlRole::Answers),
        Kind::CapExchange => ("DLSw capabilities", ControlRole::Either),
        Kind::TestCircuitRequest => ("DLSw TEST_CIRCUIT", ControlRole::Requests),
        Kind::TestCircuitResponse => ("DLSw TEST_CIRCUIT", ControlRole::Answers),
        _ => return None,
    })
}

/// True for the beginning of an SSP message: version 1, one of two headers.
pub(super) fn is_dlsw(bytes: &[u8]) -> bool {
    matches!(bytes, [0x31, 16 | 72, ..])
}

/// True for the message that two switches begin with, on any port: the long
/// header has its kind twice.
pub(crate) fn is_capabilities(bytes: &[u8]) -> bool {
    let said = |at: usize| bytes.get(at).copied().and_then(Kind::from_byte);
    // Asked of every packet: almost all differ in their first byte.
    matches!(bytes, [0x31, 72, ..]) && [said(14), said(23)] == [Some(Kind::CapExchange); 2]
}

/// Returns `true` if bytes begin with the header of a message of a known kind. This
/// is used to resynchronise.
pub(super) fn begins_message(bytes: &[u8]) -> bool {
    let kind = bytes.get(14).copied().and_then(Kind::from_byte);
    is_dlsw(bytes) && kind.is_some_and(|kind| kind.header_bytes() <= usize::from(bytes[1]))
}

/// So many bytes without a message are another protocol.
const MAX_PASSED: u64 = 1 << 20;

/// Enough for a long header, or a short one with TH, RH and a whole Attach.
const HEAD_BYTES: usize = 320;
