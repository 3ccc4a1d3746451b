//! `tupelo connection`: the connections of a running process to other regions
//! and to mainframes, and the partners that have connected to its region.

use miette::Result;
use serde_json::Value;

use crate::Outcome;
use crate::operator::{OperatorArgs, cell};
use crate::table::Table;

/// Connections between gateways, regions and mainframes.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tupelo connection list")]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    List(ListArgs),
}

/// List connections to other regions and to mainframes, and partners that have connected.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tupelo connection list\n  tupelo connection list --admin 127.0.0.1:9081 --json")]
struct ListArgs {
    #[command(flatten)]
    ask: OperatorArgs,
}

/// Lists them.
pub fn run(args: Args) -> Result<Outcome> {
    let Command::List(ListArgs { ask }) = args.command;
    let all = ask.get("/connections")?;
    if ask.json {
        println!("{all}");
        return Ok(Outcome::Clean);
    }
    let shown = [
        table(&all["connections"], &MADE),
        table(&all["mainframe"], &MAINFRAME),
        table(&all["partners"], &CAME),
    ];
    let shown: Vec<String> = shown.iter().flatten().map(ToString::to_string).collect();
    if shown.is_empty() {
        println!("no connection to another region, and no partner is connected")
    } else {
        print!("{}", shown.join("\n"))
    }
    Ok(Outcome::Clean)
}

/// A column: its heading, and the member that it shows.
type StatusColumn = (&'static str, &'static str);

/// Connections of `[ipconn]`.
const MADE: [StatusColumn; 11] = [
    ("Connection", "name"),
    ("Sysid", "sysid"),
    ("Region", "applid"),
    ("Address", "address"),
    ("State", "state"),
    (">Sessions", "sessions"),
    (">In use", "in_use"),
    (">Requests", "requests"),
    (">Retried", "retried"),
    (">Lost", "lost"),
    ("Why", "error"),
];

/// Connections of `[mainframe]`.
const MAINFRAME: [StatusColumn; 10] = [
    ("Mainframe", "name"),
    ("Kind", "kind"),
    ("Address", "address"),
    ("State", "state"),
    (">Sessions", "sessions"),
    (">In use", "in_use"),
    (">Requests", "requests"),
    (">Failed", "failed"),
    (">Opened", "opened"),
    ("Why", "error"),
];

/// Partners that have connected.
const CAME: [StatusColumn; 7] = [
    ("Partner", "applid"),
    ("Sysid", "sysid"),
    ("From", "address"),
    (">Sockets", "lanes"),
    (">Sessions", "sessions"),
    (">In use", "in_use"),
    (">Requests", "requests"),
];

/// A list as a table. Returns `None` if it is empty.
fn table(list: &Value, columns: &[StatusColumn]) -> Option<Table> {
    let rows = list.as_array().filter(|rows| !rows.is_empty())?;
    let heads: Vec<&str> = columns.iter().map(|(head, _)| *head).collect();
    let mut table = Table::new(&heads);
    for row in rows {
        table.row(columns.iter().map(|(_, member)| cell(&row[*member])));
    }
    Some(table)
}
