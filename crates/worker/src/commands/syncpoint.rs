//! SYNCPOINT and SYNCPOINT ROLLBACK.
//!
//! Reference: CICS API reference, SYNCPOINT. Browses continue over it: their
//! position is a key. A program that was linked to from another region without
//! SYNCONRETURN takes no syncpoint: its caller does.

use cics::command::commands::syncpoint as row;
use cics::resp::Condition;

use crate::exec::{CommandCall, CommandResult, condition};
use crate::worker::Worker;

/// Start code of a program link from another region without SYNCONRETURN.
const LINKED: [u8; 2] = *b"D ";

pub fn serve(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    if w.task.start_code == LINKED {
        return condition(Condition::InvReq, 200);
    }
    w.task.had_syncpoint = true;
    let done = if call.has(row::ROLLBACK) {
        w.services.rollback()
    } else {
        w.services.syncpoint()
    };
    w.files.end_unit();
    Ok(done?)
}
