//! `tupelo task list`.

use miette::Result;

use crate::Outcome;
use crate::operator::{OperatorArgs, cell};
use crate::table::Table;

/// Which region.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    ask: OperatorArgs,
}

/// Lists the tasks.
pub fn run(args: &Args) -> Result<Outcome> {
    let tasks = args.ask.get("/tasks")?;
    if args.ask.json {
        println!("{tasks}");
        return Ok(Outcome::Clean);
    }
    let mut table = Table::new(&[
        ">Task", "Tran", "Program", "User", "Class", ">Prty", "Status", "Waits for", "", ">ms", ">Age ms",
    ]);
    for task in tasks.as_array().into_iter().flatten() {
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
