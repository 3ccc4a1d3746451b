//! Time that no kind explains: its own slice.
//!
//! It is last in the table, so it claims all remaining time. It has no remedy: a
//! capture at another place may explain it.

use super::{DelayOwner, EvidenceDetector, EvidenceKind, ExchangeWait, Reason, WaitClaim};
use crate::verdict::{SliceDescription, SliceFacts, ms};

pub(super) struct UnexplainedWait;

impl EvidenceDetector for UnexplainedWait {
    fn kind(&self) -> EvidenceKind {
        EvidenceKind::Unexplained
    }

    fn claim(&self, wait: &ExchangeWait<'_>) -> Option<WaitClaim> {
        Some(WaitClaim::whole(
            wait,
            Reason::Unexplained,
            DelayOwner::Unknown,
        ))
    }

    fn describe(&self, facts: &SliceFacts<'_>) -> SliceDescription {
        let share = facts.lost_ns as f64 * 100.0 / facts.total_ns.max(1) as f64;
        SliceDescription {
            sentence: format!(
                "{} of {} ms ({share:.0} %) are waits that this capture does not explain.",
                ms(facts.lost_ns),
                ms(facts.total_ns)
            ),
            seen: format!("{} waits{}", facts.waits(), facts.at_packets()),
            alternatives: "Losses, windows and programs at the far end are possible; a capture at \
                           the other end, of both directions, from before the connection begins and \
                           with whole packets, may show which."
                .to_owned(),
            remedy: None,
        }
    }
}
