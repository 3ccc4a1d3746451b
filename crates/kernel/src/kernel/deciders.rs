//! Units of work that a participant other than the store decides.
//!
//! A database that cannot prepare, or must not, is *the decider* of a unit; a unit has at
//! most one. The store keeps the unit's changes durably as prepared, the decider commits,
//! and the store applies the changes. The locks stay until the outcome is known and applied.
//! If the answer to the commit is lost, or the region fails, the decider is asked for the
//! outcome.
//!
//! ```text
//!  Active ──▶ Preparing ──▶ Securing ──▶ Asking ──committed──▶ Applying ──▶ over
//!               (others)                   └──────backed out──────────────▶ over
//!
//!   table decider
//!     token (16)  version 1 | decider (length, u8 | name) | branch (length, u8 | name)
//!                 | a record as in `prepared`
//! ```
//!
//! The transaction that applies a unit deletes its record. It needs no flush of its own:
//! after a power failure the record is there again, and the decider is asked again. The
//! decider may forget the unit once the transaction is durable.
//!
//! Reference: X/Open distributed transaction processing, "Last resource commit";
//! CICS recovery and restart, "In-doubt units of work".
//! Invariant: an outcome is never guessed. Only the decider or an operator ends a
//! unit in doubt.

use std::collections::{BTreeMap, BTreeSet};

use link::{CallAnswer, Name};
use store::{ApplyError, Table, UnitOfWork};

use super::effect::{
    JobContinuation, KernelEffect, Order, ParticipantId, StoreJob, UnitId, UnitToken,
};
use super::locks::{LockLifetime, LockName};
use super::prepared::{BranchId, PreparedTask, Record, emit, parse as parse_record};
use super::request::CallingTask;
use super::syncpoint::{CommitFailure, NOT_COMMITTED, send_order_to};
use super::timers::{AlarmTarget, TimerId};
use super::unit::{UnitContinuation, UnitPhase, UnitState, UnitTable};
use super::{Kernel, KernelState, ResourceManagers, WakeReason, one_phase, scan};
use crate::core::TaskKey;
use crate::types::Abend;

pub(super) const TABLE: Table = Table::new("decider");
/// First byte of a record.
const VERSION: u8 = 1;
/// Most time that a task waits for the outcome of its unit, in nanoseconds. A killed server
/// has restarted by then.
pub const OUTCOME_WAIT_NS: u64 = 30_000_000_000;
/// Interval between requests to a decider that does not know the outcome, and to a store
/// that does not apply it, in nanoseconds.
const AGAIN_NS: u64 = 1_000_000_000;

/// The state of a unit that a participant decides.
#[derive(Debug)]
pub struct DeciderPart {
    /// The participant.
    pub participant: ParticipantId,
    /// The token by which the participant identifies the unit.
    pub token: UnitToken,
    /// When the store was asked to keep the unit, nanoseconds since 1970.
    since_unix_ns: u64,
    /// The task of the unit.
    task: PreparedTask,
    /// The answer to the commit was lost.
    unknown: bool,
    /// The timer for the next request to the participant or the store.
    again: Option<TimerId>,
    /// When the task stops waiting.
    limit: Option<TimerId>,
}

/// Participants that decide, and units in doubt whose tasks have ended.
#[derive(Debug, Default)]
pub struct DeciderTable {
    /// Whether each of them can also prepare.
    roles: BTreeMap<ParticipantId, bool>,
    /// The keys of units in doubt that no task waits for.
    pub(super) detached: BTreeSet<TaskKey>,
}

impl DeciderTable {
    /// Whether a participant decides units that it joins.
    pub fn decides(&self, participant: ParticipantId) -> bool {
        self.roles.contains_key(&participant)
    }

    /// Whether a participant can prepare a unit for a coordinator of another region.
    pub fn can_prepare(&self, participant: ParticipantId) -> bool {
        self.roles.get(&participant).copied().unwrap_or(true)
    }
}

/// A unit whose outcome is not known, or not applied yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InDoubtUnit {
    /// Its number.
    pub unit: UnitId,
    /// The token by which its decider identifies it.
    pub token: UnitToken,
    /// The name of its decider.
    pub decider: String,
    /// The task of the unit.
    pub task: PreparedTask,
    /// When the store was asked to keep it, in nanoseconds since 1970.
    pub since_unix_ns: u64,
    /// Records of files, and entries of queues and requests to start tasks, that
    /// it changes.
    pub records: usize,
    /// The locks that it holds.
    pub locks: Vec<String>,
    /// It is committed but not applied by the store yet.
    pub applying: bool,
}

impl UnitTable {
    /// The participant that decides joins a task's unit. Returns `None` if
    /// another one decides it.
    pub fn join_decider(
        &mut self,
        task: TaskKey,
        participant: ParticipantId,
        token: UnitToken,
        number: impl FnOnce() -> UnitId,
    ) -> Option<UnitId> {
        let unit = self.of(task);
        match &unit.decider {
            Some(part) if part.participant != participant => return None,
            Some(_) => {}
            None => {
                unit.decider = Some(Box::new(DeciderPart {
                    participant,
                    token,
                    since_unix_ns: 0,
                    task: PreparedTask::default(),
                    unknown: false,
                    again: None,
                    limit: None,
                }));
            }
        }
        Some(self.join(task, participant, number))
    }
}

impl<R: ResourceManagers> Kernel<R> {
    /// The participant that decides joins a task's unit, with a token that no other unit has.
    /// Returns `None` if another participant decides the unit.
    pub fn join_decider(
        &mut self,
        now: u64,
        caller: &CallingTask,
        participant: ParticipantId,
        token: UnitToken,
        out: &mut Vec<KernelEffect>,
    ) -> Option<UnitId> {
        self.begin_unit(now, caller, out);
        let KernelState {
            units,
            decisions,
            settings,
            ..
        } = &mut self.state;
        let unix_ns = settings.unix_offset_ns + now;
        units.join_decider(caller.key, participant, token, || {
            decisions.next_unit(unix_ns)
        })
    }

    /// A participant decides the units that it joins. `prepares` is true if it can also prepare
    /// for a coordinator of another region.
    pub fn set_decider(&mut self, participant: ParticipantId, prepares: bool) {
        self.state.deciders.roles.insert(participant, prepares);
    }

    /// Participants that decide.
    pub fn deciders(&self) -> &DeciderTable {
        &self.state.deciders
    }

    /// The task whose unit is under way under a number.
    #[cfg(any(test, feature = "sim"))]
    pub fn task_of(&self, unit: UnitId) -> Option<TaskKey> {
        self.state.units.task_of(unit)
    }

    /// Whether a key is that of a unit in doubt that no task waits for.
    #[cfg(any(test, feature = "sim"))]
    pub fn is_detached(&self, key: TaskKey) -> bool {
        self.state.deciders.detached.contains(&key)
    }

    /// The units in doubt that a participant other than the store decides, by number.
    pub fn in_doubt_units(&self) -> Vec<InDoubtUnit> {
        let all = self.state.units.each().filter_map(|(key, unit)| {
            let (part, id) = (unit.decider.as_ref()?, unit.id?);
            let applying = matches!(unit.phase, UnitPhase::Applying { .. });
            let in_doubt = matches!(unit.phase, UnitPhase::AwaitingDecider { .. }) && part.unknown;
            if !applying && !in_doubt {
                return None;
            }
            let decider = self.state.decisions.name(part.participant)?;
            Some(InDoubtUnit {
                unit: id,
                token: part.token,
                decider: decider.to_owned(),
                task: part.task,
                since_unix_ns: part.since_unix_ns,
                records: unit.changes.changes().count() + unit.changes.table_changes().count(),
                locks: self
                    .state
                    .locks
                    .of_unit(key)
                    .map(LockName::to_string)
                    .collect(),
                applying,
            })
        });
        let mut all: Vec<InDoubtUnit> = all.collect();
        all.sort_unstable_by_key(|unit| unit.unit);
        all
    }

    /// Keeps the task's identity for the record of the unit.
    pub(super) fn note_caller(&mut self, caller: &CallingTask) {
        let unit = self.state.units.of(caller.key);
        if let Some(part) = &mut unit.decider {
            part.task = PreparedTask::of(caller);
        }
    }

    /// Begins to commit a unit that has a decider and other changes.
    pub(super) fn begin_decider(
        &mut self,
        now: u64,
        task: TaskKey,
        then: UnitContinuation,
        out: &mut Vec<KernelEffect>,
    ) {
        let unit = self.state.units.of(task);
        let others = others(unit);
        if others.is_empty() {
            self.secure(now, task, then, out);
            return;
        }
        send_order_to(unit, &others, Order::Prepare, out);
        unit.phase = UnitPhase::Preparing {
            missing: others,
            refused: false,
            then,
        };
    }

    /// Makes the store keep the changes of a unit as prepared.
    pub(super) fn secure(
        &mut self,
        now: u64,
        task: TaskKey,
        then: UnitContinuation,
        out: &mut Vec<KernelEffect>,
    ) {
        let locks = self.state.locks.of_unit(task).cloned().collect();
        let since_unix_ns = self.state.settings.unix_offset_ns + now;
        let unit = self.state.units.of(task);
        let others = others(unit);
        let (Some(part), Some(id)) = (&mut unit.decider, unit.id) else {
            return;
        };
        part.since_unix_ns = since_unix_ns;
        unit.phase = UnitPhase::Securing { then };
        unit.commit_began = Some(now);
        let decisions = &self.state.decisions;
        let names = others.iter().filter_map(|p| decisions.name(*p));
        let record = Record {
            since_unix_ns,
            unit: Some(id),
            task: part.task,
            participants: names.map(str::to_owned).collect(),
            locks,
            changes: UnitOfWork::new(),
        };
        let decider = decisions.name(part.participant).unwrap_or_default();
        let bytes = record_bytes(decider, unit.branch.as_ref(), &record, &unit.changes);
        let mut changes = UnitOfWork::new();
        changes.put(TABLE, part.token.as_bytes(), &bytes);
        out.push(KernelEffect::Commit(StoreJob {
            task,
            changes,
            then: JobContinuation::Secured(id),
        }));
    }

    /// The store has kept the prepared changes of a unit, or failed to.
    pub(super) fn secured(
        &mut self,
        now: u64,
        id: UnitId,
        result: Result<(), ApplyError>,
        out: &mut Vec<KernelEffect>,
    ) {
        let Some(task) = self.state.units.task_of(id) else {
            return;
        };
        let unit = self.state.units.of(task);
        let (UnitPhase::Securing { then }, Some(part)) = (&unit.phase, &mut unit.decider) else {
            return;
        };
        let then = *then;
        if let Err(error) = result {
            // If the record exists nevertheless, the next start asks the decider, which
            // has backed the unit out.
            self.fail(now, task, then, &error.to_string(), out);
            return;
        }
        unit.phase = UnitPhase::AwaitingDecider { then };
        let until = now + self.state.settings.outcome_wait_ns;
        let timers = &mut self.state.timers;
        part.limit = Some(timers.set(until, AlarmTarget::OnePhase(id)));
        out.push(KernelEffect::Decide(id, part.participant, part.token));
    }

    /// The decider of a unit reports whether it is committed; `None` if that is not known now.
    pub fn outcome_known(
        &mut self,
        now: u64,
        id: UnitId,
        participant: ParticipantId,
        committed: Option<bool>,
        out: &mut Vec<KernelEffect>,
    ) {
        let Some(task) = self.state.units.task_of(id) else {
            return;
        };
        let unit = self.state.units.of(task);
        let (UnitPhase::AwaitingDecider { then }, Some(part)) = (&unit.phase, &mut unit.decider)
        else {
            return;
        };
        if part.participant != participant {
            return;
        }
        let then = *then;
        match committed {
            Some(true) => self.apply(now, task, then, out),
            Some(false) => self.drop_decided(now, task, then, out),
            None if !part.unknown => {
                part.unknown = true;
                tracing::warn!(
                    unit = %id,
                    "a unit of work is in doubt: its participant is asked for the outcome"
                );
                out.push(KernelEffect::AskOutcome(id, participant, part.token));
            }
            None => self.decide_later(now, task, id),
        }
        self.wake(now, out);
    }

    /// The decider of units is connected, for the first time or again: it is asked for the
    /// units in doubt.
    pub fn decider_returned(&mut self, participant: ParticipantId, out: &mut Vec<KernelEffect>) {
        let all = self.state.units.each().filter_map(|(_, unit)| {
            let part = unit.decider.as_ref()?;
            let in_doubt = matches!(unit.phase, UnitPhase::AwaitingDecider { .. }) && part.unknown;
            let asked = in_doubt && part.participant == participant;
            asked.then_some((unit.id?, part.token))
        });
        let mut asked: Vec<(UnitId, UnitToken)> = all.collect();
        asked.sort_unstable();
        let questions = asked.into_iter();
        out.extend(questions.map(|(id, token)| KernelEffect::AskOutcome(id, participant, token)));
    }

    /// An operator resolves a unit in doubt instead of its decider. Returns false if no unit of
    /// this number is in doubt.
    pub fn settle_in_doubt(
        &mut self,
        now: u64,
        id: UnitId,
        commit: bool,
        out: &mut Vec<KernelEffect>,
    ) -> bool {
        let Some(task) = self.state.units.task_of(id) else {
            return false;
        };
        let unit = self.state.units.of(task);
        let (UnitPhase::AwaitingDecider { then }, Some(part)) = (&unit.phase, &unit.decider) else {
            return false;
        };
        let then = *then;
        if !part.unknown {
            return false;
        }
        if commit {
            self.apply(now, task, then, out)
        } else {
            self.drop_decided(now, task, then, out)
        }
        self.wake(now, out);
        true
    }

    /// The timer fired: asks the decider again, or lets the store apply again.
    pub(super) fn decider_due(&mut self, now: u64, id: UnitId, out: &mut Vec<KernelEffect>) {
        let Some(task) = self.state.units.task_of(id) else {
            return;
        };
        let unit = self.state.units.of(task);
        let Some(part) = &mut unit.decider else {
            return;
        };
        part.again = None;
        match unit.phase {
            UnitPhase::AwaitingDecider { .. } => {
                out.push(KernelEffect::AskOutcome(id, part.participant, part.token));
            }
            UnitPhase::Applying { then } => self.apply(now, task, then, out),
            _ => {}
        }
    }

    fn decide_later(&mut self, now: u64, task: TaskKey, id: UnitId) {
        let timers = &mut self.state.timers;
        if let Some(part) = &mut self.state.units.of(task).decider
            && part.again.is_none()
        {
            part.again = Some(timers.set(now + AGAIN_NS, AlarmTarget::Decider(id)));
        }
    }

    /// The decider has committed: the store applies the changes.
    fn apply(
        &mut self,
        now: u64,
        task: TaskKey,
        then: UnitContinuation,
        out: &mut Vec<KernelEffect>,
    ) {
        let unit = self.state.units.of(task);
        let others = others(unit);
        let (Some(part), Some(id)) = (&mut unit.decider, unit.id) else {
            return;
        };
        if let Some(timer) = part.again.take() {
            self.state.timers.cancel(timer);
        }
        unit.phase = UnitPhase::Applying { then };
        unit.commit_began.get_or_insert(now);
        // A job that the store refuses is sent again.
        let mut changes = unit.changes.clone();
        changes.remove(TABLE, part.token.as_bytes());
        if !others.is_empty() {
            self.state.decisions.decide(id, &others, &mut changes);
        }
        out.push(KernelEffect::Commit(StoreJob {
            task,
            changes,
            then: JobContinuation::Applied(id, part.participant, part.token),
        }));
    }

    /// The store has applied the changes that a decider has committed, or failed to.
    pub(super) fn applied(
        &mut self,
        now: u64,
        id: UnitId,
        result: Result<(), ApplyError>,
        out: &mut Vec<KernelEffect>,
    ) {
        let Some(task) = self.state.units.task_of(id) else {
            return;
        };
        let unit = self.state.units.of(task);
        let UnitPhase::Applying { then } = unit.phase else {
            return;
        };
        if result.is_err() {
            self.decide_later(now, task, id);
            return;
        }
        let others = others(unit);
        send_order_to(unit, &others, Order::Commit, out);
        if !others.is_empty() {
            let decisions = &mut self.state.decisions;
            decisions.decided(id, &others);
            let mut missing = others;
            missing.retain(|p| decisions.is_waited_for(*p));
            if !missing.is_empty() && then != UnitContinuation::Detached {
                self.decider_over(task);
                self.state.units.of(task).phase = UnitPhase::Committing { missing, then };
                return;
            }
        }
        self.conclude(now, task, then, None, out);
    }

    /// The decider has backed out: all other participants back out too.
    fn drop_decided(
        &mut self,
        now: u64,
        task: TaskKey,
        then: UnitContinuation,
        out: &mut Vec<KernelEffect>,
    ) {
        let unit = self.state.units.of(task);
        send_order_to(unit, &others(unit), Order::BackOut, out);
        if let Some(part) = &unit.decider {
            let mut changes = UnitOfWork::new();
            changes.remove(TABLE, part.token.as_bytes());
            self.manage(now, out, |_, cx| cx.change_store(changes));
        }
        let why = "the participant that decides the unit could not commit";
        self.conclude(now, task, then, Some(CommitFailure::because(why)), out);
    }

    /// Cancels the timers of a unit that is over.
    pub(super) fn decider_over(&mut self, task: TaskKey) {
        let timers = &mut self.state.timers;
        if let Some(part) = &mut self.state.units.of(task).decider {
            let alarms = [part.again.take(), part.limit.take()];
            alarms.into_iter().flatten().for_each(|timer| {
                timers.cancel(timer);
            });
        }
    }

    /// A task has waited long enough for the outcome of its unit. Its answer is that the unit is
    /// in doubt; the unit continues without the task, with its locks.
    pub(super) fn detach(
        &mut self,
        now: u64,
        task: TaskKey,
        then: UnitContinuation,
        out: &mut Vec<KernelEffect>,
    ) {
        if then == UnitContinuation::Detached {
            return;
        }
        let Some(mut unit) = self.state.units.remove(task) else {
            return;
        };
        if let Some(part) = &mut unit.decider {
            part.limit = None;
        }
        let end = unit.end.take();
        let waited = unit.commit_took(now);
        unit.phase = match unit.phase {
            UnitPhase::Applying { .. } => UnitPhase::Applying {
                then: UnitContinuation::Detached,
            },
            _ => UnitPhase::AwaitingDecider {
                then: UnitContinuation::Detached,
            },
        };
        let key = self.state.prepared.next_key();
        self.state.locks.hand_unit_over(task, key);
        self.state.units.put(key, unit);
        self.state.deciders.detached.insert(key);
        *self.state.units.of(task) = UnitState {
            end,
            ..UnitState::default()
        };
        self.manage(now, out, |resources, cx| {
            resources.unit_prepared(cx, task, key);
        });
        let abend = Abend {
            code: NOT_COMMITTED,
            program: Name::BLANK,
            line: 0,
            message: "the unit of work is in doubt: the participant that decides it has not \
                      said in time whether it is committed"
                .to_owned(),
        };
        match (then, end) {
            (UnitContinuation::EndTask, Some(caller)) => self.leave(now, caller, Some(abend), out),
            (_, Some(caller)) => self.leave(now, caller, None, out),
            (_, None) => {
                let answer = CallAnswer::of_abend(&NOT_COMMITTED);
                out.push(KernelEffect::Answer(task, answer, waited));
            }
        }
    }

    /// A unit without a task is over: the managers are called, and its locks are released.
    pub(super) fn forget_detached(
        &mut self,
        now: u64,
        key: TaskKey,
        committed: bool,
        out: &mut Vec<KernelEffect>,
    ) {
        self.state.deciders.detached.remove(&key);
        self.state.units.remove(key);
        self.state.counts.commits += u64::from(committed);
        self.state.counts.backouts += u64::from(!committed);
        self.manage(now, out, |resources, cx| {
            resources.unit_ended(cx, key, committed);
        });
        // Changes that a manager began for the next unit of a task.
        self.state.units.remove(key);
        let next = self.state.locks.release(key);
        let woken = next.into_iter().map(|task| (task, WakeReason::Granted));
        self.state.woken.extend(woken);
    }

    /// Restores the units in doubt of the last run with their locks, before any task runs.
    pub(super) fn restore_deciders(&mut self) {
        let Some(reader) = &mut self.state.reader else {
            return;
        };
        let mut tables = R::tables();
        tables.push(one_phase::TABLE);
        let mut found = Vec::new();
        let read = scan(reader.as_mut(), TABLE, &mut |key, bytes| match key
            .try_into()
            .ok()
            .zip(parse(bytes, &tables))
        {
            Some((token, record)) => found.push((UnitToken(token), record)),
            None => tracing::error!(
                token = %key.escape_ascii(),
                "the record of a unit of work in doubt cannot be read"
            ),
        });
        if let Err(error) = read {
            self.state
                .not_restored("the units of work in doubt", &error);
        }
        for (token, kept) in found {
            self.restore_decider(token, kept);
        }
    }

    fn restore_decider(&mut self, token: UnitToken, kept: StoredDecision) {
        let StoredDecision {
            decider,
            branch,
            record,
        } = kept;
        let Some(id) = record.unit else {
            return;
        };
        tracing::info!(unit = %id, decider, "a unit of work is in doubt since the last end of the region");
        let managers = &mut self.resources;
        if let Some(reader) = &mut self.state.reader
            && let Err(error) = managers.keep_ends(reader.as_mut(), &record.changes)
        {
            tracing::error!(%error, unit = %id, "a file of the unit of work could not be read");
        }
        let decisions = &mut self.state.decisions;
        let participant = decisions.participant(&decider);
        let mut participants = vec![participant];
        let names = record.participants.iter();
        participants.extend(names.map(|name| decisions.participant(name)));
        decisions.used(id);
        let key = self.state.prepared.next_key();
        for name in &record.locks {
            self.state.locks.lock(key, name, LockLifetime::Unit);
        }
        if let Some(branch) = &branch {
            self.one_phase_restored(branch.clone());
        }
        let part = DeciderPart {
            participant,
            token,
            since_unix_ns: record.since_unix_ns,
            task: record.task,
            unknown: true,
            again: None,
            limit: None,
        };
        let unit = UnitState {
            changes: record.changes,
            id: Some(id),
            participants,
            decider: Some(Box::new(part)),
            phase: UnitPhase::AwaitingDecider {
                then: UnitContinuation::Detached,
            },
            branch,
            ..UnitState::default()
        };
        self.state.units.put(key, unit);
        self.state.deciders.detached.insert(key);
    }

    /// Notifies resource managers of the restored units, after all else is restored, and asks
    /// the deciders.
    pub(super) fn restore_decider_parts(&mut self, now: u64, out: &mut Vec<KernelEffect>) {
        let keys: Vec<TaskKey> = self.state.deciders.detached.iter().copied().collect();
        for key in keys {
            let Some(unit) = self.state.units.get_mut(key) else {
                continue;
            };
            if let (Some(part), Some(id)) = (&unit.decider, unit.id) {
                out.push(KernelEffect::AskOutcome(id, part.participant, part.token));
            }
            let changes = std::mem::take(&mut unit.changes);
            self.manage(now, out, |resources, cx| {
                resources.unit_restored(cx, key, &changes);
            });
            self.state.units.of(key).changes = changes;
        }
    }
}

impl KernelState {
    /// The unit in doubt, of an earlier run of the region, that removes an entry of a table.
    pub fn in_doubt_removal(&self, table: Table, key: &[u8]) -> Option<TaskKey> {
        let mut keys = self.deciders.detached.iter().copied();
        keys.find(|unit| {
            let changes = self.units.get(*unit).map(|unit| &unit.changes);
            let mut rows = changes.into_iter().flat_map(|c| c.changes_of(table));
            rows.any(|(row, value)| row == key && value.is_none())
        })
    }
}

/// A record of the table.
pub(super) fn record_bytes(
    decider: &str,
    branch: Option<&BranchId>,
    record: &Record,
    changes: &UnitOfWork,
) -> Vec<u8> {
    let mut bytes = vec![VERSION];
    for name in [decider.as_bytes(), branch.map_or(&[], BranchId::as_bytes)] {
        bytes.push(name.len() as u8);
        bytes.extend(name);
    }
    bytes.extend(emit(record, changes));
    bytes
}

/// The participants of a unit except the one that decides.
fn others(unit: &UnitState) -> Vec<ParticipantId> {
    let decider = unit.decider.as_ref().map(|part| part.participant);
    let all = unit.participants.iter().copied();
    all.filter(|participant| Some(*participant) != decider)
        .collect()
}

/// A parsed record of the store.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct StoredDecision {
    pub decider: String,
    pub branch: Option<BranchId>,
    pub record: Record,
}

pub(super) fn parse(bytes: &[u8], tables: &[Table]) -> Option<StoredDecision> {
    let rest = bytes.strip_prefix(&[VERSION])?;
    let (decider, rest) = parse_name(rest)?;
    let (branch, rest) = parse_name(rest)?;
    Some(StoredDecision {
        decider: String::from_utf8(decider.to_vec()).ok()?,
        branch: BranchId::new(branch),
        record: parse_record(rest, tables)?,
    })
}

fn parse_name(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (&length, rest) = bytes.split_first()?;
    rest.split_at_checked(length.into())
}
