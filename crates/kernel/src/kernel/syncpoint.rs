//! The end of a unit of work: SYNCPOINT, ROLLBACK, the end of a task.
//!
//! All go one path. Where only one participant has changed something it
//! commits in one phase. With several, each beside the store prepares first;
//! the commit of the store decides and leaves a record of it, and the others
//! are told afterwards ([`super::decisions`]). One that alone has changes and cannot
//! be reached when it should say that it has committed them is asked, and the task
//! waits for that. A region that can be reached has
//! committed before the task goes on, so that who looks there next sees it.
//! What cannot be committed is backed out everywhere.
//!
//! ```text
//!  Active ──▶ Preparing ──all can──▶ Deciding ──▶ over
//!     │            └────one cannot──────────────▶ backed out
//!     ├──the store alone──▶ Deciding
//!     ├──one other alone──▶ Alone ──▶ over, or in doubt
//!     └──one that decides, and others──▶ [`super::deciders`]
//! ```

use link::{CallAnswer, Name};
use store::{ApplyError, StorageError};

use super::effect::{Effect, Job, Order, ParticipantId, Then, UnitId};
use super::request::{Caller, Outcome};
use super::unit::{After, Phase, Unit};
use super::{Kernel, Managers, State, Woken, log_unreadable};
use crate::core::TaskKey;
use crate::types::Abend;
use cics::resp::Condition;

/// Abend code of a task whose unit of work could not be committed.
pub(super) const NOT_COMMITTED: [u8; 4] = *b"ASP7";

/// Why a unit was not committed.
pub(super) struct Failed {
    pub why: String,
    /// Nobody knows whether it was.
    pub in_doubt: bool,
}

impl Failed {
    pub(super) fn because(why: &str) -> Failed {
        Failed {
            why: why.to_owned(),
            in_doubt: false,
        }
    }
}

impl<R: Managers> Kernel<R> {
    /// A participant changes something for a task's unit, which begins with that
    /// if it has not begun.
    pub fn join(
        &mut self,
        now: u64,
        caller: &Caller,
        participant: ParticipantId,
        out: &mut Vec<Effect>,
    ) -> UnitId {
        self.begin_unit(now, caller, out);
        let State {
            units,
            decisions,
            settings,
            ..
        } = &mut self.state;
        let unix_ns = settings.unix_offset_ns + now;
        units.join(caller.key, participant, || decisions.next_unit(unix_ns))
    }

    /// SYNCPOINT of a running task.
    pub(super) fn syncpoint(&mut self, now: u64, task: TaskKey, out: &mut Vec<Effect>) {
        self.commit(now, task, After::Syncpoint, out);
    }

    /// SYNCPOINT ROLLBACK of a running task.
    pub(super) fn rollback(&mut self, now: u64, task: TaskKey, out: &mut Vec<Effect>) {
        self.back_out(now, task, out);
        out.push(Effect::Answer(task, CallAnswer::default(), 0));
    }

    /// A task is over.
    pub(super) fn end_task(
        &mut self,
        now: u64,
        caller: Caller,
        commit: bool,
        out: &mut Vec<Effect>,
    ) {
        let task = caller.key;
        self.take_wait(task);
        self.note_caller(&caller);
        let unit = self.state.units.of(task);
        unit.end = Some(caller);
        if unit.is_busy() {
            // The syncpoint in progress decides; what came before it stands.
            return;
        }
        if commit {
            self.commit(now, task, After::EndTask, out);
        } else {
            self.back_out(now, task, out);
            self.leave(now, caller, None, out);
        }
    }

    /// Begins to commit a task's unit.
    pub(super) fn commit(&mut self, now: u64, task: TaskKey, then: After, out: &mut Vec<Effect>) {
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
                unit.phase = Phase::Alone { then, limit: None };
                tell(unit, Order::CommitOnePhase, out);
            }
            (_, _) if has_store && unit.decider.is_some() => {
                self.begin_decider(now, task, then, out);
            }
            (_, several) if has_store => {
                unit.phase = Phase::Preparing {
                    missing: several.to_vec(),
                    refused: false,
                    then,
                };
                tell(unit, Order::Prepare, out);
            }
            _ => {
                let why = "units of several participants need a store";
                self.fail(now, task, then, why, out);
            }
        }
    }

    /// Hands the unit's changes to the store, whose commit is the decision.
    fn decide(&mut self, now: u64, task: TaskKey, then: After, out: &mut Vec<Effect>) {
        let unit = self.state.units.of(task);
        unit.phase = Phase::Deciding { then };
        unit.commit_began = Some(now);
        let mut changes = std::mem::take(&mut unit.changes);
        if let Some(id) = unit.id {
            let decisions = &self.state.decisions;
            decisions.decide(id, &unit.participants, &mut changes);
        }
        out.push(Effect::Commit(Job {
            task,
            changes,
            then: Then::Unit,
        }));
    }

    /// A participant's answer to an order.
    pub(super) fn vote(
        &mut self,
        now: u64,
        id: UnitId,
        participant: ParticipantId,
        yes: bool,
        out: &mut Vec<Effect>,
    ) {
        let Some(task) = self.state.units.task_of(id) else {
            // The unit is decided.
            self.manage(now, out, |_, cx| cx.heard(id, participant, yes));
            return;
        };
        let unit = self.state.units.of(task);
        match &mut unit.phase {
            Phase::Preparing {
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
                } else if then == After::Prepare {
                    self.record(now, task, out);
                } else if decided_elsewhere {
                    self.secure(now, task, then, out);
                } else {
                    self.decide(now, task, then, out);
                }
            }
            // What one of them has not heard it is told later; the task goes on.
            Phase::Telling { missing, then } => {
                let then = *then;
                missing.retain(|p| *p != participant);
                let over = missing.is_empty();
                self.manage(now, out, |_, cx| cx.heard(id, participant, yes));
                if over {
                    self.conclude(now, task, then, None, out);
                }
            }
            Phase::Alone { then, limit } => {
                let then = *then;
                if let Some(limit) = *limit {
                    self.state.timers.cancel(limit);
                }
                let why = "the unit's participant could not commit";
                let failed = (!yes).then(|| Failed::because(why));
                self.conclude(now, task, then, failed, out);
            }
            // Nobody was asked.
            Phase::Active
            | Phase::Deciding { .. }
            | Phase::Recording
            | Phase::Prepared
            | Phase::Securing { .. }
            | Phase::Asking { .. }
            | Phase::Applying { .. } => {}
        }
    }

    /// The unit cannot be committed: it is backed out everywhere.
    pub(super) fn fail(
        &mut self,
        now: u64,
        task: TaskKey,
        then: After,
        why: &str,
        out: &mut Vec<Effect>,
    ) {
        let unit = self.state.units.of(task);
        unit.phase = Phase::Deciding { then };
        tell(unit, Order::BackOut, out);
        self.conclude(now, task, then, Some(Failed::because(why)), out);
    }

    /// Logs why a unit could not be committed. A store that fails, fails every
    /// unit until somebody helps: one line says so, and one that it is over.
    fn tell_of_failure(&mut self, result: &Result<(), ApplyError>) {
        let failures = &mut self.state.counts.store_failures;
        match result {
            Err(error) if error.is_uncertain() => {
                *failures += 1;
                tracing::error!(%error, "a unit of work is in doubt");
            }
            // It is those units' alone that need the page.
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

    /// The store took changes over, or did not.
    pub(super) fn stored(
        &mut self,
        now: u64,
        task: TaskKey,
        then: Then,
        result: Result<(), ApplyError>,
        out: &mut Vec<Effect>,
    ) {
        self.tell_of_failure(&result);
        if result.is_ok() {
            let owed = std::mem::take(&mut self.state.owed);
            self.manage(now, out, |_, cx| {
                owed.into_iter()
                    .for_each(|changes| cx.change_store(changes));
            });
        }
        match then {
            Then::Nothing(changes) => {
                if result.is_err() {
                    self.state.owed.push(changes);
                }
            }
            Then::Command(outcome) => self.command_stored(now, task, *outcome, result, out),
            Then::Prepared => self.recorded(now, task, result, out),
            Then::Secured(unit) => self.secured(now, unit, result, out),
            Then::Applied(unit, ..) => self.applied(now, unit, result, out),
            Then::Forget(participant, token) => {
                if result.is_ok() {
                    out.push(Effect::Forget(participant, token));
                }
            }
            Then::Unit => {
                let Some(unit) = self.state.units.get_mut(task) else {
                    return;
                };
                let Phase::Deciding { then } = unit.phase else {
                    return;
                };
                if then == After::Settle {
                    self.settled(now, task, result, out);
                    return;
                }
                match &result {
                    Ok(()) => tell(unit, Order::Commit, out),
                    // The next start of the region knows, and tells them.
                    Err(error) if error.is_uncertain() => {
                        self.state.decisions.undecided.extend(unit.id);
                    }
                    Err(_) => tell(unit, Order::BackOut, out),
                }
                if let (Some(id), Ok(())) = (unit.id, &result) {
                    let decisions = &mut self.state.decisions;
                    decisions.decided(id, &unit.participants);
                    let mut missing = unit.participants.clone();
                    missing.retain(|p| decisions.is_waited_for(*p));
                    if !missing.is_empty() {
                        unit.phase = Phase::Telling { missing, then };
                        return;
                    }
                }
                let failed = result.err().map(|error| Failed {
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
        outcome: Outcome,
        result: Result<(), ApplyError>,
        out: &mut Vec<Effect>,
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
        out.push(Effect::Answer(task, answer, waited));
    }

    /// The unit is decided: committed, or not, and why not. A task whose unit is
    /// in doubt is not told that it was backed out.
    pub(super) fn conclude(
        &mut self,
        now: u64,
        task: TaskKey,
        then: After,
        failed: Option<Failed>,
        out: &mut Vec<Effect>,
    ) {
        if let Some(branch) = self.state.units.of(task).branch.clone() {
            self.state.prepared.give_up(&branch);
            self.alone_over(&branch, failed.as_ref(), out);
        }
        self.decider_over(task);
        if then == After::Detached {
            self.forget_detached(now, task, failed.is_none(), out);
            return;
        }
        let unit = self.state.units.of(task);
        let changed = unit.phase != Phase::Active;
        let end = unit.end;
        let waited = unit.commit_took(now);
        if changed {
            self.state.counts.commits += u64::from(failed.is_none());
            self.state.counts.backouts += u64::from(failed.is_some());
        }
        self.close_unit(now, task, failed.is_none(), out);
        match (then, end) {
            // A branch that could not be prepared is told as a unit that could
            // not be committed.
            (After::Syncpoint | After::Prepare, None) => {
                let answer = match failed {
                    None => CallAnswer::default(),
                    Some(failed) if failed.in_doubt => CallAnswer::of_abend(&NOT_COMMITTED),
                    Some(_) => CallAnswer::of_condition(Condition::RolledBack, 0),
                };
                out.push(Effect::Answer(task, answer, waited));
            }
            // Its worker died while the syncpoint was decided.
            (After::Syncpoint | After::Prepare, Some(caller)) => {
                self.leave(now, caller, None, out);
            }
            // Its end is told elsewhere.
            (After::Settle | After::Detached, _) => {}
            (After::EndTask, end) => {
                let abend = failed.map(|failed| Abend {
                    code: NOT_COMMITTED,
                    program: Name::BLANK,
                    line: 0,
                    message: match failed.in_doubt {
                        true => format!("the unit of work is in doubt: {}", failed.why),
                        false => format!("the unit of work could not be committed: {}", failed.why),
                    },
                });
                if let Some(caller) = end {
                    self.leave(now, caller, abend, out);
                }
            }
        }
    }

    /// Drops a unit's changes.
    fn back_out(&mut self, now: u64, task: TaskKey, out: &mut Vec<Effect>) {
        let unit = self.state.units.of(task);
        if !unit.is_empty() {
            tell(unit, Order::BackOut, out);
            self.state.counts.backouts += 1;
        }
        self.close_unit(now, task, false, out);
    }

    /// A unit is over: its managers hear of it, its locks go back, the task's
    /// next unit begins.
    fn close_unit(&mut self, now: u64, task: TaskKey, committed: bool, out: &mut Vec<Effect>) {
        let end = self.state.units.remove(task).and_then(|unit| unit.end);
        *self.state.units.of(task) = Unit {
            end,
            ..Unit::default()
        };
        self.manage(now, out, |resources, cx| {
            resources.unit_ended(cx, task, committed);
        });
        let next = self.state.locks.release_unit(task);
        let woken = next.into_iter().map(|task| (task, Woken::Granted));
        self.state.woken.extend(woken);
    }

    /// A task is over and its unit is: nothing of it stays.
    pub(super) fn leave(
        &mut self,
        now: u64,
        caller: Caller,
        abend: Option<Abend>,
        out: &mut Vec<Effect>,
    ) {
        self.manage(now, out, |resources, cx| resources.task_ended(cx, &caller));
        let next = self.state.locks.release(caller.key);
        let woken = next.into_iter().map(|task| (task, Woken::Granted));
        self.state.woken.extend(woken);
        self.state.units.remove(caller.key);
        self.state.purged.remove(&caller.key);
        out.push(Effect::Ended(caller.key, abend));
    }
}

/// Tells all participants of a unit something.
pub(super) fn tell(unit: &Unit, order: Order, out: &mut Vec<Effect>) {
    tell_each(unit, &unit.participants, order, out);
}

/// Tells some participants of a unit something.
pub(super) fn tell_each(
    unit: &Unit,
    participants: &[ParticipantId],
    order: Order,
    out: &mut Vec<Effect>,
) {
    let Some(id) = unit.id else {
        return;
    };
    for participant in participants {
        out.push(Effect::Participant(id, *participant, order));
    }
}
