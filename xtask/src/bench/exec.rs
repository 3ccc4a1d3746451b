//! What a LINK, a READ and a commit cost.
//!
//! LINK and commits are measured by the region's own bench program, in a real
//! worker with an empty COBOL program, against bare shared memory and one flush
//! an update. READ is a COBOL program that reads records by key in a loop, as
//! `tupelo run` accounts its CPU, against a bare LMDB get with its transaction,
//! measured by the store's bench on records of the same size and number.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::{Bench, Bound, Row, Setting, median, program};

/// The benches of commands and links.
pub const BENCHES: &[Bench] = &[Bench {
    name: "exec",
    about: "LINK idle and saturated, commits, EXEC CICS READ, against bare peers",
    run: exec,
}];

fn exec(setting: &Setting) -> Result<Vec<Row>> {
    let folder = tempfile::tempdir()?;
    let module = empty_module(folder.path())?;
    let tupelo = program::tupelo()?.canonicalize()?;
    let mut rows = Vec::new();
    let mut region = cargo_bench(
        "region",
        "exec",
        &[
            "link",
            "--json",
            &format!("--worker={}", tupelo.display()),
            &format!("--module={}", module.display()),
        ],
    )?;
    // Commits need the bench's own worker, which writes records.
    region.extend(cargo_bench("region", "exec", &["commits", "--json"])?);
    for line in &region {
        let bound = line["must"].as_f64().unwrap_or(f64::NAN);
        let (row, unit, bound) = match line["row"].as_str().unwrap_or_default() {
            "link-idle" => ("link-idle", "us", Bound::RatioAtMost(bound)),
            "link-saturated" => ("link-saturated", "us CPU", Bound::RatioAtMost(bound)),
            "commits" => ("commits", "updates/s", Bound::RatioAtLeast(bound)),
            _ => continue,
        };
        let value = line["value"].as_f64().context("a row without a value")?;
        let peer = line["peer"].as_str().unwrap_or_default();
        let told = (peer, line["peer_value"].as_f64());
        rows.push(Row::judged(
            row,
            "threadsafe, empty program",
            (value, unit),
            told,
            bound,
        ));
    }
    rows.push(read(setting, folder.path())?);
    Ok(rows)
}

/// CPU of one EXEC CICS READ against a bare get.
fn read(setting: &Setting, folder: &Path) -> Result<Row> {
    let app = folder.join("reads");
    reads_application(&app)?;
    let mut ours = Vec::new();
    for _ in 0..setting.rounds {
        let output = Command::new(program::tupelo()?)
            .args(["run", "READ", "--json"])
            .arg(&app)
            .output()?;
        if !output.status.success() {
            bail!(
                "{}{}",
                String::from_utf8_lossy(&output.stdout),
                String::from_utf8_lossy(&output.stderr)
            );
        }
        let report: Value = serde_json::from_slice(&output.stdout)?;
        let record = &report["monitoring"];
        let cpu = record["general_cpu_ns"].as_f64().context("no CPU time")?;
        ours.push(cpu / record["file_commands"].as_f64().context("no commands")?);
    }
    let store = cargo_bench("store", "store", &["--json"])?;
    let peer = store
        .iter()
        .find(|line| line["row"].as_str().is_some_and(|row| row.contains("get")))
        .and_then(|line| line["peer_value"].as_f64());
    Ok(Row::judged(
        "exec-read",
        "READ INTO by key, 200-byte records, 100,000 keys",
        (median(&mut ours), "ns CPU"),
        ("LMDB get", peer),
        Bound::RatioAtMost(3.0),
    ))
}

/// The JSON lines that a bench of a crate prints.
fn cargo_bench(package: &str, bench: &str, arguments: &[&str]) -> Result<Vec<Value>> {
    let output = Command::new(env!("CARGO"))
        .args([
            "bench",
            "--quiet",
            "--package",
            package,
            "--bench",
            bench,
            "--",
        ])
        .args(arguments)
        .output()?;
    if !output.status.success() {
        bail!(
            "cargo bench -p {package}: {}",
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

/// An application whose transaction READ reads 200,000 records by key.
fn reads_application(app: &Path) -> Result<()> {
    fs::create_dir_all(app.join("cobol"))?;
    fs::write(app.join("cobol/READER.cbl"), READER)?;
    fs::write(
        app.join("resources.csd"),
        "DEFINE TRANSACTION(READ) GROUP(B) PROGRAM(READER) RUNAWAY(0)\n\
         DEFINE PROGRAM(READER) GROUP(B) CONCURRENCY(THREADSAFE)\n\
         DEFINE FILE(RECORDS) GROUP(B) RECORDSIZE(200) KEYLENGTH(8) READ(YES)\n",
    )?;
    fs::write(
        app.join("tupelo.toml"),
        "[files.RECORDS]\ndata = \"records.txt\"\nformat = \"lines\"\n",
    )?;
    let mut records = String::new();
    for key in 0..100_000 {
        writeln!(records, "{key:08}{:192}", "a record")?;
    }
    fs::write(app.join("records.txt"), records)?;
    Ok(())
}

const READER: &str = "\
       IDENTIFICATION DIVISION.
       PROGRAM-ID. READER.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RESP                      PIC S9(8) COMP.
       01  WS-TIMES                     PIC S9(8) COMP-5.
       01  WS-NUMBER                    PIC 9(8) COMP-5 VALUE 1.
       01  WS-KEY                       PIC 9(8).
       01  WS-RECORD                    PIC X(200).
       PROCEDURE DIVISION.
           PERFORM VARYING WS-TIMES FROM 1 BY 1 UNTIL WS-TIMES > 200000
               COMPUTE WS-NUMBER =
                   FUNCTION MOD(WS-NUMBER * 1597 + 51749, 100000)
               MOVE WS-NUMBER TO WS-KEY
               EXEC CICS READ FILE('RECORDS') INTO(WS-RECORD)
                   RIDFLD(WS-KEY) RESP(WS-RESP)
               END-EXEC
               IF WS-RESP NOT = DFHRESP(NORMAL)
                   EXEC CICS ABEND ABCODE('BAD ') END-EXEC
               END-IF
           END-PERFORM
           EXEC CICS RETURN END-EXEC.
";
