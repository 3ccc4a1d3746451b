//! From what the engine recorded to what people read: the report, its
//! warnings, and the figures of one interval.

use crate::engine::{Counts, Failure, Interval, Outcome, PopulationRecord};
use crate::observe::Observed;
use crate::plan::{Arrivals, Load, Plan, Population, Think};
use measure::report::{
    Driver, LatencyReport, Moment, PopulationReport, Report, Server, StepReport,
};
use std::collections::BTreeMap;

/// The report of a run.
pub fn report(
    plan: &Plan,
    outcome: &Outcome,
    timeline: Vec<Moment>,
    servers: Vec<Server>,
    observed: &[Observed],
) -> Report {
    let seconds = outcome.measured_s;
    let mut populations: Vec<PopulationReport> = plan
        .populations
        .iter()
        .zip(&outcome.total.populations)
        .map(|(population, record)| {
            let names: Vec<&str> = population.steps.iter().map(|s| s.name.as_str()).collect();
            population_report(&population.name, &names, record, seconds)
        })
        .collect();
    if populations.len() > 1 {
        populations.push(population_report(
            "all together",
            &[],
            &outcome.sum(),
            seconds,
        ));
    }
    let share = |ns: u64, s: f64| ns as f64 / 1e7 / s.max(1e-9);
    let driver = Driver {
        threads: outcome.threads,
        cpu_s: outcome.cpu_ns as f64 / 1e9,
        cpu_us: outcome.cpu_per_request_ns() / 1e3,
        busiest_percent: share(outcome.busiest_cpu_ns, seconds),
        spin_percent: share(outcome.total.spin_ns, outcome.whole_s),
    };
    let mut report = Report {
        title: plan.title.clone(),
        started: rfc3339(outcome.started_wall),
        load: describe(plan),
        warmup_s: plan.warmup_ns as f64 / 1e9,
        measured_s: seconds,
        throughput: outcome.throughput(),
        populations,
        timeline,
        driver,
        servers,
        messages: outcome.messages().clone(),
        ..Report::default()
    };
    report.warnings = warnings(plan, outcome, &report, observed);
    report
}

/// One population's part of the report.
pub fn population_report(
    name: &str,
    steps: &[&str],
    record: &PopulationRecord,
    seconds: f64,
) -> PopulationReport {
    let c = &record.measured;
    let a_second = |n: u64| {
        if seconds > 0.0 {
            n as f64 / seconds
        } else {
            0.0
        }
    };
    let failures = Failure::ALL.iter().zip(c.failed);
    let steps = steps
        .iter()
        .zip(&record.steps)
        .map(|(name, step)| StepReport {
            name: (*name).to_owned(),
            errors: step.errors,
            response: LatencyReport::of(&step.response),
        });
    PopulationReport {
        name: name.to_owned(),
        sent: c.sent,
        answered: c.answered,
        failed: c.failures(),
        outstanding: c.outstanding(),
        failures: failures
            .filter(|(_, n)| *n > 0)
            .map(|(f, n)| (f.to_string(), n))
            .collect(),
        checks_failed: c.checks_failed,
        status: statuses(c),
        held: c.held,
        unsent: c.unsent,
        throughput: a_second(c.in_window),
        bytes_in_s: a_second(c.bytes_in),
        bytes_out_s: a_second(c.bytes_out),
        gap_variation: record.gaps.variation(),
        lateness: LatencyReport::of(&record.lateness),
        wire: LatencyReport::of(&record.wire),
        response: LatencyReport::of(&record.response),
        connect: LatencyReport::of(&record.connect),
        steps: steps.collect(),
    }
}

/// The figures of one interval.
pub fn moment(plan: &Plan, interval: &Interval, seconds: f64) -> Moment {
    let mut counts = Counts::default();
    let mut sum = PopulationRecord::default();
    for record in &interval.populations {
        counts += &record.whole;
        sum.response.merge(&record.response);
        sum.lateness.merge(&record.lateness);
    }
    let ms = |ns: u64| ns as f64 / 1e6;
    let at_s = (interval.index + 1) as f64 * seconds;
    Moment {
        at_s,
        warmup: at_s <= plan.warmup_ns as f64 / 1e9 + 1e-9,
        sent_s: counts.sent as f64 / seconds,
        answered_s: counts.answered as f64 / seconds,
        errors_s: counts.errors() as f64 / seconds,
        outstanding: interval.outstanding,
        p50: ms(sum.response.quantile(0.5)),
        p99: ms(sum.response.quantile(0.99)),
        max: ms(sum.response.max()),
        late_p99: ms(sum.lateness.quantile(0.99)),
        server_cpu_percent: None,
        server_cpu_us: None,
    }
}

/// The load in words.
pub fn describe(plan: &Plan) -> String {
    let parts: Vec<String> = plan.populations.iter().map(describe_population).collect();
    parts.join("; ")
}

fn describe_population(population: &Population) -> String {
    let think = match &population.think {
        Think::None => "no think time".to_owned(),
        Think::Constant(ns) => format!("{} think time", time(*ns as f64)),
        Think::Exponential(mean) => format!("exponential think time of {} mean", time(*mean)),
        Think::Recorded(_) => format!(
            "recorded think time of {} mean",
            time(population.think.mean_ns())
        ),
    };
    match &population.load {
        Load::Closed {
            clients,
            iterations,
        } => {
            let times = iterations.map_or(String::new(), |n| format!(", {n} iterations"));
            let peak = clients.peak();
            format!(
                "{}: {} clients, {think}{times}",
                population.name,
                peak.ceil()
            )
        }
        Load::Open {
            rate,
            arrivals,
            outstanding,
            ..
        } => {
            let kind = match arrivals {
                Arrivals::Constant => "constant",
                Arrivals::Poisson => "Poisson",
            };
            let rate = rate.peak();
            format!(
                "{}: {rate} a second, {kind}, at most {outstanding} outstanding",
                population.name
            )
        }
    }
}

fn time(ns: f64) -> String {
    match ns {
        ns if ns >= 1e9 => format!("{} s", ns / 1e9),
        ns if ns >= 1e6 => format!("{} ms", ns / 1e6),
        ns => format!("{} µs", ns / 1e3),
    }
}

/// What a reader must know before believing a figure, the gravest first.
fn warnings(plan: &Plan, outcome: &Outcome, report: &Report, observed: &[Observed]) -> Vec<String> {
    let mut warnings = Vec::new();
    let sum = outcome.sum();
    let late = sum.lateness.quantile(0.99) as f64;
    let wire = sum.wire.quantile(0.5) as f64;
    let open = plan
        .populations
        .iter()
        .any(|p| matches!(p.load, Load::Open { .. }));
    if report.measured_s <= 0.0 || sum.measured.sent == 0 {
        warnings.push("Nothing was measured: the run ended within its warm-up.".into());
    }
    if report.driver.busiest_percent > BUSY_PERCENT && !(open && late < LATE_NS) {
        warnings.push(format!(
            "The driver may be the bottleneck: its busiest thread used {:.0} % of a processor. More threads or another machine would tell.",
            report.driver.busiest_percent
        ));
    }
    if late > LATE_NS && late > wire * LATE_SHARE {
        warnings.push(format!(
            "The driver was late: 1 % of the requests began {:.1} ms or more after their time, for reasons of its own. Response times contain this.",
            late / 1e6
        ));
    }
    let c = &sum.measured;
    if c.unsent > 0 {
        warnings.push(format!(
            "The presentation rate was not reached: {} iterations were due but never begun.",
            c.unsent
        ));
    }
    if c.held * 100 > c.iterations && c.iterations > 0 {
        warnings.push(format!(
            "{:.1} % of the iterations waited because the bound on outstanding requests was reached; their waiting is part of the response time.",
            c.held as f64 / c.iterations as f64 * 100.0
        ));
    }
    if c.errors() > 0 {
        warnings.push(format!(
            "{:.2} % of the requests failed or failed a check; percentiles are those of answers only.",
            c.errors() as f64 / c.sent.max(1) as f64 * 100.0
        ));
    }
    if outcome.total.outstanding > 0 {
        warnings.push(format!(
            "{} requests were still outstanding when the run ended.",
            outcome.total.outstanding
        ));
    }
    if outcome.wall_jump_ns.unsigned_abs() > JUMP_NS {
        warnings.push(format!(
            "The wall clock jumped by {:.1} s during the run; figures come from the monotonic clock and are not touched.",
            outcome.wall_jump_ns as f64 / 1e9
        ));
    }
    for observed in observed {
        let name = observed.name();
        if !report.servers.iter().any(|s| s.subject == name) {
            warnings.push(format!("The resources of {name} could not be read."));
        }
    }
    warnings
}

fn statuses(counts: &Counts) -> BTreeMap<String, u64> {
    (1..6)
        .filter(|class| counts.status[*class] > 0)
        .map(|class| (format!("{class}xx"), counts.status[class]))
        .collect()
}

/// A name as a tag of the histogram log.
pub fn tag(name: &str) -> String {
    name.replace([',', ' ', '\r', '\n', '\t'], "_")
}

/// A wall clock time (ns since 1970) as RFC 3339 in UTC.
pub fn rfc3339(wall_ns: u64) -> String {
    let seconds = wall_ns / 1_000_000_000;
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    // Days since 0000-03-01, in eras of 400 years (Hinnant's algorithm).
    let z = days + 719_468;
    let (era, day) = (z / 146_097, z % 146_097);
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let date = day - (153 * month + 2) / 5 + 1;
    let (month, year) = match month {
        m @ 0..=9 => (m + 3, year + era * 400),
        m => (m - 9, year + era * 400 + 1),
    };
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{date:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// Above this share of a processor a thread has no reserve left.
const BUSY_PERCENT: f64 = 92.0;
/// Lateness below this is what timers do.
const LATE_NS: f64 = 2_000_000.0;
/// Lateness matters when it is this share of the time on the wire.
const LATE_SHARE: f64 = 0.1;
/// Clocks drift apart a little; this is a jump.
const JUMP_NS: u64 = 500_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_767_225_599, "2025-12-31T23:59:59Z"),
        ] {
            assert_eq!(rfc3339(seconds * 1_000_000_000), text);
        }
    }
}
