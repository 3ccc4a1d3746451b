//! MOVE, DELETE and browse of containers, QUERY CHANNEL, and what GET and PUT
//! share with them.
//!
//! Reference: CICS API reference, the commands with (CHANNEL) in their name.

use cics::command::commands::{
    delete_channel as channel_row, delete_container, endbrowse_container, getnext_container,
    move_container as move_row, query_channel as query_row, startbrowse_container,
};
use cics::resp::Condition;
use link::program_link::valid_name;
use link::{ChannelData, ContainerData, ContainerEntry, ContainerName, Name};

use crate::channel::{ChannelId, PutMode, TRANSACTION};
use crate::exec::{CommandCall, CommandResult, CommandStop, condition};
use crate::worker::Worker;

/// The channel of that name, made when the program knows none.
pub fn channel_named(w: &mut Worker, name: &[u8; 16]) -> ChannelId {
    known(w, name).unwrap_or_else(|| {
        let level = w.task.depth;
        w.task.channels.make(name, level)
    })
}

fn known(w: &Worker, name: &[u8; 16]) -> Option<ChannelId> {
    w.task
        .channels
        .find(name, w.task.depth, w.task.level().passed.channel)
}

/// The channel that a command means: the one it names, or the current one.
pub fn channel_of(
    w: &Worker,
    call: &CommandCall<'_>,
    option: u8,
) -> Result<ChannelId, CommandStop> {
    match call.name::<16>(option) {
        Some(name) => known(w, &name).ok_or(CommandStop::Condition(Condition::ChannelErr, 2)),
        None => current(w),
    }
}

/// The current channel.
pub fn current(w: &Worker) -> Result<ChannelId, CommandStop> {
    w.task
        .level()
        .passed
        .channel
        .ok_or(CommandStop::Condition(Condition::InvReq, 4))
}

/// A container's name from an operand.
pub fn container(call: &CommandCall<'_>, option: u8) -> ContainerName {
    ContainerName::from_bytes(call.name(option).unwrap_or([b' '; 16]))
}

/// A channel with its containers, to be sent elsewhere.
pub fn export(w: &mut Worker, channel: ChannelId) -> ChannelData {
    let base = w.services.arena().base;
    let name = Name::from_bytes(w.task.channels.name(channel));
    let containers = w.task.channels.entries(channel).iter().map(|e| {
        // SAFETY: the entries of a channel are in the task's arena.
        let bytes = unsafe { std::slice::from_raw_parts(base.add(e.offset), e.bytes) };
        ContainerData {
            name: e.name,
            kind: e.kind,
            ccsid: e.ccsid,
            bytes: bytes.to_vec(),
        }
    });
    ChannelData {
        name,
        containers: containers.collect(),
    }
}

/// Gives a channel the containers that came from elsewhere, and no others.
pub fn import(w: &mut Worker, channel: ChannelId, data: &ChannelData) -> CommandResult {
    let here = w.task.channels.entries(channel);
    let gone: Vec<ContainerName> = here
        .iter()
        .map(|e| e.name)
        .filter(|name| data.containers.iter().all(|c| c.name != *name))
        .collect();
    for name in gone {
        if let Some(entry) = w.task.channels.take(channel, &name) {
            free(w, entry);
        }
    }
    for c in &data.containers {
        let arena = w.services.arena();
        let kind = (c.kind, c.ccsid);
        let channels = &mut w.task.channels;
        let put = channels.put(channel, &c.name, &c.bytes, PutMode::Replace, kind, arena);
        if put.is_err() {
            return condition(Condition::NoStg, 0);
        }
    }
    Ok(())
}

fn free(w: &mut Worker, entry: ContainerEntry) {
    w.services.arena().heap.free(entry.offset, entry.bytes);
}

pub fn move_container(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    let (name, new) = (
        container(call, move_row::CONTAINER),
        container(call, move_row::AS),
    );
    let from = channel_of(w, call, move_row::CHANNEL)?;
    if w.task.channels.get(from, &name).is_none() {
        return condition(Condition::ContainerErr, 10);
    }
    if !valid_name(new.as_bytes()) {
        return condition(Condition::ContainerErr, 18);
    }
    let to = match call.name::<16>(move_row::TOCHANNEL) {
        Some(to) if !valid_name(&to) => return condition(Condition::ChannelErr, 1),
        Some(to) => channel_named(w, &to),
        None => current(w).or_else(|stop| {
            if call.has(move_row::CHANNEL) {
                Ok(from)
            } else {
                Err(stop)
            }
        })?,
    };
    if from == to && name == new {
        return Ok(());
    }
    if let Some(mut entry) = w.task.channels.take(from, &name) {
        entry.name = new;
        if let Some(replaced) = w.task.channels.insert(to, entry) {
            free(w, replaced);
        }
    }
    Ok(())
}

pub fn delete_container(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    let name = container(call, delete_container::CONTAINER);
    let channel = channel_of(w, call, delete_container::CHANNEL)?;
    match w.task.channels.take(channel, &name) {
        Some(entry) => {
            free(w, entry);
            Ok(())
        }
        None => condition(Condition::ContainerErr, 10),
    }
}

/// Only the program that made a channel may delete it.
pub fn delete_channel(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    let name = call.name::<16>(channel_row::CHANNEL).unwrap_or([b' '; 16]);
    if name == TRANSACTION {
        return condition(Condition::ChannelErr, 5);
    }
    let channel = channel_of(w, call, channel_row::CHANNEL)?;
    if w.task.level().passed.channel == Some(channel) {
        return condition(Condition::ChannelErr, 4);
    }
    if w.task.channels.level(channel) != w.task.depth {
        return condition(Condition::ChannelErr, 6);
    }
    let heap = w.services.arena().heap;
    w.task.channels.drop_channel(channel, heap);
    Ok(())
}

pub fn startbrowse(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    let channel = channel_of(w, call, startbrowse_container::CHANNEL)?;
    let token = w.task.channels.start_browse(channel);
    call.set_int(startbrowse_container::BROWSETOKEN, i64::from(token));
    Ok(())
}

fn token(call: &CommandCall<'_>, option: u8) -> u32 {
    call.int(option)
        .and_then(|t| u32::try_from(t).ok())
        .unwrap_or(0)
}

pub fn getnext(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    match w
        .task
        .channels
        .next_of_browse(token(call, getnext_container::BROWSETOKEN))
    {
        Some(Some(name)) => {
            call.set_chars(getnext_container::CONTAINER, name.as_bytes());
            Ok(())
        }
        Some(None) => condition(Condition::End, 2),
        None => condition(Condition::TokenErr, 3),
    }
}

pub fn endbrowse(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    if w.task
        .channels
        .end_browse(token(call, endbrowse_container::BROWSETOKEN))
    {
        Ok(())
    } else {
        condition(Condition::TokenErr, 3)
    }
}

pub fn query_channel(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    let channel = channel_of(w, call, query_row::CHANNEL)?;
    let count = w.task.channels.entries(channel).len();
    call.set_int(query_row::CONTAINERCNT, count as i64);
    Ok(())
}
