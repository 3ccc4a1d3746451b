//! The reference pages under `docs/reference/`, written by the program itself.

use std::fs;

use anyhow::{Context, Result, bail};

use crate::cargo::cargo;

/// Write the pages, or only compare them.
#[derive(clap::Args)]
pub struct Args {
    /// Fail when a page is not what it would be made to be
    #[arg(long)]
    check: bool,
}

/// Each page of `tupelo reference`.
const PAGES: [&str; 8] = [
    "command-line",
    "metrics",
    "configuration",
    "commands",
    "drive-scenario",
    "causes",
    "advice",
    "openapi",
];

/// Writes or compares the pages; false when one differs.
pub fn run(args: &Args) -> Result<bool> {
    let mut same = true;
    for page in PAGES {
        let output = cargo()
            .args(["run", "--quiet", "--bin", "tupelo", "--", "reference", page])
            .output()
            .context("cargo could not be started")?;
        if !output.status.success() {
            bail!(
                "tupelo reference {page}: {}",
                String::from_utf8_lossy(&output.stderr)
            );
        }
        let path = format!("docs/reference/{page}.md");
        if args.check {
            let there = fs::read(&path).unwrap_or_default();
            if there != output.stdout {
                eprintln!("{path} is out of date; `cargo xtask docs` writes it");
                same = false;
            }
        } else {
            fs::write(&path, output.stdout)?;
        }
    }
    Ok(same)
}
