//! What must be done after a call of the kernel.

use link::terminal::TerminalData;
use link::{CallAnswer, ChannelData, ProgramName, TransId, UserId};
use store::UnitOfWork;

use super::prepared::BranchId;
use super::request::CommandCompletion;
use crate::core::TaskKey;
use crate::types::{Abend, FacilityEvent, FacilityId, FileWork, StartCode};

/// What must be done after a call of the kernel.
#[derive(Debug)]
pub enum KernelEffect {
    /// Answer the call of a task, which waited so many nanoseconds for the store.
    Answer(TaskKey, CallAnswer, u64),
    /// A running task waits now, or goes on: `Kernel::waits` says which, for
    /// another thread may have changed it meanwhile.
    Waits(TaskKey),
    /// Commit.
    Commit(StoreJob),
    /// Tell a participant of a unit of work something.
    Participant(UnitId, ParticipantId, Order),
    /// Have the participant that decides commit a unit that the store keeps as
    /// prepared.
    Decide(UnitId, ParticipantId, UnitToken),
    /// Ask the participant that decides what became of a unit.
    AskOutcome(UnitId, ParticipantId, UnitToken),
    /// The store has applied a unit durably: the participant that decided it is
    /// not asked again.
    Forget(ParticipantId, UnitToken),
    /// The unit of work of a task that ended is over.
    Ended(TaskKey, Option<Abend>),
    /// Start a task that nobody outside asked for.
    Start(Box<InternalStart>),
    /// A task has another priority.
    Priority(TaskKey, u8),
    /// Record the region's statistics.
    Statistics,
    /// An entry of a program's own in the trace.
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
    /// Do something with a file, on a thread that may wait. The answer goes back
    /// to the kernel ([`super::Kernel::file_answered`]) where a task waits for it.
    File(Option<TaskKey>, FileWork),
    /// What became of a unit that was to be committed in one phase: whether it is
    /// committed; none when that cannot be told now.
    Outcome(BranchId, Option<bool>),
    /// What a coordinator said of a branch is carried out; or is not, since the
    /// store refused.
    Settled(BranchId, bool),
    /// Something happens at a facility, for its door.
    Facility(FacilityId, Box<FacilityEvent>),
}

/// Changes that go to the store together.
#[derive(Debug)]
pub struct StoreJob {
    /// The task whose unit they are of.
    pub task: TaskKey,
    /// The changes.
    pub changes: UnitOfWork,
    /// What follows.
    pub then: JobContinuation,
}

/// What follows when changes are in the store.
#[derive(Debug)]
pub enum JobContinuation {
    /// The unit of work goes on to its end.
    Unit,
    /// The unit of work is prepared: a record of it is there.
    Prepared,
    /// A record of the unit is there: the participant that decides may commit.
    Secured(UnitId),
    /// The unit that another participant has decided is applied. It is visible,
    /// and need not be durable yet: the record from before is.
    Applied(UnitId, ParticipantId, UnitToken),
    /// What was applied is durable.
    Forget(ParticipantId, UnitToken),
    /// Nothing: the changes belong to no unit of work. When the store refuses
    /// them they are put again as soon as it takes something.
    Nothing(UnitOfWork),
    /// The task's command is over: a change to something that is not
    /// recoverable.
    Command(Box<CommandCompletion>),
}

/// Names a unit of work for its participants: its like is in no life of the
/// region.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct UnitId(pub u64);

impl std::fmt::Display for UnitId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// How the participant that decides knows a unit of work: 128 random bits, which
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

/// Names a participant in units of work: a place in the region's list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ParticipantId(pub usize);

/// What a participant is told. Each is answered, but for a back-out. A commit
/// after a prepare, and a back-out, may come twice, or for a unit that the
/// participant does not know: it has done as it was told then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Make sure that the changes can be committed, whatever happens.
    Prepare,
    /// Commit what was prepared. The answer is no when that was not possible
    /// yet; the order comes again when the participant is back.
    Commit,
    /// Commit, as the only participant.
    CommitOnePhase,
    /// Back the changes out.
    BackOut,
}

/// A task that the region itself starts.
#[derive(Debug, Clone, Default)]
pub struct InternalStart {
    /// Its number, unique in the region's life; [`super::Caller::start`] of
    /// the task.
    pub id: u64,
    /// Transaction.
    pub transid: TransId,
    /// Program, blank for the transaction's.
    pub program: ProgramName,
    /// For whom it runs.
    pub userid: UserId,
    /// How ASSIGN STARTCODE tells of it.
    pub start_code: StartCode,
    /// Its channel.
    pub channel: Option<ChannelData>,
    /// Its COMMAREA; empty for none.
    pub commarea: Vec<u8>,
    /// Name of its principal facility, blank for none.
    pub facility: link::Name<4>,
    /// What the worker is told of it, where it is a terminal that outlives the
    /// task.
    pub terminal: Option<Box<TerminalData>>,
    /// A copy of the input that began it, and what its door has prepared of that.
    pub input: Option<(Vec<u8>, Vec<u8>)>,
    /// A parent wants its channel and how it ended.
    pub wants_result: bool,
    /// The number of the task from outside that its chain of starts comes from; 0
    /// when no such thing is known.
    pub origin: u64,
}
