//! Intrapartition queues.
//!
//! ```text
//!   table tdqueue
//!     name (4) | number, u64     a record
//! ```
//!
//! Numbers ascend with the writes and are big-endian. A queue in the store has two ends, each with
//! a lock: a task that writes owns one, a task that reads the other, until the change is
//! committed. A reader that finds nothing waits for the writer, if there is one.

use std::collections::VecDeque;

use cics::command::commands::{readq_td, writeq_td};
use cics::resp::Condition;
use link::{CallAnswer, CommandOperands};
use store::{ApplyError, ReadStore, SeekKey, Table, UnitOfWork};

use super::super::Resources;
use super::super::recoverable::{lock, unit_and_store, unreadable, wait};
use super::super::settling;
use super::{QueueName, TransientData};
use crate::core::TaskKey;
use crate::kernel::{
    CallProgress, CallResult, CommandCompletion, CommandFailure, FAILED, KernelContext, LockName,
    LockSpace, RefusalMapping, Request, WakeReason, condition, done, done_with,
};
use crate::types::{TdRecovery, Trigger};

pub(super) const TABLE: Table = Table::new("tdqueue");
/// Bytes that a record takes in addition to its data.
const OVERHEAD: u64 = 64;

/// An intrapartition queue.
#[derive(Debug)]
pub struct IntraQueue {
    /// RECOVSTATUS.
    pub recovery: TdRecovery,
    /// The transaction that the queue starts.
    pub trigger: Option<Trigger>,
    /// The records of a queue that is not recoverable.
    records: VecDeque<Box<[u8]>>,
    /// Number of committed records.
    pub items: u64,
    /// Bytes that these records count for.
    pub bytes: u64,
    /// Number of the next record.
    pub next: u64,
    /// The trigger has started a task and its cycle is not over.
    pub fired: bool,
    /// Triggered tasks that are not over.
    pub running: u32,
}

/// The changes of a unit to a logically recoverable queue.
#[derive(Debug, Default)]
pub struct IntraChanges {
    pub written: u64,
    pub written_bytes: u64,
    pub taken: u64,
    pub taken_bytes: u64,
}

/// An end of a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum QueueEnd {
    Read,
    Write,
}

/// Bytes that a record counts for.
pub(super) fn cost(record: &[u8]) -> u64 {
    record.len() as u64 + OVERHEAD
}

impl IntraQueue {
    pub(super) fn new(recovery: TdRecovery, trigger: Option<Trigger>) -> Self {
        IntraQueue {
            recovery,
            trigger,
            records: VecDeque::new(),
            items: 0,
            bytes: 0,
            next: 0,
            fired: false,
            running: 0,
        }
    }

    fn added(&mut self, items: u64, bytes: u64) {
        self.items += items;
        self.bytes += bytes;
    }

    fn taken(&mut self, items: u64, bytes: u64) {
        self.items = self.items.saturating_sub(items);
        self.bytes = self.bytes.saturating_sub(bytes);
    }
}

pub(super) fn write(
    td: &mut TransientData,
    cx: &mut KernelContext<'_>,
    request: &Request,
    name: QueueName,
) -> CallResult {
    let record = request
        .operands
        .get_bytes(writeq_td::FROM)
        .unwrap_or_default();
    let bytes = cost(record);
    let recovery = recovery_of(td, &name)?;
    if recovery != TdRecovery::No
        && lock(cx, request, &lock_name(&name, QueueEnd::Write))?.is_none()
    {
        return wait(cx, request, lock_name(&name, QueueEnd::Write));
    }
    let is_kept = recovery != TdRecovery::No;
    if !td.has_room(bytes) || (is_kept && cx.kernel.disk_is_short) {
        release(td, cx, request.caller.key, &name, QueueEnd::Write);
        return condition(Condition::NoSpace, 0);
    }
    let Some(intra) = td.intra(&name) else {
        return condition(Condition::QIdErr, 0);
    };
    // If the store refuses the record, its number is not used again.
    let key = record_key(&name, intra.next);
    intra.next += 1;
    match recovery {
        TdRecovery::No => {
            intra.records.push_back(record.into());
            intra.added(1, bytes);
            td.fire(cx, &name);
            done()
        }
        TdRecovery::Physical => {
            td.pending_bytes += bytes;
            let mut changes = UnitOfWork::new();
            changes.put(TABLE, &key, record);
            let settle = move |td: &mut TransientData, cx: &mut KernelContext<'_>, stored: bool| {
                td.pending_bytes -= bytes;
                if let Some(intra) = td.intra(&name).filter(|_| stored) {
                    intra.added(1, bytes);
                    td.fire(cx, &name);
                }
            };
            let refusal = (CallAnswer::default(), not_written as RefusalMapping);
            Ok(at_once(changes, refusal, &name, QueueEnd::Write, settle))
        }
        TdRecovery::Logical => {
            let task = request.caller.key;
            unit_and_store(cx, task)?.0.put(TABLE, &key, record);
            let change = td.change(task, &name);
            change.written += 1;
            change.written_bytes += bytes;
            td.pending_bytes += bytes;
            done()
        }
    }
}

/// Writes a record for a door. The response is INVREQ if the queue is recoverable.
pub(super) fn write_from_door(
    td: &mut TransientData,
    cx: &mut KernelContext<'_>,
    name: QueueName,
    record: &[u8],
) -> Result<(), Condition> {
    let bytes = cost(record);
    let has_room = td.has_room(bytes);
    match td.intra(&name) {
        None => Err(Condition::QIdErr),
        Some(intra) if intra.recovery != TdRecovery::No => Err(Condition::InvReq),
        Some(_) if !has_room => Err(Condition::NoSpace),
        Some(intra) => {
            intra.next += 1;
            intra.records.push_back(record.into());
            intra.added(1, bytes);
            td.fire(cx, &name);
            Ok(())
        }
    }
}

pub(super) fn read(
    td: &mut TransientData,
    cx: &mut KernelContext<'_>,
    request: &Request,
    name: QueueName,
) -> CallResult {
    let task = request.caller.key;
    let recovery = recovery_of(td, &name)?;
    if recovery == TdRecovery::No {
        let Some(intra) = td.intra(&name) else {
            return condition(Condition::QIdErr, 0);
        };
        let Some(record) = intra.records.pop_front() else {
            return empty(td, task, &name);
        };
        intra.taken(1, cost(&record));
        return done_with(taken(&record));
    }
    if request.woken == Some(WakeReason::Granted) {
        // The writer has ended, which the request waited for.
        release(td, cx, task, &name, QueueEnd::Write);
    }
    let nosuspend = request.operands.has(readq_td::NOSUSPEND);
    if nosuspend && is_taken(cx, task, &name, QueueEnd::Read) {
        return condition(Condition::QBusy, 0);
    }
    if lock(cx, request, &lock_name(&name, QueueEnd::Read))?.is_none() {
        return wait(cx, request, lock_name(&name, QueueEnd::Read));
    }
    let (unit, reader) = unit_and_store(cx, task)?;
    let Some((key, record)) = first(unit, reader, &name)? else {
        if !is_taken(cx, task, &name, QueueEnd::Write) {
            release(td, cx, task, &name, QueueEnd::Read);
            return empty(td, task, &name);
        }
        if nosuspend {
            release(td, cx, task, &name, QueueEnd::Read);
            return condition(Condition::QBusy, 0);
        }
        return match lock(cx, request, &lock_name(&name, QueueEnd::Write))? {
            None => wait(cx, request, lock_name(&name, QueueEnd::Write)),
            // Not reached: another task owns the lock, as was checked above.
            Some(_) => condition(Condition::QBusy, 0),
        };
    };
    let bytes = cost(&record);
    if recovery == TdRecovery::Physical {
        let mut changes = UnitOfWork::new();
        changes.remove(TABLE, &key);
        let settle = move |td: &mut TransientData, _: &mut KernelContext<'_>, stored: bool| {
            if let Some(intra) = td.intra(&name).filter(|_| stored) {
                intra.taken(1, bytes);
            }
        };
        let refusal = (
            CallAnswer::of_data(taken(&record).emit()),
            not_read as RefusalMapping,
        );
        return Ok(at_once(changes, refusal, &name, QueueEnd::Read, settle));
    }
    unit_and_store(cx, task)?.0.remove(TABLE, &key);
    let change = td.change(task, &name);
    change.taken += 1;
    change.taken_bytes += bytes;
    done_with(taken(&record))
}

pub(super) fn delete(
    td: &mut TransientData,
    cx: &mut KernelContext<'_>,
    request: &Request,
    name: QueueName,
) -> CallResult {
    let task = request.caller.key;
    let recovery = recovery_of(td, &name)?;
    if recovery != TdRecovery::No {
        for end in [QueueEnd::Read, QueueEnd::Write] {
            if lock(cx, request, &lock_name(&name, end))?.is_none() {
                return wait(cx, request, lock_name(&name, end));
            }
        }
    }
    if recovery == TdRecovery::No {
        if let Some(intra) = td.intra(&name) {
            intra.records.clear();
            (intra.items, intra.bytes, intra.fired) = (0, 0, false);
        }
        return done();
    }
    let mut changes = UnitOfWork::new();
    let (unit, reader) = unit_and_store(cx, task)?;
    let target = match recovery {
        TdRecovery::Logical => unit,
        _ => &mut changes,
    };
    let (mut items, mut bytes) = (0, 0);
    let failed = |_| CommandFailure::Abend(FAILED);
    while let Some((key, record)) = first(target, reader, &name).map_err(failed)? {
        target.remove(TABLE, &key);
        items += 1;
        bytes += cost(&record);
    }
    if recovery == TdRecovery::Logical {
        let change = td.change(task, &name);
        change.taken += items;
        change.taken_bytes += bytes;
        td.found_empty(task, &name);
        return done();
    }
    let settle = move |td: &mut TransientData, cx: &mut KernelContext<'_>, stored: bool| {
        if let Some(intra) = td.intra(&name).filter(|_| stored) {
            intra.taken(items, bytes);
            intra.fired = false;
        }
        cx.unlock(task, &lock_name(&name, QueueEnd::Read));
    };
    let refusal = (CallAnswer::default(), not_deleted as RefusalMapping);
    Ok(at_once(changes, refusal, &name, QueueEnd::Write, settle))
}

/// A unit has ended: applies its changes to queues after a commit, and drops them after a
/// backout.
pub(super) fn unit_ended(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    task: TaskKey,
    committed: bool,
) {
    let td = &mut resources.transient_data;
    for (name, change) in td.units.remove(&task).unwrap_or_default() {
        td.pending_bytes -= change.written_bytes;
        if !committed {
            continue;
        }
        if let Some(intra) = td.intra(&name) {
            intra.added(change.written, change.written_bytes);
            intra.taken(change.taken, change.taken_bytes);
        }
        if change.written > 0 {
            td.fire(cx, &name);
        }
    }
}

impl TransientData {
    /// The changes of a unit to a queue.
    pub(super) fn change(&mut self, task: TaskKey, name: &QueueName) -> &mut IntraChanges {
        self.units
            .entry(task)
            .or_default()
            .entry(*name)
            .or_default()
    }

    /// Whether a unit has changed an end of a queue.
    fn has_changed(&self, task: TaskKey, name: &QueueName, end: QueueEnd) -> bool {
        let change = self.units.get(&task).and_then(|unit| unit.get(name));
        change.is_some_and(|change| match end {
            QueueEnd::Read => change.taken > 0,
            QueueEnd::Write => change.written > 0,
        })
    }
}

/// QZERO.
fn empty(td: &mut TransientData, task: TaskKey, name: &QueueName) -> CallResult {
    td.found_empty(task, name);
    condition(Condition::QZero, 0)
}

/// The response of READQ TD.
fn taken(record: &[u8]) -> CommandOperands {
    CommandOperands::default().bytes(readq_td::INTO, record)
}

/// A change of a single command. When the store has accepted or refused it, the lock of its end of
/// the queue is released and `settle` is called.
fn at_once(
    changes: UnitOfWork,
    (answer, refused): (CallAnswer, RefusalMapping),
    name: &QueueName,
    end: QueueEnd,
    settle: impl FnOnce(&mut TransientData, &mut KernelContext<'_>, bool) + Send + 'static,
) -> CallProgress {
    CallProgress::Commit(
        changes,
        CommandCompletion {
            answer,
            refused,
            unlock: Some(lock_name(name, end)),
            settle: settling(move |resources, cx, stored| {
                settle(&mut resources.transient_data, cx, stored);
            }),
        },
    )
}

/// A WRITEQ TD that the store refuses: the data set has no room, or fails.
fn not_written(error: &ApplyError) -> CommandFailure {
    if error.is_full() {
        CommandFailure::Condition(Condition::NoSpace, 0)
    } else {
        CommandFailure::Condition(Condition::IoErr, 0)
    }
}

/// A READQ TD that the store refuses.
fn not_read(_: &ApplyError) -> CommandFailure {
    CommandFailure::Condition(Condition::IoErr, 0)
}

/// A DELETEQ TD that the store refuses: the command has no condition for it.
fn not_deleted(_: &ApplyError) -> CommandFailure {
    CommandFailure::Abend(FAILED)
}

fn recovery_of(td: &mut TransientData, name: &QueueName) -> Result<TdRecovery, CommandFailure> {
    let intra = td.intra(name);
    let recovery = intra.map(|intra| intra.recovery);
    recovery.ok_or(CommandFailure::Condition(Condition::QIdErr, 0))
}

pub(super) fn record_key(name: &QueueName, number: u64) -> Vec<u8> {
    [&name[..], &number.to_be_bytes()].concat()
}

/// A key and its record.
pub(super) type StoreRow = (Vec<u8>, Vec<u8>);

/// The first record of a queue, with its key.
pub(super) fn first(
    unit: &UnitOfWork,
    reader: &mut (dyn ReadStore + Send),
    name: &QueueName,
) -> Result<Option<StoreRow>, CommandFailure> {
    let mut found = None;
    let mut take = |e: store::RecordView<'_>| found = Some((e.key.to_vec(), e.record.to_vec()));
    unit.seek_table(reader, TABLE, SeekKey::Prefix(name), &mut take)
        .map_err(|error| unreadable(&error))?;
    Ok(found)
}

fn lock_name(name: &QueueName, end: QueueEnd) -> LockName {
    let end = match end {
        QueueEnd::Read => b'R',
        QueueEnd::Write => b'W',
    };
    let [a, b, c, d] = *name;
    LockName::new(LockSpace::TdQueue, &[a, b, c, d, end])
}

fn is_taken(cx: &KernelContext<'_>, task: TaskKey, name: &QueueName, end: QueueEnd) -> bool {
    cx.kernel.locks.is_taken(task, &lock_name(name, end))
}

/// Releases the lock of an end of a queue, unless the unit has changed that end.
fn release(
    td: &TransientData,
    cx: &mut KernelContext<'_>,
    task: TaskKey,
    name: &QueueName,
    end: QueueEnd,
) {
    if !td.has_changed(task, name, end) {
        cx.unlock(task, &lock_name(name, end));
    }
}
