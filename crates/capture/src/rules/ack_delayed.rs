//! A delayed acknowledgement held a sender whose window was used up.
//!
//! The receiver waited for a second segment, the sender for the
//! acknowledgement: with a window of one segment, an odd number of segments or
//! a send buffer of less than two, every round costs the receiver's timer.
//! Which timer it is shows in its lengths: a fixed one has one length, an
//! adaptive one follows the traffic.

use super::known::as_known;
use super::pause::{Pause, Reason};
use super::{About, Claim, Confidence, Gap, Rule};
use crate::{ACK_DELAY_BOUNDS_NS, AckDelays, Connection, Side};

/// Claims pauses that a delayed acknowledgement ended.
pub struct AckDelayed;

static ABOUT: About = About {
    id: "tcp.ack.delayed",
    title: "the sender waited for a delayed acknowledgement",
    linux: "on the receiver: `ip route change … quickack 1`, or TCP_QUICKACK after each read; on \
            the sender: a larger window (SO_SNDBUF, initcwnd), so that two segments are under way",
    zos: "on the receiver: NODELAYACKS on TCPCONFIG (global, nothing overrides it), or on the \
          PORT, PORTRANGE or ROUTE (BEGINROUTES) that the connection uses; AUTODELAYACKS on \
          TCPCONFIG (from V2R3's reference on) decides by itself where neither says anything",
    limits: "Shows when an acknowledgement came by itself 20 to 550 ms after data it could have \
             answered, with less than two full segments held back, and data followed at once. Low \
             confidence once or twice, medium from three times on, high from six; silent where \
             the application pauses as long of its own accord, or a loss is repaired, and where what came late acknowledged two full segments, for which no receiver waits. A delayed \
             acknowledgement that nobody waited for costs nothing and is not named. A timer that \
             ticks (as in BSD) gives all lengths up to its period and is told as adaptive.",
    literature: "RFC 1122 4.2.3.2 and RFC 5681 4.2 (at most 500 ms, every second full segment); \
                 TAPO: delayed-ACK stall; Minshall et al. 1999",
};

impl Rule for AckDelayed {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn gap(&self, gap: &Gap<'_>) -> Option<Claim> {
        Pause::claim(gap, Reason::AckDelayed)
    }

    fn last_word(&self, connection: &Connection, sender: Side) -> Option<Confidence> {
        let held = connection.end(sender).pacing.held()?;
        Some(as_known(connection, held))
    }

    fn sentence(&self, gap: &Gap<'_>, claim: &Claim) -> String {
        let Some(pause) = Pause::of(gap) else {
            return ABOUT.title.to_owned();
        };
        let receiver = pause.sender.other();
        let delays = &gap.connection.end(receiver).ack_delays;
        format!(
            "{:.1} ms: the {} had {} bytes under way and could send no more; the {} acknowledged \
             them {:.1} ms late ({})",
            claim.cost_ns as f64 / 1e6,
            side(pause.sender),
            pause.flight,
            side(receiver),
            pause.ack_delay_ns as f64 / 1e6,
            timer(delays, pause.ack_delay_ns)
        )
    }
}

/// The client or the server, as a word.
pub(super) fn side(side: crate::Side) -> &'static str {
    match side {
        crate::Side::Client => "client",
        crate::Side::Server => "server",
    }
}

/// Which timer delayed an acknowledgement, judged by all of an end's delays.
pub(super) fn timer(delays: &AckDelays, delay_ns: i64) -> &'static str {
    // Classes from 30 ms on; below are round trips and quick acknowledgements.
    let used = delays.classes[2..].iter().filter(|n| **n > 0).count();
    let class = ACK_DELAY_BOUNDS_NS.partition_point(|bound| delay_ns >= *bound);
    match (used, class) {
        (0 | 1, 2) => "a fixed timer of 40 ms, the least of Linux",
        (0 | 1, 4) => "a fixed timer of about 200 ms, as on z/OS",
        (0 | 1, 5) => "a fixed timer beyond 300 ms",
        (0 | 1, _) => "a timer of its own length",
        _ => "an adaptive timer, or one that ticks",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fixed_and_adaptive_timers_are_told_apart() {
        let mut delays = AckDelays::default();
        for _ in 0..5 {
            delays.add(200_000_000);
        }
        assert!(timer(&delays, 200_000_000).contains("200 ms"));
        delays.add(45_000_000);
        delays.add(100_000_000);
        assert!(timer(&delays, 200_000_000).contains("adaptive"));
        let mut forty = AckDelays::default();
        forty.add(41_000_000);
        assert!(timer(&forty, 41_000_000).contains("40 ms"));
    }
}
