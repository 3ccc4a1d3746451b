//! The common parts of the commands of conversations.
//!
//! The region holds the conversation and its state; a command asks it, puts
//! the returned indicators into the EIB and stores STATE. Without CONVID a
//! command uses the principal facility.

use cics::command::{Command, OptionRule};
use cics::eib::ConversationIndicators;
use cics::resp::Condition;
use link::conversation::{
    INDICATOR_CHAIN_END, INDICATOR_COMPLETE, INDICATOR_CONFIRM, INDICATOR_ERROR, INDICATOR_FREE,
    INDICATOR_NO_DATA, INDICATOR_RECEIVE, INDICATOR_SIGNAL, Verb,
};

use crate::exec::{CommandCall, CommandResult, CommandStop, condition};
use crate::services::VerbAnswer;
use crate::worker::Worker;

/// Longest record of a mapped conversation, in bytes.
pub const MAX_RECORD: i64 = 32_767;

/// The options that name a conversation and receive its state.
pub struct ConversationOptions {
    /// CONVID.
    pub convid: u8,
    /// SESSION, a synonym of CONVID of earlier days.
    pub session: Option<u8>,
    /// STATE.
    pub state: Option<u8>,
}

/// Number of the conversation: 0 for the principal facility.
pub fn number(
    w: &mut Worker,
    call: &CommandCall<'_>,
    named: &ConversationOptions,
) -> Result<u64, CommandStop> {
    let name = call.name::<4>(named.convid);
    let session = named.session.and_then(|option| call.name::<4>(option));
    if let Some(name) = name.or(session) {
        w.task.level_mut().eib().set_resource(&name);
    }
    match name.or(session) {
        None => Ok(0),
        Some(name) => Ok(u64::from(u32::from_be_bytes(name))),
    }
}

/// Asks the region and sets the EIB and STATE, but stores no data. Answers the
/// region's condition when it is one that leaves nothing else to do.
pub fn run_verb(
    w: &mut Worker,
    call: &CommandCall<'_>,
    named: &ConversationOptions,
    verb: Verb,
    args: [u64; 2],
    data: &[&[u8]],
) -> Result<VerbAnswer, CommandStop> {
    let conversation = number(w, call, named)?;
    let answer = w
        .services
        .converse(verb, [conversation, args[0], args[1]], data)?;
    set_state(w, call, named.state, &answer);
    Ok(answer)
}

/// Puts the region's answer into the EIB and STATE.
pub fn set_state(w: &mut Worker, call: &CommandCall<'_>, state: Option<u8>, answer: &VerbAnswer) {
    let [conversation, state_now, indicators, error_code, ..] = answer.args;
    let has = |bit: u64| indicators & bit != 0;
    let mut eib = w.task.level_mut().eib();
    if conversation != 0 {
        eib.set_resource(&(conversation as u32).to_be_bytes());
    }
    eib.set_conversation(&ConversationIndicators {
        receive: has(INDICATOR_RECEIVE),
        free: has(INDICATOR_FREE),
        chain_end: has(INDICATOR_CHAIN_END),
        confirm: has(INDICATOR_CONFIRM),
        complete: has(INDICATOR_COMPLETE),
        no_data: has(INDICATOR_NO_DATA),
        signal: has(INDICATOR_SIGNAL),
        error: has(INDICATOR_ERROR),
        error_code: error_code as u32,
    });
    if let Some(state) = state
        && state_now != 0
    {
        call.set_int(state, state_now as i64);
    }
}

/// The region's condition as the command's.
pub fn outcome(answer: &VerbAnswer) -> CommandResult {
    match answer.condition {
        Condition::Normal => Ok(()),
        other => condition(other, answer.resp2),
    }
}

/// NOTALLOC when the command would use the principal facility of a task without
/// one.
pub fn allocated(w: &Worker, call: &CommandCall<'_>, named: &ConversationOptions) -> CommandResult {
    let names = call.has(named.convid) || named.session.is_some_and(|option| call.has(option));
    if names || w.task.facility != [b' '; 4] {
        Ok(())
    } else {
        condition(Condition::NotAlloc, 0)
    }
}

/// INVREQ when the command has one of these options, which are for terminals
/// and sessions of other kinds.
pub fn refuse_options(call: &CommandCall<'_>, options: &[u8]) -> CommandResult {
    if options.iter().any(|option| call.has(*option)) {
        condition(Condition::InvReq, 0)
    } else {
        Ok(())
    }
}

/// The options that no conversation has: those that the command table says are
/// not served, and those that only terminals have.
pub fn terminal_options(row: &Command) -> Vec<u8> {
    let lists = row.rules.iter().filter_map(|rule| match rule {
        OptionRule::Unserved(list, _) => Some(*list),
        _ => None,
    });
    let names = lists.flatten().chain(OF_TERMINALS);
    names.filter_map(|name| row.index_of(name)).collect()
}

/// Options that are served for terminals alone.
const OF_TERMINALS: &[&str] = &[
    "ALTERNATE",
    "ASIS",
    "CTLCHAR",
    "DEFAULT",
    "DEFRESP",
    "ERASE",
    "LEAVEKB",
    "STRFIELD",
];

/// The record to send, when the command has FROM.
pub fn from<'c>(
    call: &CommandCall<'c>,
    area: u8,
    halfword: u8,
    fullword: u8,
) -> Result<Option<&'c [u8]>, CommandStop> {
    let Some(area) = call.arg(area) else {
        return Ok(None);
    };
    let given = call.int(halfword).or_else(|| call.int(fullword));
    let bytes = given.unwrap_or(area.size() as i64);
    if !(0..=MAX_RECORD).contains(&bytes) {
        return condition(Condition::LengErr, 0);
    }
    // SAFETY: the program's storage; a length beyond the item is the
    // program's error and can harm only its own process.
    Ok(Some(unsafe {
        std::slice::from_raw_parts(area.data(), bytes as usize)
    }))
}

#[cfg(test)]
mod tests {
    use link::conversation::ConversationState;

    #[test]
    fn states_have_the_numbers_of_their_cvdas() {
        for (name, state) in [
            ("ALLOCATED", ConversationState::Allocated),
            ("CONFFREE", ConversationState::ConfFree),
            ("CONFRECEIVE", ConversationState::ConfReceive),
            ("CONFSEND", ConversationState::ConfSend),
            ("FREE", ConversationState::Free),
            ("PENDFREE", ConversationState::PendFree),
            ("PENDRECEIVE", ConversationState::PendReceive),
            ("RECEIVE", ConversationState::Receive),
            ("SEND", ConversationState::Send),
        ] {
            assert_eq!(cics::cvda::value(name).map(u64::from), Some(state as u64));
        }
    }
}
