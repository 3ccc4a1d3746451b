//! The gate: formatting, lints as errors, tests. Each step runs even when an
//! earlier one failed, so that one run tells everything that is wrong.

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
    let format_scope: Vec<String> = match args.packages.is_empty() {
        true => vec!["--all".into()],
        false => scope.clone(),
    };
    let scope: Vec<&str> = scope.iter().map(String::as_str).collect();
    let format_scope: Vec<&str> = format_scope.iter().map(String::as_str).collect();
    let steps: [(&str, Vec<&str>); 3] = [
        (
            "format",
            [&["fmt"], &format_scope[..], &["--check"]].concat(),
        ),
        (
            "lints",
            [
                &["clippy"],
                &scope[..],
                &["--all-targets", "--", "-D", "warnings"],
            ]
            .concat(),
        ),
        (
            "tests",
            [&["test", "--quiet", "--no-fail-fast"], &scope[..]].concat(),
        ),
    ];
    let mut failed = Vec::new();
    for (name, arguments) in &steps {
        eprintln!("== {name}: cargo {}", arguments.join(" "));
        let status = Command::new(env!("CARGO"))
            .args(arguments)
            .status()
            .context("cargo could not be started")?;
        if !status.success() {
            failed.push(*name);
        }
    }
    if !failed.is_empty() {
        eprintln!("failed: {}", failed.join(", "));
    }
    Ok(failed.is_empty())
}
