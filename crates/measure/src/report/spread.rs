//! The distribution of response times: a histogram, and a heatmap over time. Two
//! modes of answering, such as cache hits and misses, appear as two bands where
//! percentiles show one line.

use maud::Markup;
use page::chart::{ChartAxis, ChartColumn, ColumnChart, HeatChart, HeatColumn};
use page::short;

use super::model::{LatencyReport, ReportInterval};

/// The card of the histogram. Returns `None` if there are too few requests.
pub(super) fn histogram(latency: &LatencyReport) -> Option<Markup> {
    let shape = &latency.shape;
    if latency.count < FEWEST || shape.len() < 2 {
        return None;
    }
    let column = |(k, n): &(i32, u64)| {
        let (from, to) = (edge(*k), edge(k + 1));
        let share = *n as f64 / latency.count.max(1) as f64 * 100.0;
        ChartColumn {
            from,
            to,
            value: share,
            lines: vec![
                format!("{} to {} ms", short(from), short(to)),
                format!("{share:.2} %, {n} requests"),
            ],
        }
    };
    let chart = ColumnChart {
        title: "Distribution of response times".into(),
        x: ChartAxis::log("ms"),
        y: ChartAxis::from_zero("% of the requests"),
        columns: shape.iter().map(column).collect(),
    };
    Some(chart.card(""))
}

/// The card of the heatmap. Returns `None` if the run has too few intervals.
pub(super) fn heatmap(timeline: &[ReportInterval]) -> Option<Markup> {
    let answered = timeline.iter().filter(|m| !m.shape.is_empty()).count();
    if answered < FEWEST_INTERVALS {
        return None;
    }
    let mut from = 0.0;
    let columns = timeline.iter().map(|interval| {
        let column = HeatColumn {
            from,
            to: interval.at_s,
            counts: interval.shape.iter().copied().collect(),
        };
        from = column.to;
        column
    });
    let chart = HeatChart {
        title: "Response times over time".into(),
        x: ChartAxis::from_zero("seconds"),
        y: ChartAxis::log("ms"),
        columns: columns.collect(),
        bound: edge,
        lines: of_interval,
    };
    Some(chart.card("The stronger the colour, the more of an interval's requests took that long."))
}

/// The text at the pointer for an interval.
fn of_interval(column: &HeatColumn) -> Vec<String> {
    let mut lines = vec![
        format!("{} to {} s", short(column.from), short(column.to)),
        format!("{} requests", column.count()),
    ];
    if let Some((k, _)) = column.counts.iter().max_by_key(|(_, n)| **n) {
        lines.push(format!(
            "most {} to {} ms",
            short(edge(*k)),
            short(edge(k + 1))
        ));
    }
    lines
}

/// The lower bound of a bucket, in ms.
fn edge(bucket: i32) -> f64 {
    crate::Histogram::bucket_begin_ns(bucket) / 1e6
}

/// Fewer requests do not show a distribution.
const FEWEST: u64 = 100;
/// Fewer intervals do not show a change.
const FEWEST_INTERVALS: usize = 3;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Histogram;

    fn histogram_of(ms: &[f64]) -> Histogram {
        let mut histogram = Histogram::default();
        for ms in ms {
            histogram.record((ms * 1e6) as u64);
        }
        histogram
    }

    #[test]
    fn the_columns_hold_every_request() {
        let times: Vec<f64> = (1..=1000).map(|i| f64::from(i) / 100.0).collect();
        let latency = LatencyReport::of(&histogram_of(&times));
        assert_eq!(latency.shape.iter().map(|s| s.1).sum::<u64>(), 1000);
        let card = histogram(&latency).unwrap().into_string();
        assert_eq!(card.matches("<svg").count(), 2);
        assert_eq!(card.matches("class=\"columns\"").count(), 2);
        assert!(histogram(&LatencyReport::default()).is_none());
    }

    #[test]
    fn the_heatmap_has_a_shade_for_each_share_and_needs_some_intervals() {
        let moment = |at_s: f64, ms: &[f64]| ReportInterval {
            at_s,
            shape: histogram_of(ms).shape(),
            ..ReportInterval::default()
        };
        let mut timeline: Vec<ReportInterval> = (1..=100)
            .map(|i| moment(f64::from(i), &[1.0, 1.0, 1.0, 50.0]))
            .collect();
        let card = heatmap(&timeline).unwrap().into_string();
        assert!(
            card.contains("heat h5") && card.contains("heat h4"),
            "{card}"
        );
        // Three intervals are one column.
        assert!(card.contains("0 to 3 s") && card.contains("12 requests"));
        timeline.truncate(2);
        assert!(heatmap(&timeline).is_none());
    }
}
