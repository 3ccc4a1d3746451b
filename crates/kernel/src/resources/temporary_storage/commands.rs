//! WRITEQ TS, READQ TS and DELETEQ TS.

use cics::command::commands::{deleteq_ts as delete_row, readq_ts as read_row, writeq_ts as row};
use cics::resp::Condition;
use link::CommandOperands;

use super::super::Resources;
use super::super::recoverable::DEADLOCK;
use super::memory::{MAX_ITEM_BYTES, MAX_ITEMS, QueueOrigin, cost};
use super::{QueueName, SPACE, TemporaryStorage, freed, stored};
use crate::kernel::{
    CallProgress, CallResult, CommandFailure, KernelContext, Request, TaskWait, WaitExpiry,
    condition, done, done_with,
};
use crate::types::{AccountKind, CountAndBytes};

/// The place of a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum QueueLocation {
    /// In memory.
    Memory,
    /// In the store: the queue is recoverable.
    Store,
    /// The queue does not exist yet; a first WRITEQ TS makes it recoverable or not.
    New { recoverable: bool },
}

pub(super) fn write(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    request: &mut Request,
) -> CallResult {
    let ts = &mut resources.temporary_storage;
    let operands = &request.operands;
    let name = ts.queue(operands, [row::QUEUE, row::QNAME, row::SYSID])?;
    let item = operands.get_bytes(row::FROM).unwrap_or_default();
    let length = operands.get_int(row::LENGTH).unwrap_or(item.len() as i64);
    if !(1..=MAX_ITEM_BYTES as i64).contains(&length) {
        return condition(Condition::LengErr, 0);
    }
    let number = if operands.has(row::REWRITE) {
        Some(operands.get_int(row::ITEM).unwrap_or(0))
    } else {
        None
    };
    match ts.place(&name) {
        QueueLocation::Store | QueueLocation::New { recoverable: true } => {
            stored::write(ts, cx, request, name, number)
        }
        QueueLocation::Memory | QueueLocation::New { .. } => {
            stored::release_waited_lock(cx, request, &name);
            write_memory(ts, cx, request, name, number)
        }
    }
}

fn write_memory(
    ts: &mut TemporaryStorage,
    cx: &mut KernelContext<'_>,
    request: &Request,
    name: QueueName,
    number: Option<i64>,
) -> CallResult {
    let item = request.operands.get_bytes(row::FROM).unwrap_or_default();
    let queue = ts.memory.get(&name);
    let before = match (queue, number) {
        (None, Some(_)) => return condition(Condition::QIdErr, 0),
        (None, None) => 0,
        (Some(queue), Some(number)) => match queue.item(number) {
            Some(item) => cost(item),
            None => return condition(Condition::ItemErr, 0),
        },
        (Some(queue), None) if queue.len() >= MAX_ITEMS => {
            return condition(Condition::ItemErr, 0);
        }
        (Some(_), None) => 0,
    };
    let after = cost(item);
    if !ts.has_room(after.saturating_sub(before)) {
        return no_room(ts, cx, request);
    }
    let task = request.caller.key;
    let before = CountAndBytes {
        count: u64::from(queue.is_some()),
        bytes: before,
    };
    let more = CountAndBytes::one(after).minus(before);
    ts.memory_account
        .check(AccountKind::TemporaryStorage, task, more)?;
    let less = before.minus(CountAndBytes::one(after));
    ts.memory_account.add(task, more);
    ts.memory_account.remove(task, less);
    let queue = ts.memory.entry(name).or_default();
    queue.used_at = cx.now;
    if queue.len() == 0 {
        queue.origin = QueueOrigin {
            auxiliary: !request.operands.has(row::MAIN),
            transid: request.caller.transid,
        };
    }
    match number {
        Some(number) => {
            queue.replace(number, item);
        }
        None => queue.push(item),
    }
    let items = queue.len();
    if less.bytes > 0 {
        freed(cx);
    }
    done_with(written(&request.operands, items, number))
}

/// The response of WRITEQ TS: the number of items, and the item that was written.
pub(super) fn written(
    operands: &CommandOperands,
    items: usize,
    number: Option<i64>,
) -> CommandOperands {
    let mut given = CommandOperands::default().int(row::NUMITEMS, items as i64);
    if operands.has(row::ITEM) && number.is_none() {
        given = given.int(row::ITEM, items as i64);
    }
    given
}

/// There is no room for an item: NOSPACE, or a wait for space.
pub(super) fn no_room(
    ts: &mut TemporaryStorage,
    cx: &mut KernelContext<'_>,
    request: &Request,
) -> CallResult {
    if request.operands.has(row::NOSUSPEND) {
        return condition(Condition::NoSpace, 0);
    }
    ts.space_waits += 1;
    let mut wait = TaskWait::event(SPACE, b"");
    if let Some(until) = cx.wait_limit(request) {
        wait = wait.at_most_until(until, WaitExpiry::Abend(DEADLOCK));
    }
    Ok(CallProgress::Wait(wait))
}

pub(super) fn read(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    request: &mut Request,
) -> CallResult {
    let ts = &mut resources.temporary_storage;
    let operands = &request.operands;
    let name = ts.queue(
        operands,
        [read_row::QUEUE, read_row::QNAME, read_row::SYSID],
    )?;
    match ts.place(&name) {
        QueueLocation::Memory => {}
        QueueLocation::Store => return stored::read(ts, cx, request, name),
        QueueLocation::New { .. } => {
            stored::release_waited_lock(cx, request, &name);
            return condition(Condition::QIdErr, 0);
        }
    }
    let Some(queue) = ts.memory.get_mut(&name) else {
        return condition(Condition::QIdErr, 0);
    };
    let number = wanted(operands, queue.last_read);
    let Some(item) = queue.item(number) else {
        return condition(Condition::ItemErr, 0);
    };
    let given = items_read(item, queue.len());
    queue.last_read = number as u16;
    queue.used_at = cx.now;
    done_with(given)
}

/// The number of the item that READQ TS asks for.
pub(super) fn wanted(operands: &CommandOperands, last_read: u16) -> i64 {
    let next = i64::from(last_read) + 1;
    operands.get_int(read_row::ITEM).unwrap_or(next)
}

/// The response of READQ TS.
pub(super) fn items_read(item: &[u8], items: usize) -> CommandOperands {
    let given = CommandOperands::default().bytes(read_row::INTO, item);
    given.int(read_row::NUMITEMS, items as i64)
}

pub(super) fn delete(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    request: &mut Request,
) -> CallResult {
    let ts = &mut resources.temporary_storage;
    let options = [delete_row::QUEUE, delete_row::QNAME, delete_row::SYSID];
    let name = ts.queue(&request.operands, options)?;
    match ts.place(&name) {
        QueueLocation::Memory => {}
        QueueLocation::Store => return stored::delete(ts, cx, request, name),
        QueueLocation::New { .. } => {
            stored::release_waited_lock(cx, request, &name);
            return condition(Condition::QIdErr, 0);
        }
    }
    if let Some(queue) = ts.memory.remove(&name) {
        let less = CountAndBytes::one(queue.bytes());
        ts.memory_account.remove(request.caller.key, less);
        freed(cx);
    }
    done()
}

impl TemporaryStorage {
    /// The name in QUEUE or QNAME. A remote queue, by SYSID or by its model, cannot be
    /// used.
    fn queue(
        &self,
        operands: &CommandOperands,
        options: [u8; 3],
    ) -> Result<QueueName, CommandFailure> {
        let [queue, qname, sysid] = options;
        let name = operands.get_name(qname).or(operands.get_name(queue));
        let name: QueueName = name.unwrap_or([b' '; 16]);
        let given = operands.get_bytes(qname).or(operands.get_bytes(queue));
        if given.is_none_or(|name| name.iter().all(|b| *b == 0)) {
            return condition(Condition::InvReq, 0);
        }
        let here = |system: link::Name<4>| system.is_blank() || system == self.sysid;
        let system = operands.get_name(sysid).map(link::Name::from_bytes);
        let model = self.models.of(&name);
        if !system.is_none_or(here) || !model.is_none_or(|m| here(m.remote_system)) {
            return condition(Condition::SysIdErr, 0);
        }
        Ok(name)
    }

    /// The place of a queue.
    fn place(&self, name: &QueueName) -> QueueLocation {
        if self.memory.contains_key(name) {
            QueueLocation::Memory
        } else if self.stored.contains_key(name) {
            QueueLocation::Store
        } else {
            let recoverable = self.models.of(name).is_some_and(|m| m.recoverable);
            QueueLocation::New { recoverable }
        }
    }
}
