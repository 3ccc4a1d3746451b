//! The WEB commands about the request that a task serves, and those whose bodies
//! may be containers, which only the worker has.
//!
//! The request came with the task, so what reads it is served here (`webtask`),
//! and so is an answer that may wait for the end of the task. Everything else is
//! the region's: sessions with servers, documents, chunks, and an answer that
//! the client is to get at once.
//!
//! A received body for a container is an operand under the index of
//! INTO. The region has cut it to MAXLENGTH, or LENGTH where that is absent.
//!
//! Reference: CICS API reference, WEB RECEIVE, WEB SEND, WEB CONVERSE.

use cics::command::commands::{web_converse, web_receive, web_send, web_write_httpheader};
use cics::resp::Condition;
use link::program_link::valid_name;
use link::{CommandOperands, ContainerType, OperandValue};
use webtask::outcome;

use super::containers::{channel_named, channel_of, container, current};
use super::forward;
use crate::channel::PutMode;
use crate::exec::{CommandCall, CommandResult, CommandStop, condition};
use crate::services::CommandReply;
use crate::worker::Worker;

/// The target of a received body.
struct BodyTarget {
    into: u8,
    set: u8,
    length: u8,
    container: u8,
    channel: u8,
}

const RECEIVE: BodyTarget = BodyTarget {
    into: web_receive::INTO,
    set: web_receive::SET,
    length: web_receive::LENGTH,
    container: web_receive::TOCONTAINER,
    channel: web_receive::TOCHANNEL,
};

const CONVERSE: BodyTarget = BodyTarget {
    into: web_converse::INTO,
    set: web_converse::SET,
    length: web_converse::TOLENGTH,
    container: web_converse::TOCONTAINER,
    channel: web_converse::TOCHANNEL,
};

pub fn receive(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    check(call, &RECEIVE)?;
    let operands = forward::gather(call)?;
    answered(w, call, operands, &RECEIVE)
}

/// A command that reads the request.
pub fn read(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    let operands = forward::gather(call)?;
    let reply = reading(w, call, &operands)?;
    forward::give(w, call, &reply)
}

/// The result of a command that reads: served here when it is about the request that
/// the task serves.
fn reading(
    w: &mut Worker,
    call: &CommandCall<'_>,
    operands: &CommandOperands,
) -> Result<CommandReply, CommandStop> {
    let number = call.row.number;
    let base = w.services.arena().base;
    match w.task.web.open(base).filter(|_| !of_session(call)) {
        Some((open, bytes)) => {
            let outcome = open
                .request
                .serve(bytes, &mut open.reading, number, operands);
            Ok(reply(outcome))
        }
        None => Ok(w.services.command(number, operands)?),
    }
}

/// Whether a command is about a session with a server.
fn of_session(call: &CommandCall<'_>) -> bool {
    let token = call.row.index_of("SESSTOKEN");
    token.is_some_and(|option| call.has(option))
}

fn reply(outcome: outcome::WebCommandResult) -> CommandReply {
    let (condition, resp2, operands) = match outcome {
        Ok(operands) => (Condition::Normal, 0, operands),
        Err(failure) => (failure.condition, failure.resp2, failure.operands),
    };
    CommandReply {
        condition,
        resp2,
        operands,
    }
}

/// WRITE HTTPHEADER.
pub fn write_header(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    let operands = forward::gather(call)?;
    let base = w.services.arena().base;
    let here = w.task.web.open(base).filter(|_| !of_session(call));
    match here.filter(|(open, _)| !open.elsewhere) {
        Some((open, _)) => {
            let written = webtask::headers::write(&mut open.headers, &operands);
            forward::give(w, call, &reply(written))
        }
        None => forward::ask(w, call, &operands),
    }
}

/// RETRIEVE: an answer that is kept here is of no document.
pub fn retrieve(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    if w.task.web.has_answer() {
        return condition(Condition::NotFnd, 1);
    }
    let base = w.services.arena().base;
    match w.task.web.open(base) {
        Some((open, _)) if !open.elsewhere => condition(Condition::InvReq, 2),
        _ => forward::serve(w, call),
    }
}

pub fn converse(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    check(call, &CONVERSE)?;
    let from = web_converse::FROM;
    let operands = with_container(
        w,
        call,
        web_converse::CONTAINER,
        web_converse::CHANNEL,
        from,
    )?;
    answered(w, call, operands, &CONVERSE)
}

pub fn send(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    let from = web_send::FROM;
    let operands = with_container(w, call, web_send::CONTAINER, web_send::CHANNEL, from)?;
    let base = w.services.arena().base;
    let Some((open, _)) = w.task.web.open(base).filter(|_| !of_session(call)) else {
        return forward::ask(w, call, &operands);
    };
    if !open.elsewhere {
        let page = open.request.page;
        let made = webtask::send::eventual(&mut open.headers, &operands, page);
        match made {
            Err(failure) => return forward::give(w, call, &reply(Err(failure))),
            Ok(Some(answer)) => {
                return if w.task.web.keep(&answer, w.services.arena()) {
                    Ok(())
                } else {
                    condition(Condition::NoStg, 0)
                };
            }
            Ok(None) => {}
        }
        for header in open.hand_over() {
            w.services.command(web_write_httpheader::NUMBER, &header)?;
        }
    }
    let sent = w.services.command(call.row.number, &operands)?;
    if sent.condition == Condition::Normal {
        // Its answer takes the place of the one that is kept.
        w.task.web.forget(w.services.arena());
    }
    forward::give(w, call, &sent)
}

/// The operands, with the bytes of the container that is to be sent.
fn with_container(
    w: &mut Worker,
    call: &CommandCall<'_>,
    name: u8,
    channel: u8,
    from: u8,
) -> Result<CommandOperands, CommandStop> {
    let mut operands = forward::gather(call)?;
    if call.has(name) {
        let channel = channel_of(w, call, channel)?;
        let Some(entry) = w.task.channels.get(channel, &container(call, name)) else {
            return condition(Condition::ContainerErr, 10);
        };
        let base = w.services.arena().base;
        // SAFETY: a container's bytes are in the task's arena, and nothing
        // changes them before this command ends.
        let bytes = unsafe { std::slice::from_raw_parts(base.add(entry.offset), entry.bytes) };
        operands.push(from, OperandValue::Bytes(bytes.to_vec()));
    }
    Ok(operands)
}

/// A name for a container is looked at before anything is received.
fn check(call: &CommandCall<'_>, place: &BodyTarget) -> CommandResult {
    if !call.has(place.container) {
        return Ok(());
    }
    if call
        .name::<16>(place.channel)
        .is_some_and(|n| !valid_name(&n))
    {
        return condition(Condition::ChannelErr, 1);
    }
    if valid_name(container(call, place.container).as_bytes()) {
        Ok(())
    } else {
        condition(Condition::ContainerErr, 18)
    }
}

/// Asks the region, and puts the body where the program wants it.
fn answered(
    w: &mut Worker,
    call: &CommandCall<'_>,
    mut operands: CommandOperands,
    place: &BodyTarget,
) -> CommandResult {
    if let Some(into) = call.arg(place.into) {
        // The item's size, when the program gives no length.
        operands.push(place.into, OperandValue::Int(into.size() as i64));
    }
    let reply = reading(w, call, &operands)?;
    let mut rest = CommandOperands::new(reply.operands.options);
    let mut body = None;
    for (index, operand) in reply.operands.each() {
        match operand {
            OperandValue::Bytes(bytes) if index == place.into => body = Some(bytes),
            other => rest.push(index, other.clone()),
        }
    }
    if let Some(body) = body {
        put(w, call, body, place)?;
    }
    let rest = CommandReply {
        operands: rest,
        ..reply
    };
    forward::give(w, call, &rest)
}

fn put(w: &mut Worker, call: &CommandCall<'_>, body: &[u8], place: &BodyTarget) -> CommandResult {
    if call.has(place.container) {
        let channel = match call.name::<16>(place.channel) {
            Some(name) => channel_named(w, &name),
            None => current(w)?,
        };
        let name = container(call, place.container);
        let arena = w.services.arena();
        let put = w.task.channels.put(
            channel,
            &name,
            body,
            PutMode::Replace,
            (ContainerType::Bit, 0),
            arena,
        );
        return match put {
            Ok(()) => Ok(()),
            Err(_) => condition(Condition::NoStg, 0),
        };
    }
    if let Some(into) = call.arg(place.into) {
        // SAFETY: the program's storage, and the region has cut the body to
        // the length that the program gave for it; a length beyond the item is
        // the program's error and can harm only its own process.
        unsafe { std::ptr::copy_nonoverlapping(body.as_ptr(), into.data(), body.len()) };
    } else if call.has(place.set) {
        let key = u32::from(call.row.number) << 8 | u32::from(place.set);
        let at = w.task.storage.area(key, body);
        call.set_pointer(place.set, at);
    }
    call.set_int(place.length, body.len() as i64);
    Ok(())
}
