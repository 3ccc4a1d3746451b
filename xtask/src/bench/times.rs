//! What commands that the region serves cost in time, how late time-driven
//! work is, and what children cost.
//!
//! COBOL programs look at the clock themselves. A call of the region is
//! measured against a bare round trip between two processors: both put a
//! message into memory they share, and each wakes the other. A DELAY of one
//! millisecond stands against a bare sleep of a thread, five children against five LINKs,
//! empty (printed only) and with two milliseconds of waiting each.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::Result;

use super::cobol::{MeasuredApplication, Program};
use super::exec;
use super::{BenchEntry, BenchSettings, BudgetRow, RowBound, median};

/// The benches of time.
pub const BENCHES: &[BenchEntry] = &[BenchEntry {
    name: "exec-time",
    about: "queue and ENQ calls, lateness of DELAY, START to first instruction, children",
    run,
}];

const SLEEPS: usize = 1000;

/// A call is one round trip, and work on both sides.
const CALL: RowBound = RowBound::RatioAtMost(2.0);

fn run(setting: &BenchSettings) -> Result<Vec<BudgetRow>> {
    let application = MeasuredApplication::new(&PROGRAMS, SETTINGS, DEFINITIONS)?;
    let mut figures: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for _ in 0..setting.rounds {
        let measured = [
            (
                &["write", "read", "enq"][..],
                application.figures("QUES", 3)?,
            ),
            (&["trip"], vec![exec::bare_round_trip()?]),
            (&["delay", "delay99"], application.figures("DLAY", 2)?),
            (&["sleep", "sleep99"], sleeps().to_vec()),
            (&["start", "start99"], application.figures("STRT", 2)?),
            (
                &["runs", "links", "waits", "waited"],
                application.figures("RUNS", 4)?,
            ),
        ];
        for (names, values) in measured {
            for (name, value) in names.iter().zip(values) {
                figures.entry(name).or_default().push(value);
            }
        }
    }
    let mut row = |row: &str, ours: &str, (name, peer): (&str, &str), bound| {
        let [value, peer] = [ours, peer].map(|f| figures.get_mut(f).map(|f| median(f)));
        let value = (value.unwrap_or(f64::NAN), "us");
        BudgetRow::judged("exec-time", row, value, (name, peer), bound)
    };
    let (trip, links) = (("a round trip", "trip"), "5 LINKs");
    let (late, comparison) = (RowBound::RatioAtMost(4.0), RowBound::ComparisonOnly);
    Ok(vec![
        row("WRITEQ TS MAIN, 100 bytes", "write", trip, CALL),
        row("READQ TS, 100 bytes", "read", trip, CALL),
        row("ENQ or DEQ, no task waits", "enq", trip, CALL),
        row(
            "lateness of DELAY 1 ms, median",
            "delay",
            ("a sleep", "sleep"),
            late,
        ),
        row(
            "lateness of DELAY 1 ms, p99",
            "delay99",
            ("a sleep", "sleep99"),
            late,
        ),
        row(
            "START to first instruction",
            "start",
            trip,
            RowBound::RatioAtMost(8.0),
        ),
        row("the same, p99", "start99", trip, comparison),
        row(
            "RUN TRANSID of 5 empty children",
            "runs",
            (links, "links"),
            comparison,
        ),
        row(
            "5 children that wait 2 ms",
            "waits",
            (links, "waited"),
            RowBound::RatioAtMost(0.5),
        ),
    ])
}

/// Microseconds by which a sleep of one millisecond is late: median and p99.
fn sleeps() -> [f64; 2] {
    let mut late: Vec<f64> = (0..SLEEPS)
        .map(|_| {
            let begin = Instant::now();
            std::thread::sleep(Duration::from_millis(1));
            begin.elapsed().as_secs_f64() * 1e6 - 1e3
        })
        .collect();
    late.sort_by(f64::total_cmp);
    [late[SLEEPS / 2], late[SLEEPS * 99 / 100]]
}

const PROGRAMS: [Program; 7] = [
    ("QUES", "QUEUES", include_str!("cobol/QUEUES.cbl")),
    ("DLAY", "DELAYS", include_str!("cobol/DELAYS.cbl")),
    ("STRT", "STARTS", include_str!("cobol/STARTS.cbl")),
    ("FRST", "FIRST", include_str!("cobol/FIRST.cbl")),
    ("RUNS", "RUNS", include_str!("cobol/RUNS.cbl")),
    ("EMPT", "EMPTY", include_str!("cobol/EMPTY.cbl")),
    ("WAIT", "WAITS", include_str!("cobol/WAITS.cbl")),
];

const SETTINGS: &str = "[files.TIMES]\nkey_offset = 0\n";

/// Where a started program leaves how late it was.
const DEFINITIONS: &str = "\
DEFINE FILE(TIMES) GROUP(B) RECORDFORMAT(F) RECORDSIZE(20) KEYLENGTH(8)
       ADD(YES) READ(YES) UPDATE(YES) RECOVERY(NONE)
";
