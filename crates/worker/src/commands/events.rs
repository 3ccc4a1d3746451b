//! POST, WAIT EVENT, WAIT EXTERNAL, WAITCICS, SUSPEND and CHANGE TASK.
//!
//! Event control blocks are in the program's storage. The worker reads
//! them, has the region let the task wait, and reads them again: at the instant of
//! the task's own POST, and every few milliseconds for a block that another
//! program posts. A block is posted when bit 1 of its first byte is on.
//!
//! An ECBLIST is a list of items with USAGE POINTER, eight bytes each. Blocks
//! that are not in the process's storage are not valid.
//!
//! Reference: CICS API reference, the commands' pages.

use cics::command::commands::{
    change_task, post as post_row, wait_event, wait_external as list_row, waitcics,
};
use cics::cvda;
use cics::resp::Condition;
use link::CommandOperands;

use super::forward;
use super::interval::{conclude, name_request};
use crate::exec::{CommandCall, CommandResult, CommandStop, condition};
use crate::timer::{ECB_BYTES, is_posted, is_readable};
use crate::worker::Worker;

/// For how long a task waits before its worker looks again, at first and at
/// most, when something else than its POST may post.
const FIRST_LOOK_NS: i64 = 1_000_000;
const LAST_LOOK_NS: i64 = 20_000_000;

/// Key of the timer event area among the areas that commands hand out.
const AREA: u32 = post_row::NUMBER as u32;

// Both commands have the same options under the same indexes.
const _: () = assert!(list_row::ECBLIST - 1 == waitcics::ECBLIST);

pub fn post(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    let operands = forward::gather(call)?;
    let reply = w.services.command(call.row.number, &operands)?;
    if let Some(at) = reply.operands.get_int(post_row::SET) {
        let area = w.task.storage.area(AREA, &[0; ECB_BYTES]);
        let name = reply.operands.get_name(post_row::REQID);
        w.task.timer.set(at as u64, area, name.unwrap_or_default());
        w.task.timer.post_if_due();
        call.set_pointer(post_row::SET, area);
        name_request(w, &reply, post_row::REQID);
    }
    conclude(&reply)
}

pub fn wait_for_event(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    let at = call.arg(wait_event::ECADDR);
    let ecb = at.map_or(std::ptr::null_mut(), |a| a.pointer());
    if ecb.is_null() {
        return condition(Condition::InvReq, 2);
    }
    if !ecb.cast::<u32>().is_aligned() || !is_readable(ecb, ECB_BYTES) {
        return condition(Condition::InvReq, 4);
    }
    wait(w, &[ecb])
}

pub fn wait_external(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    let ecbs = listed(
        call,
        list_row::ECBLIST,
        list_row::NUMEVENTS,
        list_row::PURGEABILITY,
    )?;
    wait(w, &ecbs)
}

pub fn wait_cics(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    let ecbs = listed(
        call,
        waitcics::ECBLIST,
        waitcics::NUMEVENTS,
        waitcics::PURGEABILITY,
    )?;
    wait(w, &ecbs)
}

pub fn suspend(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    let reply = w
        .services
        .command(call.row.number, &CommandOperands::default())?;
    if posted(&reply.operands) {
        w.task.timer.post();
    }
    conclude(&reply)
}

pub fn change_priority(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    let operands = forward::gather(call)?;
    let reply = w.services.command(call.row.number, &operands)?;
    conclude(&reply)?;
    let priority = operands.get_int(change_task::PRIORITY);
    if let Some(priority) = priority.and_then(|p| u8::try_from(p).ok()) {
        w.task.priority = priority;
    }
    Ok(())
}

/// The blocks of an ECBLIST; null addresses are passed over.
fn listed(
    call: &CommandCall<'_>,
    list: u8,
    number: u8,
    purgeability: u8,
) -> Result<Vec<*mut u8>, CommandStop> {
    let number = call.int(number).unwrap_or(0);
    if number <= 0 {
        return condition(Condition::InvReq, 3);
    }
    let known = |name| cvda::value(name).map(i64::from);
    match call.int(purgeability) {
        None => {}
        given if given == known("PURGEABLE") || given == known("NOTPURGEABLE") => {}
        Some(_) => return condition(Condition::InvReq, 4),
    }
    let at = call.arg(list).map_or(std::ptr::null_mut(), |a| a.pointer());
    let bytes = (number as usize).saturating_mul(size_of::<*mut u8>());
    if at.is_null() || !is_readable(at, bytes) {
        return condition(Condition::InvReq, 5);
    }
    let mut ecbs = Vec::new();
    for i in 0..number as usize {
        // SAFETY: the list is storage of the process that can be read.
        let ecb = unsafe { at.cast::<*mut u8>().add(i).read_unaligned() };
        if ecb.is_null() {
            continue;
        }
        if !ecb.cast::<u32>().is_aligned() || !is_readable(ecb, ECB_BYTES) {
            return condition(Condition::InvReq, 1);
        }
        ecbs.push(ecb);
    }
    if ecbs.is_empty() {
        condition(Condition::InvReq, 5)
    } else {
        Ok(ecbs)
    }
}

/// Waits until one of the blocks is posted.
fn wait(w: &mut Worker, ecbs: &[*mut u8]) -> CommandResult {
    let mut slice = if ecbs.iter().all(|e| w.task.timer.is_at(*e)) {
        // Nothing else posts the timer event area.
        0
    } else {
        FIRST_LOOK_NS
    };
    loop {
        w.task.timer.post_if_due();
        // SAFETY: the blocks were found readable, and the program does not run
        // meanwhile, so they are still there.
        if ecbs.iter().any(|e| unsafe { is_posted(*e) }) {
            return Ok(());
        }
        let operands = CommandOperands::new(1 << wait_event::EVENT).int(wait_event::ECADDR, slice);
        let reply = w.services.command(wait_event::NUMBER, &operands)?;
        conclude(&reply)?;
        if posted(&reply.operands) {
            w.task.timer.post();
        }
        slice = (slice * 2).min(LAST_LOOK_NS);
    }
}

/// Asks the region whether the task's POST is due.
fn posted(operands: &CommandOperands) -> bool {
    operands.get_int(wait_event::ECADDR) == Some(1)
}
