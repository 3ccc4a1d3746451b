//! The conformance suite of the language on the engines of scripts.
//!
//! The suite belongs to TC39 and lies where `--suite` says. Its tests run in an
//! engine with the project's own part and limits, each in a fresh realm; a test
//! that fails is listed with its message.
//!
//! Reference: test262, INTERPRETING.md.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::bench::program::example;

/// Arguments of `test262`.
#[derive(clap::Args)]
pub struct Args {
    /// Folder of the suite, with `harness` and `test`
    #[arg(long)]
    suite: PathBuf,
    /// Folders below `test`
    #[arg(default_values = ["language", "built-ins"])]
    folders: Vec<String>,
    /// File for the tests that fail, one line of JSON each
    #[arg(long)]
    failures: Option<PathBuf>,
}

/// Runs the suite; false when something fails.
pub fn run(args: &Args) -> Result<bool> {
    if !args.suite.join("harness/assert.js").is_file() {
        bail!(
            "{} is not test262: it has no harness/assert.js",
            args.suite.display()
        );
    }
    let program = example("conform")?;
    let output = Command::new(&program)
        .arg(&args.suite)
        .args(&args.folders)
        .output()
        .with_context(|| program.display().to_string())?;
    if !output.status.success() {
        bail!("{}", String::from_utf8_lossy(&output.stderr));
    }
    let mut failed = Vec::new();
    let (mut reasons, mut left_out) = (BTreeMap::new(), BTreeMap::new());
    let mut counts = BTreeMap::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let outcome: Value = serde_json::from_str(line)?;
        if let Some(why) = outcome["left_out"].as_str() {
            *left_out.entry(why.to_owned()).or_insert(0u32) += 1;
        } else if let Some(why) = outcome["failed"].as_str() {
            *reasons.entry(reason(why)).or_insert(0u32) += 1;
            failed.push(line.to_owned());
        } else {
            counts =
                serde_json::from_value::<BTreeMap<String, [u32; 3]>>(outcome["counts"].clone())?;
        }
    }
    if let Some(path) = &args.failures {
        std::fs::write(path, failed.join("\n") + "\n")?;
    }
    print!("{}", report(&counts, &reasons, &left_out));
    Ok(failed.is_empty())
}

/// What failures have in common: the kind of error.
fn reason(why: &str) -> String {
    let kind = why.split(':').next().unwrap_or(why);
    kind.chars().take(60).collect()
}

fn report(
    counts: &BTreeMap<String, [u32; 3]>,
    reasons: &BTreeMap<String, u32>,
    left_out: &BTreeMap<String, u32>,
) -> String {
    let mut out = String::from("| folder | pass | fail | left out |\n|---|---:|---:|---:|\n");
    let mut all = [0; 3];
    for (folder, count) in counts {
        let [pass, fail, out_of] = count;
        let _ = writeln!(out, "| {folder} | {pass} | {fail} | {out_of} |");
        all.iter_mut().zip(count).for_each(|(all, n)| *all += n);
    }
    let [pass, fail, out_of] = all;
    let _ = writeln!(out, "| **all** | {pass} | {fail} | {out_of} |\n");
    for (why, count) in reasons {
        let _ = writeln!(out, "failed, {why}: {count}");
    }
    for (why, count) in left_out {
        let _ = writeln!(out, "left out, {why}: {count}");
    }
    out
}
