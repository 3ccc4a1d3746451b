//! ALLOCATE, CONNECT PROCESS and FREE.
//!
//! Reference: CICS API reference, ALLOCATE (APPC), CONNECT PROCESS, FREE
//! (APPC). EIBRSRCE has the conversation's identifier after ALLOCATE. NOQUEUE
//! makes no difference: the region makes a session when none is free. PIPLIST
//! is a list of parameters with a length before each; a list whose lengths are
//! wrong answers LENGERR.

use cics::command::commands::{allocate as row, connect_process, free as free_row};
use cics::resp::Condition;
use link::conversation::Verb;

use super::conversation::{ConversationOptions, outcome, run_verb, set_state};
use crate::exec::{CommandCall, CommandResult, CommandStop, condition};
use crate::worker::Worker;

/// Longest name of a process.
const MAX_NAME: usize = 64;
/// Longest list of initialisation parameters, in bytes.
const MAX_LIST: usize = 32_763;
/// The highest sync level without syncpoint flows.
const CONFIRM_LEVEL: i64 = 1;

pub fn allocate(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    if let Some(session) = call.name::<4>(row::SESSION) {
        w.task.level_mut().eib().set_resource(&session);
        return condition(Condition::SessionErr, 0);
    }
    let blank = [b' '; 8];
    let system = call.name::<4>(row::SYSID).unwrap_or([b' '; 4]);
    let profile = call.name::<8>(row::PROFILE).unwrap_or(blank);
    let partner = call.name::<8>(row::PARTNER).unwrap_or(blank);
    let data: [&[u8]; 3] = [&system, &profile, &partner];
    let answer = w.services.converse(Verb::Allocate, [0; 3], &data)?;
    set_state(w, call, Some(row::STATE), &answer);
    outcome(&answer)
}

pub fn connect_process(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    const NAMED: ConversationOptions = ConversationOptions {
        convid: connect_process::CONVID,
        session: Some(connect_process::SESSION),
        state: Some(connect_process::STATE),
    };
    let level = call.int(connect_process::SYNCLEVEL).unwrap_or(0);
    if !(0..=CONFIRM_LEVEL).contains(&level) {
        return condition(Condition::InvReq, 0);
    }
    let partner = call
        .name::<8>(connect_process::PARTNER)
        .unwrap_or([b' '; 8]);
    let mut name: &[u8] = &[];
    if let Some(area) = call.arg(connect_process::PROCNAME) {
        let bytes = call
            .int(connect_process::PROCLENGTH)
            .unwrap_or(area.size() as i64);
        match usize::try_from(bytes) {
            Ok(bytes @ 1..=MAX_NAME) if bytes <= area.size() => name = &area.bytes()[..bytes],
            _ => return condition(Condition::LengErr, 0),
        }
    }
    let list = list(call)?;
    let args = [name.len() as u64, level as u64];
    let data: [&[u8]; 3] = [&partner, name, list];
    let answer = run_verb(w, call, &NAMED, Verb::Connect, args, &data)?;
    outcome(&answer)
}

/// The list of initialisation parameters; empty without one.
fn list<'c>(call: &CommandCall<'c>) -> Result<&'c [u8], CommandStop> {
    let Some(area) = call.arg(connect_process::PIPLIST) else {
        return Ok(&[]);
    };
    let bytes = call
        .int(connect_process::PIPLENGTH)
        .unwrap_or(area.size() as i64);
    match usize::try_from(bytes) {
        // SAFETY: the program's storage; a length beyond the item is the
        // program's error and can harm only its own process.
        Ok(bytes @ ..=MAX_LIST) => Ok(unsafe { std::slice::from_raw_parts(area.data(), bytes) }),
        _ => condition(Condition::LengErr, 0),
    }
}

pub fn free(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    const NAMED: ConversationOptions = ConversationOptions {
        convid: free_row::CONVID,
        session: Some(free_row::SESSION),
        state: Some(free_row::STATE),
    };
    let answer = run_verb(w, call, &NAMED, Verb::Free, [0; 2], &[])?;
    outcome(&answer)
}
