//! `tupelo trace`: the last events of the tasks and the kernel of a running region.
//!
//! Every region always writes a trace in memory, which is read through the administration
//! port of `tupelo serve`.

mod count;
mod file;
mod print;

use miette::Result;

use crate::Outcome;

/// Show the trace of a running region, or write it to a file.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tupelo trace print --last 50\n  tupelo trace print --transaction BINQ --domain files\n  tupelo trace start --transaction BINQ\n  tupelo trace stop\n  tupelo trace print --file .tupelo/traces/trace-1790000000.jsonl\n  tupelo trace count\n  tupelo trace count .tupelo/traces/trace-1790000000.jsonl")]
pub struct Args {
    #[command(subcommand)]
    what: TraceAction,
}

#[derive(Debug, clap::Subcommand)]
enum TraceAction {
    /// Print the newest entries of the trace, by time.
    #[command(after_help = "Example:\n  tupelo trace print --last 50\n  tupelo trace print --transaction BINQ --domain files")]
    Print(print::Args),
    /// Count commands by transaction and command: those of a running region
    /// since its start, or those of a file.
    #[command(after_help = "Example:\n  tupelo trace count\n  tupelo trace count .tupelo/traces/trace-1790000000.jsonl")]
    Count(count::Args),
    /// Write the trace to a file of the region from now on.
    #[command(after_help = "Example:\n  tupelo trace start --transaction BINQ")]
    Start(file::Args),
    /// Stop writing it, and print its path.
    #[command(after_help = "Example:\n  tupelo trace stop")]
    Stop(file::StopArgs),
}

/// Runs the action.
pub fn run(args: Args) -> Result<Outcome> {
    match args.what {
        TraceAction::Print(args) => print::run(&args),
        TraceAction::Count(args) => count::run(&args),
        TraceAction::Start(args) => file::start(&args),
        TraceAction::Stop(args) => file::stop(&args),
    }
}
