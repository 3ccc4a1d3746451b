//! `tupelo lab`: the papers' experiments. Arguments and implementation are those of crate
//! `lab`.

use miette::Result;

use crate::Outcome;

pub use lab::cli::Args;

/// Runs experiments; the laboratory's exit status is returned.
pub fn run(args: Args) -> Result<Outcome> {
    let status = lab::cli::run(&args);
    if status == std::process::ExitCode::SUCCESS {
        Ok(Outcome::Clean)
    } else {
        Ok(Outcome::Status(status))
    }
}
