//! Requests of doors, and the reasons for refusing them.

use link::{NameError, ProgramFault, ProgramName, TransId, UserId};

/// A request to run a program.
#[derive(Debug, Clone, Copy, Default)]
pub struct TaskRequest {
    /// Transaction under which the task runs; it must be defined.
    pub transid: TransId,
    /// Transaction that the program sees in EIBTRNID; blank for the same.
    pub eib_transid: TransId,
    /// Program to run; blank for the transaction's own.
    pub program: ProgramName,
    /// User of the task.
    pub userid: UserId,
    /// How the task was started.
    pub start_code: StartCode,
    /// Trace id of the request (W3C trace context); zeros for none.
    pub trace_id: [u8; 16],
    /// Added to the transaction's priority; the sum is at most 255.
    pub priority: u8,
    /// A task waits for this one, which may also begin while waiting parents hold all places.
    pub is_child: bool,
    /// Expected bytes of input, so that a large task gets a worker to itself; 0 when
    /// unknown.
    pub expected_bytes: usize,
    /// Milliseconds after which the task is purged; 0 for the transaction's
    /// own limit.
    pub timeout_ms: u32,
}

/// How a task was started, as ASSIGN STARTCODE shows it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum StartCode {
    /// `U`: attached by an application, a web request here.
    #[default]
    Web,
    /// `U`: a message of a web service, whose pipeline links to the program.
    Pipeline,
    /// `D`: a distributed program link, which may not issue SYNCPOINT.
    Link,
    /// `DS`: a distributed program link with SYNCONRETURN.
    LinkSync,
    /// `S`: START without data.
    Start,
    /// `SD`: START with data.
    StartData,
    /// `TD`: a terminal.
    Terminal,
    /// `QD`: a transient data queue that reached its trigger level.
    Queue,
}

impl StartCode {
    /// The two characters that ASSIGN returns.
    pub const fn code(self) -> [u8; 2] {
        match self {
            StartCode::Web | StartCode::Pipeline => *b"U ",
            StartCode::Link => *b"D ",
            StartCode::LinkSync => *b"DS",
            StartCode::Start => *b"S ",
            StartCode::StartData => *b"SD",
            StartCode::Terminal => *b"TD",
            StartCode::Queue => *b"QD",
        }
    }
}

/// Reason why a task did not start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum StartRefusal {
    /// MXT tasks are active and the queue for MXT is full.
    #[error("the region has its maximum of tasks")]
    TooManyTasks,
    /// The transaction class and its queue are full.
    #[error("the transaction class {0} is full")]
    ClassFull(link::Name<8>),
    /// No such transaction is defined.
    #[error("transaction {0} is not defined")]
    UnknownTransaction(TransId),
    /// The transaction is disabled.
    #[error("transaction {0} is disabled")]
    Disabled(TransId),
    /// The program that an open task runs, or that another region links to, cannot be run
    /// in this region.
    #[error("program {0} {1}")]
    Program(ProgramName, ProgramFault),
    /// The task's time limit passed before it started.
    #[error("the time limit passed before the task could start")]
    TimedOut,
    /// The task was ended before it started.
    #[error("the task was ended before it started: {0}")]
    Purged(&'static str),
    /// No worker process can be started.
    #[error("no worker process can be started")]
    NoWorker,
    /// The input does not fit in a task's area.
    #[error("the input is too large")]
    TooLarge,
    /// The region is shutting down.
    #[error("the region is shutting down")]
    ShuttingDown,
}

impl StartRefusal {
    /// True when trying again later can help (HTTP 503 with Retry-After).
    pub fn is_temporary(&self) -> bool {
        !matches!(
            self,
            StartRefusal::UnknownTransaction(_)
                | StartRefusal::Disabled(_)
                | StartRefusal::Program(..)
                | StartRefusal::TooLarge
        )
    }
}

/// Reason why a program call did not start. The program may belong to the region of this
/// process, to another region, or to CICS on a mainframe.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotStarted {
    /// The region of this process refused the call.
    #[error(transparent)]
    Refused(#[from] StartRefusal),
    /// The call cannot be served now, but may be served later.
    #[error("{0}")]
    Busy(String),
    /// The call cannot be served with the present definitions.
    #[error("{0}")]
    Impossible(String),
    /// The other region or mainframe cannot be reached.
    #[error("{0}")]
    Unreachable(String),
}

impl NotStarted {
    /// True when trying again later can help (HTTP 503 with Retry-After).
    pub fn is_temporary(&self) -> bool {
        match self {
            NotStarted::Refused(refusal) => refusal.is_temporary(),
            NotStarted::Busy(_) => true,
            NotStarted::Impossible(_) | NotStarted::Unreachable(_) => false,
        }
    }
}

/// Reason why an accepted program call has no reply, in any of these systems.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallFailure {
    /// The program did not run.
    #[error(transparent)]
    NotStarted(#[from] NotStarted),
    /// The input is longer than the system of the program accepts.
    #[error("{0}")]
    TooLarge(String),
    /// The reply was lost: the program may have run.
    #[error("{0}")]
    Lost(String),
}

/// Reason why input could not be put.
#[derive(Debug, PartialEq, thiserror::Error)]
pub enum PutError<E> {
    /// The name is not valid for a container.
    #[error("not a container name: {0}")]
    Name(#[from] NameError),
    /// The input does not fit in the task's area.
    #[error("the request is too large")]
    TooLarge,
    /// The system of the program does not accept containers, or not in this form.
    #[error("{0}")]
    Form(String),
    /// The writer ended with an error; no input was put.
    #[error(transparent)]
    Fill(E),
}
