//! Commands on things that no region here has: an external security manager, and
//! applications of a platform. The commands answer as the manual says for a region
//! without; SIGNAL EVENT checks its operands, and no event is captured.
//!
//! Reference: CICS API reference, the commands' own pages.

use cics::command::commands::{
    invoke_application, request_encryptptkt, request_passticket, signal_event as signal_row,
};
use cics::resp::Condition;
use link::program_link::valid_name;

use super::containers::channel_of;
use super::forward;
use crate::exec::{CommandCall, CommandResult, CommandStop, condition};
use crate::worker::Worker;

/// RESP2: the interface to the external security manager is not initialized.
const NO_MANAGER: u32 = 18;
/// The same of REQUEST PASSTICKET.
const NO_TICKETS: u32 = 251;

pub fn serve(_w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    match call.row.number {
        invoke_application::NUMBER => condition(Condition::AppNotFound, 0),
        request_passticket::NUMBER | request_encryptptkt::NUMBER => {
            condition(Condition::InvReq, NO_TICKETS)
        }
        _ => condition(Condition::InvReq, NO_MANAGER),
    }
}

/// VERIFY PASSWORD and VERIFY PHRASE: the region's users, where it has some.
pub fn verify(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    match forward::serve(w, call) {
        // Nothing in this region serves it.
        Err(CommandStop::Abend(abend)) if abend.code == *b"AEY9" => {
            condition(Condition::InvReq, NO_MANAGER)
        }
        served => served,
    }
}

pub fn signal(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    let event = call.name::<32>(signal_row::EVENT).unwrap_or([b' '; 32]);
    let named = event.trim_ascii_end();
    if named.is_empty() || named.contains(&b' ') {
        return condition(Condition::InvReq, 0);
    }
    if let Some(name) = call.name::<16>(signal_row::FROMCHANNEL) {
        if !valid_name(&name) {
            return condition(Condition::ChannelErr, 1);
        }
        channel_of(w, call, signal_row::FROMCHANNEL)?;
    }
    match call.int(signal_row::FROMLENGTH) {
        Some(..1) => condition(Condition::LengErr, 1),
        _ => Ok(()),
    }
}
