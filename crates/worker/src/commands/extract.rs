//! EXTRACT PROCESS and EXTRACT ATTRIBUTES.
//!
//! Reference: CICS API reference, EXTRACT PROCESS, EXTRACT ATTRIBUTES (APPC).
//! EXTRACT PROCESS is for the principal facility alone. PIPLIST points at the
//! list of initialisation parameters as CONNECT PROCESS has it, or is null when
//! the Attach brought none; the list stays until the next EXTRACT PROCESS.

use cics::command::commands::{extract_attributes, extract_process as row};
use cics::resp::Condition;
use link::conversation::Verb;

use super::conversation::{ConversationOptions, number, outcome, set_state};
use crate::exec::{CommandCall, CommandResult, condition};
use crate::services::VerbAnswer;
use crate::worker::Worker;

/// Key of the area where PIPLIST points, out of the way of those of files.
const LIST_AREA: u32 = u32::MAX - 2;
/// Room that PROCNAME is taken to have without MAXPROCLEN, in bytes.
const NAME_ROOM: i64 = 32;

pub fn process(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    const NAMED: ConversationOptions = ConversationOptions {
        convid: row::CONVID,
        session: None,
        state: None,
    };
    let answer = ask(w, call, &NAMED, Verb::Process)?;
    outcome(&answer)?;
    call.set_int(row::SYNCLEVEL, answer.args[4] as i64);
    let VerbAnswer { args, data, .. } = answer;
    let (name, list) = data.split_at(data.len().min(args[5] as usize));
    call.set_int(row::PIPLENGTH, list.len() as i64);
    let at = match list {
        [] => std::ptr::null_mut(),
        list => w.task.storage.area(LIST_AREA, list),
    };
    call.set_pointer(row::PIPLIST, at);
    call.set_int(row::PROCLENGTH, name.len() as i64);
    let Some(area) = call.arg(row::PROCNAME) else {
        return Ok(());
    };
    let room = call.int(row::MAXPROCLEN).unwrap_or(NAME_ROOM);
    let Ok(room) = usize::try_from(room) else {
        return condition(Condition::LengErr, 0);
    };
    let mut name = name.to_vec();
    let fits = name.len() <= room.min(area.size());
    name.resize(room.min(area.size()), b' ');
    area.set_bytes(&name, area.size());
    if fits {
        Ok(())
    } else {
        condition(Condition::LengErr, 0)
    }
}

pub fn attributes(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    const NAMED: ConversationOptions = ConversationOptions {
        convid: extract_attributes::CONVID,
        session: Some(extract_attributes::SESSION),
        state: Some(extract_attributes::STATE),
    };
    let answer = ask(w, call, &NAMED, Verb::Attributes)?;
    set_state(w, call, NAMED.state, &answer);
    outcome(&answer)
}

fn ask(
    w: &mut Worker,
    call: &CommandCall<'_>,
    named: &ConversationOptions,
    verb: Verb,
) -> Result<VerbAnswer, crate::exec::CommandStop> {
    let conversation = number(w, call, named)?;
    Ok(w.services.converse(verb, [conversation, 0, 0], &[])?)
}
