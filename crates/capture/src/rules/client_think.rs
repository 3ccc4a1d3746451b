//! The client had nothing to ask, or took its time to write a request.

use super::pause::{Pause, Reason};
use super::{About, Claim, Confidence, Gap, Rule};
use crate::Phase;

/// Names time between exchanges, and pauses of the client within a request.
pub struct ClientThink;

static ABOUT: About = About {
    id: "client.think",
    title: "the client took its time before it asked",
    linux: "nothing to change on the network; a load generator's think time looks like this",
    zos: "nothing to change on the network; a terminal user's think time looks like this",
    limits: "Between exchanges it is no part of any response time. Within a request it means that \
             all that was written had been acknowledged.",
    literature: "T-RAT: application limited; Siekkinen 2008: application limited periods",
};

impl Rule for ClientThink {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn gap(&self, gap: &Gap<'_>) -> Option<Claim> {
        if gap.phase == Phase::Request {
            return Pause::claim(gap, Reason::Application);
        }
        if gap.phase != Phase::ClientThink {
            return None;
        }
        let mut claim = Claim::whole(gap, Confidence::Low);
        claim.stays = true;
        Some(claim)
    }
}
