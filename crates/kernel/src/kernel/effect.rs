//! The effects of a call of the kernel, which the shell carries out.

use link::terminal::TerminalData;
use link::{CallAnswer, ChannelData, ProgramName, TransId, UserId};
use store::UnitOfWork;

use super::prepared::BranchId;
use super::request::CommandCompletion;
use crate::core::TaskKey;
use crate::types::{Abend, FacilityEvent, FacilityId, FileWork, StartCode};

/// An effect of a call of the kernel.
#[derive(Debug)]
pub enum KernelEffect {
    /// Answer the call of a task, which waited this many nanoseconds for the store.
    Answer(TaskKey, CallAnswer, u64),
    /// A running task begins or ends a wait: `Kernel::waits` has the current state, since
    /// another thread may have changed it meanwhile.
    Waits(TaskKey),
    /// Commit.
    Commit(StoreJob),
    /// Send an order to a participant of a unit of work.
    Participant(UnitId, ParticipantId, Order),
    /// Make the participant that decides commit a unit that the store keeps as prepared.
    Decide(UnitId, ParticipantId, UnitToken),
    /// Ask the participant that decides for the outcome of a unit.
    AskOutcome(UnitId, ParticipantId, UnitToken),
    /// The store has applied a unit durably: the participant that decided it may forget it.
    Forget(ParticipantId, UnitToken),
    /// The unit of work of a task that ended is over.
    Ended(TaskKey, Option<Abend>),
    /// Start a task that no client requested.
    Start(Box<InternalStart>),
    /// A task has another priority.
    Priority(TaskKey, u8),
    /// Record the region's statistics.
    Statistics,
    /// A user entry in the trace.
    Trace {
        /// Number of the task.
        task: u64,
        /// Its transaction.
        transid: TransId,
        /// The entry's number, 0 to 199.
        number: u16,
        /// Its first eight bytes, or fewer.
        data: Vec<u8>,
    },
    /// A record of a queue that is the region's log.
    Line {
        /// The queue.
        queue: [u8; 4],
        /// The task that wrote it.
        task: TaskKey,
        /// What it wrote.
        record: Vec<u8>,
    },
    /// Do something with a file, on a thread that may block. The answer goes back to the kernel
    /// ([`super::Kernel::file_answered`]) if a task waits for it.
    File(Option<TaskKey>, FileWork),
    /// The outcome of a unit that was to be committed in one phase: whether it is committed;
    /// `None` if that is not known now.
    Outcome(BranchId, Option<bool>),
    /// Whether the coordinator's decision on a branch is carried out, or the store refused.
    Settled(BranchId, bool),
    /// An event at a facility, for its connection.
    Facility(FacilityId, Box<FacilityEvent>),
}

/// Changes that go to the store together.
#[derive(Debug)]
pub struct StoreJob {
    /// The task whose unit they are of.
    pub task: TaskKey,
    /// The changes.
    pub changes: UnitOfWork,
    /// The continuation.
    pub then: JobContinuation,
}

/// The continuation after changes are in the store.
#[derive(Debug)]
pub enum JobContinuation {
    /// The unit of work continues to its end.
    Unit,
    /// The unit of work is prepared: a record of it is in the store.
    Prepared,
    /// A record of the unit is in the store: the participant that decides may commit.
    Secured(UnitId),
    /// The unit that another participant has decided is applied. The changes are visible and
    /// need not be durable yet, since the earlier record is.
    Applied(UnitId, ParticipantId, UnitToken),
    /// The applied changes are durable.
    Forget(ParticipantId, UnitToken),
    /// None: the changes belong to no unit of work. If the store refuses them, they are written
    /// again as soon as it accepts changes.
    Nothing(UnitOfWork),
    /// The task's command is complete: a change to a resource that is not recoverable.
    Command(Box<CommandCompletion>),
}

/// Identifies a unit of work for its participants, uniquely over all runs of the region.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct UnitId(pub u64);

impl std::fmt::Display for UnitId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// Identifies a unit of work for the participant that decides: 128 random bits, which
/// programs can neither guess nor choose.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct UnitToken(pub [u8; 16]);

impl UnitToken {
    /// Its bytes.
    pub fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

impl std::fmt::Display for UnitToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:032x}", u128::from_be_bytes(self.0))
    }
}

impl std::fmt::Debug for UnitToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self, f)
    }
}

/// Identifies a participant in units of work: an index of the region's list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ParticipantId(pub usize);

/// An order to a participant. Each is answered, except a back-out. A commit after a prepare,
/// and a back-out, may arrive twice, or for a unit that the participant does not know: then
/// it has carried out the order already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Make sure that the changes can be committed, whatever happens.
    Prepare,
    /// Commit the prepared changes. The answer is no if that was not possible yet; the order is
    /// sent again when the participant has reconnected.
    Commit,
    /// Commit, as the only participant.
    CommitOnePhase,
    /// Back the changes out.
    BackOut,
}

/// A task that the region itself starts.
#[derive(Debug, Clone, Default)]
pub struct InternalStart {
    /// Its number, unique in one run of the region; [`super::Caller::start`] of the task.
    pub id: u64,
    /// Transaction.
    pub transid: TransId,
    /// Program, blank for the transaction's.
    pub program: ProgramName,
    /// Its user.
    pub userid: UserId,
    /// The value for ASSIGN STARTCODE.
    pub start_code: StartCode,
    /// Its channel.
    pub channel: Option<ChannelData>,
    /// Its COMMAREA; empty for none.
    pub commarea: Vec<u8>,
    /// Name of its principal facility, blank for none.
    pub facility: link::Name<4>,
    /// The terminal's data for the worker, if the principal facility is a terminal that outlives
    /// the task.
    pub terminal: Option<Box<TerminalData>>,
    /// A copy of the input that began it, and what its door has prepared of that.
    pub input: Option<(Vec<u8>, Vec<u8>)>,
    /// A parent wants its channel and how it ended.
    pub wants_result: bool,
    /// The number of the task from outside that its chain of starts comes from; 0 if it is not
    /// known.
    pub origin: u64,
}
