//! Clocks, and local time without a lookup for each question.
//!
//! ABSTIME counts local milliseconds since 1900-01-01 00:00. The offset of
//! local time is asked from the system once in a quarter of an hour, since no
//! zone changes it between.

/// Milliseconds from 1900-01-01 to 1970-01-01.
const EPOCH_MS: i64 = 25_567 * DAY_MS;
/// Milliseconds of a day.
pub const DAY_MS: i64 = 86_400_000;

/// The system's clocks.
#[derive(Debug, Default)]
pub struct Clock {
    quarter: i64,
    offset_ms: i64,
}

/// One reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Now {
    /// Nanoseconds of the monotonic clock.
    pub monotonic_ns: u64,
    /// Local milliseconds since 1900.
    pub absolute_ms: i64,
    /// Minutes that local time is ahead of UTC.
    pub zone_minutes: i64,
}

impl Clock {
    /// Reads the clocks.
    pub fn now(&mut self) -> Now {
        let (seconds, nanos) = read(libc::CLOCK_REALTIME);
        let (up, up_nanos) = read(libc::CLOCK_MONOTONIC);
        if seconds / 900 != self.quarter {
            self.quarter = seconds / 900;
            self.offset_ms = local_offset(seconds) * 1000;
        }
        Now {
            monotonic_ns: up as u64 * 1_000_000_000 + up_nanos as u64,
            absolute_ms: seconds * 1000 + nanos / 1_000_000 + self.offset_ms + EPOCH_MS,
            zone_minutes: self.offset_ms / 60_000,
        }
    }
}

/// CPU time of this thread in nanoseconds.
pub fn thread_cpu_ns() -> u64 {
    let (seconds, nanos) = read(libc::CLOCK_THREAD_CPUTIME_ID);
    seconds as u64 * 1_000_000_000 + nanos as u64
}

impl Now {
    /// The time of day as EIBTIME has it.
    pub fn hhmmss(&self) -> u32 {
        hhmmss(self.absolute_ms)
    }

    /// The date as EIBDATE has it: 1yyddd for 20yy.
    pub fn cyyddd(&self) -> u32 {
        let date = Date::of(self.absolute_ms);
        ((date.year - 1900) * 1000 + date.day_of_year) as u32
    }
}

/// Time of day of an absolute time.
pub fn hhmmss(absolute_ms: i64) -> u32 {
    let seconds = absolute_ms.rem_euclid(DAY_MS) / 1000;
    (seconds / 3600 * 10_000 + seconds / 60 % 60 * 100 + seconds % 60) as u32
}

/// A calendar date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Date {
    /// Year.
    pub year: i64,
    /// Month, from 1.
    pub month: i64,
    /// Day of the month, from 1.
    pub day: i64,
    /// Day of the year, from 1.
    pub day_of_year: i64,
    /// Day of the week, Sunday 0.
    pub weekday: i64,
    /// Days since 1900-01-01, that day being 0.
    pub days: i64,
}

impl Date {
    /// The date of an absolute time.
    pub fn of(absolute_ms: i64) -> Self {
        let days = absolute_ms.div_euclid(DAY_MS);
        // Days since 0000-03-01, in eras of 400 years.
        let z = days - 25_567 + 719_468;
        let era = z.div_euclid(146_097);
        let of_era = z.rem_euclid(146_097);
        let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
        let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let shifted = (5 * of_year + 2) / 153;
        let day = of_year - (153 * shifted + 2) / 5 + 1;
        let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
        let year = year_of_era + era * 400 + i64::from(month <= 2);
        Date {
            year,
            month,
            day,
            day_of_year: days - days_to(year, 1, 1) + 1,
            // 1900-01-01 was a Monday.
            weekday: (days + 1).rem_euclid(7),
            days,
        }
    }
}

/// Days from 1900-01-01 to a date of the Gregorian calendar.
pub fn days_to(year: i64, month: i64, day: i64) -> i64 {
    let y = year - i64::from(month <= 2);
    let era = y.div_euclid(400);
    let of_era = y.rem_euclid(400);
    let of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468 + 25_567
}

/// Days of a month.
pub fn days_in(year: i64, month: i64) -> i64 {
    let next = if month == 12 { days_to(year + 1, 1, 1) } else { days_to(year, month + 1, 1) };
    next - days_to(year, month, 1)
}

fn read(clock: libc::clockid_t) -> (i64, i64) {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a valid place for the result.
    unsafe { libc::clock_gettime(clock, &mut time) };
    (time.tv_sec, time.tv_nsec)
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

    #[test]
    fn dates_of_the_calendar_come_out_right() {
        let date = Date::of(0);
        assert_eq!((date.year, date.month, date.day, date.weekday), (1900, 1, 1, 1));
        let leap = Date::of(days_to(2000, 2, 29) * DAY_MS + 5);
        assert_eq!((leap.year, leap.month, leap.day, leap.day_of_year), (2000, 2, 29, 60));
        assert_eq!(leap.weekday, 2);
        assert_eq!(days_in(1900, 2), 28);
        assert_eq!(days_to(1970, 1, 1), 25_567);
    }

    #[test]
    fn every_day_of_four_centuries_reads_back() {
        for days in -1000..147_000 {
            let d = Date::of(days * DAY_MS);
            assert_eq!(days_to(d.year, d.month, d.day), days);
        }
    }

    #[test]
    fn eib_fields_have_their_form() {
        let now = Now {
            monotonic_ns: 0,
            absolute_ms: days_to(2026, 11, 21) * DAY_MS + 3_723_004,
            zone_minutes: 0,
        };
        assert_eq!((now.cyyddd(), now.hhmmss()), (126_325, 10_203));
    }
}
