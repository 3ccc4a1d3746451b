//! Paper 001: the same socket application on three infrastructures, and the CPU on
//! general engines of each. Figures 6 and 7.

use super::presented::report;
use super::{Context, Experiment, MachineNeeds};
use crate::cycles::{CASES, CycleResult, LOOPS, Region, application_us};
use crate::error::LabError;
use crate::report::{ExperimentReport, PublishedValue, Table};
use page::short;

/// The row of the table.
pub const EXPERIMENT: Experiment = Experiment {
    name: "sockets",
    about: "CICS sockets served in four ways: CPU of general engines a message",
    paper: "CICS Socket Applications",
    needs: MachineNeeds::Nothing,
    repeats: 5,
    run,
};

/// One of the paper's figures: so many cycles at once.
struct PaperFigure {
    number: u32,
    concurrent: u32,
    /// Percent against the classic path, by case.
    published: [Option<f64>; 4],
    /// Percent that offload takes away from Solution Two without it.
    offload: Option<f64>,
}

const FIGURES: [PaperFigure; 2] = [
    PaperFigure {
        number: 6,
        concurrent: 1,
        published: [None, None, Some(-17.0), Some(-45.0)],
        offload: Some(-34.0),
    },
    PaperFigure {
        number: 7,
        concurrent: 5,
        published: [None, None, Some(-31.0), None],
        offload: None,
    },
];

/// The repetitions of a case under a figure.
type CaseRepetitions = Vec<CycleResult>;

fn run(context: &Context<'_>) -> Result<ExperimentReport, LabError> {
    let mut report = report(
        &EXPERIMENT,
        "Socket applications",
        "A gateway opens two sockets a cycle and has 2,500 requests answered on them; each runs a \
         customer's program. What do the socket processes cost on general engines when calls are \
         served as CICS Socket Support does it, in the program's process, and when the region \
         itself reads and answers, without processors for offload and with them?",
    );
    if std::thread::available_parallelism().map_or(1, usize::from) < 2 {
        return Err(LabError::Permission {
            what: "a processor for offload".into(),
            hint: "two processors are needed".into(),
        });
    }
    let mut regions = Vec::new();
    for case in &CASES {
        context.report_progress(&format!("{}: compile and start", case.name));
        regions.push(Region::start(case, None)?);
    }
    context.report_progress("the application by itself");
    let application = application_us(&mut regions[0])?;
    for region in &mut regions {
        // Programs are loaded and workers started.
        region.cycles(5, WARM)?;
    }
    conditions(&mut report, application);
    for figure in &FIGURES {
        let mut found: [CaseRepetitions; 4] = Default::default();
        // Alternately, so that other load on the machine affects all cases
        // alike.
        for (region, found) in regions.iter_mut().zip(&mut found) {
            context.report_progress(&format!("Figure {}: {}", figure.number, region.case.name));
            found.push(region.cycles(figure.concurrent, REQUESTS)?);
        }
        figures(&mut report, figure, &found, application);
        report
            .tables
            .push(table(figure, &found, application, context.repetition));
    }
    inside(context, &mut report, &mut regions)?;
    conclude(&mut report);
    Ok(report)
}

fn conditions(report: &mut ExperimentReport, application: f64) {
    report.condition(
        "cycle",
        format!("two sockets and {REQUESTS} requests, one outstanding at a time"),
    );
    report.condition(
        "message",
        "100 bytes with a line end, and as many in its answer; the paper gives no size",
    );
    report.condition(
        "application",
        format!(
            "the customer's program and its LINK take {} µs in {LOOPS} LINKs without a socket; \
             socket processes are what is left without it",
            short(application)
        ),
    );
    report.condition(
        "engines",
        "with offload the first processor is general and the second is not; without it the CPU of \
         all threads is that of general engines, wherever they ran",
    );
    report.condition(
        "chosen",
        "nothing for a figure: settings are the defaults, programs those of the example",
    );
    report.condition(
        "not compared",
        "the paper's microseconds are in its charts and were lost with them; it has no figure of \
         Solution One, and says \"the mid-40% range\" of five cycles with offload",
    );
}

const SOCKET_PROCESSES: &str = "CPU of socket processes on general engines";

/// [`SOCKET_PROCESSES`], µs a message.
fn sockets_us(found: &CycleResult, application: f64) -> f64 {
    found.general_us - application
}

fn mean(found: &[CycleResult], of: impl Fn(&CycleResult) -> f64) -> f64 {
    found.iter().map(of).sum::<f64>() / found.len() as f64
}

fn change(now: f64, before: f64) -> f64 {
    (now / before - 1.0) * 100.0
}

fn figures(
    report: &mut ExperimentReport,
    figure: &PaperFigure,
    found: &[CaseRepetitions; 4],
    application: f64,
) {
    let at = |case: &str| {
        format!(
            "{case}, {} at once",
            match figure.concurrent {
                1 => "1 cycle".to_owned(),
                n => format!("{n} cycles"),
            }
        )
    };
    let sockets = |found: &[CycleResult]| mean(found, |f| sockets_us(f, application));
    for (case, found) in CASES.iter().zip(found) {
        report.measured(SOCKET_PROCESSES, &at(case.name), None, sockets(found), "µs");
    }
    for ((case, now), published) in CASES.iter().zip(found).zip(figure.published).skip(1) {
        let name = format!("Figure {}: socket processes against classic", figure.number);
        let published = match (published, figure.concurrent, case.offload) {
            (Some(percent), _, _) => PublishedValue::number(percent),
            (None, 5, true) => PublishedValue::words("in the mid-40% range"),
            _ => None,
        };
        let percent = change(sockets(now), sockets(&found[0]));
        report.change(&name, &at(case.name), published, percent);
    }
    let name = format!("Figure {}: with and without offload", figure.number);
    let percent = change(sockets(&found[3]), sockets(&found[2]));
    let published = figure.offload.and_then(PublishedValue::number);
    report.change(&name, &at("Solution Two"), published, percent);
    for (case, now) in CASES.iter().zip(found).skip(1) {
        let name = format!("Figure {}: in all against classic", figure.number);
        let percent = change(
            mean(now, |f| f.general_us),
            mean(&found[0], |f| f.general_us),
        );
        report.change(&name, &at(case.name), None, percent);
    }
}

/// Every repetition.
fn table(
    figure: &PaperFigure,
    found: &[CaseRepetitions; 4],
    application: f64,
    repetition: usize,
) -> Table {
    let mut rows = Vec::new();
    for (case, repeated) in CASES.iter().zip(found) {
        for found in repeated {
            let time = |share: f64| found.outcome.sum().passed.quantile(share) as f64 / 1e3;
            rows.push(vec![
                case.name.to_owned(),
                repetition.to_string(),
                format!("{}", found.messages),
                format!("{:.1}", found.general_ms),
                format!("{:.1}", found.offload_ms),
                short(sockets_us(found, application)),
                short(found.general_us),
                short(found.all_us),
                short(time(0.5)),
                short(time(0.99)),
            ]);
        }
    }
    let heading = [
        "sockets served by",
        "repetition",
        "messages",
        "threads of general engines ms",
        "threads of offload engines ms",
        "socket processes µs",
        "general µs",
        "all engines µs",
        "p50 µs",
        "p99 µs",
    ];
    Table {
        title: format!("Figure {}: every repetition", figure.number),
        heading: heading.map(str::to_owned).into(),
        rows,
        caption: "Milliseconds are the region's counters, after less before; microseconds of CPU are \
                  a message's, and with one kind of engine those of all threads. Response times are \
                  the gateway's."
            .into(),
    }
}

/// The inner injector: the same cycle, driven from within.
fn inside(
    context: &Context<'_>,
    report: &mut ExperimentReport,
    regions: &mut [Region],
) -> Result<(), LabError> {
    for region in regions {
        context.report_progress(&format!("driven from within: {}", region.case.name));
        let port = region.listener.rsplit(':').next().unwrap_or_default();
        let before = region.server.idle()?;
        let summary = region.ask(&format!("INJ1,{REQUESTS} {port} X001"))?;
        if !summary.starts_with(&format!("{REQUESTS:08} of")) {
            let why = format!("the inner injector says {summary:?}");
            return Err(LabError::Failed(why));
        }
        let after = region.server.idle()?;
        let us = |engine: &str| {
            let series = format!("tupelo_engine_cpu_seconds_total{{engine=\"{engine}\"}}");
            after.since(&before, &series) / f64::from(REQUESTS) * 1e6
        };
        let general = region.case.general(us("general"), us("offload"));
        let name = "general CPU a message, driven from within, the injector included";
        report.measured(name, region.case.name, None, general, "µs");
    }
    Ok(())
}

fn conclude(report: &mut ExperimentReport) {
    let us = |n: usize| {
        let conditions = format!("{}, 1 cycle at once", CASES[n].name);
        report.figure(SOCKET_PROCESSES, &conditions)
    };
    if let [Some(classic), Some(_), Some(two), Some(offload)] = [0, 1, 2, 3].map(us) {
        report.matters(classic, "µs", "classic, CPU a message");
        report.matters(two, "µs", "Solution Two");
        report.matters(offload, "µs", "Solution Two, offload");
    }
    report.conclusions.push(
        "CICS Socket Support pays for a change of TCB and a subtask on every call of EZASOKET. \
         Here the classic path pays for a call from the worker to the region and a helper thread \
         that the region wakes. So the paths are the paper's, and what their parts cost is this \
         machine's."
            .into(),
    );
    report.conclusions.push(
        "For each message the example's receiver LINKs, writes a queue item, takes the next turn \
         and gives up the last one, and its sender takes a turn, gives it back and reads the \
         item: four commands and three. The paper's exit metrics count 40,000 in the receiver and \
         60,000 in the sender, of a run whose size it does not give; 10,000 requests would make \
         it four and six."
            .into(),
    );
    report.conclusions.push(
        "Driven from within, the injector's own calls are in the figure, and no network is: the \
         figure of one way cannot be held against another's from outside."
            .into(),
    );
}

/// Requests of a cycle, as the paper has them.
const REQUESTS: u32 = 2500;
const WARM: u32 = 200;
