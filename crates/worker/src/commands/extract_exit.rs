//! EXTRACT EXIT: whether an exit program is enabled.
//!
//! Servers that start themselves ask for EZACIC01, the task-related user exit
//! of CICS sockets, before their first call, and end when it is not there. No
//! other exit program is, and none has a global work area.
//!
//! Reference: CICS system programming reference, EXTRACT EXIT.

use cics::command::commands::extract_exit as row;
use cics::resp::Condition;

use crate::exec::{CommandCall, CommandResult, condition};
use crate::worker::Worker;

pub fn serve(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    let is = |option, name| call.name::<8>(option).is_none_or(|asked| asked == name);
    let sockets = is(row::PROGRAM, *SOCKETS) && is(row::ENTRYNAME, *SOCKETS);
    if !(sockets && w.facts.sockets.enabled) {
        return condition(Condition::InvExitReq, 0);
    }
    call.set_int(row::GALENGTH, 0);
    // Null, also in a program that has four bytes for the address.
    call.set_zeros(row::GASET);
    Ok(())
}

/// The exit program of CICS sockets.
const SOCKETS: &[u8; 8] = b"EZACIC01";
