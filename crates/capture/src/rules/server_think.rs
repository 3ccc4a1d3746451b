//! The server worked: nothing on the wire between request and response, or
//! between two parts of a response that nothing held back.
//!
//! The time stays in its phase; the rule names it so that a table of causes
//! has a row for it. The acknowledgement of the request, where it comes by
//! itself, splits the time in two gaps, and both are named.

use super::pause::{Pause, Reason};
use super::{About, Claim, Confidence, Gap, Rule};
use crate::{Flags, Phase, Protocol};

/// Names time between request and response that nothing else explains.
pub struct ServerThink;

static ABOUT: About = About {
    id: "server.think",
    title: "the server took its time to answer",
    linux: "measure the server itself; the network has no part in this time",
    zos: "read the task's monitoring record: dispatch, CPU and wait times of the transaction",
    limits: "Told at the place of capture: taken at the client it includes one round trip, \
             which is taken off when the handshake shows how long that is. What the server \
             did, or waited for, does not show in packets. Within a response: medium from 10 ms on, \
             low below, where the protocol does not tell where an answer ends (what comes later may be news), and low between two full segments within a round trip, or where something \
             near acknowledges for the server and the time is what the opening took.",
    literature: "TAPO: data unavailable and resource constraint (head and tail of a response); \
                 T-RAT: application limited",
};

impl Rule for ServerThink {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn gap(&self, gap: &Gap<'_>) -> Option<Claim> {
        if gap.phase == Phase::Response {
            let mut claim = Pause::claim(gap, Reason::Application)?;
            if is_goodbye(gap)
                || gap.exchange.request.bytes == 0
                || is_behind_a_relay(gap)
                || !tells_its_end(gap.connection.protocol)
            {
                // Nor does it answer where nobody was heard to ask, or where what comes behind an
                // answer may be news of the server's own.
                claim.confidence = Confidence::Low;
            }
            return Some(claim);
        }
        if gap.phase != Phase::ServerThink {
            return None;
        }
        let path_ns = (gap.connection.server.rtt.handshake_ns).unwrap_or(0);
        let cost_ns = gap.length_ns() - path_ns;
        // Less than a tenth is what the path's figure may be wrong by.
        if cost_ns * 10 <= gap.length_ns() {
            return None;
        }
        let mut claim = Claim::whole(gap, Confidence::Low);
        claim.cost_ns = cost_ns;
        claim.stays = true;
        Some(claim)
    }
}

/// Whether the protocol tells where an answer ends.
fn tells_its_end(protocol: Protocol) -> bool {
    matches!(
        protocol,
        Protocol::Http1 | Protocol::Http2 | Protocol::Framed2 | Protocol::Framed4
    )
}

/// Whether the server's acknowledgements come so much sooner than its opening did that
/// something near answers for it (an address translator), and the gap is about as long as
/// that opening took: it may be the path's.
fn is_behind_a_relay(gap: &Gap<'_>) -> bool {
    let rtt = &gap.connection.server.rtt;
    let (Some(opening_ns), Some(least_ns)) = (rtt.handshake_ns, rtt.min_ns) else {
        return false;
    };
    least_ns * 8 <= opening_ns && gap.length_ns() * 4 < opening_ns * 5
}

/// Whether what ended the gap is a short last word: its end closes right behind it.
fn is_goodbye(gap: &Gap<'_>) -> bool {
    let after = gap.after();
    (gap.later().iter())
        .find(|s| s.from == after.from && s.flags.has(Flags::FIN))
        .is_some_and(|fin| fin.end_seq().wrapping_sub(after.seq) <= GOODBYE_BYTES)
}

/// An alert of TLS behind a frame that says goodbye is no longer, the FIN included.
const GOODBYE_BYTES: u32 = 130;
