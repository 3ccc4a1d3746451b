//! Interval control: START, RETRIEVE, CANCEL, DELAY.
//!
//! A request to start a task waits for its time; with PROTECT it first waits for
//! the syncpoint of the task that made it. Its data are kept until the started
//! task retrieves them or ends. A name (REQID) identifies a request that waits
//! or still has data; if several have the same name, the oldest is taken.
//!
//! Protected requests are in the store from the syncpoint on, and leave it
//! with the first unit of work of the task that they started. The others are
//! put there when the region ends normally, and taken out when it starts.
//!
//! Reference: CICS API reference, the commands' pages; CICS application
//! programming, "Interval control"; CICS recovery and restart, "Recovery for
//! start requests".

mod cancel;
mod delay;
mod inquiry;
mod kept;
mod retrieve;
mod start;
pub(super) mod when;

#[cfg(test)]
mod tests;

use std::collections::{HashMap, VecDeque};

use cics::command::commands::{
    cancel as cancel_row, delay as delay_row, retrieve as retrieve_row, start as start_row,
    start_attach,
};
use cics::resp::Condition;
use link::{Name, TransId};

use super::{GrowthAccount, Manager, hand_over};
use crate::core::TaskKey;
use crate::kernel::{CommandFailure, EventKind, InternalStart, TimerId, share, take_one};
use crate::types::WaitKind;
use crate::types::{AccountKind, CountAndBytes, TransactionDef};
pub use start::{discard, discard_for};

/// The commands and hooks of this manager.
pub const MANAGER: Manager = Manager {
    commands: &[
        (delay_row::NUMBER, delay::delay),
        (start_row::NUMBER, start::start),
        (start_attach::NUMBER, start::attach),
        (retrieve_row::NUMBER, retrieve::retrieve),
        (cancel_row::NUMBER, cancel::cancel),
    ],
    define: |resources, config| {
        resources.interval.define(&config.definitions.transactions);
    },
    tables: &[kept::STARTS],
    task_begun: kept::task_begun,
    unit_ended: start::unit_ended,
    unit_prepared: |resources, _, task, to| {
        hand_over(&mut resources.interval.protected, task, to);
        hand_over(&mut resources.interval.running, task, to);
    },
    unit_restored: kept::unit_restored,
    task_ended: |resources, cx, caller| {
        kept::task_ended(resources, cx, caller);
        resources.interval.account.task_ended(caller.key);
    },
    alarm: start::due,
    start_ended: start::ended,
    restore: kept::restore,
    keep: kept::keep,
    ..Manager::IDLE
};

/// A request's name.
pub(super) type ReqId = [u8; 8];

/// The event that a DELAY with REQID waits for, by its name.
pub const DELAY: EventKind = EventKind::new("DELAY", WaitKind::Delay);

/// The event that RETRIEVE WAIT waits for, by the number of the facility.
pub const RETRIEVE: EventKind = EventKind::new("RETRIEVE", WaitKind::Event);

/// Requests to start tasks, and their data.
#[derive(Debug, Default)]
pub struct IntervalControl {
    /// Memory of the requests, by the tasks that made them.
    pub(super) account: GrowthAccount,
    /// Number of requests for each transaction, and of each origin.
    by_transaction: HashMap<TransId, u64>,
    by_origin: HashMap<u64, u64>,
    /// The transactions that are defined, and whether they are enabled.
    transactions: HashMap<TransId, bool>,
    /// Requests by the number of their START, until their task is over.
    requests: HashMap<u64, StartRequest>,
    /// The numbers of the requests with a name that wait or have data, oldest first.
    names: HashMap<ReqId, VecDeque<u64>>,
    /// The requests that each unit of work starts when it is committed.
    protected: HashMap<TaskKey, Vec<u64>>,
    /// Tasks that recoverable requests have started.
    running: HashMap<TaskKey, u64>,
    last_name: u64,
    last_ticket: u64,
    /// Requests for each terminal whose task has not been asked for.
    for_terminals: HashMap<Name<4>, usize>,
    /// Recoverable requests whose data a task has retrieved in addition to its own, with
    /// the task's start, until the unit of work is over.
    retrieved: HashMap<TaskKey, (u64, Vec<StartRequest>)>,
}

/// A request to start a task.
#[derive(Debug)]
struct StartRequest {
    /// The task to start. The task takes its channel when it begins.
    start: InternalStart,
    /// Expiration time, nanoseconds of the region's clock.
    at: u64,
    /// The data for RETRIEVE; none if START sent none or they were retrieved.
    data: Option<StartData>,
    /// START sent a channel.
    has_channel: bool,
    /// The name of the request; zeros if it has none.
    name: ReqId,
    /// Key in the store of a protected request.
    ticket: Option<u64>,
    stage: StartStage,
    /// The task that made the request.
    maker: TaskKey,
}

/// State of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StartStage {
    /// The unit of work that made the request is not committed.
    Uncommitted,
    /// The request waits for its time.
    Waiting(Option<TimerId>),
    /// The request waits for its terminal.
    Queued,
    /// CANCEL is deleting the request from the store.
    Cancelling,
    /// The task has been requested.
    Begun,
    /// The task may have committed before the region's restart: its unit of work is in
    /// doubt.
    InDoubt,
}

/// The data of a START for RETRIEVE. Each part is optional.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct StartData {
    from: Option<Vec<u8>>,
    rtransid: Option<[u8; 4]>,
    rtermid: Option<[u8; 4]>,
    queue: Option<[u8; 8]>,
}

/// If the limit of the region is below this number, transactions and origins have no
/// limits of their own.
const LEAST_SHARED: usize = 100;

/// Bytes that a request takes in addition to its data.
const REQUEST_BYTES: u64 = 256;

impl StartRequest {
    /// Memory of the request, for the limits.
    fn amount(&self) -> CountAndBytes {
        let from = self.data.as_ref().and_then(|data| data.from.as_ref());
        let channel = self.start.channel.as_ref().map_or(0, |channel| {
            let containers = channel.containers.iter();
            containers.map(|c| c.bytes.len() as u64 + 64).sum::<u64>()
        });
        CountAndBytes::one(REQUEST_BYTES + from.map_or(0, |from| from.len() as u64) + channel)
    }
}

impl IntervalControl {
    /// Stores which transactions are defined and enabled.
    pub fn define(&mut self, transactions: &[TransactionDef]) {
        let known = transactions.iter().map(|t| (t.name, t.enabled));
        self.transactions = known.collect();
    }

    /// Whether a transaction is enabled; none if it is not defined.
    pub fn transaction(&self, name: TransId) -> Option<bool> {
        self.transactions.get(&name).copied()
    }

    /// The name of a request.
    #[cfg(any(test, feature = "sim"))]
    pub fn name_of(&self, id: u64) -> Option<ReqId> {
        self.requests.get(&id).map(|request| request.name)
    }

    /// True if the manager has no data of any task.
    #[cfg(any(test, feature = "sim"))]
    pub fn is_idle(&self) -> bool {
        self.requests.is_empty()
            && self.names.is_empty()
            && self.protected.is_empty()
            && self.running.is_empty()
            && self.retrieved.is_empty()
            && self.for_terminals.is_empty()
            && self.by_transaction.is_empty()
            && self.by_origin.is_empty()
    }

    /// Starts a transaction that is defined, for a door.
    pub fn start(
        &mut self,
        cx: &mut crate::kernel::KernelContext<'_>,
        (transid, userid): (TransId, link::UserId),
        delay_ns: u64,
        data: Vec<u8>,
    ) -> Result<(), crate::types::StartRefusal> {
        match self.transaction(transid) {
            None => Err(crate::types::StartRefusal::UnknownTransaction(transid)),
            Some(false) => Err(crate::types::StartRefusal::Disabled(transid)),
            Some(true) => {
                start::from_door(self, cx, transid, userid, delay_ns, data);
                Ok(())
            }
        }
    }

    /// Generates a name for a request whose program specified none.
    pub fn generate_name(&mut self) -> ReqId {
        loop {
            self.last_name += 1;
            let name = name_of(self.last_name);
            if !self.names.contains_key(&name) {
                return name;
            }
        }
    }

    /// Adds a request under its number.
    fn insert(&mut self, request: StartRequest) {
        let id = request.start.id;
        if request.name != UNNAMED {
            self.names.entry(request.name).or_default().push_back(id);
        }
        let terminal = request.start.facility;
        if !terminal.is_blank() {
            *self.for_terminals.entry(terminal).or_default() += 1;
        }
        self.account.add(request.maker, request.amount());
        *(self.by_transaction.entry(request.start.transid)).or_default() += 1;
        *self.by_origin.entry(request.start.origin).or_default() += 1;
        self.requests.insert(id, request);
    }

    /// Removes a request.
    fn remove(&mut self, id: u64) -> Option<StartRequest> {
        let request = self.requests.remove(&id)?;
        self.account.remove(request.maker, request.amount());
        take_one(&mut self.by_transaction, request.start.transid);
        take_one(&mut self.by_origin, request.start.origin);
        self.free_name(request.name, id);
        if request.stage != StartStage::Begun {
            self.leave_queue(request.start.facility);
        }
        Some(request)
    }

    /// Whether a request may be added: one transaction may use half of the region's limit,
    /// and one origin a quarter.
    fn check_room(&self, request: &StartRequest) -> Result<(), CommandFailure> {
        let (task, more) = (request.maker, request.amount());
        self.account.check(AccountKind::Starts, task, more)?;
        let most = usize::try_from(self.account.limit().region.count).unwrap_or(usize::MAX);
        if most < LEAST_SHARED {
            return Ok(());
        }
        let start = &request.start;
        let of = |count: Option<&u64>| count.map_or(0, |n| *n as usize);
        let is_full = of(self.by_transaction.get(&start.transid)) >= share(most, 2)
            || of(self.by_origin.get(&start.origin)) >= share(most, 4);
        if is_full {
            return Err(CommandFailure::Condition(Condition::IoErr, 0));
        }
        Ok(())
    }

    /// Takes a part out of a request.
    fn take_out<T>(&mut self, id: u64, take: impl FnOnce(&mut StartRequest) -> T) -> Option<T> {
        let request = self.requests.get_mut(&id)?;
        let before = request.amount();
        let taken = take(request);
        let less = before.minus(request.amount());
        self.account.remove(request.maker, less);
        Some(taken)
    }

    /// Memory of the requests, summed up again.
    #[cfg(any(test, feature = "sim"))]
    pub(super) fn recount(&self) -> CountAndBytes {
        let amounts = self.requests.values().map(StartRequest::amount);
        amounts.fold(CountAndBytes::default(), CountAndBytes::plus)
    }

    /// A request no longer waits for its terminal.
    fn leave_queue(&mut self, terminal: Name<4>) {
        if let Some(count) = self.for_terminals.get_mut(&terminal) {
            *count -= 1;
            if *count == 0 {
                self.for_terminals.remove(&terminal);
            }
        }
    }

    /// The task of a request that waited for its terminal; none if the request does not
    /// exist any more.
    pub fn take_for_facility(&mut self, id: u64) -> Option<InternalStart> {
        start::begun(self, id)
    }

    /// Removes a request from the list of its name.
    fn free_name(&mut self, name: ReqId, id: u64) {
        if let Some(ids) = self.names.get_mut(&name) {
            ids.retain(|other| *other != id);
            if ids.is_empty() {
                self.names.remove(&name);
            }
        }
    }

    /// The requests with a name, oldest first.
    fn named(&self, name: ReqId) -> impl Iterator<Item = &StartRequest> {
        let ids = self.names.get(&name).into_iter().flatten();
        ids.filter_map(|id| self.requests.get(id))
    }
}

/// The name of a request that has none.
const UNNAMED: ReqId = [0; 8];

/// The n-th generated name: `DF` and six digits to the base 36.
fn name_of(mut number: u64) -> ReqId {
    let mut name = *b"DF000000";
    for place in name[2..].iter_mut().rev() {
        *place = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[(number % 36) as usize];
        number /= 36;
    }
    name
}
