//! Facilities that outlive tasks: their data between two inputs, and their tasks.
//!
//! A facility has one task at a time, begun by an input, by RETURN IMMEDIATE, or by a START or
//! trigger that waited until the facility was free. RETURN leaves the next transaction and its
//! COMMAREA or channel here for the next input. The data of a START for a terminal stays with
//! interval control.
//!
//! A terminal with its own name that leaves finds its queue of STARTs again when it returns; that
//! of a pooled terminal is dropped.
//!
//! Reference: CICS API reference, RETURN, RECEIVE, SEND, START; CICS intersystem
//! communication, "Automatic transaction initiation".
//! Invariant: a facility has at most one task, and the counts and bytes of everything that waits
//! here are below their limits.

mod attach;
mod commands;
#[cfg(test)]
mod doubt_tests;
mod held;
mod kept;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet, VecDeque};

use cics::command::commands as rows;
use link::{ChannelData, Name, TransId, UserId};

use super::Manager;
use crate::core::TaskKey;
use crate::kernel::EventKind;
use crate::kernel::{InternalStart, KernelContext, KernelEffect};
use crate::types::{CountAndBytes, WaitKind};
use crate::types::{
    FacilityDef, FacilityEvent, FacilityId, FacilityInput, FacilityLimits, FacilityState,
    RegisterRefused, TransactionDef,
};
#[cfg(any(test, feature = "sim"))]
pub use attach::{begin_waiting_work, register_only};
pub use attach::{close, input, register};
use held::HeldFacility;
use kept::StoredConversation;
pub use kept::TABLE as SAVED;
#[cfg(any(test, feature = "sim"))]
pub use kept::saved_commarea;

/// The commands and hooks of this manager.
pub const MANAGER: Manager = Manager {
    commands: &[
        (rows::ret::NUMBER, commands::returned),
        (rows::receive::NUMBER, commands::receive),
        (rows::send::NUMBER, commands::send),
        (rows::converse::NUMBER, commands::converse),
        (rows::wait_signal::NUMBER, commands::wait_signal),
    ],
    tables: &[kept::TABLE],
    define: |resources, config| {
        let facilities = &mut resources.facilities;
        facilities.limits = config.facilities;
        facilities.define(&config.definitions.transactions);
    },
    task_begun: kept::task_begun,
    unit_ended: |resources, cx, task, committed| {
        held::unit_ended(resources, cx, task, committed);
        kept::unit_ended(resources, cx, task, committed);
    },
    start_waits: |resources, cx, terminal, request| {
        attach::enqueue(resources, cx, terminal, WaitingStart::Request(request));
    },
    unit_prepared: held::unit_prepared,
    unit_restored: held::unit_restored,
    task_ended: kept::task_ended,
    alarm: attach::triggered,
    start_ended: attach::ended,
    restore: kept::restore,
    ..Manager::IDLE
};

/// The event that a task waits for in RECEIVE, by the facility's number.
pub const TERMINAL: EventKind = EventKind::new("TERMINAL", WaitKind::Event);
/// The event that WAIT SIGNAL waits for, by the facility's number.
const SIGNAL: EventKind = EventKind::new("SIGNAL", WaitKind::Event);
/// The event that RETURN waits for while the facility is held.
const OUTCOME: EventKind = EventKind::new("OUTCOME", WaitKind::Event);

/// All facilities of a region.
#[derive(Debug, Default)]
pub struct FacilityTable {
    limits: FacilityLimits,
    /// Transactions whose saved data outlive the region.
    recovered: HashSet<TransId>,
    all: HashMap<FacilityId, FacilityEntry>,
    /// By terminal identifier, without facilities that are ending.
    names: HashMap<Name<4>, FacilityId>,
    /// By the start of the facility's task.
    begun: HashMap<u64, FacilityId>,
    /// Work that waits for terminals that are not connected.
    parked: HashMap<Name<4>, VecDeque<WaitingStart>>,
    /// The data of RETURN for tasks whose unit of work is not over.
    saves: HashMap<TaskKey, PendingSave>,
    /// Tasks whose unit of work removes the data that they got from the store.
    removals: HashMap<TaskKey, PendingRemoval>,
    /// Stored data of logical units that are not connected, or whose user is not signed on.
    kept: HashMap<Name<8>, StoredConversation>,
    /// Logical units whose conversation a unit of work in doubt changes.
    held: HashMap<Name<8>, Vec<HeldFacility>>,
    last: u64,
    bytes: usize,
}

/// A facility.
#[derive(Debug)]
struct FacilityEntry {
    def: FacilityDef,
    userid: UserId,
    task: Option<AttachedTask>,
    next: Option<NextTask>,
    /// Input ahead of a task that will request it.
    inputs: VecDeque<FacilityInput>,
    starts: VecDeque<WaitingStart>,
    /// AID and cursor of the last input.
    last_key: (u8, u16),
    /// The store has the data that the next task gets, or the running one got.
    in_store: bool,
    /// It has ended; it is removed with its task.
    closing: bool,
    /// Bytes counted for it.
    counted: usize,
}

/// The task that has a facility.
#[derive(Debug)]
struct AttachedTask {
    transid: TransId,
    /// The input that began the task, until it is received.
    initial: Option<FacilityInput>,
    /// The data that it got, until its first unit of work begins.
    given: Option<NextTask>,
    /// The user has pressed ATTN, and no command has reported it yet.
    signal: bool,
}

/// The data that RETURN has left for the next task.
#[derive(Debug, Clone, PartialEq, Eq)]
struct NextTask {
    transid: TransId,
    data: SavedArea,
    /// INPUTMSG: the data of its first RECEIVE.
    message: Option<Vec<u8>>,
    immediate: bool,
    recovered: bool,
}

/// Data saved for a task.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
enum SavedArea {
    #[default]
    Nothing,
    Commarea(Vec<u8>),
    Channel(ChannelData),
}

/// The data of RETURN, until its unit of work is over.
#[derive(Debug)]
struct PendingSave {
    facility: FacilityId,
    next: NextTask,
    in_store: bool,
}

/// The data that a unit of work removes from the store, until it is over.
#[derive(Debug)]
struct PendingRemoval {
    facility: FacilityId,
    given: NextTask,
}

/// Work that waits until a facility is free.
#[derive(Debug)]
pub enum WaitingStart {
    /// A START, by its number in interval control.
    Request(u64),
    /// A trigger.
    Trigger(Box<InternalStart>),
}

impl FacilityTable {
    fn define(&mut self, transactions: &[TransactionDef]) {
        let recovered = transactions.iter().filter(|t| t.recover_conversation);
        self.recovered = recovered.map(|t| t.name).collect();
    }

    /// Whether START may name a terminal: it is connected, or was and is expected back.
    pub fn has_terminal(&self, terminal: Name<4>) -> bool {
        self.names.contains_key(&terminal) || self.parked.contains_key(&terminal)
    }

    /// Marks a terminal as expected, since the store has data for it.
    pub fn expect(&mut self, terminal: Name<4>) {
        if self.parked.len() < self.limits.most {
            self.parked.entry(terminal).or_default();
        }
    }

    /// Whether a terminal is of a pool: work that waits for it ends with it.
    pub fn is_pooled(&self, terminal: Name<4>) -> bool {
        let id = self.names.get(&terminal);
        let entry = id.and_then(|id| self.all.get(id));
        entry.is_some_and(|entry| entry.def.pooled)
    }

    /// Most STARTs that may wait for a terminal.
    pub fn most_starts(&self) -> usize {
        self.limits.queued_starts
    }

    /// The facility of a task, by the task's start.
    pub fn of_start(&self, start: u64) -> Option<FacilityId> {
        self.begun.get(&start).copied()
    }

    /// The data that waits for the next input.
    pub fn state(&self, cx: &KernelContext<'_>, id: FacilityId) -> Option<FacilityState> {
        let entry = self.all.get(&id).filter(|e| !e.closing)?;
        let next = entry.next.as_ref();
        Some(FacilityState {
            userid: entry.userid,
            busy: entry.task.is_some(),
            waits: cx.is_awaited(TERMINAL, &key(id)),
            has_input: entry.has_input(),
            next_transid: next.map_or(TransId::BLANK, |n| n.transid),
            saved_bytes: next.map_or(0, |n| n.data.bytes()),
            recovered: next.is_some_and(|n| n.recovered),
            queued_starts: entry.starts.len(),
            in_doubt: self.is_held(id),
        })
    }

    /// Removes a further START of the same transaction from the queue of a task's facility, for
    /// RETRIEVE: the oldest for which `fits` is true.
    pub fn take_queued(&mut self, start: u64, fits: impl Fn(u64) -> bool) -> Option<u64> {
        let id = self.of_start(start)?;
        let entry = self.all.get_mut(&id)?;
        let at = entry.starts.iter().position(|queued| match queued {
            WaitingStart::Request(request) => fits(*request),
            WaitingStart::Trigger(_) => false,
        })?;
        match entry.starts.remove(at)? {
            WaitingStart::Request(request) => Some(request),
            WaitingStart::Trigger(_) => None,
        }
    }

    /// Puts a START back at the front of the queue of a task's facility.
    pub fn put_back(&mut self, start: u64, request: u64) -> bool {
        let id = self.of_start(start);
        let entry = id.and_then(|id| self.all.get_mut(&id));
        let found = entry.is_some();
        if let Some(entry) = entry {
            entry.starts.push_front(WaitingStart::Request(request));
        }
        found
    }

    /// Another user signs on.
    pub fn sign_on(&mut self, cx: &mut KernelContext<'_>, id: FacilityId, userid: UserId) {
        let Some(entry) = self.all.get_mut(&id).filter(|e| e.userid != userid) else {
            return;
        };
        let busy = entry.task.is_some();
        if !busy {
            self.put_away(cx, id);
        }
        if let Some(entry) = self.all.get_mut(&id) {
            entry.userid = userid;
        }
        if !busy {
            self.recover(cx, id);
        }
        self.recount(id);
    }

    /// ATTN: the next SEND, RECEIVE or CONVERSE of the facility's task reports
    /// SIGNAL, and WAIT SIGNAL ends. Without a task it has no effect.
    pub fn attention(&mut self, cx: &mut KernelContext<'_>, id: FacilityId) {
        let entry = self.all.get_mut(&id);
        if let Some(task) = entry.and_then(|entry| entry.task.as_mut()) {
            task.signal = true;
            cx.signal(SIGNAL, &key(id));
        }
    }

    /// True if there is no state of any task.
    #[cfg(any(test, feature = "sim"))]
    pub fn is_idle(&self) -> bool {
        let free =
            |e: &FacilityEntry| e.task.is_none() && e.starts.is_empty() && e.inputs.is_empty();
        self.begun.is_empty()
            && self.saves.is_empty()
            && self.removals.is_empty()
            && self.held.is_empty()
            && self.all.values().all(free)
    }

    /// Checks the counters; panics if they are inconsistent.
    #[cfg(any(test, feature = "sim"))]
    pub fn check_books(&self) {
        let mut bytes = self
            .kept
            .values()
            .map(StoredConversation::bytes)
            .sum::<usize>();
        let held = self.held.values().flatten();
        bytes += held.map(HeldFacility::bytes).sum::<usize>();
        for (id, entry) in &self.all {
            bytes += entry.counted;
            assert_eq!(entry.counted, entry.bytes(), "bytes of {id:?}");
            assert!(entry.inputs.len() <= self.limits.queued_inputs, "inputs");
            let named = self.names.get(&entry.def.terminal) == Some(id);
            assert_eq!(named, !entry.closing, "the name of {id:?}");
        }
        assert_eq!(self.bytes, bytes, "bytes of all");
        let tasks = self.all.values().filter(|e| e.task.is_some()).count();
        assert_eq!(self.begun.len(), tasks, "one task a facility");
        let attached = |id: &FacilityId| self.all.get(id).is_some_and(|e| e.task.is_some());
        assert!(self.begun.values().all(attached), "its facility");
        assert!(self.all.len() <= self.limits.most, "facilities");
    }

    /// The amount that facilities take, with their saved data and waiting work.
    pub(super) fn amount(&self) -> CountAndBytes {
        CountAndBytes {
            count: self.all.len() as u64,
            bytes: self.bytes as u64,
        }
    }

    /// The task has the input that began it.
    fn drop_initial(&mut self, id: FacilityId) {
        let entry = self.all.get_mut(&id);
        if let Some(task) = entry.and_then(|entry| entry.task.as_mut()) {
            task.initial = None;
        }
        self.recount(id);
    }

    /// Whether so many more bytes may be kept.
    fn has_room(&self, bytes: usize) -> bool {
        self.bytes.saturating_add(bytes) <= self.limits.bytes
    }

    /// Counts the bytes of a facility again.
    fn recount(&mut self, id: FacilityId) {
        if let Some(entry) = self.all.get_mut(&id) {
            let bytes = entry.bytes();
            self.bytes = self.bytes - entry.counted + bytes;
            entry.counted = bytes;
        }
    }
}

impl FacilityEntry {
    /// Whether ATTN was pressed since the last command that reported it.
    fn take_signal(&mut self) -> bool {
        let task = self.task.as_mut();
        task.is_some_and(|task| std::mem::take(&mut task.signal))
    }

    fn has_input(&self) -> bool {
        let begun = self.task.as_ref().is_some_and(|t| t.initial.is_some());
        begun || !self.inputs.is_empty()
    }

    fn bytes(&self) -> usize {
        let inputs = self.inputs.iter().map(FacilityInput::bytes).sum::<usize>();
        let task = self.task.as_ref().map_or(0, |task| {
            let initial = task.initial.as_ref().map_or(0, FacilityInput::bytes);
            initial + task.given.as_ref().map_or(0, NextTask::bytes)
        });
        inputs + task + self.next.as_ref().map_or(0, NextTask::bytes)
    }

    /// The logical unit.
    fn unit_name(&self) -> Name<8> {
        if !self.def.netname.is_blank() {
            return self.def.netname;
        }
        let mut name = [b' '; 8];
        name[..4].copy_from_slice(self.def.terminal.as_bytes());
        Name::from_bytes(name)
    }
}

impl NextTask {
    fn bytes(&self) -> usize {
        self.data.bytes() + self.message.as_ref().map_or(0, Vec::len)
    }
}

impl SavedArea {
    fn bytes(&self) -> usize {
        match self {
            SavedArea::Nothing => 0,
            SavedArea::Commarea(bytes) => bytes.len(),
            SavedArea::Channel(channel) => {
                channel.containers.iter().map(|c| c.bytes.len() + 16).sum()
            }
        }
    }
}

/// A facility's number as the key of its events.
fn key(id: FacilityId) -> [u8; 8] {
    id.0.to_be_bytes()
}

/// Reports an event to the facility's connection.
fn report(cx: &mut KernelContext<'_>, id: FacilityId, event: FacilityEvent) {
    cx.out.push(KernelEffect::Facility(id, Box::new(event)));
}
