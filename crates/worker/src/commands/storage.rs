//! GETMAIN and FREEMAIN.
//!
//! Reference: CICS API reference, GETMAIN, FREEMAIN. Storage is zero unless
//! INITIMG says otherwise; BELOW and the keys mean nothing here. A length that
//! the task's bound can never hold is LENGERR; one that it does not hold now is
//! NOSTG, at once: a task that waited for its own storage would wait for ever.

use cics::command::commands::{freemain, getmain};
use cics::resp::Condition;

use crate::exec::{Call, Outcome, condition};
use crate::storage::NoStorage;
use crate::worker::Worker;

pub fn getmain(w: &mut Worker, call: &Call<'_>) -> Outcome {
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
    match w.task.storage.get(bytes as usize, fill, shared) {
        Ok(at) => {
            call.set_pointer(getmain::SET, at);
            Ok(())
        }
        Err(NoStorage::TooLong) => condition(Condition::LengErr, 1),
        Err(NoStorage::UsedUp) => condition(Condition::NoStg, 2),
    }
}

pub fn freemain(w: &mut Worker, call: &Call<'_>) -> Outcome {
    let at = match call.arg(freemain::DATA) {
        Some(data) => data.data(),
        None => call
            .arg(freemain::DATAPOINTER)
            .map_or(std::ptr::null_mut(), |a| a.pointer()),
    };
    if w.task.storage.free(at) {
        Ok(())
    } else {
        condition(Condition::InvReq, 1)
    }
}
