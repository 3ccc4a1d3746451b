//! What operators see of a region, and do to its tasks.

use std::sync::Arc;

use super::Shared;
use crate::api::{LockInfo, MessageInfo, Purge, TaskInfo};
use crate::core::TaskKey;
use crate::resources::system::View;

impl Shared {
    /// All tasks, by number.
    pub fn task_list(&self) -> Vec<TaskInfo> {
        self.view(|view| {
            let keys = view.core.task_keys().into_iter();
            let mut tasks: Vec<TaskInfo> = keys.filter_map(|key| task_info(view, key)).collect();
            tasks.sort_unstable_by_key(|t| t.task);
            tasks
        })
    }

    /// All locks, by name.
    pub fn lock_list(&self) -> Vec<LockInfo> {
        self.view(|view| {
            let number = |key| view.core.task(key).map_or(0, |t| t.number);
            let transid = |key| view.core.task(key).map(|t| t.transid).unwrap_or_default();
            let locks = view
                .kernel
                .locks()
                .each()
                .map(|(name, owner, waiters)| LockInfo {
                    name: name.to_string(),
                    owner: number(owner),
                    transid: transid(owner),
                    waiters: waiters.into_iter().map(number).collect(),
                });
            let mut locks: Vec<LockInfo> = locks.collect();
            locks.sort_unstable_by(|a, b| a.name.cmp(&b.name));
            locks
        })
    }

    /// The messages that wait for a reply.
    pub fn message_list(&self) -> Vec<MessageInfo> {
        self.view(|view| {
            let messages = view.kernel.resources.operator.messages();
            let told = messages.map(|(message, m)| MessageInfo {
                message,
                task: m.number,
                transid: m.transid,
                text: m.text.clone(),
            });
            told.collect()
        })
    }

    /// Gives the task of a message its reply.
    pub fn reply(self: &Arc<Self>, message: u64, text: &[u8]) -> bool {
        self.kernel(|kernel, now, out| {
            kernel.with(now, out, |resources, cx| {
                resources.operator.reply(cx, message, text)
            })
        })
    }

    /// Ends the task of a number.
    pub fn purge_number(self: &Arc<Self>, number: u64, force: bool) -> Purge {
        match self.task_key(number) {
            Some(key) => self.purge_task(key, force),
            None => Purge::Unknown,
        }
    }

    /// Has a task that runs end at its next wait; false when it does not run.
    fn purge_later(&self, key: TaskKey) -> bool {
        let mut state = self.lock();
        let mut kernel = self.kernel.lock();
        if state.core.runs_in(key).is_none() || kernel.waits(key) {
            return false;
        }
        if let Some(task) = state.core.task_mut(key) {
            // Its end takes the purge back.
            task.in_kernel = true;
        }
        kernel.purge_at_next_wait(key);
        true
    }

    pub(super) fn purge_task(self: &Arc<Self>, key: TaskKey, force: bool) -> Purge {
        if !force && self.purge_later(key) {
            return Purge::Deferred;
        }
        self.with(|core, cx| core.purge_task(cx, key, "an operator purged the task"));
        Purge::Done
    }
}

fn task_info(view: &View<'_>, key: TaskKey) -> Option<TaskInfo> {
    let task = view.core.task(key)?;
    let ms = |since: u64| view.now.saturating_sub(since) / 1_000_000;
    let (suspend_type, suspend_value) = view.suspended_on(key, task);
    Some(TaskInfo {
        task: task.number,
        transid: task.transid,
        program: task.program,
        userid: task.userid,
        priority: task.priority(),
        class: view.core.class_of(task).map(|c| c.name).unwrap_or_default(),
        status: view.run_status(key, task),
        suspend_type: suspend_type.to_owned(),
        suspend_value,
        suspended_ms: view.kernel.wait_of(key).map_or(0, |(_, since)| ms(since)),
        age_ms: ms(task.begun),
    })
}
