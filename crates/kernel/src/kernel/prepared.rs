//! Units of work that are prepared for a coordinator in another region.
//!
//! A region that programs of another region LINK to does its part of their unit of work: a
//! *branch*. When asked to prepare, it makes sure that it can commit, whatever happens: the
//! changes and the names of the locks go to the store, the task ends, and the unit stays,
//! with its locks, until the coordinator decides. A region that starts restores the unit, and
//! its locks before any task runs.
//!
//! ```text
//!  Active ──prepare──▶ Recording ──▶ Prepared ──commit──▶ Deciding ──▶ over
//!     │                    │            └──────back out──────────────▶ over
//!     └─nothing changed─▶ over (read only)
//!
//!   table prepared
//!     branch      version 2 | since, u64 | unit, u64 (0: none)
//!                 | task, u64 | transaction (4) | user (8)
//!                 | ACTION, u8 (1: COMMIT) | WAIT, u8 (1: YES) | WAITTIME s, u32
//!                 | participants, u8: (length, u8 | name)...
//!                 | locks, u32: (space, u8 | file, u32 | length, u16 | key)...
//!                 | changes, as `store` has them
//! ```
//!
//! The store's commit that carries the changes out deletes the record. A coordinator that
//! does not know a branch has not decided it, and backs it out. Version 1 has no task and
//! waits without limit.
//!
//! The wait of a branch depends on its task's transaction: with WAIT(NO) the branch ends by
//! ACTION as soon as its coordinator is out of reach, with WAITTIME after this time. The
//! record does not contain the time of the failure, so after a restart the time counts from
//! the prepare.
//!
//! Reference: X/Open distributed transaction processing, "Transaction branch";
//! CICS recovery and restart, "Shunted units of work"; INQUIRE TRANSACTION,
//! INDOUBTMINS: the time after a failure during the in-doubt period.
//! Invariant: a resource manager that has state of a unit in memory is notified that the unit
//! is prepared, and that it is restored.

use std::collections::BTreeMap;
use std::fmt;

use cics::csd::InDoubt;
use cics::resp::Condition;
use link::{CallAnswer, TransId, UserId};
use store::{ApplyError, FileId, Table, UnitOfWork};

use super::effect::{JobContinuation, KernelEffect, Order, ParticipantId, StoreJob, UnitId};
use super::locks::{LockLifetime, LockName, LockSpace};
use super::request::CallingTask;
use super::syncpoint::send_order;
use super::timers::{AlarmTarget, TimerId};
use super::unit::{UnitContinuation, UnitPhase, UnitState};
use super::{Kernel, KernelState, ResourceManagers, WakeReason, scan};
use crate::core::TaskKey;

const TABLE: Table = Table::new("prepared");
/// First byte of a record.
const VERSION: u8 = 2;
/// The previous version, which a region may have written.
const WITHOUT_TASK: u8 = 1;
/// Longest name of a branch, in bytes.
const MAX_BRANCH_BYTES: usize = 64;

/// The coordinator's name for the part of its unit of work that is done here: 1 to 64 bytes,
/// different for each of its units, the coordinator's own name in the first eight.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BranchId(Box<[u8]>);

impl BranchId {
    /// A name. Returns `None` if it is empty or too long.
    pub fn new(bytes: &[u8]) -> Option<BranchId> {
        (1..=MAX_BRANCH_BYTES)
            .contains(&bytes.len())
            .then(|| BranchId(bytes.into()))
    }

    /// Its bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Display for BranchId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.escape_ascii().fmt(f)
    }
}

impl fmt::Debug for BranchId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A unit that waits for its coordinator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreparedUnit {
    /// The coordinator's name for it.
    pub branch: BranchId,
    /// Its name for INQUIRE UOW; another number in each run of the region.
    pub number: u64,
    /// The task of the unit.
    pub task: PreparedTask,
    /// When it was prepared, in nanoseconds since 1970.
    pub since_unix_ns: u64,
    /// Records of files, and entries of queues and requests to start tasks, that
    /// it changes.
    pub records: usize,
    /// The locks that it holds.
    pub locks: Vec<String>,
    /// When ACTION ends it, in nanoseconds since 1970, if that is set.
    pub ends_unix_ns: Option<u64>,
    /// It is being committed.
    pub deciding: bool,
}

/// The task of a prepared unit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PreparedTask {
    /// Its number.
    pub number: u64,
    /// Its transaction.
    pub transid: TransId,
    /// Its user.
    pub userid: UserId,
    /// The in-doubt attributes of its transaction.
    pub in_doubt: InDoubt,
}

/// The branches that are prepared.
#[derive(Debug, Default)]
pub struct PreparedBranches {
    branches: BTreeMap<BranchId, PreparedBranch>,
    /// Branches that are being prepared.
    under_way: BTreeMap<BranchId, PreparingState>,
    /// Number of branches in this run of the region.
    count: u32,
}

/// Events while a branch was being prepared.
#[derive(Debug, Clone, Copy, Default)]
struct PreparingState {
    /// Its coordinator has backed it out.
    backed_out: bool,
    /// Its coordinator is out of reach.
    lost: bool,
}

/// A prepared branch: its unit and its locks have a key that no task has.
#[derive(Debug, Clone, Copy)]
struct PreparedBranch {
    key: TaskKey,
    since_unix_ns: u64,
    task: PreparedTask,
    /// The timer for the end of its wait.
    timer: Option<(TimerId, u64)>,
}

impl PreparedBranches {
    /// A branch could not be prepared.
    pub fn give_up(&mut self, branch: &BranchId) {
        self.under_way.remove(branch);
    }

    /// A key for a unit without a task, unique in this run of the region.
    pub fn next_key(&mut self) -> TaskKey {
        let key = TaskKey::detached(self.count);
        self.count = self.count.wrapping_add(1);
        key
    }

    fn add(&mut self, branch: BranchId, since_unix_ns: u64, task: PreparedTask) -> TaskKey {
        let key = self.next_key();
        let entry = PreparedBranch {
            key,
            since_unix_ns,
            task,
            timer: None,
        };
        self.branches.insert(branch, entry);
        key
    }
}

/// A parsed record of the store.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Record {
    pub since_unix_ns: u64,
    pub unit: Option<UnitId>,
    pub task: PreparedTask,
    pub participants: Vec<String>,
    pub locks: Vec<LockName>,
    pub changes: UnitOfWork,
}

impl<R: ResourceManagers> Kernel<R> {
    /// Makes sure that a task's unit can be committed, as a branch of a coordinator's unit. The
    /// answer is NORMAL if it is prepared, with 1 as its first value if there is nothing to
    /// commit; ROLLEDBACK if it is backed out.
    pub fn prepare(
        &mut self,
        now: u64,
        caller: CallingTask,
        branch: BranchId,
        out: &mut Vec<KernelEffect>,
    ) {
        self.begin_unit(now, &caller, out);
        let task = caller.key;
        let has_store = self.state.reader.is_some();
        let PreparedBranches {
            branches,
            under_way,
            ..
        } = &mut self.state.prepared;
        let known = branches.contains_key(&branch) || under_way.contains_key(&branch);
        let unit = self.state.units.of(task);
        let deciders = &self.state.deciders;
        let decider = unit.decider.as_ref().map(|part| part.participant);
        let decides_only = decider.is_some_and(|participant| !deciders.can_prepare(participant));
        if unit.is_busy() {
            let refused = CallAnswer::of_condition(Condition::RolledBack, 0);
            out.push(KernelEffect::Answer(task, refused, 0));
        } else if unit.is_empty() {
            let mut nothing = CallAnswer::default();
            nothing.args[0] = 1;
            out.push(KernelEffect::Answer(task, nothing, 0));
        } else if known || !has_store || decides_only {
            let why = if known {
                "a branch with this name is prepared"
            } else if decides_only {
                "one of its participants can only decide and not prepare"
            } else {
                "the region has no store"
            };
            tracing::warn!(%branch, "a unit of work of another region is backed out: {why}");
            self.fail(now, task, UnitContinuation::Prepare, why, out);
        } else {
            under_way.insert(branch.clone(), PreparingState::default());
            unit.branch = Some(branch);
            unit.caller = Some(caller);
            if unit.participants.is_empty() {
                self.record(now, task, out)
            } else {
                unit.phase = UnitPhase::Preparing {
                    missing: unit.participants.clone(),
                    refused: false,
                    then: UnitContinuation::Prepare,
                };
                send_order(unit, Order::Prepare, out);
            }
        }
        self.wake(now, out);
    }

    /// Makes the store keep the changes of a unit; its own participants have prepared.
    pub(super) fn record(&mut self, now: u64, task: TaskKey, out: &mut Vec<KernelEffect>) {
        let locks = self.state.locks.of_unit(task).cloned().collect();
        let since_unix_ns = self.state.settings.unix_offset_ns + now;
        let unit = self.state.units.of(task);
        let Some(branch) = &unit.branch else {
            return;
        };
        unit.phase = UnitPhase::Recording;
        unit.commit_began = Some(now);
        let decisions = &self.state.decisions;
        let names = unit.participants.iter().filter_map(|p| decisions.name(*p));
        let record = Record {
            since_unix_ns,
            unit: unit.id,
            task: unit
                .caller
                .as_ref()
                .map(PreparedTask::of)
                .unwrap_or_default(),
            participants: names.map(str::to_owned).collect(),
            locks,
            changes: UnitOfWork::new(),
        };
        let mut changes = UnitOfWork::new();
        changes.put(TABLE, branch.as_bytes(), &emit(&record, &unit.changes));
        out.push(KernelEffect::Commit(StoreJob {
            task,
            changes,
            then: JobContinuation::Prepared,
        }));
    }

    /// The store has kept a unit, or failed to: the task continues without it.
    pub(super) fn recorded(
        &mut self,
        now: u64,
        task: TaskKey,
        result: Result<(), ApplyError>,
        out: &mut Vec<KernelEffect>,
    ) {
        let recording = |unit: &&mut UnitState| unit.phase == UnitPhase::Recording;
        let Some(unit) = self.state.units.get_mut(task).filter(recording) else {
            return;
        };
        if let Err(error) = result {
            self.fail(
                now,
                task,
                UnitContinuation::Prepare,
                &error.to_string(),
                out,
            );
            return;
        }
        let waited = unit.commit_took(now);
        let Some(unit) = self.state.units.remove(task) else {
            return;
        };
        let end = unit.end;
        let (mut undone, mut lost) = (None, None);
        let mut gone_to = None;
        if let Some(branch) = unit.branch.clone() {
            let meanwhile = self.state.prepared.under_way.remove(&branch);
            let meanwhile = meanwhile.unwrap_or_default();
            undone = meanwhile.backed_out.then(|| branch.clone());
            lost = meanwhile.lost.then(|| branch.clone());
            let since_unix_ns = self.state.settings.unix_offset_ns + now;
            let of = unit.caller.as_ref().map(PreparedTask::of);
            let prepared = &mut self.state.prepared;
            let key = prepared.add(branch.clone(), since_unix_ns, of.unwrap_or_default());
            self.state.locks.hand_unit_over(task, key);
            gone_to = Some(key);
            let prepared = UnitState {
                phase: UnitPhase::Prepared,
                end: None,
                ..unit
            };
            self.state.units.put(key, prepared);
        }
        *self.state.units.of(task) = UnitState {
            end,
            ..UnitState::default()
        };
        self.manage(now, out, |resources, cx| match gone_to {
            Some(key) => resources.unit_prepared(cx, task, key),
            None => resources.unit_ended(cx, task, true),
        });
        if let Some(branch) = lost.filter(|_| undone.is_none()) {
            self.coordinator_lost(now, branch.as_bytes(), out);
        }
        let answer = match undone {
            None => CallAnswer::default(),
            Some(branch) => {
                self.settle(now, &branch, false, out);
                CallAnswer::of_condition(Condition::RolledBack, 0)
            }
        };
        match end {
            None => out.push(KernelEffect::Answer(task, answer, waited)),
            Some(caller) => self.leave(now, caller, None, out),
        }
    }

    /// A coordinator, or an operator instead, decides its unit. [`KernelEffect::Settled`]
    /// follows: true when the decision is carried out, now or before; false if the store
    /// refused, and the branch is still prepared.
    pub fn settle(
        &mut self,
        now: u64,
        branch: &BranchId,
        commit: bool,
        out: &mut Vec<KernelEffect>,
    ) {
        let entry = self.state.prepared.branches.get(branch).copied();
        let unit = entry.and_then(|entry| self.state.units.get_mut(entry.key));
        let (Some(PreparedBranch { key, .. }), Some(unit)) = (entry, unit) else {
            if let Some(meanwhile) = self.state.prepared.under_way.get_mut(branch) {
                meanwhile.backed_out |= !commit;
            }
            out.push(KernelEffect::Settled(branch.clone(), true));
            return;
        };
        if unit.phase != UnitPhase::Prepared {
            // The end in progress is reported to this caller too.
            return;
        }
        if commit {
            unit.phase = UnitPhase::Deciding {
                then: UnitContinuation::Settle,
            };
            unit.commit_began = Some(now);
            // A unit that the store refuses stays prepared.
            let mut changes = unit.changes.clone();
            changes.remove(TABLE, branch.as_bytes());
            if let Some(id) = unit.id {
                let decisions = &self.state.decisions;
                decisions.decide(id, &unit.participants, &mut changes);
            }
            out.push(KernelEffect::Commit(StoreJob {
                task: key,
                changes,
                then: JobContinuation::Unit,
            }));
        } else {
            send_order(unit, Order::BackOut, out);
            self.state.counts.backouts += 1;
            let mut changes = UnitOfWork::new();
            changes.remove(TABLE, branch.as_bytes());
            self.manage(now, out, |_, cx| cx.change_store(changes));
            self.forget(now, key, false, out);
        }
        self.wake(now, out);
    }

    /// The store has committed a branch, or refused.
    pub(super) fn settled(
        &mut self,
        now: u64,
        key: TaskKey,
        result: Result<(), ApplyError>,
        out: &mut Vec<KernelEffect>,
    ) {
        let Some(unit) = self.state.units.get_mut(key) else {
            return;
        };
        unit.commit_began = None;
        if result.is_err() {
            unit.phase = UnitPhase::Prepared;
            if let Some(branch) = unit.branch.clone() {
                out.push(KernelEffect::Settled(branch, false));
            }
            return;
        }
        send_order(unit, Order::Commit, out);
        if let Some(id) = unit.id {
            self.state.decisions.decided(id, &unit.participants);
        }
        self.state.counts.commits += 1;
        self.forget(now, key, true, out);
    }

    /// A branch is over: notifies the managers, and releases its locks.
    fn forget(&mut self, now: u64, key: TaskKey, committed: bool, out: &mut Vec<KernelEffect>) {
        let unit = self.state.units.remove(key);
        self.manage(now, out, |resources, cx| {
            resources.unit_ended(cx, key, committed);
        });
        let next = self.state.locks.release(key);
        let woken = next.into_iter().map(|task| (task, WakeReason::Granted));
        self.state.woken.extend(woken);
        if let Some(branch) = unit.and_then(|unit| unit.branch) {
            let entry = self.state.prepared.branches.remove(&branch);
            if let Some((timer, _)) = entry.and_then(|entry| entry.timer) {
                self.state.timers.cancel(timer);
            }
            out.push(KernelEffect::Settled(branch, true));
        }
    }

    /// Sets the alarm of a branch that waits a limited time after its coordinator was lost,
    /// unless it is set.
    fn limit(&mut self, now: u64, branch: &BranchId, lost_unix_ns: u64) {
        let offset_ns = self.state.settings.unix_offset_ns;
        let Some(entry) = self.state.prepared.branches.get_mut(branch) else {
            return;
        };
        let InDoubt { waits, limit_s, .. } = entry.task.in_doubt;
        if waits && limit_s > 0 && entry.timer.is_none() {
            let limit_ns = u64::from(limit_s) * 1_000_000_000;
            let at = (lost_unix_ns + limit_ns).saturating_sub(offset_ns);
            let alarm = AlarmTarget::Branch(entry.key);
            let timer = self.state.timers.set(at.max(now), alarm);
            entry.timer = Some((timer, at.max(now)));
        }
    }

    /// A branch has waited long enough: applies its transaction's ACTION.
    pub(super) fn waited(&mut self, now: u64, key: TaskKey, out: &mut Vec<KernelEffect>) {
        let mut branches = self.state.prepared.branches.iter_mut();
        let Some((branch, entry)) = branches.find(|(_, entry)| entry.key == key) else {
            return;
        };
        entry.timer = None;
        let branch = branch.clone();
        let commits = entry.task.in_doubt.commits;
        let prepared = |unit: &UnitState| unit.phase == UnitPhase::Prepared;
        if self.state.units.get(key).is_some_and(prepared) {
            let transid = entry.task.transid;
            let action = if commits { "committed" } else { "backed out" };
            tracing::warn!(
                %branch,
                "a unit of work in doubt is {action}, as transaction {transid} says: its \
                 coordinator may decide otherwise"
            );
            self.settle(now, &branch, commits, out);
        }
    }

    /// A coordinator whose name is `name` or begins with it is out of reach: its branches that
    /// do not wait end, and the time of the others begins.
    pub fn coordinator_lost(&mut self, now: u64, name: &[u8], out: &mut Vec<KernelEffect>) {
        let of = |branch: &BranchId| branch.as_bytes().starts_with(name);
        let prepared = &mut self.state.prepared;
        for (_, meanwhile) in prepared.under_way.iter_mut().filter(|(b, _)| of(b)) {
            meanwhile.lost = true;
        }
        let all = prepared.branches.iter().filter(|(branch, _)| of(branch));
        let (wait, end): (Vec<_>, Vec<_>) = all
            .map(|(branch, entry)| (branch.clone(), *entry))
            .partition(|(_, entry)| entry.task.in_doubt.waits);
        let now_unix_ns = self.state.settings.unix_offset_ns + now;
        for (branch, _) in wait {
            self.limit(now, &branch, now_unix_ns);
        }
        for (_, entry) in end {
            self.waited(now, entry.key, out);
        }
    }

    /// A coordinator is connected again: its branches wait for its decision.
    pub(super) fn reached(&mut self, name: &[u8]) {
        let KernelState {
            prepared, timers, ..
        } = &mut self.state;
        for (branch, entry) in &mut prepared.branches {
            if branch.as_bytes().starts_with(name)
                && let Some((timer, _)) = entry.timer.take()
            {
                timers.cancel(timer);
            }
        }
        let under_way = prepared.under_way.iter_mut();
        for (_, meanwhile) in under_way.filter(|(b, _)| b.as_bytes().starts_with(name)) {
            meanwhile.lost = false;
        }
    }

    /// The branches that are prepared or being prepared.
    pub fn branches(&self) -> impl Iterator<Item = &BranchId> {
        let PreparedBranches {
            branches,
            under_way,
            ..
        } = &self.state.prepared;
        branches.keys().chain(under_way.keys())
    }

    /// The units that wait for their coordinators, by the names of the branches.
    pub fn prepared(&self) -> impl Iterator<Item = PreparedUnit> {
        let all = self.state.prepared.branches.iter();
        all.map(|(branch, entry)| {
            let unit = self.state.units.get(entry.key);
            let locks = self.state.locks.of_unit(entry.key);
            PreparedUnit {
                branch: branch.clone(),
                number: entry.key.unit_number().unwrap_or_default(),
                task: entry.task,
                since_unix_ns: entry.since_unix_ns,
                records: unit.map_or(0, |unit| {
                    unit.changes.changes().count() + unit.changes.table_changes().count()
                }),
                locks: locks.map(LockName::to_string).collect(),
                ends_unix_ns: entry
                    .timer
                    .map(|(_, at)| at + self.state.settings.unix_offset_ns),
                deciding: unit.is_some_and(|unit| unit.phase != UnitPhase::Prepared),
            }
        })
    }

    /// Notifies resource managers of the restored branches, after everything else is restored.
    pub(super) fn restore_parts(&mut self, now: u64, out: &mut Vec<KernelEffect>) {
        let all = self.state.prepared.branches.values();
        let keys: Vec<TaskKey> = all.map(|branch| branch.key).collect();
        for key in keys {
            let Some(unit) = self.state.units.get_mut(key) else {
                continue;
            };
            let changes = std::mem::take(&mut unit.changes);
            self.manage(now, out, |resources, cx| {
                resources.unit_restored(cx, key, &changes);
            });
            self.state.units.of(key).changes = changes;
        }
        let all = self.state.prepared.branches.iter();
        let all = all.map(|(branch, entry)| (branch.clone(), entry.since_unix_ns));
        for (branch, since_unix_ns) in all.collect::<Vec<_>>() {
            self.limit(now, &branch, since_unix_ns);
        }
        // Until the coordinators connect again.
        self.coordinator_lost(now, &[], out);
    }

    /// Restores the prepared branches of the last run of the region with their locks, before any
    /// task runs.
    pub(super) fn restore_prepared(&mut self) {
        let Some(reader) = &mut self.state.reader else {
            return;
        };
        let tables = R::tables();
        let mut found = Vec::new();
        let read = scan(
            reader.as_mut(),
            TABLE,
            &mut |key, record| match BranchId::new(key).zip(parse(record, &tables)) {
                Some(both) => found.push(both),
                None => tracing::error!(
                    branch = %key.escape_ascii(),
                    "the record of a unit of work of another region is malformed"
                ),
            },
        );
        if let Err(error) = read {
            self.state
                .not_restored("the units of work that are in doubt", &error);
        }
        for (branch, record) in found {
            tracing::info!(%branch, "a unit of work waits for the region that coordinates it");
            let managers = &mut self.resources;
            if let Some(reader) = &mut self.state.reader
                && let Err(error) = managers.keep_ends(reader.as_mut(), &record.changes)
            {
                tracing::error!(%error, %branch, "a file of the unit of work could not be read");
            }
            let decisions = &mut self.state.decisions;
            let participants: Vec<ParticipantId> = record
                .participants
                .iter()
                .map(|name| decisions.participant(name))
                .collect();
            if let Some(unit) = record.unit {
                decisions.used(unit);
            }
            let prepared = &mut self.state.prepared;
            let key = prepared.add(branch.clone(), record.since_unix_ns, record.task);
            for name in &record.locks {
                self.state.locks.lock(key, name, LockLifetime::Unit);
            }
            let unit = UnitState {
                changes: record.changes,
                id: record.unit,
                participants,
                phase: UnitPhase::Prepared,
                branch: Some(branch),
                ..UnitState::default()
            };
            self.state.units.put(key, unit);
        }
    }
}

pub(super) fn emit(record: &Record, changes: &UnitOfWork) -> Vec<u8> {
    let mut out = vec![VERSION];
    out.extend(record.since_unix_ns.to_be_bytes());
    out.extend(record.unit.map_or(0, |unit| unit.0).to_be_bytes());
    let task = &record.task;
    out.extend(task.number.to_be_bytes());
    out.extend(task.transid.as_bytes());
    out.extend(task.userid.as_bytes());
    out.extend([task.in_doubt.commits, task.in_doubt.waits].map(u8::from));
    out.extend(task.in_doubt.limit_s.to_be_bytes());
    out.push(record.participants.len() as u8);
    for name in &record.participants {
        out.push(name.len() as u8);
        out.extend(name.as_bytes());
    }
    out.extend((record.locks.len() as u32).to_be_bytes());
    for lock in &record.locks {
        let (space, file) = match lock.space {
            LockSpace::Record(file) => (1, file.0),
            LockSpace::Enqueue => (2, 0),
            LockSpace::TsQueue => (3, 0),
            LockSpace::TdQueue => (4, 0),
        };
        out.push(space);
        out.extend(u32::to_be_bytes(file));
        out.extend((lock.key.len() as u16).to_be_bytes());
        out.extend(&lock.key);
    }
    out.extend(changes.redo());
    out
}

/// Parses a record. Its changes may be to files and to these tables.
pub(super) fn parse(bytes: &[u8], tables: &[Table]) -> Option<Record> {
    let (&version, rest) = bytes.split_first()?;
    let (since, rest) = rest.split_first_chunk::<8>()?;
    let (unit, rest) = rest.split_first_chunk::<8>()?;
    let (task, rest) = match version {
        VERSION => parse_task(rest)?,
        WITHOUT_TASK => (PreparedTask::default(), rest),
        _ => return None,
    };
    let (&count, mut rest) = rest.split_first()?;
    let mut participants = Vec::new();
    for _ in 0..count {
        let (&bytes, after) = rest.split_first()?;
        let (name, after) = after.split_at_checked(bytes.into())?;
        participants.push(String::from_utf8(name.to_vec()).ok()?);
        rest = after;
    }
    let (count, mut rest) = rest.split_first_chunk::<4>()?;
    let mut locks = Vec::new();
    for _ in 0..u32::from_be_bytes(*count) {
        let (&space, after) = rest.split_first()?;
        let (file, after) = after.split_first_chunk::<4>()?;
        let (bytes, after) = after.split_first_chunk::<2>()?;
        let (key, after) = after.split_at_checked(u16::from_be_bytes(*bytes).into())?;
        let space = match space {
            1 => LockSpace::Record(FileId(u32::from_be_bytes(*file))),
            2 => LockSpace::Enqueue,
            3 => LockSpace::TsQueue,
            4 => LockSpace::TdQueue,
            _ => return None,
        };
        locks.push(LockName::new(space, key));
        rest = after;
    }
    let unit = u64::from_be_bytes(*unit);
    Some(Record {
        since_unix_ns: u64::from_be_bytes(*since),
        unit: (unit != 0).then_some(UnitId(unit)),
        task,
        participants,
        locks,
        changes: UnitOfWork::of_redo(rest, tables).ok()?,
    })
}

fn parse_task(bytes: &[u8]) -> Option<(PreparedTask, &[u8])> {
    let (number, rest) = bytes.split_first_chunk::<8>()?;
    let (transid, rest) = rest.split_first_chunk::<4>()?;
    let (userid, rest) = rest.split_first_chunk::<8>()?;
    let (&[commits, waits], rest) = rest.split_first_chunk::<2>()?;
    let (limit_s, rest) = rest.split_first_chunk::<4>()?;
    let task = PreparedTask {
        number: u64::from_be_bytes(*number),
        transid: TransId::from_bytes(*transid),
        userid: UserId::from_bytes(*userid),
        in_doubt: InDoubt {
            commits: commits == 1,
            waits: waits == 1,
            limit_s: u32::from_be_bytes(*limit_s),
        },
    };
    Some((task, rest))
}

impl PreparedTask {
    pub(super) fn of(caller: &CallingTask) -> PreparedTask {
        PreparedTask {
            number: caller.number,
            transid: caller.transid,
            userid: caller.userid,
            in_doubt: caller.in_doubt,
        }
    }
}

#[cfg(test)]
mod tests;
