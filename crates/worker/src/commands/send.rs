//! SEND and WAIT CONVID.
//!
//! Reference: CICS API reference, SEND (APPC), WAIT CONVID (APPC).

use std::sync::LazyLock;

use cics::command::commands::{send as row, wait_convid as wait_row};
use link::conversation::{VERB_CONFIRM, VERB_DATA, VERB_INVITE, VERB_LAST, VERB_WAIT, Verb};

use super::conversation::{
    ConversationOptions, allocated, from, outcome, refuse_options, run_verb, terminal_options,
};
use super::terminal;
use crate::exec::{CommandCall, CommandResult};
use crate::worker::Worker;

const NAMED: ConversationOptions = ConversationOptions {
    convid: row::CONVID,
    session: Some(row::SESSION),
    state: Some(row::STATE),
};

/// Options of terminals and of sessions of other kinds.
static OTHERS: LazyLock<Vec<u8>> = LazyLock::new(|| terminal_options(&row::ROW));

pub fn send(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    if terminal::is_for(w, call, &NAMED) {
        return terminal::send(w, call);
    }
    let record = from(call, row::FROM, row::LENGTH, row::FLENGTH)?;
    let mut flags = 0;
    for (option, flag) in [
        (row::FROM, VERB_DATA),
        (row::INVITE, VERB_INVITE),
        (row::LAST, VERB_LAST),
        (row::CONFIRM, VERB_CONFIRM),
        (row::WAIT, VERB_WAIT),
    ] {
        flags |= if call.has(option) { flag } else { 0 };
    }
    allocated(w, call, &NAMED)?;
    refuse_options(call, &OTHERS)?;
    let data: &[&[u8]] = &[record.unwrap_or_default()];
    let answer = run_verb(w, call, &NAMED, Verb::Send, [flags, 0], data)?;
    outcome(&answer)
}

pub fn wait_convid(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    const NAMED: ConversationOptions = ConversationOptions {
        convid: wait_row::CONVID,
        session: None,
        state: Some(wait_row::STATE),
    };
    let answer = run_verb(w, call, &NAMED, Verb::Wait, [0; 2], &[])?;
    outcome(&answer)
}
