//! Turns the engine's records into the report, its warnings, and the figures of one
//! interval.

use crate::engine::{IntervalRecord, LoadOutcome, PopulationRecord, RequestCounts, RequestFailure};
use crate::observe::ObservedServer;
use crate::plan::{
    ArrivalSpacing, LoadModel, Population, Protocol, RunPlan, SocketCycle, ThinkTime,
};
use crate::units::short;
use measure::report::{
    DriverUsage, LatencyReport, LoadReport, PopulationReport, PresentedLoad, PresentedPiece,
    ReportInterval, Server, StepReport,
};
use std::collections::BTreeMap;

/// The report of a run.
pub fn report(
    plan: &RunPlan,
    outcome: &LoadOutcome,
    timeline: Vec<ReportInterval>,
    servers: Vec<Server>,
    observed: &[ObservedServer],
) -> LoadReport {
    let seconds = outcome.measured_s;
    let mut populations: Vec<PopulationReport> = plan
        .populations
        .iter()
        .zip(&outcome.total.populations)
        .map(|(population, record)| {
            let names: Vec<&str> = population.steps.iter().map(|s| s.name.as_str()).collect();
            let mut report = population_report(&population.name, &names, record, seconds);
            report.wire_end = wire_end(population);
            report.presented = Some(presented(population));
            report
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
    let driver = DriverUsage {
        threads: outcome.threads,
        cpu_s: outcome.cpu_ns as f64 / 1e9,
        cpu_us: outcome.cpu_per_request_ns() / 1e3,
        busiest_percent: share(outcome.busiest_cpu_ns, seconds).min(100.0),
        spin_percent: share(outcome.total.spin_ns, outcome.whole_s),
    };
    let mut report = LoadReport {
        title: plan.title.clone(),
        started: rfc3339(outcome.started_wall),
        load: describe(plan),
        runs: vec![run_id()],
        warmup_s: plan.warmup_ns as f64 / 1e9,
        measured_s: seconds,
        throughput: outcome.throughput(),
        populations,
        timeline,
        driver,
        servers,
        messages: outcome.messages().clone(),
        ..LoadReport::default()
    };
    report.warnings = warnings(plan, outcome, &report, observed);
    report
}

/// The load of a population as numbers.
fn presented(population: &Population) -> PresentedLoad {
    let (unit, profile) = match &population.load {
        LoadModel::Closed { clients, .. } => ("clients", clients),
        LoadModel::Open { rate, .. } => ("iterations/s", rate),
    };
    let pieces = profile.pieces().iter().map(|p| PresentedPiece {
        from: p.from,
        to: p.to,
        seconds: p.length_ns as f64 / 1e9,
    });
    PresentedLoad {
        unit: unit.to_owned(),
        pieces: pieces.collect(),
        think_mean_ms: population.think.mean_ns() / 1e6,
    }
}

/// The id of a run: a random number from the system.
fn run_id() -> String {
    use std::hash::{BuildHasher, Hasher, RandomState};
    // The first state of a process is seeded by the system.
    let half = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:016x}", half(), half())
}

/// Where a population's time on the wire ends, as text.
fn wire_end(population: &Population) -> String {
    let in_clear =
        |t: &crate::plan::LoadTarget| t.tls.is_none() && matches!(t.protocol, Protocol::Stream);
    let stamped = |t: &crate::plan::LoadTarget| in_clear(t) && t.knobs.kernel_times;
    let targets = &population.targets;
    let why = match targets {
        t if t.iter().all(stamped) => {
            return "the kernel's time stamp of the last byte".into();
        }
        t if t.iter().any(|t| matches!(t.protocol, Protocol::Appc(_))) => {
            "a link carries many conversations"
        }
        t if t
            .iter()
            .any(|t| matches!(t.protocol, Protocol::Terminal(_))) =>
        {
            "a screen is complete only after its last record is applied"
        }
        t if t.iter().any(|t| matches!(t.protocol, Protocol::Http2)) => {
            "an HTTP/2 library reads the socket"
        }
        t if t.iter().any(|t| t.tls.is_some()) => "TLS data is known only after decryption",
        _ => "kernel_times is off",
    };
    format!("the driver's read of the last byte, in user space ({why})")
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
    let failures = RequestFailure::ALL.iter().zip(c.failed);
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
        wire_end: String::new(),
        presented: None,
        steps: steps.collect(),
    }
}

/// The figures of one interval of `seconds`; the last interval may be shorter.
pub fn moment(plan: &RunPlan, interval: &IntervalRecord, seconds: f64) -> ReportInterval {
    let mut counts = RequestCounts::default();
    let mut sum = PopulationRecord::default();
    for record in &interval.populations {
        counts += &record.whole;
        sum.response.merge(&record.response);
        sum.lateness.merge(&record.lateness);
    }
    let ms = |ns: u64| ns as f64 / 1e6;
    let from_s = interval.index as f64 * seconds;
    let end_s = plan.length_ns().map_or(f64::MAX, |ns| ns as f64 / 1e9);
    let seconds = match end_s - from_s {
        left if left > 1e-9 => seconds.min(left),
        _ => seconds,
    };
    let at_s = from_s + seconds;
    ReportInterval {
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
        shape: sum.response.shape(),
    }
}

/// The load as text.
pub fn describe(plan: &RunPlan) -> String {
    let parts: Vec<String> = plan.populations.iter().map(describe_population).collect();
    parts.join("; ")
}

fn describe_population(population: &Population) -> String {
    let think = match &population.think {
        ThinkTime::None => "no think time".to_owned(),
        ThinkTime::Constant(ns) => format!("{} think time", time(*ns as f64)),
        ThinkTime::Exponential(mean) => format!("exponential think time of {} mean", time(*mean)),
        ThinkTime::Recorded(_) => format!(
            "recorded think time of {} mean",
            time(population.think.mean_ns())
        ),
    };
    match &population.load {
        LoadModel::Closed {
            clients,
            iterations,
        } => {
            let cycle = population.targets.iter().find_map(|t| t.cycle);
            let times = match (cycle, iterations) {
                (
                    Some(SocketCycle {
                        iterations,
                        cycles: Some(n),
                    }),
                    _,
                ) => {
                    format!(", {n} cycles of {iterations} iterations each")
                }
                (_, Some(1)) => ", 1 iteration".to_owned(),
                (_, Some(n)) => format!(", {n} iterations"),
                (_, None) => String::new(),
            };
            let clients = clients.words();
            let noun = if clients == "1" { "client" } else { "clients" };
            let clients = if clients.contains(' ') {
                format!("clients {clients}")
            } else {
                format!("{clients} {noun}")
            };
            format!("{}: {clients}, {think}{times}", population.name)
        }
        LoadModel::Open {
            rate,
            arrivals,
            outstanding,
            ..
        } => {
            let kind = match arrivals {
                ArrivalSpacing::Constant => "constant",
                ArrivalSpacing::Poisson => "Poisson",
            };
            let rate = rate.words();
            let rate = if rate.contains(' ') {
                format!("requests/s {rate}")
            } else {
                format!("{rate}/s")
            };
            format!(
                "{}: {rate}, {kind}, at most {outstanding} outstanding",
                population.name
            )
        }
    }
}

fn time(ns: f64) -> String {
    match ns {
        ns if ns >= 1e9 => format!("{} s", short(ns / 1e9)),
        ns if ns >= 1e6 => format!("{} ms", short(ns / 1e6)),
        ns => format!("{} µs", short(ns / 1e3)),
    }
}

/// Warnings about the figures, the most serious first.
fn warnings(
    plan: &RunPlan,
    outcome: &LoadOutcome,
    report: &LoadReport,
    observed: &[ObservedServer],
) -> Vec<String> {
    let mut warnings = Vec::new();
    if cfg!(quick_build) {
        warnings.push(
            "This is not a measurement: the driver is a build for `make demo`, with little \
             optimisation. `make build` makes the one to measure with."
                .to_owned(),
        );
    }
    let sum = outcome.sum();
    let late = sum.lateness.quantile(0.99) as f64;
    let wire = sum.wire.quantile(0.5) as f64;
    let open = plan
        .populations
        .iter()
        .any(|p| matches!(p.load, LoadModel::Open { .. }));
    if report.measured_s <= 0.0 || sum.measured.sent == 0 {
        warnings.push(match sum.whole.sent {
            0 => "Nothing was measured: no request began.".into(),
            n if report.measured_s > 0.0 => format!(
                "Nothing was measured: no request began in the measured part. Of {n} in the warm-up, {} were answered and {} failed.",
                sum.whole.answered,
                sum.whole.failures()
            ),
            _ => "Nothing was measured: the run ended within its warm-up.".into(),
        });
    }
    let long_enough = report.measured_s > SHORTEST_JUDGED_S;
    if long_enough && report.driver.busiest_percent > BUSY_PERCENT && !(open && late < LATE_NS) {
        warnings.push(format!(
            "The driver may be the bottleneck: its busiest thread used {:.0} % of a processor. Use more threads or another machine to find out.",
            report.driver.busiest_percent
        ));
    }
    if late > LATE_NS && late > wire * LATE_SHARE {
        warnings.push(format!(
            "The load generator sent 1 % of the requests at least {:.1} ms late; response times include this delay.",
            late / 1e6
        ));
    }
    let c = &sum.measured;
    if c.unsent > 0 {
        warnings.push(format!(
            "The requested rate was not reached: {} iterations were due but never started.",
            c.unsent
        ));
    }
    if c.held * 100 > c.iterations && c.iterations > 0 {
        warnings.push(format!(
            "{:.1} % of the iterations waited because the bound on outstanding requests was reached; response times include this wait.",
            c.held as f64 / c.iterations as f64 * 100.0
        ));
    }
    if c.errors() > 0 {
        warnings.push(format!(
            "{:.2} % of the requests failed or failed a check; percentiles include answered requests only.",
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
            "The wall clock jumped by {:.1} s during the run; figures use the monotonic clock and are not affected.",
            outcome.wall_jump_ns as f64 / 1e9
        ));
    }
    for observed in observed {
        let name = observed.name();
        if !report.servers.iter().any(|s| s.subject == name) {
            warnings.push(format!("The CPU and memory of {name} could not be read."));
        }
    }
    warnings
}

fn statuses(counts: &RequestCounts) -> BTreeMap<String, u64> {
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
    base::calendar::rfc3339((wall_ns / 1_000_000_000) as i64)
}

/// Above this percentage of a processor a thread counts as saturated.
const BUSY_PERCENT: f64 = 92.0;
/// CPU of a thread is read every 20 ms; shorter runs are not judged.
const SHORTEST_JUDGED_S: f64 = 0.2;
/// Lateness below this is normal for timers.
const LATE_NS: f64 = 2_000_000.0;
/// Lateness is reported above this fraction of the time on the wire.
const LATE_SHARE: f64 = 0.1;
/// A larger difference of the two clocks is a jump, not drift.
const JUMP_NS: u64 = 500_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wall_clock_that_was_set_is_reported_and_touches_no_figure() {
        let server =
            crate::server::Server::start(crate::server::ServerBehaviour::default()).unwrap();
        let mut load = crate::load::HttpLoad::new(format!("http://{}/", server.address()));
        load.iterations = Some(10);
        let plan = load.plan().unwrap();
        let mut outcome = load.run().unwrap();
        let described = |outcome: &LoadOutcome| report(&plan, outcome, Vec::new(), Vec::new(), &[]);
        let before = described(&outcome);
        for (jump_ns, text) in [
            (3_600_000_000_000, "by 3600.0 s"),
            (-2_000_000_000, "by -2.0 s"),
        ] {
            outcome.wall_jump_ns = jump_ns;
            let after = described(&outcome);
            assert!(after.warnings.iter().any(|w| w.contains(text)), "{after:?}");
            let p99 = |r: &LoadReport| r.sum().unwrap().response.p99.to_bits();
            assert_eq!(p99(&before), p99(&after));
        }
    }

    #[test]
    fn loads_are_described_by_their_profile_and_kept_in_numbers() {
        let mut load = crate::load::HttpLoad::new("http://127.0.0.1:9/");
        load.think = ThinkTime::Recorded([10_000_000, 20_000_000, 50_000_000].into());
        let mut plan = load.plan().unwrap();
        let described = describe(&plan);
        assert_eq!(
            described,
            "clients: 1 client, recorded think time of 26.67 ms mean"
        );
        let numbers = presented(&plan.populations[0]);
        assert_eq!(numbers.think_mean_ms, 80.0 / 3.0);
        let piece = |from, to, s: u64| crate::profile::ProfilePiece {
            from,
            to,
            length_ns: s * 1_000_000_000,
        };
        let ramp = crate::profile::LevelProfile::new(vec![piece(1.0, 20.0, 10)]);
        let load = &mut plan.populations[0].load;
        if let LoadModel::Closed { clients, .. } = load {
            *clients = ramp.clone();
        }
        assert!(describe(&plan).starts_with("clients: clients 1 to 20 in 10 s, recorded"));
        plan.populations[0].load = LoadModel::Open {
            rate: ramp,
            arrivals: ArrivalSpacing::Constant,
            outstanding: 5,
            ahead: 0,
            spin_ns: None,
        };
        let described = describe(&plan);
        assert!(
            described.starts_with("clients: requests/s 1 to 20 in 10 s, constant"),
            "{described}"
        );
        let numbers = presented(&plan.populations[0]);
        assert_eq!(
            (numbers.pieces[0].to, numbers.pieces[0].seconds),
            (20.0, 10.0)
        );
    }

    #[test]
    fn the_last_interval_is_as_long_as_the_run_goes() {
        let mut load = crate::load::HttpLoad::new("http://127.0.0.1:9/");
        load.warmup = std::time::Duration::from_millis(500);
        load.duration = std::time::Duration::from_millis(1000);
        let plan = load.plan().unwrap();
        let at = |index| {
            let mut interval = IntervalRecord::new(index, &[1]);
            interval.populations[0].whole.sent = 100;
            let moment = moment(&plan, &interval, 1.0);
            (moment.at_s, moment.sent_s)
        };
        assert_eq!(at(0), (1.0, 100.0));
        assert_eq!(at(1), (1.5, 200.0));
        // After the end the run only waits for outstanding answers.
        assert_eq!(at(2), (3.0, 100.0));
    }

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
