//! How many lines of programs and scripts the log takes: a bucket of lines that
//! fills with time. Lines beyond it are left out and counted, and the count is
//! logged once there is room again: a program must not fill the log's disk.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Seconds' worth of lines that may come at once.
const BURST_S: u64 = 10;
/// Bytes of a line that count as a line more.
const BYTES_A_LINE: usize = 256;

/// The lines of a region.
pub struct LogLines {
    rate: Mutex<LineRate>,
}

/// The bucket.
struct LineRate {
    /// Lines a second; 0 for no bound.
    lines_per_s: u64,
    /// Thousandths of lines that may be logged now.
    left: u64,
    /// When `left` was so much, in nanoseconds of the monotonic clock.
    at_ns: u64,
    left_out: u64,
}

impl LogLines {
    /// So many lines a second; 0 for no bound.
    pub fn new(lines_per_s: u32, now_ns: u64) -> LogLines {
        LogLines {
            rate: Mutex::new(LineRate::new(lines_per_s, now_ns)),
        }
    }

    /// Whether a line of so many bytes may be logged; counts it if not.
    pub fn take(&self, bytes: usize, now_ns: u64) -> bool {
        self.log_left_out(now_ns);
        self.rate().take(bytes, now_ns)
    }

    /// Whether lines were left out whose count is not logged yet.
    pub fn are_left_out(&self) -> bool {
        self.rate().left_out > 0
    }

    /// Logs how many lines were left out, if there is room.
    pub fn log_left_out(&self, now_ns: u64) {
        let (lines, rate) = self.rate().take_left_out(now_ns);
        if lines > 0 {
            tracing::warn!(
                target: "tupelo::stdout",
                "{lines} lines of programs and scripts were left out: more than {rate} a second"
            );
        }
    }

    fn rate(&self) -> MutexGuard<'_, LineRate> {
        self.rate.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LineRate {
    fn new(lines_per_s: u32, now_ns: u64) -> LineRate {
        let lines_per_s = u64::from(lines_per_s);
        LineRate {
            lines_per_s,
            left: lines_per_s * BURST_S * 1000,
            at_ns: now_ns,
            left_out: 0,
        }
    }

    /// Whether a line of so many bytes may be logged; counts it if not.
    fn take(&mut self, bytes: usize, now_ns: u64) -> bool {
        if self.lines_per_s == 0 {
            return true;
        }
        self.fill(now_ns);
        let cost = 1000 + (bytes / BYTES_A_LINE) as u64 * 1000;
        match self.left.checked_sub(cost).filter(|_| self.left_out == 0) {
            Some(left) => self.left = left,
            None => self.left_out += 1,
        }
        self.left_out == 0
    }

    fn fill(&mut self, now_ns: u64) {
        // A line a second is a thousandth a millisecond.
        let ms = now_ns.saturating_sub(self.at_ns) / 1_000_000;
        let most = self.lines_per_s * BURST_S * 1000;
        let more = ms.saturating_mul(self.lines_per_s);
        self.left = self.left.saturating_add(more).min(most);
        self.at_ns = self.at_ns.saturating_add(ms * 1_000_000);
    }

    /// The lines that were left out, once there is room for a second's worth
    /// again, and the bound.
    fn take_left_out(&mut self, now_ns: u64) -> (u64, u64) {
        if self.left_out > 0 {
            self.fill(now_ns);
        }
        if self.left >= self.lines_per_s * 1000 {
            (std::mem::take(&mut self.left_out), self.lines_per_s)
        } else {
            (0, self.lines_per_s)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND_NS: u64 = 1_000_000_000;

    #[test]
    fn a_flood_is_left_out_and_counted_and_then_logged_once() {
        let mut rate = LineRate::new(100, 0);
        let logged = (0..5000).filter(|_| rate.take(80, 0)).count();
        assert_eq!(logged, 1000);
        assert_eq!(rate.take_left_out(0).0, 0);
        // No line is logged before the count is, so that the log is in order.
        assert!(!rate.take(80, SECOND_NS / 2));
        assert_eq!(rate.take_left_out(2 * SECOND_NS), (4001, 100));
        assert!(rate.take(80, 2 * SECOND_NS));
        assert_eq!(rate.take_left_out(u64::MAX).0, 0);
    }

    #[test]
    fn long_lines_count_for_several() {
        let mut rate = LineRate::new(1, 0);
        assert!(rate.take(BYTES_A_LINE * 9, 0));
        assert!(!rate.take(80, 0));
    }

    #[test]
    fn without_a_bound_everything_is_logged() {
        let mut rate = LineRate::new(0, 0);
        assert!((0..100_000).all(|_| rate.take(4096, 0)));
    }
}
