//! `tupelo trace`: what tasks and the kernel of a running region did last.
//!
//! Every region keeps a trace all the time; it is asked for at the
//! administration port of `tupelo serve`.

mod print;

use miette::Result;

use crate::Outcome;

/// Show the trace of a running region.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tupelo trace print --last 50\n  tupelo trace print --transaction ACCT --domain files")]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Print the newest entries of the trace, by time.
    Print(print::Args),
}

/// Does it.
pub fn run(args: Args) -> Result<Outcome> {
    match args.what {
        What::Print(args) => print::run(&args),
    }
}
