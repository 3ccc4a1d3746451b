//! Write, write, read: Nagle's algorithm on one side, a delayed acknowledgement
//! on the other.
//!
//! The first write goes out, the second is short and waits for its
//! acknowledgement, the receiver has half a message and delays it. Neither
//! side is wrong by itself; together each message costs the receiver's timer.

use super::ack_delayed::{side, timer};
use super::known::as_known;
use super::pause::{Pause, Reason};
use super::{About, Claim, Confidence, Gap, Rule};
use crate::{Connection, Side};

/// Claims pauses that Nagle's algorithm and a delayed acknowledgement made together.
pub struct WriteWriteRead;

static ABOUT: About = About {
    id: "tcp.nagle.write-write-read",
    title: "two writes: Nagle's algorithm waited for a delayed acknowledgement",
    linux: "write the message in one piece (writev, TCP_CORK) or set TCP_NODELAY on the sender; \
            on the receiver `ip route change … quickack 1` ends the delay, not the second packet",
    zos: "the sending program writes once or sets TCP_NODELAY; on the receiver NODELAYACKS on \
          TCPCONFIG, PORT, PORTRANGE or ROUTE (BEGINROUTES), or AUTODELAYACKS on TCPCONFIG, \
          which decides by itself",
    limits: "Needs the short segment, bytes in flight below the window, and an acknowledgement by \
             itself, 20 to 550 ms late, that the segment follows by one round trip to the sender. \
             Confidence is earned by repetition, and contradicted, as for tcp.nagle. Which of the \
             two ends to change is a decision, not a finding; how much of the wait the \
             application would have taken all the same is not on the wire.",
    literature: "Minshall et al. 1999 (write-write-read); Mogul and Minshall 2001; TAPO: \
                 delayed-ACK stall",
};

impl Rule for WriteWriteRead {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn gap(&self, gap: &Gap<'_>) -> Option<Claim> {
        Pause::claim(gap, Reason::NagleDelayed)
    }

    fn last_word(&self, connection: &Connection, sender: Side) -> Option<Confidence> {
        let held = connection.end(sender).pacing.held_short()?;
        Some(as_known(connection, held))
    }

    fn sentence(&self, gap: &Gap<'_>, claim: &Claim) -> String {
        let Some(pause) = Pause::of(gap) else {
            return ABOUT.title.to_owned();
        };
        let receiver = pause.sender.other();
        format!(
            "{:.1} ms: after {} bytes the {} held the next {} back for an acknowledgement, which \
             the {} delayed by {:.1} ms ({})",
            claim.cost_ns as f64 / 1e6,
            pause.flight,
            side(pause.sender),
            pause.held,
            side(receiver),
            pause.ack_delay_ns as f64 / 1e6,
            timer(&gap.connection.end(receiver).ack_delays, pause.ack_delay_ns)
        )
    }
}
