//! The expected state, as far as it follows from the responses to programs.
//!
//! A unit's changes count when the store has committed the unit, whether or not its
//! program got the response; the changes of other units do not count.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::decider::DecidingUnit;
use super::program::TdQueueKind;
use crate::core::TaskKey;
use crate::kernel::UnitId;

/// The expected state.
#[derive(Debug, Clone, Default)]
pub struct ExpectedState {
    /// Items of the temporary storage queue.
    pub items: Vec<u64>,
    /// Records of the logically recoverable queue.
    pub logical: VecDeque<u64>,
    /// Records of the physically recoverable queue.
    pub physical: VecDeque<u64>,
    /// Numbers of the sequence that programs got.
    given: BTreeSet<i64>,
    /// START requests, by their number.
    pub requests: BTreeMap<u64, Request>,
    /// The terminals of requests for a terminal, by their index.
    terminals: BTreeMap<u64, usize>,
    /// The tasks that have enqueued on names, and their counts.
    enqueued: BTreeMap<u8, (TaskKey, u32)>,
    /// The trigger has started a task, and its cycle is not over.
    fired: bool,
    /// Tasks that found its queue empty: their ends are ends of the cycle.
    empty_for: BTreeSet<TaskKey>,
    /// Units in progress whose decider got the order to commit.
    pub deciding: BTreeMap<UnitId, DecidingUnit>,
    /// How children ended: with an abend or without; none while they run.
    pub children: BTreeMap<u64, Option<bool>>,
}

/// A change that counts when its unit is committed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelChange {
    /// WRITEQ TS.
    Item(u64),
    /// DELETEQ TS.
    NoItems,
    /// WRITEQ TD.
    Record(u64),
    /// READQ TD.
    Taken,
    /// DELETEQ TD.
    NoRecords,
    /// START PROTECT.
    Request(u64),
}

/// A START.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Request {
    /// PROTECT: the request outlives the region.
    pub protect: bool,
    /// The expected outcome.
    pub fate: StartFate,
}

/// The expected outcome of a START.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StartFate {
    /// The unit of work that made it is not committed.
    Uncommitted,
    /// The task begins.
    Begins,
    /// The task has begun, and has not committed a unit of work.
    Begun,
    /// The task has committed a unit of work.
    Done,
    /// The task may begin once more, or not: the region died after the task had begun.
    MayBegin,
    /// The task never begins: cancelled, backed out, or lost with the region.
    Never,
}

impl ExpectedState {
    /// A unit is in the store.
    pub fn commit(&mut self, changes: &[ModelChange]) {
        for change in changes {
            match *change {
                ModelChange::Item(unit) => self.items.push(unit),
                ModelChange::NoItems => self.items.clear(),
                ModelChange::Record(unit) => self.logical.push_back(unit),
                ModelChange::Taken => drop(self.logical.pop_front()),
                ModelChange::NoRecords => self.logical.clear(),
                ModelChange::Request(number) => self.fate(number, StartFate::Begins),
            }
        }
    }

    /// A unit was backed out.
    pub fn back_out(&mut self, changes: &[ModelChange]) {
        for change in changes {
            if let ModelChange::Request(number) = *change {
                self.fate(number, StartFate::Never);
            }
        }
    }

    /// The items with the changes of a unit.
    pub fn items_seen(&self, changes: &[ModelChange]) -> Vec<u64> {
        let mut seen = self.items.clone();
        for change in changes {
            match *change {
                ModelChange::Item(unit) => seen.push(unit),
                ModelChange::NoItems => seen.clear(),
                _ => {}
            }
        }
        seen
    }

    /// The records of the logically recoverable queue with the changes of a unit.
    pub fn records_seen(&self, changes: &[ModelChange]) -> VecDeque<u64> {
        let mut seen = self.logical.clone();
        for change in changes {
            match *change {
                ModelChange::Record(unit) => seen.push_back(unit),
                ModelChange::Taken => drop(seen.pop_front()),
                ModelChange::NoRecords => seen.clear(),
                _ => {}
            }
        }
        seen
    }

    /// A command changed the physically recoverable queue.
    pub fn physical(&mut self, change: PhysicalChange) {
        match change {
            PhysicalChange::Put(unit) => self.physical.push_back(unit),
            PhysicalChange::Take(unit) => {
                let first = self.physical.pop_front();
                assert_eq!(first, Some(unit), "the first record was not taken");
            }
            PhysicalChange::Drop => self.physical.clear(),
        }
    }

    /// A program got a number of the sequence.
    pub fn given(&mut self, number: i64) {
        assert!(self.given.insert(number), "number {number} is given twice");
    }

    /// A START is issued.
    pub fn ask(&mut self, number: u64, protect: bool) {
        let fate = if protect {
            StartFate::Uncommitted
        } else {
            StartFate::Begins
        };
        self.requests.insert(number, Request { protect, fate });
    }

    /// A START is for a terminal.
    pub fn for_terminal(&mut self, number: u64, at: usize) {
        self.terminals.insert(number, at);
    }

    /// A terminal was removed, with the STARTs that wait for it.
    pub fn terminal_gone(&mut self, at: usize) {
        let own = self.terminals.iter().filter(|(_, of)| **of == at);
        for number in own.map(|(number, _)| number) {
            if let Some(request) = self.requests.get_mut(number)
                && request.fate == StartFate::Begins
            {
                request.fate = StartFate::Never;
            }
        }
    }

    /// Sets the expected outcome of a START.
    pub fn fate(&mut self, number: u64, fate: StartFate) {
        let request = self.requests.get_mut(&number);
        request.expect("a START that was asked for").fate = fate;
    }

    /// A START is cancelled.
    pub fn cancelled(&mut self, number: u64) {
        let fate = self.requests[&number].fate;
        let can = matches!(
            fate,
            StartFate::Begins | StartFate::MayBegin | StartFate::Never
        );
        assert!(can, "request {number} was cancelled and is {fate:?}");
        self.fate(number, StartFate::Never);
    }

    /// The task of a START begins.
    pub fn begins(&mut self, number: u64) {
        let fate = self.requests[&number].fate;
        let may = matches!(fate, StartFate::Begins | StartFate::MayBegin);
        assert!(may, "request {number} begins and is {fate:?}");
        self.fate(number, StartFate::Begun);
    }

    /// The task of a START has committed a unit of work.
    pub fn done(&mut self, number: u64) {
        self.fate(number, StartFate::Done);
    }

    /// ENQ gave a name to a task.
    pub fn enqueued(&mut self, name: u8, task: TaskKey) {
        let (owner, uses) = self.enqueued.entry(name).or_insert((task, 0));
        assert_eq!(*owner, task, "two tasks have {}", char::from(name));
        *uses += 1;
    }

    /// DEQ.
    pub fn dequeued(&mut self, name: u8, task: TaskKey) {
        if let Some((owner, uses)) = self.enqueued.get_mut(&name)
            && *owner == task
        {
            *uses -= 1;
            if *uses == 0 {
                self.enqueued.remove(&name);
            }
        }
    }

    /// The trigger starts a task.
    pub fn triggers(&mut self) {
        assert!(!self.fired, "the trigger starts a task twice in a cycle");
        self.fired = true;
    }

    /// The task of a trigger has ended.
    pub fn triggered_over(&mut self) {
        self.fired = false;
    }

    /// A task found the queue with the trigger empty.
    pub fn found_empty(&mut self, task: TaskKey) {
        self.empty_for.insert(task);
    }

    /// A task and its last unit of work have ended.
    pub fn task_over(&mut self, task: TaskKey) {
        self.unit_over(task);
        if self.empty_for.remove(&task) {
            self.fired = false;
        }
    }

    /// A unit of work of a task has ended.
    pub fn unit_over(&mut self, task: TaskKey) {
        self.enqueued.retain(|_, (owner, _)| *owner != task);
    }

    /// The store has lost the changes since `before`. Programs keep the numbers that they
    /// got.
    pub fn power_lost(&mut self, before: ExpectedState) {
        let given = std::mem::take(&mut self.given);
        // The units whose deciders got orders since then are still in doubt.
        let mut deciding = before.deciding.clone();
        deciding.append(&mut self.deciding);
        *self = ExpectedState {
            given,
            deciding,
            ..before
        };
    }

    /// The region dies: all state outside the store is lost.
    pub fn region_died(&mut self) {
        self.enqueued.clear();
        self.children.clear();
        self.fired = false;
        self.empty_for.clear();
        for request in self.requests.values_mut() {
            request.fate = match (request.fate, request.protect) {
                (StartFate::Done, _) => StartFate::Done,
                (StartFate::Begins, true) => StartFate::Begins,
                (StartFate::Begun | StartFate::MayBegin, true) => StartFate::MayBegin,
                _ => StartFate::Never,
            };
        }
    }
}

/// A change of the physically recoverable queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PhysicalChange {
    /// WRITEQ TD.
    Put(u64),
    /// READQ TD.
    Take(u64),
    /// DELETEQ TD.
    Drop,
}

/// A command of a program on a transient data queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnTd {
    /// WRITEQ TD.
    Put(TdQueueKind, u64),
    /// READQ TD.
    Take(TdQueueKind),
    /// DELETEQ TD.
    Drop(TdQueueKind),
}
