//! WEB RECEIVE, SEND and CONVERSE: their bodies may be containers, which only
//! the worker has; the rest of them is the region's.
//!
//! A body that was received for a container goes there under the operand of
//! INTO. The region has cut it to MAXLENGTH, or LENGTH where that is absent.
//!
//! Reference: CICS API reference, WEB RECEIVE, WEB SEND, WEB CONVERSE.

use cics::command::commands::{web_converse, web_receive, web_send};
use cics::resp::Condition;
use link::program_link::valid_name;
use link::{ContainerType, Operand, Operands};

use super::containers::{channel_named, channel_of, container, current};
use super::forward;
use crate::channel::Put;
use crate::exec::{Call, Outcome, Stop, condition};
use crate::services::Reply;
use crate::worker::Worker;

/// Where a body that was received goes.
struct Place {
    into: u8,
    set: u8,
    length: u8,
    container: u8,
    channel: u8,
}

const RECEIVE: Place = Place {
    into: web_receive::INTO,
    set: web_receive::SET,
    length: web_receive::LENGTH,
    container: web_receive::TOCONTAINER,
    channel: web_receive::TOCHANNEL,
};

const CONVERSE: Place = Place {
    into: web_converse::INTO,
    set: web_converse::SET,
    length: web_converse::TOLENGTH,
    container: web_converse::TOCONTAINER,
    channel: web_converse::TOCHANNEL,
};

pub fn receive(w: &mut Worker, call: &Call<'_>) -> Outcome {
    check(call, &RECEIVE)?;
    let operands = forward::gather(call)?;
    answered(w, call, operands, &RECEIVE)
}

pub fn converse(w: &mut Worker, call: &Call<'_>) -> Outcome {
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

pub fn send(w: &mut Worker, call: &Call<'_>) -> Outcome {
    let from = web_send::FROM;
    let operands = with_container(w, call, web_send::CONTAINER, web_send::CHANNEL, from)?;
    forward::ask(w, call, &operands)
}

/// The operands, with the bytes of the container that is to be sent.
fn with_container(
    w: &mut Worker,
    call: &Call<'_>,
    name: u8,
    channel: u8,
    from: u8,
) -> Result<Operands, Stop> {
    let mut operands = forward::gather(call)?;
    if call.has(name) {
        let channel = channel_of(w, call, channel)?;
        let Some(entry) = w.task.channels.get(channel, &container(call, name)) else {
            return condition(Condition::ContainerErr, 10);
        };
        let base = w.services.arena().base;
        // SAFETY: a container's bytes lie in the task's arena, and nothing
        // changes them before this command ends.
        let bytes = unsafe { std::slice::from_raw_parts(base.add(entry.offset), entry.bytes) };
        operands.push(from, Operand::Bytes(bytes.to_vec()));
    }
    Ok(operands)
}

/// A name for a container is looked at before anything is received.
fn check(call: &Call<'_>, place: &Place) -> Outcome {
    if !call.has(place.container) {
        return Ok(());
    }
    if call
        .name::<16>(place.channel)
        .is_some_and(|n| !valid_name(&n))
    {
        return condition(Condition::ChannelErr, 1);
    }
    match valid_name(container(call, place.container).as_bytes()) {
        true => Ok(()),
        false => condition(Condition::ContainerErr, 18),
    }
}

/// Asks the region, and puts the body where the program wants it.
fn answered(w: &mut Worker, call: &Call<'_>, mut operands: Operands, place: &Place) -> Outcome {
    if let Some(into) = call.arg(place.into) {
        // What it holds at most when the program gives no length.
        operands.push(place.into, Operand::Int(into.size() as i64));
    }
    let reply = w.services.command(call.row.number, &operands)?;
    let mut rest = Operands::new(reply.operands.options);
    let mut body = None;
    for (index, operand) in reply.operands.each() {
        match operand {
            Operand::Bytes(bytes) if index == place.into => body = Some(bytes),
            other => rest.push(index, other.clone()),
        }
    }
    if let Some(body) = body {
        put(w, call, body, place)?;
    }
    let rest = Reply {
        operands: rest,
        ..reply
    };
    forward::give(w, call, &rest)
}

fn put(w: &mut Worker, call: &Call<'_>, body: &[u8], place: &Place) -> Outcome {
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
            Put::Replace,
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
