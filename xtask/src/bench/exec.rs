//! What a LINK, a READ and a commit cost.
//!
//! LINK and commits are measured by the region's own bench program, in a real
//! worker with an empty COBOL program, against bare shared memory and one flush
//! an update. READ is a COBOL program that reads records by key in a loop, as
//! `tupelo run` accounts its CPU, against a bare LMDB get with its transaction,
//! measured by the store's bench on records of the same size and number. The
//! program computes its keys by decimal arithmetic, which costs about as much as
//! the command: one row has that loop taken off.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::{BenchEntry, BenchSettings, BudgetRow, RowBound, cobol, median, program};
use crate::cargo::cargo;

/// The benches of commands and links.
pub const BENCHES: &[BenchEntry] = &[BenchEntry {
    name: "exec",
    about: "LINK idle and saturated, commits, EXEC CICS READ, against bare peers",
    run: exec,
}];

fn exec(setting: &BenchSettings) -> Result<Vec<BudgetRow>> {
    let folder = tempfile::tempdir()?;
    let module = empty_module(folder.path())?;
    let tupelo = program::tupelo()?.canonicalize()?;
    let mut rows = Vec::new();
    let worker = format!("--worker={}", tupelo.display());
    let module = format!("--module={}", module.display());
    let real = |row, more: &[&str]| {
        let arguments = [&[row, "--json", &worker, &module], more].concat();
        cargo_bench("exec", &arguments)
    };
    for (row, unit) in [("link-idle", "us"), ("link-saturated", "us CPU")] {
        // In turn, because other load of the machine changes both.
        let (mut free, mut confined, mut peers) = (Vec::new(), Vec::new(), Vec::new());
        let mut last = None;
        for _ in 0..setting.rounds {
            let open = figure(&real(row, &[])?, row)?;
            free.push(open.value);
            peers.extend(open.peer_value);
            confined.push(figure(&real(row, &["--sandbox"])?, row)?.value);
            last = Some(open);
        }
        let open = last.context("no round was measured")?;
        let (free, confined) = (median(&mut free), median(&mut confined));
        let peer = (&*open.peer, Some(median(&mut peers)));
        let empty = "threadsafe, empty program";
        let bound = RowBound::RatioAtMost(open.must);
        rows.push(BudgetRow::judged(row, empty, (free, unit), peer, bound));
        rows.push(BudgetRow::judged(
            row,
            "the same, sandboxed",
            (confined, unit),
            ("without a sandbox", Some(free)),
            RowBound::RatioAtMost(1.03),
        ));
    }
    for (row, more) in [
        ("first task of a new worker", &[][..]),
        ("the same, sandboxed", &["--sandbox"]),
    ] {
        let figures = figure(&real("worker-start", more)?, "worker-start")?;
        let peer = ("a process", figures.peer_value);
        rows.push(BudgetRow::judged(
            "worker-start",
            row,
            (figures.value, "us"),
            peer,
            RowBound::ComparisonOnly,
        ));
    }
    // Commits need the bench's own worker, which writes records.
    let commits = figure(&cargo_bench("exec", &["commits", "--json"])?, "commits")?;
    rows.push(BudgetRow::judged(
        "commits",
        "32 tasks, each update flushed",
        (commits.value, "updates/s"),
        ("one flush an update", commits.peer_value),
        RowBound::RatioAtLeast(commits.must),
    ));
    rows.extend(read(setting, folder.path())?);
    Ok(rows)
}

/// Microseconds of a message to another processor and back through bare shared
/// memory, median.
pub fn bare_round_trip() -> Result<f64> {
    let figures = cargo_bench("exec", &["link-idle", "--json"])?;
    let peer = figure(&figures, "link-idle")?.peer_value;
    peer.context("no round trip was measured")
}

/// A line of the region's bench.
struct ExecFigure {
    value: f64,
    peer: String,
    peer_value: Option<f64>,
    must: f64,
}

/// The line of a row among those that were printed.
fn figure(lines: &[Value], row: &str) -> Result<ExecFigure> {
    let mut lines = lines.iter();
    let line = lines.find(|line| line["row"] == row);
    let line = line.with_context(|| format!("the region's bench has no row {row}"))?;
    Ok(ExecFigure {
        value: line["value"].as_f64().context("a row without a value")?,
        peer: line["peer"].as_str().unwrap_or_default().to_owned(),
        peer_value: line["peer_value"].as_f64(),
        must: line["must"].as_f64().unwrap_or(f64::NAN),
    })
}

/// CPU of one EXEC CICS READ against a bare get, and against itself with the
/// trace or the sandbox off.
fn read(setting: &BenchSettings, folder: &Path) -> Result<Vec<BudgetRow>> {
    let variants = [
        ("reads", ""),
        ("untraced", "trace = false\n"),
        ("open", "sandbox = \"off\"\n"),
    ];
    for (name, settings) in variants {
        reads_application(&folder.join(name), settings)?;
    }
    let mut figures = [const { Vec::new() }; 3];
    let (mut gets, mut copies, mut loops) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..setting.rounds {
        gets.push(cpu_of_a_get("get")?);
        copies.push(cpu_of_a_get("get-copy")?);
        for ((name, _), list) in variants.iter().zip(&mut figures) {
            list.push(cpu_of_a_turn(&folder.join(name), "READ")?);
        }
        loops.push(cpu_of_a_turn(&folder.join("reads"), "LOOP")?);
    }
    let get = median(&mut gets);
    let [traced, untraced, open] = figures.map(|mut list| median(&mut list));
    let row = |row: &str, peer, bound| {
        BudgetRow::judged("exec-read", row, (traced, "ns CPU"), peer, bound)
    };
    let alone = traced - median(&mut loops);
    let command = |peer| {
        BudgetRow::judged(
            "exec-read",
            "the same, the program's loop taken off",
            (alone, "ns CPU"),
            peer,
            RowBound::RatioAtMost(2.0),
        )
    };
    let same = RowBound::RatioAtMost(1.03);
    Ok(vec![
        row(
            "READ INTO by key, 200-byte records, 100,000 keys",
            ("LMDB get", Some(get)),
            RowBound::RatioAtMost(3.0),
        ),
        command(("LMDB get", Some(get))),
        command((
            "LMDB get, same keys, record copied",
            Some(median(&mut copies)),
        )),
        row(
            "the same, traced",
            ("without a trace", Some(untraced)),
            same,
        ),
        row(
            "the same, sandboxed",
            ("without a sandbox", Some(open)),
            same,
        ),
    ])
}

/// CPU nanoseconds of one get of LMDB's with its transaction, by the row of the
/// store's bench.
fn cpu_of_a_get(row: &str) -> Result<f64> {
    let figures = cargo_bench("store", &[row])?;
    let line = figures
        .first()
        .context("the store's bench printed nothing")?;
    line["peer_value"].as_f64().context("no figure of a get")
}

/// CPU nanoseconds of a turn of a transaction's loop.
fn cpu_of_a_turn(app: &Path, transid: &str) -> Result<f64> {
    let report = cobol::run(app, transid, &[])?;
    let cpu = report["monitoring"]["general_cpu_ns"].as_f64();
    Ok(cpu.context("no CPU time")? / READS)
}

/// The JSON lines that a bench prints.
fn cargo_bench(bench: &str, arguments: &[&str]) -> Result<Vec<Value>> {
    let output = cargo()
        .args(["bench", "--quiet", "--workspace", "--bench", bench, "--"])
        .args(arguments)
        .output()?;
    if !output.status.success() {
        bail!(
            "cargo bench --bench {bench}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    Ok(String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect())
}

fn empty_module(folder: &Path) -> Result<PathBuf> {
    let source = folder.join("EMPTY.cbl");
    let module = folder.join("EMPTY.so");
    fs::write(
        &source,
        "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. EMPTY.\n       PROCEDURE DIVISION.\n           GOBACK.\n",
    )?;
    let status = Command::new("cobc")
        .args(["-m", "-std=ibm", "-o"])
        .arg(&module)
        .arg(&source)
        .status()
        .context("cobc could not be started")?;
    if !status.success() {
        bail!("cobc could not compile an empty program");
    }
    Ok(module)
}

/// An application whose transaction READ reads 200,000 records by key, and whose
/// transaction LOOP does all the same but the command.
fn reads_application(app: &Path, region: &str) -> Result<()> {
    fs::create_dir_all(app.join("cobol"))?;
    fs::write(app.join("cobol/READER.cbl"), READER)?;
    fs::write(app.join("cobol/LOOPER.cbl"), without_command(READER)?)?;
    fs::write(
        app.join("resources.csd"),
        "DEFINE TRANSACTION(READ) GROUP(B) PROGRAM(READER) RUNAWAY(0)\n\
         DEFINE PROGRAM(READER) GROUP(B) CONCURRENCY(THREADSAFE)\n\
         DEFINE TRANSACTION(LOOP) GROUP(B) PROGRAM(LOOPER) RUNAWAY(0)\n\
         DEFINE PROGRAM(LOOPER) GROUP(B) CONCURRENCY(THREADSAFE)\n\
         DEFINE FILE(RECORDS) GROUP(B) RECORDSIZE(200) KEYLENGTH(8) READ(YES)\n",
    )?;
    fs::write(
        app.join("tupelo.toml"),
        format!("[region]\n{region}[files.RECORDS]\ndata = \"records.txt\"\nformat = \"lines\"\n"),
    )?;
    let mut records = String::new();
    for key in 0..100_000 {
        writeln!(records, "{key:08}{:192}", "a record")?;
    }
    fs::write(app.join("records.txt"), records)?;
    Ok(())
}

/// The program that reads, with a statement in the place of its READ.
fn without_command(reader: &str) -> Result<String> {
    let (before, rest) = reader
        .split_once("EXEC CICS READ")
        .context("the program has no READ")?;
    let (_, after) = rest.split_once("END-EXEC").context("it has no end")?;
    let text = format!("{before}MOVE 0 TO WS-RESP{after}");
    Ok(text.replace("PROGRAM-ID. READER", "PROGRAM-ID. LOOPER"))
}

const READER: &str = include_str!("cobol/READER.cbl");

/// Turns of its loop.
const READS: f64 = 200_000.0;
