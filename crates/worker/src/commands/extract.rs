//! EXTRACT PROCESS and EXTRACT ATTRIBUTES.
//!
//! Reference: CICS API reference, EXTRACT PROCESS, EXTRACT ATTRIBUTES (APPC).
//! There are never initialisation parameters: PIPLENGTH is 0 and PIPLIST null.

use cics::command::commands::{extract_attributes, extract_process as row};
use cics::resp::Condition;
use link::conversation::Verb;

use super::conversation::{Named, number, outcome, tell};
use crate::exec::{Call, Outcome, condition};
use crate::services::Talked;
use crate::worker::Worker;

pub fn process(w: &mut Worker, call: &Call<'_>) -> Outcome {
    const NAMED: Named = Named {
        convid: row::CONVID,
        session: None,
        state: None,
    };
    let talked = ask(w, call, &NAMED, Verb::Process)?;
    outcome(&talked)?;
    call.set_int(row::SYNCLEVEL, talked.args[4] as i64);
    call.set_int(row::PIPLENGTH, 0);
    call.set_pointer(row::PIPLIST, std::ptr::null_mut());
    call.set_int(row::PROCLENGTH, talked.data.len() as i64);
    let Some(area) = call.arg(row::PROCNAME) else {
        return Ok(());
    };
    let room = call.int(row::MAXPROCLEN).unwrap_or(area.size() as i64);
    let Ok(room) = usize::try_from(room) else {
        return condition(Condition::LengErr, 0);
    };
    let mut name = talked.data;
    let fits = name.len() <= room.min(area.size());
    name.resize(room.min(area.size()), b' ');
    area.set_bytes(&name, area.size());
    match fits {
        true => Ok(()),
        false => condition(Condition::LengErr, 0),
    }
}

pub fn attributes(w: &mut Worker, call: &Call<'_>) -> Outcome {
    const NAMED: Named = Named {
        convid: extract_attributes::CONVID,
        session: Some(extract_attributes::SESSION),
        state: Some(extract_attributes::STATE),
    };
    let talked = ask(w, call, &NAMED, Verb::Attributes)?;
    tell(w, call, NAMED.state, &talked);
    outcome(&talked)
}

fn ask(
    w: &mut Worker,
    call: &Call<'_>,
    named: &Named,
    verb: Verb,
) -> Result<Talked, crate::exec::Stop> {
    let conversation = number(w, call, named)?;
    Ok(w.services.converse(verb, [conversation, 0, 0], &[])?)
}
