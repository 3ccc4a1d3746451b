//! DELETE and UNLOCK.
//!
//! Reference: CICS API reference, DELETE, UNLOCK.

use cics::command::commands::{delete as row, unlock as unlock_row};
use cics::file::FileAccess;
use cics::resp::Condition;
use link::FileKind;

use super::key::{RecordOptions, file, file_options, named};
use crate::exec::{CommandCall, CommandResult, condition};
use crate::worker::Worker;

const NAMED: RecordOptions = named!(row);

pub fn delete(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    let is_held = !call.has(row::RIDFLD);
    let access = if is_held {
        FileAccess::DeleteHeld
    } else {
        FileAccess::Delete
    };
    let file = file(w, call, file_options!(row), access)?;
    if is_held {
        let named = call.int(row::TOKEN);
        let Some(held) = w.files.held.find(file, named.map(|t| t as u32)) else {
            return condition(Condition::InvReq, if named.is_some() { 47 } else { 31 });
        };
        let token = held.token;
        w.services.delete_held(file, token)?;
        w.files.held.release(file, token);
        return Ok(());
    }
    let nosuspend = call.has(row::NOSUSPEND);
    let generic = NAMED.is_generic(call);
    match w.files.definition(file).kind {
        FileKind::Esds => return condition(Condition::InvReq, 21),
        FileKind::Rrds if generic => return condition(Condition::InvReq, 22),
        _ => {}
    }
    let key = NAMED.key(&w.files, file, call)?;
    if !generic {
        // The record is deleted; the condition reports that others have its key.
        return if w.services.delete(file, key.bytes(), nosuspend)? {
            condition(Condition::DupKey, 140)
        } else {
            Ok(())
        };
    }
    let deleted = w.services.delete_generic(file, key.bytes(), nosuspend)?;
    call.set_int(row::NUMREC, i64::try_from(deleted).unwrap_or(i64::MAX));
    if deleted == 0 {
        condition(Condition::NotFnd, 80)
    } else {
        Ok(())
    }
}

pub fn unlock(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    let file = file(w, call, file_options!(unlock_row), FileAccess::Unlock)?;
    let named = call.int(unlock_row::TOKEN).map(|t| t as u32);
    match (w.files.held.find(file, named).map(|h| h.token), named) {
        (Some(token), _) => {
            w.services.unlock(file, Some(token))?;
            w.files.held.release(file, token);
            Ok(())
        }
        (None, Some(_)) => condition(Condition::InvReq, 47),
        // Nothing is held, so there is nothing to do.
        (None, None) => Ok(()),
    }
}
