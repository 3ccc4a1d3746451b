//! ADDRESS and ADDRESS SET.
//!
//! Reference: CICS API reference, ADDRESS: an area that does not exist gives
//! the null pointer X'FF000000', which here is the null pointer itself.

use cics::command::commands::{address as row, address_set};

use crate::exec::{CommandCall, CommandResult};
use crate::worker::Worker;

pub fn address(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    let none = std::ptr::null_mut();
    call.set_pointer(row::ACEE, none);
    call.set_pointer(row::CWA, w.facts.shared.cwa());
    call.set_pointer(row::TCTUA, none);
    let twa = &mut w.task.twa;
    let twa = if twa.is_empty() {
        none
    } else {
        twa.as_mut_ptr()
    };
    call.set_pointer(row::TWA, twa);
    let level = w.task.level_mut();
    call.set_pointer(row::COMMAREA, level.passed.commarea);
    call.set_pointer(row::EIB, level.eib.as_mut_ptr());
    Ok(())
}

pub fn address_set(_w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    if let Some(from) = call.arg(address_set::USING) {
        call.set_pointer(address_set::SET, from.pointer());
    }
    Ok(())
}
