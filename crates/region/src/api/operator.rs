//! What an operator sees of a region, and does to its tasks.

use link::{FileName, Name, ProgramName, TransId, UserId};
use serde::Serialize;

use crate::api::Handle;

/// A task as an operator sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TaskInfo {
    /// Its number.
    pub task: u64,
    /// Transaction.
    pub transid: TransId,
    /// First program.
    pub program: ProgramName,
    /// Who asked.
    pub userid: UserId,
    /// Priority, 0 to 255.
    pub priority: u8,
    /// Transaction class, blank for none.
    pub class: Name<8>,
    /// RUNSTATUS: RUNNING, DISPATCHABLE or SUSPENDED.
    pub status: &'static str,
    /// What kind of thing it waits for; empty when it does not wait.
    pub suspend_type: String,
    /// What it waits for.
    pub suspend_value: String,
    /// Milliseconds that it has waited for that.
    pub suspended_ms: u64,
    /// Milliseconds since it was asked for.
    pub age_ms: u64,
    /// Its principal facility, such as a conversation; blank for none.
    pub facility: Name<4>,
    /// How it was started, as ASSIGN STARTCODE tells it.
    pub start_code: Name<2>,
}

/// A lock as an operator sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LockInfo {
    /// What is locked.
    pub name: String,
    /// Number of the task that has it; 0 for one that ends at this moment.
    pub owner: u64,
    /// The owner's transaction.
    pub transid: TransId,
    /// Numbers of the tasks that wait for it, first come first.
    pub waiters: Vec<u64>,
}

/// A message that waits for a reply, as an operator sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MessageInfo {
    /// Its number.
    pub message: u64,
    /// Number of its task.
    pub task: u64,
    /// The task's transaction.
    pub transid: TransId,
    /// What it says.
    pub text: String,
}

/// A transaction class as an operator sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ClassInfo {
    /// Its name.
    pub class: Name<8>,
    /// Active tasks.
    pub active: usize,
    /// MAXACTIVE.
    pub max_active: usize,
    /// Requests that wait for it.
    pub queued: usize,
}

/// A file as an operator sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileInfo {
    /// Its name.
    pub file: FileName,
    /// ENABLED.
    pub enabled: bool,
    /// OPEN.
    pub open: bool,
    /// Records that are locked.
    pub locks: usize,
}

/// A queue with items, as an operator sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct QueueStatus {
    /// `TS` or `TD`.
    pub kind: &'static str,
    /// Its name; bytes that are not printable are escaped.
    pub queue: String,
    /// Items; of a recoverable queue, committed ones.
    pub items: u64,
    /// Part of units of work, or kept.
    pub recoverable: bool,
}

/// Classes, files and queues of a region.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ResourceInfo {
    /// All classes, by name.
    pub classes: Vec<ClassInfo>,
    /// All files, by name.
    pub files: Vec<FileInfo>,
    /// The queues with the most items, at most 100.
    pub queues: Vec<QueueStatus>,
    /// Most active tasks (MXT).
    pub max_tasks: usize,
}

/// What became of a purge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PurgeOutcome {
    /// The task ends now.
    Done,
    /// It was running, so its worker's process is ended, and the task with it.
    #[serde(rename = "worker-ended")]
    WorkerEnded,
    /// It runs, and ends when it next waits.
    Deferred,
    /// Its transaction is not defined with SPURGE(YES): only a forced purge
    /// ends it.
    Refused,
    /// There is no such task.
    Unknown,
}

impl Handle {
    /// All tasks, by number.
    pub fn tasks(&self) -> Vec<TaskInfo> {
        self.shared.task_list()
    }

    /// Classes, files and queues.
    pub fn resources(&self) -> ResourceInfo {
        self.shared.resource_info()
    }

    /// Whether a FILE that is in force has its records in a data set of the store,
    /// or reads them by it, or somebody has a record of it locked.
    pub fn uses_data_set(&self, name: &str) -> bool {
        self.shared.uses_data_set(name)
    }

    /// All locks, by name.
    pub fn locks(&self) -> Vec<LockInfo> {
        self.shared.lock_list()
    }

    /// The number and the transaction of the task that has a record of the
    /// store locked.
    pub fn record_owner(&self, file: store::FileId, key: &[u8]) -> Option<(u64, TransId)> {
        self.shared.record_owner(file, key)
    }

    /// Ends a task with AEXY: at its next wait, or at once when it waits or has
    /// not begun. With `force` it ends whatever it does; its worker is killed
    /// where nothing else helps.
    pub fn purge(&self, task: u64, force: bool) -> PurgeOutcome {
        self.shared.purge_number(task, force)
    }

    /// The messages of WRITE OPERATOR that wait for a reply.
    pub fn messages(&self) -> Vec<MessageInfo> {
        self.shared.message_list()
    }

    /// Replies to a message; false when no task waits for that.
    pub fn reply(&self, message: u64, text: &[u8]) -> bool {
        self.shared.reply(message, text)
    }
}
