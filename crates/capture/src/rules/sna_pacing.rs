//! An SNA sender had used up its pacing window and waited for the next one.
//!
//! The first unit of a window asks for the next window; when the answer is
//! late, the sender stops after the last unit it may send. Three facts show
//! it: a pacing request without its response, silence of the sender in that
//! session, and data that follows the response at once.

use super::ack_delayed::side;
use super::held::Held;
use super::{About, Claim, Gap, Rule};
use crate::Marks;

/// Claims gaps in which a sender waited for a pacing response.
pub struct SnaPacing;

static ABOUT: About = About {
    id: "sna.pacing",
    title: "an SNA sender waited for a pacing response",
    linux: "on the receiver's mode: a larger receive pacing window (adaptive pacing where the \
            stack has it), larger RUs, or a program that receives sooner",
    zos: "MODEENT (or APPL): adaptive pacing, or SSNDPAC, SRCVPAC and PSNDPAC raised; on the APPL \
          VPACING for what it receives; VTAM IOBUF storage for the larger window",
    limits: "Needs the pacing request, the response and the data that follows it at once. Sessions \
             of one link are told apart; what other sessions send during the wait does not hide \
             it. Whether the receiver's \
             program or its storage held the response back is not on the wire.",
    literature: "IBM SNA Formats (GA27-3136) and LU 6.2 Peer Protocols (SC31-6808): session-level \
                 pacing; a receive-window stall in the terms of TAPO",
};

impl Rule for SnaPacing {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn gap(&self, gap: &Gap<'_>) -> Option<Claim> {
        Some(held(gap)?.claim(gap))
    }

    fn sentence(&self, gap: &Gap<'_>, claim: &Claim) -> String {
        let Some(held) = held(gap) else {
            return ABOUT.title.to_owned();
        };
        format!(
            "{:.1} ms: the {} had sent {} units of its window and waited for the {}'s pacing \
             response, {:.1} ms after its request",
            claim.cost_ns as f64 / 1e6,
            side(held.sender),
            held.units,
            side(held.sender.other()),
            (held.answered.time_ns - held.since.time_ns) as f64 / 1e6
        )
    }
}

fn held<'a>(gap: &Gap<'a>) -> Option<Held<'a>> {
    Held::of(
        gap,
        |s, sender| s.from == sender && s.len > 0 && s.marks.any(Marks::PACING_REQUEST),
        |s| s.marks.any(Marks::PACING_RESPONSE),
    )
}
