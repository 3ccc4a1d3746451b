//! Audit records that were dropped: `/health` reports them for a while.
//!
//! The first question after a loss starts the time, so that a loss is reported at
//! least once however seldom the question is asked.

use std::time::{Duration, Instant};

/// How long a loss is reported.
const REPORTED: Duration = Duration::from_secs(60);

/// The losses that were seen.
#[derive(Debug, Default)]
pub struct RecentLosses {
    seen: u64,
    at: Option<Instant>,
}

impl RecentLosses {
    /// Whether records were dropped since a minute before; `dropped` counts all of
    /// them.
    pub fn are_recent(&mut self, dropped: u64, now: Instant) -> bool {
        if dropped > self.seen {
            self.seen = dropped;
            self.at = Some(now);
        }
        self.at.is_some_and(|at| now.duration_since(at) < REPORTED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_loss_is_reported_for_a_minute_and_the_next_one_again() {
        let (mut losses, start) = (RecentLosses::default(), Instant::now());
        assert!(!losses.are_recent(0, start));
        assert!(losses.are_recent(3, start));
        assert!(losses.are_recent(3, start + Duration::from_secs(59)));
        assert!(!losses.are_recent(3, start + Duration::from_secs(61)));
        assert!(losses.are_recent(4, start + Duration::from_secs(200)));
    }
}
