//! The sender kept to a constant amount of bytes below the receiver's window: a
//! send buffer, or an application that waits for room.

use super::ack_delayed::side;
use super::pause::{Pause, Reason};
use super::{About, Claim, Gap, Rule};

/// Claims round trips between bursts that do not grow.
pub struct SenderLimited;

static ABOUT: About = About {
    id: "tcp.sender.limited",
    title: "the sender kept less under way than the receiver's window allows",
    linux: "raise SO_SNDBUF, or leave it unset so that net.ipv4.tcp_wmem lets it grow; \
            net.core.wmem_max caps what a program may ask for",
    zos: "TCPCONFIG TCPSENDBFRSIZE (and TCPMAXSENDBUFRSIZE), or SO_SNDBUF in the program",
    limits: "Bursts of one size, each a round trip after the other, below the window and without \
             a loss. A program that writes in such pieces and waits, a send buffer and a capped \
             congestion window look the same, so it is never high, and medium only where each of the last bursts \
             took hardly more than a round trip.",
    literature: "T-RAT: sender window limited; Siekkinen 2008: transport limited",
};

impl Rule for SenderLimited {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn gap(&self, gap: &Gap<'_>) -> Option<Claim> {
        Pause::claim(gap, Reason::SenderLimited)
    }

    fn sentence(&self, gap: &Gap<'_>, claim: &Claim) -> String {
        let Some(pause) = Pause::of(gap) else {
            return ABOUT.title.to_owned();
        };
        format!(
            "{:.1} ms: the {} waited for an acknowledgement with {} bytes under way; the window \
             allowed {}",
            claim.cost_ns as f64 / 1e6,
            side(pause.sender),
            pause.flight.max(pause.bursts.0),
            pause.window
        )
    }
}
