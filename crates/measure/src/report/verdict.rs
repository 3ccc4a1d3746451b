//! The result of a run in one sentence: the rate, p99, and the errors. Also the
//! distribution of response times as bars of characters.

use super::model::{LatencyReport, LoadReport};
use std::fmt::Write;

/// The verdict of a report. Returns `None` if nothing was measured.
pub(super) fn verdict(report: &LoadReport) -> Option<String> {
    let sum = report.sum()?;
    if let Some(curve) = &report.curve {
        let unit = &curve.unit;
        return Some(match (curve.highest_good, curve.lowest_bad) {
            (Some(good), Some(bad)) => {
                let again = match curve.met_again().next() {
                    Some(load) => {
                        format!(", and at {load:.0} it meets them again: the limit is not sharp")
                    }
                    None => String::new(),
                };
                format!(
                    "It meets {} up to {good:.0} {unit}; at {bad:.0} it does not{again}.",
                    curve.objectives
                )
            }
            (Some(good), None) => format!(
                "It meets {} up to {good:.0} {unit}, the highest load tried.",
                curve.objectives
            ),
            (None, _) => match curve.met_after_the_lowest() {
                Some(met) => format!("The limit is not sharp: {met}."),
                None => format!("No load tried meets {}.", curve.objectives),
            },
        });
    }
    if sum.answered == 0 {
        return Some("No request was answered.".into());
    }
    let wrong = sum.failed + sum.checks_failed;
    let ended = sum.answered + sum.failed;
    let errors = match wrong {
        0 => "none failed".to_owned(),
        wrong => format!(
            "{} of {ended} failed or were wrong ({:.2} %)",
            wrong,
            wrong as f64 / ended.max(1) as f64 * 100.0
        ),
    };
    let silent = report.silent_s();
    if wrong * 2 > ended && silent.is_none() {
        return Some(format!(
            "Mostly errors: {errors}; the figures describe errors."
        ));
    }
    let (throughput, p99) = (report.throughput, time(sum.response.p99));
    let answered = |throughput| {
        let rate = rate(throughput);
        format!("{rate} answers/s, p99 {p99}; {errors}.")
    };
    Some(match silent {
        None => answered(throughput),
        Some(silent) => {
            let (whole, before) = (report.measured_s, report.measured_s - silent);
            format!(
                "No request was answered in the last {silent:.1} of {whole:.1} s; before, {}",
                answered(throughput * whole / before.max(1e-9))
            )
        }
    })
}

/// A hint how to improve the next run's figures. Returns `None` if no
/// hint applies.
pub(super) fn tip(report: &LoadReport) -> Option<&'static str> {
    let answered = report.sum().is_some_and(|sum| sum.answered > 0);
    let cold = answered && report.warmup_s <= 0.0 && report.curve.is_none();
    cold.then_some(
        "There was no warm-up: requests that opened connections and filled caches are included. \
         --warmup 5s with -t leaves them out.",
    )
}

fn rate(value: f64) -> String {
    match value {
        v if v >= 100.0 => format!("{v:.0}"),
        v => format!("{v:.1}"),
    }
}

fn time(ms: f64) -> String {
    match ms {
        v if v >= 10_000.0 => format!("{:.1} s", v / 1e3),
        v if v >= 10.0 => format!("{v:.0} ms"),
        v if v >= 1.0 => format!("{v:.1} ms"),
        v => format!("{:.0} µs", v * 1e3),
    }
}

/// Bars of the percentage of requests between two times, from the quantiles in a
/// report. Empty if there are too few requests.
pub(super) fn bars(latency: &LatencyReport) -> String {
    let (low, high) = (latency.min, latency.max);
    if latency.count < FEWEST || low <= 0.0 || high <= low || latency.curve.len() < 3 {
        return String::new();
    }
    let edge = |i: usize| low * (high / low).powf(i as f64 / BARS as f64);
    let shares: Vec<f64> = (0..BARS)
        .map(|i| below(latency, edge(i + 1)) - below(latency, edge(i)))
        .collect();
    let most = shares.iter().copied().fold(0.0, f64::max);
    let mut out = String::new();
    for (i, share) in shares.iter().enumerate() {
        let eighths = (share / most * f64::from(WIDEST) * 8.0).round() as usize;
        let bar = "█".repeat(eighths / 8);
        let rest = EIGHTHS[eighths % 8];
        let _ = writeln!(
            out,
            "  {:>9.3} to {:>9.3} ms {:>6.2} %  {bar}{rest}",
            edge(i),
            edge(i + 1),
            share * 100.0
        );
    }
    out
}

/// The fraction of requests that took at most `ms`, interpolated between the known
/// quantiles.
fn below(latency: &LatencyReport, ms: f64) -> f64 {
    if ms >= latency.max {
        return 1.0;
    }
    let mut before = (0.0, latency.min);
    for (quantile, at) in &latency.curve {
        if *at > ms {
            let span = at - before.1;
            let part = if span > 0.0 {
                (ms - before.1) / span
            } else {
                0.0
            };
            return before.0 + (quantile - before.0) * part.clamp(0.0, 1.0);
        }
        before = (*quantile, *at);
    }
    before.0
}

/// Values as blocks of eight heights, scaled to the highest.
pub fn sparkline(values: impl Iterator<Item = f64> + Clone) -> String {
    let peak = values.clone().filter(|v| v.is_finite()).fold(0.0, f64::max);
    let block = |v: f64| {
        if peak > 0.0 {
            BLOCKS[((v.max(0.0) / peak * 7.0).round() as usize).min(7)]
        } else {
            BLOCKS[0]
        }
    };
    values.map(block).collect()
}

/// Fewer requests do not show a distribution.
const FEWEST: u64 = 100;
const BARS: usize = 8;
/// Width of a bar; the line then fits a terminal of 60 columns.
const WIDEST: u32 = 20;
const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Histogram;
    use crate::report::{PopulationReport, ReportInterval};

    fn report(answered: u64, failed: u64) -> LoadReport {
        let mut sum = PopulationReport {
            sent: answered + failed,
            answered,
            failed,
            ..PopulationReport::default()
        };
        sum.response.p99 = 4.25;
        LoadReport {
            throughput: 1234.5,
            populations: vec![sum],
            ..LoadReport::default()
        }
    }

    #[test]
    fn a_run_without_a_warm_up_is_reported_with_what_that_means() {
        let mut run = report(1000, 0);
        assert!(tip(&run).unwrap().contains("--warmup"));
        assert!(crate::report::text(&run).contains("There was no warm-up"));
        run.warmup_s = 1.0;
        assert_eq!(tip(&run), None);
        assert_eq!(tip(&LoadReport::default()), None);
    }

    #[test]
    fn a_verdict_has_rate_time_and_errors_and_says_when_they_are_most() {
        let verdict_of = |a, f| verdict(&report(a, f)).unwrap();
        assert_eq!(
            verdict_of(1000, 0),
            "1234 answers/s, p99 4.2 ms; none failed."
        );
        assert!(verdict_of(900, 100).contains("100 of 1000 failed or were wrong (10.00 %)"));
        assert!(verdict_of(10, 100).starts_with("Mostly errors"));
        assert_eq!(verdict_of(0, 10), "No request was answered.");
        let mut dead = report(900, 100);
        dead.measured_s = 6.0;
        let moment = |at_s: f64| ReportInterval {
            at_s,
            answered_s: if at_s <= 3.0 { 300.0 } else { 0.0 },
            errors_s: if at_s <= 3.0 { 0.0 } else { 33.0 },
            ..ReportInterval::default()
        };
        dead.timeline = (1..=6).map(f64::from).map(moment).collect();
        let sentence = verdict(&dead).unwrap();
        assert!(
            sentence.starts_with(
                "No request was answered in the last 3.0 of 6.0 s; before, 2469 answers/s"
            ),
            "{sentence}"
        );
        for moment in &mut dead.timeline {
            moment.errors_s = 0.0;
        }
        assert_eq!(dead.silent_s(), None);
        assert_eq!(verdict(&LoadReport::default()), None);
    }

    #[test]
    fn a_sparkline_is_as_high_as_its_highest_value_and_bears_odd_ones() {
        assert_eq!(sparkline([0.0, 1.0, 7.0].into_iter()), "▁▂█");
        assert_eq!(sparkline([0.0, 0.0].into_iter()), "▁▁");
        assert_eq!(sparkline([f64::NAN, -1.0, 2.0].into_iter()), "▁▁█");
        assert_eq!(sparkline([].into_iter()), "");
    }

    #[test]
    fn the_bars_are_all_of_the_requests_and_the_longest_is_where_most_are() {
        let mut histogram = Histogram::default();
        for i in 0..10_000u64 {
            histogram.record(if i % 10 == 0 {
                8_000_000
            } else {
                1_000_000 + i
            });
        }
        let text = bars(&LatencyReport::of(&histogram));
        let shares: Vec<f64> = text
            .lines()
            .map(|l| {
                l.split(" ms")
                    .nth(1)
                    .unwrap()
                    .split('%')
                    .next()
                    .unwrap()
                    .trim()
                    .parse()
                    .unwrap()
            })
            .collect();
        assert_eq!(shares.len(), BARS);
        assert!((shares.iter().sum::<f64>() - 100.0).abs() < 0.1, "{text}");
        assert!(shares[0] > 80.0 && shares[BARS - 1] > 1.0, "{text}");
        assert_eq!(bars(&LatencyReport::default()), "");
    }
}
