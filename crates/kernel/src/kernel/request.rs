//! A call of a running task, and its result.
//!
//! A call is tried from its start. If it has to wait, it is tried again from its start as
//! soon as the awaited event may have happened, and sees the state of that time. `woken` has
//! the reason of the new try.

use cics::csd::InDoubt;
pub use cics::resp::CommandFailure;
use cics::resp::Condition;
use link::{CallAnswer, CommandOperands, TransId, UserId, WorkerCall};

use super::SettleAction;
use super::locks::{LockName, LockSpace};
use crate::core::{TaskKey, TaskState};
use crate::types::WaitKind;

/// The calling task, as the core describes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallingTask {
    /// The task.
    pub key: TaskKey,
    /// Its number.
    pub number: u64,
    /// Its transaction.
    pub transid: TransId,
    /// Its user.
    pub userid: UserId,
    /// Its priority.
    pub priority: u8,
    /// The START, trigger or parent that it comes from.
    pub start: Option<u64>,
    /// DTIMOUT of its transaction in nanoseconds; `None` for the region's.
    pub lock_timeout_ns: Option<u64>,
    /// ACTION, WAIT and WAITTIME of its transaction.
    pub in_doubt: InDoubt,
}

impl TaskState {
    /// The kernel's description of a task.
    pub fn caller(&self, key: TaskKey) -> CallingTask {
        CallingTask {
            key,
            number: self.number,
            transid: self.transid,
            userid: self.userid,
            priority: self.priority(),
            start: self.start,
            lock_timeout_ns: self.lock_timeout_ns,
            in_doubt: self.in_doubt,
        }
    }
}

/// A call of a task.
#[derive(Debug)]
pub struct Request {
    /// The caller.
    pub caller: CallingTask,
    /// The operation.
    pub call: WorkerCall,
    /// The operands of a command; empty for the other operations.
    pub operands: CommandOperands,
    /// Why it is tried again; `None` at the first try.
    pub woken: Option<WakeReason>,
    /// It is an operation of a batch job on a record.
    pub of_job: bool,
    /// A value that the server of the call keeps between tries; 0 at first.
    pub progress: u64,
}

/// Why a waiting call is tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WakeReason {
    /// The lock is the task's now.
    Granted,
    /// The awaited event may have happened.
    Event,
    /// The limit of the wait has passed.
    Expired,
}

/// The result of a try of a call.
#[derive(Debug)]
pub enum CallProgress {
    /// It is done.
    Done(CallAnswer),
    /// It waits.
    Wait(TaskWait),
    /// Complete once its own changes are in the store: a change to a resource that is not
    /// recoverable.
    Commit(store::UnitOfWork, CommandCompletion),
    /// The kernel answers later.
    Later,
}

/// The completion of a command whose changes go to the store by themselves.
pub struct CommandCompletion {
    /// The answer when the changes are in the store.
    pub answer: CallAnswer,
    /// The program's error if the store refuses them.
    pub refused: RefusalMapping,
    /// The lock that covered them, which is released in either case.
    pub unlock: Option<LockName>,
    /// The manager's action on its state in memory.
    pub settle: SettleAction,
}

/// The program's error for changes that the store refused.
pub type RefusalMapping = fn(&store::ApplyError) -> CommandFailure;

impl std::fmt::Debug for CommandCompletion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Outcome").field(&self.answer).finish()
    }
}

/// The result of serving a call.
pub type CallResult = Result<CallProgress, CommandFailure>;

/// A wait of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskWait {
    /// The object of the wait.
    pub on: WaitOn,
    /// When it ends at the latest, nanoseconds of the region's clock; `None`
    /// for no limit.
    pub until: Option<u64>,
    /// What happens at `until`.
    pub expiry: WaitExpiry,
}

/// The object of a wait.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WaitOn {
    /// A lock.
    Lock(LockName),
    /// An event that is signalled by name.
    Event(EventName),
    /// Nothing but time.
    Time,
}

impl WaitOn {
    /// Its kind, for monitoring.
    pub fn kind(&self) -> WaitKind {
        match self {
            WaitOn::Lock(name) => match name.space {
                LockSpace::Record(_) | LockSpace::Enqueue => WaitKind::Lock,
                LockSpace::TsQueue | LockSpace::TdQueue => WaitKind::Queue,
            },
            WaitOn::Event(event) => event.kind.counts,
            WaitOn::Time => WaitKind::Delay,
        }
    }
}

/// A kind of event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EventKind {
    /// As a word for operators: `TSQUEUE`, `CHILD`, `ECB`.
    pub word: &'static str,
    /// The kind of wait that monitoring counts.
    pub counts: WaitKind,
}

impl EventKind {
    /// A kind of event.
    pub const fn new(word: &'static str, counts: WaitKind) -> EventKind {
        EventKind { word, counts }
    }
}

/// An event, as waiting tasks name it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EventName {
    /// What happens.
    pub kind: EventKind,
    /// Which one.
    pub key: Box<[u8]>,
}

/// What happens when the limit of a wait passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitExpiry {
    /// The call is tried again, woken with [`WakeReason::Expired`].
    Resume,
    /// The task ends with this code.
    Abend([u8; 4]),
}

impl TaskWait {
    /// A wait for an event, without a limit.
    pub fn event(kind: EventKind, key: &[u8]) -> TaskWait {
        TaskWait {
            on: WaitOn::Event(EventName {
                kind,
                key: key.into(),
            }),
            until: None,
            expiry: WaitExpiry::Resume,
        }
    }

    /// A wait until an instant.
    pub fn until(at: u64) -> TaskWait {
        TaskWait {
            on: WaitOn::Time,
            until: Some(at),
            expiry: WaitExpiry::Resume,
        }
    }

    /// The same wait with a limit.
    pub fn at_most_until(mut self, at: u64, expiry: WaitExpiry) -> TaskWait {
        self.until = Some(at);
        self.expiry = expiry;
        self
    }
}

/// A condition as the end of a call.
pub fn condition<T>(condition: Condition, resp2: u32) -> Result<T, CommandFailure> {
    Err(CommandFailure::Condition(condition, resp2))
}

/// A completed command without output.
pub fn done() -> CallResult {
    Ok(CallProgress::Done(CallAnswer::default()))
}

/// A completed command with these operands.
pub fn done_with(operands: CommandOperands) -> CallResult {
    Ok(CallProgress::Done(CallAnswer::of_data(operands.emit())))
}

/// As [`done_with`], with a condition that does not hide the operands.
pub fn done_with_condition(
    condition: Condition,
    resp2: u32,
    operands: CommandOperands,
) -> CallResult {
    let mut answer = CallAnswer::of_condition(condition, resp2);
    answer.data = operands.emit();
    Ok(CallProgress::Done(answer))
}
