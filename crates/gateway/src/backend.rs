//! What stands behind the gateway: something that runs programs.
//!
//! A region is one implementation, the tests have another. The traits are resolved at compile time, so that nothing is boxed
//! on the way of a request.

use std::collections::BTreeSet;
use std::future::Future;
use std::io;

use crate::web::Web;

/// Runs programs; shared by all door threads.
pub trait Backend: Clone + Send + Sync + 'static {
    /// The thread's own end of it.
    type Door: Door;

    /// Makes the calling thread a door: gives `main` the thread's end and runs
    /// what it returns to its end on a tokio runtime of one thread.
    fn enter<F: Future>(&self, main: impl FnOnce(Self::Door) -> F) -> io::Result<F::Output>;

    /// A thread of the gateway begins: whoever accounts for CPU time hears of
    /// it. Called on that thread.
    fn on_thread(&self) {}

    /// Why programs cannot be run well now, in words; none when they can.
    fn impairment(&self) -> Option<String>;

    /// Whether requests can be answered at all: what is impaired may be a part
    /// of it.
    fn ready(&self) -> bool {
        self.impairment().is_none()
    }

    /// What serves requests beside the APIs; none when nothing does.
    fn web(&self) -> Option<&dyn Web> {
        None
    }

    /// Appends the backend's own metrics in the Prometheus text format.
    fn metrics(&self, out: &mut String);

    /// The commands of these tasks that are still in the trace, by time; for
    /// the spans of requests that are traced.
    fn commands(&self, tasks: &BTreeSet<u64>) -> Vec<Command> {
        let _ = tasks;
        Vec::new()
    }

    /// Whether there is a connection or group of connections of this name.
    fn has_connection(&self, name: &str) -> bool {
        let _ = name;
        false
    }

    /// Answers an operator on the administration port; `change` for a POST,
    /// which alone may change something. `None` for a path that is not its.
    fn operate(&self, path: &str, query: &str, change: bool) -> Option<Operated> {
        let _ = (path, query, change);
        None
    }
}

/// What an operator is answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Operated {
    /// HTTP status.
    pub status: u16,
    /// JSON.
    pub json: String,
}

/// A program call, before its data.
#[derive(Debug, Clone, Copy)]
pub struct Call<'a> {
    /// Program to run.
    pub program: &'a str,
    /// Transaction to run it under.
    pub transid: &'a str,
    /// Transaction that the program sees in EIBTRNID, if it is another.
    pub eib_transid: Option<&'a str>,
    /// CICS user id of the caller; none when nobody said who calls.
    pub user_id: Option<&'a str>,
    /// W3C trace id, zeros for none.
    pub trace_id: [u8; 16],
    /// Bytes of input to come, at most.
    pub expected_bytes: usize,
    /// Milliseconds after which the program is ended.
    pub timeout_ms: u32,
    /// The connection that the asset names (`connectionRef`), if it names one.
    pub connection: Option<&'a str>,
    /// Running the program twice does no more than running it once, by the
    /// request's method.
    pub idempotent: bool,
}

/// Why a program was not started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// Trying again later can help.
    Busy(String),
    /// It cannot be served as things are defined.
    Impossible(String),
    /// Where it would run cannot be reached.
    Unreachable(String),
}

/// Why an admitted call has no reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failed {
    /// It did not run after all.
    Refused(Refusal),
    /// Its answer is lost: it may have run.
    Lost(String),
    /// The input is larger than where it would run takes.
    TooLarge,
}

/// Why input could not be written.
#[derive(Debug, PartialEq)]
pub enum PutError<E> {
    /// More than the backend takes.
    TooLarge,
    /// Not a name for a container.
    Name(String),
    /// The backend takes containers in another way, or none.
    Form(String),
    /// The writer's own reason.
    Fill(E),
}

/// A thread's end of a backend.
pub trait Door: 'static {
    /// A call that is admitted.
    type Task: Task;

    /// The CCSID of the mainframe's code page that data has behind this
    /// connection when nothing else names one; none where programs run in a
    /// region of ours.
    fn mainframe_ccsid(&self, connection: Option<&str>) -> Option<u16> {
        let _ = connection;
        None
    }

    /// A request was answered without a call: what has come of other calls is
    /// looked at, though the thread may not rest for long.
    fn hear(&self) {}

    /// Waits for the call's admission.
    fn begin(&self, call: Call<'_>) -> impl Future<Output = Result<Self::Task, Refusal>>;
}

/// An admitted call: its input is written in place, then it runs.
pub trait Task {
    /// What comes back.
    type Reply: Reply;

    /// Puts a container of at most `max` bytes; `fill` says how many it wrote.
    fn put_container<E>(
        &mut self,
        name: &str,
        max: usize,
        fill: impl FnOnce(&mut [u8]) -> Result<usize, E>,
    ) -> Result<(), PutError<E>>;

    /// Sets the COMMAREA to `len` bytes, zeros before `fill`.
    fn set_commarea<E>(
        &mut self,
        len: usize,
        fill: impl FnOnce(&mut [u8]) -> Result<(), E>,
    ) -> Result<(), PutError<E>>;

    /// Runs the program to its end.
    fn run(self) -> impl Future<Output = Result<Self::Reply, Failed>>;
}

/// How a program ended, and its output.
pub trait Reply {
    /// The abend, if it ended with one.
    fn abend(&self) -> Option<Abend>;
    /// A container's bytes.
    fn container(&self, name: &str) -> Option<&[u8]>;
    /// The names of all containers, for messages.
    fn container_names(&self) -> Vec<String>;
    /// The COMMAREA.
    fn commarea(&self) -> &[u8];
    /// What the task was and cost, where that is known.
    fn ran(&self) -> Option<Ran> {
        None
    }
}

/// What a task was and cost. Times are in nanoseconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ran {
    /// Its number.
    pub task: u64,
    /// CPU time of its programs.
    pub cpu_ns: u64,
    /// When it was asked for, since 1970.
    pub start_unix_ns: u64,
    /// From then to its end.
    pub response_ns: u64,
    /// Of this, waiting for admission and for a worker.
    pub admission_wait_ns: u64,
    /// Of this, queued in a worker.
    pub dispatch_wait_ns: u64,
    /// EXEC CICS commands.
    pub commands: u32,
}

/// An EXEC CICS command of a task that is over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// Number of its task.
    pub task: u64,
    /// Its name.
    pub name: String,
    /// Its domain, such as `files`.
    pub domain: &'static str,
    /// When it began, in nanoseconds since 1970.
    pub start_unix_ns: u64,
    /// When it ended.
    pub end_unix_ns: u64,
    /// The condition it ended with.
    pub resp: Option<String>,
    /// The abend it ended with.
    pub abend: Option<String>,
}

/// An abnormal end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Abend {
    /// Four characters.
    pub code: String,
    /// Program in control, empty if unknown.
    pub program: String,
    /// Line in its source, 0 if unknown.
    pub line: u32,
    /// What happened, in words.
    pub message: String,
}
