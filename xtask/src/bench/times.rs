//! How late time-driven work is, and what children cost.
//!
//! COBOL programs look at the clock themselves, run by `tupelo run`: a DELAY
//! of one millisecond, a thousand times, against a bare sleep of a thread;
//! from START to the first instruction of its program, against a round trip
//! between two threads, since two threads must wake; five children against
//! five LINKs, empty (told) and with two milliseconds of waiting each.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::{Bench, Bound, Row, Setting, median, program};

/// The benches of time.
pub const BENCHES: &[Bench] = &[Bench {
    name: "exec-time",
    about: "lateness of DELAY, START to first instruction, children against LINKs",
    run,
}];

const SLEEPS: usize = 1000;
const TRIPS: usize = 2000;

fn run(setting: &Setting) -> Result<Vec<Row>> {
    let folder = tempfile::tempdir()?;
    application(folder.path())?;
    let mut figures: [Vec<f64>; 11] = Default::default();
    for _ in 0..setting.rounds {
        let (sleep, late) = sleeps();
        let told = [
            figures_of(folder.path(), "DLAY", 2)?,
            vec![sleep, late],
            figures_of(folder.path(), "STRT", 2)?,
            vec![round_trip()],
            figures_of(folder.path(), "RUNS", 4)?,
        ];
        for (list, value) in figures.iter_mut().zip(told.concat()) {
            list.push(value);
        }
    }
    let [
        delay,
        delay99,
        sleep,
        sleep99,
        start,
        start99,
        trip,
        runs,
        links,
        waits,
        waited,
    ] = figures.map(|mut list| median(&mut list));
    let row = |row: &str, value, peer: (&str, f64), bound| {
        Row::judged(
            "exec-time",
            row,
            (value, "us"),
            (peer.0, Some(peer.1)),
            bound,
        )
    };
    Ok(vec![
        row(
            "lateness of DELAY 1 ms, median",
            delay,
            ("a sleep", sleep),
            Bound::RatioAtMost(4.0),
        ),
        row(
            "lateness of DELAY 1 ms, p99",
            delay99,
            ("a sleep", sleep99),
            Bound::RatioAtMost(4.0),
        ),
        row(
            "START to first instruction",
            start,
            ("a round trip", trip),
            Bound::RatioAtMost(8.0),
        ),
        row(
            "the same, p99",
            start99,
            ("a round trip", trip),
            Bound::Told,
        ),
        row(
            "RUN TRANSID of 5 empty children",
            runs,
            ("5 LINKs", links),
            Bound::Told,
        ),
        row(
            "5 children that wait 2 ms",
            waits,
            ("5 LINKs", waited),
            Bound::RatioAtMost(0.5),
        ),
    ])
}

/// Microseconds by which a sleep of one millisecond is late: median and p99.
fn sleeps() -> (f64, f64) {
    let mut late: Vec<f64> = (0..SLEEPS)
        .map(|_| {
            let begin = Instant::now();
            std::thread::sleep(Duration::from_millis(1));
            begin.elapsed().as_secs_f64() * 1e6 - 1e3
        })
        .collect();
    late.sort_by(f64::total_cmp);
    (late[SLEEPS / 2], late[SLEEPS * 99 / 100])
}

/// Microseconds of a message to another thread and back, median.
fn round_trip() -> f64 {
    let (there, messages) = channel::<()>();
    let (back, answers) = channel();
    let other = std::thread::spawn(move || {
        while messages.recv().is_ok() {
            if back.send(()).is_err() {
                return;
            }
        }
    });
    let mut trips = Vec::with_capacity(TRIPS);
    for _ in 0..TRIPS {
        let begin = Instant::now();
        if there.send(()).is_err() || answers.recv().is_err() {
            break;
        }
        trips.push(begin.elapsed().as_secs_f64() * 1e6);
    }
    drop(there);
    // It ends when there is nobody to send to it.
    let _ = other.join();
    median(&mut trips)
}

/// Runs a transaction and reads the figures it leaves in its COMMAREA, nine
/// digits of nanoseconds each, as microseconds.
fn figures_of(app: &Path, transid: &str, count: usize) -> Result<Vec<f64>> {
    let output = Command::new(program::tupelo()?)
        .args(["run", transid, "--json", "--commarea", "", "--length", "36"])
        .arg(app)
        .output()?;
    if !output.status.success() {
        bail!(
            "{}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
    }
    let report: Value = serde_json::from_slice(&output.stdout)?;
    let text = report["commarea"].as_str().context("no COMMAREA")?;
    let figures = text.as_bytes().chunks(9).take(count).map(|digits| {
        let number = std::str::from_utf8(digits)?.parse::<f64>()?;
        Ok(number / 1e3)
    });
    figures.collect()
}

fn application(app: &Path) -> Result<()> {
    fs::create_dir_all(app.join("cobol"))?;
    fs::create_dir_all(app.join("copybooks"))?;
    fs::write(app.join("copybooks/CLOCK.cpy"), CLOCK)?;
    fs::write(app.join("copybooks/CLOCKWS.cpy"), CLOCK_STORAGE)?;
    for (name, text) in [
        ("DELAYS", DELAYS),
        ("STARTS", STARTS),
        ("FIRST", FIRST),
        ("RUNS", RUNS),
        ("EMPTY", EMPTY),
        ("WAITS", WAITS),
    ] {
        fs::write(app.join(format!("cobol/{name}.cbl")), text)?;
    }
    let transactions = [
        ("DLAY", "DELAYS"),
        ("STRT", "STARTS"),
        ("FRST", "FIRST"),
        ("RUNS", "RUNS"),
        ("EMPT", "EMPTY"),
        ("WAIT", "WAITS"),
    ];
    let mut definitions = String::from(
        "DEFINE FILE(TIMES) GROUP(B) RECORDFORMAT(F) RECORDSIZE(20) KEYLENGTH(8)\n\
         \x20      ADD(YES) READ(YES) UPDATE(YES) RECOVERY(NONE)\n",
    );
    for (transid, program) in transactions {
        definitions.push_str(&format!(
            "DEFINE TRANSACTION({transid}) GROUP(B) PROGRAM({program}) RUNAWAY(0)\n\
             DEFINE PROGRAM({program}) GROUP(B) CONCURRENCY(THREADSAFE)\n"
        ));
    }
    fs::write(app.join("resources.csd"), definitions)?;
    fs::write(app.join("tupelo.toml"), "[files.TIMES]\nkey_offset = 0\n")?;
    Ok(())
}

/// Storage of the paragraph LOOK.
const CLOCK_STORAGE: &str = "\
       01  WS-STAMP.
           05  FILLER                  PIC X(9).
           05  WS-HOUR                 PIC 99.
           05  WS-MINUTE               PIC 99.
           05  WS-SECOND               PIC 99.
           05  FILLER                  PIC X.
           05  WS-NANOS                PIC 9(9).
       01  WS-NOW                      PIC S9(18) COMP-5.
       01  WS-BEGAN                    PIC S9(18) COMP-5.
";

/// Puts the time of the day in nanoseconds into WS-NOW.
const CLOCK: &str = "\
       LOOK.
           MOVE FUNCTION FORMATTED-CURRENT-DATE
               (\"YYYYMMDDThhmmss.sssssssss\") TO WS-STAMP
           COMPUTE WS-NOW = ((WS-HOUR * 60 + WS-MINUTE) * 60
               + WS-SECOND) * 1000000000 + WS-NANOS.
";

const DELAYS: &str = "\
       IDENTIFICATION DIVISION.
       PROGRAM-ID. DELAYS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       COPY CLOCKWS.
       01  WS-I                        PIC S9(9) COMP-5.
       01  WS-TABLE.
           05  WS-ENTRY                OCCURS 1000.
               10  WS-LATE             PIC S9(18) COMP-5.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  OUT-MEDIAN              PIC 9(9).
           05  OUT-P99                 PIC 9(9).
       PROCEDURE DIVISION.
           PERFORM VARYING WS-I FROM 1 BY 1 UNTIL WS-I > 1000
               PERFORM LOOK
               MOVE WS-NOW TO WS-BEGAN
               EXEC CICS DELAY FOR MILLISECS(1) END-EXEC
               PERFORM LOOK
               COMPUTE WS-LATE (WS-I) = WS-NOW - WS-BEGAN - 1000000
           END-PERFORM
           SORT WS-ENTRY ASCENDING KEY WS-LATE
           MOVE WS-LATE (500) TO OUT-MEDIAN
           MOVE WS-LATE (990) TO OUT-P99
           EXEC CICS RETURN END-EXEC.
       COPY CLOCK.
";

const STARTS: &str = "\
       IDENTIFICATION DIVISION.
       PROGRAM-ID. STARTS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       COPY CLOCKWS.
       01  WS-I                        PIC S9(9) COMP-5.
       01  WS-SENT.
           05  SENT-KEY                PIC 9(8).
           05  SENT-BEGAN              PIC S9(18) COMP-5.
       01  WS-RECORD.
           05  RECORD-KEY              PIC 9(8).
           05  RECORD-LATE             PIC 9(12).
       01  WS-TABLE.
           05  WS-ENTRY                OCCURS 200.
               10  WS-LATE             PIC S9(18) COMP-5.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  OUT-MEDIAN              PIC 9(9).
           05  OUT-P99                 PIC 9(9).
       PROCEDURE DIVISION.
           PERFORM VARYING WS-I FROM 1 BY 1 UNTIL WS-I > 200
               MOVE WS-I TO SENT-KEY
               PERFORM LOOK
               MOVE WS-NOW TO SENT-BEGAN
               EXEC CICS START TRANSID('FRST') FROM(WS-SENT) END-EXEC
               EXEC CICS DELAY FOR SECONDS(10) REQID('STARTS') END-EXEC
               EXEC CICS READ FILE('TIMES') INTO(WS-RECORD)
                   RIDFLD(SENT-KEY) END-EXEC
               MOVE RECORD-LATE TO WS-LATE (WS-I)
           END-PERFORM
           SORT WS-ENTRY ASCENDING KEY WS-LATE
           MOVE WS-LATE (100) TO OUT-MEDIAN
           MOVE WS-LATE (198) TO OUT-P99
           EXEC CICS RETURN END-EXEC.
       COPY CLOCK.
";

const FIRST: &str = "\
       IDENTIFICATION DIVISION.
       PROGRAM-ID. FIRST.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       COPY CLOCKWS.
       01  WS-SENT.
           05  SENT-KEY                PIC 9(8).
           05  SENT-BEGAN              PIC S9(18) COMP-5.
       01  WS-RECORD.
           05  RECORD-KEY              PIC 9(8).
           05  RECORD-LATE             PIC 9(12).
       PROCEDURE DIVISION.
           PERFORM LOOK
           EXEC CICS RETRIEVE INTO(WS-SENT) END-EXEC
           MOVE SENT-KEY TO RECORD-KEY
           EXEC CICS READ FILE('TIMES') INTO(WS-RECORD) UPDATE
               RIDFLD(SENT-KEY) NOHANDLE END-EXEC
           IF EIBRESP = 0
               COMPUTE RECORD-LATE = WS-NOW - SENT-BEGAN
               EXEC CICS REWRITE FILE('TIMES') FROM(WS-RECORD) END-EXEC
           ELSE
               COMPUTE RECORD-LATE = WS-NOW - SENT-BEGAN
               EXEC CICS WRITE FILE('TIMES') FROM(WS-RECORD)
                   RIDFLD(RECORD-KEY) END-EXEC
           END-IF
           PERFORM WITH TEST AFTER UNTIL EIBRESP = 0
               EXEC CICS CANCEL REQID('STARTS') NOHANDLE END-EXEC
           END-PERFORM
           EXEC CICS RETURN END-EXEC.
       COPY CLOCK.
";

const RUNS: &str = "\
       IDENTIFICATION DIVISION.
       PROGRAM-ID. RUNS.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       COPY CLOCKWS.
       01  WS-I                        PIC S9(9) COMP-5.
       01  WS-J                        PIC S9(9) COMP-5.
       01  WS-TRANSID                  PIC X(4).
       01  WS-PROGRAM                  PIC X(8).
       01  WS-STATUS                   PIC S9(8) COMP.
       01  WS-CHILDREN.
           05  WS-CHILD                PIC X(16) OCCURS 5.
       01  WS-RAN                      PIC S9(18) COMP-5.
       01  WS-LINKED                   PIC S9(18) COMP-5.
       LINKAGE SECTION.
       01  DFHCOMMAREA.
           05  OUT-RUNS                PIC 9(9).
           05  OUT-LINKS               PIC 9(9).
           05  OUT-WAITS               PIC 9(9).
           05  OUT-WAITED              PIC 9(9).
       PROCEDURE DIVISION.
           MOVE 'EMPT' TO WS-TRANSID
           MOVE 'EMPTY' TO WS-PROGRAM
           PERFORM BOTH
           MOVE WS-RAN TO OUT-RUNS
           MOVE WS-LINKED TO OUT-LINKS
           MOVE 'WAIT' TO WS-TRANSID
           MOVE 'WAITS' TO WS-PROGRAM
           PERFORM BOTH
           MOVE WS-RAN TO OUT-WAITS
           MOVE WS-LINKED TO OUT-WAITED
           EXEC CICS RETURN END-EXEC.
       BOTH.
           PERFORM CHILDREN
           PERFORM LOOK
           MOVE WS-NOW TO WS-BEGAN
           PERFORM CHILDREN 100 TIMES
           PERFORM LOOK
           COMPUTE WS-RAN = (WS-NOW - WS-BEGAN) / 100
           PERFORM LOOK
           MOVE WS-NOW TO WS-BEGAN
           PERFORM 100 TIMES
               PERFORM 5 TIMES
                   EXEC CICS LINK PROGRAM(WS-PROGRAM) END-EXEC
               END-PERFORM
           END-PERFORM
           PERFORM LOOK
           COMPUTE WS-LINKED = (WS-NOW - WS-BEGAN) / 100.
       CHILDREN.
           PERFORM VARYING WS-J FROM 1 BY 1 UNTIL WS-J > 5
               EXEC CICS RUN TRANSID(WS-TRANSID)
                   CHILD(WS-CHILD (WS-J)) END-EXEC
           END-PERFORM
           PERFORM VARYING WS-J FROM 1 BY 1 UNTIL WS-J > 5
               EXEC CICS FETCH CHILD(WS-CHILD (WS-J))
                   COMPSTATUS(WS-STATUS) END-EXEC
               IF WS-STATUS NOT = DFHVALUE(NORMAL)
                   EXEC CICS ABEND ABCODE('BAD ') END-EXEC
               END-IF
               EXEC CICS FREE CHILD(WS-CHILD (WS-J)) END-EXEC
           END-PERFORM.
       COPY CLOCK.
";

const EMPTY: &str = "\
       IDENTIFICATION DIVISION.
       PROGRAM-ID. EMPTY.
       PROCEDURE DIVISION.
           EXEC CICS RETURN END-EXEC.
";

const WAITS: &str = "\
       IDENTIFICATION DIVISION.
       PROGRAM-ID. WAITS.
       PROCEDURE DIVISION.
           EXEC CICS DELAY FOR MILLISECS(2) END-EXEC
           EXEC CICS RETURN END-EXEC.
";
