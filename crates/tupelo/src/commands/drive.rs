//! `tupelo drive`: controlled load. The arguments and the work are the
//! driver's own; it knows nothing of regions.

use miette::Result;

use crate::Outcome;

pub use drive::cli::Args;

/// Presents the load; its own exit status is passed on.
pub fn run(args: Args) -> Result<Outcome> {
    let status = drive::cli::run(&args);
    match status == std::process::ExitCode::SUCCESS {
        true => Ok(Outcome::Clean),
        false => Ok(Outcome::Status(status)),
    }
}
