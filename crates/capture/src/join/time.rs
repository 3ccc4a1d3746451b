//! Times of day with up to ten decimals, as traces print them.

use std::fmt;

/// Nanoseconds since midnight.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
pub struct TimeOfDay(pub u64);

impl TimeOfDay {
    /// Of a time since 1970, shifted by a time zone's seconds east.
    pub fn of_unix_ns(unix_ns: u64, east_s: i64) -> TimeOfDay {
        let shifted = i128::from(unix_ns) + i128::from(east_s) * 1_000_000_000;
        TimeOfDay(shifted.rem_euclid(i128::from(DAY_NS)) as u64)
    }

    /// Seconds from `earlier` to this, over midnight if need be.
    pub fn since_s(self, earlier: TimeOfDay) -> f64 {
        let ns = (self.0 + DAY_NS - earlier.0 % DAY_NS) % DAY_NS;
        ns as f64 / 1e9
    }
}

impl fmt::Display for TimeOfDay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (s, us) = (self.0 / 1_000_000_000, self.0 % 1_000_000_000 / 1000);
        write!(
            f,
            "{:02}:{:02}:{:02}.{us:06}",
            s / 3600,
            s / 60 % 60,
            s % 60
        )
    }
}

/// Reads `hh:mm:ss` with any number of decimals; the eleventh of a nanosecond
/// and beyond are cut off.
pub fn parse_time(text: &str) -> Option<TimeOfDay> {
    let (clock, decimals) = text.split_once('.').unwrap_or((text, ""));
    let mut parts = clock.split(':');
    let mut part = |limit: u64| -> Option<u64> {
        let text = parts.next()?;
        let ok = (1..=2).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_digit());
        ok.then(|| text.parse().ok())?.filter(|n| *n < limit)
    };
    let (hours, minutes, seconds) = (part(24)?, part(60)?, part(60)?);
    if parts.next().is_some() || !decimals.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    let digits: String = decimals
        .chars()
        .chain("000000000".chars())
        .take(9)
        .collect();
    let ns: u64 = digits.parse().ok()?;
    Some(TimeOfDay(
        (hours * 3600 + minutes * 60 + seconds) * 1_000_000_000 + ns,
    ))
}

/// A day.
const DAY_NS: u64 = 86_400_000_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_to_the_nanosecond() {
        let time = |t: &str| parse_time(t).map(|t| t.0);
        assert_eq!(time("00:00:01"), Some(1_000_000_000));
        assert_eq!(time("11:15:39.9522577656"), Some(40_539_952_257_765));
        assert_eq!(time("1:2:3.5"), Some(3_723_500_000_000));
        for wrong in [
            "24:00:00", "1:60:0", "1:2", "1:2:3:4", "a:b:c", "1:2:3.x", "1:2:+3", "",
        ] {
            assert_eq!(time(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn midnight_lies_between() {
        let (late, early) = (
            parse_time("23:59:59.5").unwrap(),
            parse_time("00:00:00.25").unwrap(),
        );
        assert_eq!(early.since_s(late), 0.75);
        assert_eq!(
            TimeOfDay::of_unix_ns(1_000_000_000, -3600).to_string(),
            "23:00:01.000000"
        );
    }
}
