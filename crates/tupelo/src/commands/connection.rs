//! `tupelo connection`: the connections of a running process to other regions,
//! and the partners that have connected to its region.

use miette::Result;

use crate::Outcome;
use crate::operator::{Ask, cell};
use crate::table::Table;

/// Connections between gateways and regions.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    List(ListArgs),
}

/// List connections to other regions, and partners that have connected.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tupelo connection list\n  tupelo connection list --admin 127.0.0.1:9081 --json")]
struct ListArgs {
    #[command(flatten)]
    ask: Ask,
}

/// Lists them.
pub fn run(args: Args) -> Result<Outcome> {
    let Command::List(ListArgs { ask }) = args.command;
    let all = ask.get("/connections")?;
    if ask.json {
        println!("{all}");
        return Ok(Outcome::Clean);
    }
    let made = [
        "Connection", "Sysid", "Region", "Address", "State", ">Sessions", ">In use", ">Requests",
        ">Retried", ">Lost", "Why",
    ];
    let rows = |key: &str| all[key].as_array().cloned().unwrap_or_default();
    let (given, arrived) = (rows("connections"), rows("partners"));
    if given.is_empty() && arrived.is_empty() {
        println!("no connection to another region, and no partner is connected");
        return Ok(Outcome::Clean);
    }
    let mut connections = Table::new(&made);
    for c in &given {
        connections.row([
            cell(&c["name"]),
            cell(&c["sysid"]),
            cell(&c["applid"]),
            cell(&c["address"]),
            cell(&c["state"]),
            cell(&c["sessions"]),
            cell(&c["in_use"]),
            cell(&c["requests"]),
            cell(&c["retried"]),
            cell(&c["lost"]),
            cell(&c["error"]),
        ]);
    }
    let came = ["Partner", "Sysid", "From", ">Sockets", ">Sessions", ">In use", ">Requests"];
    let mut partners = Table::new(&came);
    for p in &arrived {
        partners.row([
            cell(&p["applid"]),
            cell(&p["sysid"]),
            cell(&p["address"]),
            cell(&p["lanes"]),
            cell(&p["sessions"]),
            cell(&p["in_use"]),
            cell(&p["requests"]),
        ]);
    }
    match (given.is_empty(), arrived.is_empty()) {
        (false, true) => print!("{connections}"),
        (true, false) => print!("{partners}"),
        _ => print!("{connections}\n{partners}"),
    }
    Ok(Outcome::Clean)
}
