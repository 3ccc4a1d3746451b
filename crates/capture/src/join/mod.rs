//! Joining what a region recorded with what the network did.
//!
//! A task list says how long each task took; a trace says when each waited for
//! a socket. Time of the client task that no other task accounts for is lined
//! up with the receives that waited, and these with packets when there is a
//! capture. That is how a monitor's five lines lead to a 200 ms timer.
//!
//! [`tasks`](parse_tasks) reads this project's monitoring records and tables
//! as performance monitors print them; [`trace`](parse_trace) reads formatted
//! CICS trace and hand-made extracts of it; [`reconcile`] does the sum.
//!
//! Invariant: times are nanoseconds since midnight, because the listings carry
//! no date one could rely on.

mod reconcile;
mod tasks;
mod text;
mod time;
mod trace;

pub use reconcile::{
    CaptureDelay, ExplainedReceive, FigureMismatch, TraceReconciliation, reconcile,
};
pub use tasks::{Task, TaskList, parse_tasks};
pub use time::{TimeOfDay, parse_time};
pub use trace::{SocketTrace, TracedReceive, TracedSend, parse_trace};

/// A line that a parser could not use.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct UnreadLine {
    /// The line, from one.
    pub line: usize,
    /// Why.
    pub why: String,
}
