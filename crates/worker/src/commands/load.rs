//! LOAD and RELEASE.
//!
//! Reference: CICS API reference, LOAD, RELEASE. The loaded object is a
//! compiled program, not a table: SET and ENTRY give the entry of the level's
//! instance, which a procedure pointer can call, and LENGTH the bytes of its
//! module. An instance stays loaded anyway, so RELEASE only keeps count.

use cics::command::commands::{load as row, release as release_row};
use cics::resp::Condition;
use link::ProgramFault;

use super::link::cannot_run;
use crate::exec::{CommandCall, CommandResult, condition};
use crate::worker::Worker;

pub fn load(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    let name = call.name::<8>(row::PROGRAM).unwrap_or([b' '; 8]);
    w.task.level_mut().eib().set_resource(&name);
    let program = w.programs.runnable(&name).or_else(cannot_run)?;
    let number = w.task.depth;
    let level = w.task.level_mut();
    // A guest's program has no module either.
    let Ok(entry) = w.programs.entry(program, number, level.taken()) else {
        return cannot_run(ProgramFault::NotLoaded);
    };
    call.set_pointer(row::SET, entry.cast());
    call.set_pointer(row::ENTRY, entry.cast());
    if call.has(row::LENGTH) || call.has(row::FLENGTH) {
        let path = w.programs.definition(program).module.as_deref();
        let bytes = path
            .and_then(|p| std::fs::metadata(p).ok())
            .map_or(0, |m| m.len());
        call.set_int(row::FLENGTH, bytes as i64);
        if call.has(row::LENGTH) && bytes > 32_767 {
            w.task.loaded.push(name);
            return condition(Condition::LengErr, 19);
        }
        call.set_int(row::LENGTH, bytes as i64);
    }
    w.task.loaded.push(name);
    Ok(())
}

pub fn release(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    let name = call.name::<8>(release_row::PROGRAM).unwrap_or([b' '; 8]);
    w.task.level_mut().eib().set_resource(&name);
    if w.programs.find(&name).is_none() {
        return condition(Condition::PgmIdErr, 1);
    }
    match w.task.loaded.iter().position(|l| *l == name) {
        Some(at) => {
            w.task.loaded.swap_remove(at);
            Ok(())
        }
        None => condition(Condition::InvReq, 6),
    }
}
