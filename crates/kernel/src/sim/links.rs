//! Simulated workers in place of processes and their memory.

use std::collections::BTreeMap;

use link::{Request, SlotState, layout::SLOTS};

use crate::core::{WorkerLinks, WorkerSlot};

/// Workers as the core sees them, without memory or processes.
#[derive(Default)]
pub struct SimLinks {
    /// By number.
    pub workers: BTreeMap<usize, SimWorker>,
    /// Number of times that each task was begun, by its number.
    pub begun: BTreeMap<u64, u32>,
    /// The system has no memory for another worker.
    pub refuse_create: bool,
}

/// A worker.
pub struct SimWorker {
    /// Sequence number, task number and state of the task in each slot.
    pub slots: [Option<(u32, u64, SlotProgress)>; SLOTS],
    /// The worker ends when it has no task.
    pub retire: bool,
    /// The process was started.
    pub running: bool,
    /// The process has ended.
    pub dead: bool,
    /// CPU time used.
    pub cpu_ns: u64,
    /// The task has a processor, or waits only for one.
    pub runnable: bool,
    /// The task waits for the QR token.
    pub waits_for_qr: bool,
}

impl Default for SimWorker {
    fn default() -> Self {
        SimWorker {
            slots: [None; SLOTS],
            retire: false,
            running: false,
            dead: false,
            cpu_ns: 0,
            runnable: false,
            waits_for_qr: false,
        }
    }
}

/// State of the task in a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SlotProgress {
    /// No worker has taken it.
    Queued,
    /// The task runs.
    Running,
    /// The task has ended.
    Done,
}

impl WorkerLinks for SimLinks {
    fn create(&mut self, worker: usize, _: u64) -> bool {
        if self.refuse_create {
            return false;
        }
        let old = self.workers.insert(worker, SimWorker::default());
        assert!(old.is_none(), "worker {worker} exists already");
        true
    }

    fn forget(&mut self, worker: usize) {
        let gone = self.workers.remove(&worker).expect("it existed");
        assert!(gone.slots.iter().all(Option::is_none), "slots in use");
    }

    fn submit(&mut self, place: WorkerSlot, sequence: u32, request: &Request) {
        let slot = &mut self.worker(place.worker).slots[place.slot];
        assert!(slot.is_none(), "the slot is in use");
        *slot = Some((sequence, request.task, SlotProgress::Queued));
    }

    fn take_back(&mut self, place: WorkerSlot, sequence: u32) -> bool {
        let slot = &mut self.worker(place.worker).slots[place.slot];
        let queued = matches!(slot, Some((s, _, SlotProgress::Queued)) if *s == sequence);
        if queued {
            *slot = None;
        }
        queued
    }

    fn state(&mut self, place: WorkerSlot, sequence: u32) -> SlotState {
        match self.worker(place.worker).slots[place.slot] {
            Some((s, _, SlotProgress::Queued)) if s == sequence => SlotState::Queued,
            Some((s, _, SlotProgress::Running)) if s == sequence => SlotState::Running,
            Some((s, _, SlotProgress::Done)) if s == sequence => SlotState::Done,
            _ => SlotState::Violation(link::ProtocolViolation::State(0)),
        }
    }

    fn wake(&mut self, _: usize) {}

    fn copy(&mut self, from: WorkerSlot, to: WorkerSlot, _: u64) {
        assert_ne!(from, to);
    }

    fn free(&mut self, place: WorkerSlot, _: u64) {
        self.worker(place.worker).slots[place.slot] = None;
    }

    fn retire(&mut self, worker: usize) {
        self.worker(worker).retire = true;
    }

    fn progress(&mut self, _: usize) -> u64 {
        0
    }

    fn cpu_ns(&mut self, worker: usize) -> u64 {
        self.workers[&worker].cpu_ns
    }

    fn is_runnable(&mut self, worker: usize) -> bool {
        self.workers[&worker].runnable
    }

    fn waits_for_qr(&mut self, worker: usize) -> bool {
        self.workers[&worker].waits_for_qr
    }
}

impl SimLinks {
    /// A worker that exists.
    pub fn worker(&mut self, worker: usize) -> &mut SimWorker {
        self.workers.get_mut(&worker).expect("it exists")
    }
}
