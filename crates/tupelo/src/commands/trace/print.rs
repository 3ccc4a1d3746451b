//! `tupelo trace print`.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use cics::command::CommandDomain;
use miette::{IntoDiagnostic, Result, WrapErr, bail};
use serde_json::Value;

use crate::Outcome;
use crate::operator::{OperatorArgs, cell};
use crate::table::Table;

/// A selection of entries.
#[derive(Debug, Default, clap::Args)]
pub struct EntryFilter {
    /// Only entries of this task.
    #[arg(long, value_name = "NUMBER")]
    task: Option<u64>,
    /// Only entries of tasks of this transaction.
    #[arg(long, value_name = "TRANSID", value_parser = word)]
    transaction: Option<String>,
    /// Only entries of this domain, such as `files`, `programs`, `kernel` for the region's own
    /// work, `user` for ENTER TRACENUM.
    #[arg(long, value_name = "NAME", value_parser = domain)]
    domain: Option<String>,
}

/// A selection of entries, and their region or file.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    filter: EntryFilter,
    /// Read a file that `tupelo trace start` wrote, instead of a running region.
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// Number of newest entries.
    #[arg(long, value_name = "NUMBER", default_value_t = 200)]
    last: u32,
    #[command(flatten)]
    ask: OperatorArgs,
}

/// Prints the entries.
pub fn run(args: &Args) -> Result<Outcome> {
    let records = match &args.file {
        Some(file) => read(file, &args.filter, args.last as usize)?,
        None => args.ask.get(&format!("/trace?last={}{}", args.last, args.filter.query()))?,
    };
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

impl EntryFilter {
    /// The filter as a query for the administration port.
    pub fn query(&self) -> String {
        let mut query = String::new();
        let filters = [
            ("task", self.task.map(|n| n.to_string())),
            ("transaction", self.transaction.clone()),
            ("domain", self.domain.clone()),
        ];
        for (key, value) in filters {
            if let Some(value) = value {
                query += &format!("&{key}={value}");
            }
        }
        query
    }

    /// Whether the filter selects a record.
    pub fn takes(&self, record: &Value) -> bool {
        let is = |key: &str, wanted: &Option<String>| {
            let text = record[key].as_str().unwrap_or_default().trim_end();
            wanted.as_ref().is_none_or(|w| w.eq_ignore_ascii_case(text))
        };
        self.task.is_none_or(|task| record["task"].as_u64() == Some(task))
            && is("transid", &self.transaction)
            && is("domain", &self.domain)
    }
}

/// Passes the records of a file to `take`, in the order of the file. An incomplete last line
/// is ignored.
pub fn each(path: &Path, filter: &EntryFilter, mut take: impl FnMut(Value)) -> Result<()> {
    let failed = || format!("{} cannot be read", path.display());
    let file = File::open(path).into_diagnostic().wrap_err_with(failed)?;
    let mut lines = BufReader::new(file).lines().enumerate().peekable();
    while let Some((number, line)) = lines.next() {
        let line = line.into_diagnostic().wrap_err_with(failed)?;
        match serde_json::from_str::<Value>(&line) {
            Ok(record) if filter.takes(&record) => take(record),
            Ok(_) => {}
            Err(_) if lines.peek().is_none() => {}
            Err(error) => bail!("{}, line {}: {error}", path.display(), number + 1),
        }
    }
    Ok(())
}

/// The newest records of a file by time.
fn read(path: &Path, filter: &EntryFilter, last: usize) -> Result<Value> {
    let mut records = VecDeque::new();
    each(path, filter, |record| {
        records.push_back(record);
        if records.len() > last {
            records.pop_front();
        }
    })?;
    let mut records = Vec::from(records);
    records.sort_by_key(|record| record["unix_ns"].as_u64());
    Ok(Value::Array(records))
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

/// A value that a query can contain unescaped.
fn word(text: &str) -> Result<String, String> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "$@-_".contains(c);
    if !text.is_empty() && text.chars().all(plain) {
        Ok(text.to_owned())
    } else {
        Err("letters, digits, $, @, - and _ only".to_owned())
    }
}

/// Checks the name of a domain.
fn domain(text: &str) -> Result<String, String> {
    let own = ["kernel", "user"];
    let mut all: Vec<&str> = CommandDomain::ALL.iter().map(|d| d.name()).chain(own).collect();
    all.sort_unstable();
    if all.iter().any(|name| name.eq_ignore_ascii_case(text)) {
        Ok(text.to_owned())
    } else {
        Err(format!("expected one of {}", all.join(", ")))
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
    fn a_file_is_filtered_and_its_torn_end_left_out() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let line = |task: u64, unix_ns: u64| {
            json!({"task": task, "unix_ns": unix_ns, "transid": "ACCT", "domain": "files"}).to_string()
        };
        let text = format!("{}\n{}\n{}\n{{\"task\":", line(1, 30), line(2, 10), line(1, 20));
        std::fs::write(file.path(), text).unwrap();
        let filter = EntryFilter {
            task: Some(1),
            ..EntryFilter::default()
        };
        let times = |last| {
            let records = read(file.path(), &filter, last).unwrap();
            let times = records.as_array().unwrap().iter().map(|r| r["unix_ns"].as_u64().unwrap());
            times.collect::<Vec<_>>()
        };
        assert_eq!(times(9), [20, 30]);
        assert_eq!(times(1), [20]);
        std::fs::write(file.path(), "no trace\n{}\n").unwrap();
        let error = read(file.path(), &filter, 9).unwrap_err().to_string();
        assert!(error.contains("line 1"), "{error}");
    }

    #[test]
    fn a_domain_is_one_that_entries_have() {
        assert_eq!(domain("Files").unwrap(), "Files");
        assert!(domain("user").is_ok());
        let error = domain("filez").unwrap_err();
        assert!(error.starts_with("expected one of activities, batch, channels"), "{error}");
    }

    #[test]
    fn an_abend_is_shown_in_the_column_of_the_condition() {
        assert_eq!(outcome(&json!({"abend": "ASRA", "resp": null})), "ASRA");
        assert_eq!(outcome(&json!({"abend": null, "resp": "NOTFND"})), "NOTFND");
    }

    proptest::proptest! {
        #[test]
        fn any_text_in_a_file_is_read_or_rejected(text in "[\\[\\]{}\":,\\n a-z0-9]{0,120}") {
            let file = tempfile::NamedTempFile::new().unwrap();
            std::fs::write(file.path(), text).unwrap();
            let _ = read(file.path(), &EntryFilter::default(), 5);
        }
    }
}
