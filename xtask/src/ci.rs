//! The gate: formatting, lints as errors, tests. Each step runs even when an
//! earlier one failed, so that one run reports everything that is wrong.

use crate::cargo::cargo;
use anyhow::{Context, Result};
use std::process::Command;

/// What to leave out of the gate.
#[derive(clap::Args)]
pub struct Args {
    /// Check these packages only (default: the whole workspace)
    #[arg(short, long = "package", value_name = "PACKAGE")]
    packages: Vec<String>,
}

/// Runs the gate; true when every step passed.
pub fn run(args: &Args) -> Result<bool> {
    let scope: Vec<String> = if args.packages.is_empty() {
        vec!["--workspace".into()]
    } else {
        args.packages
            .iter()
            .flat_map(|name| ["-p".to_owned(), name.clone()])
            .collect()
    };
    let format_scope: Vec<String> = if args.packages.is_empty() {
        vec!["--all".into()]
    } else {
        scope.clone()
    };
    let scope: Vec<&str> = scope.iter().map(String::as_str).collect();
    let format_scope: Vec<&str> = format_scope.iter().map(String::as_str).collect();
    let lints = lint_arguments()?;
    let mut steps: Vec<(&str, Vec<&str>)> = vec![
        ("tidy", vec!["xtask", "tidy"]),
        ("licences", vec!["xtask", "licences"]),
        (
            "format",
            [&["fmt"], &format_scope[..], &["--check"]].concat(),
        ),
        ("lints", [&["clippy"], &scope[..], lints].concat()),
        (
            "tests",
            [&["test", "--quiet", "--no-fail-fast"], &scope[..]].concat(),
        ),
        ("fuzz targets", FUZZ_TARGETS.to_vec()),
        ("simulation", vec!["xtask", "sim", "--seconds", "120"]),
    ];
    if args.packages.is_empty() {
        steps.extend([
            ("crash test: records", crash(&[])),
            ("crash test: queues", crash(&["--queues"])),
            ("crash test: tables", crash(&["--sql"])),
        ]);
    }
    let skipped = std::path::absolute("target/skipped.txt")?;
    // There may be none yet.
    let _ = std::fs::remove_file(&skipped);
    let promised = std::env::var("TUPELO_PROMISED").unwrap_or_else(|_| promised());
    let mut failed = Vec::new();
    for (name, arguments) in &steps {
        eprintln!("== {name}: cargo {}", arguments.join(" "));
        let status = cargo()
            .args(arguments)
            // Built once, never again in small steps: 3 GB less on the disk.
            .env("CARGO_INCREMENTAL", "0")
            .env("TUPELO_SKIPPED", &skipped)
            .env("TUPELO_PROMISED", &promised)
            .status()
            .context("cargo could not be started")?;
        if !status.success() {
            failed.push(*name);
        }
    }
    print_skipped(&std::fs::read_to_string(&skipped).unwrap_or_default());
    if !failed.is_empty() {
        eprintln!("failed: {}", failed.join(", "));
    }
    Ok(failed.is_empty())
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

/// A brief crash test of the program that the tests have built.
fn crash(more: &[&'static str]) -> Vec<&'static str> {
    let always = "xtask crash --kills 60 --seconds 20 --tupelo target/debug/tupelo";
    always.split(' ').chain(more.iter().copied()).collect()
}

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
