//! `tupelo sql setup`: makes schema `db2` on the server, or prints what would.

use database::setup;
use miette::{IntoDiagnostic, Result};

use super::SqlTarget;
use crate::Outcome;

/// Make the schema db2 on the server: what Db2's SQL needs there.
///
/// The private cluster has it from its start. Programs' roles need no right on it
/// beyond what it gives everyone.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tupelo sql setup --print | psql --host=db.example bank")]
pub struct Args {
    #[command(flatten)]
    target: SqlTarget,
    /// Print the SQL and connect nowhere.
    #[arg(long)]
    print: bool,
}

/// Does it.
pub fn run(args: &Args) -> Result<Outcome> {
    if args.print {
        print!("{}", setup::script());
        return Ok(Outcome::Clean);
    }
    let mut session = args.target.open()?;
    if setup::apply(&mut session.connection).into_diagnostic()? {
        println!("schema db2 is made");
    } else {
        println!("schema db2 is there");
    }
    Ok(Outcome::Clean)
}
