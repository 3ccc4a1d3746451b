//! Data was sent again that had not been lost.
//!
//! The sender's timer was shorter than the path's delay, or an acknowledgement
//! was late. The receiver proves it by a DSACK, or the capture shows the
//! acknowledgement on its way.

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
             between them. Without either, an unnecessary retransmission looks like a loss.",
    literature: "RFC 2883 (DSACK), RFC 3522 and 5682 (F-RTO); TAPO: packet delay and ACK delay",
};

impl Rule for Spurious {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn gap(&self, gap: &Gap<'_>) -> Option<Claim> {
        let after = gap.after();
        if after.len == 0 || !after.marks.any(Marks::RESENT) || after.flags.has(Flags::SYN) {
            return None;
        }
        let marked = after
            .marks
            .any(Marks::SPURIOUS_RETRANSMISSION | Marks::PROVEN_SPURIOUS);
        if outside_messages(gap) && was_answered(gap, after) {
            return None;
        }
        let end = after.end_seq();
        let told = gap.later().iter().take(LOOK_AHEAD).find(|s| {
            s.from != after.from && s.marks.any(Marks::DSACK) && s.ack.wrapping_sub(end) < 1 << 31
        });
        let proven = after.marks.any(Marks::PROVEN_SPURIOUS);
        let first = gap
            .first_copy(after)
            .is_some_and(|first| first.may_repeat(after));
        if !marked || (!proven && !first) {
            // A packet recorded behind its own acknowledgement is no copy.
            return None;
        }
        let mut claim = Claim::whole(gap, Confidence::High);
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

/// Packets after the second copy among which its DSACK is looked for.
const LOOK_AHEAD: usize = 24;
