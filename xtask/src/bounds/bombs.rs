//! Three programs that grow without end in one region, and what the others have.
//!
//! One runs children of its own transaction, one STARTs itself, and one fills
//! temporary storage and its channel. They are started again and again. Each second
//! the memory of the region and of its workers, the number of workers, and the
//! response times and errors of other clients are noted; three pictures show them
//! over time.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use measure::report::{Axis, Plot, STYLE, Series};

use super::hello;
use super::load::ConstantLoad;
use crate::crash::served::{ServedApplication, current};

/// Most tasks of the region: workers may be this many, and 12.
const MAX_TASKS: u64 = 10;
/// Limits that are reached within the minutes of a run.
const SETTINGS: &str = "max_tasks = 10\nmax_queued = 1000\nchannel_bytes = 67108864\n";
const DEFINITIONS: &str = "DEFINE TRANSACTION(RBMB) GROUP(BOMBS) PROGRAM(RUNS)\n\
    DEFINE TRANSACTION(SBMB) GROUP(BOMBS) PROGRAM(STARTS)\n\
    DEFINE TRANSACTION(GBMB) GROUP(BOMBS) PROGRAM(GROWS)\n\
    DEFINE PROGRAM(RUNS) GROUP(BOMBS) CONCURRENCY(THREADSAFE)\n\
    DEFINE PROGRAM(STARTS) GROUP(BOMBS) CONCURRENCY(THREADSAFE)\n\
    DEFINE PROGRAM(GROWS) GROUP(BOMBS) CONCURRENCY(THREADSAFE)\n";

/// The three, by the parts that differ: storage and statements.
const PROGRAMS: [(&str, &str, &str); 3] = [
    (
        "RUNS",
        "       01  T PIC X(16).\n       01  S PIC S9(8) COMP.\n",
        "           PERFORM 3 TIMES
             EXEC CICS RUN TRANSID('RBMB') CHILD(T) NOHANDLE END-EXEC
           END-PERFORM
           EXEC CICS FETCH ANY(T) COMPSTATUS(S) NOHANDLE END-EXEC\n",
    ),
    (
        "STARTS",
        "       01  X PIC X.\n",
        "           PERFORM 3 TIMES
             EXEC CICS START TRANSID('SBMB') NOHANDLE END-EXEC
           END-PERFORM\n",
    ),
    (
        "GROWS",
        "       01  D PIC X(32000).\n       01  N PIC 9(8) VALUE 0.\n       01  R PIC S9(8) COMP.
       01  C.\n           05  FILLER PIC X(8) VALUE 'FILLING'.\n           05  CN PIC 9(8).\n",
        "           MOVE 0 TO R
           PERFORM UNTIL R NOT = 0
             ADD 1 TO N
             MOVE N TO CN
             EXEC CICS PUT CONTAINER(C) CHANNEL('BOMB') FROM(D)
               FLENGTH(32000) RESP(R) END-EXEC
           END-PERFORM
           MOVE 0 TO R
           PERFORM UNTIL R NOT = 0
             EXEC CICS WRITEQ TS QNAME(C) FROM(D) LENGTH(32000) MAIN
               NOSUSPEND RESP(R) END-EXEC
           END-PERFORM\n",
    ),
];

/// What was seen at one second.
struct BombSample {
    second: f64,
    region_mib: f64,
    workers_mib: f64,
    workers: f64,
    p99_ms: f64,
    errors_s: f64,
}

/// Runs them and draws; false when workers were above their bound.
pub fn run(tupelo: Option<&Path>, seconds: u64, rate: f64, out: &Path) -> Result<bool> {
    let files: Vec<(String, String)> = PROGRAMS
        .iter()
        .map(|(name, storage, statements)| {
            (
                format!("cobol/{name}.cbl"),
                program(name, storage, statements),
            )
        })
        .collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(n, t)| (&**n, &**t)).collect();
    let mut served = hello(tupelo, SETTINGS, &files, DEFINITIONS)?;
    served.start()?;
    let load = ConstantLoad::start(&current(&served.address()), "/hello/world", rate, 64)?;
    let begin = Instant::now();
    let mut samples = Vec::new();
    let (mut answered, mut errors) = (0, 0);
    while begin.elapsed().as_secs() < seconds {
        std::thread::sleep(Duration::from_secs(1));
        let second = begin.elapsed().as_secs_f64();
        if second > seconds as f64 / 10.0 {
            // A region that is full refuses some of them, which is what is shown.
            for transaction in ["RBMB", "SBMB", "GBMB"] {
                let _ = served.change(&format!("/transactions/{transaction}/start"));
            }
        }
        let window = load.take();
        answered += window.answered;
        errors += window.errors();
        samples.push(sample(&served, second, &window)?);
    }
    drop(load);
    draw(&samples, out)?;
    let most = |value: fn(&BombSample) -> f64| samples.iter().map(value).fold(0.0, f64::max);
    println!(
        "at most {:.0} MiB of the region, {:.0} MiB of workers, {} workers; others: {answered} \
         answered, {errors} errors, p99 at most {:.1} ms",
        most(|s| s.region_mib),
        most(|s| s.workers_mib),
        most(|s| s.workers),
        most(|s| s.p99_ms)
    );
    println!("pictures: {}", out.display());
    Ok(most(|s| s.workers) <= (MAX_TASKS + 12) as f64)
}

fn sample(
    served: &ServedApplication,
    second: f64,
    window: &super::load::LoadWindow,
) -> Result<BombSample> {
    let region = served.pid().context("the region")?.to_string();
    let workers = served.workers()?;
    let mib = |pid: &str, what: &[&str]| memory_kib(pid, what) as f64 / 1024.0;
    Ok(BombSample {
        second,
        // What is shared with workers counts once.
        region_mib: mib(&region, &["RssAnon:", "RssShmem:"]),
        workers_mib: workers.iter().map(|pid| mib(pid, &["RssAnon:"])).sum(),
        workers: workers.len() as f64,
        p99_ms: window.quantile_ms(0.99),
        errors_s: window.errors() as f64,
    })
}

/// KiB of a process in these lines of its status; 0 when it has ended.
fn memory_kib(pid: &str, lines: &[&str]) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let wanted = status
        .lines()
        .filter(|line| lines.iter().any(|name| line.starts_with(name)));
    let kib = wanted.filter_map(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    kib.sum()
}

fn draw(samples: &[BombSample], out: &Path) -> Result<()> {
    std::fs::create_dir_all(out)?;
    let line = |name: &str, value: fn(&BombSample) -> f64| Series {
        name: name.to_owned(),
        points: samples.iter().map(|s| (s.second, value(s))).collect(),
        ..Series::default()
    };
    let bound = Series {
        name: "bound: max_tasks and 12".to_owned(),
        points: samples
            .iter()
            .map(|s| (s.second, (MAX_TASKS + 12) as f64))
            .collect(),
        dashed: true,
        ..Series::default()
    };
    let errors = Series {
        is_bad: true,
        ..line("errors/s", |s| s.errors_s)
    };
    let plots = [
        (
            "memory",
            "Memory, MiB",
            vec![
                line("region", |s| s.region_mib),
                line("workers", |s| s.workers_mib),
            ],
        ),
        (
            "workers",
            "Workers",
            vec![line("workers", |s| s.workers), bound],
        ),
        (
            "others",
            "Other clients",
            vec![line("p99, ms", |s| s.p99_ms), errors],
        ),
    ];
    for (name, title, series) in plots {
        let plot = Plot {
            title: title.to_owned(),
            x: axis("seconds"),
            y: axis(title),
            series,
            ..Plot::default()
        };
        let svg = plot.svg_with_legend();
        // The style sheet comes with the picture, which stands alone.
        let head = svg.find('>').map_or(0, |at| at + 1);
        let styled = format!("{}<style>{STYLE}</style>{}", &svg[..head], &svg[head..]);
        std::fs::write(out.join(format!("bombs-{name}.svg")), styled)?;
    }
    Ok(())
}

fn axis(label: &str) -> Axis {
    Axis {
        label: label.to_owned(),
        from_zero: true,
        ..Axis::default()
    }
}

fn program(name: &str, storage: &str, statements: &str) -> String {
    format!(
        "       IDENTIFICATION DIVISION.
       PROGRAM-ID. {name}.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
{storage}       PROCEDURE DIVISION.
{statements}           EXEC CICS RETURN END-EXEC.
"
    )
}
