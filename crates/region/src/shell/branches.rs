//! Branches of units of work that coordinators elsewhere decide: the callbacks
//! that wait until a decision is carried out.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::{OpenLease, SharedRegion};
use crate::api::JoinError;
use kernel::core::{TaskKey, TaskStage};
use kernel::{BranchId, InDoubtUnit, ParticipantId, PreparedUnit, UnitId, UnitToken};

/// Receives whether the branch is settled.
type SettledCallback = Box<dyn FnOnce(bool) + Send>;

/// Receives the outcome of a unit.
type OutcomeCallback = Box<dyn FnOnce(Option<bool>) + Send>;

/// The callbacks that wait, by the branch.
pub struct BranchWaiters<F>(Mutex<HashMap<BranchId, Vec<F>>>);

/// The callbacks that wait for an end to be carried out.
pub type SettlementWaiters = BranchWaiters<SettledCallback>;
/// The callbacks that wait for the outcome of a unit.
pub type OutcomeWaiters = BranchWaiters<OutcomeCallback>;

impl<F> Default for BranchWaiters<F> {
    fn default() -> Self {
        BranchWaiters(Mutex::default())
    }
}

impl<F> BranchWaiters<F> {
    fn add(&self, branch: BranchId, done: F) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.entry(branch).or_default().push(done);
    }

    fn take(&self, branch: &BranchId) -> Vec<F> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.remove(branch).unwrap_or_default()
    }
}

impl SharedRegion {
    /// Commits a branch that is prepared, or backs it out.
    pub(crate) fn settle(self: &Arc<Self>, branch: BranchId, commit: bool, done: SettledCallback) {
        self.settlements.add(branch.clone(), done);
        self.kernel(|k, now, out| k.settle(now, &branch, commit, out));
    }

    /// The end is carried out, or cannot be now.
    pub(super) fn settled(&self, branch: &BranchId, yes: bool) {
        for done in self.settlements.take(branch) {
            done(yes);
        }
    }

    /// Asks for the outcome of a unit that was to be committed in one phase.
    pub(crate) fn outcome(self: &Arc<Self>, branch: BranchId, callback: OutcomeCallback) {
        self.outcomes.add(branch.clone(), callback);
        self.kernel(|k, _, out| k.outcome(&branch, out));
    }

    /// The outcome is known, or cannot be known before the next start.
    pub(super) fn outcome_known(&self, branch: &BranchId, committed: Option<bool>) {
        for callback in self.outcomes.take(branch) {
            callback(committed);
        }
    }

    /// A coordinator is there again.
    pub(crate) fn coordinator_returned(self: &Arc<Self>, prefix: &[u8], after: &[u8]) {
        self.kernel(|k, now, out| k.coordinator_returned(now, prefix, after, out));
    }

    /// Units of this life of the region have greater numbers.
    pub(crate) fn units_after(&self) -> UnitId {
        self.kernel.lock().units_after()
    }

    /// Units that are decided, and the participants that do not know it yet.
    pub(crate) fn decisions(&self) -> Vec<(UnitId, String)> {
        let kernel = self.kernel.lock();
        let open = kernel.open_decisions();
        open.map(|(unit, name)| (unit, name.to_owned())).collect()
    }

    /// A coordinator is out of reach, one whose branches' names begin so.
    pub(crate) fn coordinator_lost(self: &Arc<Self>, name: &[u8]) {
        self.kernel(|k, now, out| k.coordinator_lost(now, name, out));
    }

    /// The branches that are prepared.
    pub(crate) fn prepared_units(&self) -> Vec<PreparedUnit> {
        self.kernel.lock().prepared().collect()
    }

    /// The units in doubt that a participant of this region decides.
    pub(crate) fn in_doubt_units(&self) -> Vec<InDoubtUnit> {
        self.kernel.lock().in_doubt_units()
    }

    /// Ends a unit in doubt instead of its decider. Returns false if the
    /// unit is not in doubt.
    pub(crate) fn settle_in_doubt(self: &Arc<Self>, unit: UnitId, commit: bool) -> bool {
        self.kernel(|k, now, out| k.settle_in_doubt(now, unit, commit, out))
    }

    /// The branches that are prepared or may be in a moment.
    pub(crate) fn branches(&self) -> Vec<BranchId> {
        self.kernel.lock().branches().cloned().collect()
    }

    /// A participant takes part in the unit of a task that runs or is open, or
    /// of the open task it is a run of.
    pub(crate) fn join_unit(
        self: &Arc<Self>,
        key: TaskKey,
        participant: ParticipantId,
    ) -> Result<UnitId, JoinError> {
        let mut state = self.lock();
        let goes_on = |key| {
            let task = state.core.task(key)?;
            let open = task.open.as_ref();
            let works = matches!(task.stage, TaskStage::Submitted | TaskStage::Open);
            (works && open.is_none_or(|open| open.doomed().is_none())).then_some(())
        };
        let owner = state.core.unit_owner(key);
        goes_on(key).and(goes_on(owner)).ok_or(JoinError::Ending)?;
        let task = state.core.task_mut(owner).ok_or(JoinError::Ending)?;
        // The task's end must end the unit.
        task.in_kernel = true;
        let is_branch = task.open.as_ref().is_some_and(|open| open.is_branch);
        let caller = task.caller(owner);
        // Under the lock of the tasks, so that none can end in between.
        let mut kernel = self.kernel.lock();
        let mut effects = Vec::new();
        let now = super::clock::now_ns();
        let joined = if kernel.deciders().decides(participant) {
            if is_branch && !kernel.deciders().can_prepare(participant) {
                return Err(JoinError::Branch);
            }
            let token = random_token();
            let join = kernel.join_decider(now, &caller, participant, token, &mut effects);
            join.ok_or(JoinError::SecondDecider)?
        } else {
            kernel.join(now, &caller, participant, &mut effects)
        };
        debug_assert!(effects.is_empty(), "to join does nothing else");
        Ok(joined)
    }

    /// A participant has changed nothing for a task's unit after all.
    pub(crate) fn leave_unit(self: &Arc<Self>, key: TaskKey, participant: ParticipantId) {
        let owner = self.lock().core.unit_owner(key);
        self.kernel(|kernel, now, out| {
            kernel.with(now, out, |_, cx| cx.leave(owner, participant));
        });
    }
}

impl OpenLease {
    /// Has the task's unit prepared; [`OpenLease::poll_answer`] returns whether
    /// it is.
    pub fn prepare(&self, branch: BranchId) -> bool {
        if self.begin_call().is_err() {
            return false;
        }
        let Some(caller) = self.shared.caller(self.key) else {
            return false;
        };
        self.shared
            .kernel(|k, now, out| k.prepare(now, caller, branch, out));
        true
    }

    /// Has the task's unit committed, the only part of a coordinator's that
    /// changes anything; [`OpenLease::poll_answer`] returns whether it is.
    pub fn commit_one_phase(&self, branch: BranchId, finished: &[BranchId]) -> bool {
        if self.begin_call().is_err() {
            return false;
        }
        let Some(caller) = self.shared.caller(self.key) else {
            return false;
        };
        self.shared
            .kernel(|k, now, out| k.commit_one_phase(now, caller, branch, finished, out));
        true
    }

    /// Whether the end of the task's unit would do something.
    pub fn holds_unit(&self) -> bool {
        self.shared.kernel.lock().holds_unit(self.key)
    }
}

/// A token for a unit: programs can neither guess nor choose it.
fn random_token() -> UnitToken {
    let mut bytes = [0; 16];
    // SAFETY: room for that many bytes.
    let got = unsafe { libc::getrandom(bytes.as_mut_ptr().cast(), bytes.len(), 0) };
    assert_eq!(got, bytes.len() as isize, "the system has no random bits");
    UnitToken(bytes)
}
