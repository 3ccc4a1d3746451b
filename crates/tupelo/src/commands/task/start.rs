//! `tupelo task start`.

use miette::Result;

use crate::Outcome;
use crate::operator::OperatorArgs;

/// The transaction.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Name of the transaction.
    transid: String,
    #[command(flatten)]
    ask: OperatorArgs,
}

/// Starts the transaction without waiting for its end.
pub fn run(args: &Args) -> Result<Outcome> {
    let name = crate::app::operate::encoded(&args.transid);
    let done = args.ask.post(&format!("/transactions/{name}/start"))?;
    if args.ask.json {
        println!("{done}")
    } else {
        println!("{} is started", args.transid)
    }
    Ok(Outcome::Clean)
}
