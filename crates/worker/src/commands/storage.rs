//! GETMAIN and FREEMAIN.
//!
//! Reference: CICS API reference, GETMAIN, FREEMAIN. Storage is zero unless
//! INITIMG says otherwise; BELOW and the keys mean nothing here. A length that
//! the task's bound can never hold is LENGERR; one that it does not hold now is
//! NOSTG, at once: a task that waited for its own storage would wait for ever.
//! SHARED storage is all workers' where the region has a shared area, else this
//! worker's.

use cics::command::commands::{freemain, getmain};
use cics::resp::Condition;
use link::CommandOperands;

use super::forward;
use crate::exec::{CommandCall, CommandResult, condition};
use crate::storage::NoStorage;
use crate::worker::Worker;

pub fn getmain(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    let bytes = match call.int(getmain::FLENGTH) {
        Some(bytes) => bytes,
        // A halfword is unsigned here: up to 65,520 bytes.
        None => call.int(getmain::LENGTH).map_or(0, |l| l & 0xFFFF),
    };
    if bytes <= 0 {
        return condition(Condition::LengErr, 1);
    }
    let fill = call
        .arg(getmain::INITIMG)
        .and_then(|a| a.bytes().first().copied());
    let shared = call.has(getmain::SHARED);
    if shared && w.facts.shared.has_storage() {
        return get_shared(w, call, bytes, fill);
    }
    match w.task.storage.get(bytes as usize, fill, shared) {
        Ok(at) => {
            call.set_pointer(getmain::SET, at);
            Ok(())
        }
        Err(NoStorage::TooLong) => condition(Condition::LengErr, 1),
        Err(NoStorage::UsedUp) => condition(Condition::NoStg, 2),
    }
}

/// The region gives out what all workers share.
fn get_shared(
    w: &mut Worker,
    call: &CommandCall<'_>,
    bytes: i64,
    fill: Option<u8>,
) -> CommandResult {
    let operands = CommandOperands::default().int(getmain::FLENGTH, bytes);
    let reply = w.services.command(getmain::NUMBER, &operands)?;
    let Some(offset) = reply.operands.get_int(getmain::SET) else {
        return condition(Condition::NoStg, 2);
    };
    let at = w.facts.shared.storage(offset as usize);
    // SAFETY: the region gave this task that many bytes of the shared area.
    unsafe { std::ptr::write_bytes(at, fill.unwrap_or(0), bytes as usize) };
    call.set_pointer(getmain::SET, at);
    Ok(())
}

pub fn freemain(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    let at = match call.arg(freemain::DATA) {
        Some(data) => data.data(),
        None => call
            .arg(freemain::DATAPOINTER)
            .map_or(std::ptr::null_mut(), |a| a.pointer()),
    };
    if let Some(offset) = w.facts.shared.offset(at) {
        let operands = CommandOperands::default().int(freemain::DATAPOINTER, offset as i64);
        return forward::ask(w, call, &operands);
    }
    if w.task.storage.free(at) {
        Ok(())
    } else {
        condition(Condition::InvReq, 1)
    }
}
