//! A DLSw circuit's window was used up or closed, and the sender waited for the
//! partner switch to grant another.
//!
//! The receiving switch grants messages by flow-control indications; the
//! sender's count is followed from the capabilities, or from an indication that
//! sets it to nothing. Waiting begins with the last granted message or with that
//! indication, and ends with the next one that grants.

use super::ack_delayed::side;
use super::held::Held;
use super::{About, Claim, Gap, Rule};
use crate::Marks;

/// Claims gaps in which a sender waited for a DLSw window.
pub struct DlswWindow;

static ABOUT: About = About {
    id: "dlsw.window",
    title: "a sender waited for the partner switch to grant a DLSw window",
    linux: "on the receiving switch: a larger initial window or circuit buffers, and whatever keeps \
            its own link from taking the data (a slow or busy LAN station behind it)",
    zos: "nothing on z/OS: DLSw ends at a router, and its buffers and the link behind it decide",
    limits: "Needs the exchange of capabilities or an indication that closes the window, and the \
             messages that set the circuit up. A circuit with several sessions is given to the one \
             that sent last. Whether buffers or the link behind the switch were short is not on \
             the wire.",
    literature: "RFC 1795, section 8 (adaptive pacing between switches); a receive-window stall in \
                 the terms of TAPO",
};

impl Rule for DlswWindow {
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
        let how = match held.since.marks.any(Marks::WINDOW_SPENT) {
            true => "had sent the last message of its window",
            false => "was told that its window is closed",
        };
        format!(
            "{:.1} ms: the {} {how} and waited for the switch of the {} to grant another, {:.1} ms \
             later",
            claim.cost_ns as f64 / 1e6,
            side(held.sender),
            side(held.sender.other()),
            (held.answered.time_ns - held.since.time_ns) as f64 / 1e6
        )
    }
}

fn held<'a>(gap: &Gap<'a>) -> Option<Held<'a>> {
    if gap.connection.protocol != crate::Protocol::Dlsw {
        return None;
    }
    Held::of(
        gap,
        |s, sender| match s.from == sender {
            true => s.marks.any(Marks::WINDOW_SPENT),
            false => s.marks.any(Marks::NOT_READY),
        },
        |s| s.marks.any(Marks::READY_AGAIN),
    )
}
