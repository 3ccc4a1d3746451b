//! `tupelo trace print`.

use miette::Result;
use serde_json::Value;

use crate::Outcome;
use crate::operator::{Ask, cell};
use crate::table::Table;

/// Which entries, of which region.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Only entries of this task.
    #[arg(long, value_name = "NUMBER")]
    task: Option<u64>,
    /// Only entries of tasks of this transaction.
    #[arg(long, value_name = "TRANSID", value_parser = word)]
    transaction: Option<String>,
    /// Only entries of this domain: `files`, `programs`, `channels`, `kernel`.
    #[arg(long, value_name = "NAME", value_parser = word)]
    domain: Option<String>,
    /// The newest so many entries.
    #[arg(long, value_name = "NUMBER", default_value_t = 200)]
    last: u32,
    #[command(flatten)]
    ask: Ask,
}

/// Prints them.
pub fn run(args: &Args) -> Result<Outcome> {
    let records = args.ask.get(&path(args))?;
    if args.ask.json {
        println!("{records}");
        return Ok(Outcome::Clean);
    }
    let mut table = Table::new(&[
        "Time", ">Task", "Tran", ">Worker", "Domain", "Event", "Command", "Resp", ">Resp2", ">Elapsed us",
    ]);
    for record in records.as_array().into_iter().flatten() {
        table.row([
            time(&record["unix_ns"]),
            cell(&record["task"]),
            cell(&record["transid"]),
            cell(&record["worker"]),
            cell(&record["domain"]),
            cell(&record["event"]),
            cell(&record["command"]),
            outcome(record),
            cell(&record["resp2"]),
            elapsed(&record["elapsed_ns"]),
        ]);
    }
    print!("{table}");
    Ok(Outcome::Clean)
}

fn path(args: &Args) -> String {
    let mut path = format!("/trace?last={}", args.last);
    let filters = [
        ("task", args.task.map(|n| n.to_string())),
        ("transaction", args.transaction.clone()),
        ("domain", args.domain.clone()),
    ];
    for (key, value) in filters {
        if let Some(value) = value {
            path += &format!("&{key}={value}");
        }
    }
    path
}

/// The condition, or the abend code.
fn outcome(record: &Value) -> String {
    match record["abend"].as_str() {
        Some(code) => code.trim_end().to_owned(),
        None => cell(&record["resp"]),
    }
}

/// Time of day in UTC, to the microsecond.
fn time(unix_ns: &Value) -> String {
    let us = unix_ns.as_u64().unwrap_or(0) / 1000;
    let s = us / 1_000_000;
    let (hour, minute, second) = (s / 3600 % 24, s / 60 % 60, s % 60);
    format!("{hour:02}:{minute:02}:{second:02}.{:06}", us % 1_000_000)
}

fn elapsed(ns: &Value) -> String {
    ns.as_u64().map_or(String::new(), |ns| format!("{:.1}", ns as f64 / 1000.0))
}

/// A value that stands in a query as it is.
fn word(text: &str) -> Result<String, String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "$@-_".contains(c);
    match !text.is_empty() && text.chars().all(plain) {
        true => Ok(text.to_owned()),
        false => Err("letters, digits, $, @, - and _ only".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn times_and_lengths_are_shown_in_microseconds() {
        assert_eq!(time(&json!(86_399_000_001_999u64)), "23:59:59.000001");
        assert_eq!(elapsed(&json!(12_345)), "12.3");
        assert_eq!(elapsed(&Value::Null), "");
    }

    #[test]
    fn an_abend_stands_where_a_condition_would() {
        assert_eq!(outcome(&json!({"abend": "ASRA", "resp": null})), "ASRA");
        assert_eq!(outcome(&json!({"abend": null, "resp": "NOTFND"})), "NOTFND");
    }
}
