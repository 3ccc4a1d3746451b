//! `tupelo uow`: units of work that span regions or databases.

use std::time::{SystemTime, UNIX_EPOCH};

use miette::Result;
use serde_json::json;

use crate::Outcome;
use crate::operator::{OperatorArgs, cell};
use crate::table::Table;

/// List and resolve units of work that another region or a database decides or has not
/// acknowledged.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  tupelo uow list\n  tupelo uow backout FRONT.BACK.18a3c5f6e1d20b40"
)]
pub struct Args {
    #[command(subcommand)]
    what: UowAction,
}

#[derive(Debug, clap::Subcommand)]
enum UowAction {
    /// List units in doubt, and committed units that a participant has not acknowledged.
    #[command(after_help = "Example:\n  tupelo uow list")]
    List(ListArgs),
    /// Commit a unit in doubt, although its region or database may back it out.
    #[command(after_help = "Example:\n  tupelo uow commit FRONT.BACK.18a3c5f6e1d20b40")]
    Commit(EndArgs),
    /// Back out a unit in doubt, although its region or database may commit it.
    #[command(after_help = "Example:\n  tupelo uow backout FRONT.BACK.18a3c5f6e1d20b40")]
    Backout(EndArgs),
}

#[derive(Debug, clap::Args)]
struct ListArgs {
    #[command(flatten)]
    ask: OperatorArgs,
}

#[derive(Debug, clap::Args)]
struct EndArgs {
    /// The unit, as `tupelo uow list` names it.
    unit: String,
    #[command(flatten)]
    ask: OperatorArgs,
}

/// Runs the action.
pub fn run(args: Args) -> Result<Outcome> {
    match args.what {
        UowAction::List(args) => list(&args.ask),
        UowAction::Commit(args) => end(&args, "commit"),
        UowAction::Backout(args) => end(&args, "backout"),
    }
}

fn list(ask: &OperatorArgs) -> Result<Outcome> {
    let units = ask.get("/uow")?;
    if ask.json {
        println!("{units}");
        return Ok(Outcome::Clean);
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.map_or(0, |now| now.as_millis() as u64);
    let heading = [
        "Unit", "State", "With", "Tran", ">Seconds", ">Left", ">Records", "Locks",
    ];
    let mut table = Table::new(&heading);
    for unit in units.as_array().into_iter().flatten() {
        let locks = unit["locks"].as_array().into_iter().flatten();
        let locks: Vec<String> = locks.map(cell).collect();
        let since = unit["since_ms"].as_u64().unwrap_or(now);
        // Seconds until the ACTION of its transaction is applied.
        let left = unit["ends_ms"].as_u64().map_or(String::new(), |ends| {
            (ends.saturating_sub(now) / 1000).to_string()
        });
        table.row([
            cell(&unit["unit"]),
            cell(&unit["state"]),
            cell(&unit["with"]),
            cell(&unit["transaction"]),
            (now.saturating_sub(since) / 1000).to_string(),
            left,
            cell(&unit["records"]),
            locks.join(", "),
        ]);
    }
    print!("{table}");
    Ok(Outcome::Clean)
}

fn end(args: &EndArgs, what: &str) -> Result<Outcome> {
    args.ask.post(&format!("/uow/{}/{what}", args.unit))?;
    if args.ask.json {
        println!("{}", json!({ "unit": args.unit, "done": what }));
        return Ok(Outcome::Clean);
    }
    println!(
        "{}: done. Its region or database may have decided otherwise: compare the data of both.",
        args.unit
    );
    Ok(Outcome::Clean)
}
