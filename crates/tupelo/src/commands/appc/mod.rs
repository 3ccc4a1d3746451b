//! `tupelo appc`: an LU 6.2 node, its state, and the transactions that tuning guides
//! measure.

pub mod node;
mod serve;
mod show;
pub mod signals;
mod transactions;
pub mod waiting;

use crate::Outcome;
use miette::Result;

/// Run an LU 6.2 (APPC) node, ask a running one, or measure with one.
#[derive(clap::Args)]
#[command(after_help = "Example:\n  tupelo appc serve --lu NET.SERVER --listen 127.0.0.1:2065 &\n  \
    tupelo appc status\n  tupelo appc file-transfer NET.SERVER --at 127.0.0.1:2065")]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    /// Answer partners: APINGD, FILETRAN and INQUIRY
    Serve(serve::Args),
    /// Links, programs and sessions of a running node
    Status(show::Args),
    /// The modes of a running node, or the built-in ones
    #[command(after_help = "Example:\n  tupelo appc modes --admin 9065")]
    Modes(show::Args),
    /// The sessions of a running node
    #[command(after_help = "Example:\n  tupelo appc sessions --admin 9065")]
    Sessions(show::Args),
    /// Send bytes in buffers, with one confirmation
    FileTransfer(transactions::FileTransferArgs),
    /// Send a request and receive a reply
    Inquiry(transactions::InquiryArgs),
}

/// Runs the subcommand.
pub fn run(args: Args) -> Result<Outcome> {
    match args.command {
        Command::Serve(args) => serve::run(&args),
        Command::Status(args) => show::status(&args),
        Command::Modes(args) => show::modes(&args),
        Command::Sessions(args) => show::sessions(&args),
        Command::FileTransfer(args) => transactions::file_transfer(&args),
        Command::Inquiry(args) => transactions::inquiry(&args),
    }
}
