//! After a loss the congestion window was small, and the sender waited round
//! trips until it had grown again.

use super::ack_delayed::side;
use super::pause::{Pause, Reason};
use super::{About, Claim, Gap, Rule};

/// Claims round trips that a sender waited after losses on its connection.
pub struct CongestionWindow;

static ABOUT: About = About {
    id: "tcp.congestion-window",
    title: "a loss had made the sender's window small",
    linux: "find the loss (`ip -s link`, `ethtool -S`, `nstat`); a congestion control made for \
            the path (BBR, CUBIC) recovers sooner",
    zos: "find the loss (NETSTAT DEVLINKS, NETSTAT STATS); a larger MTU on the ROUTE makes each \
          segment of the small window larger",
    limits: "A pause of a round trip below the receiver's window on a connection that sent \
             something again before, or (with low confidence) whose bursts were twice as large in \
             earlier exchanges: behind the place of loss, a lost end of a message leaves no other \
             sign. A loss that \
             is long past makes it low, and so does more under way than the burst: then each acknowledgement sets \
             some free. How large the window was is inferred from the burst.",
    literature: "RFC 5681 3.2, RFC 6582; T-RAT: congestion limited; Siekkinen: shared bottleneck",
};

impl Rule for CongestionWindow {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn gap(&self, gap: &Gap<'_>) -> Option<Claim> {
        Pause::claim(gap, Reason::CongestionWindow)
    }

    fn sentence(&self, gap: &Gap<'_>, claim: &Claim) -> String {
        let Some(pause) = Pause::of(gap) else {
            return ABOUT.title.to_owned();
        };
        format!(
            "{:.1} ms: after a loss the {} sent {} bytes and waited a round trip",
            claim.cost_ns as f64 / 1e6,
            side(pause.sender),
            pause.bursts.0
        )
    }
}
