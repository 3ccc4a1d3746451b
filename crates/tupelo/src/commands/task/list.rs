//! `tupelo task list`.

use miette::Result;

use crate::Outcome;
use crate::operator::{OperatorArgs, cell};
use crate::table::Table;

/// The region.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    ask: OperatorArgs,
}

/// Lists the tasks.
pub fn run(args: &Args) -> Result<Outcome> {
    let tasks = all_tasks(&args.ask)?;
    if args.ask.json {
        println!("{}", serde_json::Value::Array(tasks));
        return Ok(Outcome::Clean);
    }
    let mut table = Table::new(&[
        ">Task",
        "Tran",
        "Program",
        "User",
        "Class",
        ">Prty",
        "Status",
        "Waits for",
        "",
        ">ms",
        ">Age ms",
    ]);
    for task in &tasks {
        table.row([
            cell(&task["task"]),
            cell(&task["transid"]),
            cell(&task["program"]),
            cell(&task["userid"]),
            cell(&task["class"]),
            cell(&task["priority"]),
            cell(&task["status"]),
            cell(&task["suspend_type"]),
            cell(&task["suspend_value"]),
            cell(&task["suspended_ms"]),
            cell(&task["age_ms"]),
        ]);
    }
    print!("{table}");
    Ok(Outcome::Clean)
}

/// All tasks, requested page by page: one answer with all waiting tasks could exceed the
/// largest answer.
fn all_tasks(ask: &OperatorArgs) -> Result<Vec<serde_json::Value>> {
    let mut all = Vec::new();
    loop {
        let after = all.last().map_or(0, number);
        let page = ask.get(&format!("/tasks?after={after}&limit={PAGE}"))?;
        let page = page.as_array().cloned().unwrap_or_default();
        let is_last = page.len() < PAGE;
        all.extend(page);
        if is_last {
            return Ok(all);
        }
    }
}

fn number(task: &serde_json::Value) -> u64 {
    task["task"].as_u64().unwrap_or(u64::MAX)
}

/// Tasks of a page.
const PAGE: usize = 1_000;
