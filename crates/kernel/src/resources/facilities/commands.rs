//! The commands of a task on its terminal: RETURN with data for the next task, RECEIVE, SEND and
//! CONVERSE of data streams.
//!
//! Maps are not known here: a service of the terminal's connection serves SEND MAP, and RECEIVE
//! MAP gets the input by RECEIVE first.

use cics::command::commands::{
    converse as converse_row, receive as receive_row, ret, send as send_row,
};
use cics::resp::Condition;
use link::terminal::{INPUT_AID, INPUT_CURSOR, INPUT_TAKEN, ONLY_REPORT, SIGNAL_RECEIVED};
use link::{CHANNEL_DATA, ChannelData, CommandOperands, TransId};

use super::super::Resources;
use super::super::recoverable::DEADLOCK;
use super::{
    FacilityEntry, FacilityId, NextTask, OUTCOME, PendingSave, SIGNAL, SavedArea, TERMINAL, kept,
    key, report,
};
use crate::kernel::{
    CallProgress, CallResult, CommandFailure, FAILED, KernelContext, Request, TaskWait, WaitExpiry,
    condition, done, done_with,
};
use crate::types::{FacilityEvent, FacilityOutput, ScreenErase};

/// Abend of a task that has waited for input for longer than RTIMOUT.
const READ_TIMEOUT: [u8; 4] = *b"AKCT";
/// RESP2 of RETURN by a task that has no terminal.
const NO_TERMINAL: u32 = 1;
/// RESP2 of a COMMAREA that is too long.
const TOO_LONG: u32 = 11;

/// RETURN TRANSID at the highest level. It takes effect when the unit of work is
/// committed.
pub(super) fn returned(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    request: &mut Request,
) -> CallResult {
    let Some(id) = facility_of(resources, request) else {
        return condition(Condition::InvReq, NO_TERMINAL);
    };
    let operands = &request.operands;
    let transid = operands.get_name(ret::TRANSID).unwrap_or([b' '; 4]);
    let transid = TransId::from_bytes(transid);
    let data = if let Some(channel) = operands.get_bytes(CHANNEL_DATA) {
        // A correct worker writes a valid channel.
        let channel = ChannelData::parse(channel).map_err(|_| CommandFailure::Abend(FAILED))?;
        SavedArea::Channel(channel)
    } else if let Some(commarea) = operands.get_bytes(ret::COMMAREA) {
        SavedArea::Commarea(commarea.to_vec())
    } else {
        SavedArea::Nothing
    };
    let next = NextTask {
        transid,
        data,
        message: operands.get_bytes(ret::INPUTMSG).map(<[u8]>::to_vec),
        immediate: operands.has(ret::IMMEDIATE),
        recovered: false,
    };
    let facilities = &mut resources.facilities;
    if !facilities.has_room(next.bytes()) {
        return condition(Condition::LengErr, TOO_LONG);
    }
    let entry = &facilities.all[&id];
    if entry.closing {
        return done();
    }
    if facilities.is_held(id) {
        // From an earlier unit of this task, which continued after ASP7.
        let mut wait = TaskWait::event(OUTCOME, &key(id));
        (wait.until, wait.expiry) = (cx.wait_limit(request), WaitExpiry::Abend(DEADLOCK));
        return Ok(CallProgress::Wait(wait));
    }
    let keeps = facilities.recovered.contains(&transid) && !entry.def.pooled;
    let in_store = kept::save(entry, cx, request.caller.key, keeps.then_some(&next));
    let save = PendingSave {
        facility: id,
        next,
        in_store,
    };
    facilities.saves.insert(request.caller.key, save);
    done()
}

/// RECEIVE: the input that began the task, or the next one.
pub(super) fn receive(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    request: &mut Request,
) -> CallResult {
    let Some(id) = facility_of(resources, request) else {
        return condition(Condition::NotAlloc, 0);
    };
    if let Some(taken) = request.operands.get_int(INPUT_TAKEN) {
        // The worker had a copy of it.
        resources.facilities.drop_initial(id);
        if taken == ONLY_REPORT {
            return done();
        }
    }
    next_input(resources, cx, request, id, receive_row::INTO)
}

/// SEND.
pub(super) fn send(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    request: &mut Request,
) -> CallResult {
    let Some(id) = facility_of(resources, request) else {
        return condition(Condition::NotAlloc, 0);
    };
    if resources.facilities.all[&id].closing {
        return condition(Condition::TermErr, 0);
    }
    let operands = &request.operands;
    let output = FacilityOutput {
        data: operands
            .get_bytes(send_row::FROM)
            .unwrap_or_default()
            .to_vec(),
        erase: erase(
            operands,
            send_row::ERASE,
            send_row::DEFAULT,
            send_row::ALTERNATE,
        ),
        control: control(operands, send_row::CTLCHAR),
        structured: operands.has(send_row::STRFIELD),
        last: operands.has(send_row::LAST),
    };
    report(cx, id, FacilityEvent::Output(output));
    let entry = resources.facilities.all.get_mut(&id);
    if entry.is_some_and(FacilityEntry::take_signal) {
        return done_with(CommandOperands::default().int(SIGNAL_RECEIVED, 1));
    }
    done()
}

/// WAIT SIGNAL: waits until the user has pressed ATTN, unless that was before.
pub(super) fn wait_signal(
    resources: &mut Resources,
    _cx: &mut KernelContext<'_>,
    request: &mut Request,
) -> CallResult {
    let Some(id) = facility_of(resources, request) else {
        return condition(Condition::NotAlloc, 0);
    };
    let entry = resources.facilities.all.get_mut(&id);
    let Some(entry) = entry.filter(|entry| !entry.closing) else {
        return condition(Condition::TermErr, 0);
    };
    if entry.take_signal() {
        return done_with(CommandOperands::default().int(SIGNAL_RECEIVED, 1));
    }
    Ok(CallProgress::Wait(TaskWait::event(SIGNAL, &key(id))))
}

/// CONVERSE: sends, then waits for the next input.
pub(super) fn converse(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    request: &mut Request,
) -> CallResult {
    let Some(id) = facility_of(resources, request) else {
        return condition(Condition::NotAlloc, 0);
    };
    if request.woken.is_none() && !resources.facilities.all[&id].closing {
        let operands = &request.operands;
        let from = operands.get_bytes(converse_row::FROM);
        let (default, alternate) = (converse_row::DEFAULT, converse_row::ALTERNATE);
        let output = FacilityOutput {
            data: from.unwrap_or_default().to_vec(),
            erase: erase(operands, converse_row::ERASE, default, alternate),
            control: control(operands, converse_row::CTLCHAR),
            structured: operands.has(converse_row::STRFIELD),
            last: false,
        };
        report(cx, id, FacilityEvent::Output(output));
        // What began the task is not the answer to what it sends.
        resources.facilities.drop_initial(id);
    }
    next_input(resources, cx, request, id, converse_row::INTO)
}

/// Returns the task's next input, or waits for it.
fn next_input(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    request: &Request,
    id: FacilityId,
    into: u8,
) -> CallResult {
    let facilities = &mut resources.facilities;
    let Some(entry) = facilities.all.get_mut(&id).filter(|e| !e.closing) else {
        return condition(Condition::TermErr, 0);
    };
    let initial = entry.task.as_mut().and_then(|task| task.initial.take());
    if let Some(input) = initial.or_else(|| entry.inputs.pop_front()) {
        entry.last_key = (input.aid, input.cursor);
        let signal = entry.take_signal();
        facilities.recount(id);
        let mut given = CommandOperands::default()
            .bytes(into, input.data)
            .int(INPUT_AID, input.aid.into())
            .int(INPUT_CURSOR, input.cursor.into());
        if signal {
            given = given.int(SIGNAL_RECEIVED, 1);
        }
        return done_with(given);
    }
    let limit_ms = u64::from(entry.def.read_timeout_ms);
    if request.woken.is_none() {
        report(cx, id, FacilityEvent::Waits);
    }
    let wait = TaskWait::event(TERMINAL, &key(id));
    Ok(CallProgress::Wait(match limit_ms {
        0 => wait,
        ms => wait.at_most_until(cx.now + ms * 1_000_000, WaitExpiry::Abend(READ_TIMEOUT)),
    }))
}

fn facility_of(resources: &Resources, request: &Request) -> Option<FacilityId> {
    let start = request.caller.start?;
    resources.facilities.of_start(start)
}

fn erase(operands: &CommandOperands, erase: u8, default: u8, alternate: u8) -> ScreenErase {
    if !operands.has(erase) {
        ScreenErase::No
    } else if operands.has(default) {
        ScreenErase::Default
    } else if operands.has(alternate) {
        ScreenErase::Alternate
    } else {
        ScreenErase::Same
    }
}

fn control(operands: &CommandOperands, option: u8) -> Option<u8> {
    let area = operands.get_bytes(option)?;
    area.first().copied()
}
