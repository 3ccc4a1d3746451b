//! Queue commands that may wait: an active HANDLE or IGNORE CONDITION for the
//! condition of the wait has the effect of NOSUSPEND.
//!
//! Reference: CICS API reference, READQ TD (QBUSY) and WRITEQ TS (NOSPACE).

use cics::command::commands::{readq_td, writeq_ts};
use cics::resp::Condition;

use super::{forward, handle};
use crate::exec::{CommandCall, CommandResult};
use crate::worker::Worker;

pub fn read_td(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    serve(w, call, Condition::QBusy, readq_td::NOSUSPEND)
}

pub fn write_ts(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    serve(w, call, Condition::NoSpace, writeq_ts::NOSUSPEND)
}

fn serve(w: &mut Worker, call: &CommandCall<'_>, wait: Condition, nosuspend: u8) -> CommandResult {
    let mut operands = forward::gather(call)?;
    // ERROR covers conditions that end a task, not those of a wait.
    if handle::frame(w).handles.handles(wait) {
        operands.options |= 1 << nosuspend;
    }
    forward::ask(w, call, &operands)
}
