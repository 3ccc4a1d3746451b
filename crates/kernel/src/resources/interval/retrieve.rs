//! RETRIEVE: returns the data of the START of this task, once; a task with a
//! terminal then gets the data of further STARTs of its transaction for that
//! terminal, in their order. With WAIT the task waits for the next START.
//!
//! Reference: CICS API reference, RETRIEVE, "Retrieving data from several START
//! commands".

use cics::command::commands::retrieve as row;
use cics::resp::Condition;
use link::CommandOperands;

use super::super::Resources;
use super::{RETRIEVE, StartData, kept};
use crate::core::TaskKey;
use crate::kernel::{
    CallProgress, CallResult, KernelContext, Request, TaskWait, condition, done_with,
};

pub(super) fn retrieve(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    request: &mut Request,
) -> CallResult {
    let interval = &mut resources.interval;
    let own = request.caller.start.unwrap_or_default();
    if let Some(asked) = interval.requests.get(&own) {
        if asked.has_channel {
            return condition(Condition::InvReq, 0);
        }
        if let Some(data) = &asked.data {
            let Some(given) = give(&request.operands, data) else {
                // The data stay, since the command returned none.
                return condition(Condition::EnvDefErr, 0);
            };
            let name = asked.name;
            interval.take_out(own, |asked| asked.data = None);
            interval.free_name(name, own);
            return done_with(given);
        }
    }
    further(resources, cx, request)
}

/// The data of a further START for the task's terminal.
fn further(resources: &mut Resources, cx: &mut KernelContext<'_>, request: &Request) -> CallResult {
    let own = request.caller.start.unwrap_or_default();
    let Some(facility) = resources.facilities.of_start(own) else {
        return condition(Condition::EndData, 0);
    };
    let transid = request.caller.transid;
    let requests = &resources.interval.requests;
    let fits = |id: u64| {
        let found = requests.get(&id).filter(|r| r.start.transid == transid);
        found.is_some_and(|r| r.data.is_some() && !r.has_channel)
    };
    let Some(id) = resources.facilities.take_queued(own, fits) else {
        return if request.operands.has(row::WAIT) {
            let wait = TaskWait::event(RETRIEVE, &facility.0.to_be_bytes());
            Ok(CallProgress::Wait(wait))
        } else {
            condition(Condition::EndData, 0)
        };
    };
    let interval = &mut resources.interval;
    let given = (interval.requests.get(&id))
        .and_then(|found| give(&request.operands, found.data.as_ref()?));
    let Some(given) = given else {
        resources.facilities.put_back(own, id);
        return condition(Condition::EnvDefErr, 0);
    };
    if let Some(found) = interval.remove(id)
        && found.ticket.is_some()
    {
        kept::remove_in_unit(cx, request.caller.key, &found);
        let retrieved = interval.retrieved.entry(request.caller.key);
        retrieved.or_insert((own, Vec::new())).1.push(found);
    }
    done_with(given)
}

/// A unit of work has ended. If it was backed out, the recoverable requests whose data it
/// retrieved wait for the terminal again.
pub(super) fn unit_ended(resources: &mut Resources, task: TaskKey, committed: bool) {
    if resources.interval.retrieved.is_empty() {
        return;
    }
    let Some((own, retrieved)) = resources.interval.retrieved.remove(&task) else {
        return;
    };
    if committed {
        return;
    }
    for mut request in retrieved.into_iter().rev() {
        let id = request.start.id;
        request.stage = super::StartStage::Queued;
        resources.interval.insert(request);
        resources.facilities.put_back(own, id);
    }
}

/// The parts of the data that the command asks for; none if one of them is missing.
fn give(operands: &CommandOperands, data: &StartData) -> Option<CommandOperands> {
    let mut given = CommandOperands::default();
    let parts = [
        (row::RTRANSID, data.rtransid.as_ref().map(|n| &n[..])),
        (row::RTERMID, data.rtermid.as_ref().map(|n| &n[..])),
        (row::QUEUE, data.queue.as_ref().map(|n| &n[..])),
    ];
    for (option, part) in parts.into_iter().filter(|(o, _)| operands.has(*o)) {
        given = given.bytes(option, part?);
    }
    if operands.has(row::INTO) || operands.has(row::SET) {
        given = given.bytes(row::INTO, data.from.as_deref()?);
    }
    Some(given)
}
