//! The calls that services, participants and partners make to the region for a task.
//!
//! The shell implements the trait. So the types that a service receives depend on
//! the trait and not on the shell, which uses this module.

use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::{Arc, Weak};

use link::CallAnswer;

use super::{JoinError, LentDescriptor, WorkerReply, WorkerRequest, WorkerRequestError};
use kernel::core::{OutsideCall, TaskKey};
use kernel::{CountAndBytes, ParticipantId, UnitId};

/// Is called with the worker's reply.
pub type ActDone = Box<dyn FnOnce(Result<WorkerReply, WorkerRequestError>) + Send>;

/// A worker's process, for the owner of descriptors that are lent to it.
pub trait LentWorker: Send + Sync {
    /// Whether the process has ended.
    fn has_ended(&self) -> bool;
}

/// A region, for what acts for its tasks next to the kernel.
pub trait RegionHost: Send + Sync {
    /// A participant changes something in the unit of work of a task.
    fn join(
        self: Arc<Self>,
        task: TaskKey,
        participant: ParticipantId,
    ) -> Result<UnitId, JoinError>;
    /// The participant has changed nothing after all.
    fn leave(self: Arc<Self>, task: TaskKey, participant: ParticipantId);
    /// A participant has carried out an order, or not.
    fn vote(self: Arc<Self>, unit: UnitId, participant: ParticipantId, yes: bool);
    /// The outcome of a commit in one phase is not known.
    fn unsure(self: Arc<Self>, unit: UnitId);
    /// A decider has said whether a unit is committed, or that it does not know.
    fn outcome_replied(
        self: Arc<Self>,
        unit: UnitId,
        participant: ParticipantId,
        committed: Option<bool>,
    );
    /// Sends a copy of a descriptor to the worker of a task, and keeps it.
    fn lend(
        self: Arc<Self>,
        task: TaskKey,
        tag: u64,
        fd: OwnedFd,
    ) -> std::io::Result<LentDescriptor>;
    /// Sends a copy of a descriptor to the worker of a task.
    fn pass(self: Arc<Self>, task: TaskKey, tag: u64, fd: BorrowedFd<'_>) -> std::io::Result<()>;
    /// Whether a task runs in a worker.
    fn runs_in(self: Arc<Self>, task: TaskKey, worker: &Weak<dyn LentWorker>) -> bool;
    /// Asks the waiting worker of a task to do something with a descriptor. `out`
    /// is the call that a purge may answer.
    fn ask_worker(
        self: Arc<Self>,
        task: TaskKey,
        out: Option<&OutsideCall>,
        request: &WorkerRequest,
        done: ActDone,
    );
    /// Pins the runs of a task to its worker. Returns false if it has none.
    fn pin(self: Arc<Self>, task: TaskKey) -> bool;
    /// Allows the task's runs in any worker again.
    fn unpin(self: Arc<Self>, task: TaskKey);
    /// A task waits for something outside of the region.
    fn waits_outside(self: Arc<Self>, task: TaskKey) -> OutsideCall;
    /// Answers a task that waits so.
    fn answer_outside(self: Arc<Self>, task: TaskKey, call: &OutsideCall, answer: &CallAnswer);
    /// Answers a task.
    fn answer(self: Arc<Self>, task: TaskKey, answer: &CallAnswer);
    /// A service keeps so many documents of so many bytes for a task from now on;
    /// false when a limit is reached.
    fn account_documents(self: Arc<Self>, task: TaskKey, amount: CountAndBytes) -> bool;
    /// The services are to be informed of a task's end.
    fn report_task_end(self: Arc<Self>, task: TaskKey);
}
