//! The gateway's backend: a provider that runs programs.
//!
//! A region is one implementation, the tests have another. Input and output
//! have the region's types for every provider. The traits are resolved at
//! compile time, so that nothing is boxed on a request's path.

use std::collections::BTreeSet;
use std::future::Future;
use std::io;
use std::pin::Pin;

use region::{Abend, NotStarted, PutError, TaskCosts, TaskRequest, TraceRecord};

use crate::web::WebHandlers;

/// Runs programs; shared by all door threads.
pub trait ProgramBackend: Clone + Send + Sync + 'static {
    /// The thread's own end of it.
    type Door: BackendHandle;

    /// Makes the calling thread a door: passes the thread's end to `main` and
    /// runs its future on a tokio runtime of one thread.
    fn enter<F: Future>(&self, main: impl FnOnce(Self::Door) -> F) -> io::Result<F::Output>;

    /// Called at the start of each gateway thread, on that thread, so that its
    /// CPU time can be accounted.
    fn on_thread(&self) {}

    /// Why programs run badly now, as text; `None` if they run well.
    fn impairment(&self) -> Option<String>;

    /// Whether requests can be answered at all: what is impaired may be a part
    /// of it.
    fn ready(&self) -> bool {
        self.impairment().is_none()
    }

    /// The handler of requests outside the APIs; `None` without one.
    fn web(&self) -> Option<&dyn WebHandlers> {
        None
    }

    /// Appends the backend's own metrics in the Prometheus text format.
    fn metrics(&self, out: &mut String);

    /// The ends of the commands of these tasks that are still in the trace, by
    /// time; for the spans of requests that are traced.
    fn commands(&self, tasks: &BTreeSet<u64>) -> Vec<TraceRecord> {
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
    fn operate(&self, path: &str, query: &str, change: bool) -> Option<OperatorResult> {
        let _ = (path, query, change);
        None
    }

    /// The same for an answer that may come later.
    fn operate_later(&self, path: &str, query: &str, change: bool) -> Option<OperatedLater> {
        let _ = (path, query, change);
        None
    }
}

/// An answer to an operator that comes later. Dropped when the client goes.
pub type OperatedLater = Pin<Box<dyn Future<Output = OperatorResult> + Send>>;

/// The answer to an operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorResult {
    /// HTTP status.
    pub status: u16,
    /// JSON.
    pub json: String,
}

/// A program call, before its data.
#[derive(Debug, Clone, Copy)]
pub struct ProgramCall<'a> {
    /// The request to the region; the user is blank if the caller is not known.
    pub request: TaskRequest,
    /// The connection that the asset names (`connectionRef`), if it names one.
    pub connection: Option<&'a str>,
    /// Running the program twice does no more than running it once, by the
    /// request's method.
    pub idempotent: bool,
}

/// Why an admitted call has no reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallFailure {
    /// It did not run after all.
    Refused(NotStarted),
    /// Its answer is lost: it may have run.
    Lost(String),
    /// The input is larger than where it would run takes.
    TooLarge,
}

/// A thread's end of a backend.
pub trait BackendHandle: 'static {
    /// A call that is admitted.
    type Task: Task;

    /// The CCSID of the mainframe's code page for data over this connection,
    /// unless a policy or the asset names another. Returns `None` if programs
    /// run in a local region.
    fn mainframe_ccsid(&self, connection: Option<&str>) -> Option<u16> {
        let _ = connection;
        None
    }

    /// A request was answered without a call: completions of other calls are
    /// collected, since the thread may not sleep for long.
    fn poll_completions(&self) {}

    /// Waits for the call's admission.
    fn begin(&self, call: ProgramCall<'_>) -> impl Future<Output = Result<Self::Task, NotStarted>>;
}

/// An admitted call: its input is written in place, then it runs.
pub trait Task {
    /// The reply.
    type Reply: ProgramReply;

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
    fn run(self) -> impl Future<Output = Result<Self::Reply, CallFailure>>;
}

/// How a program ended, and its output.
pub trait ProgramReply {
    /// The abend, if it ended with one.
    fn abend(&self) -> Option<&Abend>;
    /// A container's bytes.
    fn container(&self, name: &str) -> Option<&[u8]>;
    /// The names of all containers, for messages.
    fn container_names(&self) -> Vec<String>;
    /// The COMMAREA.
    fn commarea(&self) -> &[u8];
    /// The task's attributes and cost, if they are known.
    fn costs(&self) -> Option<TaskCosts> {
        None
    }
}
