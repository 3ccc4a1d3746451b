//! `tupelo capture`: explains and records packet captures.

mod explain;
mod filter;
mod source;

use miette::Result;

use crate::Outcome;

/// Explain packet captures, and record them.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tupelo capture record -i lo -o slow.pcapng --duration 5s\n  tupelo capture explain slow.pcapng")]
pub struct Args {
    #[command(subcommand)]
    what: CaptureAction,
}

#[derive(Debug, clap::Subcommand)]
#[allow(clippy::large_enum_variant, reason = "one value a process")]
enum CaptureAction {
    Explain(explain::Args),
    Record(lab::record::Args),
}

/// Runs the action.
pub fn run(args: Args) -> Result<Outcome> {
    match args.what {
        CaptureAction::Explain(args) => explain::run(&args),
        CaptureAction::Record(args) => {
            let status = lab::record::run(&args);
            if status == std::process::ExitCode::SUCCESS {
                Ok(Outcome::Clean)
            } else {
                Ok(Outcome::Status(status))
            }
        }
    }
}
