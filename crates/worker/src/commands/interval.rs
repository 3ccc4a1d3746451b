//! START, START ATTACH, CANCEL and DELAY: what the worker adds and takes.
//!
//! The region serves them, another one where START names it; the worker checks
//! SYSID, sends the channel of a START along, puts the request's name into
//! EIBREQID and forgets the task's timer event area, which these commands
//! supersede.
//!
//! Reference: CICS API reference, the commands' pages.

use cics::command::commands::{cancel as cancel_row, delay as delay_row, start as row};
use cics::resp::Condition;
use link::{CHANNEL_DATA, CommandOperands, OperandValue};

use super::containers::export;
use super::{forward, link as link_command, remote_start};
use crate::exec::{CommandCall, CommandResult, condition};
use crate::services::CommandReply;
use crate::worker::Worker;

pub fn start(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    let mut operands = forward::gather(call)?;
    let reply = match elsewhere(w, call, row::SYSID) {
        Some(system) => remote_start::serve(w, system, &operands)?,
        None => {
            add_channel(w, call, row::CHANNEL, &mut operands)?;
            w.services.command(call.row.number, &operands)?
        }
    };
    w.task.timer.forget();
    name_request(w, &reply, row::REQID);
    conclude(&reply)
}

pub fn attach(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    let operands = forward::gather(call)?;
    let reply = w.services.command(call.row.number, &operands)?;
    w.task.level_mut().eib().set_request(&[0; 8]);
    conclude(&reply)
}

pub fn cancel(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    check_system(w, call, cancel_row::SYSID)?;
    let operands = forward::gather(call)?;
    let own = operands.get_name(cancel_row::REQID);
    let reply = w.services.command(call.row.number, &operands)?;
    if own.is_none_or(|name| w.task.timer.is_named(name)) {
        w.task.timer.forget();
    }
    conclude(&reply)
}

pub fn delay(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    let operands = forward::gather(call)?;
    w.task.timer.forget();
    if let Some(name) = operands.get_name::<8>(delay_row::REQID) {
        w.task.level_mut().eib().set_request(&name);
    }
    let reply = w.services.command(call.row.number, &operands)?;
    conclude(&reply)
}

/// Sends the channel that a command names along; it is made when it is not
/// there.
pub fn add_channel(
    w: &mut Worker,
    call: &CommandCall<'_>,
    option: u8,
    operands: &mut CommandOperands,
) -> CommandResult {
    if let Some(channel) = link_command::channel(w, call, option)? {
        let data = export(w, channel).emit();
        operands.push(CHANNEL_DATA, OperandValue::Bytes(data));
    }
    Ok(())
}

/// Puts the name that the region gave a request into EIBREQID.
pub fn name_request(w: &mut Worker, reply: &CommandReply, option: u8) {
    if let Some(name) = reply.operands.get_name::<8>(option) {
        w.task.level_mut().eib().set_request(&name);
    }
}

/// A reply without anything for the program's own items.
pub fn conclude(reply: &CommandReply) -> CommandResult {
    match reply.condition {
        Condition::Normal => Ok(()),
        other => condition(other, reply.resp2),
    }
}

/// The other system that a command names.
fn elsewhere(w: &Worker, call: &CommandCall<'_>, option: u8) -> Option<[u8; 4]> {
    let system = call.name::<4>(option)?;
    (system != w.facts.sysid && system != [b' '; 4]).then_some(system)
}

/// Other systems cannot be reached by this command.
fn check_system(w: &Worker, call: &CommandCall<'_>, option: u8) -> CommandResult {
    match elsewhere(w, call, option) {
        Some(_) => condition(Condition::SysIdErr, 0),
        None => Ok(()),
    }
}
