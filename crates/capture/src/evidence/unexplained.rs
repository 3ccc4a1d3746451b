//! Time that no kind explains: a slice of its own.
//!
//! It stands last in the table, so it claims what every other kind left. It
//! has no remedy: a capture at another place may explain it.

use super::{Claim, Evidence, EvidenceKind, Owner, Reason, Wait};
use crate::verdict::{Description, SliceFacts, ms};

pub(super) struct Unexplained;

impl Evidence for Unexplained {
    fn kind(&self) -> EvidenceKind {
        EvidenceKind::Unexplained
    }

    fn claim(&self, wait: &Wait<'_>) -> Option<Claim> {
        Some(Claim::whole(wait, Reason::Unexplained, Owner::Unknown))
    }

    fn describe(&self, facts: &SliceFacts<'_>) -> Description {
        let share = facts.lost_ns as f64 * 100.0 / facts.total_ns.max(1) as f64;
        Description {
            sentence: format!(
                "{} of {} ms ({share:.0} %) are waits that this capture does not explain.",
                ms(facts.lost_ns),
                ms(facts.total_ns)
            ),
            seen: format!("{} waits{}", facts.waits(), facts.at_packets()),
            alternatives: "Losses, windows and programs at the far end are possible; a capture at \
                           the other end, from before the connection begins and with whole packets, \
                           may show which."
                .to_owned(),
            remedy: None,
        }
    }
}
