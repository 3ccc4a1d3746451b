//! Triggers: a queue that has enough records starts its transaction.
//!
//! A cycle begins when the queue reaches its level, and the next one when the
//! queue was read to QZERO (of a logically recoverable queue, when the task
//! that did so is over) or when the triggered task is over, however it ended.
//! What is left in the queue then triggers with the next WRITEQ TD.
//!
//! A transaction that writes to the queue which triggers it goes round for
//! ever; no more than [`MOST`] of its tasks are there at one time, so others
//! have their share.

use super::super::Resources;
use super::{QueueName, TransientData};
use crate::api::{StartCode, TdRecovery};
use crate::core::TaskKey;
use crate::kernel::{Caller, Cx, Start, StartEnd};

/// Most tasks of a queue's trigger at one time.
const MOST: u32 = 4;

impl TransientData {
    /// Records came to a queue: starts its transaction if there are enough.
    pub(super) fn fire(&mut self, cx: &mut Cx<'_>, name: &QueueName) {
        let Some(intra) = self.intra(name) else {
            return;
        };
        let Some(trigger) = intra.trigger else {
            return;
        };
        if intra.fired || intra.running >= MOST || intra.items < u64::from(trigger.level) {
            return;
        }
        intra.fired = true;
        intra.running += 1;
        let id = cx.next_start();
        self.triggered.insert(id, *name);
        self.triggers += 1;
        cx.start(Start {
            id,
            transid: trigger.transid,
            userid: trigger.userid,
            start_code: StartCode::Queue,
            facility: link::Name::from_bytes(*name),
            ..Start::default()
        });
    }

    /// A task found a queue empty.
    pub(super) fn found_empty(&mut self, task: TaskKey, name: &QueueName) {
        let Some(intra) = self.intra(name) else {
            return;
        };
        match intra.recovery {
            TdRecovery::Logical if intra.trigger.is_some() => {
                self.emptied.entry(task).or_default().insert(*name);
            }
            _ => intra.fired = false,
        }
    }
}

pub(super) fn task_ended(resources: &mut Resources, _: &mut Cx<'_>, caller: &Caller) {
    let td = &mut resources.transient_data;
    for name in td.emptied.remove(&caller.key).unwrap_or_default() {
        if let Some(intra) = td.intra(&name) {
            intra.fired = false;
        }
    }
}

pub(super) fn start_ended(resources: &mut Resources, _: &mut Cx<'_>, id: u64, _: &StartEnd) {
    let td = &mut resources.transient_data;
    let Some(name) = td.triggered.remove(&id) else {
        return;
    };
    if let Some(intra) = td.intra(&name) {
        intra.running -= 1;
        intra.fired = false;
    }
}
