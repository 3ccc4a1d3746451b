//! `tupelo locks`: the locks of a running region, their owners and waiters.

use miette::Result;

use crate::Outcome;
use crate::operator::{OperatorArgs, cell};
use crate::table::Table;

/// List locks, their owners and the tasks that wait for them.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tupelo locks\n  tupelo locks --json")]
pub struct Args {
    #[command(flatten)]
    ask: OperatorArgs,
}

/// Lists the locks.
pub fn run(args: Args) -> Result<Outcome> {
    let locks = args.ask.get("/locks")?;
    if args.ask.json {
        println!("{locks}");
        return Ok(Outcome::Clean);
    }
    let mut table = Table::new(&[">Owner", "Tran", "Lock", "Waiters"]);
    for lock in locks.as_array().into_iter().flatten() {
        let waiters = lock["waiters"].as_array().into_iter().flatten();
        let waiters: Vec<String> = waiters.map(cell).collect();
        table.row([
            cell(&lock["owner"]),
            cell(&lock["transid"]),
            cell(&lock["name"]),
            waiters.join(" "),
        ]);
    }
    print!("{table}");
    Ok(Outcome::Clean)
}
