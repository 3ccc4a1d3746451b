//! `tupelo worker`: the process of a COBOL worker. Only the region starts it, since it passes
//! the shared memory.

use miette::Result;

use crate::Outcome;

/// Run as a COBOL worker of a region (started by the region, not by hand).
#[derive(Debug, clap::Args)]
pub struct Args {}

/// Serves until the region ends it. The exit status distinguishes a worker that could not
/// start from one that retired.
pub fn run(_: Args) -> Result<Outcome> {
    Ok(Outcome::Status(worker::run()))
}
