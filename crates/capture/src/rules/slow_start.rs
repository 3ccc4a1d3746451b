//! The congestion window was still growing: the sender waited a round trip
//! after each burst, and the bursts grew.

use super::ack_delayed::side;
use super::pause::{Pause, Reason};
use super::{About, Claim, Gap, Rule};

/// Claims the round trips of slow start.
pub struct SlowStart;

static ABOUT: About = About {
    id: "tcp.slow-start",
    title: "slow start: the sender waited a round trip for its window to grow",
    linux: "keep connections open; raise the first window with `ip route change … initcwnd 10` \
            (or more) where it was lowered",
    zos: "keep connections open (CICS TCPIPSERVICE SOCKETCLOSE(NO), URIMAP SOCKETCLOSE); a larger \
          MTU on the ROUTE makes each segment of the first window larger",
    limits: "The congestion window itself is not on the wire; it shows as bursts that grow from \
             round trip to round trip below the receiver's window. High after two steps of growth, each at \
             most to three times as much, where the capture is beside the sender or timestamps say which word the data followed; medium after one or without that, or when the message ends in the second \
             burst; else low, and where only a short segment follows, which Nagle's algorithm \
             holds back as well, or where the burst lasted a round trip, which is more than one window. Of what follows, \
             that counts which came within a round trip.",
    literature: "RFC 5681 3.1, RFC 6928 (ten segments); T-RAT: opportunity limited; TAPO: small \
                 congestion window",
};

impl Rule for SlowStart {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn gap(&self, gap: &Gap<'_>) -> Option<Claim> {
        Pause::claim(gap, Reason::SlowStart)
    }

    fn sentence(&self, gap: &Gap<'_>, claim: &Claim) -> String {
        let Some(pause) = Pause::of(gap) else {
            return ABOUT.title.to_owned();
        };
        let segments = pause.segments;
        format!(
            "{:.1} ms: the {} sent {}{} bytes in {segments} segment{}, waited a round trip, then sent {}{}",
            claim.cost_ns as f64 / 1e6,
            side(pause.sender),
            if pause.cut { "at least " } else { "" },
            pause.bursts.0,
            if segments == 1 { "" } else { "s" },
            if pause.goes_on { "at least " } else { "" },
            pause.bursts.1,
        )
    }
}
