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
use page::chart::{ChartAxis, ChartSeries, LineChart};

use super::driven::{DriveLoad, DriveReport, DriveRun, DriveSecond};
use super::{hello, memory_mib};
use crate::crash::served::{ServedApplication, current};

/// Most requests of the others outstanding at once.
const CLIENTS: usize = 64;
/// Most workers: `max_tasks` of the settings below, and 12.
const MOST_WORKERS: f64 = 22.0;
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

/// What the region had at one second.
struct BombSample {
    second: f64,
    region_mib: f64,
    workers_mib: f64,
    workers: f64,
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
    let load = DriveLoad {
        rate,
        clients: CLIENTS,
        warmup_s: 0,
        seconds,
    };
    let begin = Instant::now();
    let others = DriveRun::start(
        served.program(),
        &current(&served.address()),
        "/hello/world",
        load,
    )?;
    let (first, length) = (seconds as f64 / 10.0, Duration::from_secs(seconds));
    let samples = std::thread::scope(|scope| {
        scope.spawn(|| let_loose(&served, begin, first, length));
        let mut samples = Vec::new();
        while begin.elapsed() < length {
            std::thread::sleep(Duration::from_secs(1));
            let second = begin.elapsed().as_secs_f64().min(length.as_secs_f64());
            samples.push(sample(&served, second)?);
        }
        anyhow::Ok(samples)
    })?;
    let others = others.finish()?;
    let ended = served.stop()?;
    draw(&samples, &others, first, out)?;
    report(&samples, &others, first);
    println!("SIGTERM ended the region in {:.1} s", ended.as_secs_f64());
    println!("pictures: {}", out.display());
    Ok(samples.iter().all(|s| s.workers <= MOST_WORKERS))
}

/// Starts the three again and again from the second `first` on.
fn let_loose(served: &ServedApplication, begin: Instant, first: f64, length: Duration) {
    while begin.elapsed() < length {
        std::thread::sleep(Duration::from_secs(1));
        if begin.elapsed().as_secs_f64() < first {
            continue;
        }
        // A region that is full refuses some of them, which is what is shown.
        for transaction in ["RBMB", "SBMB", "GBMB"] {
            let _ = served.change(&format!("/transactions/{transaction}/start"));
        }
    }
}

fn sample(served: &ServedApplication, second: f64) -> Result<BombSample> {
    let region = served.pid().context("the region")?.to_string();
    let workers = served.workers()?;
    let mut workers_mib = 0.0;
    for pid in &workers {
        workers_mib += memory_mib(pid)?;
    }
    Ok(BombSample {
        second,
        region_mib: memory_mib(&region)?,
        workers_mib,
        workers: workers.len() as f64,
    })
}

fn report(samples: &[BombSample], others: &DriveReport, first: f64) {
    let most = |value: fn(&BombSample) -> f64| samples.iter().map(value).fold(0.0, f64::max);
    println!(
        "at most {:.0} MiB of the region, {:.0} MiB of workers, {} workers of {MOST_WORKERS}",
        most(|s| s.region_mib),
        most(|s| s.workers_mib),
        most(|s| s.workers),
    );
    let figures = &others.populations[0].1;
    let before = |second: &&DriveSecond| second.at_s < first;
    let worst = others.seconds.iter().filter(before).map(|s| s.p99_ms);
    println!(
        "others: {} answered, {} errors; p50 {:.1}, p99 {:.1}, longest {:.0} ms; before the \
         bombs the worst second had a p99 of {:.1} ms",
        figures.answered,
        figures.errors(),
        figures.p50_ms,
        figures.p99_ms,
        figures.max_ms,
        worst.fold(0.0, f64::max),
    );
}

fn draw(samples: &[BombSample], others: &DriveReport, first: f64, out: &Path) -> Result<()> {
    std::fs::create_dir_all(out)?;
    let line = |name: &str, value: fn(&BombSample) -> f64| ChartSeries {
        name: name.to_owned(),
        points: samples.iter().map(|s| (s.second, value(s))).collect(),
        ..ChartSeries::default()
    };
    let clients = |name: &str, value: fn(&DriveSecond) -> f64| ChartSeries {
        name: name.to_owned(),
        points: others.seconds.iter().map(|s| (s.at_s, value(s))).collect(),
        ..ChartSeries::default()
    };
    let bound = ChartSeries {
        dashed: true,
        ..line("bound: max_tasks and 12", |_| MOST_WORKERS)
    };
    let errors = ChartSeries {
        is_bad: true,
        ..clients("errors/s", |s| s.errors_s)
    };
    let plots = [
        (
            "memory",
            "Memory of the region",
            "MiB",
            vec![
                line("region", |s| s.region_mib),
                line("workers", |s| s.workers_mib),
            ],
        ),
        (
            "workers",
            "Workers of the region",
            "processes",
            vec![line("workers", |s| s.workers), bound],
        ),
        (
            "others",
            "Other clients, each second",
            "ms; errors/s",
            vec![clients("p99, ms", |s| s.p99_ms), errors],
        ),
    ];
    for (name, title, unit, series) in plots {
        let plot = LineChart {
            title: title.to_owned(),
            x: ChartAxis::from_zero("seconds"),
            y: ChartAxis::from_zero(unit),
            series,
            mark: Some((first, "three programs start".to_owned())),
            ..LineChart::default()
        };
        std::fs::write(out.join(format!("bounds-{name}.svg")), plot.alone())?;
    }
    Ok(())
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
