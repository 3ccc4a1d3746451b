//! Paper 000's product: a script that calls a program and answers as a web
//! service, presented at the target rate, at twice and at ten times it; with a
//! program that changes mode and one that does not, and with a copybook object
//! that is asked more.

use super::presented::{PresentedRun, load, present, report};
use super::{Context, Experiment, MachineNeeds};
use crate::error::LabError;
use crate::report::{ExperimentReport, Picture, Table};
use crate::serve::{ServedApplication, Server};
use page::chart::{ChartAxis, ChartSeries, LineChart};
use page::short;
use std::time::Duration;

/// The row of the table.
pub const EXPERIMENT: Experiment = Experiment {
    name: "script",
    about: "a script over a program at the target rate, twice and ten times it; modes, copybook fields",
    paper: "We Do Performance",
    needs: MachineNeeds::Nothing,
    repeats: 3,
    run,
};

/// One service of the comparison.
struct ScriptCase {
    name: &'static str,
    concurrency: &'static str,
    /// Fields that the script reads and writes a request.
    fields: u32,
}

const CASES: [ScriptCase; 3] = [
    ScriptCase {
        name: "no change of mode",
        concurrency: "THREADSAFE",
        fields: 1,
    },
    ScriptCase {
        name: "changes of mode",
        concurrency: "QUASIRENT",
        fields: 1,
    },
    ScriptCase {
        name: "200 fields of a copybook",
        concurrency: "THREADSAFE",
        fields: 200,
    },
];

fn run(context: &Context<'_>) -> Result<ExperimentReport, LabError> {
    let mut report = report(
        &EXPERIMENT,
        "A script over a program",
        "A script turns a program into a web service. What do its response time and its CPU do \
         when requests come at the rate it is made for, twice and ten times as often; and what do \
         changes of mode and many fields of a copybook cost?",
    );
    let mut servers = Vec::new();
    for case in &CASES {
        context.report_progress(&format!("{}: compile and start", case.name));
        servers.push(Server::start(&application(case))?);
    }
    let full = |server: &mut Server| {
        let mut full = load(context, server.url(PATH), CLIENTS, PATIENCE * 10);
        full.duration = DURATION;
        present(server, &full)
    };
    for (case, server) in CASES.iter().zip(&mut servers) {
        // Engines and workers that are started first would count otherwise.
        context.report_progress(&format!("{}: warm-up", case.name));
        full(server)?;
    }
    context.report_progress("measuring the capacity of the service");
    let capacity = full(&mut servers[0])?.outcome.throughput();
    let target = (capacity * TARGET_SHARE).max(1.0).round();
    let mut found: Vec<Vec<PresentedRun>> = CASES.iter().map(|_| Vec::new()).collect();
    for factor in FACTORS {
        for ((case, server), found) in CASES.iter().zip(&mut servers).zip(&mut found) {
            let rate = target * factor;
            context.report_progress(&format!("{}: {} requests/s", case.name, short(rate)));
            let mut load = load(context, server.url(PATH), OUTSTANDING, PATIENCE);
            load.rate = Some(rate);
            load.duration = DURATION;
            found.push(present(server, &load)?);
        }
    }
    report.condition(
        "service",
        "a script that sets a field of a copybook record, links to a program with a channel and \
         reads a field of its answer (chosen)",
    );
    report.condition(
        "load",
        format!(
            "the target is {:.0} % (chosen) of the {} answers/s that {CLIENTS} waiting clients \
             get: {}/s. It is presented {} times; {:.1} s each, requests evenly spaced, after \
             as long a warm-up of each service",
            TARGET_SHARE * 100.0,
            short(capacity),
            short(target),
            FACTORS.map(short).join(", "),
            DURATION.as_secs_f64()
        ),
    );
    figures(&mut report, &found);
    report.tables.push(table(&found));
    report.pictures = vec![
        picture(
            "Response time over the presented rate",
            "ms, half are faster",
            &found,
            target,
            |p| p.response_ms(0.5),
        ),
        picture(
            "CPU over the presented rate",
            "µs a request",
            &found,
            target,
            |p| p.cpu_us,
        ),
    ];
    conclude(&mut report, &found);
    Ok(report)
}

fn application(case: &ScriptCase) -> ServedApplication {
    ServedApplication::default()
        .settings(&format!(
            "[region]\nmonitoring = \"records.jsonl\"\nmax_tasks = 50\nmax_queued = 1000\n\
             [script.routes]\n\"{PATH}\" = \"lab.js\"\n"
        ))
        .definitions(&format!(
            "DEFINE PROGRAM(LABLINK) GROUP(LAB) LANGUAGE(COBOL) CONCURRENCY({})\n",
            case.concurrency
        ))
        .program("LABLINK", include_str!("../../programs/LABLINK.cbl"))
        .file("copybooks/LABNUM.cpy", COPYBOOK)
        .file(
            "scripts/lab.js",
            SCRIPT.replace("FIELDS", &case.fields.to_string()),
        )
}

fn figures(report: &mut ExperimentReport, found: &[Vec<PresentedRun>]) {
    for (i, factor) in FACTORS.into_iter().enumerate() {
        for (case, found) in CASES.iter().zip(found) {
            let at = &found[i];
            let conditions = format!("{} × target, {}", short(factor), case.name);
            let answered = at.outcome.throughput();
            report.measured("answered", &conditions, None, answered, "/s");
            report.measured(
                "response, p50",
                &conditions,
                None,
                at.response_ms(0.5),
                "ms",
            );
            report.measured("CPU per request", &conditions, None, at.cpu_us, "µs");
            let changes = at.mean(|r| f64::from(r.mode_switches));
            report.measured(
                "changes of mode per request",
                &conditions,
                None,
                changes,
                "",
            );
        }
    }
}

fn table(found: &[Vec<PresentedRun>]) -> Table {
    let mut rows = Vec::new();
    for (i, factor) in FACTORS.into_iter().enumerate() {
        for (case, found) in CASES.iter().zip(found) {
            let at = &found[i];
            let figures = [
                at.outcome.throughput(),
                at.response_ms(0.5),
                at.response_ms(0.99),
                at.cpu_us,
                at.mean(|r| f64::from(r.mode_switches)),
            ];
            let mut row = vec![short(factor), case.name.to_owned()];
            row.extend(figures.map(short));
            rows.push(row);
        }
    }
    let heading = [
        "× target",
        "service",
        "answered/s",
        "p50 ms",
        "p99 ms",
        "CPU µs",
        "changes of mode",
    ];
    Table {
        title: "The same service at three rates".into(),
        heading: heading.map(str::to_owned).into(),
        rows,
        caption: "CPU is that of server and workers together, a request.".into(),
    }
}

fn picture(
    title: &str,
    y: &str,
    found: &[Vec<PresentedRun>],
    target: f64,
    of: impl Fn(&PresentedRun) -> f64,
) -> Picture {
    let series = CASES.iter().zip(found).map(|(case, found)| ChartSeries {
        name: case.name.into(),
        points: FACTORS
            .iter()
            .zip(found)
            .map(|(f, p)| (f * target, of(p)))
            .collect(),
        dots: true,
        ..ChartSeries::default()
    });
    Picture::Plot(LineChart {
        title: title.into(),
        x: ChartAxis::from_zero("requested rate, requests/s"),
        y: ChartAxis::from_zero(y),
        series: series.collect(),
        mark: Some((target, "target".into())),
        shade: None,
    })
}

fn conclude(report: &mut ExperimentReport, found: &[Vec<PresentedRun>]) {
    let [Some(plain), Some(modes), Some(fields)] =
        [found[0].first(), found[1].first(), found[2].first()]
    else {
        return;
    };
    report.matters(plain.cpu_us, "µs", "CPU a request at the target");
    report.matters(modes.cpu_us, "µs", "with changes of mode");
    report.matters(fields.cpu_us, "µs", "with 200 fields of a copybook");
    report.conclusions.push(format!(
        "At the target a request takes {} µs of CPU without changes of mode, {} µs with {} of \
         them, and {} µs when the script asks 200 fields of a record instead of one.",
        short(plain.cpu_us),
        short(modes.cpu_us),
        short(modes.mean(|r| f64::from(r.mode_switches))),
        short(fields.cpu_us),
    ));
}

const SCRIPT: &str = r#"
const Area = new Copybook("LABNUM");
export function GET() {
  const area = Area.view();
  for (let i = 0; i < FIELDS; i++) { area.LAB_NUMBER = i; }
  let sum = 0;
  for (let i = 0; i < FIELDS; i++) { sum += area.LAB_NUMBER; }
  const { channel } = cics.link("LABLINK", { channel: { NUMBER: area } });
  return { answer: Area.view(channel.get("ANSWER")).LAB_NUMBER, sum };
}
"#;
const COPYBOOK: &str = "       01  LAB-AREA.\n           05  LAB-NUMBER PIC S9(9) COMP.\n";
const PATH: &str = "/lab-script";
/// The paper's.
const FACTORS: [f64; 3] = [1.0, 2.0, 10.0];
/// The target rate, as a fraction of the capacity: the service can carry twice the
/// target, but not ten times.
const TARGET_SHARE: f64 = 0.3;
const CLIENTS: usize = 16;
const OUTSTANDING: usize = 500;
/// The timeout of a caller.
const PATIENCE: Duration = Duration::from_secs(1);
const DURATION: Duration = Duration::from_millis(1500);
