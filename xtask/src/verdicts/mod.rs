//! The verdicts of `capture explain` scored against captures whose cause is
//! known.
//!
//! A key is a folder with `key.jsonl`, one line a capture, written before the
//! tool ran on it; or a folder of such folders. Each capture is explained by
//! the program itself, as a user runs it, and its JSON is held against the
//! line. The method is in `docs/internals/verdicts-key.md`.

mod key;
mod report;
mod score;
mod table;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use key::KeyCase;
use report::VerdictReport;
use score::VerdictScore;
use table::Table;

/// Score verdicts.
#[derive(clap::Args)]
pub struct Args {
    /// The folder of a key, or of several
    key: PathBuf,
    /// The program that explains
    #[arg(long, default_value = "target/release/tupelo")]
    tupelo: PathBuf,
    /// Only captures of this third: develop, check1 or result
    #[arg(long)]
    third: Option<String>,
    /// Print JSON: one line a capture, with what was said of it
    #[arg(long)]
    json: bool,
    /// List the captures that are not right, with both causes
    #[arg(long)]
    misses: bool,
}

/// Scores; false when a capture could not be explained at all.
pub fn run(args: &Args) -> Result<bool> {
    let cases: Vec<KeyCase> = key::read(&args.key)?
        .into_iter()
        .filter(|case| args.third.as_ref().is_none_or(|t| *t == case.third))
        .collect();
    ensure!(!cases.is_empty(), "no captures in {}", args.key.display());
    let mut table = Table::default();
    let mut failed = 0;
    for case in &cases {
        let score = match explain(&args.tupelo, &case.path()) {
            Ok(report) => score::score(case, &report),
            Err(error) => {
                failed += 1;
                eprintln!("{}: {error:#}", case.path().display());
                VerdictScore::unread(case)
            }
        };
        if args.json {
            println!("{}", serde_json::to_string(&score.line(case))?);
        } else if args.misses && !score.good(case) {
            println!("{}", score.sentence(case));
        }
        table.add(case, &score);
    }
    if !args.json {
        print!("{table}");
    }
    Ok(failed == 0)
}

/// What the program says of one capture.
fn explain(program: &Path, capture: &Path) -> Result<VerdictReport> {
    let output = Command::new(program)
        .args(["capture", "explain", "--json"])
        .arg(capture)
        .output()
        .with_context(|| program.display().to_string())?;
    // 0: no cause found, 1: causes found.
    if !matches!(output.status.code(), Some(0 | 1)) {
        let text = String::from_utf8_lossy(&output.stderr);
        bail!("{}: {}", output.status, text.trim());
    }
    report::read(&output.stdout)
}
