//! RUN TRANSID, FETCH CHILD and FETCH ANY: their channels.
//!
//! The region runs and keeps the children; the worker sends a copy of the
//! channel along, and makes the channel that a child gave back one of the
//! current level.
//!
//! Reference: CICS API reference, RUN TRANSID, FETCH CHILD, FETCH ANY.

use cics::command::commands::run_transid as row;
use link::{CHANNEL_DATA, ChannelData};

use super::containers::import;
use super::forward;
use super::interval::add_channel;
use crate::exec::{CommandCall, CommandResult, CommandStop};
use crate::services::CommandFailure;
use crate::worker::Worker;

pub fn run(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    let mut operands = forward::gather(call)?;
    add_channel(w, call, row::CHANNEL, &mut operands)?;
    forward::ask(w, call, &operands)
}

pub fn fetch(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    let operands = forward::gather(call)?;
    let reply = w.services.command(call.row.number, &operands)?;
    if let Some(data) = reply.operands.get_bytes(CHANNEL_DATA) {
        let damaged = |_| CommandStop::from(CommandFailure::Abend(*b"AEXZ"));
        let data = ChannelData::parse(data).map_err(damaged)?;
        let level = w.task.depth;
        let channel = w.task.channels.make(data.name.as_bytes(), level);
        import(w, channel, &data)?;
    }
    forward::give(w, call, &reply)
}
