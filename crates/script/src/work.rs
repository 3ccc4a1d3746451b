//! The task that a script runs in: one of its own, or that of a program that
//! linked to it.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use link::{CallAnswer, CallOperation};
use region::{GuestTask, LinkData, OpenTask, Port, TransId, UserId};

use crate::host::ProgramOutput;

/// A task that asks the region for a script.
#[allow(
    clippy::large_enum_variant,
    reason = "nearly every script has a task of its own, which a box would cost an allocation"
)]
pub enum ScriptTask {
    /// Begun for the script.
    Own(OpenTask),
    /// A program's, which waits in its worker.
    Guest(GuestTask),
}

impl ScriptTask {
    /// The task's number.
    pub fn number(&self) -> u64 {
        match self {
            ScriptTask::Own(task) => task.number(),
            ScriptTask::Guest(task) => task.number(),
        }
    }

    /// Its transaction.
    pub fn transid(&self) -> TransId {
        match self {
            ScriptTask::Own(task) => task.transid(),
            ScriptTask::Guest(task) => task.transid(),
        }
    }

    /// The user it runs for.
    pub fn userid(&self) -> UserId {
        match self {
            ScriptTask::Own(task) => task.userid(),
            ScriptTask::Guest(task) => task.userid(),
        }
    }

    /// Becomes true when the task shall end.
    pub fn purged(&self) -> Arc<AtomicBool> {
        match self {
            ScriptTask::Own(task) => task.purged(),
            ScriptTask::Guest(task) => task.purged(),
        }
    }

    /// The thread of this port runs the script from now on.
    pub fn move_to(&mut self, port: &Port) {
        match self {
            ScriptTask::Own(task) => task.move_to(port),
            ScriptTask::Guest(task) => task.move_to(port),
        }
    }

    /// Asks the region within the unit of work.
    pub async fn call(&mut self, op: CallOperation, args: [u64; 8], data: Vec<u8>) -> CallAnswer {
        match self {
            ScriptTask::Own(task) => task.call(op, args, data).await,
            ScriptTask::Guest(task) => task.call(op, args, data).await,
        }
    }

    /// Waits until the task shall end.
    pub async fn until_purged(&mut self) {
        match self {
            ScriptTask::Own(task) => task.until_purged().await,
            ScriptTask::Guest(task) => task.until_purged().await,
        }
    }

    /// The task waits for children, or continues.
    pub fn lend(&mut self, lends: bool) {
        match self {
            ScriptTask::Own(task) => task.lend(lends),
            ScriptTask::Guest(task) => task.lend(lends),
        }
    }
}

/// A program's output in the form for scripts.
pub fn output(passed: LinkData) -> ProgramOutput {
    match passed {
        LinkData::Commarea(commarea) => ProgramOutput {
            commarea,
            channel: None,
        },
        LinkData::Channel(channel) => ProgramOutput {
            commarea: Vec::new(),
            channel: Some(channel),
        },
    }
}
