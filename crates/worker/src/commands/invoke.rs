//! INVOKE SERVICE: the region runs the requester's pipeline; this program's
//! channel is sent to the region and returned.
//!
//! Handlers of the pipeline are programs, which run here at the next level: the
//! region answers with the program and its channel, and receives the command
//! again with the channel as the program left it.
//!
//! Reference: CICS API reference, INVOKE SERVICE.

use ::link::{CHANNEL_DATA, ChannelData, CommandOperands, OperandValue, RUN_ENDED, RUN_PROGRAM};
use cics::command::commands::invoke_service as row;
use cics::names::AbendCode;
use cics::resp::Condition;

use super::containers::{channel_of, export, import};
use super::forward;
use super::link::run_with;
use crate::exec::{CommandCall, CommandResult, CommandStop, condition};
use crate::services::CommandReply;
use crate::worker::Worker;

pub fn serve(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    let channel = channel_of(w, call, row::CHANNEL)?;
    let mut operands = forward::gather(call)?;
    let data = export(w, channel).emit();
    operands.push(CHANNEL_DATA, OperandValue::Bytes(data));
    let reply = loop {
        let reply = w.services.command(call.row.number, &operands)?;
        let Some(program) = reply.operands.get_bytes(RUN_PROGRAM) else {
            break reply;
        };
        operands = run(w, program, &reply)?;
    };
    if let Some(data) = reply.operands.get_bytes(CHANNEL_DATA) {
        let data = ChannelData::parse(data).map_err(|_| broken())?;
        import(w, channel, &data)?;
    }
    match reply.condition {
        Condition::Normal => Ok(()),
        other => condition(other, reply.resp2),
    }
}

/// Runs a handler; returns what the region gets of its outcome.
fn run(w: &mut Worker, name: &[u8], reply: &CommandReply) -> Result<CommandOperands, CommandStop> {
    let mut padded = [b' '; 8];
    let length = name.len().min(8);
    padded[..length].copy_from_slice(&name[..length]);
    let given = reply.operands.get_bytes(CHANNEL_DATA).unwrap_or_default();
    let given = ChannelData::parse(given).map_err(|_| broken())?;
    let (ended, back) = match w.programs.find(&padded).filter(|p| w.can_run(*p)) {
        None => (AbendCode::literal(b"APCT").0, given),
        Some(program) => {
            let (abend, back) = run_with(w, program, &given)?;
            (abend.map_or([b' '; 4], |abend| abend.code), back)
        }
    };
    Ok(CommandOperands::default()
        .bytes(RUN_ENDED, ended)
        .bytes(CHANNEL_DATA, back.emit()))
}

/// The region has sent bytes that are not a channel.
fn broken() -> CommandStop {
    CommandStop::Condition(Condition::Error, 0)
}
