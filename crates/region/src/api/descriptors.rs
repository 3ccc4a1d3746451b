//! Descriptors that workers have, and what waiting workers do with them.
//!
//! A service connects somewhere, lends its connection to the worker of a task,
//! and has the worker talk there by itself. The service keeps a copy. A program
//! may be hostile: it can keep the descriptor and write to it at any time. So a
//! descriptor stays with one worker, and is taken back by ending the connection.

use std::fmt;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::sync::Weak;

use cics::resp::Condition;
use link::CallAnswer;

use crate::api::LentWorker;

/// A request to a waiting worker to use a descriptor.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WorkerRequest {
    /// The number of the work, as `worker::connections` has it: from 1 on.
    pub work: u64,
    /// The descriptor.
    pub tag: u64,
    /// Further arguments; their meaning is the work's.
    pub args: [u64; 4],
    /// Bytes, at most [`link::layout::CALL_BYTES`].
    pub data: Vec<u8>,
}

/// The outcome of a request to a worker.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WorkerReply {
    /// NORMAL, or why it was not done: NOTFND for a descriptor that the worker
    /// does not have, IOERR for one that failed, INVREQ for an unknown work.
    pub condition: Condition,
    /// Results.
    pub args: [u64; 8],
    /// Bytes.
    pub data: Vec<u8>,
}

/// Why a worker was not asked, or did not reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum WorkerRequestError {
    /// The task runs in no worker, or its process has ended.
    #[error("the task's worker is gone")]
    Gone,
    /// The worker does not wait for an answer, does something else, or the task
    /// was purged.
    #[error("the task's worker does not wait")]
    Busy,
}

/// A descriptor that a worker has a copy of.
pub struct LentDescriptor {
    own: OwnedFd,
    tag: u64,
    /// The worker, also after its end.
    worker: Weak<dyn LentWorker>,
}

impl WorkerRequest {
    pub(crate) fn emit(&self) -> CallAnswer {
        let [a, b, c, d] = self.args;
        CallAnswer {
            args: [self.work, self.tag, a, b, c, d, 0, 0],
            data: self.data.clone(),
            ..CallAnswer::default()
        }
    }
}

impl WorkerReply {
    pub(crate) fn of(answer: &CallAnswer) -> WorkerReply {
        WorkerReply {
            condition: answer.condition,
            args: answer.args,
            data: answer.data.clone(),
        }
    }
}

impl LentDescriptor {
    pub(crate) fn new(own: OwnedFd, tag: u64, worker: Weak<dyn LentWorker>) -> LentDescriptor {
        LentDescriptor { own, tag, worker }
    }

    /// The tag under which the worker has it.
    pub fn tag(&self) -> u64 {
        self.tag
    }

    /// Whether the worker's process is there.
    pub fn worker_is_there(&self) -> bool {
        self.worker.upgrade().is_some_and(|link| !link.has_ended())
    }

    pub(crate) fn worker(&self) -> &Weak<dyn LentWorker> {
        &self.worker
    }

    /// Takes the lent descriptor back from a worker that is not trusted: the connection ends, for
    /// the worker, too (`shutdown(2)`).
    pub fn take_back(self) {
        // SAFETY: an own descriptor. One that is not a socket stays as it is.
        unsafe { libc::shutdown(self.own.as_raw_fd(), libc::SHUT_RDWR) };
    }

    /// The region's own copy, for a worker that has ended or has closed its own.
    pub fn into_own(self) -> OwnedFd {
        self.own
    }
}

impl AsFd for LentDescriptor {
    /// The region's own copy.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.own.as_fd()
    }
}

impl fmt::Debug for LentDescriptor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LentDescriptor")
            .field("tag", &self.tag)
            .finish_non_exhaustive()
    }
}
