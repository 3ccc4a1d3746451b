//! `tupelo trace start` and `tupelo trace stop`.

use miette::Result;
use serde_json::Value;

use super::print::EntryFilter;
use crate::Outcome;
use crate::operator::{OperatorArgs, cell};

/// The entries to write, and the region.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    filter: EntryFilter,
    /// Name of the file in the region's folder `traces`, without `.jsonl`;
    /// `trace-` and the time when absent.
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Most MiB of the file.
    #[arg(long, value_name = "NUMBER", default_value_t = 256)]
    mib: u32,
    #[command(flatten)]
    ask: OperatorArgs,
}

/// The region.
#[derive(Debug, clap::Args)]
pub struct StopArgs {
    #[command(flatten)]
    ask: OperatorArgs,
}

/// Starts the trace file.
pub fn start(args: &Args) -> Result<Outcome> {
    let name = args.name.as_ref().map_or(String::new(), |name| format!("&name={name}"));
    let path = format!("/trace/start?mib={}{name}{}", args.mib, args.filter.query());
    let status = args.ask.post(&path)?;
    if args.ask.json {
        println!("{status}")
    } else {
        println!("the trace is written to {}", cell(&status["path"]))
    }
    Ok(Outcome::Clean)
}

/// Stops the trace file.
pub fn stop(args: &StopArgs) -> Result<Outcome> {
    let status = args.ask.post("/trace/stop")?;
    if args.ask.json {
        println!("{status}")
    } else {
        println!("{}", trace_summary(&status))
    }
    Ok(Outcome::Clean)
}

/// A summary of a trace file.
fn trace_summary(status: &Value) -> String {
    let mut text = format!(
        "{} records, {} bytes in {}",
        cell(&status["records"]),
        cell(&status["bytes"]),
        cell(&status["path"])
    );
    if status["lost"].as_u64().is_some_and(|lost| lost > 0) {
        text += &format!("; {} were overwritten before they could be read", cell(&status["lost"]));
    }
    if status["full"] == true {
        text += "; incomplete, since the file reached its limit or the disk is full";
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn missing_entries_of_the_file_are_reported() {
        let status = |lost, full| json!({"records": 5, "bytes": 900, "path": "t.jsonl", "lost": lost, "full": full});
        assert_eq!(trace_summary(&status(0, false)), "5 records, 900 bytes in t.jsonl");
        assert!(trace_summary(&status(7, true)).contains("7 were overwritten"));
        assert!(trace_summary(&status(0, true)).contains("incomplete"));
    }
}
