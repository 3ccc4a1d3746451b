//! `tupelo task purge` and `tupelo task forcepurge`.

use miette::Result;

use crate::Outcome;
use crate::operator::OperatorArgs;

/// Which task.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Number of the task, as `tupelo task list` shows it.
    #[arg(value_parser = super::task_number)]
    task: u32,
    #[command(flatten)]
    ask: OperatorArgs,
}

/// Ends the task.
pub fn run(args: &Args, how: &str) -> Result<Outcome> {
    let done = args.ask.post(&format!("/tasks/{}/{how}", args.task))?;
    if args.ask.json {
        println!("{done}");
    } else if done["purge"] == "refused" {
        miette::bail!(
            help = "`tupelo task forcepurge` ends it whatever it does; SPURGE(YES) in its definition makes its transaction purgeable",
            "task {} is not purged: its transaction is not purgeable",
            args.task
        );
    } else if done["purge"] == "deferred" {
        println!("task {} runs; it ends when it next waits", args.task);
    } else if done["purge"] == "worker-ended" {
        println!(
            "task {} was running: it is purged by ending its worker's process; another takes its place",
            args.task
        );
    } else {
        println!("task {} is purged", args.task);
    }
    Ok(Outcome::Clean)
}
