//! Compares the client task's time with the tasks that served it, and finds the
//! receives that waited in the rest.

use super::tasks::Task;
use super::time::TimeOfDay;
use super::trace::TracedReceive;

/// The whole account. Times are in seconds.
#[derive(Debug, Clone, serde::Serialize)]
pub struct TraceReconciliation {
    /// The task that waited for the others.
    pub client: Task,
    /// The tasks that served it.
    pub servers: Vec<Task>,
    /// The servers' response times added up.
    pub served_s: f64,
    /// The client's response time less that.
    pub unaccounted_s: f64,
    /// The receives in the order of the trace, each with its place in the sum.
    pub receives: Vec<ExplainedReceive>,
    /// The part of the unaccounted time that receives of the client explain.
    pub explained_s: f64,
    /// The part without an explanation.
    pub remaining_s: f64,
    /// Contradictions within the sources.
    pub remarks: Vec<FigureMismatch>,
}

/// A receive and its part of the sum.
#[derive(Debug, Clone, serde::Serialize)]
pub struct ExplainedReceive {
    /// Its number, from one.
    pub case: usize,
    /// The receive.
    pub receive: TracedReceive,
    /// Its length by the time stamps.
    pub stamped_s: f64,
    /// Whether it explains unaccounted time; otherwise it is inside a task that is
    /// counted already, or in none of the list.
    pub counts: bool,
    /// The transaction of the task it belongs to, when listed.
    pub transid: Option<String>,
    /// Delays on the network that overlap it.
    pub delays: Vec<CaptureDelay>,
}

/// A delay seen in a capture.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct CaptureDelay {
    /// Its beginning.
    pub began: TimeOfDay,
    /// Its end.
    pub ended: TimeOfDay,
    /// Its cause's dotted name.
    pub cause: String,
    /// The packets that show it.
    pub packets: Vec<u64>,
}

/// Two figures of the sources that should be the same and are not.
#[derive(Debug, Clone, serde::Serialize)]
pub struct FigureMismatch {
    /// Which receive.
    pub case: usize,
    /// The printed value, in seconds.
    pub printed_s: f64,
    /// The value from the time stamps.
    pub stamped_s: f64,
}

/// Computes the comparison. The client is the task of that number, or the one with
/// the longest response. Returns `None` if there is no such task. `delays` are from
/// a capture, or empty.
pub fn reconcile(
    tasks: &[Task],
    receives: &[TracedReceive],
    client: Option<u64>,
    delays: &[CaptureDelay],
) -> Option<TraceReconciliation> {
    let place = match client {
        Some(number) => tasks.iter().position(|t| t.number == number)?,
        None => {
            let longest =
                |a: &usize, b: &usize| tasks[*a].response_s.total_cmp(&tasks[*b].response_s);
            (0..tasks.len()).max_by(longest)?
        }
    };
    let client = tasks[place].clone();
    let servers: Vec<Task> = (0..tasks.len())
        .filter(|n| *n != place)
        .map(|n| tasks[n].clone())
        .collect();
    let served_s: f64 = servers.iter().map(|t| t.response_s).sum();
    let receives: Vec<ExplainedReceive> = receives
        .iter()
        .enumerate()
        .map(|(n, receive)| ExplainedReceive {
            case: n + 1,
            stamped_s: receive.stamped_s(),
            counts: receive.task == client.number,
            transid: tasks
                .iter()
                .find(|t| t.number == receive.task)
                .map(|t| t.transid.clone()),
            delays: delays
                .iter()
                .filter(|d| overlap(d, receive))
                .cloned()
                .collect(),
            receive: receive.clone(),
        })
        .collect();
    let unaccounted_s = client.response_s - served_s;
    let explained_s = union_s(receives.iter().filter(|r| r.counts).map(|r| &r.receive));
    let remarks = receives
        .iter()
        .filter_map(|r| {
            let printed_s = r.receive.printed_s?;
            let differs = (printed_s - r.stamped_s).abs() > AGREES_S;
            differs.then_some(FigureMismatch {
                case: r.case,
                printed_s,
                stamped_s: r.stamped_s,
            })
        })
        .collect();
    Some(TraceReconciliation {
        client,
        servers,
        served_s,
        unaccounted_s,
        explained_s,
        remaining_s: unaccounted_s - explained_s,
        receives,
        remarks,
    })
}

/// Whether at least half of the delay is within the wait.
fn overlap(delay: &CaptureDelay, receive: &TracedReceive) -> bool {
    let from = delay.began.max(receive.began);
    let to = delay.ended.min(receive.ended);
    let length = delay.ended.0.saturating_sub(delay.began.0);
    to.0.saturating_sub(from.0) * 2 >= length.max(1)
}

/// The time that intervals cover together: an inner wait is not counted again.
fn union_s<'a>(receives: impl Iterator<Item = &'a TracedReceive>) -> f64 {
    let mut spans: Vec<(TimeOfDay, f64)> = receives.map(|r| (r.began, r.stamped_s())).collect();
    spans.sort_by_key(|s| s.0);
    let mut total = 0.0;
    let mut reached: Option<(TimeOfDay, f64)> = None;
    for (began, length) in spans {
        let covered = reached.map_or(0.0, |(at, len)| (len - began.since_s(at)).max(0.0));
        if length > covered {
            total += length - covered;
            reached = Some((began, length));
        }
    }
    total
}

/// Printed and stamped lengths that differ by less agree: tracing itself
/// takes some microseconds.
const AGREES_S: f64 = 0.000_5;
