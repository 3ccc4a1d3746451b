//! After an idle time the congestion window began again from its first size.

use super::ack_delayed::side;
use super::pause::{Pause, Reason};
use super::{About, Claim, Gap, Rule};

/// Claims the round trips of slow start after idleness.
pub struct IdleRestart;

static ABOUT: About = About {
    id: "tcp.idle-restart",
    title: "slow start again after an idle time",
    linux: "net.ipv4.tcp_slow_start_after_idle = 0",
    zos: "no statement; keep the connection busy, or use fewer connections so that each is idle \
          for less long",
    limits: "Needs an idle time of 200 ms or more before the message and, in the messages just \
             before, a burst half as large again as the first one after it. Medium where the idle time \
             is longer than any timer of the path, the message begins with ten full segments or \
             fewer, and the bursts, a round trip apart, grow twice as slow start's do, or once from \
             just the amount that the connection began with; else low. Where the earlier ones are out of sight, it is told as slow start.",
    literature: "RFC 5681 4.1, RFC 7661; T-RAT: opportunity limited",
};

impl Rule for IdleRestart {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn gap(&self, gap: &Gap<'_>) -> Option<Claim> {
        Pause::claim(gap, Reason::IdleRestart)
    }

    fn sentence(&self, gap: &Gap<'_>, claim: &Claim) -> String {
        let Some(pause) = Pause::of(gap) else {
            return ABOUT.title.to_owned();
        };
        format!(
            "{:.1} ms: the {} had sent larger bursts before it was idle and began again with {} bytes",
            claim.cost_ns as f64 / 1e6,
            side(pause.sender),
            pause.bursts.0
        )
    }
}
