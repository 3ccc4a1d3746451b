//! `tupelo record`: the layout of a copybook, and records to JSON and back.

mod convert;
mod layout;
mod schema;
pub mod source;

use miette::Result;

use crate::Outcome;

/// Show the layout of a copybook's records, and convert records.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tupelo record layout examples/bank/copybooks/ACCOUNT.cpy")]
pub struct Args {
    #[command(subcommand)]
    what: RecordAction,
}

#[derive(Debug, clap::Subcommand)]
enum RecordAction {
    Layout(layout::Args),
    Schema(schema::Args),
    Decode(convert::DecodeArgs),
    Encode(convert::EncodeArgs),
}

/// Runs the action.
pub fn run(args: Args) -> Result<Outcome> {
    match args.what {
        RecordAction::Layout(args) => layout::run(args),
        RecordAction::Schema(args) => schema::run(args),
        RecordAction::Decode(args) => convert::decode(args),
        RecordAction::Encode(args) => convert::encode(args),
    }
}
