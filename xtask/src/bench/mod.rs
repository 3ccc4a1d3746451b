//! Budgets measured: one file a subject, one row of [`BENCHES`] a budget.
//!
//! A bench runs ours and the peer alternately in the same run and reports the
//! medians; a peer that is not installed leaves `peer_value` and `met` empty,
//! which is not a pass. `cargo xtask bench drive` runs every bench whose name
//! starts with `drive`.

mod appc;
mod appc_peer;
mod capture;
mod cobol;
mod copybook;
mod counted;
mod drive;
mod exec;
mod gateway;
mod gateway_idle;
mod gateway_mapping;
mod gateway_peers;
mod gateway_remote;
mod gateway_secure;
pub mod program;
mod row;
mod script;
mod soap;
mod sockets;
mod sockets_peer;
mod sql;
mod terminal;
mod terminal_idle;
mod times;
mod web;
mod web_services;

use anyhow::{Result, bail};
pub use appc_peer::serve as appc_peer;
pub use drive::{PresentArgs, ServeArgs, present, serve};
pub use row::{BudgetRow, RowBound};
pub use sockets_peer::serve as sockets_peer;

/// Which benches to run and how to print them.
#[derive(clap::Args)]
pub struct Args {
    /// A bench's name or the beginning of one; without it, the list
    name: Option<String>,
    /// Print one JSON object a line
    #[arg(long)]
    json: bool,
    /// Rounds of each side; the median is reported
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// drive-theory: let the server be this many percent slower than theory
    /// assumes, to see that its rows then miss
    #[arg(long, value_name = "PERCENT", default_value_t = 0.0)]
    slower: f64,
}

/// The settings that every bench gets.
pub struct BenchSettings {
    /// Rounds of each side, at least one.
    pub rounds: usize,
    /// By how many percent the server of known capacity is slower than theory assumes.
    pub slower: f64,
}

/// One bench: its name, what it shows, and the function that measures it.
pub struct BenchEntry {
    /// The name given on the command line, and the `bench` field of its rows.
    pub name: &'static str,
    /// One line for the list.
    pub about: &'static str,
    /// Measures and returns the rows.
    pub run: fn(&BenchSettings) -> Result<Vec<BudgetRow>>,
}

/// Every bench there is.
const BENCHES: &[&[BenchEntry]] = &[
    capture::BENCHES,
    appc::BENCHES,
    copybook::BENCHES,
    drive::BENCHES,
    exec::BENCHES,
    times::BENCHES,
    gateway::BENCHES,
    gateway_remote::BENCHES,
    gateway_secure::BENCHES,
    gateway_idle::BENCHES,
    gateway_mapping::BENCHES,
    sockets::BENCHES,
    sql::BENCHES,
    script::BENCHES,
    web::BENCHES,
    soap::BENCHES,
    web_services::BENCHES,
    terminal::BENCHES,
];

/// Runs the named benches; false when a row misses its bound.
pub fn run(args: &Args) -> Result<bool> {
    let all = || BENCHES.iter().flat_map(|group| group.iter());
    let Some(name) = &args.name else {
        for bench in all() {
            println!("{:<16} {}", bench.name, bench.about);
        }
        return Ok(true);
    };
    let chosen: Vec<&BenchEntry> = all().filter(|b| b.name.starts_with(name)).collect();
    if chosen.is_empty() {
        bail!("no bench is called `{name}`; `cargo xtask bench` lists them");
    }
    let setting = BenchSettings {
        rounds: args.rounds.max(1),
        slower: args.slower,
    };
    let mut met = true;
    if !args.json {
        println!("{}", row::HEADING);
    }
    for bench in chosen {
        if !args.json {
            println!("{}: {}", bench.name, counted::on_both_sides(bench.name));
        }
        for row in (bench.run)(&setting)? {
            met &= row.met != Some(false);
            if args.json {
                println!("{}", serde_json::to_string(&row)?)
            } else {
                println!("{row}")
            }
        }
    }
    Ok(met)
}

/// Runs `ours` and `peer` alternately and returns the median of each; the
/// peer's is `None` when it cannot run.
pub fn alternate(
    rounds: usize,
    mut ours: impl FnMut() -> Result<f64>,
    mut peer: impl FnMut() -> Result<Option<f64>>,
) -> Result<(f64, Option<f64>)> {
    let mut mine = Vec::new();
    let mut theirs = Vec::new();
    for _ in 0..rounds {
        mine.push(ours()?);
        theirs.extend(peer()?);
    }
    let their_median = (theirs.len() == rounds).then(|| median(&mut theirs));
    Ok((median(&mut mine), their_median))
}

/// The median; `values` must not be empty.
pub fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() % 2 {
        1 => values[middle],
        _ => (values[middle - 1] + values[middle]) / 2.0,
    }
}
