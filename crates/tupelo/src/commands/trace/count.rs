//! `tupelo trace count`: EXEC CICS requests by transaction and command, to verify what a
//! run did.
//!
//! A running region has exact sums; the commands of a trace file are added up. A command's
//! own time excludes the commands that ran inside of it, such as those of a program that it
//! LINKs. For a command that does not wait the own time is CPU time, if no other process
//! uses the processor.

use std::collections::BTreeMap;
use std::path::PathBuf;

use miette::Result;
use serde_json::{Value, json};

use super::print::{EntryFilter, each};
use crate::Outcome;
use crate::operator::{OperatorArgs, cell};
use crate::table::Table;

/// The entries, and their region or file.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A file that `tupelo trace start` wrote; without one the counts of a running region are
    /// printed.
    file: Option<PathBuf>,
    #[command(flatten)]
    filter: EntryFilter,
    /// Print the counts so far, and reset them in the region.
    #[arg(long, conflicts_with = "file")]
    reset: bool,
    #[command(flatten)]
    ask: OperatorArgs,
}

/// The beginning or the end of a command.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct CommandEdge {
    /// The worker and the task.
    place: (u64, u64),
    unix_ns: u64,
    transid: String,
    command: String,
    /// The elapsed time; `None` for a beginning.
    elapsed_ns: Option<u64>,
    is_end: bool,
}

/// Commands of one kind of one transaction.
#[derive(Debug, Default, PartialEq, Eq)]
struct CommandSum {
    count: u64,
    /// Commands whose end is recorded, and their own time.
    ended: u64,
    own_ns: u64,
}

/// Sums by transaction and command.
type CommandSums = BTreeMap<(String, String), CommandSum>;

/// Counts the commands.
pub fn run(args: &Args) -> Result<Outcome> {
    let Some(file) = &args.file else {
        return of_region(args);
    };
    let mut edges = Vec::new();
    each(file, &args.filter, |record| edges.extend(edge(&record)))?;
    let sums = add_up(edges);
    if args.ask.json {
        let all: Vec<Value> = sums.iter().map(|((transid, command), sum)| {
            json!({"transid": transid, "command": command, "count": sum.count, "own_ns": sum.own_ns})
        }).collect();
        println!("{}", Value::Array(all));
        return Ok(Outcome::Clean);
    }
    let mut table = Table::new(&["Tran", "Command", ">Count", ">Own us", ">Own us each"]);
    for ((transid, command), sum) in &sums {
        let us = sum.own_ns as f64 / 1e3;
        table.row([
            transid.clone(),
            command.clone(),
            sum.count.to_string(),
            format!("{us:.1}"),
            format!("{:.2}", us / sum.ended.max(1) as f64),
        ]);
    }
    print!("{table}");
    Ok(Outcome::Clean)
}

/// Prints the counts of the workers of a region.
fn of_region(args: &Args) -> Result<Outcome> {
    let counts = if args.reset {
        args.ask.post("/trace/counts")?
    } else {
        args.ask.get("/trace/counts")?
    };
    let all = counts.as_array().cloned().unwrap_or_default();
    let wanted: Vec<Value> = all.into_iter().filter(|count| args.filter.takes(count)).collect();
    if args.ask.json {
        println!("{}", Value::Array(wanted));
        return Ok(Outcome::Clean);
    }
    let mut table = Table::new(&["Tran", "Command", ">Count", ">Own us", ">Own us each", ">Waited us"]);
    for count in &wanted {
        let us = |key: &str| count[key].as_u64().unwrap_or(0) as f64 / 1e3;
        let number = count["count"].as_u64().unwrap_or(0);
        table.row([
            cell(&count["transid"]),
            cell(&count["command"]),
            number.to_string(),
            format!("{:.1}", us("own_ns")),
            format!("{:.2}", us("own_ns") / number.max(1) as f64),
            format!("{:.1}", us("waited_ns")),
        ]);
    }
    print!("{table}");
    Ok(Outcome::Clean)
}

/// The edge that a record describes. Returns `None` if it is not about a command.
fn edge(record: &Value) -> Option<CommandEdge> {
    let is_end = match record["event"].as_str()? {
        "enter" => false,
        "exit" | "abend" => true,
        _ => return None,
    };
    let domain = record["domain"].as_str()?;
    if matches!(domain, "kernel" | "user") {
        return None;
    }
    let text = |key: &str| record[key].as_str().unwrap_or_default().trim_end().to_owned();
    Some(CommandEdge {
        place: (record["worker"].as_u64().unwrap_or(u64::MAX), record["task"].as_u64()?),
        unix_ns: record["unix_ns"].as_u64()?,
        transid: text("transid"),
        command: text("command"),
        elapsed_ns: record["elapsed_ns"].as_u64().filter(|_| is_end),
        is_end,
    })
}

fn add_up(mut edges: Vec<CommandEdge>) -> CommandSums {
    // Entries of a ring are in order, also entries of the same time.
    edges.sort_by_key(|edge| (edge.place, edge.unix_ns));
    let mut sums = CommandSums::new();
    // The commands in progress, and the time of those inside of them.
    let mut open: Vec<(String, u64)> = Vec::new();
    let mut place = None;
    for edge in edges {
        if place != Some(edge.place) {
            open.clear();
            place = Some(edge.place);
        }
        let sum = sums.entry((edge.transid, edge.command.clone())).or_default();
        if !edge.is_end {
            sum.count += 1;
            open.push((edge.command, 0));
            continue;
        }
        // A command that began before and has no end left another way: RETURN, XCTL.
        let Some(at) = open.iter().rposition(|(command, _)| *command == edge.command) else {
            continue;
        };
        let inside = open[at].1;
        open.truncate(at);
        if let Some(elapsed) = edge.elapsed_ns {
            sum.ended += 1;
            sum.own_ns += elapsed.saturating_sub(inside);
            if let Some((_, inside)) = open.last_mut() {
                *inside += elapsed;
            }
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn record(unix_ns: u64, event: &str, command: &str, elapsed_ns: Option<u64>) -> Value {
        json!({
            "unix_ns": unix_ns, "task": 7, "transid": "RECV", "worker": 0, "domain": "programs",
            "event": event, "command": command, "elapsed_ns": elapsed_ns,
        })
    }

    #[test]
    fn the_commands_of_a_linked_program_are_not_the_links_own_time() {
        let records = [
            record(100, "enter", "LINK", None),
            record(110, "enter", "READQ TS", None),
            record(140, "exit", "READQ TS", Some(30)),
            record(150, "enter", "RETURN", None),
            record(200, "exit", "LINK", Some(100)),
            record(210, "enter", "LINK", None),
            record(220, "exit", "LINK", Some(10)),
            json!({"event": "exit", "domain": "kernel", "command": "task", "task": 7, "unix_ns": 1}),
        ];
        let sums = add_up(records.iter().filter_map(edge).collect());
        let of = |command: &str| {
            let sum = &sums[&("RECV".to_owned(), command.to_owned())];
            (sum.count, sum.own_ns)
        };
        assert_eq!((of("LINK"), of("READQ TS"), of("RETURN")), ((2, 80), (1, 30), (1, 0)));
        assert_eq!(sums.len(), 3);
    }

    proptest! {
        #[test]
        fn any_order_of_edges_is_counted(
            edges in prop::collection::vec((0u64..3, 0u64..20, 0usize..3, any::<bool>(), 0u64..50), 0..40),
        ) {
            let records = edges.iter().map(|(worker, at, command, end, elapsed)| {
                let command = ["LINK", "RETURN", "ASKTIME"][*command];
                let mut record = record(*at, if *end { "exit" } else { "enter" }, command, Some(*elapsed));
                record["worker"] = json!(worker);
                record
            });
            let begun = edges.iter().filter(|edge| !edge.3).count() as u64;
            let records: Vec<Value> = records.collect();
            let sums = add_up(records.iter().filter_map(edge).collect());
            prop_assert_eq!(sums.values().map(|s| s.count).sum::<u64>(), begun);
        }
    }
}
