//! Messages with a length in front.
//!
//! A big-endian length of two or four bytes, which counts itself or does
//! not. Exchanges are turns between messages; each message is counted, so
//! that one written in pieces can be distinguished from several.

use super::feed::{At, Parse, Step};
use crate::Protocol;
use crate::stream::Chunk;

/// Both directions of a connection.
#[derive(Debug)]
pub(super) struct Framed {
    prefix: Prefix,
    /// The length counts itself; not known before the first message.
    inclusive: Option<bool>,
    directions: [Direction; 2],
}

/// What stands in front of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Prefix {
    /// Two bytes of length.
    Two,
    /// Four bytes of length.
    Four,
}

#[derive(Debug, Default)]
struct Direction {
    /// The prefix, as far as it came.
    head: [u8; 4],
    have: usize,
    /// Bytes of the message to come.
    left: u64,
}

impl Prefix {
    fn bytes(self) -> usize {
        match self {
            Prefix::Two => 2,
            Prefix::Four => 4,
        }
    }

    /// The number in a whole prefix.
    fn number(self, head: [u8; 4]) -> u64 {
        match self {
            Prefix::Two => u16::from_be_bytes([head[0], head[1]]) as u64,
            Prefix::Four => u32::from_be_bytes(head) as u64,
        }
    }
}

impl Framed {
    /// A connection on which the first message is still to come.
    pub(super) fn new(prefix: Prefix) -> Framed {
        Framed {
            prefix,
            inclusive: None,
            directions: Default::default(),
        }
    }

    /// Its name.
    pub(super) fn protocol(&self) -> Protocol {
        match self.prefix {
            Prefix::Two => Protocol::Framed2,
            Prefix::Four => Protocol::Framed4,
        }
    }

    /// Bytes that follow a prefix; none when it makes no sense. `whole` is
    /// what came with it, to find out whether a first length counts itself.
    fn rest(&mut self, head: [u8; 4], whole: u64) -> Option<u64> {
        let number = self.prefix.number(head);
        let prefix = self.prefix.bytes() as u64;
        let inclusive = *self.inclusive.get_or_insert(number == whole);
        let left = match inclusive {
            true => number.checked_sub(prefix)?,
            false => number,
        };
        (left <= MAX_MESSAGE_BYTES).then_some(left)
    }
}

impl Parse for Framed {
    fn step(&mut self, at: &mut At<'_>, bytes: &[u8]) -> Step {
        let prefix = self.prefix.bytes();
        let direction = &mut self.directions[at.side.index()];
        if direction.left > 0 {
            let used = direction.left.min(bytes.len() as u64);
            direction.pass(used, at);
            return Step::Used(used as usize);
        }
        let whole = (direction.have + bytes.len()) as u64;
        let take = (prefix - direction.have).min(bytes.len());
        direction.head[direction.have..][..take].copy_from_slice(&bytes[..take]);
        direction.have += take;
        if direction.have == prefix {
            direction.have = 0;
            let head = direction.head;
            let Some(left) = self.rest(head, whole) else {
                return Step::Leave(0);
            };
            // The prefix is passed as the message's first bytes.
            let direction = &mut self.directions[at.side.index()];
            direction.left = left + take as u64;
            direction.pass(take as u64, at);
        } else {
            at.out.turn(at.side, take as u64, at.stamp);
        }
        Step::Used(take)
    }

    fn miss(&mut self, at: &mut At<'_>, missing: u64) -> bool {
        let direction = &mut self.directions[at.side.index()];
        let known = missing <= direction.left;
        if known {
            direction.pass(missing, at);
        }
        known
    }
}

impl Direction {
    /// Passes bytes of the message, and counts it at its end.
    fn pass(&mut self, bytes: u64, at: &mut At<'_>) {
        at.out.turn(at.side, bytes, at.stamp);
        self.left -= bytes;
        if self.left == 0 {
            at.out.count_message(at.side);
        }
    }
}

/// The client's first turn: does it begin with its own length?
#[derive(Debug, Default)]
pub(super) struct Sniff {
    head: [u8; 4],
    have: usize,
    total: u64,
}

impl Sniff {
    /// Takes bytes of the turn.
    pub(super) fn feed(&mut self, chunk: Chunk<'_>) {
        let take = (4 - self.have).min(chunk.bytes.len());
        self.head[self.have..][..take].copy_from_slice(&chunk.bytes[..take]);
        self.have += take;
        self.total += chunk.bytes.len() as u64 + chunk.missing as u64;
    }

    /// The framing, when the turn was exactly one message of it.
    pub(super) fn framing(&self) -> Option<Framed> {
        if self.have < 4 {
            return None;
        }
        for prefix in [Prefix::Four, Prefix::Two] {
            let number = prefix.number(self.head);
            let inclusive = number == self.total;
            if inclusive || number == self.total - prefix.bytes() as u64 {
                let mut framed = Framed::new(prefix);
                framed.inclusive = Some(inclusive);
                return Some(framed);
            }
        }
        None
    }
}

/// A message longer than this is not believed.
const MAX_MESSAGE_BYTES: u64 = 64 << 20;
