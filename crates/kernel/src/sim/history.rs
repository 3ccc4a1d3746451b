//! The hash of a history: all effects of core and kernel, event by event.
//!
//! Two builds with the same hash for a seed have played the same history. So the hash
//! shows that a commit that only moves code changes no behaviour. The hash is computed
//! from the events' debug text, which has no module names and no addresses.
//!
//! Invariant: the events have no data that differ from run to run.

use std::fmt::{self, Debug, Write};

/// A running hash of events: 64 bits, FNV-1a.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HistoryHash(u64);

const OFFSET: u64 = 0xCBF2_9CE4_8422_2325;
const PRIME: u64 = 0x0000_0100_0000_01B3;

impl Default for HistoryHash {
    fn default() -> Self {
        HistoryHash(OFFSET)
    }
}

impl HistoryHash {
    /// Adds an event that happened at an instant, in nanoseconds.
    pub fn note(&mut self, now: u64, event: &dyn Debug) {
        // Writing into a hash cannot fail.
        let _ = writeln!(self, "{now} {event:?}");
    }

    /// The hash of all events so far.
    pub fn value(self) -> u64 {
        self.0
    }
}

impl Write for HistoryHash {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for byte in text.bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(PRIME);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_and_the_time_of_events_count() {
        let hash = |events: &[(u64, &str)]| {
            let mut hash = HistoryHash::default();
            for (now, event) in events {
                hash.note(*now, event);
            }
            hash.value()
        };
        assert_eq!(hash(&[(1, "a"), (2, "b")]), hash(&[(1, "a"), (2, "b")]));
        assert_ne!(hash(&[(1, "a"), (2, "b")]), hash(&[(1, "b"), (2, "a")]));
        assert_ne!(hash(&[(1, "a")]), hash(&[(2, "a")]));
    }
}
