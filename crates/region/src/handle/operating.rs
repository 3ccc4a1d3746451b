//! A handle's side of operators: tasks, resources, locks and messages, and the
//! purge of tasks.
//!
//! The answers are data of `api/operator.rs`.

use link::TransId;

use super::Handle;
use crate::api::{
    LimitInfo, LockInfo, MessageInfo, PurgeOutcome, PurgedTasks, ResourceInfo, TaskInfo,
};

impl Handle {
    /// All tasks, by number.
    pub fn tasks(&self) -> Vec<TaskInfo> {
        self.shared.task_list(0, usize::MAX)
    }

    /// At most so many tasks whose number is above `after`, by number: a page of
    /// all of them.
    pub fn tasks_after(&self, after: u64, most: usize) -> Vec<TaskInfo> {
        self.shared.task_list(after, most)
    }

    /// Ends the tasks of a transaction, as [`Handle::purge`] does each of them. Requests that
    /// wait to begin end at once.
    /// Returns `None` if the transaction is not defined and has no tasks.
    pub fn purge_transaction(&self, transid: TransId, force: bool) -> Option<PurgedTasks> {
        self.shared.purge_transaction(transid, force)
    }

    /// The use of each limit.
    pub fn limits(&self) -> Vec<LimitInfo> {
        self.shared.limit_list()
    }

    /// Classes, files and queues.
    pub fn resources(&self) -> ResourceInfo {
        self.shared.resource_info()
    }

    /// Whether a FILE that is in force has its records in a data set of the store,
    /// or reads them by a path, or another program has a record of it locked.
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
