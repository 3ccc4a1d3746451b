//! `tupelo task`: the tasks of a running region, for operators.
//!
//! They are asked for at the administration port of `tupelo serve`.

mod list;
mod messages;
mod purge;
mod start;

use miette::Result;

use crate::Outcome;

/// List and end tasks, and answer their messages.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tupelo task list\n  tupelo task start BLST\n  tupelo task purge 4711\n  tupelo task messages\n  tupelo task reply 3 'YES'")]
pub struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// List the tasks: what they run, and what they wait for.
    List(list::Args),
    /// Start a transaction, as START does.
    Start(start::Args),
    /// End a task when it next waits, or at once when it waits already.
    Purge(purge::Args),
    /// End a task whatever it does.
    Forcepurge(purge::Args),
    /// List the messages of WRITE OPERATOR that wait for a reply.
    Messages(messages::Args),
    /// Reply to a message.
    Reply(messages::ReplyArgs),
}

/// Does it.
pub fn run(args: Args) -> Result<Outcome> {
    match args.what {
        What::List(args) => list::run(&args),
        What::Start(args) => start::run(&args),
        What::Purge(args) => purge::run(&args, "purge"),
        What::Forcepurge(args) => purge::run(&args, "forcepurge"),
        What::Messages(args) => messages::list(&args),
        What::Reply(args) => messages::reply(&args),
    }
}
