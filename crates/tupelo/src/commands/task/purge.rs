//! `tupelo task purge` and `tupelo task forcepurge`.

use miette::Result;

use crate::Outcome;
use crate::operator::OperatorArgs;

/// A task, or the tasks of a transaction.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Number of the task, as `tupelo task list` shows it.
    #[arg(value_parser = super::task_number, required_unless_present = "transaction")]
    task: Option<u32>,
    /// End all tasks of a transaction, and its requests that wait to begin.
    #[arg(long, value_name = "NAME", conflicts_with = "task")]
    transaction: Option<String>,
    #[command(flatten)]
    ask: OperatorArgs,
}

/// Ends the tasks of a transaction.
fn purge_transaction(args: &Args, name: &str, how: &str) -> Result<Outcome> {
    let path = format!("/transactions/{}/{how}", crate::app::operate::encoded(name));
    let done = args.ask.post(&path)?;
    if args.ask.json {
        println!("{done}");
        return Ok(Outcome::Clean);
    }
    let count = |key: &str| done[key].as_u64().unwrap_or(0);
    println!("{name}: {} tasks are purged", count("purged"));
    if count("deferred") > 0 {
        println!(
            "{name}: {} running tasks end when they next wait",
            count("deferred")
        );
    }
    if count("refused") > 0 {
        miette::bail!(
            help = "`tupelo task forcepurge` ends them unconditionally",
            "{} tasks of {name} are not purged: the transaction is not purgeable",
            count("refused")
        );
    }
    Ok(Outcome::Clean)
}

/// Ends the task.
pub fn run(args: &Args, how: &str) -> Result<Outcome> {
    if let Some(name) = &args.transaction {
        return purge_transaction(args, name, how);
    }
    let Some(task) = args.task else {
        miette::bail!("`tupelo task {how}` needs the number of a task, or --transaction");
    };
    let done = args.ask.post(&format!("/tasks/{task}/{how}"))?;
    if args.ask.json {
        println!("{done}");
    } else if done["purge"] == "refused" {
        miette::bail!(
            help = "`tupelo task forcepurge` ends it unconditionally; SPURGE(YES) in its definition makes its transaction purgeable",
            "task {task} is not purged: its transaction is not purgeable"
        );
    } else if done["purge"] == "deferred" {
        println!("task {task} runs; it ends when it next waits");
    } else if done["purge"] == "worker-ended" {
        println!(
            "task {task} was running: it is purged by ending its worker's process; another takes its place"
        );
    } else {
        println!("task {task} is purged");
    }
    Ok(Outcome::Clean)
}
