//! Nagle's algorithm held a short segment for a round trip.
//!
//! The trap is a transfer limited by the receiver's window, which also ends in
//! short segments: here the bytes in flight and the short segment together
//! must fit the window, and the congestion window must have been larger before.

use super::ack_delayed::side;
use super::known::as_known;
use super::pause::{Pause, Reason};
use super::{About, Claim, Confidence, Gap, Rule};
use crate::{Connection, Side};

/// Claims pauses in which a short segment waited for an acknowledgement in time.
pub struct Nagle;

static ABOUT: About = About {
    id: "tcp.nagle",
    title: "a short segment waited for an acknowledgement (Nagle's algorithm)",
    linux: "set TCP_NODELAY on the sender's socket, or write the message in one piece (writev, \
            TCP_CORK)",
    zos: "the sending program sets TCP_NODELAY (SETSOCKOPT; EZASOKET has it too) or sends the \
          message in one piece; TCPCONFIG NONAGLE turns the algorithm off for the whole stack (in \
          the references from V2R3 on, not in V2R1's)",
    limits: "Shows as a short segment that follows the acknowledgement of all before by one round \
             trip to the sender, while the window had room. Once or twice is low confidence, from \
             three times on medium, from six high. Silent for a sender that ever sends a short \
             segment behind one that is not acknowledged, that pauses as long of its own accord, \
             or that repairs a loss.",
    literature: "RFC 896; RFC 9293 3.7.4; Minshall et al. 1999; Mogul and Minshall 2001 \
                 (\"Rethinking the TCP Nagle algorithm\"); T-RAT: application limited",
};

impl Rule for Nagle {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn gap(&self, gap: &Gap<'_>) -> Option<Claim> {
        Pause::claim(gap, Reason::Nagle)
    }

    fn last_word(&self, connection: &Connection, sender: Side) -> Option<Confidence> {
        let held = connection.end(sender).pacing.held_short()?;
        let held = as_known(connection, held);
        let rtt = |side: Side| connection.end(side).rtt.best_ns().unwrap_or(0);
        // Away from the sender, an application whose clock is the round trip
        // looks the same.
        Some(match rtt(sender) > rtt(sender.other()) {
            true => held.min(Confidence::Medium),
            false => held,
        })
    }

    fn sentence(&self, gap: &Gap<'_>, claim: &Claim) -> String {
        let Some(pause) = Pause::of(gap) else {
            return ABOUT.title.to_owned();
        };
        format!(
            "{:.1} ms: the {} held {} bytes back until {} bytes under way were acknowledged, \
             though the window had room for {}",
            claim.cost_ns as f64 / 1e6,
            side(pause.sender),
            pause.held,
            pause.flight,
            pause.window
        )
    }
}
