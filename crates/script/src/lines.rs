//! How much scripts may write into the log: as many lines a second as programs
//! may display, all scripts together, and no line of any length. What is beyond
//! is counted, and told with the next line that is written.

use std::borrow::Cow;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Lines a second.
const PER_S: u64 = 1_000;
/// Lines at once.
const AT_ONCE: u64 = 10_000;
/// Most bytes of a line.
const LONGEST: usize = 16 << 10;

/// Lines that may be written, and how many were not.
#[derive(Debug, Clone, Copy)]
struct Budget {
    /// Thousandths of a line.
    left: u64,
    refilled: Instant,
    left_out: u64,
}

static BUDGET: Mutex<Option<Budget>> = Mutex::new(None);

impl Budget {
    fn new(now: Instant) -> Budget {
        Budget {
            left: AT_ONCE * 1_000,
            refilled: now,
            left_out: 0,
        }
    }

    /// Whether a line may be written; the number of those that were left out
    /// before it.
    fn take(&mut self, now: Instant) -> Option<u64> {
        let ms = now.saturating_duration_since(self.refilled).as_millis() as u64;
        if ms > 0 {
            self.left = (self.left.saturating_add(ms.saturating_mul(PER_S))).min(AT_ONCE * 1_000);
            self.refilled = now;
        }
        if self.left < 1_000 {
            self.left_out += 1;
            return None;
        }
        self.left -= 1_000;
        Some(std::mem::take(&mut self.left_out))
    }
}

/// Whether a line may be written now; the number of those that were left out
/// before it.
pub fn may_write() -> Option<u64> {
    let now = Instant::now();
    let mut budget = BUDGET.lock().unwrap_or_else(PoisonError::into_inner);
    budget.get_or_insert_with(|| Budget::new(now)).take(now)
}

/// A line that is not too long.
pub fn cut(text: &str) -> Cow<'_, str> {
    if text.len() <= LONGEST {
        return text.into();
    }
    let ends = |at: &usize| text.is_char_boundary(*at);
    let end = (0..=LONGEST).rev().find(ends).unwrap_or(0);
    format!("{} ({} more bytes)", &text[..end], text.len() - end).into()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn what_is_beyond_the_lines_of_a_second_is_counted_and_told_once() {
        let begun = Instant::now();
        let mut budget = Budget::new(begun);
        let written = (0..AT_ONCE + 7).filter_map(|_| budget.take(begun)).count();
        assert_eq!(written as u64, AT_ONCE);
        let later = begun + Duration::from_millis(2);
        assert_eq!(budget.take(later), Some(7));
        assert_eq!(budget.take(later), Some(0));
        assert_eq!(budget.take(later), None);
        let much_later = begun + Duration::from_secs(3_600);
        let written = (0..AT_ONCE + 1).filter_map(|_| budget.take(much_later));
        assert_eq!(written.count() as u64, AT_ONCE);
    }

    #[test]
    fn a_long_line_is_cut_between_characters() {
        assert_eq!(cut("short"), "short");
        let long = "é".repeat(LONGEST);
        let line = cut(&long);
        assert!(line.len() < LONGEST + 40, "{}", line.len());
        assert!(
            line.ends_with(" (16384 more bytes)"),
            "{}",
            &line[LONGEST..]
        );
    }
}
