//! The filter of a capture: hosts, ports, and a range of time.

use capture::join::{TimeOfDay, parse_time};
use capture::{ConnectionFilter, AnalysisOptions};

/// Terms of a filter by kind.
#[derive(Debug, Default, PartialEq)]
pub struct FilterTerms {
    ends: ConnectionFilter,
    after: Option<TimeOfDay>,
    before: Option<TimeOfDay>,
}

impl FilterTerms {
    /// Parses `host`, `port`, `not`, `after hh:mm:ss` and `before hh:mm:ss`,
    /// joined by `and`.
    pub fn parse(text: &str) -> Result<FilterTerms, String> {
        let mut wanted = FilterTerms::default();
        let mut ends = Vec::new();
        for term in text.split(" and ").map(str::trim).filter(|t| !t.is_empty()) {
            let time = |clock: &str| {
                parse_time(clock.trim()).ok_or_else(|| format!("`{clock}` is not a time like 11:15:39.5"))
            };
            match term.split_once(' ') {
                Some(("after", clock)) => wanted.after = Some(time(clock)?),
                Some(("before", clock)) => wanted.before = Some(time(clock)?),
                _ => ends.push(term),
            }
        }
        wanted.ends = ConnectionFilter::parse(&ends.join(" and "))?;
        Ok(wanted)
    }

    /// Whether the filter has times, which need the day of the capture.
    pub fn has_times(&self) -> bool {
        self.after.is_some() || self.before.is_some()
    }

    /// Sets the options; times are of the day of `first_ns`, or of the next day if the capture
    /// begins later in the day.
    pub fn apply(&self, options: &mut AnalysisOptions, first_ns: i64) {
        options.filter = self.ends.clone();
        let day = first_ns.div_euclid(DAY_NS) * DAY_NS;
        let at = |time: TimeOfDay| day + time.0 as i64;
        let after = self.after.map(at);
        let mut before = self.before.map(at);
        if let (Some(from), Some(to)) = (after, before) {
            before = Some(if to < from { to + DAY_NS } else { to });
        }
        options.from_ns = after;
        options.to_ns = before;
    }
}

const DAY_NS: i64 = 86_400_000_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_of_both_kinds_are_distinguished() {
        let wanted = FilterTerms::parse("host 10.0.0.1 and after 11:15:39 and port 80 and before 11:16:00.5").unwrap();
        let mut options = AnalysisOptions::default();
        wanted.apply(&mut options, 5 * DAY_NS + 1);
        assert_eq!(options.from_ns, Some(5 * DAY_NS + 40_539_000_000_000));
        assert_eq!(options.to_ns, Some(5 * DAY_NS + 40_560_500_000_000));
        assert!(!options.filter.is_empty());
        assert!(FilterTerms::parse("after noon").is_err());
        assert!(FilterTerms::parse("colour red").is_err());
        assert!(!FilterTerms::parse("").unwrap().has_times());
    }

    #[test]
    fn a_range_may_cross_midnight() {
        let wanted = FilterTerms::parse("after 23:59:00 and before 00:01:00").unwrap();
        let mut options = AnalysisOptions::default();
        wanted.apply(&mut options, 0);
        assert_eq!(options.to_ns, Some(DAY_NS + 60_000_000_000));
    }
}
