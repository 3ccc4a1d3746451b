//! START of a transaction in another region.
//!
//! The command's operands go to that region, which serves them and answers. A
//! START that is to be kept with the unit of work (PROTECT), or that takes a
//! channel along, is SYSIDERR as in a region that cannot be reached.

use cics::command::commands::start as row;
use cics::resp::Condition;
use link::CommandOperands;
use link::conversation::Verb;
use link::program_link::CALLER_STARTS;

use super::remote_link::{MirrorAnswer, caller_identity, exchange, parameter};
use crate::exec::{CommandStop, condition};
use crate::services::CommandReply;
use crate::worker::Worker;

/// The mirror transaction.
const MIRROR: [u8; 4] = *b"CSMI";
/// Bytes of a condition and its RESP2 in front of an answer.
const HEAD: usize = 4;
/// Most bytes of an answer.
const MOST: usize = HEAD + 8;

/// Has another region serve the command.
pub fn serve(
    w: &mut Worker,
    system: [u8; 4],
    operands: &CommandOperands,
) -> Result<CommandReply, CommandStop> {
    let unreachable = || condition(Condition::SysIdErr, 0);
    if operands.has(row::PROTECT) || operands.has(row::CHANNEL) {
        return unreachable();
    }
    let blank = [b' '; 8];
    let whom: [&[u8]; 3] = [&system, &blank, &blank];
    let allocated = w.services.converse(Verb::Allocate, [0; 3], &whom)?;
    if allocated.condition != Condition::Normal {
        return unreachable();
    }
    let id = allocated.args[0];
    let parameters = parameter(&caller_identity(w, CALLER_STARTS));
    let message = operands.emit();
    let answer = exchange(w, id, &MIRROR, &parameters, &message, MOST);
    if !matches!(answer, Ok(MirrorAnswer::Reply(_))) {
        w.services.converse(Verb::Abend, [id, 0, 0], &[])?;
    }
    w.services.converse(Verb::Free, [id, 0, 0], &[])?;
    let MirrorAnswer::Reply(answer) = answer? else {
        return unreachable();
    };
    let Some((&[r0, r1, s0, s1], name)) = answer.split_first_chunk::<HEAD>() else {
        return unreachable();
    };
    let number = u16::from_be_bytes([r0, r1]);
    let operands = match name {
        [] => CommandOperands::default(),
        name => CommandOperands::default().bytes(row::REQID, name),
    };
    Ok(CommandReply {
        condition: Condition::from_number(number).unwrap_or(Condition::SysIdErr),
        resp2: u32::from(u16::from_be_bytes([s0, s1])),
        operands,
    })
}
