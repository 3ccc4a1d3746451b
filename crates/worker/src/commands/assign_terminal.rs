//! ASSIGN of the attributes of a task's terminal.
//!
//! Reference: CICS API reference, ASSIGN. A feature is X'FF' if the terminal
//! has it and X'00' if not. Features that these terminals never have are X'00'.

use cics::command::commands::assign as row;
use link::terminal::feature;

use crate::exec::CommandCall;
use crate::worker::Worker;

/// RESP2 of what a task without a terminal cannot answer.
pub const NO_TERMINAL: u32 = 1;

pub fn give(w: &Worker, call: &CommandCall<'_>, option: u8) -> Result<(), u32> {
    let Some(terminal) = &w.task.terminal else {
        return Err(NO_TERMINAL);
    };
    let terminal = &terminal.data;
    let int = |value: u16| call.set_int(option, value.into());
    let has = |there: bool| call.set_chars(option, if there { &[0xFF] } else { &[0] });
    let can = |bit: u16| has(terminal.features & bit != 0);
    let alternate = terminal.alternate_screen;
    match option {
        row::NETNAME => call.set_chars(option, terminal.netname.as_bytes()),
        row::TERMCODE => call.set_chars(option, &terminal.term_code),
        row::NEXTTRANSID => call.set_chars(option, b"    "),
        row::SCRNHT => int(terminal.screen.rows),
        row::SCRNWD => int(terminal.screen.columns),
        row::DEFSCRNHT => int(terminal.default_screen.rows),
        row::DEFSCRNWD => int(terminal.default_screen.columns),
        row::ALTSCRNHT => int(alternate.rows),
        row::ALTSCRNWD => int(alternate.columns),
        row::GCHARS | row::GCODES => int(0),
        row::DS3270 => has(true),
        row::EWASUPP => has(alternate.rows != 0),
        row::COLOR => can(feature::COLOR),
        row::HILIGHT => can(feature::HILIGHT),
        row::EXTDS => can(feature::EXTDS),
        row::VALIDATION => can(feature::VALIDATION),
        row::PS => can(feature::PS),
        row::OUTLINE => can(feature::OUTLINE),
        row::SOSI => can(feature::SOSI),
        row::KATAKANA => can(feature::KATAKANA),
        row::UNATTEND => can(feature::UNATTEND),
        row::APLKYBD
        | row::APLTEXT
        | row::BTRANS
        | row::DSSCS
        | row::GMMI
        | row::MSRCONTROL
        | row::PARTNS
        | row::SIGDATA
        | row::TEXTKYBD
        | row::TEXTPRINT => call.set_zeros(option),
        _ => return Err(NO_TERMINAL),
    }
    Ok(())
}
