//! `tupelo batch-step`: the process of one batch program. `tupelo batch` starts
//! it; nobody else has what it needs.

use std::path::PathBuf;

use miette::{Context, IntoDiagnostic, Result};

use crate::Outcome;

/// Run one program of a batch job (started by `tupelo batch`, not by hand).
#[derive(Debug, clap::Args)]
pub struct Args {
    /// File that says what to run.
    step: PathBuf,
}

/// Runs the program; comes back only if it could not be started.
pub fn run(args: Args) -> Result<Outcome> {
    let text = std::fs::read(&args.step)
        .into_diagnostic()
        .wrap_err_with(|| format!("cannot read {}", args.step.display()))?;
    let step: batch::Step = serde_json::from_slice(&text).into_diagnostic()?;
    Err(batch::run(step)).into_diagnostic()
}
