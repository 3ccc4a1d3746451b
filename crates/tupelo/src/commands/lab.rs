//! `tupelo lab`: the papers' experiments. The arguments and the work are the
//! laboratory's own.

use miette::Result;

use crate::Outcome;

pub use lab::cli::Args;

/// Runs experiments; the laboratory's exit status is passed on.
pub fn run(args: Args) -> Result<Outcome> {
    let status = lab::cli::run(&args);
    if status == std::process::ExitCode::SUCCESS {
        Ok(Outcome::Clean)
    } else {
        Ok(Outcome::Status(status))
    }
}
