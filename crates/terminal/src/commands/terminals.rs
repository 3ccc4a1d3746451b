//! INQUIRE TERMINAL and SET TERMINAL, of any connected terminal.
//!
//! Reference: CICS system programming reference, the commands' own pages.

use std::sync::Arc;

use cics::command::{DataDirection, by_number, commands as rows};
use cics::cvda;
use cics::resp::Condition;
use link::{CallAnswer, CommandOperands, Name};
use region::{FacilityState, ServiceCommand};

use crate::display::TerminalDisplay;
use crate::shared::TerminalContext;

/// Serves a command on terminals.
pub fn serve(shared: &Arc<TerminalContext>, command: &ServiceCommand) -> CallAnswer {
    let name = command.operands.get_name::<4>(NAME).map(Name::from_bytes);
    if command.number == rows::inquire_terminal::NUMBER {
        return inquire(shared, command, name);
    }
    let displays = shared.displays().into_iter();
    let mut found = displays.filter(|(_, d)| d.names().map(|n| n.terminal) == name);
    let Some((_, display)) = found.next() else {
        return CallAnswer::of_condition(Condition::TermIdErr, UNKNOWN);
    };
    set(&display, &command.operands)
}

/// What a terminal has, by name or in a browse.
fn inquire(
    shared: &Arc<TerminalContext>,
    command: &ServiceCommand,
    name: Option<Name<4>>,
) -> CallAnswer {
    use rows::inquire_terminal as row;
    let Some(running) = shared.running() else {
        return CallAnswer::of_condition(Condition::TermIdErr, UNKNOWN);
    };
    let region = &running.region;
    let operands = &command.operands;
    let displays = shared.displays();
    let mut all: Vec<(Name<4>, _)> = displays
        .into_iter()
        .filter_map(|(id, display)| Some((display.names()?.terminal, (id, display))))
        .collect();
    all.sort_by_key(|(terminal, _)| *terminal.as_bytes());
    let browses = &shared.browses;
    let found = if operands.has(row::START) {
        let at = operands.get_name::<4>(row::AT).unwrap_or([0; 4]);
        return if browses.start(command.task, at) {
            command.report_end();
            CallAnswer::of_data(CommandOperands::default().emit())
        } else {
            CallAnswer::of_condition(Condition::Illogic, 1)
        };
    } else if operands.has(row::END) {
        return if browses.end(command.task) {
            CallAnswer::of_data(CommandOperands::default().emit())
        } else {
            CallAnswer::of_condition(Condition::Illogic, 1)
        };
    } else if operands.has(row::NEXT) {
        let names: Vec<[u8; 4]> = all.iter().map(|(name, _)| *name.as_bytes()).collect();
        match browses.next(command.task, &names) {
            None => return CallAnswer::of_condition(Condition::Illogic, 1),
            Some(None) => return CallAnswer::of_condition(Condition::End, 2),
            Some(Some(next)) => all.iter().find(|(name, _)| *name.as_bytes() == next),
        }
    } else {
        all.iter().find(|(terminal, _)| Some(*terminal) == name)
    };
    let Some((terminal, (id, display))) = found else {
        return CallAnswer::of_condition(Condition::TermIdErr, UNKNOWN);
    };
    let Some(state) = region.facility(*id) else {
        return CallAnswer::of_condition(Condition::TermIdErr, UNKNOWN);
    };
    let task = region.tasks().into_iter().find(|t| t.facility == *terminal);
    let mut given = CommandOperands::default().bytes(NAME, terminal.as_bytes().to_vec());
    let Some(row) = by_number(rows::inquire_terminal::NUMBER) else {
        return CallAnswer::of_condition(Condition::InvReq, NOT_SERVED);
    };
    for (index, option) in (0..).zip(row.options) {
        if option.direction != DataDirection::Out || !operands.has(index) {
            continue;
        }
        let number = task.as_ref().map_or(0, |task| task.task);
        given = match value(display, &state, number, option.name) {
            Some(OptionValue::Int(n)) => given.int(index, n),
            Some(OptionValue::Text(text)) => given.bytes(index, text),
            None => return CallAnswer::of_condition(Condition::InvReq, NOT_SERVED),
        };
    }
    CallAnswer::of_data(given.emit())
}

enum OptionValue {
    Int(i64),
    Text(Vec<u8>),
}

/// What an option of INQUIRE TERMINAL gives. Returns `None` for one that is not
/// served.
fn value(
    display: &TerminalDisplay,
    state: &FacilityState,
    task: u64,
    option: &str,
) -> Option<OptionValue> {
    let word = |name: &str| cvda::value(name).map(|v| OptionValue::Int(v.into()));
    let either = |yes: bool, name: &str, other: &str| word(if yes { name } else { other });
    let padded =
        |text: &str, width: usize| Some(OptionValue::Text(format!("{text:width$}").into_bytes()));
    let names = display.names()?;
    let profile = display.profile();
    let extended = profile.extended;
    let (default, alternate) = (profile.default_size, profile.alternate_size);
    let number = |n: u16| Some(OptionValue::Int(n.into()));
    match option {
        "NETNAME" => padded(names.unit.as_str(), 8),
        "ACQSTATUS" | "TERMSTATUS" => word("ACQUIRED"),
        "ACCESSMETHOD" => word("VTAM"),
        "ATISTATUS" => word("ATI"),
        "TTISTATUS" => word("TTI"),
        "SERVSTATUS" => word("INSERVICE"),
        "UCTRANST" => word(display.upper_case().cvda()),
        "COLORST" => either(
            has(&profile, bms::ExtendedAttribute::Color),
            "COLOR",
            "NOCOLOR",
        ),
        "HILIGHTST" => either(
            has(&profile, bms::ExtendedAttribute::Highlight),
            "HILIGHT",
            "NOHILIGHT",
        ),
        "EXTENDEDDSST" => either(extended, "EXTENDEDDS", "NOEXTENDEDDS"),
        "SCRNHT" => number(profile.current_size.lines),
        "SCRNWD" => number(profile.current_size.columns),
        "DEFSCRNHT" | "PAGEHT" | "DEFPAGEHT" => number(default.lines),
        "DEFSCRNWD" | "PAGEWD" | "DEFPAGEWD" => number(default.columns),
        "ALTSCRNHT" => number(alternate.lines),
        "ALTSCRNWD" => number(alternate.columns),
        "SIGNONSTATUS" => either(display.lock().user.is_some(), "SIGNEDON", "SIGNEDOFF"),
        "USERID" => padded(&state.userid.to_string(), 8),
        "TASKID" => Some(OptionValue::Int(i64::try_from(task).unwrap_or(0))),
        "TRANSACTION" => padded(&display.transid_of(state.busy), 4),
        "NEXTTRANSID" => padded(&state.next_transid.to_string(), 4),
        _ => None,
    }
}

fn has(profile: &bms::TerminalProfile, attribute: bms::ExtendedAttribute) -> bool {
    profile.attributes.contains(attribute)
}

/// SET TERMINAL: UCTRANST, and RELEASED, which disconnects.
fn set(display: &TerminalDisplay, operands: &CommandOperands) -> CallAnswer {
    use rows::set_terminal as row;
    let named = |option| {
        let value = operands.get_int(option).and_then(|v| u32::try_from(v).ok());
        value.and_then(cvda::name)
    };
    let flags = [
        (row::UCTRAN, "UCTRAN"),
        (row::NOUCTRAN, "NOUCTRAN"),
        (row::TRANIDONLY, "TRANIDONLY"),
    ];
    let flag = flags.iter().find(|(option, _)| operands.has(*option));
    let upper_case = named(row::UCTRANST).or(flag.map(|(_, name)| *name));
    if operands.has(row::UCTRANST) || upper_case.is_some() {
        let known = upper_case.filter(|n| crate::config::Uppercase::of_cvda(n).is_some());
        let Some(word) = known else {
            return CallAnswer::of_condition(Condition::InvReq, BAD_UCTRANST);
        };
        display.set_upper_case(word);
    }
    let released = operands.has(row::RELEASED) || named(row::TERMSTATUS) == Some("RELEASED");
    if released {
        display.lock().session.close();
        display.notify();
    } else if upper_case.is_none() {
        return CallAnswer::of_condition(Condition::InvReq, NOT_SERVED);
    }
    CallAnswer::of_data(CommandOperands::default().emit())
}

/// Index of the terminal's name in both rows.
const NAME: u8 = 0;
/// RESP2 of TERMIDERR.
const UNKNOWN: u32 = 1;
/// RESP2 of an option that means nothing here.
const NOT_SERVED: u32 = 1;
/// RESP2: UCTRANST has no valid value.
const BAD_UCTRANST: u32 = 29;
