//! What a capture lets know of a path: its round trip and its segments' size.

use super::{Confidence, Gap, as_trusted};
use crate::{Connection, Side};

/// No more than medium where the path's round trip is not known: it may be what
/// looks like a timer; nor where the capture is in doubt.
pub(super) fn as_known(connection: &Connection, confidence: Confidence) -> Confidence {
    match knows_path(connection) {
        true => as_trusted(connection, confidence),
        false => confidence.min(Confidence::Medium),
    }
}

/// Whether the path's round trip is known: without the handshake, a path of
/// 40 ms and a delayed acknowledgement look the same.
pub(super) fn knows_path(connection: &Connection) -> bool {
    let known = |side: Side| connection.end(side).rtt.handshake_ns.is_some();
    known(Side::Client) || known(Side::Server)
}

/// Whether an end told its segment size.
pub(super) fn knows_mss(connection: &Connection) -> bool {
    connection.client.mss.is_some() || connection.server.mss.is_some()
}

/// Bytes of a full segment. Where the handshake was not captured, or its options
/// were not printed, no less than what every end must accept: a sender of short
/// messages alone would otherwise make them full.
pub(super) fn segment_bytes(gap: &Gap<'_>, sender: Side) -> u32 {
    let connection = gap.connection;
    match knows_mss(connection) {
        true => connection.segment_bytes(sender),
        false => connection.segment_bytes(sender).max(LEAST_MSS),
    }
}

/// What every end must accept (RFC 9293 3.7.1).
pub(super) const LEAST_MSS: u32 = 536;
