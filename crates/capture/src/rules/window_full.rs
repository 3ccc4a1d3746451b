//! The receiver's window was full: the sender had used up what it may have
//! under way.

use super::ack_delayed::side;
use super::pause::{Pause, Reason};
use super::{About, Claim, Gap, Rule};

/// Claims pauses with less than a segment of room in the receiver's window.
pub struct WindowFull;

static ABOUT: About = About {
    id: "tcp.window.full",
    title: "the receiver's window was full",
    linux: "raise net.ipv4.tcp_rmem (its maximum) on the receiver and leave SO_RCVBUF unset; \
            check that window scaling is on (net.ipv4.tcp_window_scaling)",
    zos: "TCPCONFIG TCPRCVBUFRSIZE on the receiver (16K by default before V2R1, 64K since), and \
          TCPMAXRCVBUFRSIZE (256K) where the program asks for more; above 65,535 bytes the \
          connection uses window scaling",
    limits: "Less than one segment of room was left, so the window is what stopped the sender \
             then. High when it filled three times. A pause \
             must stand out from its train. Without the handshake the window's scale is unknown and \
             this rule is silent.",
    literature: "T-RAT: receiver window limited; Siekkinen 2008: receiver limited; TAPO: \
                 receive-window stall",
};

impl Rule for WindowFull {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn gap(&self, gap: &Gap<'_>) -> Option<Claim> {
        Pause::claim(gap, Reason::WindowFull)
    }

    fn sentence(&self, gap: &Gap<'_>, claim: &Claim) -> String {
        let Some(pause) = Pause::of(gap) else {
            return ABOUT.title.to_owned();
        };
        format!(
            "{:.1} ms: the {} had {} bytes under way, and the {}'s window was {}",
            claim.cost_ns as f64 / 1e6,
            side(pause.sender),
            pause.flight,
            side(pause.sender.other()),
            pause.window
        )
    }
}
