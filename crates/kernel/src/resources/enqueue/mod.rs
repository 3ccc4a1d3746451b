//! ENQ and DEQ: the exclusive use of a name.
//!
//! A name is the contents of an area with LENGTH, or the address of an area without LENGTH.
//! Each ENQ must be matched by a DEQ; the remaining ones end with the unit of work or the task,
//! depending on MAXLIFETIME.
//!
//! Reference: CICS API reference, ENQ and DEQ. Without LENGTH the name is an address, which has
//! no meaning in another worker; so the worker sends the task's own name for it. Models apply
//! only to names.

mod models;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use cics::command::commands::{deq, enq, set_enqmodel};
use cics::cvda;
use cics::resp::Condition;

use super::{GrowthAccount, Manager, Resources};
use crate::core::TaskKey;
use crate::kernel::{
    CallResult, CommandFailure, KernelContext, LockLifetime, LockName, LockSpace, Request,
    condition, done,
};

use crate::types::{AccountKind, CountAndBytes};
pub use models::EnqueueModel;

/// The commands and hooks of this manager.
pub const MANAGER: Manager = Manager {
    commands: &[
        (enq::NUMBER, enqueue),
        (deq::NUMBER, dequeue),
        (set_enqmodel::NUMBER, models::set),
    ],
    define: models::define,
    unit_ended,
    task_ended: |resources, _, caller| {
        let held = resources.enqueue.held.remove(&caller.key);
        for name in held.into_iter().flatten().map(|(name, _)| name) {
            resources.enqueue.account.remove(caller.key, amount(&name));
        }
        resources.enqueue.settle_models();
    },
    ..Manager::IDLE
};

/// The ENQ counts of tasks.
#[derive(Debug, Default)]
pub struct EnqueueTable {
    held: HashMap<TaskKey, HashMap<LockName, EnqueueCounts>>,
    models: Vec<EnqueueModel>,
    /// The amount that the names take, by task.
    pub(super) account: GrowthAccount,
}

/// Bytes that a name takes in addition to its text, with its lock.
const NAME_BYTES: u64 = 128;

/// The amount that a name takes. It is in the table of locks and in two lists of its owner.
fn amount(name: &LockName) -> CountAndBytes {
    CountAndBytes::one(NAME_BYTES + 3 * name.key.len() as u64)
}

impl EnqueueTable {
    /// The amount that the names take, counted again.
    #[cfg(any(test, feature = "sim"))]
    pub(super) fn recount(&self) -> CountAndBytes {
        let names = self.held.values().flat_map(HashMap::keys).map(amount);
        names.fold(CountAndBytes::default(), CountAndBytes::plus)
    }

    /// True if there is no state of any task.
    #[cfg(any(test, feature = "sim"))]
    pub fn is_idle(&self) -> bool {
        self.held.is_empty()
    }
}

/// Uses of a name by one task.
#[derive(Debug, Default, Clone, Copy)]
struct EnqueueCounts {
    unit: u32,
    task: u32,
}

/// Longest name.
const MAX_NAME: i64 = enq::ROW.most_bytes(enq::RESOURCE) as i64;
/// The abend of a wait for a name that can never end, or lasts too long.
const DEADLOCK: [u8; 4] = *b"AKCS";

fn enqueue(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    request: &mut Request,
) -> CallResult {
    let operands = &request.operands;
    let name = name_of(
        operands.get_bytes(enq::RESOURCE),
        operands.get_int(enq::LENGTH),
    )?;
    if operands.has(enq::LENGTH) {
        resources.enqueue.check(&name.key)?;
    }
    let task = request.caller.key;
    let lifetime = lifetime_of(operands.has(enq::TASK), operands.get_int(enq::MAXLIFETIME))?;
    if operands.has(enq::NOSUSPEND) && cx.kernel.locks.is_taken(task, &name) {
        return condition(Condition::EnqBusy, 0);
    }
    let enqueues = &mut resources.enqueue;
    let held = enqueues.held.get(&task);
    let is_new = held.is_none_or(|held| !held.contains_key(&name));
    if is_new {
        let kind = AccountKind::EnqueueNames;
        enqueues.account.check(kind, task, amount(&name))?;
    }
    if cx.lock(request, &name, lifetime, DEADLOCK)?.is_none() {
        return Ok(cx.wait_for_lock(request, name, DEADLOCK));
    }
    if is_new {
        enqueues.account.add(task, amount(&name));
    }
    let held = enqueues.held.entry(task).or_default();
    let uses = held.entry(name).or_default();
    match lifetime {
        LockLifetime::Unit => uses.unit += 1,
        LockLifetime::Task => uses.task += 1,
    }
    done()
}

fn dequeue(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    request: &mut Request,
) -> CallResult {
    let operands = &request.operands;
    let name = name_of(
        operands.get_bytes(deq::RESOURCE),
        operands.get_int(deq::LENGTH),
    )?;
    let task = request.caller.key;
    let lifetime = lifetime_of(operands.has(deq::TASK), operands.get_int(deq::MAXLIFETIME))?;
    let held = resources.enqueue.held.entry(task).or_default();
    // DEQ of a name that the task does not use is ignored.
    let Some(uses) = held.get_mut(&name) else {
        return done();
    };
    match lifetime {
        LockLifetime::Unit => uses.unit = uses.unit.saturating_sub(1),
        LockLifetime::Task => uses.task = uses.task.saturating_sub(1),
    }
    let left = *uses;
    settle(cx, task, &name, left);
    if left.unit + left.task == 0 {
        held.remove(&name);
        resources.enqueue.account.remove(task, amount(&name));
        resources.enqueue.settle_models();
    }
    done()
}

/// The uses of a unit end with it.
fn unit_ended(resources: &mut Resources, _: &mut KernelContext<'_>, task: TaskKey, _: bool) {
    let enqueues = &mut resources.enqueue;
    if let Some(held) = enqueues.held.get_mut(&task) {
        // The kernel releases the locks of the unit.
        held.retain(|name, uses| {
            uses.unit = 0;
            if uses.task == 0 {
                enqueues.account.remove(task, amount(name));
            }
            uses.task > 0
        });
        resources.enqueue.settle_models();
    }
}

/// Keeps the lock as long as one of its uses lasts.
fn settle(cx: &mut KernelContext<'_>, task: TaskKey, name: &LockName, left: EnqueueCounts) {
    match left {
        EnqueueCounts { unit: 0, task: 0 } => cx.unlock(task, name),
        EnqueueCounts { task: 0, .. } => {
            cx.kernel.locks.set_lifetime(task, name, LockLifetime::Unit)
        }
        _ => {}
    }
}

fn name_of(resource: Option<&[u8]>, length: Option<i64>) -> Result<LockName, CommandFailure> {
    let resource = resource.unwrap_or_default();
    let bytes = match length {
        None => resource.len(),
        Some(length) if (1..=MAX_NAME).contains(&length) => resource.len().min(length as usize),
        Some(_) => return condition(Condition::LengErr, 1),
    };
    Ok(LockName::new(LockSpace::Enqueue, &resource[..bytes]))
}

fn lifetime_of(task: bool, max_lifetime: Option<i64>) -> Result<LockLifetime, CommandFailure> {
    match max_lifetime {
        None if task => Ok(LockLifetime::Task),
        None => Ok(LockLifetime::Unit),
        Some(n) if cvda::value("TASK").map(i64::from) == Some(n) => Ok(LockLifetime::Task),
        Some(n) if cvda::value("UOW").map(i64::from) == Some(n) => Ok(LockLifetime::Unit),
        Some(_) => condition(Condition::InvReq, 2),
    }
}
