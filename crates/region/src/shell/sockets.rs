//! Socket calls of tasks: passed to the service for sockets, answered when done.
//!
//! A task waits while its call is served. However the wait ends, the service is
//! notified before the task's number is free.

use std::sync::Arc;

use link::{CallAnswer, WorkerCall};

use super::SharedRegion;
use crate::api::SocketCall;
use kernel::core::{OutsideCall, TaskKey};

impl SharedRegion {
    /// A socket call of a running task.
    pub(super) fn call_socket(self: &Arc<Self>, worker: usize, key: TaskKey, call: WorkerCall) {
        let Some(sockets) = self.config.sockets.clone() else {
            self.answer_task(key, &CallAnswer::of_abend(b"AEY9"));
            return;
        };
        let out = OutsideCall::default();
        let asked = {
            let mut state = self.lock();
            let Some(task) = state.core.task_mut(key) else {
                return;
            };
            // The task's end must close the sockets that it leaves open.
            task.in_kernel = true;
            task.has_sockets = true;
            task.outside = Some(out.clone());
            SocketCall {
                task: task.number,
                transid: task.transid,
                userid: task.userid,
                args: call.args,
                data: call.data,
                way: Some((self.clone(), key)),
                out,
            }
        };
        self.with(|core, cx| core.waits(cx, worker, true));
        sockets.call(asked);
    }

    /// Passes the worker of a running task a copy of a descriptor.
    pub(crate) fn pass_descriptor(
        &self,
        key: TaskKey,
        tag: u64,
        fd: std::os::fd::BorrowedFd<'_>,
    ) -> std::io::Result<()> {
        let link = {
            let state = self.lock();
            let worker = state.core.runs_in(key);
            worker.and_then(|w| state.links.get(w).cloned())
        };
        match link {
            Some(link) => link.side.send_fd(tag, fd),
            None => Err(std::io::ErrorKind::NotConnected.into()),
        }
    }

    /// A task has ended: its open sockets are closed.
    pub(super) fn end_sockets(&self, key: TaskKey) {
        let Some(sockets) = &self.config.sockets else {
            return;
        };
        let number = {
            let state = self.lock();
            let task = state.core.task(key).filter(|t| t.has_sockets);
            task.map(|t| t.number)
        };
        if let Some(number) = number {
            sockets.task_ended(number);
        }
    }
}
