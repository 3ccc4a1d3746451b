//! `tupelo lab`: the papers' experiments. The arguments and the work are the
//! laboratory's own.

use miette::Result;

use crate::Outcome;

pub use lab::cli::Args;

/// Runs experiments; the laboratory's exit status is passed on.
pub fn run(args: Args) -> Result<Outcome> {
    let status = lab::cli::run(&args);
    match status == std::process::ExitCode::SUCCESS {
        true => Ok(Outcome::Clean),
        false => Ok(Outcome::Status(status)),
    }
}
