//! Units of work that a coordinator elsewhere leaves to this region: nobody else
//! has changed anything, so this region commits in one phase.
//!
//! The commit has a record of it in its own transaction. When the answer is lost
//! the coordinator asks what became of the unit: with a record it is committed,
//! without one it is backed out. A record goes when the coordinator says that it
//! has heard.
//!
//! ```text
//!   table outcome
//!     branch      version 1 | when, ns since 1970, u64
//! ```
//!
//! Reference: CICS intercommunication guide, "Last agent optimization"; SNA LU 6.2
//! peer protocols, "Last resource".
//! Invariant: the question is not answered while the unit is being committed.

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

/// The units that are being committed so.
#[derive(Debug, Default)]
pub struct OnePhase(BTreeMap<BranchId, OnePhaseState>);

#[derive(Debug, Clone, Copy, Default)]
struct OnePhaseState {
    /// Somebody has asked what became of it.
    outcome_requested: bool,
    /// Only the next life of the region can tell.
    in_doubt: bool,
}

impl<R: ResourceManagers> Kernel<R> {
    /// Commits a task's unit, the only part of a coordinator's that changes
    /// anything. The answer is that to SYNCPOINT. The coordinator has heard what
    /// became of the units `heard`.
    pub fn commit_one_phase(
        &mut self,
        now: u64,
        caller: CallingTask,
        branch: BranchId,
        heard: &[BranchId],
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
            // One that changes nothing takes them away, too: they are not named
            // again.
            for branch in heard.iter().filter(|_| has_store) {
                unit.changes.remove(TABLE, branch.as_bytes());
            }
            self.note_caller(&caller);
            self.commit(now, task, UnitContinuation::Syncpoint, out);
        }
        self.wake(now, out);
    }

    /// What became of a unit that was to be committed so:
    /// [`KernelEffect::Outcome`] follows, at once or when that is known. Who asks has
    /// made sure that nobody begins to commit it any more.
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
                tracing::error!(%error, "the ends of units of work cannot be read");
                out.push(KernelEffect::Outcome(branch.clone(), None));
            }
        }
    }

    /// A coordinator, one whose branches' names begin so, is there again. It asks
    /// for no unit whose name is not behind `after`.
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
            tracing::error!(%error, "the ends of units of work cannot be read");
        }
        self.manage(now, out, |_, cx| cx.change_store(changes));
    }

    /// Units that were committed so, whose coordinators have not said that they
    /// have heard.
    #[cfg(any(test, feature = "sim"))]
    pub fn outcomes(&mut self) -> usize {
        let mut count = 0;
        if let Some(reader) = &mut self.state.reader {
            scan(reader.as_mut(), TABLE, &mut |_, _| count += 1).expect("readable");
        }
        count
    }

    /// A unit that was to be committed so is in doubt since the last life of the
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

    /// The only participant of a unit has begun to commit it, and cannot be
    /// reached: it is asked what became of that. The task waits for it so long.
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

    /// Nobody has said in time what became of a unit.
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
                why: "who commits it alone cannot be reached, and is asked".to_owned(),
                in_doubt: true,
            };
            tracing::warn!(unit = %id, "a unit of work is in doubt: {}", failed.why);
            self.conclude(now, task, then, Some(failed), out);
        }
    }
}
