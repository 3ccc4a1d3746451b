//! Commands of basic mapping support on the task's terminal.
//!
//! The terminal's door has the maps and formats screens. RECEIVE MAP receives
//! the input as RECEIVE does, and asks the door to map it; FROM maps a record
//! that the program has. The input sets EIBAID and EIBCPOSN, also when
//! no field of the map is in it.
//!
//! Reference: CICS API reference, SEND MAP, SEND TEXT, SEND CONTROL, RECEIVE MAP.

use std::sync::LazyLock;

use cics::command::commands::{
    receive as receive_row, receive_map as row, send_control as control_row, send_map as map_row,
    send_text as text_row,
};
use cics::command::{Command, OptionRule};
use cics::names::AbendCode;
use cics::resp::Condition;
use link::terminal::{INPUT_AID, INPUT_CURSOR};
use link::{CommandOperands, OperandValue};

use super::forward;
use super::terminal::{drop_released_input, input, note_output};
use crate::abend::Abend;
use crate::exec::{CommandCall, CommandResult, CommandStop, condition};
use crate::services::{CommandFailure, CommandReply};
use crate::worker::Worker;

pub fn send_map(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    static REFUSED: LazyLock<u128> = LazyLock::new(|| unserved(&map_row::ROW));
    check(w, call, *REFUSED)?;
    let operands = forward::gather(call)?;
    let reply = ask(w, call, &operands, map_row::MAP, map_row::MAPSET)?;
    note_output(w);
    conclude(&reply)
}

pub fn send_text(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    static REFUSED: LazyLock<u128> = LazyLock::new(|| unserved(&text_row::ROW));
    check(w, call, *REFUSED)?;
    note_output(w);
    forward::serve(w, call)
}

pub fn send_control(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    static REFUSED: LazyLock<u128> = LazyLock::new(|| unserved(&control_row::ROW));
    check(w, call, *REFUSED)?;
    note_output(w);
    forward::serve(w, call)
}

pub fn receive_map(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    static REFUSED: LazyLock<u128> = LazyLock::new(|| unserved(&row::ROW));
    check(w, call, *REFUSED)?;
    let mut operands = forward::gather(call)?;
    if call.has(row::FROM) {
        let terminal = w.task.terminal.as_ref();
        let (aid, cursor) = terminal.map_or((0, 0), |t| (t.data.aid, t.data.cursor));
        operands.push(INPUT_AID, OperandValue::Int(aid.into()));
        operands.push(INPUT_CURSOR, OperandValue::Int(cursor.into()));
    } else {
        drop_released_input(w)?;
        let received = CommandOperands::default();
        let reply = w.services.command(receive_row::NUMBER, &received)?;
        let data = input(w, &reply, receive_row::INTO)?;
        operands.push(row::FROM, OperandValue::Bytes(data));
        for key in [INPUT_AID, INPUT_CURSOR] {
            let value = reply.operands.get_int(key).unwrap_or(0);
            operands.push(key, OperandValue::Int(value));
        }
    }
    let reply = ask(w, call, &operands, row::MAP, row::MAPSET)?;
    conclude(&reply)?;
    let mapped = reply.operands.get_bytes(row::INTO).unwrap_or_default();
    if call.has(row::SET) {
        let key = u32::from(row::NUMBER) << 8 | u32::from(row::SET);
        let at = w.task.storage.area(key, mapped);
        call.set_pointer(row::SET, at);
    }
    if let Some(into) = call.arg(row::INTO) {
        into.set_bytes(mapped, into.size());
    }
    Ok(())
}

/// INVREQ for a task without a terminal, and for options that are not served.
fn check(w: &Worker, call: &CommandCall<'_>, refused: u128) -> CommandResult {
    if w.task.terminal.is_none() || call.options() & refused != 0 {
        return condition(Condition::InvReq, 0);
    }
    Ok(())
}

/// Asks the terminal's door; the abend for a missing map names it.
fn ask(
    w: &mut Worker,
    call: &CommandCall<'_>,
    operands: &CommandOperands,
    map: u8,
    mapset: u8,
) -> Result<CommandReply, CommandStop> {
    match w.services.command(call.row.number, operands) {
        Err(CommandFailure::Abend(code)) if code == NO_MAP => {
            let name = |option| {
                let bytes = operands.get_bytes(option).unwrap_or_default();
                String::from_utf8_lossy(bytes).trim_end().to_owned()
            };
            let map = name(map);
            let set = Some(name(mapset)).filter(|set| !set.is_empty());
            let set = set.unwrap_or_else(|| map.clone());
            let text = format!(
                "there is no map {map} in map set {set}: maps are read from the folder bms of the \
                 application"
            );
            Err(CommandStop::Abend(Abend::new(AbendCode(code), text)))
        }
        other => Ok(other?),
    }
}

fn conclude(reply: &CommandReply) -> CommandResult {
    match reply.condition {
        Condition::Normal => Ok(()),
        other => condition(other, reply.resp2),
    }
}

/// The options of a command that are not served, by bit.
fn unserved(row: &Command) -> u128 {
    let lists = row.rules.iter().filter_map(|rule| match rule {
        OptionRule::Unserved(list, _) => Some(*list),
        _ => None,
    });
    let indexes = lists.flatten().filter_map(|name| row.index_of(name));
    indexes.fold(0, |bits, index| bits | 1 << index)
}

/// Abend of a command whose map is not there.
const NO_MAP: [u8; 4] = *b"ABM0";
