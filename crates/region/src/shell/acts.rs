//! Requests to a waiting worker to use a descriptor before its call is answered.
//!
//! The worker's call stays taken meanwhile. An answer that another thread gives
//! then, such as that of a purge, is kept until the worker has replied.
//!
//! Invariant: the lock of a worker's acts is held for no other lock.

use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering, fence};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use link::CallAnswer;

use super::SharedRegion;
use super::links::WorkerLink;
use super::wakes;
use crate::api::{
    ActDone, LentDescriptor, LentWorker, WorkerReply, WorkerRequest, WorkerRequestError,
};
use kernel::core::{OutsideCall, TaskKey};

/// A worker's current request for a descriptor.
#[derive(Default)]
pub struct DescriptorActions {
    /// A request is under way; read without the lock.
    any: AtomicBool,
    state: Mutex<ActState>,
}

#[derive(Default)]
struct ActState {
    done: Option<ActDone>,
    /// The answer that came meanwhile.
    deferred: Option<CallAnswer>,
}

impl DescriptorActions {
    fn lock(&self) -> MutexGuard<'_, ActState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps an answer until the worker has replied; false when it is asked
    /// nothing.
    pub fn defer(&self, answer: &CallAnswer) -> bool {
        if !self.any.load(Ordering::SeqCst) {
            return false;
        }
        let mut state = self.lock();
        let out = state.done.is_some();
        if out {
            state.deferred = Some(answer.clone());
        }
        out
    }

    fn begin(&self, done: ActDone) -> Result<(), ActDone> {
        let mut state = self.lock();
        if state.done.is_some() {
            return Err(done);
        }
        state.done = Some(done);
        self.any.store(true, Ordering::SeqCst);
        Ok(())
    }

    fn end(&self) -> (Option<ActDone>, Option<CallAnswer>) {
        let mut state = self.lock();
        self.any.store(false, Ordering::SeqCst);
        (state.done.take(), state.deferred.take())
    }
}

impl SharedRegion {
    /// Asks the worker of a task, which waits, to do something. `out` is the call
    /// that a purge may answer.
    pub(crate) fn ask_act(
        self: &Arc<Self>,
        key: TaskKey,
        out: Option<&OutsideCall>,
        request: &WorkerRequest,
        done: ActDone,
    ) {
        let Some(link) = self.link_of(key) else {
            done(Err(WorkerRequestError::Gone));
            return;
        };
        if let Err(done) = link.acts.begin(done) {
            done(Err(WorkerRequestError::Busy));
            return;
        }
        // A purge either sees this act, or has taken the call before.
        fence(Ordering::SeqCst);
        let purged = out.is_some_and(|out| !out.is_out());
        if purged || !link.side.act_nested(&request.emit()) {
            self.act_failed(&link, WorkerRequestError::Busy);
        }
    }

    /// The worker has carried out a request; false when it had none.
    pub(super) fn acted(&self, link: &Arc<WorkerLink>, answer: &CallAnswer) -> bool {
        let (done, deferred) = link.acts.end();
        let Some(done) = done else {
            return false;
        };
        if let Some(answer) = deferred {
            wakes::answer(link, &answer);
        }
        done(Ok(WorkerReply::of(answer)));
        true
    }

    /// The worker has ended, or had no request.
    pub(super) fn act_failed(&self, link: &Arc<WorkerLink>, why: WorkerRequestError) {
        let (done, deferred) = link.acts.end();
        if let Some(answer) = deferred {
            wakes::answer(link, &answer);
        }
        if let Some(done) = done {
            done(Err(why));
        }
    }

    fn link_of(&self, key: TaskKey) -> Option<Arc<WorkerLink>> {
        let state = self.lock();
        let worker = state.core.runs_in(key)?;
        state.links.get(worker).cloned()
    }

    /// Sends a copy of a descriptor to the worker of a task, which takes it when
    /// it is asked or answered.
    pub(crate) fn lend_descriptor(
        &self,
        key: TaskKey,
        tag: u64,
        fd: OwnedFd,
    ) -> std::io::Result<LentDescriptor> {
        let link = self.link_of(key);
        let link = link.ok_or(std::io::ErrorKind::NotConnected)?;
        link.side.send_fd(tag, fd.as_fd())?;
        let worker: Weak<WorkerLink> = Arc::downgrade(&link);
        Ok(LentDescriptor::new(fd, tag, worker))
    }

    /// Whether a worker is the one that a task runs in.
    pub(crate) fn runs_at(&self, key: TaskKey, worker: &Weak<dyn LentWorker>) -> bool {
        let link = self.link_of(key);
        link.is_some_and(|link| std::ptr::addr_eq(Arc::as_ptr(&link), worker.as_ptr()))
    }
}
