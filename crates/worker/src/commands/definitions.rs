//! CREATE and DISCARD: the region installs or removes a definition; the unit of
//! work ends with the command if the manual requires it.
//!
//! A syncpoint is implicit: the unit's changes are committed when the
//! definition was installed, and backed out when it was valid and could not be
//! installed. An error in ATTRIBUTES is found early and does not end the unit.
//!
//! Reference: CICS system programming reference, "Creating resource
//! definitions".

use cics::command::commands::discard;
use cics::resp::Condition;

use super::forward;
use crate::exec::{CommandCall, CommandResult, CommandStop, condition};
use crate::worker::Worker;

pub fn create(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    let made = forward::serve(w, call);
    match made {
        Ok(()) => w.services.syncpoint()?,
        Err(CommandStop::Condition(Condition::InvReq, NOT_INSTALLED)) => w.services.rollback()?,
        Err(_) => return made,
    }
    w.files.end_unit();
    made
}

pub fn discard(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    let operands = forward::gather(call)?;
    let reply = w.services.command(call.row.number, &operands)?;
    if reply.condition != Condition::Normal {
        return condition(reply.condition, reply.resp2);
    }
    // A logically recoverable queue went: what the unit did is committed.
    if reply.operands.has(discard::TDQUEUE) {
        w.services.syncpoint()?;
        w.files.end_unit();
    }
    Ok(())
}

/// RESP2 of a definition that was understood and could not be installed.
const NOT_INSTALLED: u32 = 0;
