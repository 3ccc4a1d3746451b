//! Counters in memory and in the store.
//!
//! Any number of GETs of one counter may be in the store's queue together: each has its number
//! at once, and its answer when the store has committed it. Every other change is alone, so
//! that a refused one leaves no trace. A refused change is undone here: when no change of a
//! counter is in the store's queue any more, its value is that in the store.

use std::collections::HashMap;

use cics::resp::Condition;
use link::CallAnswer;
use store::{Table, UnitOfWork};

use super::counter::NamedCounter;
use super::{NAME_BYTES, NOT_FOUND, POOL_BYTES, SERVER_ERROR};
use crate::core::TaskKey;
use crate::kernel::EventKind;
use crate::kernel::{
    CallProgress, CallResult, CommandCompletion, CommandFailure, KernelContext, TaskWait,
    condition, scan,
};
use crate::resources::{GrowthAccount, Resources, settling};
use crate::types::{AccountKind, CountAndBytes, WaitKind};

/// A pool and a name.
pub(super) type Key = [u8; POOL_BYTES + NAME_BYTES];

/// Where counters are in the store.
pub(super) const TABLE: Table = Table::new("counter");

/// The event that changes wait for, with the counter's key.
const COUNTER: EventKind = EventKind::new("COUNTER", WaitKind::Event);

/// All counters by pool and name.
#[derive(Debug, Default)]
pub struct CounterTable {
    /// The counters of the store have been read.
    read: bool,
    slots: HashMap<Key, CounterSlot>,
    /// Counters by the task that has defined them. Those of the store are in the
    /// region's sum once the first counter is asked for.
    pub(in crate::resources) account: GrowthAccount,
}

/// What a counter takes.
const COUNTER_BYTES: u64 = 256;

/// The counter of a name.
#[derive(Debug)]
struct CounterSlot {
    /// The value for the next command.
    now: Option<NamedCounter>,
    /// The value in the store.
    stored: Option<NamedCounter>,
    /// Changes in the store's queue.
    pending: u32,
    /// The change in the store's queue is not a GET.
    alone: bool,
    /// The task that has defined it, while that runs.
    maker: TaskKey,
}

impl CounterSlot {
    fn new(maker: TaskKey) -> CounterSlot {
        CounterSlot {
            now: None,
            stored: None,
            pending: 0,
            alone: false,
            maker,
        }
    }
}

/// Which changes may be in the store's queue together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StoreScope {
    /// A GET, with other GETs.
    OtherGets,
    /// Any other change.
    Separate,
}

/// Reads a counter.
pub(super) fn read_counter(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    key: &Key,
    give: impl FnOnce(NamedCounter) -> CallResult,
) -> CallResult {
    let slot = resources.counters.slot(cx, key)?;
    match slot {
        Some(slot) if slot.alone => Ok(wait(key)),
        slot => give(require_counter(slot.and_then(|s| s.now))?),
    }
}

/// Changes the counter of a name, and passes the change to the store; the answer follows
/// then.
pub(super) fn change(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    (task, key): (TaskKey, &Key),
    with: StoreScope,
    make: impl FnOnce(&mut Option<NamedCounter>) -> Result<CallAnswer, CommandFailure>,
) -> CallResult {
    let slot = resources.counters.slot(cx, key)?;
    if slot
        .as_ref()
        .is_some_and(|s| s.alone || (with == StoreScope::Separate && s.pending > 0))
    {
        return Ok(wait(key));
    }
    let is_new = slot.is_none();
    let mut counter = slot.and_then(|s| s.now);
    let answer = make(&mut counter)?;
    let CounterTable { slots, account, .. } = &mut resources.counters;
    if is_new {
        let one = CountAndBytes::one(COUNTER_BYTES);
        account.check(AccountKind::Counters, task, one)?;
        account.add(task, one);
    }
    let slot = slots.entry(*key).or_insert_with(|| CounterSlot::new(task));
    slot.now = counter;
    slot.pending += 1;
    slot.alone = with == StoreScope::Separate;
    if cx.kernel.reader.is_none() {
        resources.counters.settle(cx, key, counter, true);
        return Ok(CallProgress::Done(answer));
    }
    let mut changes = UnitOfWork::default();
    match counter {
        Some(counter) => changes.put(TABLE, key, &counter.emit()),
        None => changes.remove(TABLE, key),
    }
    let key = *key;
    Ok(CallProgress::Commit(
        changes,
        CommandCompletion {
            answer,
            refused: |_| CommandFailure::Condition(Condition::InvReq, SERVER_ERROR),
            unlock: None,
            settle: settling(move |resources, cx, stored| {
                resources.counters.settle(cx, &key, counter, stored);
            }),
        },
    ))
}

/// The counter, if there is one.
pub(super) fn require_counter(
    counter: Option<NamedCounter>,
) -> Result<NamedCounter, CommandFailure> {
    counter.ok_or(CommandFailure::Condition(Condition::InvReq, NOT_FOUND))
}

fn wait(key: &Key) -> CallProgress {
    CallProgress::Wait(TaskWait::event(COUNTER, key))
}

impl CounterTable {
    /// The slot of a name.
    fn slot(
        &mut self,
        cx: &mut KernelContext<'_>,
        key: &Key,
    ) -> Result<Option<&mut CounterSlot>, CommandFailure> {
        if !self.read {
            if let Err(error) = self.read_all(cx) {
                tracing::error!(%error, "the counters could not be read");
                return condition(Condition::InvReq, SERVER_ERROR);
            }
            self.read = true;
        }
        Ok(self.slots.get_mut(key))
    }

    /// The store has accepted a change, or refused it. Called in the order in which the changes
    /// were made.
    fn settle(
        &mut self,
        cx: &mut KernelContext<'_>,
        key: &Key,
        counter: Option<NamedCounter>,
        stored: bool,
    ) {
        let Some(slot) = self.slots.get_mut(key) else {
            return;
        };
        if stored {
            slot.stored = counter;
        }
        slot.pending -= 1;
        if slot.pending == 0 {
            slot.alone = false;
            slot.now = slot.stored;
            if slot.now.is_none() {
                self.account
                    .remove(slot.maker, CountAndBytes::one(COUNTER_BYTES));
                self.slots.remove(key);
            }
            cx.signal(COUNTER, key);
        }
    }

    fn read_all(&mut self, cx: &mut KernelContext<'_>) -> Result<(), store::ReadError> {
        let Some(reader) = &mut cx.kernel.reader else {
            return Ok(());
        };
        let CounterTable { slots, account, .. } = self;
        scan(reader.as_mut(), TABLE, &mut |key, record| match (
            Key::try_from(key),
            NamedCounter::parse(record),
        ) {
            (Ok(key), Some(counter)) => {
                let slot = slots.entry(key).or_insert_with(|| {
                    account.add(TaskKey::NO_TASK, CountAndBytes::one(COUNTER_BYTES));
                    CounterSlot::new(TaskKey::NO_TASK)
                });
                (slot.now, slot.stored) = (Some(counter), Some(counter));
            }
            _ => {
                tracing::error!(key = %key.escape_ascii(), "a counter in the store is damaged");
            }
        })
    }

    /// The counters, counted again.
    #[cfg(any(test, feature = "sim"))]
    pub(in crate::resources) fn recount(&self) -> CountAndBytes {
        let one = CountAndBytes::one(COUNTER_BYTES);
        self.slots
            .values()
            .fold(CountAndBytes::default(), |sum, _| sum.plus(one))
    }

    /// The values of the counters, in memory and in the store.
    #[cfg(any(test, feature = "sim"))]
    pub fn values(&self) -> impl Iterator<Item = (&Key, Option<i128>, Option<i128>)> {
        let value = |counter: &Option<NamedCounter>| counter.map(|c| c.value);
        let slots = self.slots.iter();
        slots.map(move |(key, slot)| (key, value(&slot.now), value(&slot.stored)))
    }
}
