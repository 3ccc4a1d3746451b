//! A station said that it is not ready to receive, and the sender waited.
//!
//! RNR stops numbered frames until RR or REJ lets them flow again; meanwhile
//! the sender may ask now and then. Waiting begins with the first RNR.

use super::ack_delayed::side;
use super::held::Held;
use super::{About, Claim, Gap, Rule};
use crate::Marks;

/// Claims gaps in which a sender waited for a station to become ready.
pub struct LlcNotReady;

static ABOUT: About = About {
    id: "llc.not-ready",
    title: "a station was not ready to receive (RNR)",
    linux: "on the station that said RNR: more link buffers, or a program that takes data sooner; \
            a smaller window of the sender (maximum out) only spreads the wait",
    zos: "VTAM or NCP that says RNR is short of buffers: IOBUF and LFBUF storage, MAXBFRU on the \
          channel, NCP buffers (BFRS, and SLODOWN); a station that says it: its own buffers",
    limits: "Needs the RNR, the RR or REJ that ends it, and data at once behind it. What the station \
             was short of is not on the wire.",
    literature: "ISO/IEC 8802-2, section 7.5 (station busy); a receive-window stall in the terms of \
                 TAPO",
};

impl Rule for LlcNotReady {
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
            "{:.1} ms: the {} was not ready (RNR) and let the {} send on {:.1} ms later",
            claim.cost_ns as f64 / 1e6,
            side(held.sender.other()),
            side(held.sender),
            (held.answered.time_ns - held.since.time_ns) as f64 / 1e6
        )
    }
}

fn held<'a>(gap: &Gap<'a>) -> Option<Held<'a>> {
    if gap.connection.protocol != crate::Protocol::Sna {
        return None;
    }
    Held::of(
        gap,
        |s, sender| s.from != sender && s.marks.any(Marks::NOT_READY),
        |s| s.marks.any(Marks::READY_AGAIN),
    )
}
