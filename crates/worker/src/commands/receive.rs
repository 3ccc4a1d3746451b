//! RECEIVE and CONVERSE.
//!
//! Reference: CICS API reference, RECEIVE (APPC), CONVERSE (APPC). A record
//! longer than the program's area is cut with LENGERR, or with NOTRUNCATE continues
//! at the next RECEIVE. LENGTH receives the length of the record, or with
//! NOTRUNCATE the length of the returned part. The end of the
//! partner's chain (its turn, a request to confirm, its end) raises EOC, which is
//! ignored unless the program handles it.

use std::sync::LazyLock;

use cics::command::commands::{converse as converse_row, receive as row};
use link::conversation::{VERB_DATA, Verb};

use super::conversation::{
    ConversationOptions, allocated, from, outcome, refuse_options, run_verb, terminal_options,
};
use super::record::DataTarget;
use super::terminal;
use crate::exec::{CommandCall, CommandResult};
use crate::worker::Worker;

pub fn receive(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    const NAMED: ConversationOptions = ConversationOptions {
        convid: row::CONVID,
        session: Some(row::SESSION),
        state: Some(row::STATE),
    };
    static OTHERS: LazyLock<Vec<u8>> = LazyLock::new(|| terminal_options(&row::ROW));
    const TARGET: DataTarget = DataTarget {
        into: row::INTO,
        set: row::SET,
        length: row::LENGTH,
        flength: row::FLENGTH,
        maxlength: row::MAXLENGTH,
        maxflength: row::MAXFLENGTH,
        notruncate: row::NOTRUNCATE,
    };
    if terminal::is_for(w, call, &NAMED) {
        return terminal::receive(w, call, &TARGET);
    }
    allocated(w, call, &NAMED)?;
    refuse_options(call, &OTHERS)?;
    let (limit, flags) = TARGET.wanted(call)?;
    let answer = run_verb(w, call, &NAMED, Verb::Receive, [flags, limit], &[])?;
    TARGET.deliver(w, call, &answer);
    outcome(&answer)
}

pub fn converse(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    const NAMED: ConversationOptions = ConversationOptions {
        convid: converse_row::CONVID,
        session: Some(converse_row::SESSION),
        state: Some(converse_row::STATE),
    };
    const TARGET: DataTarget = DataTarget {
        into: converse_row::INTO,
        set: converse_row::SET,
        length: converse_row::TOLENGTH,
        flength: converse_row::TOFLENGTH,
        maxlength: converse_row::MAXLENGTH,
        maxflength: converse_row::MAXFLENGTH,
        notruncate: converse_row::NOTRUNCATE,
    };
    static OTHERS: LazyLock<Vec<u8>> = LazyLock::new(|| terminal_options(&converse_row::ROW));
    if terminal::is_for(w, call, &NAMED) {
        return terminal::converse(w, call, &TARGET);
    }
    allocated(w, call, &NAMED)?;
    refuse_options(call, &OTHERS)?;
    let record = from(
        call,
        converse_row::FROM,
        converse_row::FROMLENGTH,
        converse_row::FROMFLENGTH,
    )?;
    let (limit, mut flags) = TARGET.wanted(call)?;
    flags |= record.map_or(0, |_| VERB_DATA);
    let data: &[&[u8]] = &[record.unwrap_or_default()];
    let answer = run_verb(w, call, &NAMED, Verb::Converse, [flags, limit], data)?;
    TARGET.deliver(w, call, &answer);
    outcome(&answer)
}
