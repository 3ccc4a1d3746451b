//! `tupelo drive`: controlled load. Arguments and implementation are those of crate
//! `drive`, which does not depend on regions.

use miette::{IntoDiagnostic, Result};

use crate::Outcome;
use crate::stdout::StdoutError;

pub use drive::cli::Args;

/// Runs the load; its own exit status is returned.
pub fn run(args: Args) -> Result<Outcome> {
    let status = drive::cli::run(&args).map_err(StdoutError).into_diagnostic()?;
    if status == std::process::ExitCode::SUCCESS {
        Ok(Outcome::Clean)
    } else {
        Ok(Outcome::Status(status))
    }
}
