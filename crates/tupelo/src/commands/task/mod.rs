//! `tupelo task`: the tasks of a running region, for operators.
//!
//! The commands use the administration port of `tupelo serve`.

mod list;
mod messages;
mod purge;
mod start;

use miette::Result;

use crate::Outcome;

/// List and end tasks, and answer their messages.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Example:\n  tupelo task list\n  tupelo task start BLST\n  tupelo task purge 4711\n  tupelo task messages\n  tupelo task reply 3 'YES'"
)]
pub struct Args {
    #[command(subcommand)]
    what: TaskAction,
}

#[derive(Debug, clap::Subcommand)]
enum TaskAction {
    /// List the tasks: what they run, and what they wait for.
    #[command(after_help = "Example:\n  tupelo task list\n  tupelo task list --json")]
    List(list::Args),
    /// Start a transaction, as START does.
    #[command(after_help = "Example:\n  tupelo task start BLST")]
    Start(start::Args),
    /// End a task when it next waits, or at once if it waits already.
    #[command(
        after_help = "Example:\n  tupelo task purge 4711\n  tupelo task purge --transaction BINQ"
    )]
    Purge(purge::Args),
    /// End a task unconditionally.
    #[command(
        after_help = "Example:\n  tupelo task forcepurge 4711\n  tupelo task forcepurge --transaction BINQ"
    )]
    Forcepurge(purge::Args),
    /// List the messages of WRITE OPERATOR that wait for a reply.
    #[command(after_help = "Example:\n  tupelo task messages")]
    Messages(messages::Args),
    /// Reply to a message.
    #[command(after_help = "Example:\n  tupelo task reply 3 'YES'")]
    Reply(messages::ReplyArgs),
}

/// Runs the action.
pub fn run(args: Args) -> Result<Outcome> {
    match args.what {
        TaskAction::List(args) => list::run(&args),
        TaskAction::Start(args) => start::run(&args),
        TaskAction::Purge(args) => purge::run(&args, "purge"),
        TaskAction::Forcepurge(args) => purge::run(&args, "forcepurge"),
        TaskAction::Messages(args) => messages::list(&args),
        TaskAction::Reply(args) => messages::reply(&args),
    }
}

/// Reads the number of a task: EIBTASKN has seven digits.
///
/// # Errors
/// The text is not the number of a task.
fn task_number(text: &str) -> Result<u32, String> {
    let number = text.parse().ok().filter(|n| (1..=9_999_999).contains(n));
    number.ok_or_else(|| {
        "expected the number of a task, 1 to 9999999, as `tupelo task list` shows it".to_owned()
    })
}

/// Reads the number of a message.
///
/// # Errors
/// The text is not the number of a message.
fn message_number(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| {
        "expected the number of a message, as `tupelo task messages` shows it".to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_has_a_number_of_seven_digits_at_most() {
        assert_eq!(task_number("0004711"), Ok(4711));
        for wrong in ["0", "10000000", "-1", "BINQ", ""] {
            assert!(
                task_number(wrong).unwrap_err().contains("1 to 9999999"),
                "{wrong}"
            );
        }
        assert!(message_number("x").unwrap_err().contains("task messages"));
    }
}
