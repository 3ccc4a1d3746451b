//! Percentiles of response times: the horizontal axis stretches towards 100 %, so
//! that p99.9 has as much room as p90.

use super::{ChartAxis, ChartSeries, LineChart};

/// Curves of quantiles (0 to 1) in milliseconds; the first one sets the range.
pub fn percentile_chart(title: &str, curves: &[(&str, &[(f64, f64)])]) -> LineChart {
    let line = |(name, curve): &(&str, &[(f64, f64)])| ChartSeries {
        name: (*name).into(),
        points: curve
            .iter()
            .filter(|c| c.0 < 1.0)
            .map(|(q, ms)| (rarity(*q), *ms))
            .collect(),
        ..ChartSeries::default()
    };
    let first = curves.iter().take(1).flat_map(|(_, curve)| *curve);
    let last = first.filter(|c| c.0 < 1.0).map(|c| c.0).fold(0.9, f64::max);
    let shown = TICKS.iter().filter(|tick| tick.0 <= last);
    LineChart {
        title: title.into(),
        x: ChartAxis {
            ticks: shown
                .map(|(q, text)| (rarity(*q), (*text).to_owned()))
                .collect(),
            name: Some(quantile),
            ..ChartAxis::log("share of requests that are faster")
        },
        y: ChartAxis::log("ms"),
        series: curves.iter().map(line).collect(),
        ..LineChart::default()
    }
}

/// The horizontal position of a quantile.
fn rarity(quantile: f64) -> f64 {
    1.0 / (1.0 - quantile).max(1e-9)
}

/// The percentage of faster requests at a position of the horizontal axis, with
/// enough digits to differ from its neighbours.
fn quantile(rarity: f64) -> String {
    let digits = rarity.max(1.0).log10().ceil() as usize;
    let share = format!("{:.digits$}", 100.0 - 100.0 / rarity.max(1.0));
    let share = if share.contains('.') {
        share.trim_end_matches('0').trim_end_matches('.')
    } else {
        &share
    };
    format!("{share} % are faster")
}

const TICKS: [(f64, &str); 6] = [
    (0.5, "p50"),
    (0.9, "p90"),
    (0.99, "p99"),
    (0.999, "p99.9"),
    (0.9999, "p99.99"),
    (0.99999, "99.999 %"),
];

#[cfg(test)]
mod tests {
    use super::super::picture::WIDE;
    use super::*;

    #[test]
    fn every_percentile_under_the_pointer_has_its_own_name() {
        let quantiles = (0..1000).map(|i| 1.0 - 0.985f64.powi(i));
        let curve: Vec<(f64, f64)> = quantiles.map(|q| (q, 1.0 + q)).collect();
        let svg = percentile_chart("Percentiles", &[("response", &curve)]).pictures();
        let svg = svg.into_string();
        let heads = svg.split("<g class=\"tip\">").skip(1);
        let head = |tip: &str| {
            tip.split(['>', '<'])
                .find(|t| t.ends_with("faster"))
                .map(str::to_owned)
        };
        let heads: Vec<String> = heads.filter_map(head).collect();
        let wide = &heads[..heads.len().min(WIDE.places)];
        assert_eq!(wide.len(), WIDE.places, "{heads:?}");
        let mut once = wide.to_vec();
        once.dedup();
        assert_eq!(once, wide);
    }

    #[test]
    fn a_percentile_has_as_many_digits_as_it_needs() {
        for (rarity, name) in [
            (1.0, "0 %"),
            (2.0, "50 %"),
            (10.0, "90 %"),
            (40.0, "97.5 %"),
            (100.0, "99 %"),
            (2000.0, "99.95 %"),
            (1e5, "99.999 %"),
        ] {
            assert_eq!(quantile(rarity), format!("{name} are faster"));
        }
    }
}
