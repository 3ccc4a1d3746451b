//! `tupelo sockets`: the socket interface of a running region, for operators.
//!
//! The commands use the administration port of `tupelo serve`, and do what EZAO does on a
//! mainframe.

use std::time::Duration;

use miette::Result;
use serde_json::Value;

use crate::Outcome;
use crate::operator::{OperatorArgs, cell};
use crate::table::Table;

/// List, start and stop listeners and receivers of CICS sockets, and trace calls.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tupelo sockets list\n  tupelo sockets stop CSKL\n  tupelo sockets start CSKL\n  tupelo sockets trace --on\n  tupelo sockets trace")]
pub struct Args {
    #[command(subcommand)]
    what: SocketsAction,
}

#[derive(Debug, clap::Subcommand)]
enum SocketsAction {
    /// List listeners and receivers, and the interface's counters.
    #[command(after_help = "Example:\n  tupelo sockets list")]
    List(ListArgs),
    /// Start a listener or receiver.
    #[command(after_help = "Example:\n  tupelo sockets start CSKL")]
    Start(ListenerArgs),
    /// Stop a listener, whose transactions continue, or a receiver and its connections.
    #[command(after_help = "Example:\n  tupelo sockets stop CSKL")]
    Stop(ListenerArgs),
    /// Print the last calls, or switch their recording.
    #[command(after_help = "Example:\n  tupelo sockets trace --on\n  tupelo sockets trace")]
    Trace(TraceArgs),
}

/// The region.
#[derive(Debug, clap::Args)]
pub struct ListArgs {
    #[command(flatten)]
    ask: OperatorArgs,
}

/// The listener or receiver.
#[derive(Debug, clap::Args)]
pub struct ListenerArgs {
    /// The transaction of the listener or receiver.
    listener: String,
    #[command(flatten)]
    ask: OperatorArgs,
}

/// The action on the trace.
#[derive(Debug, clap::Args)]
pub struct TraceArgs {
    /// Record calls from now on.
    #[arg(long, conflicts_with = "off")]
    on: bool,
    /// Stop recording calls.
    #[arg(long)]
    off: bool,
    #[command(flatten)]
    ask: OperatorArgs,
}

/// Runs the action.
pub fn run(args: Args) -> Result<Outcome> {
    match args.what {
        SocketsAction::List(args) => {
            let overview = args.ask.get("/sockets/list")?;
            show(&args.ask, &overview, print_overview);
        }
        SocketsAction::Start(args) => control(&args, "start")?,
        SocketsAction::Stop(args) => control(&args, "stop")?,
        SocketsAction::Trace(args) if args.on || args.off => {
            let word = if args.on { "on" } else { "off" };
            let done = args.ask.post(&format!("/sockets/trace/{word}"))?;
            show(&args.ask, &done, |_| println!("the trace is {word}"));
        }
        SocketsAction::Trace(args) => {
            let lines = args.ask.get("/sockets/trace")?;
            show(&args.ask, &lines, print_trace);
        }
    }
    Ok(Outcome::Clean)
}

fn control(args: &ListenerArgs, verb: &str) -> Result<()> {
    let done = args.ask.post(&format!("/sockets/{verb}/{}", args.listener))?;
    show(&args.ask, &done, print_listeners);
    Ok(())
}

fn show(ask: &OperatorArgs, value: &Value, print: impl Fn(&Value)) {
    if ask.json {
        println!("{value}")
    } else {
        print(value)
    }
}

fn print_overview(overview: &Value) {
    print_listeners(overview);
    println!(
        "{} tasks with sockets on {} helper threads, {} waiting; {} calls, {} failed; trace {}",
        overview["tasks"],
        overview["threads"],
        overview["waiting_tasks"],
        overview["calls"],
        overview["failed_calls"],
        if overview["trace"] == true { "on" } else { "off" },
    );
}

fn print_listeners(value: &Value) {
    let mut table = Table::new(&[
        "Listener", "Address", ">Accepted", ">Started", ">Refused", ">Waiting", ">Not taken",
    ]);
    for listener in value["listeners"].as_array().into_iter().flatten() {
        let address = match &listener["address"] {
            Value::Null => "stopped".to_owned(),
            address => cell(address),
        };
        table.row([
            cell(&listener["listener"]),
            address,
            cell(&listener["accepted"]),
            cell(&listener["started"]),
            cell(&listener["refused"]),
            cell(&listener["waiting"]),
            cell(&listener["expired"]),
        ]);
    }
    print!("{table}");
    print_receivers(value);
}

fn print_receivers(value: &Value) {
    let mut all = value["receivers"].as_array().into_iter().flatten().peekable();
    if all.peek().is_none() {
        return;
    }
    let mut table = Table::new(&[
        "Receiver", "Program", "Answers", "State", ">Connections", ">Messages", ">Bytes in",
        ">Bytes out", ">Refused", ">Failed",
    ]);
    for receiver in all {
        let state = if receiver["started"] == true { "started" } else { "stopped" };
        table.row([
            cell(&receiver["receiver"]),
            cell(&receiver["program"]),
            cell(&receiver["answers"]),
            state.to_owned(),
            cell(&receiver["connections"]),
            cell(&receiver["messages"]),
            cell(&receiver["bytes_in"]),
            cell(&receiver["bytes_out"]),
            cell(&receiver["refused"]),
            cell(&receiver["failed"]),
        ]);
    }
    print!("\n{table}");
}

fn print_trace(lines: &Value) {
    let mut table = Table::new(&[
        "At", ">Task", "Tran", "Call", ">Socket", ">RETCODE", "ERRNO", ">µs",
    ]);
    for line in lines.as_array().into_iter().flatten() {
        table.row([
            at(&line["at_ms"]),
            cell(&line["task"]),
            cell(&line["transid"]),
            cell(&line["what"]),
            cell(&line["socket"]),
            cell(&line["retcode"]),
            cell(&line["errno"]),
            cell(&line["us"]),
        ]);
    }
    print!("{table}");
}

/// Milliseconds since 1970 as the local time of day.
fn at(ms: &Value) -> String {
    ms.as_u64().map_or_else(|| cell(ms), |ms| crate::log::time_of_day(Duration::from_millis(ms)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_shown_with_its_time_of_day() {
        let shown = at(&Value::from(1_790_000_000_123_u64));
        assert_eq!(shown.len(), "hh:mm:ss.mmm".len(), "{shown}");
        // Time zones differ by quarters of an hour at the least.
        assert!(shown.ends_with(":20.123"), "{shown}");
        assert_eq!(at(&Value::Null), cell(&Value::Null));
    }
}
