//! The task that a script runs in: one of its own, or that of a program that
//! linked to it.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use link::{CallAnswer, CallOperation};
use region::{GuestTask, OpenTask, Passed, Port, TransId, UserId};

use crate::host::Output;

/// A task that asks the region for a script.
#[allow(
    clippy::large_enum_variant,
    reason = "nearly every script has a task of its own, which a box would cost an allocation"
)]
pub enum Work {
    /// Begun for the script.
    Own(OpenTask),
    /// A program's, which waits in its worker.
    Guest(GuestTask),
}

impl Work {
    /// The task's number.
    pub fn number(&self) -> u64 {
        match self {
            Work::Own(task) => task.number(),
            Work::Guest(task) => task.number(),
        }
    }

    /// Its transaction.
    pub fn transid(&self) -> TransId {
        match self {
            Work::Own(task) => task.transid(),
            Work::Guest(task) => task.transid(),
        }
    }

    /// The user it runs for.
    pub fn userid(&self) -> UserId {
        match self {
            Work::Own(task) => task.userid(),
            Work::Guest(task) => task.userid(),
        }
    }

    /// Becomes true when the task shall end.
    pub fn purged(&self) -> Arc<AtomicBool> {
        match self {
            Work::Own(task) => task.purged(),
            Work::Guest(task) => task.purged(),
        }
    }

    /// The thread of this port runs the script from now on.
    pub fn move_to(&mut self, port: &Port) {
        match self {
            Work::Own(task) => task.move_to(port),
            Work::Guest(task) => task.move_to(port),
        }
    }

    /// Asks the region within the unit of work.
    pub async fn call(&mut self, op: CallOperation, args: [u64; 8], data: Vec<u8>) -> CallAnswer {
        match self {
            Work::Own(task) => task.call(op, args, data).await,
            Work::Guest(task) => task.call(op, args, data).await,
        }
    }

    /// Waits until the task shall end.
    pub async fn until_purged(&mut self) {
        match self {
            Work::Own(task) => task.until_purged().await,
            Work::Guest(task) => task.until_purged().await,
        }
    }

    /// The task waits for children, or continues.
    pub fn lend(&mut self, lends: bool) {
        match self {
            Work::Own(task) => task.lend(lends),
            Work::Guest(task) => task.lend(lends),
        }
    }
}

/// A program's output in the form for scripts.
pub fn output(passed: Passed) -> Output {
    match passed {
        Passed::Commarea(commarea) => Output {
            commarea,
            channel: None,
        },
        Passed::Channel(channel) => Output {
            commarea: Vec::new(),
            channel: Some(channel),
        },
    }
}
