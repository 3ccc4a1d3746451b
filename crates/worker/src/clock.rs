//! Clocks, and local time without a lookup for each question.
//!
//! ABSTIME counts local milliseconds since 1900-01-01 00:00. The offset of
//! local time is asked from the system once in a quarter of an hour, since no
//! zone changes it between.

use cics::time::AbsTime;

pub use link::clock::{monotonic_ns, thread_cpu_ns};

/// The system's clocks.
#[derive(Debug, Default)]
pub struct Clock {
    quarter: i64,
    offset_ms: i64,
}

/// One reading.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Now {
    /// Nanoseconds of the monotonic clock.
    pub monotonic_ns: u64,
    /// Local time.
    pub absolute: AbsTime,
    /// Milliseconds that local time is ahead of UTC.
    pub zone_ms: i64,
}

impl Clock {
    /// Reads the clocks.
    pub fn now(&mut self) -> Now {
        let ms = (link::clock::read(libc::CLOCK_REALTIME) / 1_000_000) as i64;
        let seconds = ms / 1000;
        if seconds / 900 != self.quarter {
            self.quarter = seconds / 900;
            self.offset_ms = local_offset(seconds) * 1000;
        }
        Now {
            monotonic_ns: monotonic_ns(),
            absolute: AbsTime::from_unix_ms(ms + self.offset_ms),
            zone_ms: self.offset_ms,
        }
    }
}

impl Now {
    /// The time of day as EIBTIME has it, and the date as EIBDATE has it:
    /// 1yyddd for 20yy.
    pub fn eib(&self) -> (u32, u32) {
        let c = self.absolute.civil();
        let date = (c.year - 1900) as u32 * 1000 + c.day_of_year;
        (c.hour * 10_000 + c.minute * 100 + c.second, date)
    }
}

fn local_offset(seconds: i64) -> i64 {
    // SAFETY: both are plain structures; localtime_r fills the second.
    unsafe {
        let mut local: libc::tm = std::mem::zeroed();
        if libc::localtime_r(&seconds, &mut local).is_null() {
            return 0;
        }
        local.tm_gmtoff
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cics::time::parse_date_string;

    #[test]
    fn eib_fields_have_their_form() {
        let now = Now {
            monotonic_ns: 0,
            absolute: parse_date_string("2026-11-21T01:02:03.004Z").unwrap(),
            zone_ms: 0,
        };
        assert_eq!(now.eib(), (10_203, 126_325));
    }
}
