//! Units of work that a coordinator in another region leaves to this region: no other
//! participant has changed anything, so this region commits in one phase.
//!
//! The commit contains a record of the unit in its own transaction. If the answer is lost,
//! the coordinator asks for the outcome: with a record the unit is committed, without one it
//! is backed out. The record is removed when the coordinator acknowledges the outcome.
//!
//! ```text
//!   table outcome
//!     branch      version 1 | time, ns since 1970, u64
//! ```
//!
//! Reference: CICS intercommunication guide, "Last agent optimization"; SNA LU 6.2
//! peer protocols, "Last resource".
//! Invariant: the request is not answered while the unit is being committed.

use std::collections::BTreeMap;

use link::CallAnswer;
use store::{SeekKey, Table, UnitOfWork};

use super::effect::{KernelEffect, UnitId};
use super::prepared::BranchId;
use super::request::CallingTask;
use super::scan;
use super::syncpoint::CommitFailure;
use super::unit::{UnitContinuation, UnitPhase};
use super::{Kernel, ResourceManagers, timers::AlarmTarget};
use cics::resp::Condition;

pub(super) const TABLE: Table = Table::new("outcome");
/// First byte of a record.
const VERSION: u8 = 1;

/// The units that are being committed in one phase.
#[derive(Debug, Default)]
pub struct OnePhase(BTreeMap<BranchId, OnePhaseState>);

#[derive(Debug, Clone, Copy, Default)]
struct OnePhaseState {
    /// The coordinator has asked for the outcome.
    outcome_requested: bool,
    /// The outcome is unknown until the region starts again.
    in_doubt: bool,
}

impl<R: ResourceManagers> Kernel<R> {
    /// Commits a task's unit, the only part of a coordinator's unit that changes anything. The
    /// answer is that to SYNCPOINT. The coordinator has acknowledged the outcomes of the units
    /// `acknowledged`.
    pub fn commit_one_phase(
        &mut self,
        now: u64,
        caller: CallingTask,
        branch: BranchId,
        acknowledged: &[BranchId],
        out: &mut Vec<KernelEffect>,
    ) {
        self.begin_unit(now, &caller, out);
        let task = caller.key;
        let known = self.state.one_phase.0.contains_key(&branch);
        let has_store = self.state.reader.is_some();
        let since_unix_ns = self.state.settings.unix_offset_ns + now;
        let unit = self.state.units.of(task);
        if unit.is_busy() || known {
            let refused = CallAnswer::of_condition(Condition::RolledBack, 0);
            out.push(KernelEffect::Answer(task, refused, 0));
        } else if !unit.is_empty() && !has_store {
            let why = "the region has no store";
            self.fail(now, task, UnitContinuation::Syncpoint, why, out);
        } else {
            if !unit.is_empty() {
                let record = [&[VERSION][..], &since_unix_ns.to_be_bytes()].concat();
                unit.changes.put(TABLE, branch.as_bytes(), &record);
                unit.branch = Some(branch.clone());
                self.state
                    .one_phase
                    .0
                    .insert(branch, OnePhaseState::default());
            }
            // A unit without changes removes the records too: the coordinator does not
            // acknowledge them again.
            for branch in acknowledged.iter().filter(|_| has_store) {
                unit.changes.remove(TABLE, branch.as_bytes());
            }
            self.note_caller(&caller);
            self.commit(now, task, UnitContinuation::Syncpoint, out);
        }
        self.wake(now, out);
    }

    /// The outcome of a unit that was to be committed in one phase:
    /// [`KernelEffect::Outcome`] follows, at once or when it is known. The caller guarantees
    /// that no task begins to commit the unit any more.
    pub fn outcome(&mut self, branch: &BranchId, out: &mut Vec<KernelEffect>) {
        if let Some(state) = self.state.one_phase.0.get_mut(branch) {
            state.outcome_requested |= !state.in_doubt;
            if state.in_doubt {
                out.push(KernelEffect::Outcome(branch.clone(), None));
            }
            return;
        }
        let Some(reader) = &mut self.state.reader else {
            out.push(KernelEffect::Outcome(branch.clone(), Some(false)));
            return;
        };
        match reader.seek_table(TABLE, SeekKey::Equal(branch.as_bytes()), &mut |_| {}) {
            Ok(found) => out.push(KernelEffect::Outcome(branch.clone(), Some(found))),
            Err(error) => {
                tracing::error!(%error, "the outcomes of units of work cannot be read");
                out.push(KernelEffect::Outcome(branch.clone(), None));
            }
        }
    }

    /// A coordinator, whose branches' names begin with `prefix`, is connected again. It will not
    /// ask for units whose names are up to `after`.
    pub fn coordinator_returned(
        &mut self,
        now: u64,
        prefix: &[u8],
        after: &[u8],
        out: &mut Vec<KernelEffect>,
    ) {
        self.reached(prefix);
        let Some(reader) = &mut self.state.reader else {
            return;
        };
        let mut changes = UnitOfWork::new();
        let read = scan(reader.as_mut(), TABLE, &mut |key, _| {
            if key.starts_with(prefix) && key <= after {
                changes.remove(TABLE, key);
            }
        });
        if let Err(error) = read {
            tracing::error!(%error, "the outcomes of units of work cannot be read");
        }
        self.manage(now, out, |_, cx| cx.change_store(changes));
    }

    /// Number of units that were committed in one phase and whose coordinators have not
    /// acknowledged the outcome.
    #[cfg(any(test, feature = "sim"))]
    pub fn outcomes(&mut self) -> usize {
        let mut count = 0;
        if let Some(reader) = &mut self.state.reader {
            scan(reader.as_mut(), TABLE, &mut |_, _| count += 1).expect("readable");
        }
        count
    }

    /// A unit that was to be committed in one phase is in doubt since the last run of the
    /// region, and another participant decides it.
    pub(super) fn one_phase_restored(&mut self, branch: BranchId) {
        self.state
            .one_phase
            .0
            .insert(branch, OnePhaseState::default());
    }

    /// The commit of a branch has ended.
    pub(super) fn one_phase_ended(
        &mut self,
        branch: &BranchId,
        failed: Option<&CommitFailure>,
        out: &mut Vec<KernelEffect>,
    ) {
        let Some(state) = self.state.one_phase.0.get_mut(branch) else {
            return;
        };
        if failed.is_some_and(|failed| failed.in_doubt) {
            state.in_doubt = true;
            if std::mem::take(&mut state.outcome_requested) {
                out.push(KernelEffect::Outcome(branch.clone(), None));
            }
        } else if self
            .state
            .one_phase
            .0
            .remove(branch)
            .is_some_and(|s| s.outcome_requested)
        {
            out.push(KernelEffect::Outcome(
                branch.clone(),
                Some(failed.is_none()),
            ));
        }
    }

    /// The only participant of a unit has begun to commit it and cannot be reached: it is asked
    /// for the outcome. The task waits for the answer up to `outcome_wait_ns`.
    pub fn unsure(&mut self, now: u64, id: UnitId) {
        let until = now + self.state.settings.outcome_wait_ns;
        let timers = &mut self.state.timers;
        let Some(task) = self.state.units.task_of(id) else {
            return;
        };
        if let UnitPhase::OnePhase { limit, .. } = &mut self.state.units.of(task).phase
            && limit.is_none()
        {
            *limit = Some(timers.set(until, AlarmTarget::OnePhase(id)));
        }
    }

    /// No participant has reported the outcome of a unit in time.
    pub(super) fn unknown(&mut self, now: u64, id: UnitId, out: &mut Vec<KernelEffect>) {
        let Some(task) = self.state.units.task_of(id) else {
            return;
        };
        let phase = self.state.units.of(task).phase.clone();
        if let UnitPhase::AwaitingDecider { then } | UnitPhase::Applying { then } = phase {
            self.detach(now, task, then, out);
        }
        if let UnitPhase::OnePhase { then, .. } = phase {
            let failed = CommitFailure {
                why: "its only participant cannot be reached, and is asked for the outcome"
                    .to_owned(),
                in_doubt: true,
            };
            tracing::warn!(unit = %id, "a unit of work is in doubt: {}", failed.why);
            self.conclude(now, task, then, Some(failed), out);
        }
    }
}
