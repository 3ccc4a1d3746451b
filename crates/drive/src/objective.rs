//! Objectives, the bounds that a report must meet: `p99<20ms`, `errors=0`,
//! `errors<=0.1%`, `throughput>900/s`, `cpu<50us`.

use crate::units::parse_duration;
use measure::report::{LoadReport, PopulationReport};
use std::fmt;
use thiserror::Error;

/// One objective.
#[derive(Clone, Debug, PartialEq)]
pub struct Objective {
    text: String,
    figure: ObjectiveFigure,
    relation: BoundRelation,
    bound: f64,
}

/// A syntax error in an objective.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{text}`, column {}: {why}", self.column())]
pub struct ObjectiveError {
    /// The objective as it was written.
    pub text: String,
    /// The byte offset of the error in the text.
    pub at: usize,
    /// The message, with a correct example.
    pub why: String,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum ObjectiveFigure {
    Quantile(f64),
    Mean,
    Max,
    Errors,
    ErrorShare,
    Throughput,
    ServerCpu,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum BoundRelation {
    Below,
    AtMost,
    Equal,
    AtLeast,
    Above,
}

/// Operators, longer ones first.
const OPERATORS: &[(&str, BoundRelation)] = &[
    ("<=", BoundRelation::AtMost),
    (">=", BoundRelation::AtLeast),
    ("≤", BoundRelation::AtMost),
    ("≥", BoundRelation::AtLeast),
    ("<", BoundRelation::Below),
    (">", BoundRelation::Above),
    ("=", BoundRelation::Equal),
];

/// Characters of operators, and those that users mistake for operators.
const OPERATOR_CHARACTERS: &[char] = &['<', '>', '=', '≤', '≥', '!', '~', ':'];

impl Objective {
    /// Parses an objective: a figure, an operator, a bound with its unit.
    /// Blanks between them are allowed.
    pub fn parse(text: &str) -> Result<Objective, ObjectiveError> {
        let wrong = |at: usize, why: String| ObjectiveError {
            text: text.to_owned(),
            at,
            why,
        };
        let place = |part: &str| part.as_ptr() as usize - text.as_ptr() as usize;
        let from = text.find(OPERATOR_CHARACTERS).unwrap_or(text.len());
        let (name, rest) = text.split_at(from);
        let to = rest.find(|c| !OPERATOR_CHARACTERS.contains(&c));
        let (operator, value) = rest.split_at(to.unwrap_or(rest.len()));
        let (name, value) = (name.trim(), value.trim());
        let percents = value.ends_with('%');
        let (figure, example) = match name {
            "mean" => (ObjectiveFigure::Mean, "mean<5ms"),
            "max" => (ObjectiveFigure::Max, "max<1s"),
            "errors" if percents => (ObjectiveFigure::ErrorShare, "errors<=0.1%"),
            "errors" => (ObjectiveFigure::Errors, "errors=0 or errors<=0.1%"),
            "throughput" => (ObjectiveFigure::Throughput, "throughput>900/s"),
            "cpu" => (ObjectiveFigure::ServerCpu, "cpu<50us"),
            _ => match quantile_of(name) {
                Some(q) => (ObjectiveFigure::Quantile(q), "p99<20ms"),
                None => {
                    let what = match name {
                        "" => "a figure is missing".to_owned(),
                        name => format!("`{name}` is not a figure"),
                    };
                    let why = format!(
                        "{what}; figures are percentiles such as p50 and p99.9, mean, max, errors, throughput and cpu, as in p99<20ms"
                    );
                    return Err(wrong(place(name), why));
                }
            },
        };
        let operators = match figure {
            ObjectiveFigure::Errors | ObjectiveFigure::ErrorShare => "<, <=, =, >= and >",
            _ => "<, <=, >= and >",
        };
        let relation = OPERATORS.iter().find(|o| o.0 == operator).map(|o| o.1);
        let counted = matches!(
            figure,
            ObjectiveFigure::Errors | ObjectiveFigure::ErrorShare
        );
        let relation = match relation {
            Some(BoundRelation::Equal) if !counted => {
                let why = format!(
                    "`=` cannot be met by a measured time or rate; write {operators}, as in {example}"
                );
                return Err(wrong(from, why));
            }
            Some(relation) => relation,
            None if operator.is_empty() => {
                let why = format!("an operator ({operators}) is missing, as in {example}");
                return Err(wrong(from, why));
            }
            None => {
                let why = format!(
                    "`{operator}` is not an operator; operators are {operators}, as in {example}"
                );
                return Err(wrong(from, why));
            }
        };
        let bound = bound(figure, value).map_err(|why| {
            let at = if value.is_empty() {
                text.len()
            } else {
                place(value)
            };
            wrong(at, format!("{why}, as in {example}"))
        })?;
        Ok(Objective {
            text: text.to_owned(),
            figure,
            relation,
            bound,
        })
    }

    /// Whether judging it needs an observed server.
    pub fn needs_observation(&self) -> bool {
        self.figure == ObjectiveFigure::ServerCpu
    }

    /// The figure in a report, in the objective's unit. Returns `None` if the
    /// report does not have it.
    pub fn value(&self, report: &LoadReport) -> Option<f64> {
        let sum = report.sum()?;
        let errors = (sum.failed + sum.checks_failed + sum.unsent) as f64;
        let l = &sum.response;
        match self.figure {
            ObjectiveFigure::Errors => Some(errors),
            ObjectiveFigure::ErrorShare => Some(errors / sum.sent.max(1) as f64 * 100.0),
            ObjectiveFigure::Throughput => Some(report.throughput),
            ObjectiveFigure::ServerCpu => report.server_cpu_us(),
            _ if l.count == 0 => None,
            ObjectiveFigure::Quantile(q) => Some(quantile(sum, q)),
            ObjectiveFigure::Mean => Some(l.mean),
            ObjectiveFigure::Max => Some(l.max),
        }
    }

    /// Whether a report meets it. A missing figure does not meet it.
    pub fn met(&self, report: &LoadReport) -> bool {
        self.value(report).is_some_and(|value| self.is_kept(value))
    }

    fn is_kept(&self, value: f64) -> bool {
        match self.relation {
            BoundRelation::Below => value < self.bound,
            BoundRelation::AtMost => value <= self.bound,
            BoundRelation::Equal => value == self.bound,
            BoundRelation::AtLeast => value >= self.bound,
            BoundRelation::Above => value > self.bound,
        }
    }

    /// Whether the mean over repetitions meets it.
    pub fn met_by(&self, reports: &[LoadReport]) -> bool {
        let values: Option<Vec<f64>> = reports.iter().map(|r| self.value(r)).collect();
        let values = values.filter(|values| !values.is_empty());
        values.is_some_and(|v| self.is_kept(v.iter().sum::<f64>() / v.len() as f64))
    }

    /// The figure of a report with its unit, as text.
    pub fn figure_text(&self, report: &LoadReport) -> String {
        let Some(value) = self.value(report) else {
            return match self.figure {
                ObjectiveFigure::ServerCpu => "no server's CPU could be read".into(),
                _ => "no request was answered".into(),
            };
        };
        match self.figure {
            ObjectiveFigure::Errors => format!("{value}"),
            ObjectiveFigure::ErrorShare => format!("{value:.4} %"),
            ObjectiveFigure::Throughput => format!("{value:.1}/s"),
            ObjectiveFigure::ServerCpu => format!("{value:.2} µs"),
            ObjectiveFigure::Quantile(_) | ObjectiveFigure::Mean | ObjectiveFigure::Max => {
                format!("{value:.3} ms")
            }
        }
    }
}

impl fmt::Display for Objective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl ObjectiveError {
    /// The column of the error, from 1, in characters.
    pub fn column(&self) -> usize {
        let before = self.text.get(..self.at);
        before.map_or(0, |text| text.chars().count()) + 1
    }
}

/// Parses `p99.9` as 0.999.
fn quantile_of(name: &str) -> Option<f64> {
    let digits = name.strip_prefix('p')?;
    let plain = digits.chars().all(|c| c.is_ascii_digit() || c == '.');
    let percent: f64 = digits.parse().ok().filter(|_| plain)?;
    (0.0..=100.0).contains(&percent).then_some(percent / 100.0)
}

/// Parses a bound in the unit of the figure: ms, µs of CPU, answers/s, errors, or
/// percent of errors.
fn bound(figure: ObjectiveFigure, value: &str) -> Result<f64, String> {
    if value.is_empty() {
        return Err("the bound is missing".into());
    }
    let number = |text: &str| -> Option<f64> {
        let parsed: Option<f64> = text.trim().parse().ok();
        parsed.filter(|n| n.is_finite() && *n >= 0.0)
    };
    match figure {
        ObjectiveFigure::Errors => {
            let whole: Option<u64> = value.parse().ok();
            let whole = whole.ok_or("errors are a whole number or a percentage");
            Ok(whole? as f64)
        }
        ObjectiveFigure::ErrorShare => {
            let percent = number(value.trim_end_matches('%')).filter(|p| *p <= 100.0);
            let one = value.matches('%').count() == 1;
            let percent = percent.filter(|_| one);
            percent.ok_or(format!("`{value}` is not a percentage from 0% to 100%"))
        }
        ObjectiveFigure::Throughput => {
            let digits = value.strip_suffix("/s").unwrap_or(value);
            number(digits).ok_or(format!("`{value}` is not a rate in answers/s"))
        }
        ObjectiveFigure::Quantile(_)
        | ObjectiveFigure::Mean
        | ObjectiveFigure::Max
        | ObjectiveFigure::ServerCpu => {
            let units = "ns, us, ms, s, m or h";
            if number(value).is_some() {
                return Err(format!("`{value}` has no unit ({units})"));
            }
            let plain: String = value.split_whitespace().collect();
            let duration = parse_duration(&plain.replace('µ', "u"));
            let duration = duration.map_err(|_| {
                format!("`{value}` is not a duration: a number and a unit ({units})")
            })?;
            let scale = if figure == ObjectiveFigure::ServerCpu {
                1e6
            } else {
                1e3
            };
            Ok(duration.as_secs_f64() * scale)
        }
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

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A report of 100 requests.
    pub(crate) fn report(p99: f64, throughput: f64, failed: u64) -> LoadReport {
        let mut population = PopulationReport {
            sent: 100,
            failed,
            ..PopulationReport::default()
        };
        population.response.count = 100;
        population.response.p99 = p99;
        LoadReport {
            throughput,
            populations: vec![population],
            ..LoadReport::default()
        }
    }

    #[test]
    fn objectives_are_read_and_judged() {
        let report = report(15.0, 950.0, 1);
        for (text, met) in [
            ("p99<20ms", true),
            ("p99 < 0.02 s", true),
            ("p99<15ms", false),
            ("p99<=15ms", true),
            ("p99≤15000us", true),
            ("p99<15000.1µs", true),
            ("p99>=15ms", true),
            ("p99>15ms", false),
            ("errors=0", false),
            ("errors=1", true),
            ("errors<1%", false),
            ("errors<=1%", true),
            ("errors<=0.5%", false),
            ("errors<2", true),
            ("throughput>900", true),
            ("throughput>=950/s", true),
            ("throughput>950/s", false),
            ("throughput>1000", false),
            ("cpu<5us", false),
        ] {
            assert_eq!(Objective::parse(text).unwrap().met(&report), met, "{text}");
        }
    }

    #[test]
    fn what_is_wrong_is_reported_with_its_place_and_an_example() {
        for (text, column, word, example) in [
            ("p99<<20ms", 4, "`<<` is not an operator", "p99<20ms"),
            ("p99=<20ms", 4, "`=<` is not an operator", "p99<20ms"),
            ("p99==20ms", 4, "`==` is not an operator", "p99<20ms"),
            ("p99 != 20ms", 5, "`!=` is not an operator", "p99<20ms"),
            ("p99=20ms", 4, "`=` cannot be met", "p99<20ms"),
            ("p99", 4, "an operator", "p99<20ms"),
            ("p99<", 5, "the bound is missing", "p99<20ms"),
            ("p99<20", 5, "`20` has no unit", "p99<20ms"),
            ("p99<20zz", 5, "`20zz` is not a duration", "p99<20ms"),
            ("p99<-1ms", 5, "`-1ms` is not a duration", "p99<20ms"),
            (
                "p99<20ms<30ms",
                5,
                "`20ms<30ms` is not a duration",
                "p99<20ms",
            ),
            ("p101<1ms", 1, "`p101` is not a figure", "p99<20ms"),
            ("pinf<1ms", 1, "`pinf` is not a figure", "p99<20ms"),
            ("", 1, "a figure is missing", "p99<20ms"),
            ("<20ms", 1, "a figure is missing", "p99<20ms"),
            ("latency<1ms", 1, "`latency` is not a figure", "p99<20ms"),
            ("errors<x", 8, "whole number", "errors=0"),
            ("errors<=1.5", 9, "whole number", "errors=0"),
            (
                "errors<=1%%",
                9,
                "`1%%` is not a percentage",
                "errors<=0.1%",
            ),
            (
                "errors<101%",
                8,
                "`101%` is not a percentage",
                "errors<=0.1%",
            ),
            ("errors<1ms", 8, "whole number", "errors=0"),
            ("throughput>900ms", 12, "not a rate", "throughput>900/s"),
            ("throughput>nan", 12, "not a rate", "throughput>900/s"),
            ("cpu<50", 5, "`50` has no unit", "cpu<50us"),
            ("cpu<50%", 5, "`50%` is not a duration", "cpu<50us"),
        ] {
            let error = Objective::parse(text).unwrap_err();
            assert_eq!(error.column(), column, "{error}");
            assert!(error.why.contains(word), "{error}");
            assert!(
                error.why.ends_with(&format!("as in {example}"))
                    || error.why.contains(&format!("as in {example} or")),
                "{error}"
            );
            let example = example.split(" or ").next().unwrap();
            assert!(Objective::parse(example).is_ok());
        }
    }
}
