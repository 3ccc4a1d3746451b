//! The client had nothing to ask, or took its time to write a request.

use super::pause::{Pause, Reason};
use super::reset::FAREWELL_BYTES;
use super::{About, Claim, Confidence, Gap, Rule};
use crate::{Flags, Phase, Protocol};

/// Names time between exchanges, and pauses of the client within a request.
pub struct ClientThink;

static ABOUT: About = About {
    id: "client.think",
    title: "the client took its time before it asked",
    linux: "nothing to change on the network; a load generator's think time looks like this",
    zos: "nothing to change on the network; a terminal user's think time looks like this",
    limits: "Between exchanges it is no part of any response time. Within a request it means that \
             all that was written had been acknowledged. Silent where what came behind the pause is a \
             short goodbye: the end closes behind it and nothing is answered.",
    literature: "T-RAT: application limited; Siekkinen 2008: application limited periods",
};

impl Rule for ClientThink {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn gap(&self, gap: &Gap<'_>) -> Option<Claim> {
        if gap.phase == Phase::Request {
            return match is_goodbye(gap) {
                true => None,
                false => Pause::claim(gap, Reason::Application).map(|claim| as_client(gap, claim)),
            };
        }
        if gap.phase != Phase::ClientThink {
            return None;
        }
        let mut claim = Claim::whole(gap, Confidence::Low);
        claim.stays = true;
        Some(claim)
    }
}

/// No surer than the ends' parts are: without the opening and a protocol that tells, only the
/// ports say which end asks.
fn as_client(gap: &Gap<'_>, mut claim: Claim) -> Claim {
    let shake = &gap.connection.handshake;
    if shake.syns + shake.syn_acks == 0 && gap.connection.protocol == Protocol::Turns {
        claim.confidence = Confidence::Low;
    }
    claim
}

/// Whether the end that ends the gap says a few bytes, closes, and has no answer: an alert of
/// TLS, an unbind, a QUIT.
fn is_goodbye(gap: &Gap<'_>) -> bool {
    let from = gap.after().from;
    let mut bytes = 0;
    for s in gap.later() {
        match s.from == from {
            false if s.len > 0 => return false,
            false => {}
            true => {
                bytes += u64::from(s.len);
                if s.flags.any(Flags::FIN | Flags::RST) {
                    return bytes <= FAREWELL_BYTES;
                }
            }
        }
    }
    false
}
