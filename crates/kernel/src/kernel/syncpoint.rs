//! The end of a unit of work: SYNCPOINT, ROLLBACK, the end of a task.
//!
//! All use the same code. If only one participant has changes, it commits in one phase. With
//! several, each participant except the store prepares first; the commit of the store decides
//! and writes a record of it, and the others are notified afterwards
//! ([`super::decisions`]). A single participant that cannot be reached when it should report
//! its commit is asked for the outcome, and the task waits for the answer. A region that can
//! be reached has committed before the task continues, so that a later request there sees the
//! changes. A unit that cannot be committed is backed out everywhere.
//!
//! ```text
//!  Active ──▶ Preparing ──all can──▶ Deciding ──▶ over
//!     │            └────one cannot──────────────▶ backed out
//!     ├──the store alone──▶ Deciding
//!     ├──one other alone──▶ OnePhase ──▶ over, or in doubt
//!     └──one that decides, and others──▶ [`super::deciders`]
//! ```

use link::{CallAnswer, Name};
use store::{ApplyError, StorageError};

use super::effect::{JobContinuation, KernelEffect, Order, ParticipantId, StoreJob, UnitId};
use super::request::{CallingTask, CommandCompletion};
use super::unit::{UnitContinuation, UnitPhase, UnitState};
use super::{Kernel, KernelState, ResourceManagers, WakeReason, log_unreadable};
use crate::core::TaskKey;
use crate::types::Abend;
use cics::resp::Condition;

/// Abend code of a task whose unit of work could not be committed.
pub(super) const NOT_COMMITTED: [u8; 4] = *b"ASP7";

/// Why a unit was not committed.
pub(super) struct CommitFailure {
    pub why: String,
    /// It is not known whether the unit was committed.
    pub in_doubt: bool,
}

impl CommitFailure {
    pub(super) fn because(why: &str) -> CommitFailure {
        CommitFailure {
            why: why.to_owned(),
            in_doubt: false,
        }
    }
}

impl<R: ResourceManagers> Kernel<R> {
    /// A participant has changes for a task's unit, which begins with that if it has not begun.
    pub fn join(
        &mut self,
        now: u64,
        caller: &CallingTask,
        participant: ParticipantId,
        out: &mut Vec<KernelEffect>,
    ) -> UnitId {
        self.begin_unit(now, caller, out);
        let KernelState {
            units,
            decisions,
            settings,
            ..
        } = &mut self.state;
        let unix_ns = settings.unix_offset_ns + now;
        units.join(caller.key, participant, || decisions.next_unit(unix_ns))
    }

    /// SYNCPOINT of a running task.
    pub(super) fn syncpoint(&mut self, now: u64, task: TaskKey, out: &mut Vec<KernelEffect>) {
        self.commit(now, task, UnitContinuation::Syncpoint, out);
    }

    /// SYNCPOINT ROLLBACK of a running task.
    pub(super) fn rollback(&mut self, now: u64, task: TaskKey, out: &mut Vec<KernelEffect>) {
        self.back_out(now, task, out);
        out.push(KernelEffect::Answer(task, CallAnswer::default(), 0));
    }

    /// A task is over.
    pub(super) fn end_task(
        &mut self,
        now: u64,
        caller: CallingTask,
        commit: bool,
        out: &mut Vec<KernelEffect>,
    ) {
        let task = caller.key;
        self.take_wait(task);
        self.note_caller(&caller);
        let unit = self.state.units.of(task);
        unit.end = Some(caller);
        if unit.is_busy() {
            // The syncpoint in progress decides; earlier changes of the unit are kept.
            return;
        }
        if commit {
            self.commit(now, task, UnitContinuation::EndTask, out);
        } else {
            self.back_out(now, task, out);
            self.leave(now, caller, None, out);
        }
    }

    /// Begins to commit a task's unit.
    pub(super) fn commit(
        &mut self,
        now: u64,
        task: TaskKey,
        then: UnitContinuation,
        out: &mut Vec<KernelEffect>,
    ) {
        let has_store = self.state.reader.is_some();
        let unit = self.state.units.of(task);
        match (unit.changes.is_empty(), unit.participants.as_slice()) {
            (true, []) => self.conclude(now, task, then, None, out),
            (false, []) if R::need_no_wait(&unit.changes) => {
                let changes = std::mem::take(&mut unit.changes);
                self.manage(now, out, |_, cx| cx.change_store_once(changes));
                self.conclude(now, task, then, None, out);
            }
            (false, []) => self.decide(now, task, then, out),
            (true, [_]) => {
                unit.phase = UnitPhase::OnePhase { then, limit: None };
                send_order(unit, Order::CommitOnePhase, out);
            }
            (_, _) if has_store && unit.decider.is_some() => {
                self.begin_decider(now, task, then, out);
            }
            (_, several) if has_store => {
                unit.phase = UnitPhase::Preparing {
                    missing: several.to_vec(),
                    refused: false,
                    then,
                };
                send_order(unit, Order::Prepare, out);
            }
            _ => {
                let why = "units of several participants need a store";
                self.fail(now, task, then, why, out);
            }
        }
    }

    /// Hands the unit's changes to the store, whose commit is the decision.
    fn decide(
        &mut self,
        now: u64,
        task: TaskKey,
        then: UnitContinuation,
        out: &mut Vec<KernelEffect>,
    ) {
        let unit = self.state.units.of(task);
        unit.phase = UnitPhase::Deciding { then };
        unit.commit_began = Some(now);
        let mut changes = std::mem::take(&mut unit.changes);
        if let Some(id) = unit.id {
            let decisions = &self.state.decisions;
            decisions.decide(id, &unit.participants, &mut changes);
        }
        out.push(KernelEffect::Commit(StoreJob {
            task,
            changes,
            then: JobContinuation::Unit,
        }));
    }

    /// A participant's answer to an order.
    pub(super) fn vote(
        &mut self,
        now: u64,
        id: UnitId,
        participant: ParticipantId,
        yes: bool,
        out: &mut Vec<KernelEffect>,
    ) {
        let Some(task) = self.state.units.task_of(id) else {
            // The unit is decided.
            self.manage(now, out, |_, cx| cx.record_report(id, participant, yes));
            return;
        };
        let unit = self.state.units.of(task);
        match &mut unit.phase {
            UnitPhase::Preparing {
                missing,
                refused,
                then,
            } => {
                let Some(at) = missing.iter().position(|p| *p == participant) else {
                    return;
                };
                missing.swap_remove(at);
                *refused |= !yes;
                if !missing.is_empty() {
                    return;
                }
                let then = *then;
                let refused = *refused;
                let decided_elsewhere = unit.decider.is_some();
                if refused {
                    let why = "a participant of the unit of work cannot commit";
                    self.fail(now, task, then, why, out);
                } else if then == UnitContinuation::Prepare {
                    self.record(now, task, out);
                } else if decided_elsewhere {
                    self.secure(now, task, then, out);
                } else {
                    self.decide(now, task, then, out);
                }
            }
            // A participant that misses the decision is notified later; the task continues.
            UnitPhase::Committing { missing, then } => {
                let then = *then;
                missing.retain(|p| *p != participant);
                let over = missing.is_empty();
                self.manage(now, out, |_, cx| cx.record_report(id, participant, yes));
                if over {
                    self.conclude(now, task, then, None, out);
                }
            }
            UnitPhase::OnePhase { then, limit } => {
                let then = *then;
                if let Some(limit) = *limit {
                    self.state.timers.cancel(limit);
                }
                let why = "the unit's participant could not commit";
                let failed = (!yes).then(|| CommitFailure::because(why));
                self.conclude(now, task, then, failed, out);
            }
            // No participant was asked.
            UnitPhase::Active
            | UnitPhase::Deciding { .. }
            | UnitPhase::Recording
            | UnitPhase::Prepared
            | UnitPhase::Securing { .. }
            | UnitPhase::AwaitingDecider { .. }
            | UnitPhase::Applying { .. } => {}
        }
    }

    /// The unit cannot be committed: it is backed out everywhere.
    pub(super) fn fail(
        &mut self,
        now: u64,
        task: TaskKey,
        then: UnitContinuation,
        why: &str,
        out: &mut Vec<KernelEffect>,
    ) {
        let unit = self.state.units.of(task);
        unit.phase = UnitPhase::Deciding { then };
        send_order(unit, Order::BackOut, out);
        self.conclude(now, task, then, Some(CommitFailure::because(why)), out);
    }

    /// Logs why a unit could not be committed. A store that fails, fails every unit until the
    /// fault is repaired: one line reports the failure, and one its end.
    fn log_failure(&mut self, result: &Result<(), ApplyError>) {
        let failures = &mut self.state.counts.store_failures;
        match result {
            Err(error) if error.is_uncertain() => {
                *failures += 1;
                tracing::error!(%error, "a unit of work is in doubt");
            }
            // Only those units need the damaged page.
            Err(ApplyError::Storage(error @ StorageError::Damaged { .. })) => {
                log_unreadable(error);
            }
            Err(error @ ApplyError::Storage(_)) => {
                *failures += 1;
                if *failures == 1 {
                    tracing::error!(%error, "units of work cannot be committed");
                }
            }
            Err(error) => tracing::error!(%error, "a unit of work could not be committed"),
            Ok(()) if *failures > 0 => {
                tracing::warn!(failed = *failures, "units of work are committed again");
                *failures = 0;
            }
            Ok(()) => {}
        }
    }

    /// The store has accepted changes, or refused them.
    pub(super) fn stored(
        &mut self,
        now: u64,
        task: TaskKey,
        then: JobContinuation,
        result: Result<(), ApplyError>,
        out: &mut Vec<KernelEffect>,
    ) {
        self.log_failure(&result);
        if result.is_ok() {
            let owed = std::mem::take(&mut self.state.owed);
            self.manage(now, out, |_, cx| {
                owed.into_iter()
                    .for_each(|changes| cx.change_store(changes));
            });
        }
        match then {
            JobContinuation::Nothing(changes) => {
                if result.is_err() {
                    self.state.owed.push(changes);
                }
            }
            JobContinuation::Command(outcome) => {
                self.command_stored(now, task, *outcome, result, out)
            }
            JobContinuation::Prepared => self.recorded(now, task, result, out),
            JobContinuation::Secured(unit) => self.secured(now, unit, result, out),
            JobContinuation::Applied(unit, ..) => self.applied(now, unit, result, out),
            JobContinuation::Forget(participant, token) => {
                if result.is_ok() {
                    out.push(KernelEffect::Forget(participant, token));
                }
            }
            JobContinuation::Unit => {
                let Some(unit) = self.state.units.get_mut(task) else {
                    return;
                };
                let UnitPhase::Deciding { then } = unit.phase else {
                    return;
                };
                if then == UnitContinuation::Settle {
                    self.settled(now, task, result, out);
                    return;
                }
                match &result {
                    Ok(()) => send_order(unit, Order::Commit, out),
                    // The next start of the region knows the outcome, and notifies them.
                    Err(error) if error.is_uncertain() => {
                        self.state.decisions.undecided.extend(unit.id);
                    }
                    Err(_) => send_order(unit, Order::BackOut, out),
                }
                if let (Some(id), Ok(())) = (unit.id, &result) {
                    let decisions = &mut self.state.decisions;
                    decisions.decided(id, &unit.participants);
                    let mut missing = unit.participants.clone();
                    missing.retain(|p| decisions.is_waited_for(*p));
                    if !missing.is_empty() {
                        unit.phase = UnitPhase::Committing { missing, then };
                        return;
                    }
                }
                let failed = result.err().map(|error| CommitFailure {
                    in_doubt: error.is_uncertain(),
                    why: error.to_string(),
                });
                self.conclude(now, task, then, failed, out);
            }
        }
    }

    /// A command's own changes are in the store, or were refused.
    fn command_stored(
        &mut self,
        now: u64,
        task: TaskKey,
        outcome: CommandCompletion,
        result: Result<(), ApplyError>,
        out: &mut Vec<KernelEffect>,
    ) {
        let stored = result.is_ok();
        self.state.counts.commits += u64::from(stored);
        self.state.counts.backouts += u64::from(!stored);
        self.manage(now, out, |resources, cx| {
            resources.settle(cx, outcome.settle, stored);
            if let Some(name) = &outcome.unlock {
                cx.unlock(task, name);
            }
        });
        let unit = self.state.units.of(task);
        let waited = unit.commit_took(now);
        if let Some(caller) = unit.end {
            self.back_out(now, task, out);
            self.leave(now, caller, None, out);
            return;
        }
        let answer = match result {
            Ok(()) => outcome.answer,
            Err(error) => (outcome.refused)(&error).into(),
        };
        out.push(KernelEffect::Answer(task, answer, waited));
    }

    /// The unit is decided: committed, or not, with the reason. A task whose unit is in doubt does
    /// not get ROLLEDBACK.
    pub(super) fn conclude(
        &mut self,
        now: u64,
        task: TaskKey,
        then: UnitContinuation,
        failed: Option<CommitFailure>,
        out: &mut Vec<KernelEffect>,
    ) {
        if let Some(branch) = self.state.units.of(task).branch.clone() {
            self.state.prepared.give_up(&branch);
            self.one_phase_ended(&branch, failed.as_ref(), out);
        }
        self.decider_over(task);
        if then == UnitContinuation::Detached {
            self.forget_detached(now, task, failed.is_none(), out);
            return;
        }
        let unit = self.state.units.of(task);
        let changed = unit.phase != UnitPhase::Active;
        let end = unit.end;
        let waited = unit.commit_took(now);
        if changed {
            self.state.counts.commits += u64::from(failed.is_none());
            self.state.counts.backouts += u64::from(failed.is_some());
        }
        self.close_unit(now, task, failed.is_none(), out);
        match (then, end) {
            // A branch that could not be prepared is reported as a unit that could
            // not be committed.
            (UnitContinuation::Syncpoint | UnitContinuation::Prepare, None) => {
                let answer = match failed {
                    None => CallAnswer::default(),
                    Some(failed) if failed.in_doubt => CallAnswer::of_abend(&NOT_COMMITTED),
                    Some(_) => CallAnswer::of_condition(Condition::RolledBack, 0),
                };
                out.push(KernelEffect::Answer(task, answer, waited));
            }
            // Its worker died while the syncpoint was decided.
            (UnitContinuation::Syncpoint | UnitContinuation::Prepare, Some(caller)) => {
                self.leave(now, caller, None, out);
            }
            // Its end is reported by another path.
            (UnitContinuation::Settle | UnitContinuation::Detached, _) => {}
            (UnitContinuation::EndTask, end) => {
                let abend = failed.map(|failed| Abend {
                    code: NOT_COMMITTED,
                    program: Name::BLANK,
                    line: 0,
                    message: if failed.in_doubt {
                        format!("the unit of work is in doubt: {}", failed.why)
                    } else {
                        format!("the unit of work could not be committed: {}", failed.why)
                    },
                });
                if let Some(caller) = end {
                    self.leave(now, caller, abend, out);
                }
            }
        }
    }

    /// Drops a unit's changes.
    pub(super) fn back_out(&mut self, now: u64, task: TaskKey, out: &mut Vec<KernelEffect>) {
        let unit = self.state.units.of(task);
        if !unit.is_empty() {
            send_order(unit, Order::BackOut, out);
            self.state.counts.backouts += 1;
        }
        self.close_unit(now, task, false, out);
    }

    /// A unit is over: notifies the managers, releases the locks, and begins the task's next unit.
    fn close_unit(
        &mut self,
        now: u64,
        task: TaskKey,
        committed: bool,
        out: &mut Vec<KernelEffect>,
    ) {
        let end = self.state.units.remove(task).and_then(|unit| unit.end);
        *self.state.units.of(task) = UnitState {
            end,
            ..UnitState::default()
        };
        self.manage(now, out, |resources, cx| {
            resources.unit_ended(cx, task, committed);
        });
        let next = self.state.locks.release_unit(task);
        let woken = next.into_iter().map(|task| (task, WakeReason::Granted));
        self.state.woken.extend(woken);
    }

    /// A task and its unit are over: removes all of their state.
    pub(super) fn leave(
        &mut self,
        now: u64,
        caller: CallingTask,
        abend: Option<Abend>,
        out: &mut Vec<KernelEffect>,
    ) {
        self.manage(now, out, |resources, cx| resources.task_ended(cx, &caller));
        let next = self.state.locks.release(caller.key);
        let woken = next.into_iter().map(|task| (task, WakeReason::Granted));
        self.state.woken.extend(woken);
        self.state.units.remove(caller.key);
        self.state.purged.remove(&caller.key);
        out.push(KernelEffect::Ended(caller.key, abend));
    }
}

/// Sends an order to all participants of a unit.
pub(super) fn send_order(unit: &UnitState, order: Order, out: &mut Vec<KernelEffect>) {
    send_order_to(unit, &unit.participants, order, out);
}

/// Sends an order to some participants of a unit.
pub(super) fn send_order_to(
    unit: &UnitState,
    participants: &[ParticipantId],
    order: Order,
    out: &mut Vec<KernelEffect>,
) {
    let Some(id) = unit.id else {
        return;
    };
    for participant in participants {
        out.push(KernelEffect::Participant(id, *participant, order));
    }
}
