//! RETRIEVE: what the START of this task sent along, once.
//!
//! Without a terminal a task has the data of its own START alone, so there is
//! nothing that WAIT could wait for.

use cics::command::commands::retrieve as row;
use cics::resp::Condition;
use link::Operands;

use super::super::Resources;
use crate::kernel::{Cx, Request, Served, condition, done_with};

pub(super) fn retrieve(resources: &mut Resources, _: &mut Cx<'_>, request: &mut Request) -> Served {
    let interval = &mut resources.interval;
    let id = request.caller.start.unwrap_or_default();
    let Some(asked) = interval.requests.get_mut(&id) else {
        return condition(Condition::EndData, 0);
    };
    if asked.has_channel {
        return condition(Condition::InvReq, 0);
    }
    let Some(data) = asked.data.take() else {
        return condition(Condition::EndData, 0);
    };
    let operands = &request.operands;
    let mut given = Operands::default();
    let mut missing = false;
    let parts = [
        (row::RTRANSID, data.rtransid.as_ref().map(|n| &n[..])),
        (row::RTERMID, data.rtermid.as_ref().map(|n| &n[..])),
        (row::QUEUE, data.queue.as_ref().map(|n| &n[..])),
    ];
    for (option, part) in parts.into_iter().filter(|(o, _)| operands.has(*o)) {
        match part {
            Some(bytes) => given = given.bytes(option, bytes),
            None => missing = true,
        }
    }
    if operands.has(row::INTO) || operands.has(row::SET) {
        match &data.from {
            Some(from) => given = given.bytes(row::INTO, from.as_slice()),
            None => missing = true,
        }
    }
    if missing {
        // Nothing was given, so nothing is used up.
        asked.data = Some(data);
        return condition(Condition::EnvDefErr, 0);
    }
    let name = asked.name;
    interval.free_name(name, id);
    done_with(given)
}
