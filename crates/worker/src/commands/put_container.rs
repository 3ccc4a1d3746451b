//! PUT CONTAINER.
//!
//! Reference: CICS API reference, PUT CONTAINER (CHANNEL). Without BIT, CHAR
//! or DATATYPE data are BIT; a code page makes them CHAR. A container keeps the
//! type that it was made with.

use std::borrow::Cow;

use cics::command::commands::put_container as row;
use cics::cvda;
use cics::resp::Condition;
use link::ContainerType;
use link::program_link::valid_name;

use super::containers::{channel_named, container, current};
use super::convert::{convert, named_page};
use crate::channel::PutMode;
use crate::exec::{CommandCall, CommandResult, CommandStop, condition};
use crate::worker::Worker;

pub fn serve(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    let name = container(call, row::CONTAINER);
    let channel_name = call.name::<16>(row::CHANNEL);
    if channel_name.is_some_and(|c| !valid_name(&c)) {
        return condition(Condition::ChannelErr, 1);
    }
    if !valid_name(name.as_bytes()) {
        return condition(Condition::ContainerErr, 18);
    }
    let data = data(call)?;
    let page = named_page(call, row::FROMCCSID, row::FROMCODEPAGE)?;
    let channel = match channel_name {
        Some(name) => channel_named(w, &name),
        None => current(w)?,
    };
    let kind = kind(call, page)?;
    let how = match (call.has(row::APPEND), call.has(row::PREPEND)) {
        (true, _) => PutMode::Append,
        (_, true) => PutMode::Prepend,
        _ => PutMode::Replace,
    };
    // An existing container keeps its type and, when it is extended, its page.
    let before = w.task.channels.get(channel, &name);
    if let (Some(kind), Some(before)) = (kind, before)
        && kind != before.kind
    {
        return condition(Condition::InvReq, 33);
    }
    let kind = kind
        .or(before.map(|e| e.kind))
        .unwrap_or(ContainerType::Bit);
    let mut data = Cow::Borrowed(data);
    let mut ccsid = page.unwrap_or(0);
    if let Some(e) = before.filter(|e| how != PutMode::Replace && e.kind == ContainerType::Char) {
        if ccsid != e.ccsid {
            data = Cow::Owned(convert(&data, ccsid, e.ccsid)?.into_owned());
        }
        ccsid = e.ccsid;
    }
    if kind == ContainerType::Bit {
        ccsid = 0;
    }
    let arena = w.services.arena();
    w.task.counts.put_bytes += data.len() as u64;
    match w
        .task
        .channels
        .put(channel, &name, &data, how, (kind, ccsid), arena)
    {
        Ok(()) => Ok(()),
        Err(_) => condition(Condition::NoStg, 0),
    }
}

/// The data to put: FLENGTH bytes of FROM.
fn data<'c>(call: &CommandCall<'c>) -> Result<&'c [u8], CommandStop> {
    let Some(from) = call.arg(row::FROM) else {
        return condition(Condition::InvReq, 2);
    };
    match call.int(row::FLENGTH) {
        Some(..0) => condition(Condition::LengErr, 1),
        // SAFETY: the program's storage; a length beyond it is the program's
        // error and can harm only its own process.
        Some(bytes) => Ok(unsafe { std::slice::from_raw_parts(from.data(), bytes as usize) }),
        None => Ok(from.bytes()),
    }
}

fn kind(call: &CommandCall<'_>, page: Option<u16>) -> Result<Option<ContainerType>, CommandStop> {
    let kind = if call.has(row::BIT) {
        Some(ContainerType::Bit)
    } else if call.has(row::CHAR) {
        Some(ContainerType::Char)
    } else if let Some(value) = call.int(row::DATATYPE) {
        match u32::try_from(value).ok().and_then(cvda::name) {
            Some("BIT") => Some(ContainerType::Bit),
            Some("CHAR") => Some(ContainerType::Char),
            _ => return condition(Condition::InvReq, 32),
        }
    } else {
        None
    };
    match (kind, page) {
        (Some(ContainerType::Bit), Some(_)) => condition(Condition::InvReq, 34),
        (None, Some(_)) => Ok(Some(ContainerType::Char)),
        (kind, _) => Ok(kind),
    }
}
