//! The interface of the service that serves the socket calls of tasks.
//!
//! The region knows tasks and workers; the service knows descriptors, addresses
//! and what a call means. A call is passed with the means to answer it, and
//! passing it must not wait.
//!
//! Reference: IP CICS Sockets Guide, "CICS TCP/IP components": the task-related
//! user exit and its subtasks.

use std::fmt::{self, Debug};
use std::sync::Arc;

use link::{CallAnswer, TransId, UserId};

use crate::api::RegionHost;
use kernel::core::{OutsideCall, TaskKey};

/// Serves the socket calls of tasks.
pub trait SocketCalls: Debug + Send + Sync {
    /// A task calls. The answer may come later, from any thread.
    fn call(&self, call: SocketCall);
    /// A task that has made calls has ended: its open sockets are closed, and a call
    /// that still waits returns.
    fn task_ended(&self, task: u64);
    /// Answers an operator's query, in words, or carries out a change when `change` is set.
    /// Returns JSON, or why it is refused; `None` when the words are unknown.
    fn operate(&self, words: &[&str], change: bool) -> Option<Result<String, String>>;
    /// Appends its figures for `/metrics`.
    fn metrics(&self, out: &mut String);
}

/// A socket call of a task, and the way to its answer. Dropped without one, the
/// task abends with AEXZ.
pub struct SocketCall {
    /// Number of the task.
    pub task: u64,
    /// Its transaction.
    pub transid: TransId,
    /// The user of the task.
    pub userid: UserId,
    /// Integers of the call.
    pub args: [u64; 8],
    /// Bytes of the call.
    pub data: Vec<u8>,
    pub(crate) way: Option<(Arc<dyn RegionHost>, TaskKey)>,
    /// A purge may end the task's wait.
    pub(crate) out: OutsideCall,
}

impl SocketCall {
    /// Answers the call.
    pub fn answer(mut self, args: [u64; 8], data: Vec<u8>) {
        self.finish(&CallAnswer {
            args,
            data,
            ..CallAnswer::default()
        });
    }

    /// Passes the task's worker a copy of a descriptor, which is there when the
    /// answer is. The tag is the caller's.
    pub fn pass(&self, tag: u64, fd: std::os::fd::BorrowedFd<'_>) -> std::io::Result<()> {
        match &self.way {
            Some((host, key)) => host.clone().pass(*key, tag, fd),
            None => Err(std::io::ErrorKind::NotConnected.into()),
        }
    }

    /// Ends the task instead, with this abend code.
    pub fn abend(mut self, code: [u8; 4]) {
        self.finish(&CallAnswer::of_abend(&code));
    }

    fn finish(&mut self, answer: &CallAnswer) {
        if let Some((host, key)) = self.way.take() {
            host.answer_outside(key, &self.out, answer);
        }
    }
}

impl Drop for SocketCall {
    fn drop(&mut self) {
        self.finish(&CallAnswer::of_abend(b"AEXZ"));
    }
}

impl Debug for SocketCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SocketCall")
            .field("task", &self.task)
            .field("args", &self.args)
            .finish_non_exhaustive()
    }
}
