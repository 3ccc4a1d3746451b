//! The region as services, participants and partners ask it: the trait of
//! `api/host.rs` over what the shell does.

use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::{Arc, Weak};

use link::CallAnswer;

use super::SharedRegion;
use crate::api::{ActDone, JoinError, LentDescriptor, LentWorker, RegionHost, WorkerRequest};
use kernel::core::{OutsideCall, TaskKey};
use kernel::{CountAndBytes, ParticipantId, UnitId};

impl RegionHost for SharedRegion {
    fn join(
        self: Arc<Self>,
        task: TaskKey,
        participant: ParticipantId,
    ) -> Result<UnitId, JoinError> {
        self.join_unit(task, participant)
    }

    fn leave(self: Arc<Self>, task: TaskKey, participant: ParticipantId) {
        self.leave_unit(task, participant);
    }

    fn vote(self: Arc<Self>, unit: UnitId, participant: ParticipantId, yes: bool) {
        self.voted(unit, participant, yes);
    }

    fn unsure(self: Arc<Self>, unit: UnitId) {
        self.unit_unsure(unit);
    }

    fn outcome_replied(
        self: Arc<Self>,
        unit: UnitId,
        participant: ParticipantId,
        committed: Option<bool>,
    ) {
        self.decider_outcome(unit, participant, committed);
    }

    fn lend(
        self: Arc<Self>,
        task: TaskKey,
        tag: u64,
        fd: OwnedFd,
    ) -> std::io::Result<LentDescriptor> {
        self.lend_descriptor(task, tag, fd)
    }

    fn pass(self: Arc<Self>, task: TaskKey, tag: u64, fd: BorrowedFd<'_>) -> std::io::Result<()> {
        self.pass_descriptor(task, tag, fd)
    }

    fn runs_in(self: Arc<Self>, task: TaskKey, worker: &Weak<dyn LentWorker>) -> bool {
        self.runs_at(task, worker)
    }

    fn ask_worker(
        self: Arc<Self>,
        task: TaskKey,
        out: Option<&OutsideCall>,
        request: &WorkerRequest,
        done: ActDone,
    ) {
        self.ask_act(task, out, request, done);
    }

    fn pin(self: Arc<Self>, task: TaskKey) -> bool {
        self.with(|core, cx| core.pin(cx, task))
    }

    fn unpin(self: Arc<Self>, task: TaskKey) {
        self.with(|core, cx| core.unpin(cx, task));
    }

    fn waits_outside(self: Arc<Self>, task: TaskKey) -> OutsideCall {
        self.begin_outside(task)
    }

    fn answer_outside(self: Arc<Self>, task: TaskKey, call: &OutsideCall, answer: &CallAnswer) {
        self.end_outside(task, call, answer);
    }

    fn answer(self: Arc<Self>, task: TaskKey, answer: &CallAnswer) {
        self.answer_task(task, answer);
    }

    fn account_documents(self: Arc<Self>, task: TaskKey, amount: CountAndBytes) -> bool {
        let owner = self.lock().core.unit_owner(task);
        let mut kernel = self.kernel.lock();
        kernel
            .resources
            .outside
            .set_documents(owner, amount)
            .is_ok()
    }

    fn report_task_end(self: Arc<Self>, task: TaskKey) {
        self.services_hear_end(task);
    }
}
