//! Paper 000's transaction whose file I/O changes mode about twelve times, and the
//! same without changes: FCQRONLY=YES compared with FCQRONLY=NO, and with the
//! definition's default, a quasi-reentrant program.

use super::presented::{PresentedRun, load, present, report};
use super::{Context, Experiment, MachineNeeds};
use crate::error::LabError;
use crate::report::{ExperimentReport, Picture, PublishedValue, Table};
use crate::serve::{HttpProgram, ServedApplication, Server};
use page::chart::{ChartAxis, ChartSeries, LineChart};
use page::short;
use std::fmt::Write;
use std::time::Duration;

/// The row of the table.
pub const EXPERIMENT: Experiment = Experiment {
    name: "threadsafe",
    about: "twelve changes of mode a transaction by its file commands, against none",
    paper: "We Do Performance",
    needs: MachineNeeds::Nothing,
    repeats: 3,
    run,
};

/// One region of the comparison.
struct RegionCase {
    name: &'static str,
    concurrency: &'static str,
    fc_qr_only: bool,
    /// Changes of mode a transaction, as the paper has them.
    published: Option<f64>,
}

const CASES: [RegionCase; 3] = [
    RegionCase {
        name: "threadsafe, FCQRONLY=YES",
        concurrency: "THREADSAFE",
        fc_qr_only: true,
        published: Some(12.0),
    },
    RegionCase {
        name: "threadsafe, FCQRONLY=NO",
        concurrency: "THREADSAFE",
        fc_qr_only: false,
        published: Some(0.0),
    },
    RegionCase {
        name: "quasi-reentrant",
        concurrency: "QUASIRENT",
        fc_qr_only: true,
        published: None,
    },
];

/// The result of a case.
struct CaseResult {
    full: PresentedRun,
    at_rates: Vec<PresentedRun>,
}

fn run(context: &Context<'_>) -> Result<ExperimentReport, LabError> {
    let mut report = report(
        &EXPERIMENT,
        "Threadsafe file commands",
        "A threadsafe program leaves its own mode for every file command while FCQRONLY=YES, and \
         comes back after it. What do these changes cost, and what does FCQRONLY=NO give back?",
    );
    let mut servers = Vec::new();
    for case in &CASES {
        context.report_progress(&format!("{}: compile and start", case.name));
        servers.push(Server::start(&application(case))?);
    }
    let url = |server: &Server| server.url(&SERVICE.path(7));
    let mut full = Vec::new();
    for (case, server) in CASES.iter().zip(&mut servers) {
        context.report_progress(&format!("{}: {CLIENTS} clients", case.name));
        let mut load = load(context, url(server), CLIENTS, PATIENCE);
        load.duration = WARM;
        present(server, &load)?;
        load.duration = context.length(DURATION);
        full.push(present(server, &load)?);
    }
    let slowest = full.iter().map(|f| f.outcome.throughput());
    let slowest = slowest.fold(f64::INFINITY, f64::min);
    let rates = SHARES.map(|share| (share * slowest).max(1.0).round());
    let mut found: Vec<CaseResult> = full
        .into_iter()
        .map(|full| CaseResult {
            full,
            at_rates: Vec::new(),
        })
        .collect();
    for rate in rates {
        for ((case, server), found) in CASES.iter().zip(&mut servers).zip(&mut found) {
            context.report_progress(&format!("{}: {rate} requests/s", case.name));
            let mut load = load(context, url(server), OUTSTANDING, PATIENCE);
            load.rate = Some(rate);
            load.duration = context.length(DURATION);
            found.at_rates.push(present(server, &load)?);
        }
    }
    conditions(context, &mut report, rates);
    figures(&mut report, &found, rates);
    conclude(&mut report, &found);
    report.tables.push(side_by_side(&found, rates));
    report.pictures = vec![
        picture(
            "Response time over the presented rate",
            "p50, ms",
            &found,
            rates,
            |p| p.response_ms(0.5),
        ),
        picture(
            "CPU over the presented rate",
            "µs a transaction",
            &found,
            rates,
            |p| p.cpu_us,
        ),
    ];
    Ok(report)
}

fn application(case: &RegionCase) -> ServedApplication {
    let mut records = String::new();
    for key in 0..RECORDS {
        let _ = writeln!(records, "{key:08}{:<72}", "a record of the laboratory");
    }
    ServedApplication::default()
        .settings(&format!(
            "[region]\nmonitoring = \"records.jsonl\"\nfc_qr_only = {}\n\
             [files.LABFILE]\nkey_offset = 0\ndata = \"data/records.txt\"\nformat = \"lines\"\n",
            case.fc_qr_only
        ))
        .definitions(&format!(
            "DEFINE TRANSACTION(LABT) GROUP(LAB) PROGRAM(LABREAD)\n\
             DEFINE PROGRAM(LABREAD) GROUP(LAB) LANGUAGE(COBOL) CONCURRENCY({})\n\
             DEFINE FILE(LABFILE) GROUP(LAB) RECORDFORMAT(F) RECORDSIZE(80) KEYLENGTH(8)\n       \
             READ(YES) STATUS(ENABLED) OPENTIME(FIRSTREF)\n",
            case.concurrency
        ))
        .program("LABREAD", include_str!("../../programs/LABREAD.cbl"))
        .file("data/records.txt", records)
        .service(&SERVICE)
}

fn conditions(context: &Context<'_>, report: &mut ExperimentReport, rates: [f64; 3]) {
    report.condition(
        "chosen",
        "six READs of 80 bytes by key, so that the changes of mode are the paper's twelve; the \
         paper does not say which commands its transaction issued",
    );
    report.condition(
        "load",
        format!(
            "{CLIENTS} clients without pause, then {} requests/s, which are {} of what the slowest \
             of the regions answers; {:.1} s each",
            rates.map(short).join(", "),
            SHARES.map(|s| format!("{:.0} %", s * 100.0)).join(", "),
            context.length(DURATION).as_secs_f64()
        ),
    );
    report.condition(
        "CPU",
        "of the server and its workers by the kernel, gateway included, over the tasks that ended",
    );
    report.condition(
        "not compared",
        "the paper names no response time, CPU or throughput for this change",
    );
}

fn figures(report: &mut ExperimentReport, found: &[CaseResult], rates: [f64; 3]) {
    for (case, found) in CASES.iter().zip(found) {
        let switches = found.full.mean(|r| f64::from(r.mode_switches));
        let published = case.published.and_then(PublishedValue::number);
        // The number of READs was chosen after the paper's twelve.
        let name = "changes of mode a transaction";
        if case.fc_qr_only && case.published.is_some() {
            report.calibrated(name, case.name, published, switches, "changes")
        } else {
            report.measured(name, case.name, published, switches, "changes")
        }
    }
    for (case, found) in CASES.iter().zip(found) {
        let name = format!("throughput, {CLIENTS} clients");
        report.measured(
            &name,
            case.name,
            None,
            found.full.outcome.throughput(),
            "/s",
        );
        let name = format!("CPU a transaction, {CLIENTS} clients");
        report.measured(&name, case.name, None, found.full.cpu_us, "µs");
    }
    for (i, rate) in rates.into_iter().enumerate() {
        for (case, found) in CASES.iter().zip(found) {
            let at = &found.at_rates[i];
            let name = format!("p50 at {}/s", short(rate));
            report.measured(&name, case.name, None, at.response_ms(0.5), "ms");
        }
    }
}

/// Everything at every load, a row a region.
fn side_by_side(found: &[CaseResult], rates: [f64; 3]) -> Table {
    let mut rows = Vec::new();
    let loads = rates.iter().map(|r| format!("{}/s", short(*r)));
    let loads: Vec<String> = loads.chain([format!("{CLIENTS} clients")]).collect();
    for (i, load) in loads.iter().enumerate() {
        for (case, found) in CASES.iter().zip(found) {
            let at = found.at_rates.get(i).unwrap_or(&found.full);
            rows.push(vec![
                load.clone(),
                case.name.into(),
                short(at.outcome.throughput()),
                short(at.response_ms(0.5)),
                short(at.response_ms(0.99)),
                short(at.cpu_us),
                short(at.mean(|r| r.qr_wait_ns as f64 / 1e3)),
                short(at.mean(|r| f64::from(r.mode_switches))),
            ]);
        }
    }
    let heading = [
        "presented",
        "region",
        "answered/s",
        "p50 ms",
        "p99 ms",
        "CPU µs",
        "QR wait µs",
        "changes",
    ];
    Table {
        title: "Side by side".into(),
        heading: heading.map(str::to_owned).into(),
        rows,
        caption: "CPU, wait for the QR token and changes of mode are means a transaction.".into(),
    }
}

fn picture(
    title: &str,
    unit: &str,
    found: &[CaseResult],
    rates: [f64; 3],
    of: impl Fn(&PresentedRun) -> f64,
) -> Picture {
    let series = CASES.iter().zip(found).map(|(case, found)| ChartSeries {
        name: case.name.into(),
        points: rates
            .into_iter()
            .zip(found.at_rates.iter().map(&of))
            .collect(),
        dots: true,
        ..ChartSeries::default()
    });
    Picture::Plot(LineChart {
        title: title.into(),
        x: ChartAxis::from_zero("requested rate, requests/s"),
        y: ChartAxis::from_zero(unit),
        series: series.collect(),
        ..LineChart::default()
    })
}

fn conclude(report: &mut ExperimentReport, found: &[CaseResult]) {
    let change =
        |of: &dyn Fn(&PresentedRun) -> f64| (of(&found[1].full) / of(&found[0].full) - 1.0) * 100.0;
    let [with, without] = [&found[0].full, &found[1].full];
    let changes = |of: &PresentedRun| of.mean(|r| f64::from(r.mode_switches));
    report.matters(
        changes(with) - changes(without),
        "",
        "changes of mode a transaction saved",
    );
    let what = format!("throughput of {CLIENTS} clients without them");
    report.matters(change(&|p| p.outcome.throughput()), "%", &what);
    report.matters(change(&|p| p.cpu_us), "%", "CPU a transaction without them");
    let name = format!("change of the throughput of {CLIENTS} clients");
    report.change(&name, WITHOUT, None, change(&|p| p.outcome.throughput()));
    let name = format!("change of the CPU a transaction, {CLIENTS} clients");
    report.change(&name, WITHOUT, None, change(&|p| p.cpu_us));
    report.conclusions.push(
        "In CICS a change of mode moves the task between two TCBs, which the operating system \
         dispatches. Here the task keeps its thread and takes or gives the region's one QR token. \
         So the number of changes is the paper's, and their cost is not."
            .into(),
    );
}

/// The conditions of a change.
const WITHOUT: &str = "FCQRONLY=NO against YES";
const SERVICE: HttpProgram = HttpProgram {
    name: "threadsafe",
    transid: "LABT",
    program: "LABREAD",
};
const RECORDS: u32 = 1000;
/// Enough to keep the processors of a small machine busy.
const CLIENTS: usize = 8;
/// The most requests of an open loop in the air.
const OUTSTANDING: usize = 256;
/// Fractions of the slowest region's capacity.
const SHARES: [f64; 3] = [0.25, 0.5, 0.75];
const PATIENCE: Duration = Duration::from_secs(10);
const WARM: Duration = Duration::from_millis(300);
const DURATION: Duration = Duration::from_millis(1500);
