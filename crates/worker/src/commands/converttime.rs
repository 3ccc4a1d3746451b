//! CONVERTTIME: a date and time stamp as local absolute time; zero for a stamp of
//! an unknown format.
//!
//! Reference: CICS API reference, CONVERTTIME.

use cics::command::commands::converttime as row;
use cics::resp::Condition;
use cics::time::parse_date_string;

use crate::exec::{CommandCall, CommandResult, condition};
use crate::worker::Worker;

pub fn serve(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    let Some(stamp) = call.arg(row::DATESTRING) else {
        return condition(Condition::InvReq, 1);
    };
    match parse_date_string(&String::from_utf8_lossy(stamp.bytes())) {
        Some(utc) => {
            call.set_int(row::ABSTIME, utc.0 + w.clock.now().zone_ms);
            Ok(())
        }
        None => {
            call.set_int(row::ABSTIME, 0);
            condition(Condition::InvReq, 1)
        }
    }
}
