//! Data was sent again that had not been lost.
//!
//! The sender's timer was shorter than the path's delay, or an acknowledgement
//! was late. The receiver proves it by a DSACK, or the capture shows the
//! acknowledgement on its way. A needless copy by itself costs nobody anything:
//! claimed is the time in which the sender stood still for an acknowledgement
//! that did not come, and had more to send.

use super::ack_delayed::side;
use super::{About, Claim, Confidence, Evidence, Gap, Rule};
use crate::{Flags, Marks, Phase, Segment};

/// Claims gaps that ended with an unnecessary retransmission.
pub struct Spurious;

static ABOUT: About = About {
    id: "tcp.retransmit.spurious",
    title: "data was sent again that had not been lost",
    linux: "find what delayed the packets or their acknowledgements; raise the floor of the timer \
            (`ip route change … rto_min`) where it was lowered; keep timestamps and SACK on",
    zos: "raise MINIMUMRETRANSMITTIME on the ROUTE (BEGINROUTES) where it was lowered; NODELAYACKS \
          on the receiver when its timer is the delay",
    limits: "Needs the receiver's DSACK, or both copies in the capture and the acknowledgement \
             between them. Without either, an unnecessary retransmission looks like a loss. Told \
             where it cost something: high when the message went on behind the copy, medium when \
             it was the message's end and the acknowledgement came too early for the copy's. A \
             copy sent while nothing was waited for is not named.",
    literature: "RFC 2883 (DSACK), RFC 3522 and 5682 (F-RTO); TAPO: packet delay and ACK delay",
};

impl Rule for Spurious {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn gap(&self, gap: &Gap<'_>) -> Option<Claim> {
        let after = gap.after();
        if after.flags.has(Flags::SYN) || !is_needless(gap, after) {
            return None;
        }
        if gap.exchange.sender(gap.phase) != Some(after.from) {
            // No message of this sender was under way: nobody waited.
            return None;
        }
        let end = after.end_seq();
        let covers = |s: &&Segment| s.from != after.from && s.ack.wrapping_sub(end) < 1 << 31;
        let told = (gap.later().iter().take(LOOK_AHEAD))
            .find(|s| covers(s) && s.marks.any(Marks::DSACK));
        let path_ns = gap.connection.rtt_ns().unwrap_or(0);
        if gap.earlier().iter().rev().take(LOOK_AHEAD).any(|s| covers(&s)) {
            // Seen away from the sender, on its way there: it came in time.
            return None;
        }
        let goes_on = (gap.later().iter().take(LOOK_AHEAD)).any(|s| {
            s.from == after.from
                && s.is_new_data()
                && s.time_ns - after.time_ns <= path_ns * 3 / 2 + TURN_NS
        });
        let confidence = match goes_on {
            true => Confidence::High,
            false => {
                // What the copy's own answer tells is that the first one had
                // arrived, not that anybody waited.
                let first = gap.later().iter().find(covers)?;
                let early = (first.time_ns - after.time_ns) * 5 < path_ns * 4;
                if !early || first.marks.any(Marks::DSACK) {
                    return None;
                }
                Confidence::Medium
            }
        };
        let mut claim = Claim::whole(gap, confidence);
        claim.evidence = Evidence::of(&[gap.before().packet, after.packet]);
        if let Some(told) = told {
            claim.evidence.push(told.packet);
        }
        Some(claim)
    }

    fn sentence(&self, gap: &Gap<'_>, claim: &Claim) -> String {
        format!(
            "{:.1} ms: the {} sent packet {} again though the first copy had arrived",
            claim.cost_ns as f64 / 1e6,
            side(gap.after().from),
            gap.after().packet
        )
    }
}

/// Whether the segment repeats what had arrived: by the receiver's DSACK, or by
/// an acknowledgement that the capture has, and by the bytes of both.
pub(super) fn is_needless(gap: &Gap<'_>, copy: &Segment) -> bool {
    if copy.len == 0 || !copy.marks.any(Marks::RESENT) {
        return false;
    }
    let proven = copy.marks.any(Marks::PROVEN_SPURIOUS);
    let marked = proven || copy.marks.any(Marks::SPURIOUS_RETRANSMISSION);
    let first = || gap.first_copy(copy).is_some_and(|s| s.may_repeat(copy));
    // A packet recorded behind its own acknowledgement is no copy.
    marked && (proven || first())
}

/// Whether the gap lies where no message was under way: a copy that was not
/// needed then ended nobody's wait.
pub(super) fn outside_messages(gap: &Gap<'_>) -> bool {
    matches!(gap.phase, Phase::ServerThink | Phase::ClientThink)
}

/// Whether the first acknowledgement of this copy is its own answer: then what
/// it repeats had arrived long before.
pub(super) fn was_answered(gap: &Gap<'_>, copy: &Segment) -> bool {
    copy.marks.any(Marks::PROVEN_SPURIOUS)
        && (gap.later().iter())
            .find(|s| s.from != copy.from && s.ack.wrapping_sub(copy.end_seq()) < 1 << 31)
            .is_some_and(|ack| copy.answered_by(ack, gap.connection))
}

/// What a sender takes to go on, at most, beside the path.
const TURN_NS: i64 = 5_000_000;

/// Packets after the second copy among which its DSACK is looked for.
const LOOK_AHEAD: usize = 24;
