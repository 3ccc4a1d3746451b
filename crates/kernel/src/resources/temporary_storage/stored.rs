//! Recoverable queues, which are in the store and part of units of work.
//!
//! ```text
//!   table tsqueue
//!     name (16)                 version 1 | items, u16 | bytes, u64
//!     name (16) | item, u32     the item's bytes
//! ```
//!
//! Numbers are big-endian. A unit that changes a queue owns its lock until the
//! unit ends; a command that only reads owns the lock until the command ends.
//! So a command reads committed items, or the changes of its own unit.

use cics::resp::Condition;
use store::{ReadError, ReadStore, SeekKey, Table, UnitOfWork};

use super::super::Resources;
use super::super::recoverable::{lock, unit_and_store, unreadable, wait};
use super::commands::{items_read, no_room, wanted, written};
use super::memory::{MAX_ITEMS, cost};
use super::{QueueName, RecoverableQueue, TemporaryStorage, UnitQueueChanges, freed};
use crate::core::TaskKey;
use crate::kernel::{
    CallResult, CommandFailure, KernelContext, LockName, LockSpace, Request, WakeReason, condition,
    done, done_with,
};
use cics::command::commands::writeq_ts as row;

pub(super) const TABLE: Table = Table::new("tsqueue");
/// First byte of a queue's entry.
const VERSION: u8 = 1;

pub(super) fn write(
    ts: &mut TemporaryStorage,
    cx: &mut KernelContext<'_>,
    request: &Request,
    name: QueueName,
    number: Option<i64>,
) -> CallResult {
    let item = request.operands.get_bytes(row::FROM).unwrap_or_default();
    let task = request.caller.key;
    owned(cx, request, &name, |cx| {
        let deleted = ts
            .units
            .get(&task)
            .is_some_and(|p| p.deleted.contains(&name));
        if deleted {
            // The manual: INVREQ until the next syncpoint.
            return condition(Condition::InvReq, 0);
        }
        let (unit, reader) = unit_and_store(cx, task)?;
        let mut head = head(unit, reader, &name)?;
        let (key, before) = match (number, head) {
            (Some(_), None) => return condition(Condition::QIdErr, 0),
            (Some(number), Some(head)) => {
                if !(1..=i64::from(head.items)).contains(&number) {
                    return condition(Condition::ItemErr, 0);
                }
                let key = item_key(&name, number as u32);
                let old = unit.get(reader, TABLE, &key).map_err(|e| unreadable(&e))?;
                (key, cost(&old.unwrap_or_default()))
            }
            (None, head) => {
                let items = head.map_or(0, |h| h.items);
                if usize::from(items) >= MAX_ITEMS {
                    return condition(Condition::ItemErr, 0);
                }
                (item_key(&name, u32::from(items) + 1), 0)
            }
        };
        let after = cost(item);
        if cx.kernel.disk_is_short || !ts.has_room(after) {
            return no_room(ts, cx, request);
        }
        let head = head.get_or_insert_default();
        head.items += u16::from(number.is_none());
        head.bytes = head.bytes + after - before;
        let head = *head;
        let (unit, _) = unit_and_store(cx, task)?;
        unit.put(TABLE, &key, item);
        unit.put(TABLE, &name, &head.emit());
        ts.change(task, &name).added_bytes += after;
        if let Some(stored) = ts.stored.get_mut(&name)
            && stored.items == 0
            && stored.transid.is_blank()
        {
            stored.transid = request.caller.transid;
        }
        ts.pending_bytes += after;
        done_with(written(&request.operands, usize::from(head.items), number))
    })
}

pub(super) fn read(
    ts: &mut TemporaryStorage,
    cx: &mut KernelContext<'_>,
    request: &Request,
    name: QueueName,
) -> CallResult {
    let task = request.caller.key;
    let Some(new) = lock(cx, request, &lock_name(&name))? else {
        return wait(cx, request, lock_name(&name));
    };
    let given = read_item(ts, cx, request, &name);
    if new && !ts.has_changed(task, &name) {
        cx.unlock(task, &lock_name(&name));
    }
    given
}

fn read_item(
    ts: &mut TemporaryStorage,
    cx: &mut KernelContext<'_>,
    request: &Request,
    name: &QueueName,
) -> CallResult {
    let (unit, reader) = unit_and_store(cx, request.caller.key)?;
    let head = head(unit, reader, name)?;
    let (Some(head), Some(stored)) = (head, ts.stored.get_mut(name)) else {
        return condition(Condition::QIdErr, 0);
    };
    let number = wanted(&request.operands, stored.last_read);
    if !(1..=i64::from(head.items)).contains(&number) {
        return condition(Condition::ItemErr, 0);
    }
    let key = item_key(name, number as u32);
    let item = unit.get(reader, TABLE, &key).map_err(|e| unreadable(&e))?;
    let Some(item) = item else {
        tracing::error!(queue = %name.escape_ascii(), number, "an item of a queue is missing");
        return condition(Condition::IoErr, 0);
    };
    stored.last_read = number as u16;
    stored.used_at = cx.now;
    done_with(items_read(&item, usize::from(head.items)))
}

pub(super) fn delete(
    ts: &mut TemporaryStorage,
    cx: &mut KernelContext<'_>,
    request: &Request,
    name: QueueName,
) -> CallResult {
    let task = request.caller.key;
    owned(cx, request, &name, |cx| {
        let (unit, reader) = unit_and_store(cx, task)?;
        let Some(head) = head(unit, reader, &name)? else {
            return condition(Condition::QIdErr, 0);
        };
        for number in 1..=u32::from(head.items) {
            unit.remove(TABLE, &item_key(&name, number));
        }
        unit.remove(TABLE, &name);
        ts.change(task, &name).deleted.insert(name);
        if let Some(stored) = ts.stored.get_mut(&name) {
            stored.last_read = 0;
        }
        done()
    })
}

impl TemporaryStorage {
    /// Records that a unit changes a queue, and returns the changes of the unit.
    fn change(&mut self, task: TaskKey, name: &QueueName) -> &mut UnitQueueChanges {
        let stored = *self.stored.entry(*name).or_default();
        let part = self.units.entry(task).or_default();
        part.before.entry(*name).or_insert(stored);
        part
    }

    fn has_changed(&self, task: TaskKey, name: &QueueName) -> bool {
        let part = self.units.get(&task);
        part.is_some_and(|p| p.before.contains_key(name))
    }
}

/// A unit has ended: updates the data about the queues that it changed from the store.
pub(super) fn unit_ended(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    task: TaskKey,
    committed: bool,
) {
    let ts = &mut resources.temporary_storage;
    let Some(part) = ts.units.remove(&task) else {
        return;
    };
    ts.pending_bytes -= part.added_bytes;
    for (name, before) in part.before {
        let known = ts.stored.get(&name).copied().unwrap_or(before);
        let last_read = if committed {
            known.last_read
        } else {
            before.last_read
        };
        let head = cx
            .kernel
            .reader
            .as_mut()
            .map(|r| committed_head(r.as_mut(), &name));
        let now = match head {
            Some(Ok(head)) => head,
            Some(Err(error)) => {
                tracing::error!(%error, queue = %name.escape_ascii(), "a queue could not be read");
                (before.items > 0).then_some(QueueHead {
                    items: before.items,
                    bytes: before.bytes,
                })
            }
            None => None,
        };
        ts.stored_bytes -= before.bytes;
        match now {
            None => {
                ts.stored.remove(&name);
            }
            Some(head) => {
                ts.stored_bytes += head.bytes;
                let stored = RecoverableQueue {
                    last_read: last_read.min(head.items),
                    items: head.items,
                    bytes: head.bytes,
                    lengths: None,
                    transid: known.transid,
                    used_at: cx.now,
                };
                ts.stored.insert(name, stored);
            }
        }
    }
    freed(cx);
}

/// Restores the queues from the store at the start of the region.
pub(super) fn restore(resources: &mut Resources, cx: &mut KernelContext<'_>) {
    let ts = &mut resources.temporary_storage;
    let Some(reader) = cx.kernel.reader.as_mut() else {
        return;
    };
    let mut from = Vec::new();
    loop {
        let mut found = None;
        let seek = if from.is_empty() {
            SeekKey::First
        } else {
            SeekKey::Greater(&from)
        };
        let mut take = |e: store::RecordView<'_>| found = Some((e.key.to_vec(), e.record.to_vec()));
        if let Err(error) = reader.seek_table(TABLE, seek, &mut take) {
            cx.kernel
                .not_restored("the recoverable temporary storage queues", &error);
            return;
        }
        let Some((key, value)) = found else {
            return;
        };
        let name: Result<QueueName, _> = key.as_slice().try_into();
        from = key;
        let Ok(name) = name else {
            continue;
        };
        match QueueHead::parse(&value) {
            Some(head) => {
                ts.stored_bytes += head.bytes;
                let stored = RecoverableQueue {
                    last_read: 0,
                    items: head.items,
                    bytes: head.bytes,
                    used_at: cx.now,
                    ..RecoverableQueue::default()
                };
                ts.stored.insert(name, stored);
            }
            None => {
                tracing::error!(queue = %name.escape_ascii(), "the entry of a queue in the store is malformed");
            }
        }
        // Continues after the items of this queue.
        from.extend([0xFF; 4]);
    }
}

/// Restores the changes to queues of a unit that was prepared before the region's restart.
pub(super) fn unit_restored(
    resources: &mut Resources,
    _: &mut KernelContext<'_>,
    key: TaskKey,
    changes: &UnitOfWork,
) {
    let ts = &mut resources.temporary_storage;
    for (key_bytes, value) in changes.changes_of(TABLE) {
        let Some((name, item)) = key_bytes.split_first_chunk() else {
            continue;
        };
        let part = ts.change(key, name);
        match (item.is_empty(), value) {
            (true, None) => drop(part.deleted.insert(*name)),
            (false, Some(item)) => {
                let added = cost(item);
                part.added_bytes += added;
                ts.pending_bytes += added;
            }
            _ => {}
        }
    }
}

/// Reads the lengths of the committed items of a queue, unless they are known.
pub fn measure(ts: &mut TemporaryStorage, cx: &mut KernelContext<'_>, name: &QueueName) {
    let (Some(stored), Some(reader)) = (ts.stored.get_mut(name), cx.kernel.reader.as_mut()) else {
        return;
    };
    if stored.lengths.is_some() {
        return;
    }
    let mut lengths: Option<(u16, u16)> = None;
    for number in 1..=u32::from(stored.items) {
        let key = item_key(name, number);
        let read = reader.seek_table(TABLE, SeekKey::Equal(&key), &mut |e| {
            let bytes = e.record.len() as u16;
            let (least, most) = lengths.unwrap_or((bytes, bytes));
            lengths = Some((least.min(bytes), most.max(bytes)));
        });
        if let Err(error) = read {
            tracing::error!(%error, "the items of a queue could not be read");
            return;
        }
    }
    stored.lengths = lengths;
}

/// The store's data of a queue except its items.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct QueueHead {
    items: u16,
    bytes: u64,
}

impl QueueHead {
    fn emit(self) -> Vec<u8> {
        let mut out = vec![VERSION];
        out.extend(self.items.to_be_bytes());
        out.extend(self.bytes.to_be_bytes());
        out
    }

    fn parse(value: &[u8]) -> Option<QueueHead> {
        let rest = value.strip_prefix(&[VERSION])?;
        let (items, bytes) = rest.split_first_chunk()?;
        Some(QueueHead {
            items: u16::from_be_bytes(*items),
            bytes: u64::from_be_bytes(bytes.try_into().ok()?),
        })
    }
}

fn item_key(name: &QueueName, number: u32) -> Vec<u8> {
    [&name[..], &number.to_be_bytes()].concat()
}

/// A queue with the changes of the unit.
fn head(
    unit: &UnitOfWork,
    reader: &mut (dyn ReadStore + Send),
    name: &QueueName,
) -> Result<Option<QueueHead>, CommandFailure> {
    let value = unit.get(reader, TABLE, name).map_err(|e| unreadable(&e))?;
    Ok(value.and_then(|value| QueueHead::parse(&value)))
}

/// A queue as committed.
fn committed_head(
    reader: &mut (dyn ReadStore + Send),
    name: &QueueName,
) -> Result<Option<QueueHead>, ReadError> {
    let mut head = None;
    reader.seek_table(TABLE, SeekKey::Equal(name), &mut |e| {
        head = QueueHead::parse(e.record);
    })?;
    Ok(head)
}

fn lock_name(name: &QueueName) -> LockName {
    LockName::new(LockSpace::TsQueue, name)
}

/// Releases the lock of a queue that was deleted while the request waited for the lock.
pub(super) fn release_waited_lock(cx: &mut KernelContext<'_>, request: &Request, name: &QueueName) {
    if request.woken == Some(WakeReason::Granted) {
        cx.unlock(request.caller.key, &lock_name(name));
    }
}

/// Changes a queue while the unit owns its lock. The unit keeps the lock; if nothing was
/// changed, the lock is released.
fn owned(
    cx: &mut KernelContext<'_>,
    request: &Request,
    name: &QueueName,
    change: impl FnOnce(&mut KernelContext<'_>) -> CallResult,
) -> CallResult {
    let Some(new) = lock(cx, request, &lock_name(name))? else {
        return wait(cx, request, lock_name(name));
    };
    let served = change(cx);
    let kept = matches!(served, Ok(crate::kernel::CallProgress::Done(_)));
    if new && !kept {
        cx.unlock(request.caller.key, &lock_name(name));
    }
    served
}
