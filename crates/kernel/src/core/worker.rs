//! Workers as data.

use link::layout::SLOTS;

use super::task::TaskKey;

/// A slot of a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct WorkerSlot {
    /// Worker's number.
    pub worker: usize,
    /// Slot's number.
    pub slot: usize,
}

/// Whether a worker can be given tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkerLife {
    /// The number is free.
    Vacant,
    /// Accepts tasks; its process may still be starting.
    Ready,
    /// Ends its tasks, and accepts no new ones.
    Retiring,
    /// Its process is gone; slots may still be held.
    Dead,
}

/// One worker.
#[derive(Debug)]
pub struct WorkerState {
    /// Whether it can be given tasks.
    pub life: WorkerLife,
    /// Generation of its definitions.
    pub generation: u64,
    /// The owner of each slot, until the slot is released.
    pub slots: [Option<TaskKey>; SLOTS],
    /// Slots that are held, by bit.
    pub(super) held: u64,
    /// Slots that were submitted and have not completed, by bit.
    pub submitted: u64,
    /// Tasks that are being written, queued or running.
    pub load: usize,
    /// Of these, tasks whose program is not known to be short.
    pub(super) slow: usize,
    pub(super) next_sequence: u32,
    /// Its running task waits for the region.
    pub(super) waiting: bool,
    /// Its running task runs for long.
    pub(super) stuck: bool,
    /// At the last check its running task waited for something else than a processor, the
    /// region or the QR token.
    pub(super) blocked: bool,
    /// Its running task waits for the QR token for long.
    pub(super) waits_for_qr: bool,
    /// The task seen running at the last check.
    pub(super) seen: Option<ObservedTask>,
    pub(super) progress: u64,
    pub(super) progress_cpu_ns: u64,
    pub(super) idle_since: u64,
    pub(super) ended_tasks: u64,
    /// Open tasks whose runs use the worker: it is not retired, and while it is idle gets no
    /// other tasks.
    pub(super) pins: u32,
    /// Distinguishes successive workers with one number; 0 for one that accepts no runs any
    /// more.
    pub(super) incarnation: u64,
    /// Why it is being killed.
    pub(super) kill_reason: Option<KillReason>,
}

/// A running task as of the first check that saw it.
#[derive(Debug, Clone, Copy)]
pub struct ObservedTask {
    /// Its slot.
    pub slot: usize,
    /// Its sequence number.
    pub sequence: u32,
    /// When.
    pub since: u64,
    /// CPU time of the worker's process then.
    pub cpu_ns: u64,
}

/// The owner of a call that a worker made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallOwner {
    /// The task that was submitted to the slot.
    Task(TaskKey),
    /// A process that has ended meanwhile.
    Gone,
    /// No task: the slot has no task that could be running.
    NoTask,
}

/// Why a worker is being killed, which decides how its running task ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KillReason {
    /// The task used up its runaway limit.
    Runaway,
    /// The task was purged; why.
    Purge(&'static str),
    /// The worker wrote malformed data.
    Violation,
}

impl WorkerState {
    pub(super) fn new(generation: u64, now: u64, incarnation: u64) -> Self {
        WorkerState {
            life: WorkerLife::Ready,
            generation,
            slots: [None; SLOTS],
            held: 0,
            submitted: 0,
            load: 0,
            slow: 0,
            next_sequence: 1,
            waiting: false,
            stuck: false,
            blocked: false,
            waits_for_qr: false,
            seen: None,
            progress: 0,
            progress_cpu_ns: 0,
            idle_since: now,
            ended_tasks: 0,
            pins: 0,
            incarnation,
            kill_reason: None,
        }
    }

    /// True while its process exists or is being started.
    pub fn is_live(&self) -> bool {
        matches!(self.life, WorkerLife::Ready | WorkerLife::Retiring)
    }

    /// True when it runs a program that is not known to be short, and does not
    /// wait.
    pub(super) fn computes(&self) -> bool {
        let waits = self.waiting || self.blocked || self.waits_for_qr;
        self.life == WorkerLife::Ready && self.slow > 0 && !waits
    }

    /// True when no slot is held.
    pub fn is_empty(&self) -> bool {
        self.held == 0
    }

    pub(super) fn free_slot(&self) -> Option<usize> {
        let slot = self.held.trailing_ones() as usize;
        (slot < SLOTS).then_some(slot)
    }

    pub(super) fn hold(&mut self, slot: usize, key: TaskKey) {
        self.slots[slot] = Some(key);
        self.held |= 1 << slot;
    }

    pub(super) fn give_back(&mut self, slot: usize) {
        self.slots[slot] = None;
        self.held &= !(1 << slot);
    }

    /// Slots that were submitted and have not completed, lowest first.
    pub fn submitted_slots(&self) -> impl Iterator<Item = usize> + use<> {
        let mut bits = self.submitted;
        std::iter::from_fn(move || {
            let slot = bits.trailing_zeros() as usize;
            bits &= bits.wrapping_sub(1);
            (slot < SLOTS).then_some(slot)
        })
    }
}
