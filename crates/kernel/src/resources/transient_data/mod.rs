//! Transient data: queues whose records are read once, in their order.
//!
//! An intrapartition queue is in memory, or in the store if its RECOVSTATUS is
//! PHYSICAL (each command changes the store at once) or LOGICAL (changes are part
//! of units of work). An extrapartition queue is a file, or the region's log. An
//! indirect queue is another name of a queue. A queue with enough records starts
//! its transaction.
//!
//! Reference: CICS API reference, WRITEQ TD, READQ TD and DELETEQ TD; resource
//! definition, TDQUEUE; application programming, "Automatic transaction
//! initiation".

mod commands;
mod inquiry;
mod intra;
mod restore;
#[cfg(test)]
mod tests;
mod trigger;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use cics::command::commands::{deleteq_td, readq_td, set_tdqueue, writeq_td};
use cics::resp::Condition;
use link::CommandOperands;
use store::{UnitOfWork, WriteStore};

use super::{Manager, Resources, hand_over};
use crate::core::TaskKey;
use crate::kernel::{CommandFailure, condition};
use crate::types::{
    CountAndBytes, FileKey, KernelConfig, OpenTime, QueueFile, RegionStatistics, TdKind, TdQueueDef,
};

pub use inquiry::QueueInfo;
use intra::{IntraChanges, IntraQueue};

/// The commands and hooks of this manager.
pub const MANAGER: Manager = Manager {
    commands: &[
        (writeq_td::NUMBER, commands::write),
        (readq_td::NUMBER, commands::read),
        (deleteq_td::NUMBER, commands::delete),
        (set_tdqueue::NUMBER, inquiry::set),
    ],
    tables: &[intra::TABLE],
    define,
    restore: restore::restore,
    unit_ended: intra::unit_ended,
    unit_prepared: |resources, _, task, to| {
        hand_over(&mut resources.transient_data.units, task, to);
    },
    unit_restored: restore::unit_restored,
    task_ended: trigger::task_ended,
    start_ended: trigger::start_ended,
    count,
    ..Manager::IDLE
};

/// The name of a queue, padded with blanks.
type QueueName = [u8; 4];

/// All transient data queues of a region.
#[derive(Debug, Default)]
pub struct TransientData {
    queues: HashMap<QueueName, Queue>,
    sysid: link::Name<4>,
    /// Most bytes of all intrapartition queues.
    limit_bytes: u64,
    /// The changes of units in progress to logically recoverable queues.
    units: HashMap<TaskKey, HashMap<QueueName, IntraChanges>>,
    /// Bytes that units in progress have added.
    pending_bytes: u64,
    /// The queues of the triggered tasks that have not ended.
    triggered: HashMap<u64, QueueName>,
    /// Logically recoverable queues that a task found empty.
    emptied: HashMap<TaskKey, HashSet<QueueName>>,
    last_file: u64,
    /// Files of earlier definitions, which are to be closed.
    left: Vec<FileKey>,
    /// Tasks started by triggers.
    triggers: u64,
    /// Terminals that are connected or expected to connect again.
    terminals: HashSet<link::Name<4>>,
    /// Triggered tasks that wait to be queued for their terminal.
    for_terminals: HashMap<u64, (link::Name<4>, crate::kernel::InternalStart)>,
}

/// A queue.
#[derive(Debug)]
struct Queue {
    def: TdQueueDef,
    body: Body,
}

/// The state of a queue in addition to its definition.
#[derive(Debug)]
enum Body {
    Intra(IntraQueue),
    Extra(ExtraQueue),
    /// The region's log, and whether it is open.
    Log(bool),
    /// The queue is indirect or remote.
    None,
}

/// A queue that is a file.
#[derive(Debug)]
struct ExtraQueue {
    file: FileKey,
    def: Arc<QueueFile>,
    open: bool,
}

impl TransientData {
    /// The queue that a command names, through indirect ones.
    fn named(
        &self,
        operands: &CommandOperands,
        queue: u8,
        sysid: u8,
    ) -> Result<QueueName, CommandFailure> {
        let system = operands.get_name(sysid).map(link::Name::from_bytes);
        if !system.is_none_or(|s| s.is_blank() || s == self.sysid) {
            return condition(Condition::SysIdErr, 0);
        }
        let mut name: QueueName = operands.get_name(queue).unwrap_or([b' '; 4]);
        // Definitions that form a ring are refused when they are read.
        for _ in 0..=self.queues.len() {
            let Some(queue) = self.queues.get(&name) else {
                return condition(Condition::QIdErr, 0);
            };
            match &queue.def.kind {
                TdKind::Indirect(target) => name = *target.as_bytes(),
                TdKind::Remote(system) if *system != self.sysid => {
                    return condition(Condition::SysIdErr, 0);
                }
                TdKind::Remote(_) => return condition(Condition::QIdErr, 0),
                _ if !queue.def.enabled => return condition(Condition::Disabled, 0),
                _ => return Ok(name),
            }
        }
        condition(Condition::QIdErr, 0)
    }

    /// Writes a record for a door, which has no unit of work.
    pub fn write(
        &mut self,
        cx: &mut crate::kernel::KernelContext<'_>,
        name: [u8; 4],
        record: &[u8],
    ) -> Result<(), Condition> {
        let operands = CommandOperands::default().bytes(writeq_td::QUEUE, name);
        match self.named(&operands, writeq_td::QUEUE, writeq_td::SYSID) {
            Ok(name) => intra::write_from_door(self, cx, name, record),
            Err(CommandFailure::Condition(raised, _)) => Err(raised),
            Err(CommandFailure::Abend(_)) => Err(Condition::QIdErr),
        }
    }

    fn intra(&mut self, name: &QueueName) -> Option<&mut IntraQueue> {
        match &mut self.queues.get_mut(name)?.body {
            Body::Intra(intra) => Some(intra),
            _ => None,
        }
    }

    fn intras(&self) -> impl Iterator<Item = &IntraQueue> {
        self.queues.values().filter_map(|queue| match &queue.body {
            Body::Intra(intra) => Some(intra),
            _ => None,
        })
    }

    /// Memory of the records of intrapartition queues, with those of units in progress.
    pub(super) fn amount(&self) -> CountAndBytes {
        let bytes: u64 = self.intras().map(|queue| queue.bytes).sum();
        CountAndBytes {
            count: self.intras().map(|queue| queue.items).sum(),
            bytes: bytes + self.pending_bytes,
        }
    }

    /// True if the manager has no data of any task.
    #[cfg(any(test, feature = "sim"))]
    pub fn is_idle(&self) -> bool {
        self.units.is_empty()
            && self.pending_bytes == 0
            && self.triggered.is_empty()
            && self.emptied.is_empty()
            && self.intras().all(|q| q.running == 0)
    }

    /// Whether there is room for so many more bytes.
    fn has_room(&self, bytes: u64) -> bool {
        self.amount().bytes + bytes <= self.limit_bytes
    }
}

/// Applies the definitions. A queue keeps its records unless its kind changes.
fn define(resources: &mut Resources, config: &KernelConfig) {
    let td = &mut resources.transient_data;
    td.sysid = config.sysid;
    td.limit_bytes = config.transient_data_bytes;
    let mut before = std::mem::take(&mut td.queues);
    for def in &config.definitions.queues.transient {
        let name = *def.name.as_bytes();
        let old = before.remove(&name);
        td.last_file += 1;
        let file = FileKey(td.last_file);
        let before = old.as_ref().and_then(Queue::file);
        let queue = Queue::new(def, old, config, file);
        if before != queue.file() {
            td.left.extend(before);
        }
        td.queues.insert(name, queue);
    }
    for (name, queue) in before {
        td.left.extend(queue.file());
        match queue.body {
            Body::Intra(intra) if intra.items > 0 => {
                tracing::warn!(
                    queue = %name.escape_ascii(),
                    records = intra.items,
                    "a transient data queue with records is no longer defined"
                );
            }
            _ => {}
        }
    }
}

impl Queue {
    /// The queue's file, if the queue is extrapartition.
    fn file(&self) -> Option<FileKey> {
        match &self.body {
            Body::Extra(extra) => Some(extra.file),
            _ => None,
        }
    }

    /// The queue of a definition; `file` is the key for its file, if the file is new.
    fn new(def: &TdQueueDef, old: Option<Queue>, config: &KernelConfig, file: FileKey) -> Queue {
        let same = |old: &Queue| old.def.kind == def.kind;
        let body = match (&def.kind, old) {
            (_, Some(old)) if same(&old) => old.body,
            (TdKind::Intrapartition { recovery, trigger }, old) => {
                let kept = match old.map(|old| old.body) {
                    Some(Body::Intra(mut intra)) if intra.recovery == *recovery => {
                        intra.trigger = *trigger;
                        Some(intra)
                    }
                    Some(Body::Intra(intra)) if intra.items > 0 => {
                        tracing::warn!(
                            queue = %def.name,
                            "a queue with records keeps its RECOVSTATUS until the region starts again"
                        );
                        Some(intra)
                    }
                    _ => None,
                };
                Body::Intra(kept.unwrap_or_else(|| IntraQueue::new(*recovery, *trigger)))
            }
            (TdKind::Extrapartition { opens, .. }, _) => {
                match QueueFile::of(&def.kind, &config.state) {
                    Some(def) => Body::Extra(ExtraQueue {
                        file,
                        def: Arc::new(def),
                        open: *opens == OpenTime::Initial,
                    }),
                    None => Body::None,
                }
            }
            (TdKind::Log, _) => Body::Log(true),
            (TdKind::Indirect(_) | TdKind::Remote(_), _) => Body::None,
        };
        Queue {
            def: def.clone(),
            body,
        }
    }
}

/// Removes the records of a queue that is no longer defined.
pub fn forget(store: &mut dyn WriteStore, name: QueueName) {
    let mut changes = UnitOfWork::new();
    let emptied = store.reader().is_ok_and(|mut reader| {
        while let Ok(Some((key, _))) = intra::first(&changes, reader.as_mut(), &name) {
            changes.remove(intra::TABLE, &key);
        }
        store.apply(&[changes]).iter().all(Result::is_ok)
    });
    if !emptied {
        tracing::error!(queue = %name.escape_ascii(), "the records of a discarded queue could not be removed");
    }
}

fn count(resources: &Resources, statistics: &mut RegionStatistics) {
    let td = &resources.transient_data;
    statistics.td_items = td.intras().map(|q| q.items).sum();
    statistics.td_bytes = td.intras().map(|q| q.bytes).sum();
    statistics.td_triggers = td.triggers;
}
