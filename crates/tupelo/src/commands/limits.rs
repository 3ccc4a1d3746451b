//! `tupelo limits`: how much of its limits a running region uses.

use miette::Result;
use serde_json::Value;

use crate::Outcome;
use crate::operator::{OperatorArgs, cell};
use crate::table::Table;

/// Show the use of each limit, and the task that uses most of it.
#[derive(Debug, clap::Args)]
#[command(after_help = "Example:\n  tupelo limits\n  tupelo limits --json\n\nExit status: 0 every limit is used to less than 80 %, 1 one is used to more, 2 no region\nanswers.")]
pub struct Args {
    #[command(flatten)]
    ask: OperatorArgs,
}

/// Lists the limits; those used to 80 % or more first.
pub fn run(args: Args) -> Result<Outcome> {
    let limits = args.ask.get("/limits")?;
    let rows = limits.as_array().cloned().unwrap_or_default();
    let is_warning = |row: &Value| row["warning"] == true;
    let outcome = if rows.iter().any(is_warning) {
        Outcome::Findings
    } else {
        Outcome::Clean
    };
    if args.ask.json {
        println!("{limits}");
        return Ok(outcome);
    }
    let mut table = Table::new(&[
        "Limit", ">Used", ">Of", ">Bytes", ">Of", ">%", "At the limit", ">Task", "Tran", "Setting",
    ]);
    let (warned, others): (Vec<&Value>, Vec<&Value>) = rows.iter().partition(|row| is_warning(row));
    for row in warned.iter().chain(&others) {
        let largest = &row["largest"];
        table.row([
            cell(&row["name"]),
            cell(&row["count"]),
            limit(&row["count_limit"]),
            cell(&row["bytes"]),
            limit(&row["bytes_limit"]),
            cell(&row["percent"]),
            cell(&row["at_limit"]),
            known(&largest["task"]),
            known(&largest["transid"]),
            cell(&row["setting"]),
        ]);
    }
    print!("{table}");
    for row in warned {
        eprintln!("{}", warning(row));
    }
    Ok(outcome)
}

/// What an operator can do about a limit that is nearly used.
fn warning(row: &Value) -> String {
    let (name, percent) = (cell(&row["name"]), cell(&row["percent"]));
    let help = match row["largest"]["task"].as_u64() {
        Some(task) => format!("`tupelo task purge {task}` ends the task that uses most"),
        None => format!("{} raises it", cell(&row["setting"])),
    };
    format!("{name} is used to {percent} %: {help}")
}

/// A limit, or `-` without one.
fn limit(value: &Value) -> String {
    if value.is_null() {
        return "-".to_owned();
    }
    cell(value)
}

fn known(value: &Value) -> String {
    if value.is_null() {
        return String::new();
    }
    cell(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_warning_names_the_task_to_purge_or_the_setting() {
        let mut row = serde_json::json!({
            "name": "starts", "percent": 91, "setting": "[region.limits.starts]",
            "largest": {"task": 4711, "transid": "BOMB"},
        });
        assert_eq!(
            warning(&row),
            "starts is used to 91 %: `tupelo task purge 4711` ends the task that uses most"
        );
        row["largest"] = Value::Null;
        assert_eq!(
            warning(&row),
            "starts is used to 91 %: [region.limits.starts] raises it"
        );
    }
}
