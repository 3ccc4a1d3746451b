//! WSACONTEXT: the region keeps the addressing contexts, by their channels,
//! whose names only the worker knows.
//!
//! Reference: CICS API reference, WSACONTEXT BUILD, DELETE, GET.

use ::link::OperandValue;
use ::link::program_link::valid_name;
use cics::command::commands::wsacontext_build as row;
use cics::resp::Condition;

use super::containers::channel_of;
use super::forward;
use crate::exec::{CommandCall, CommandResult, condition};
use crate::worker::Worker;

pub fn serve(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    let option = call.row.index_of("CHANNEL").unwrap_or(row::CHANNEL);
    if call.name::<16>(option).is_some_and(|n| !valid_name(&n)) {
        return condition(Condition::ChannelErr, 1);
    }
    let channel = channel_of(w, call, option)?;
    let name = w.task.channels.name(channel).to_vec();
    let mut operands = forward::gather(call)?;
    if !call.has(option) {
        operands.options |= 1 << option;
        operands.push(option, OperandValue::Bytes(name));
    }
    forward::ask(w, call, &operands)
}
