//! Records to JSON and back, and how many copybooks are accepted.
//!
//! The peer of the two speed rows is the `copybook-codec` library in a program
//! of its own, built by the bench; both programs convert the same file of
//! customer-like 740-byte EBCDIC records on one thread, through buffers of a
//! megabyte, and MB/s count record bytes. The peer of the acceptance row is `cobc -std=ibm`: every copybook it
//! compiles has to be accepted. TUPELO_COPYBOOKS names a folder of further
//! copybooks to try in addition to the project's own.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail};

use super::{BenchEntry, BenchSettings, BudgetRow, RowBound, alternate, program};
use crate::cargo::cargo;

/// The copybook benches.
pub const BENCHES: &[BenchEntry] = &[
    BenchEntry {
        name: "copybook-decode",
        about: "record to JSON, one thread, against the copybook-codec library",
        run: decode,
    },
    BenchEntry {
        name: "copybook-encode",
        about: "JSON to record, one thread, against the copybook-codec library",
        run: encode,
    },
    BenchEntry {
        name: "copybook-accepted",
        about: "copybooks accepted, against cobc -std=ibm",
        run: accepted,
    },
];

fn decode(setting: &BenchSettings) -> Result<Vec<BudgetRow>> {
    let data = BenchRecords::make(60_000)?;
    let out = data.folder.path().join("out.jsonl");
    let tupelo = program::tupelo()?;
    let peer = peer();
    let (ours, theirs) = alternate(
        setting.rounds,
        || {
            let mut c = Command::new(&tupelo);
            c.args(["record", "decode", "--code-page", "cp037"]);
            c.args([&data.copybook, &data.records]).arg("-o").arg(&out);
            Ok(data.megabytes()? / seconds(c)?)
        },
        || {
            let Some(peer) = &peer else { return Ok(None) };
            let mut c = Command::new(peer);
            c.arg("decode").args([&data.copybook, &data.records, &out]);
            Ok(Some(data.megabytes()? / seconds(c)?))
        },
    )?;
    Ok(vec![BudgetRow::judged(
        "copybook-decode",
        "740-byte record to JSON",
        (ours, "MB/s"),
        ("copybook-codec", theirs),
        RowBound::RatioAtLeast(10.0),
    )])
}

fn encode(setting: &BenchSettings) -> Result<Vec<BudgetRow>> {
    let data = BenchRecords::make(60_000)?;
    let out = data.folder.path().join("out.bin");
    let tupelo = program::tupelo()?;
    let peer = peer();
    let (ours, theirs) = alternate(
        setting.rounds,
        || {
            let mut c = Command::new(&tupelo);
            c.args(["record", "encode", "--code-page", "cp037"]);
            c.args([&data.copybook, &data.json]).arg("-o").arg(&out);
            Ok(data.megabytes()? / seconds(c)?)
        },
        || {
            let Some(peer) = &peer else { return Ok(None) };
            let json = data.peer_json(peer)?;
            let mut c = Command::new(peer);
            c.arg("encode").args([&data.copybook, &json, &out]);
            Ok(Some(data.megabytes()? / seconds(c)?))
        },
    )?;
    Ok(vec![BudgetRow::judged(
        "copybook-encode",
        "JSON to 740-byte record",
        (ours, "MB/s"),
        ("copybook-codec", theirs),
        RowBound::RatioAtLeast(30.0),
    )])
}

/// The peer's program, built once; none where its crate cannot be had.
fn peer() -> Option<PathBuf> {
    let folder = Path::new("target/bench-peers/copybook");
    let built = || -> Result<PathBuf> {
        fs::create_dir_all(folder.join("src"))?;
        fs::write(folder.join("Cargo.toml"), PEER_MANIFEST)?;
        fs::write(
            folder.join("src/main.rs"),
            include_str!("peers/copybook.rs"),
        )?;
        let status = cargo()
            .args(["build", "--release", "--quiet"])
            .current_dir(folder)
            .status()?;
        if status.success() {
            Ok(fs::canonicalize(
                folder.join("target/release/copybook-peer"),
            )?)
        } else {
            bail!("cargo: {status}")
        }
    };
    built()
        .inspect_err(|error| eprintln!("the copybook-codec library is left out: {error:#}"))
        .ok()
}

/// A workspace of its own, so that the project's does not know it.
const PEER_MANIFEST: &str = r#"[package]
name = "copybook-peer"
version = "0.0.0"
edition = "2024"

[dependencies]
copybook-codec = "=0.6.1"
copybook-core = "=0.6.1"

[workspace]
"#;

fn accepted(_: &BenchSettings) -> Result<Vec<BudgetRow>> {
    let tupelo = program::tupelo()?;
    let mut copybooks = Vec::new();
    find(Path::new("crates/copybook/testdata/corpus"), &mut copybooks);
    if let Some(more) = std::env::var_os("TUPELO_COPYBOOKS") {
        find(Path::new(&more), &mut copybooks);
    }
    let folder = tempfile::tempdir()?;
    let (mut compiled, mut taken) = (0, 0);
    for copybook in &copybooks {
        if !cobc_accepts(folder.path(), copybook)? {
            continue;
        }
        compiled += 1;
        let ours = Command::new(&tupelo)
            .args(["record", "layout", "--json"])
            .arg(copybook)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()?;
        if ours.success() {
            taken += 1
        } else {
            eprintln!("not accepted: {}", copybook.display())
        }
    }
    Ok(vec![BudgetRow::judged(
        "copybook-accepted",
        format!("of {} copybooks", copybooks.len()),
        (f64::from(taken), "copybooks"),
        ("cobc -std=ibm", Some(f64::from(compiled))),
        RowBound::RatioAtLeast(1.0),
    )])
}

/// Whether cobc takes the copybook in WORKING-STORAGE, as it stands or under
/// an 01 of our own.
fn cobc_accepts(folder: &Path, copybook: &Path) -> Result<bool> {
    let text = String::from_utf8_lossy(&fs::read(copybook)?).into_owned();
    let include = copybook.parent().unwrap_or(Path::new("."));
    for head in ["", "       01  PROBE-RECORD.\n"] {
        let probe = folder.join("probe.cbl");
        let program = format!(
            "       IDENTIFICATION DIVISION.\n       PROGRAM-ID. PROBE.\n       DATA DIVISION.\n       \
             WORKING-STORAGE SECTION.\n{head}{text}\n       PROCEDURE DIVISION.\n           GOBACK.\n"
        );
        fs::write(&probe, program)?;
        let status = Command::new("cobc")
            .args(["-std=ibm", "-fsyntax-only", "-w", "-I"])
            .arg(include)
            .arg(&probe)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .context("cobc could not be started")?;
        if status.success() {
            return Ok(true);
        }
    }
    Ok(false)
}

fn find(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|e| e.path())
        .collect();
    entries.sort();
    for path in entries {
        let known = path.extension().and_then(|e| e.to_str()).is_some_and(|e| {
            ["cpy", "cob", "cbl", "copy"].contains(&e.to_ascii_lowercase().as_str())
        });
        if path.is_dir() {
            find(&path, found);
        } else if known {
            found.push(path);
        }
    }
}

/// Wall time of a command that must succeed.
fn seconds(mut command: Command) -> Result<f64> {
    let start = Instant::now();
    let output = command
        .stdout(Stdio::null())
        .stdin(Stdio::null())
        .output()?;
    let took = start.elapsed().as_secs_f64();
    if !output.status.success() {
        bail!("{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(took)
}

/// The records that are converted, as JSON lines and as bytes.
struct BenchRecords {
    folder: tempfile::TempDir,
    copybook: PathBuf,
    json: PathBuf,
    records: PathBuf,
}

impl BenchRecords {
    fn make(count: usize) -> Result<BenchRecords> {
        let folder = tempfile::tempdir()?;
        let copybook = folder.path().join("customer.cpy");
        let json = folder.path().join("customers.jsonl");
        let records = folder.path().join("customers.bin");
        fs::write(&copybook, COPYBOOK)?;
        let mut text = String::new();
        for n in 0..count {
            customer(&mut text, n);
        }
        fs::write(&json, text)?;
        let mut c = Command::new(program::tupelo()?);
        c.args(["record", "encode", "--code-page", "cp037"]);
        c.arg(&copybook).arg(&json).arg("-o").arg(&records);
        seconds(c)?;
        Ok(BenchRecords {
            folder,
            copybook,
            json,
            records,
        })
    }

    /// Record bytes in millions.
    fn megabytes(&self) -> Result<f64> {
        Ok(fs::metadata(&self.records)?.len() as f64 / 1e6)
    }

    /// The same records in the JSON that the peer itself writes.
    fn peer_json(&self, peer: &Path) -> Result<PathBuf> {
        let out = self.folder.path().join("peer.jsonl");
        if !out.exists() {
            let mut c = Command::new(peer);
            c.arg("decode").args([&self.copybook, &self.records, &out]);
            seconds(c)?;
        }
        Ok(out)
    }
}

fn customer(out: &mut String, n: usize) {
    let pick = |salt: usize, of: &[&'static str]| of[(n * 31 + salt * 17) % of.len()];
    let first = pick(
        1,
        &["Ada", "Grace", "Jean", "Betty", "Mary", "Howard", "Saul"],
    );
    let last = pick(
        2,
        &[
            "Byron",
            "Hopper",
            "Sammet",
            "Holberton",
            "Hawes",
            "Bromberg",
        ],
    );
    let _ = write!(
        out,
        "{{\"CUSTOMER-ID\":{n},\"CUSTOMER-NAME\":\"{first} {last}\",\"CUSTOMER-STATUS\":\"{}\",\"CUSTOMER-ADDRESS\":[",
        pick(3, &["A", "I", "S"])
    );
    for line in 0..4 {
        let _ = write!(
            out,
            "{}\"{} {} Street, Tupelo\"",
            if line > 0 { "," } else { "" },
            n + line,
            last
        );
    }
    let _ = write!(
        out,
        "],\"PHONE\":\"+1 662 555 {:04}\",\"OPENED\":{},\"CREDIT-LIMIT\":{}.{:02},\"BALANCE\":{}{}.{:02},\"POINTS\":{},\"ORDERS\":[",
        n % 10_000,
        20_000_101 + n % 200_000,
        n % 90_000,
        n % 100,
        if n.is_multiple_of(5) { "-" } else { "" },
        n % 1_000_000,
        (n * 7) % 100,
        n % 30_000
    );
    for order in 0..8 {
        let _ = write!(
            out,
            "{}{{\"ORDER-NUMBER\":{},\"ORDER-ITEM\":\"Item {}\",\"ORDER-QUANTITY\":{},\"ORDER-PRICE\":{}.{:02}}}",
            if order > 0 { "," } else { "" },
            n * 8 + order,
            n % 977 + order,
            order + 1,
            (n * 3 + order) % 9_999,
            (n + order) % 100
        );
    }
    let _ = writeln!(
        out,
        "],\"NOTES\":\"{} likes COBOL, and asks about it often\"}}",
        first
    );
}

const COPYBOOK: &str = "\
       01  CUSTOMER-RECORD.
           05  CUSTOMER-ID          PIC 9(9).
           05  CUSTOMER-NAME        PIC X(40).
           05  CUSTOMER-STATUS      PIC X.
           05  CUSTOMER-ADDRESS     PIC X(40) OCCURS 4 TIMES.
           05  PHONE                PIC X(20).
           05  OPENED               PIC 9(8).
           05  CREDIT-LIMIT         PIC 9(9)V99 COMP-3.
           05  BALANCE              PIC S9(9)V99.
           05  POINTS               PIC S9(9) COMP.
           05  ORDERS OCCURS 8 TIMES.
               10  ORDER-NUMBER     PIC 9(9) COMP.
               10  ORDER-ITEM       PIC X(20).
               10  ORDER-QUANTITY   PIC 9(5).
               10  ORDER-PRICE      PIC S9(7)V99 COMP-3.
           05  NOTES                PIC X(209).
";
