//! `tupelo task messages` and `tupelo task reply`.

use miette::Result;

use crate::Outcome;
use crate::app::operate::encoded;
use crate::operator::{OperatorArgs, cell};
use crate::table::Table;

/// The region.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    ask: OperatorArgs,
}

/// A message, and the reply to it.
#[derive(Debug, clap::Args)]
pub struct ReplyArgs {
    /// Number of the message, as `tupelo task messages` shows it.
    #[arg(value_parser = super::message_number)]
    message: u64,
    /// The reply.
    text: String,
    #[command(flatten)]
    ask: OperatorArgs,
}

/// Lists the messages.
pub fn list(args: &Args) -> Result<Outcome> {
    let messages = args.ask.get("/messages")?;
    if args.ask.json {
        println!("{messages}");
        return Ok(Outcome::Clean);
    }
    let mut table = Table::new(&[">Message", ">Task", "Tran", "Text"]);
    for message in messages.as_array().into_iter().flatten() {
        table.row([
            cell(&message["message"]),
            cell(&message["task"]),
            cell(&message["transid"]),
            cell(&message["text"]),
        ]);
    }
    print!("{table}");
    Ok(Outcome::Clean)
}

/// Replies to a message.
pub fn reply(args: &ReplyArgs) -> Result<Outcome> {
    let path = format!("/messages/{}/reply?{}", args.message, encoded(&args.text));
    let done = args.ask.post(&path)?;
    if args.ask.json {
        println!("{done}");
    }
    Ok(Outcome::Clean)
}
