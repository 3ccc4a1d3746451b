//! One reading of `/metrics`: counters and gauges by name, and how much they
//! grew since an earlier reading.
//!
//! Reference: Prometheus text exposition format 0.0.4.

use std::collections::BTreeMap;

/// A reading. A series is named as in the text, labels included.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MetricsReading(BTreeMap<String, f64>);

impl MetricsReading {
    /// Parses the text; lines without figures are skipped.
    pub fn parse(text: &str) -> MetricsReading {
        let figures = text.lines().filter(|line| !line.starts_with('#'));
        let series = figures.filter_map(|line| {
            let (name, value) = line.trim().rsplit_once(' ')?;
            Some((name.trim().to_owned(), value.parse().ok()?))
        });
        MetricsReading(series.collect())
    }

    /// A series; 0 where it is not there.
    pub fn get(&self, series: &str) -> f64 {
        self.0.get(series).copied().unwrap_or(0.0)
    }

    /// The increase of a counter since `earlier`.
    pub fn since(&self, earlier: &MetricsReading, series: &str) -> f64 {
        self.get(series) - earlier.get(series)
    }

    /// Tasks that ended so far, normally or not.
    pub fn tasks_ended(&self) -> f64 {
        self.get("tupelo_region_tasks_ok_total") + self.get("tupelo_region_tasks_abended_total")
    }

    /// Tasks admitted or waiting now.
    pub fn tasks_open(&self) -> f64 {
        self.get("tupelo_region_tasks_active") + self.get("tupelo_region_tasks_waiting")
    }

    /// CPU time of the server so far with its workers, in seconds.
    pub fn cpu_s(&self) -> f64 {
        self.get("process_cpu_seconds_total")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn series_are_kept_with_their_labels_and_what_grew_is_a_difference() {
        let parse = |ok: u32| {
            MetricsReading::parse(&format!(
                "# TYPE tupelo_region_tasks_ok_total counter\ntupelo_region_tasks_ok_total {ok}\n\
                 x_seconds{{kind=\"a b\"}} 0.25\nprocess_cpu_seconds_total 1.5\nbroken\n"
            ))
        };
        let (before, after) = (parse(10), parse(25));
        assert_eq!(after.since(&before, "tupelo_region_tasks_ok_total"), 15.0);
        assert_eq!(after.get("x_seconds{kind=\"a b\"}"), 0.25);
        assert_eq!((after.tasks_ended(), after.cpu_s()), (25.0, 1.5));
        assert_eq!(after.get("broken"), 0.0);
    }

    proptest::proptest! {
        #[test]
        fn never_panics(text in ".{0,200}") {
            let _ = MetricsReading::parse(&text);
        }
    }
}
