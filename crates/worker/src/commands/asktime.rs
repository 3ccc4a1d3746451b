//! ASKTIME and ASKTIME ABSTIME.
//!
//! Reference: CICS API reference, ASKTIME: EIBDATE and EIBTIME are set, and
//! ABSTIME is local time.

use cics::command::commands::asktime_abstime as row;

use crate::exec::{CommandCall, CommandResult};
use crate::worker::Worker;

pub fn asktime(w: &mut Worker, _call: &CommandCall<'_>) -> CommandResult {
    set_eib_time(w);
    Ok(())
}

pub fn asktime_abstime(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    let absolute = set_eib_time(w);
    call.set_int(row::ABSTIME, absolute);
    // A mainframe stores eight bytes whatever the item is, and programs with a
    // fullword at level 01 never notice: FORMATTIME is to know the time again.
    if let Some(kept) = call.int(row::ABSTIME)
        && kept != absolute
    {
        w.task.cut_time = Some((kept, absolute));
    }
    Ok(())
}

fn set_eib_time(w: &mut Worker) -> i64 {
    let now = w.clock.now();
    let (time, date) = now.eib();
    let mut eib = w.task.level_mut().eib();
    eib.set_time(time);
    eib.set_date(date);
    now.absolute.0
}
