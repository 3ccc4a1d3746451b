//! The clock in the TCP timestamps of one end.
//!
//! A segment carries the time at which its sender sent it. The least difference
//! between its arrival and that time is a packet that met no queue; what another
//! packet took longer, it spent on the way. So an answer that was sent at once and
//! waited in a queue is no answer of a slow server.
//! Reference: RFC 7323 5.4. Invariant: says nothing of clocks that do not count
//! milliseconds, or before a second of them was seen.

/// The clock of one end, as seen from the place of capture.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SenderClock {
    /// The first value, and when it arrived.
    first: Option<(u32, i64)>,
    /// Least difference between arrival and sending; the first packet's is zero.
    least_ns: i64,
    /// Counts milliseconds.
    verified: bool,
}

impl SenderClock {
    /// Takes the timestamp of a segment; 0 is none.
    pub(crate) fn observe(&mut self, value: u32, time_ns: i64) {
        if value == 0 {
            return;
        }
        let (first, first_ns) = *self.first.get_or_insert((value, time_ns));
        let (took_ns, sent_ns) = (time_ns - first_ns, since_ns(first, value));
        self.least_ns = self.least_ns.min(took_ns - sent_ns);
        if took_ns >= VERIFIED_NS {
            self.verified = sent_ns / 5 * 8 > took_ns && sent_ns / 8 * 5 < took_ns;
        }
    }

    /// How much longer the segment was on its way than the fastest one. `None` if the
    /// clock does not show it.
    pub(crate) fn late_ns(&self, value: u32, time_ns: i64) -> Option<i64> {
        let (first, first_ns) = self.first.filter(|_| self.verified && value != 0)?;
        let took_ns = time_ns - first_ns;
        let late_ns = took_ns - since_ns(first, value) - self.least_ns;
        // Two clocks drift apart.
        Some(late_ns - TICK_NS - took_ns / DRIFT)
    }
}

fn since_ns(first: u32, value: u32) -> i64 {
    i64::from(value.wrapping_sub(first) as i32) * TICK_NS
}

/// One tick.
const TICK_NS: i64 = 1_000_000;

/// A shorter time may be a queue as well as ticks of another length.
const VERIFIED_NS: i64 = 1_000_000_000;

/// Clocks are at most one part in so many apart.
const DRIFT: i64 = 5_000;

#[cfg(test)]
mod tests {
    use super::*;

    fn late_ms(ticks_a_second: i64, delay_ms: i64) -> Option<i64> {
        let mut clock = SenderClock::default();
        for ms in (0..3_000).step_by(100) {
            let value = u32::MAX - 500;
            let value = value.wrapping_add((ms * ticks_a_second / 1_000) as u32);
            clock.observe(value, ms * 1_000_000);
        }
        let value = (u32::MAX - 500).wrapping_add((2_500 * ticks_a_second / 1_000) as u32);
        let late = clock.late_ns(value, (2_500 + delay_ms) * 1_000_000);
        late.map(|ns| ns / 1_000_000)
    }

    #[test]
    fn a_packet_that_met_a_queue_is_late() {
        assert_eq!(late_ms(1_000, 200), Some(198));
        assert!(late_ms(1_000, 0).is_some_and(|ms| ms <= 0));
    }

    #[test]
    fn clocks_of_other_ticks_say_nothing() {
        assert_eq!(late_ms(100, 200), None);
        assert_eq!(late_ms(1_000_000, 200), None);
    }
}
