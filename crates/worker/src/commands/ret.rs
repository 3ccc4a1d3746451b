//! RETURN: to the program above, or the end of the task; and PERFORM SHUTDOWN,
//! which ends the task wherever it is.
//!
//! Reference: CICS API reference, RETURN. TRANSID needs a terminal: a task
//! that was started without one gets INVREQ. With one the region keeps the
//! data for the next task.

use cics::command::commands::ret as row;
use cics::resp::Condition;
use link::layout::{RESULT_RETURN, RESULT_RETURN_COMMAREA};

use super::forward;
use super::interval::{add_channel, conclude};
use super::link::{channel, commarea};
use crate::exec::{CommandCall, CommandResult, CommandStop, condition};
use crate::worker::{LevelExit, Worker};

/// Control does not return to the program, nor to those above it.
pub fn shutdown(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    forward::serve(w, call)?;
    w.task.over = true;
    Ok(())
}

/// Passes the next transaction and its data to the region.
fn leave_next(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    let mut operands = forward::gather(call)?;
    add_channel(w, call, row::CHANNEL, &mut operands)?;
    let reply = w.services.command(row::NUMBER, &operands)?;
    conclude(&reply)
}

/// Whether the region may carry RETURN out with the task's end, so that it need not be
/// asked. A unit in doubt that an earlier SYNCPOINT has left lets RETURN wait, and
/// CEDF shows the command's outcome; both need the answer.
fn is_plain(w: &Worker, call: &CommandCall<'_>, bytes: usize) -> bool {
    let others = call.has(row::CHANNEL) || call.has(row::IMMEDIATE) || call.has(row::INPUTMSG);
    !others && !w.task.stepped && !w.task.had_syncpoint && bytes <= MOST_LEFT_BYTES
}

pub fn serve(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    let highest = w.task.depth == 1;
    let passes = call.has(row::COMMAREA) || call.has(row::CHANNEL) || call.has(row::IMMEDIATE);
    if passes && !highest {
        return condition(Condition::InvReq, 2);
    }
    // A partner that attached the task counts as one.
    let terminal = w.task.terminal.is_some() || w.task.start_code[0] == b'T';
    if call.has(row::TRANSID) && !terminal {
        return condition(Condition::InvReq, 1);
    }
    if call.has(row::INPUTMSG) && !terminal {
        return condition(Condition::InvReq, 8);
    }
    let (from, bytes) = commarea(call, row::COMMAREA, row::LENGTH)?;
    if w.task.terminal.is_some() && call.has(row::TRANSID) && highest {
        if is_plain(w, call, bytes) {
            w.task.left_return = if call.has(row::COMMAREA) {
                RESULT_RETURN | RESULT_RETURN_COMMAREA
            } else {
                RESULT_RETURN
            };
        } else {
            leave_next(w, call)?;
        }
    }
    if let Some(channel) = channel(w, call, row::CHANNEL)? {
        w.task.result.channel = Some(channel);
    }
    if let Some(transid) = call.name::<4>(row::TRANSID) {
        w.task.next_transid = transid;
    }
    if call.has(row::COMMAREA) {
        let arena = w.services.arena();
        let Some(offset) = arena.heap.alloc(bytes) else {
            return condition(Condition::LengErr, 11);
        };
        // SAFETY: the program's area, and a fresh block of the arena.
        let at = unsafe { arena.base.add(offset) };
        if bytes > 0 {
            // SAFETY: as above.
            unsafe { std::ptr::copy_nonoverlapping(from, at, bytes) };
        }
        w.task.result.commarea = at;
        w.task.result.bytes = bytes;
    }
    w.task.level_mut().exit = LevelExit::Returned;
    Err(CommandStop::Leave)
}

/// Longest COMMAREA of a RETURN that the region is not asked to carry out: what
/// LENGTH can hold.
const MOST_LEFT_BYTES: usize = 32_767;
