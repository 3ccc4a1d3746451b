//! Triggers: a queue that has enough records starts its transaction.
//!
//! A cycle begins when the queue reaches its level. The next cycle can begin when
//! the queue was read to QZERO (a logically recoverable queue: when the task that
//! read it so has ended) or when the triggered task has ended, normally or not.
//! Records left in the queue then count with the next WRITEQ TD.
//!
//! A transaction that writes to the queue which triggers it starts itself without
//! end; at most [`MOST`] of its tasks exist at one time, so that other tasks can
//! run.

use link::Name;

use super::super::Resources;
use super::super::facilities::FacilityTable;
use super::{QueueName, TransientData};
use crate::core::TaskKey;
use crate::kernel::{AlarmTarget, CallingTask, InternalStart, KernelContext, StartEnd};
use crate::types::{StartCode, TdRecovery};

/// Most tasks of a queue's trigger at one time.
const MOST: u32 = 4;

impl TransientData {
    /// Records were added to a queue: starts its transaction if there are enough.
    pub(super) fn fire(&mut self, cx: &mut KernelContext<'_>, name: &QueueName) {
        let Some(intra) = self.intra(name) else {
            return;
        };
        let Some(trigger) = intra.trigger else {
            return;
        };
        if intra.fired || intra.running >= MOST || intra.items < u64::from(trigger.level) {
            return;
        }
        let terminal = trigger.terminal;
        if !terminal.is_blank() && !self.terminals.contains(&terminal) {
            return;
        }
        let Some(intra) = self.intra(name) else {
            return;
        };
        intra.fired = true;
        intra.running += 1;
        let id = cx.next_start();
        self.triggered.insert(id, *name);
        self.triggers += 1;
        let start = InternalStart {
            id,
            transid: trigger.transid,
            userid: trigger.userid,
            start_code: StartCode::Queue,
            facility: link::Name::from_bytes(*name),
            ..InternalStart::default()
        };
        if terminal.is_blank() {
            cx.start(start);
        } else {
            // The manager of terminals takes the start from here.
            self.for_terminals.insert(id, (terminal, start));
            let alarm = AlarmTarget::Manager(FacilityTable::INDEX, id);
            cx.kernel.timers.set(cx.now, alarm);
        }
    }

    /// A terminal has connected: checks the queues whose trigger needs the terminal.
    pub fn facility_added(&mut self, cx: &mut KernelContext<'_>, terminal: Name<4>) {
        self.terminals.insert(terminal);
        let wanted = |queue: &super::Queue| match &queue.body {
            super::Body::Intra(intra) => intra.trigger.is_some_and(|t| t.terminal == terminal),
            _ => false,
        };
        let mut names: Vec<QueueName> = (self.queues.iter())
            .filter(|(_, queue)| wanted(queue))
            .map(|(name, _)| *name)
            .collect();
        names.sort_unstable();
        for name in names {
            self.fire(cx, &name);
        }
    }

    /// A terminal was removed.
    pub fn facility_removed(&mut self, terminal: Name<4>) {
        self.terminals.remove(&terminal);
    }

    /// Takes a triggered task, with its terminal.
    pub fn take_trigger(&mut self, start: u64) -> Option<(Name<4>, InternalStart)> {
        self.for_terminals.remove(&start)
    }

    /// The task of a trigger will not begin.
    pub fn trigger_gone(&mut self, start: u64) {
        self.trigger_over(start);
    }

    fn trigger_over(&mut self, start: u64) {
        let Some(name) = self.triggered.remove(&start) else {
            return;
        };
        if let Some(intra) = self.intra(&name) {
            intra.running -= 1;
            intra.fired = false;
        }
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

pub(super) fn task_ended(
    resources: &mut Resources,
    _: &mut KernelContext<'_>,
    caller: &CallingTask,
) {
    let td = &mut resources.transient_data;
    for name in td.emptied.remove(&caller.key).unwrap_or_default() {
        if let Some(intra) = td.intra(&name) {
            intra.fired = false;
        }
    }
}

pub(super) fn start_ended(
    resources: &mut Resources,
    _: &mut KernelContext<'_>,
    id: u64,
    _: &StartEnd,
) {
    resources.transient_data.trigger_over(id);
}
