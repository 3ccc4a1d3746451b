//! An unconstrained flood against the same flood with limits: "We Do Performance"'s
//! presentation rate equal to the target, twice it, ten times it, on a region
//! without limits and on one with MXT and a transaction class.

use super::presented::{PresentedRun, load, present, report};
use super::{Context, Experiment, MachineNeeds};
use crate::error::LabError;
use crate::report::{ExperimentReport, Picture, Table};
use crate::serve::{HttpProgram, ServedApplication, Server};
use page::chart::{ChartAxis, ChartSeries, LineChart};
use page::short;
use std::time::Duration;

/// The row of the table.
pub const EXPERIMENT: Experiment = Experiment {
    name: "overload",
    about: "an unconstrained flood against the same flood with MXT and a transaction class",
    paper: "We Do Performance",
    needs: MachineNeeds::Nothing,
    repeats: 1,
    run,
};

/// One region of the comparison.
struct OverloadCase {
    name: &'static str,
    settings: &'static str,
    class: &'static str,
    limits: &'static str,
}

const CASES: [OverloadCase; 2] = [
    OverloadCase {
        name: "without limits",
        settings: "max_tasks = 100\nmax_queued = 100000\n",
        class: "",
        limits: "MXT 100, as many waiting as come, no class",
    },
    OverloadCase {
        name: "with limits",
        settings: "max_tasks = 20\nmax_queued = 100\n",
        class: "DEFINE TRANCLASS(LABC) GROUP(LAB) MAXACTIVE(4) PURGETHRESH(9)\n",
        limits: "MXT 20, class of MAXACTIVE 4 and PURGETHRESH 9 (8 wait, further ones are refused)",
    },
];

/// One rate at one region.
struct OverloadPoint {
    rate: f64,
    offered: f64,
    answered: f64,
    refused: f64,
    unanswered: f64,
    p50_ms: f64,
    p99_ms: f64,
}

fn run(context: &Context<'_>) -> Result<ExperimentReport, LabError> {
    let mut report = report(
        &EXPERIMENT,
        "Overload, with limits and without",
        "A load test without a bound on its rate asks a region for more than it can do. What do \
         callers get then, and what do MXT and a transaction class change?",
    );
    let mut servers = Vec::new();
    for case in &CASES {
        context.report_progress(&format!("region {}: compile and start", case.name));
        servers.push(Server::start(&application(case))?);
    }
    context.report_progress("measuring the region with limits");
    let capacity = capacity(context, &mut servers[1])?;
    let target = (capacity * TARGET_SHARE).max(1.0).round();
    let mut points = [Vec::new(), Vec::new()];
    for factor in FACTORS {
        for ((case, server), points) in CASES.iter().zip(&mut servers).zip(&mut points) {
            let rate = target * factor;
            context.report_progress(&format!("{}: {} requests/s", case.name, short(rate)));
            points.push(flood(context, server, rate)?);
        }
    }
    conditions(context, &mut report, capacity, target);
    figures(&mut report, &points);
    report.tables.push(table(&points));
    report.pictures = pictures(&points, target);
    conclude(&mut report, &points);
    Ok(report)
}

fn application(case: &OverloadCase) -> ServedApplication {
    let class = if case.class.is_empty() {
        ""
    } else {
        " TRANCLASS(LABC)"
    };
    ServedApplication::default()
        .settings(&format!(
            "[region]\nmonitoring = \"records.jsonl\"\n{}",
            case.settings
        ))
        .definitions(&format!(
            "{}DEFINE TRANSACTION(LABO) GROUP(LAB) PROGRAM(LABWORK){class}\n\
             DEFINE PROGRAM(LABWORK) GROUP(LAB) LANGUAGE(COBOL) CONCURRENCY(THREADSAFE)\n",
            case.class
        ))
        .program("LABWORK", include_str!("../../programs/LABWORK.cbl"))
        .service(&SERVICE)
}

/// Answers/s for clients that wait for each answer; as many clients as the
/// transaction class allows.
fn capacity(context: &Context<'_>, server: &mut Server) -> Result<f64, LabError> {
    let mut load = load(context, server.url(&SERVICE.path(7)), 4, PATIENCE * 10);
    load.duration = context.length(DURATION);
    Ok(present(server, &load)?.outcome.throughput())
}

fn flood(context: &Context<'_>, server: &mut Server, rate: f64) -> Result<OverloadPoint, LabError> {
    let mut load = load(context, server.url(&SERVICE.path(7)), OUTSTANDING, PATIENCE);
    load.rate = Some(rate);
    load.duration = context.length(DURATION);
    Ok(OverloadPoint::of(rate, &present(server, &load)?))
}

impl OverloadPoint {
    fn of(rate: f64, presented: &PresentedRun) -> OverloadPoint {
        let sum = presented.outcome.sum();
        let counts = &sum.measured;
        let a_second = |n: u64| n as f64 / presented.outcome.measured_s.max(f64::MIN_POSITIVE);
        OverloadPoint {
            rate,
            offered: a_second(counts.sent + counts.unsent),
            answered: a_second(counts.answered - counts.checks_failed),
            refused: a_second(counts.status[5]),
            unanswered: a_second(counts.failures() + counts.outstanding() + counts.unsent),
            p50_ms: presented.response_ms(0.5),
            p99_ms: presented.response_ms(0.99),
        }
    }
}

fn conditions(context: &Context<'_>, report: &mut ExperimentReport, capacity: f64, target: f64) {
    for case in &CASES {
        report.condition(case.name, format!("{} (chosen)", case.limits));
    }
    report.condition(
        "transaction",
        "computes for some milliseconds and does not wait (chosen; the paper's were a script and \
         the programs it called)",
    );
    report.condition(
        "load",
        format!(
            "the target is {:.0} % (chosen) of the {} answers/s that four waiting clients get: {}/s. It is \
             presented {} times; {:.1} s each, requests evenly spaced",
            TARGET_SHARE * 100.0,
            short(capacity),
            short(target),
            FACTORS.map(short).join(", "),
            context.length(DURATION).as_secs_f64()
        ),
    );
    report.condition(
        "callers",
        format!(
            "give up after {} s (chosen); at most {OUTSTANDING} requests are in the air, further \
             ones wait at the driver, and their time counts",
            PATIENCE.as_secs()
        ),
    );
}

fn figures(report: &mut ExperimentReport, points: &[Vec<OverloadPoint>; 2]) {
    for (i, factor) in FACTORS.into_iter().enumerate() {
        for (case, points) in CASES.iter().zip(points) {
            let at = &points[i];
            let conditions = format!("{} × target, {}", short(factor), case.name);
            report.measured("presented", &conditions, None, at.offered, "/s");
            report.measured("answered", &conditions, None, at.answered, "/s");
            report.measured("refused", &conditions, None, at.refused, "/s");
            report.measured(
                "response of the admitted, p99",
                &conditions,
                None,
                at.p99_ms,
                "ms",
            );
        }
    }
}

fn table(points: &[Vec<OverloadPoint>; 2]) -> Table {
    let mut rows = Vec::new();
    for (i, factor) in FACTORS.into_iter().enumerate() {
        for (case, points) in CASES.iter().zip(points) {
            let p = &points[i];
            let figures = [
                p.offered,
                p.answered,
                p.refused,
                p.unanswered,
                p.p50_ms,
                p.p99_ms,
            ];
            let mut row = vec![short(factor), case.name.to_owned()];
            row.extend(figures.map(short));
            rows.push(row);
        }
    }
    let heading = [
        "× target",
        "region",
        "offered/s",
        "answered/s",
        "refused/s",
        "unanswered/s",
        "p50 ms",
        "p99 ms",
    ];
    Table {
        title: "The same flood at both regions".into(),
        heading: heading.map(str::to_owned).into(),
        rows,
        caption: "Refused requests got status 503 at once; unanswered ones were given up or never \
                  sent. Times are of admitted requests, from when they were due to their answer."
            .into(),
    }
}

fn pictures(points: &[Vec<OverloadPoint>; 2], target: f64) -> Vec<Picture> {
    let series = |name: &str,
                  points: &[OverloadPoint],
                  of: fn(&OverloadPoint) -> f64,
                  dashed: bool| ChartSeries {
        name: name.into(),
        points: points.iter().map(|p| (p.rate, of(p))).collect(),
        dots: !dashed,
        dashed,
        ..ChartSeries::default()
    };
    let plot = |title: &str, y, series| {
        Picture::Plot(LineChart {
            title: title.into(),
            x: ChartAxis::from_zero("requested rate, requests/s"),
            y,
            series,
            mark: Some((target, "target".into())),
            shade: None,
        })
    };
    let [free, limited] = points;
    vec![
        plot(
            "Offered, answered, refused",
            ChartAxis::from_zero("requests/s"),
            vec![
                series("offered", free, |p| p.offered, true),
                series("answered, without limits", free, |p| p.answered, false),
                series("answered, with limits", limited, |p| p.answered, false),
                series("refused, with limits", limited, |p| p.refused, false),
            ],
        ),
        plot(
            "Response time of the admitted",
            ChartAxis::log("ms"),
            vec![
                series("p50, without limits", free, |p| p.p50_ms, false),
                series("p99, without limits", free, |p| p.p99_ms, false),
                series("p50, with limits", limited, |p| p.p50_ms, false),
                series("p99, with limits", limited, |p| p.p99_ms, false),
            ],
        ),
    ]
}

fn conclude(report: &mut ExperimentReport, points: &[Vec<OverloadPoint>; 2]) {
    let [Some(free), Some(limited)] = [points[0].last(), points[1].last()] else {
        return;
    };
    report.matters(free.answered, "/s", "answered at most, without limits");
    report.matters(limited.answered, "/s", "answered at most, with limits");
    report.matters(limited.p50_ms, "ms", "half are faster then, with limits");
    report.conclusions.push(format!(
        "At {} times the target the region without limits answers {} requests a second, half of \
         them later than {} ms; the one with limits answers {}, half of them within {} ms, and \
         refuses {} a second at once, so that their callers can go elsewhere or come back.",
        short(FACTORS[FACTORS.len() - 1]),
        short(free.answered),
        short(free.p50_ms),
        short(limited.answered),
        short(limited.p50_ms),
        short(limited.refused),
    ));
}

const SERVICE: HttpProgram = HttpProgram {
    name: "overload",
    transid: "LABO",
    program: "LABWORK",
};
/// The paper's 1, 2 and 10, with values in between.
const FACTORS: [f64; 5] = [0.5, 1.0, 2.0, 4.0, 10.0];
/// The target rate, as a fraction of the region's capacity.
const TARGET_SHARE: f64 = 0.7;
const OUTSTANDING: usize = 500;
/// The timeout of a caller.
const PATIENCE: Duration = Duration::from_secs(1);
const DURATION: Duration = Duration::from_millis(1500);
