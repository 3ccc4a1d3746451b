//! Objectives: what a report has to meet, as people write it (`p99<20ms`,
//! `errors=0`, `throughput>900`), and the comparison with a stored report.

use crate::units::parse_duration;
use measure::report::{PopulationReport, Report};
use std::fmt;

/// One objective.
#[derive(Clone, Debug, PartialEq)]
pub struct Objective {
    text: String,
    figure: Figure,
    relation: Relation,
    bound: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Figure {
    Quantile(f64),
    Mean,
    Max,
    Errors,
    ErrorShare,
    Throughput,
    ServerCpu,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Relation {
    AtMost,
    AtLeast,
}

impl Objective {
    /// Parses an objective.
    pub fn parse(text: &str) -> Result<Objective, String> {
        let at = text.find(['<', '>', '=']).ok_or_else(|| {
            format!("`{text}`: write for example p99<20ms, errors=0 or throughput>900")
        })?;
        let (name, rest) = text.split_at(at);
        let relation = if rest.starts_with('>') {
            Relation::AtLeast
        } else {
            Relation::AtMost
        };
        let value = rest.trim_start_matches(['<', '>', '=']).trim();
        if value.is_empty() {
            return Err(format!(
                "`{text}` names no bound; write for example p99<20ms"
            ));
        }
        let figure = match name.trim() {
            "mean" => Figure::Mean,
            "max" => Figure::Max,
            "errors" if value.ends_with('%') => Figure::ErrorShare,
            "errors" => Figure::Errors,
            "throughput" => Figure::Throughput,
            "cpu" => Figure::ServerCpu,
            name => {
                let percent: Option<f64> = name.strip_prefix('p').and_then(|p| p.parse().ok());
                let percent = percent.filter(|p| (0.0..=100.0).contains(p));
                Figure::Quantile(percent.ok_or_else(|| {
                    format!("`{name}` is no figure; there are p50 to p99.999, mean, max, errors, throughput, cpu")
                })? / 100.0)
            }
        };
        let number = |text: &str| {
            let parsed: Result<f64, _> = text.trim().parse();
            parsed.map_err(|_| format!("`{value}` is not a number"))
        };
        let bound = match figure {
            Figure::Errors | Figure::Throughput => number(value)?,
            Figure::ErrorShare => number(value.trim_end_matches('%'))?,
            Figure::Quantile(_) | Figure::Mean | Figure::Max => {
                parse_duration(value)?.as_secs_f64() * 1e3
            }
            Figure::ServerCpu => parse_duration(value)?.as_secs_f64() * 1e6,
        };
        Ok(Objective {
            text: text.to_owned(),
            figure,
            relation,
            bound,
        })
    }

    /// The figure in a report, in the objective's unit; none when the report
    /// does not have it.
    pub fn value(&self, report: &Report) -> Option<f64> {
        let sum = report.sum()?;
        let errors = (sum.failed + sum.checks_failed + sum.unsent) as f64;
        let l = &sum.response;
        match self.figure {
            Figure::Errors => Some(errors),
            Figure::ErrorShare => Some(errors / sum.sent.max(1) as f64 * 100.0),
            Figure::Throughput => Some(report.throughput),
            Figure::ServerCpu => report.server_cpu_us(),
            _ if l.count == 0 => None,
            Figure::Quantile(q) => Some(quantile(sum, q)),
            Figure::Mean => Some(l.mean),
            Figure::Max => Some(l.max),
        }
    }

    /// Whether a report meets it. A figure that is missing meets nothing.
    pub fn met(&self, report: &Report) -> bool {
        self.value(report).is_some_and(|value| match self.relation {
            Relation::AtMost => value <= self.bound,
            Relation::AtLeast => value >= self.bound,
        })
    }
}

impl fmt::Display for Objective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn quantile(sum: &PopulationReport, q: f64) -> f64 {
    let l = &sum.response;
    let known = [
        (0.5, l.p50),
        (0.9, l.p90),
        (0.95, l.p95),
        (0.99, l.p99),
        (0.999, l.p999),
        (1.0, l.max),
    ];
    if let Some((_, ms)) = known.iter().find(|(k, _)| (k - q).abs() < 1e-12) {
        return *ms;
    }
    let above = l.curve.iter().find(|(at, _)| *at >= q);
    above.map_or(l.max, |(_, ms)| *ms)
}

/// What has become worse than in a stored report by more than `tolerance`
/// percent, in sentences.
pub fn regressions(baseline: &Report, report: &Report, tolerance: f64) -> Vec<String> {
    let mut found = Vec::new();
    let (Some(was), Some(is)) = (baseline.sum(), report.sum()) else {
        return vec!["one of the two reports is empty".into()];
    };
    let factor = 1.0 + tolerance / 100.0;
    let mut larger = |name: &str, was: f64, is: f64, unit: &str| {
        if is > was * factor {
            let percent = (is / was - 1.0) * 100.0;
            found.push(format!(
                "{name} was {was:.3} {unit} and is {is:.3} ({percent:+.0} %)"
            ));
        }
    };
    larger("p50", was.response.p50, is.response.p50, "ms");
    larger("p99", was.response.p99, is.response.p99, "ms");
    if let (Some(was), Some(is)) = (baseline.server_cpu_us(), report.server_cpu_us()) {
        larger("server CPU per answer", was, is, "µs");
    }
    let share = |p: &PopulationReport| (p.failed + p.checks_failed) as f64 / p.sent.max(1) as f64;
    if share(is) > share(was) {
        found.push(format!(
            "errors were {:.3} % and are {:.3} %",
            share(was) * 100.0,
            share(is) * 100.0
        ));
    }
    if report.throughput * factor < baseline.throughput {
        found.push(format!(
            "throughput was {:.1} answers/s and is {:.1}",
            baseline.throughput, report.throughput
        ));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(p99: f64, throughput: f64) -> Report {
        let mut population = PopulationReport {
            sent: 100,
            ..PopulationReport::default()
        };
        population.response.count = 100;
        population.response.p99 = p99;
        Report {
            throughput,
            populations: vec![population],
            ..Report::default()
        }
    }

    #[test]
    fn objectives_are_read_and_judged() {
        let report = report(15.0, 950.0);
        for (text, met) in [
            ("p99<20ms", true),
            ("p99<=10ms", false),
            ("errors=0", true),
            ("errors<1%", true),
            ("throughput>900", true),
            ("throughput>1000", false),
            ("cpu<5us", false),
        ] {
            assert_eq!(Objective::parse(text).unwrap().met(&report), met, "{text}");
        }
        for wrong in ["p99", "x<1", "p101<1ms", "errors<x", "p99<20zz"] {
            assert!(Objective::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn only_what_became_worse_is_a_regression() {
        let base = report(10.0, 1000.0);
        assert_eq!(
            regressions(&base, &report(10.5, 980.0), 10.0),
            Vec::<String>::new()
        );
        assert_eq!(regressions(&base, &report(15.0, 500.0), 10.0).len(), 2);
    }
}
