//! `tupelo drive`: controlled load. The arguments and the work are the
//! driver's own; it knows nothing of regions.

use miette::{IntoDiagnostic, Result};

use crate::Outcome;
use crate::stdout::StdoutError;

pub use drive::cli::Args;

/// Presents the load; its own exit status is passed on.
pub fn run(args: Args) -> Result<Outcome> {
    let status = drive::cli::run(&args).map_err(StdoutError).into_diagnostic()?;
    if status == std::process::ExitCode::SUCCESS {
        Ok(Outcome::Clean)
    } else {
        Ok(Outcome::Status(status))
    }
}
