//! The figures of a region and of its tasks for an operator. The queries are methods
//! of [`crate::Handle`].
//!
//! Invariant: plain data, without a way back to the region.

use link::{FileName, Name, ProgramName, TransId, UserId};
use serde::Serialize;

/// A task as an operator sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TaskInfo {
    /// Its number.
    pub task: u64,
    /// Transaction.
    pub transid: TransId,
    /// First program.
    pub program: ProgramName,
    /// The user who asked.
    pub userid: UserId,
    /// Priority, 0 to 255.
    pub priority: u8,
    /// Transaction class, blank for none.
    pub class: Name<8>,
    /// RUNSTATUS: RUNNING, DISPATCHABLE or SUSPENDED.
    pub status: &'static str,
    /// The kind of resource that the task waits for; empty when it does not wait.
    pub suspend_type: String,
    /// The resource that the task waits for.
    pub suspend_value: String,
    /// Milliseconds that it has waited for that.
    pub suspended_ms: u64,
    /// Milliseconds since it was asked for.
    pub age_ms: u64,
    /// Its principal facility, such as a conversation; blank for none.
    pub facility: Name<4>,
    /// How the task was started, as ASSIGN STARTCODE returns it.
    pub start_code: Name<2>,
}

/// A lock as an operator sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LockInfo {
    /// The name of the locked resource.
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
    /// The text of the message.
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

/// The outcome of a purge.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PurgeOutcome {
    /// The task ends now.
    Done,
    /// The task was running, so its worker's process is ended, and the task with it.
    #[serde(rename = "worker-ended")]
    WorkerEnded,
    /// The task runs, and ends when it next waits.
    Deferred,
    /// Its transaction is not defined with SPURGE(YES): only a forced purge
    /// ends it.
    Refused,
    /// There is no such task.
    Unknown,
}

/// The use of a limit, for an operator.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct LimitInfo {
    /// Its name.
    pub name: &'static str,
    /// The thing that the limit counts.
    pub counts: &'static str,
    /// The setting of the limit.
    pub setting: String,
    /// How many there are in the region.
    pub count: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Most of them in the region; `None` for no limit.
    pub count_limit: Option<u64>,
    /// Most bytes in the region.
    pub bytes_limit: Option<u64>,
    /// Most of them of one task.
    pub task_count: Option<u64>,
    /// Most bytes of one task.
    pub task_bytes: Option<u64>,
    /// The result of a command at the limit: a condition, an abend or a wait.
    pub at_limit: String,
    /// Percent of the limit that are used, of the count or the bytes, whichever is
    /// nearer to its limit.
    pub percent: u64,
    /// The use is 80 percent or more.
    #[serde(rename = "warning")]
    pub is_warning: bool,
    /// The task with the greatest share: purging it frees most.
    pub largest: Option<LimitUser>,
}

/// A task's share of a limited resource.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LimitUser {
    /// Its number.
    pub task: u64,
    /// Its transaction.
    pub transid: TransId,
    /// How many it has.
    pub count: u64,
    /// Their bytes.
    pub bytes: u64,
}

/// How many tasks of a transaction a purge has ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct PurgedTasks {
    /// Tasks that end now, and starts that wait to begin.
    pub purged: usize,
    /// Tasks that run, and end when they next wait.
    pub deferred: usize,
    /// Tasks that only a forced purge ends.
    pub refused: usize,
}
