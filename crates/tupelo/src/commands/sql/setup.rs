//! `tupelo sql setup`: makes schema `db2` on the server, or prints the SQL that would.

use database::setup;
use miette::{IntoDiagnostic, Result};

use super::SqlTarget;
use crate::Outcome;

/// Make the schema db2 on the server, which Db2's SQL needs there.
///
/// The private cluster has it from its start. Roles of programs need no rights on it beyond
/// those that it grants to everyone.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tupelo sql setup --print | psql --host=db.example bank")]
pub struct Args {
    #[command(flatten)]
    target: SqlTarget,
    /// Print the SQL without connecting.
    #[arg(long)]
    print: bool,
}

/// Makes or prints the schema.
pub fn run(args: &Args) -> Result<Outcome> {
    if args.print {
        print!("{}", setup::script());
        return Ok(Outcome::Clean);
    }
    let mut session = args.target.open()?;
    if setup::apply(&mut session.connection).into_diagnostic()? {
        println!("schema db2 is made");
    } else {
        println!("schema db2 exists already");
    }
    Ok(Outcome::Clean)
}
