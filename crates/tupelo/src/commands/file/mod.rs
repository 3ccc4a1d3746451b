//! `tupelo file`: keyed files and their records.
//!
//! Everything but `stat` and `dump` writes, and the store has one writer: while
//! a region serves the folder these say who holds it.

mod define;
mod dump;
mod load;
mod stat;
mod which;

use miette::Result;

use crate::Outcome;

/// Define, load, dump and measure keyed files.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tupelo file stat --app examples/bank\n  tupelo file dump ACCTFILE --app examples/bank")]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    Define(define::Args),
    Load(load::Args),
    Dump(dump::Args),
    Stat(stat::Args),
}

/// Does it.
pub fn run(args: Args) -> Result<Outcome> {
    match args.what {
        What::Define(args) => define::run(args),
        What::Load(args) => load::run(args),
        What::Dump(args) => dump::run(args),
        What::Stat(args) => stat::run(args),
    }
}
