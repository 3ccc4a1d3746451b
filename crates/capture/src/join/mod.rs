//! Joins the records of a region with the packets of the network.
//!
//! A task list has the response time of each task; a trace has the waits of each
//! for a socket. Time of the client task outside all other tasks is compared with
//! the receives that waited, and these with packets if there is a capture. In this
//! way five lines of a monitor lead to a 200 ms timer.
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
