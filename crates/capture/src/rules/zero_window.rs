//! The receiver's window was closed: its program did not read.

use super::ack_delayed::side;
use super::pause::{Pause, Reason};
use super::{About, Claim, Gap, Rule};

/// Claims pauses against a window of zero.
pub struct ZeroWindow;

static ABOUT: About = About {
    id: "tcp.window.zero",
    title: "the receiver's window was closed",
    linux: "the receiving program does not read: see what it does then (`ss -tmi` shows Recv-Q); \
            a larger buffer only moves the moment",
    zos: "the receiving task does not read: NETSTAT ALL shows its receive queue; look at the \
          task's waits and its dispatching priority (WLM), not at TCPRCVBUFRSIZE first",
    limits: "A window of zero is the receiver's own word. Why its program did not read is not on \
             the wire.",
    literature: "RFC 9293 3.8.6; TAPO: zero-window stall; Siekkinen 2008: receiver application \
                 limited",
};

impl Rule for ZeroWindow {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn gap(&self, gap: &Gap<'_>) -> Option<Claim> {
        Pause::claim(gap, Reason::ZeroWindow)
    }

    fn sentence(&self, gap: &Gap<'_>, claim: &Claim) -> String {
        let Some(pause) = Pause::of(gap) else {
            return ABOUT.title.to_owned();
        };
        format!(
            "{:.1} ms: the {} announced a window of zero and the {} waited",
            claim.cost_ns as f64 / 1e6,
            side(pause.sender.other()),
            side(pause.sender)
        )
    }
}
