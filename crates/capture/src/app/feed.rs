//! The loop that feeds every protocol's parser.
//!
//! A parser uses the bytes of a direction piece by piece, as it likes, and
//! steps over bytes that were not captured, or reports that it cannot.

use super::{ExchangeAssembler, PacketStamp};
use crate::stream::StreamChunk;
use crate::{Connection, ConnectionSide};

/// The context of fed bytes: their sender, their packet, and the receiver of findings.
#[derive(Debug)]
pub(super) struct FeedContext<'a> {
    pub(super) connection: &'a mut Connection,
    pub(super) side: ConnectionSide,
    /// 1 for the second TCP connection of a link, otherwise 0.
    pub(super) via: usize,
    pub(super) stamp: PacketStamp,
    pub(super) out: &'a mut ExchangeAssembler,
}

/// The result of parsing a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ParseStep {
    /// It used so many, at least one.
    Used(usize),
    /// It consumed this many bytes; the rest is not this protocol.
    Leave(usize),
}

/// A protocol's parser: the state of both directions of a connection.
pub(super) trait ProtocolParser {
    /// Parses the beginning of `bytes`, which is not empty.
    fn step(&mut self, at: &mut FeedContext<'_>, bytes: &[u8]) -> ParseStep;

    /// Steps over bytes that were not captured. Returns `false` if it is out of
    /// step after them.
    fn miss(&mut self, at: &mut FeedContext<'_>, missing: u64) -> bool;
}

/// Feeds a chunk; returns the bytes that were left over when the parser left.
#[inline]
pub(super) fn feed(
    parser: &mut impl ProtocolParser,
    at: &mut FeedContext<'_>,
    chunk: StreamChunk<'_>,
) -> Option<u64> {
    let missing = u64::from(chunk.missing);
    let mut bytes = chunk.bytes;
    while !bytes.is_empty() {
        match parser.step(at, bytes) {
            ParseStep::Used(used) => bytes = &bytes[used..],
            ParseStep::Leave(used) => return Some((bytes.len() - used) as u64 + missing),
        }
    }
    (missing > 0 && !parser.miss(at, missing)).then_some(missing)
}
