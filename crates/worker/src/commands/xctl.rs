//! XCTL: another program at the same level.
//!
//! Reference: CICS API reference, XCTL. The COMMAREA is copied unless it is
//! the one that was passed in, since the storage of the program that leaves
//! is given back.

use cics::command::commands::xctl as row;
use cics::resp::Condition;

use super::link::{cannot_run, channel, commarea};
use crate::exec::{CommandCall, CommandResult, CommandStop, condition};
use crate::worker::{EntryArguments, LevelExit, Worker};

pub fn serve(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    let name = call.name::<8>(row::PROGRAM).unwrap_or([b' '; 8]);
    w.task.level_mut().eib().set_resource(&name);
    if call.has(row::INPUTMSG) {
        return condition(Condition::InvReq, 8);
    }
    let (from, bytes) = commarea(call, row::COMMAREA, row::LENGTH)?;
    // Only LINK reaches a program of another region.
    let program = w.programs.runnable(&name).or_else(cannot_run)?;
    let channel = channel(w, call, row::CHANNEL)?;
    let mut commarea = from;
    if bytes > 0 && from != w.task.level().passed.commarea {
        let Ok(copy) = w.task.storage.get(bytes, None, false) else {
            return condition(Condition::LengErr, 11);
        };
        // SAFETY: the program's area, and a fresh block of the same size.
        unsafe { std::ptr::copy_nonoverlapping(from, copy, bytes) };
        commarea = copy;
    }
    w.task.level_mut().exit = LevelExit::Xctl(
        program,
        EntryArguments {
            commarea,
            bytes,
            channel,
        },
    );
    Err(CommandStop::Leave)
}
