//! The gate: what every change must pass. Each step runs even when an earlier
//! one failed, so that one run reports everything that is wrong, and each says
//! how many seconds it took.
//!
//! The steps are two halves: what the tests need, which `make test` runs, and
//! the checks of the source and the long searches, which `make check` runs.

use crate::cargo::cargo;
use anyhow::{Context, Result};
use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// What to run.
#[derive(clap::Args)]
#[command(
    after_help = "Examples:\n  cargo xtask ci\n  cargo xtask ci --only tests\n  \
    cargo xtask ci --package capture"
)]
pub struct Args {
    /// Check these packages only (default: the whole workspace)
    #[arg(short, long = "package", value_name = "PACKAGE")]
    packages: Vec<String>,
    /// One half of the steps only
    #[arg(long, value_name = "HALF")]
    only: Option<GateHalf>,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum GateHalf {
    /// The house rules, the format and all tests
    Tests,
    /// Licences, lints as errors, fuzz targets, simulation, crash tests
    Checks,
}

/// One command of the gate: of cargo, or of this program if its first word is `xtask`.
struct GateStep {
    half: GateHalf,
    name: &'static str,
    arguments: Vec<String>,
}

/// Runs the gate; true when every step passed.
pub fn run(args: &Args) -> Result<bool> {
    let mut steps = steps(&args.packages)?;
    steps.retain(|step| args.only.is_none_or(|half| step.half == half));
    let skipped = std::path::absolute("target/skipped.txt")?;
    // There may be none yet.
    let _ = std::fs::remove_file(&skipped);
    let mut seconds = Vec::new();
    let mut failed = Vec::new();
    for step in &steps {
        eprintln!("== {}: cargo {}", step.name, step.arguments.join(" "));
        let start = Instant::now();
        if !passes(step, &skipped)? {
            failed.push(step.name);
        }
        seconds.push(format!("{} {}", step.name, start.elapsed().as_secs()));
    }
    print_skipped(&std::fs::read_to_string(&skipped).unwrap_or_default());
    eprintln!("seconds: {}", seconds.join(", "));
    if !failed.is_empty() {
        eprintln!("failed: {}", failed.join(", "));
    }
    Ok(failed.is_empty())
}

/// The steps for these packages, or for the whole workspace when there are none.
fn steps(packages: &[String]) -> Result<Vec<GateStep>> {
    let named: Vec<&str> = packages.iter().flat_map(|name| ["-p", name]).collect();
    let whole = packages.is_empty();
    let scope = if whole {
        vec!["--workspace"]
    } else {
        named.clone()
    };
    let format = if whole { vec!["--all"] } else { named };
    let step = |half, name, parts: &[&[&str]]| GateStep {
        half,
        name,
        arguments: parts.concat().into_iter().map(str::to_owned).collect(),
    };
    let test = |name, parts: &[&[&str]]| step(GateHalf::Tests, name, parts);
    let check = |name, parts: &[&[&str]]| step(GateHalf::Checks, name, parts);
    let mut steps = vec![
        test("house rules", &[&["xtask", "tidy"]]),
        test("format", &[&["fmt"], &format, &["--check"]]),
        test("tests", &[&["test", "--quiet", "--no-fail-fast"], &scope]),
        check("licences", &[&["xtask", "licences"]]),
        check("lints", &[&["clippy"], &scope, lint_arguments()?]),
        check("fuzz targets", &[FUZZ_TARGETS]),
        check("simulation", &[&["xtask", "sim", "--seconds", "120"]]),
    ];
    if whole {
        // The program that the tests use; built here when they did not run.
        let program = ["test", "--quiet", "--workspace", "--no-run"];
        steps.push(check("program", &[&program]));
        steps.push(check("crash test: records", &[CRASH_TEST]));
        steps.push(check("crash test: queues", &[CRASH_TEST, &["--queues"]]));
        steps.push(check("crash test: tables", &[CRASH_TEST, &["--sql"]]));
    }
    Ok(steps)
}

/// Runs a step; tests that do not run say so in the file `skipped`.
fn passes(step: &GateStep, skipped: &Path) -> Result<bool> {
    let promised = std::env::var("TUPELO_PROMISED").unwrap_or_else(|_| promised());
    let (mut command, arguments) = match step.arguments.split_first() {
        // This program itself: `cargo xtask` would build it for speed first.
        Some((xtask, rest)) if xtask == "xtask" => (Command::new(std::env::current_exe()?), rest),
        _ => (cargo(), step.arguments.as_slice()),
    };
    let status = command
        .args(arguments)
        // Built once, never again in small steps: 3 GB less on the disk.
        .env("CARGO_INCREMENTAL", "0")
        .env("TUPELO_SKIPPED", skipped)
        .env("TUPELO_PROMISED", promised)
        .status()
        .with_context(|| format!("{} could not be started", step.name))?;
    Ok(status.success())
}

/// The arguments of clippy: its lints fail the gate unless it is newer than the
/// version that was used to clean the code.
fn lint_arguments() -> Result<&'static [&'static str]> {
    let Some(version) = newer_than_linted()? else {
        return Ok(&["--all-targets", "--", "-D", "warnings"]);
    };
    eprintln!(
        "clippy {version} may know lints that {LINTED} did not: they are reported and fail nothing"
    );
    Ok(&["--all-targets"])
}

/// Says which tests did not run, and how many.
fn print_skipped(lines: &str) {
    let mut lines: Vec<&str> = lines.lines().collect();
    lines.sort_unstable();
    lines.dedup();
    for line in &lines {
        eprintln!("{line}");
    }
    eprintln!("{} tests were skipped", lines.len());
}

/// What `scripts/setup test` found or installed; see the crate `skipped`. Without a
/// list of its own, the least that the tests need.
fn promised() -> String {
    std::fs::read_to_string("target/promised.txt").unwrap_or_else(|_| "cc cobc".into())
}

/// A brief crash test of the program that the tests use.
const CRASH_TEST: &[&str] = &[
    "xtask",
    "crash",
    "--kills",
    "60",
    "--seconds",
    "20",
    "--tupelo",
    "target/debug/tupelo",
];

/// Every fuzz target builds, with the stable compiler and without coverage.
const FUZZ_TARGETS: &[&str] = &[
    "check",
    "--quiet",
    "--manifest-path",
    "fuzz/Cargo.toml",
    "--bins",
    "--target-dir",
    "target",
];

/// The toolchain's version where it is newer than the one whose lints the
/// sources are kept clean for.
fn newer_than_linted() -> Result<Option<String>> {
    let output = Command::new("rustc")
        .arg("--version")
        .output()
        .context("rustc could not be started")?;
    let text = String::from_utf8_lossy(&output.stdout);
    let version = text.split_whitespace().nth(1).unwrap_or_default();
    let minor = |version: &str| -> Option<u32> { version.split('.').nth(1)?.parse().ok() };
    Ok((minor(version) > minor(LINTED)).then(|| version.to_owned()))
}

/// The newest toolchain whose lints all pass. A fresh machine gets the newest
/// Rust there is, and a new lint must not fail its first `make test`.
const LINTED: &str = "1.95";
