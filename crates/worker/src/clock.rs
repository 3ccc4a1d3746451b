//! Clocks, and local time without a lookup for each question.
//!
//! ABSTIME counts local milliseconds since 1900-01-01 00:00. The offset of
//! local time is asked from the system once in a quarter of an hour, since no
//! zone changes it between.

use cics::time::AbsTime;

pub use link::clock::{monotonic_ns, thread_cpu_ns};

/// The system's clocks.
#[derive(Debug)]
pub struct Clock {
    quarter: i64,
    offset_ms: i64,
    /// The last second that was converted to EIBTIME and EIBDATE, and the result.
    last_eib: (i64, (u32, u32)),
}

/// One reading.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct ClockReading {
    /// Nanoseconds of the monotonic clock.
    pub monotonic_ns: u64,
    /// Local time.
    pub absolute: AbsTime,
    /// Milliseconds that local time is ahead of UTC.
    pub zone_ms: i64,
}

impl Default for Clock {
    fn default() -> Self {
        Clock {
            quarter: 0,
            offset_ms: 0,
            last_eib: (i64::MIN, (0, 0)),
        }
    }
}

impl Clock {
    /// Reads the clocks.
    pub fn now(&mut self) -> ClockReading {
        let ms = (link::clock::read(libc::CLOCK_REALTIME) / 1_000_000) as i64;
        let seconds = ms / 1000;
        if seconds / 900 != self.quarter {
            self.quarter = seconds / 900;
            self.offset_ms = local_offset(seconds) * 1000;
        }
        ClockReading {
            monotonic_ns: monotonic_ns(),
            absolute: AbsTime::from_unix_ms(ms + self.offset_ms),
            zone_ms: self.offset_ms,
        }
    }

    /// [`ClockReading::eib`], worked out once a second: tasks are begun more often.
    pub fn eib(&mut self, now: &ClockReading) -> (u32, u32) {
        let second = now.absolute.0.div_euclid(1000);
        if second != self.last_eib.0 {
            self.last_eib = (second, now.eib());
        }
        self.last_eib.1
    }
}

impl ClockReading {
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
        let now = ClockReading {
            monotonic_ns: 0,
            absolute: parse_date_string("2026-11-21T01:02:03.004Z").unwrap(),
            zone_ms: 0,
        };
        assert_eq!(now.eib(), (10_203, 126_325));
    }

    #[test]
    fn the_eib_time_of_a_second_is_not_reused_for_another() {
        let mut clock = Clock::default();
        let at = |text| ClockReading {
            absolute: parse_date_string(text).unwrap(),
            ..ClockReading::default()
        };
        for text in [
            "1900-01-01T00:00:00.500Z",
            "2026-11-21T01:02:03.004Z",
            "2026-11-21T01:02:03.999Z",
            "2026-11-21T01:02:04.000Z",
            "2026-11-20T01:02:03.004Z",
        ] {
            let now = at(text);
            assert_eq!(clock.eib(&now), now.eib(), "{text}");
        }
    }
}
