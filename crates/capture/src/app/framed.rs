//! Messages with a length in front.
//!
//! A big-endian length of two or four bytes, which counts itself or does
//! not. Exchanges are turns between messages; each message is counted, so
//! that one written in pieces can be distinguished from several.

use super::feed::{FeedContext, ParseStep, ProtocolParser};
use crate::AppProtocol;
use crate::stream::StreamChunk;

/// Both directions of a connection.
#[derive(Debug)]
pub(super) struct FramedParser {
    prefix: LengthPrefix,
    /// The length counts itself; not known before the first message.
    inclusive: Option<bool>,
    directions: [FramedDirection; 2],
}

/// The length prefix of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LengthPrefix {
    /// Two bytes of length.
    Two,
    /// Four bytes of length.
    Four,
}

#[derive(Debug, Default)]
struct FramedDirection {
    /// The prefix, as far as received.
    head: [u8; 4],
    have: usize,
    /// Remaining bytes of the message.
    left: u64,
}

impl LengthPrefix {
    fn bytes(self) -> usize {
        match self {
            LengthPrefix::Two => 2,
            LengthPrefix::Four => 4,
        }
    }

    /// The number in a whole prefix.
    fn number(self, head: [u8; 4]) -> u64 {
        match self {
            LengthPrefix::Two => u16::from_be_bytes([head[0], head[1]]) as u64,
            LengthPrefix::Four => u32::from_be_bytes(head) as u64,
        }
    }
}

impl FramedParser {
    /// A connection before its first message.
    pub(super) fn new(prefix: LengthPrefix) -> FramedParser {
        FramedParser {
            prefix,
            inclusive: None,
            directions: Default::default(),
        }
    }

    /// Its name.
    pub(super) fn protocol(&self) -> AppProtocol {
        match self.prefix {
            LengthPrefix::Two => AppProtocol::Framed2,
            LengthPrefix::Four => AppProtocol::Framed4,
        }
    }

    /// The number of bytes after a prefix. Returns `None` if it is implausible.
    /// `whole` is the number of bytes received with it, to decide whether the
    /// first length includes itself.
    fn rest(&mut self, head: [u8; 4], whole: u64) -> Option<u64> {
        let number = self.prefix.number(head);
        let prefix = self.prefix.bytes() as u64;
        let inclusive = *self.inclusive.get_or_insert(number == whole);
        let left = if inclusive {
            number.checked_sub(prefix)?
        } else {
            number
        };
        (left <= MAX_MESSAGE_BYTES).then_some(left)
    }
}

impl ProtocolParser for FramedParser {
    fn step(&mut self, at: &mut FeedContext<'_>, bytes: &[u8]) -> ParseStep {
        let prefix = self.prefix.bytes();
        let direction = &mut self.directions[at.side.index()];
        if direction.left > 0 {
            let used = direction.left.min(bytes.len() as u64);
            direction.pass(used, at);
            return ParseStep::Used(used as usize);
        }
        let whole = (direction.have + bytes.len()) as u64;
        let take = (prefix - direction.have).min(bytes.len());
        direction.head[direction.have..][..take].copy_from_slice(&bytes[..take]);
        direction.have += take;
        if direction.have == prefix {
            direction.have = 0;
            let head = direction.head;
            let Some(left) = self.rest(head, whole) else {
                return ParseStep::Leave(0);
            };
            // The prefix is passed as the message's first bytes.
            let direction = &mut self.directions[at.side.index()];
            direction.left = left + take as u64;
            direction.pass(take as u64, at);
        } else {
            at.out.turn(at.side, take as u64, at.stamp);
        }
        ParseStep::Used(take)
    }

    fn miss(&mut self, at: &mut FeedContext<'_>, missing: u64) -> bool {
        let direction = &mut self.directions[at.side.index()];
        let known = missing <= direction.left;
        if known {
            direction.pass(missing, at);
        }
        known
    }
}

impl FramedDirection {
    /// Passes bytes of the message, and counts it at its end.
    fn pass(&mut self, bytes: u64, at: &mut FeedContext<'_>) {
        at.out.turn(at.side, bytes, at.stamp);
        self.left -= bytes;
        if self.left == 0 {
            at.out.count_message(at.side);
        }
    }
}

/// The client's first turn: does it begin with its own length?
#[derive(Debug, Default)]
pub(super) struct PrefixProbe {
    head: [u8; 4],
    have: usize,
    total: u64,
}

impl PrefixProbe {
    /// Takes bytes of the turn.
    pub(super) fn feed(&mut self, chunk: StreamChunk<'_>) {
        let take = (4 - self.have).min(chunk.bytes.len());
        self.head[self.have..][..take].copy_from_slice(&chunk.bytes[..take]);
        self.have += take;
        self.total += chunk.bytes.len() as u64 + chunk.missing as u64;
    }

    /// The framing, when the turn was exactly one message of it.
    pub(super) fn framing(&self) -> Option<FramedParser> {
        if self.have < 4 {
            return None;
        }
        for prefix in [LengthPrefix::Four, LengthPrefix::Two] {
            let number = prefix.number(self.head);
            let inclusive = number == self.total;
            if inclusive || number == self.total - prefix.bytes() as u64 {
                let mut framed = FramedParser::new(prefix);
                framed.inclusive = Some(inclusive);
                return Some(framed);
            }
        }
        None
    }
}

/// A message longer than this is not believed.
const MAX_MESSAGE_BYTES: u64 = 64 << 20;
