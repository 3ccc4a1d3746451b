//! SEND MAP, SEND TEXT, SEND CONTROL and RECEIVE MAP: operands to what the crate
//! `bms` formats, and back.
//!
//! They run on the region's dispatch thread and wait for nothing.
//! Reference: CICS API reference, SEND MAP, SEND TEXT, SEND CONTROL, RECEIVE MAP.

use bms::{
    Control, CursorOption, EraseOption, InboundRecord, MapContents, MapLayout, ReceiveError,
    SendError, SendMap, SendText, receive_map, send_control, send_map, send_text,
};
use cics::command::commands as rows;
use cics::resp::Condition;
use link::terminal::{
    INPUT_AID, INPUT_CURSOR, MAP_FACTS_COMMAND, MapFacts, MapOutcome, MappedInput, PreparedInput,
};
use link::{CallAnswer, CommandOperands, Name};

use tn3270::stream::Command;

use crate::config::Uppercase;
use crate::display::{TerminalDisplay, UnreachableTerminal};
use crate::input::map_fields;
use crate::maps::{MapTable, MissingMap};
use crate::shared::TerminalContext;

/// Serves a command for a terminal.
pub fn serve(
    shared: &TerminalContext,
    display: &TerminalDisplay,
    number: u16,
    operands: &CommandOperands,
) -> CallAnswer {
    let served = match number {
        rows::send_map::NUMBER => map(shared, display, operands),
        rows::send_text::NUMBER => text(display, operands),
        rows::send_control::NUMBER => control(display, operands),
        MAP_FACTS_COMMAND => facts(shared, display, operands),
        rows::issue_eraseaup::NUMBER => {
            wrote(display.write(&[Command::EraseAllUnprotected.emit()]))
        }
        rows::issue_disconnect::NUMBER => {
            display.lock().session.close();
            display.notify();
            wrote(Ok(()))
        }
        rows::issue_reset::NUMBER | rows::wait_terminal::NUMBER => wrote(Ok(())),
        _ => receive(shared, display, operands),
    };
    served.unwrap_or_else(|refused| refused)
}

fn map(
    shared: &TerminalContext,
    display: &TerminalDisplay,
    operands: &CommandOperands,
) -> Result<CallAnswer, CallAnswer> {
    use rows::send_map as row;
    let maps = shared.maps();
    let layout = find(&maps, operands, row::MAP, row::MAPSET)?;
    let data = operands.get_bytes(row::FROM).unwrap_or_default();
    let contents = if operands.has(row::MAPONLY) {
        MapContents::MapOnly
    } else if operands.has(row::DATAONLY) {
        MapContents::DataOnly(data)
    } else {
        MapContents::Merged(data)
    };
    let cursor = match operands.get_int(row::CURSOR) {
        None => CursorOption::Map,
        Some(position) => {
            i16::try_from(position).map_or(CursorOption::Symbolic, CursorOption::Position)
        }
    };
    let command = SendMap {
        contents,
        erase: erase(operands, row::ERASE, row::ALTERNATE, Some(row::ERASEAUP)),
        control: Control {
            line_length: [row::L40, row::L64, row::L80, row::HONEOM]
                .iter()
                .any(|option| operands.has(*option)),
            ..controls(
                operands,
                row::FREEKB,
                row::ALARM,
                row::PRINT,
                Some(row::FRSET),
            )
        },
        cursor,
    };
    let stream = send_map(layout, &command, &display.profile(), &*display.page())
        .map_err(|SendError::MapSize| CallAnswer::of_condition(Condition::InvMpSz, 0))?;
    let (set, map) = names(operands, row::MAPSET, row::MAP);
    display.lock().shown_map = Name::new(&set).ok().zip(Name::new(&map).ok());
    wrote(display.write_stream(&stream))
}

fn text(display: &TerminalDisplay, operands: &CommandOperands) -> Result<CallAnswer, CallAnswer> {
    use rows::send_text as row;
    let command = SendText {
        text: operands.get_bytes(row::FROM).unwrap_or_default(),
        erase: erase(operands, row::ERASE, row::ALTERNATE, None),
        control: controls(operands, row::FREEKB, row::ALARM, row::PRINT, None),
        cursor: position(operands, row::CURSOR),
    };
    // Without page building each further page overwrites the one before.
    for stream in send_text(&command, &display.profile(), &*display.page()) {
        wrote(display.write_stream(&stream))?;
    }
    wrote(Ok(()))
}

fn control(
    display: &TerminalDisplay,
    operands: &CommandOperands,
) -> Result<CallAnswer, CallAnswer> {
    use rows::send_control as row;
    let erase = erase(operands, row::ERASE, row::ALTERNATE, Some(row::ERASEAUP));
    let control = controls(
        operands,
        row::FREEKB,
        row::ALARM,
        row::PRINT,
        Some(row::FRSET),
    );
    let cursor = position(operands, row::CURSOR);
    let stream = send_control(&display.profile(), erase, control, cursor);
    let written = wrote(display.write_stream(&stream));
    if erase.erases_screen() {
        display.lock().cleared = true;
    }
    written
}

/// RECEIVE MAP of an input that the worker has received.
fn receive(
    shared: &TerminalContext,
    display: &TerminalDisplay,
    operands: &CommandOperands,
) -> Result<CallAnswer, CallAnswer> {
    use rows::receive_map as row;
    let maps = shared.maps();
    let layout = find(&maps, operands, row::MAP, row::MAPSET)?;
    let data = operands.get_bytes(row::FROM).unwrap_or_default();
    let int = |option| operands.get_int(option).unwrap_or(0);
    let key = (int(INPUT_AID) as u8, int(INPUT_CURSOR) as u16);
    let uppercase = display.upper_case() == Uppercase::All && !operands.has(row::ASIS);
    let area = mapped(layout, display, key, data, uppercase).map_err(|why| {
        let condition = match why {
            ReceiveError::MapFail => Condition::MapFail,
            ReceiveError::OutputOnly => Condition::InvReq,
            ReceiveError::MapSize => Condition::InvMpSz,
        };
        CallAnswer::of_condition(condition, 0)
    })?;
    let given = CommandOperands::default().bytes(row::INTO, area);
    Ok(CallAnswer::of_data(given.emit()))
}

/// Serves a SEND MAP that a worker has left for the next thing that it asks, or for its
/// task's end: the worker has made sure that it raises no condition.
pub fn serve_later(
    shared: &TerminalContext,
    display: &TerminalDisplay,
    number: u16,
    operands: &[u8],
) {
    let operands = CommandOperands::parse(operands);
    if let Ok(operands) = operands
        && number == rows::send_map::NUMBER
        && map(shared, display, &operands).is_err()
    {
        // The client is gone, or the maps are others since.
        tracing::debug!(target: "terminal", "a map was not shown");
    }
}

/// What a worker wants to know of a map.
fn facts(
    shared: &TerminalContext,
    display: &TerminalDisplay,
    operands: &CommandOperands,
) -> Result<CallAnswer, CallAnswer> {
    let maps = shared.maps();
    let (set, map) = names(operands, 0, 1);
    let layout = maps
        .find(&set, &map)
        .map_err(|_| CallAnswer::of_condition(Condition::NotFnd, 0))?;
    let profile = display.profile();
    let facts = MapFacts {
        fits: layout.fits(profile.default_size) && layout.fits(profile.alternate_size),
        height: layout.lines,
        width: layout.columns,
        line: layout.line,
        column: layout.column,
    };
    Ok(CallAnswer::of_data(facts.emit().emit()))
}

/// The symbolic map of an input of this key and cursor.
fn mapped(
    layout: &MapLayout,
    display: &TerminalDisplay,
    (aid, cursor): (u8, u16),
    data: &[u8],
    uppercase: bool,
) -> Result<Vec<u8>, ReceiveError> {
    let page = display.page();
    let fields = map_fields(data, &page);
    let fields: Vec<(u16, &[u8])> = fields.iter().map(|(at, text)| (*at, &text[..])).collect();
    let record = InboundRecord {
        aid,
        cursor: Some(cursor),
        fields: &fields,
    };
    let screen = display.profile().current_size;
    let mut area = vec![0; layout.symbolic_bytes];
    receive_map(layout, &record, screen, uppercase, &*page, &mut area)?;
    Ok(area)
}

/// What the worker of an input's task need not ask for: the input, mapped by the map
/// that the terminal shows, which most programs receive it by.
pub fn prepare(
    shared: &TerminalContext,
    display: &TerminalDisplay,
    key: (u8, u16),
    data: &[u8],
) -> Vec<u8> {
    let changes = shared.map_changes();
    let shown = display.lock().shown_map;
    let maps = shared.maps();
    let found = shown.and_then(|(set, map)| {
        let layout = maps.find(set.as_str().trim_end(), map.as_str().trim_end());
        Some((set, map, layout.ok()?))
    });
    let uppercase = display.upper_case() == Uppercase::All;
    let received = found.map(|(set, map, layout)| {
        let received = mapped(layout, display, key, data, uppercase);
        (set, map, received)
    });
    let mapped = received.as_ref().map(|(set, map, received)| MappedInput {
        set: *set,
        map: *map,
        outcome: match received {
            Ok(_) => MapOutcome::Mapped,
            Err(ReceiveError::MapFail) => MapOutcome::MapFail,
            Err(ReceiveError::MapSize) => MapOutcome::MapSize,
            Err(ReceiveError::OutputOnly) => MapOutcome::OutputOnly,
        },
        area: received.as_deref().unwrap_or_default(),
    });
    PreparedInput {
        maps: changes,
        mapped,
    }
    .emit()
}

/// The map of a command; without MAPSET the set is named like the map.
fn find<'m>(
    maps: &'m MapTable,
    operands: &CommandOperands,
    map: u8,
    mapset: u8,
) -> Result<&'m MapLayout, CallAnswer> {
    let (set, map) = names(operands, mapset, map);
    maps.find(&set, &map).map_err(|missing| {
        let what = match missing {
            MissingMap::Set => "bms/ has no such map set",
            MissingMap::Map => "the map set has no such map",
        };
        tracing::warn!(target: "terminal", %set, %map, "ABM0: {what}");
        CallAnswer::of_abend(b"ABM0")
    })
}

/// Map set and map of a command, without blanks.
fn names(operands: &CommandOperands, mapset: u8, map: u8) -> (String, String) {
    let name = |option| {
        let bytes = operands.get_bytes(option).unwrap_or_default();
        String::from_utf8_lossy(bytes)
            .trim_end_matches([' ', '\0'])
            .to_owned()
    };
    let map = name(map);
    let set = Some(name(mapset)).filter(|set| !set.is_empty());
    (set.unwrap_or_else(|| map.clone()), map)
}

fn erase(
    operands: &CommandOperands,
    erase: u8,
    alternate: u8,
    unprotected: Option<u8>,
) -> EraseOption {
    if operands.has(erase) && operands.has(alternate) {
        EraseOption::Alternate
    } else if operands.has(erase) {
        EraseOption::Default
    } else if unprotected.is_some_and(|option| operands.has(option)) {
        EraseOption::Unprotected
    } else {
        EraseOption::Keep
    }
}

fn controls(
    operands: &CommandOperands,
    free: u8,
    alarm: u8,
    print: u8,
    reset: Option<u8>,
) -> Control {
    Control {
        free_keyboard: operands.has(free),
        alarm: operands.has(alarm),
        reset_modified: reset.is_some_and(|option| operands.has(option)),
        print: operands.has(print),
        line_length: false,
    }
}

fn position(operands: &CommandOperands, cursor: u8) -> Option<u16> {
    let position = operands.get_int(cursor)?;
    u16::try_from(position).ok()
}

fn wrote(written: Result<(), UnreachableTerminal>) -> Result<CallAnswer, CallAnswer> {
    match written {
        Ok(()) => Ok(CallAnswer::of_data(CommandOperands::default().emit())),
        Err(UnreachableTerminal) => Err(CallAnswer::of_condition(Condition::TermErr, 0)),
    }
}
