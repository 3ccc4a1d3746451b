//! What a door asks, and how it can be refused.

use link::{NameError, ProgramFault, ProgramName, TransId, UserId};

/// A program request: who asks for what.
#[derive(Debug, Clone, Copy, Default)]
pub struct TaskRequest {
    /// Transaction under which the task runs; it must be defined.
    pub transid: TransId,
    /// Transaction that the program sees in EIBTRNID; blank for the same.
    pub eib_transid: TransId,
    /// Program to run; blank for the transaction's own.
    pub program: ProgramName,
    /// Who asks.
    pub userid: UserId,
    /// How the task was started.
    pub start_code: StartCode,
    /// Trace id of the request as W3C trace context has it; zeros for none.
    pub trace_id: [u8; 16],
    /// Added to the transaction's priority; the sum is cut at 255.
    pub priority: u8,
    /// A task waits for it: it may begin while such tasks alone hold all places.
    pub is_child: bool,
    /// Bytes of input expected, so that a large task gets a worker alone;
    /// 0 when unknown.
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
    /// `D`: a distributed program link, which may take no syncpoint.
    Link,
    /// `DS`: one with SYNCONRETURN.
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
    /// The two characters that ASSIGN gives.
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

/// Why a task did not start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum StartRefusal {
    /// MXT tasks are active and the queue for MXT is full.
    #[error("the region has its maximum of tasks")]
    TooManyTasks,
    /// The transaction class is full and so is its queue.
    #[error("the transaction class {0} is full")]
    ClassFull(link::Name<8>),
    /// No such transaction is defined.
    #[error("transaction {0} is not defined")]
    UnknownTransaction(TransId),
    /// The transaction is disabled.
    #[error("transaction {0} is disabled")]
    Disabled(TransId),
    /// The program that an open task shall run, or another region links to,
    /// cannot be run here.
    #[error("program {0} {1}")]
    Program(ProgramName, ProgramFault),
    /// The task's time was over before it started.
    #[error("the time limit passed before the task could start")]
    TimedOut,
    /// It was ended before it started.
    #[error("the task was ended before it started: {0}")]
    Purged(&'static str),
    /// No worker process can be started.
    #[error("no worker process can be started")]
    NoWorker,
    /// The input has no room in a task's area.
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

/// Why a program call did not start, wherever the program would have run: in the
/// region of this process, in one elsewhere, or in a mainframe's CICS.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotStarted {
    /// The region of this process refused it.
    #[error(transparent)]
    Refused(#[from] StartRefusal),
    /// Trying again later can help.
    #[error("{0}")]
    Busy(String),
    /// It cannot be served as things are defined.
    #[error("{0}")]
    Impossible(String),
    /// Where it would run cannot be reached.
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

/// Why a program call that was taken has no reply, wherever the program would have
/// run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallFailure {
    /// It did not run.
    #[error(transparent)]
    NotStarted(#[from] NotStarted),
    /// The input is longer than what the place takes where it would run.
    #[error("{0}")]
    TooLarge(String),
    /// The answer is lost: the program may have run.
    #[error("{0}")]
    Lost(String),
}

/// Why input could not be put.
#[derive(Debug, PartialEq, thiserror::Error)]
pub enum PutError<E> {
    /// The name is not a container's name.
    #[error("not a container name: {0}")]
    Name(#[from] NameError),
    /// The task's area has no room for it.
    #[error("the request is too large")]
    TooLarge,
    /// Where the program runs containers are taken in another way, or not at
    /// all.
    #[error("{0}")]
    Form(String),
    /// The writer gave up; nothing was put.
    #[error(transparent)]
    Fill(E),
}
