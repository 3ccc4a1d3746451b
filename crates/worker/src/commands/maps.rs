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
use link::terminal::{
    INPUT_AID, INPUT_CURSOR, MAP_FACTS_COMMAND, MapFacts, MapOutcome, ScreenSize, map_question,
};
use link::{CommandOperands, OperandValue};

use super::forward;
use super::terminal::{
    MapName, drop_released_input, input, note_output, report_taken, take_given, take_mapped,
};
use crate::abend::Abend;
use crate::exec::{CommandCall, CommandResult, CommandStop, condition};
use crate::services::{CommandFailure, CommandReply};
use crate::worker::Worker;

pub fn send_map(w: &mut Worker, call: &CommandCall<'_>) -> CommandResult {
    static REFUSED: LazyLock<u128> = LazyLock::new(|| unserved(&map_row::ROW));
    check(w, call, *REFUSED)?;
    let operands = forward::gather(call)?;
    let names = names(&operands, map_row::MAPSET, map_row::MAP);
    if may_be_later(w, call, names) {
        w.services.command_later(call.row.number, &operands)?;
        note_output(w);
        note_map(w, names);
        return Ok(());
    }
    let reply = ask(w, call, &operands, map_row::MAP, map_row::MAPSET)?;
    note_output(w);
    conclude(&reply)?;
    note_map(w, names);
    Ok(())
}

/// Whether the map may be shown at the next thing that the region is asked, or at the end
/// of the task: the program does not wait for it, and it raises no condition. CICS defers output in
/// the same way.
fn may_be_later(w: &mut Worker, call: &CommandCall<'_>, names: MapName) -> bool {
    if call.has(map_row::WAIT) || w.task.stepped {
        return false;
    }
    let Some(terminal) = &w.task.terminal else {
        return false;
    };
    terminal.maps().is_some() && facts(w, names).is_some_and(|facts| facts.fits)
}

/// What the terminal's door says of a map; `None` if there is no such map.
pub fn facts(w: &mut Worker, names: MapName) -> Option<MapFacts> {
    let terminal = w.task.terminal.as_ref()?;
    let (maps, place) = (
        terminal.maps(),
        (terminal.data.default_screen, terminal.data.alternate_screen),
    );
    let known = w.maps.of(maps, names, place);
    if let Some(known) = known {
        return Some(known);
    }
    let (set, map) = names;
    let question = map_question(&set, &map);
    let reply = w.services.command(MAP_FACTS_COMMAND, &question).ok()?;
    if reply.condition != Condition::Normal {
        return None;
    }
    let facts = MapFacts::parse(&reply.operands);
    w.maps.add(maps, names, place, facts);
    Some(facts)
}

/// Notes the map that was sent last, for ASSIGN.
fn note_map(w: &mut Worker, names: MapName) {
    if let Some(terminal) = &mut w.task.terminal {
        terminal.sent_map = Some(names);
    }
}

/// Default and alternate size of a terminal.
type ScreenSizes = (ScreenSize, ScreenSize);

/// What a worker knows of maps. It holds as long as the region's maps are the same.
#[derive(Debug, Default)]
pub struct KnownMaps {
    changes: u32,
    facts: Vec<(MapName, ScreenSizes, MapFacts)>,
}

impl KnownMaps {
    fn of(&self, changes: Option<u32>, name: MapName, sizes: ScreenSizes) -> Option<MapFacts> {
        if changes != Some(self.changes) {
            return None;
        }
        let mut known = self.facts.iter();
        known
            .find(|(known, at, _)| *known == name && *at == sizes)
            .map(|(_, _, facts)| *facts)
    }

    fn add(&mut self, changes: Option<u32>, name: MapName, sizes: ScreenSizes, facts: MapFacts) {
        let Some(changes) = changes else { return };
        if changes != self.changes || self.facts.len() >= MOST_KNOWN {
            self.facts.clear();
            self.changes = changes;
        }
        self.facts.push((name, sizes, facts));
    }
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
        push_key(w, &mut operands);
    } else {
        drop_released_input(w)?;
        let (set, map) = names(&operands, row::MAPSET, row::MAP);
        let mapped = if call.has(row::ASIS) {
            None
        } else {
            take_mapped(w, set, map)
        };
        if let Some((outcome, area)) = mapped {
            return match outcome {
                MapOutcome::Mapped => {
                    place(w, call, &area);
                    Ok(())
                }
                MapOutcome::MapFail => condition(Condition::MapFail, 0),
                MapOutcome::MapSize => condition(Condition::InvMpSz, 0),
                MapOutcome::OutputOnly => condition(Condition::InvReq, 0),
            };
        }
        let data = match take_given(w) {
            Some(data) => data,
            None => {
                let wish = report_taken(w, CommandOperands::default());
                let reply = w.services.command(receive_row::NUMBER, &wish)?;
                input(w, &reply, receive_row::INTO)?
            }
        };
        operands.push(row::FROM, OperandValue::Bytes(data));
        push_key(w, &mut operands);
    }
    let reply = ask(w, call, &operands, row::MAP, row::MAPSET)?;
    conclude(&reply)?;
    let mapped = reply.operands.get_bytes(row::INTO).unwrap_or_default();
    place(w, call, mapped);
    Ok(())
}

/// Gives the program a symbolic map.
fn place(w: &mut Worker, call: &CommandCall<'_>, mapped: &[u8]) {
    if call.has(row::SET) {
        let key = u32::from(row::NUMBER) << 8 | u32::from(row::SET);
        let at = w.task.storage.area(key, mapped);
        call.set_pointer(row::SET, at);
    }
    if let Some(into) = call.arg(row::INTO) {
        into.set_bytes(mapped, into.size());
    }
}

/// Map set and map of a command; without MAPSET the set is named like the map.
fn names(operands: &CommandOperands, mapset: u8, map: u8) -> MapName {
    let name = |option| {
        let bytes = operands.get_bytes(option).unwrap_or_default();
        let mut name = [b' '; 8];
        let filled = bytes.iter().map(|byte| match byte {
            0 => b' ',
            byte => *byte,
        });
        name.iter_mut()
            .zip(filled)
            .for_each(|(to, byte)| *to = byte);
        name
    };
    let map = name(map);
    let set = Some(name(mapset)).filter(|set| *set != [b' '; 8]);
    (set.unwrap_or(map), map)
}

/// Adds key and cursor of the last input.
fn push_key(w: &Worker, operands: &mut CommandOperands) {
    let terminal = w.task.terminal.as_ref();
    let (aid, cursor) = terminal.map_or((0, 0), |t| (t.data.aid, t.data.cursor));
    operands.push(INPUT_AID, OperandValue::Int(aid.into()));
    operands.push(INPUT_CURSOR, OperandValue::Int(cursor.into()));
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
/// Maps that a worker knows at most.
const MOST_KNOWN: usize = 64;
