//! The gateway's backend: a provider that runs programs.
//!
//! A region is one implementation, the tests have another. Calls, their tasks and
//! replies have the region's types and traits for every provider
//! ([`region::ProgramTask`]).

use std::collections::BTreeSet;
use std::future::Future;
use std::io;
use std::pin::Pin;

use region::{ProgramDoor, TraceRecord};

use crate::web::WebHandlers;

/// Runs programs; shared by all door threads.
pub trait ProgramBackend: Clone + Send + Sync + 'static {
    /// The thread's own access to the provider.
    type Door: ProgramDoor;

    /// Makes the calling thread a door: passes the thread's end to `main` and
    /// runs its future on a tokio runtime of one thread.
    fn enter<F: Future>(&self, main: impl FnOnce(Self::Door) -> F) -> io::Result<F::Output>;

    /// Called at the start of each gateway thread, on that thread, so that its
    /// CPU time can be accounted.
    fn on_thread(&self) {}

    /// Why programs run badly now, as text; `None` if they run well.
    fn impairment(&self) -> Option<String>;

    /// Whether requests can be answered at all: an impairment may concern only a part
    /// of the provider.
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

/// A later answer to an operator. Dropped when the client disconnects.
pub type OperatedLater = Pin<Box<dyn Future<Output = OperatorResult> + Send>>;

/// The answer to an operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperatorResult {
    /// HTTP status.
    pub status: u16,
    /// JSON.
    pub json: String,
}
