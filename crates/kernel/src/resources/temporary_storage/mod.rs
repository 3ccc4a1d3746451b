//! Temporary storage: queues of items that any task may read and write.
//!
//! A queue that is not recoverable is in memory, whether MAIN or AUXILIARY was specified, and ends
//! with the region. A recoverable queue, as defined by a TSMODEL, is in the store: its changes are
//! part of the units of work that make them, and a task that changes the queue owns its lock until
//! the end of the unit.
//!
//! Reference: CICS API reference, WRITEQ TS, READQ TS and DELETEQ TS; resource
//! definition, TSMODEL.

mod commands;
mod inquiry;
mod memory;
mod models;
mod stored;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};

use cics::command::commands::{
    deleteq_ts, readq_ts, set_tempstorage, set_tsqname, set_tsqueue, writeq_ts,
};
use link::TransId;

use super::{GrowthAccount, Manager, Resources, hand_over};
use crate::core::TaskKey;
use crate::kernel::EventKind;
use crate::kernel::KernelContext;
use crate::types::WaitKind;
use crate::types::{CountAndBytes, KernelConfig, RegionStatistics};

use memory::Queue;
use models::TsModels;
pub use stored::measure;

/// The commands and hooks of this manager.
pub const MANAGER: Manager = Manager {
    commands: &[
        (writeq_ts::NUMBER, commands::write),
        (readq_ts::NUMBER, commands::read),
        (deleteq_ts::NUMBER, commands::delete),
        (set_tsqueue::NUMBER, inquiry::set_by_queue),
        (set_tsqname::NUMBER, inquiry::set_by_name),
        (set_tempstorage::NUMBER, inquiry::set_limit),
    ],
    tables: &[stored::TABLE],
    define,
    restore: stored::restore,
    unit_ended: stored::unit_ended,
    unit_prepared: |resources, _, task, to| {
        hand_over(&mut resources.temporary_storage.units, task, to);
    },
    unit_restored: stored::unit_restored,
    task_ended: |resources, _, caller| {
        let ts = &mut resources.temporary_storage;
        ts.memory_account.task_ended(caller.key);
    },
    count,
    ..Manager::IDLE
};

/// The name of a queue, padded with blanks.
type QueueName = [u8; 16];

/// All temporary storage queues of a region.
#[derive(Debug, Default)]
pub struct TemporaryStorage {
    models: TsModels,
    sysid: link::Name<4>,
    /// Most bytes of all queues.
    limit_bytes: u64,
    /// Queues that are not recoverable.
    memory: HashMap<QueueName, Queue>,
    /// Recoverable queues, including those that units in progress have made.
    stored: HashMap<QueueName, RecoverableQueue>,
    /// Memory of the queues in memory, by the tasks that have written them.
    pub(super) memory_account: GrowthAccount,
    /// Committed bytes of the recoverable queues.
    stored_bytes: u64,
    /// Bytes that units in progress have added to recoverable queues.
    pending_bytes: u64,
    units: HashMap<TaskKey, UnitQueueChanges>,
    /// Commands that waited for space.
    space_waits: u64,
}

/// The data in memory about a recoverable queue.
#[derive(Debug, Default, Clone, Copy)]
struct RecoverableQueue {
    /// Number of the item that was read last, 0 for none.
    last_read: u16,
    /// Committed items.
    items: u16,
    /// Committed bytes.
    bytes: u64,
    /// Bytes of the shortest and of the longest committed item, once asked for.
    lengths: Option<(u16, u16)>,
    /// The transaction that made the queue; blank after a restart of the region.
    transid: TransId,
    /// Time of the last use, nanoseconds of the region's clock.
    used_at: u64,
}

/// The changes of a unit of work to recoverable queues.
#[derive(Debug, Default)]
struct UnitQueueChanges {
    /// The changed queues, as they were before the unit.
    before: HashMap<QueueName, RecoverableQueue>,
    /// The deleted queues.
    deleted: HashSet<QueueName>,
    /// Bytes that the unit added.
    added_bytes: u64,
}

impl TemporaryStorage {
    /// Bytes that all queues take.
    fn used_bytes(&self) -> u64 {
        self.memory_account.sum().bytes + self.stored_bytes + self.pending_bytes
    }

    /// Memory of the recoverable queues, with the additions of units in progress.
    pub(super) fn stored_amount(&self) -> CountAndBytes {
        CountAndBytes {
            count: self.stored.len() as u64,
            bytes: self.stored_bytes + self.pending_bytes,
        }
    }

    /// Memory that each unit in progress adds to recoverable queues.
    pub(super) fn unit_amounts(&self) -> impl Iterator<Item = (TaskKey, CountAndBytes)> {
        self.units.iter().map(|(task, part)| {
            let bytes = part.added_bytes;
            (*task, CountAndBytes { count: 0, bytes })
        })
    }

    /// Memory of the queues in memory, summed up again.
    #[cfg(any(test, feature = "sim"))]
    pub(super) fn recount_memory(&self) -> CountAndBytes {
        let queues = self
            .memory
            .values()
            .map(|q| CountAndBytes::one(q.recount()));
        queues.fold(CountAndBytes::default(), CountAndBytes::plus)
    }

    /// Memory of the recoverable queues, summed up again.
    #[cfg(any(test, feature = "sim"))]
    pub(super) fn recount_stored(&self) -> CountAndBytes {
        let committed: u64 = self.stored.values().map(|q| q.bytes).sum();
        let added: u64 = self.units.values().map(|part| part.added_bytes).sum();
        CountAndBytes {
            count: self.stored.len() as u64,
            bytes: committed + added,
        }
    }

    /// True if the manager has no data of any task.
    #[cfg(any(test, feature = "sim"))]
    pub fn is_idle(&self) -> bool {
        self.units.is_empty() && self.pending_bytes == 0
    }

    /// Whether there is room for so many more bytes.
    fn has_room(&self, bytes: u64) -> bool {
        self.used_bytes().saturating_add(bytes) <= self.limit_bytes
    }
}

fn define(resources: &mut Resources, config: &KernelConfig) {
    let ts = &mut resources.temporary_storage;
    ts.sysid = config.sysid;
    ts.limit_bytes = config.temporary_storage_bytes;
    ts.models = TsModels::new(&config.definitions.queues.models);
}

fn count(resources: &Resources, statistics: &mut RegionStatistics) {
    let ts = &resources.temporary_storage;
    let items = |sum: u64, n: u64| sum + n;
    statistics.ts_queues = (ts.memory.len() + ts.stored.len()) as u64;
    statistics.ts_items = ts.memory.values().map(|q| q.len() as u64).fold(0, items)
        + ts.stored
            .values()
            .map(|q| u64::from(q.items))
            .fold(0, items);
    statistics.ts_bytes = ts.used_bytes();
    statistics.ts_space_waits = ts.space_waits;
}

/// The event of a wait for space, with the name that operators see.
pub const SPACE: EventKind = EventKind::new("TSSPACE", WaitKind::Queue);

/// Space was freed: every task that waits for space tries again.
fn freed(cx: &mut KernelContext<'_>) {
    cx.signal(SPACE, b"");
}
