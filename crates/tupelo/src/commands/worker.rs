//! `tupelo worker`: the life of a COBOL worker process. The region starts it;
//! nobody else has what it needs.

use miette::Result;

use crate::Outcome;

/// Run as a COBOL worker of a region (started by the region, not by hand).
#[derive(Debug, clap::Args)]
pub struct Args {}

/// Serves until the region lets go; a worker that could not start is told from
/// one that retired by its status.
pub fn run(_: Args) -> Result<Outcome> {
    Ok(Outcome::Status(worker::run()))
}
