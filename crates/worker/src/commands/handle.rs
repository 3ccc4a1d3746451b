//! HANDLE, IGNORE, PUSH, POP and ABEND.
//!
//! Reference: CICS API reference, the commands of that name.

use cics::command::commands::{abend as abend_row, handle_abend as row};
use cics::names::AbendCode;
use cics::resp::Condition;

use super::link::cannot_run;
use crate::abend::{Abend, AbendExit};
use crate::conditions::{ConditionAction, Frame};
use crate::exec::{CommandCall, CommandResult, CommandStop, condition};
use crate::worker::Worker;

/// The program's own frame.
pub(super) fn frame(w: &mut Worker) -> &mut Frame {
    let (depth, serial) = w.rt.frame();
    w.task.frames.at(depth, serial)
}

pub fn handle_condition(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    let handles = &mut frame(w).handles;
    for (code, label) in call.block.pairs() {
        handles.set(code, (label != 0).then_some(ConditionAction::Label(label)));
    }
    Ok(())
}

pub fn handle_aid(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    let handles = &mut frame(w).handles;
    for (aid, label) in call.block.pairs() {
        handles.set_aid(aid, label);
    }
    Ok(())
}

pub fn ignore_condition(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    let handles = &mut frame(w).handles;
    for (code, _) in call.block.pairs() {
        handles.set(code, Some(ConditionAction::Ignore));
    }
    Ok(())
}

pub fn push_handle(w: &mut Worker, _call: &CommandCall<'_>) -> CommandResult {
    let frame = frame(w);
    let set = std::mem::take(&mut frame.handles);
    frame.pushed.push(set);
    Ok(())
}

pub fn pop_handle(w: &mut Worker, _call: &CommandCall<'_>) -> CommandResult {
    let frame = frame(w);
    match frame.pushed.pop() {
        Some(handles) => {
            frame.handles = handles;
            Ok(())
        }
        None => condition(Condition::InvReq, 0),
    }
}

pub fn handle_abend(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    if let Some(program) = call.name::<8>(row::PROGRAM) {
        w.programs.runnable(&program).or_else(cannot_run)?;
        frame(w).handles.set_abend_exit(AbendExit::Program(program));
        return Ok(());
    }
    let label = call.block.pairs().next().map_or(0, |(_, label)| label);
    let handles = &mut frame(w).handles;
    if call.has(row::LABEL) {
        handles.set_abend_exit(AbendExit::Label(label));
    } else if call.has(row::RESET) {
        handles.reset_abend_exit();
    } else {
        handles.cancel_abend_exit();
    }
    Ok(())
}

pub fn abend(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    // Without a code the abend is ????, and there is never a dump.
    let code = call.name::<4>(abend_row::ABCODE).unwrap_or(*b"????");
    let mut abend = Abend::new(AbendCode(code), "EXEC CICS ABEND");
    abend.cancel = call.has(abend_row::CANCEL);
    if call.block.source_file() == 0 {
        abend.line = call.block.line();
    }
    w.locate(&mut abend);
    Err(CommandStop::Abend(abend))
}
