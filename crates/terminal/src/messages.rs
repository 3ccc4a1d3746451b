//! What the region itself shows on a terminal: one line at the bottom.
//!
//! The numbers are those that CICS users look up; the words are this program's.
//! On an empty screen the rest becomes one field for input, so that a user can
//! type the next transaction without clearing it. It begins at the second
//! position: s3270 takes a cursor at the first for no input field.

use bms::TerminalPage;
use region::{Abend, InputRefused, StartRefusal, TransId};
use tn3270::stream::Command;
use tn3270::{FieldAttribute, OutboundBuilder, ScreenSize, Wcc};

use crate::page::PageTables;
use crate::shared::TerminalContext;

/// A record that shows a message in the last line. `erase` clears the screen
/// before and puts the cursor into the field for input.
pub fn record(message: &str, erase: bool, screen: ScreenSize, page: &PageTables) -> Vec<u8> {
    let command = if erase {
        Command::EraseWrite
    } else {
        Command::Write
    };
    let wcc = Wcc {
        reset_modified: true,
        ..Wcc::RESTORE
    };
    let size = if erase { ScreenSize::MODEL_2 } else { screen };
    let positions = size.positions();
    let line = positions - size.columns();
    let mut text: Vec<u8> = page.text(message);
    // An attribute at each end.
    text.truncate(usize::from(size.columns()) - 2);
    text.resize(usize::from(size.columns()) - 2, page.to_terminal(b' '));
    let mut out = OutboundBuilder::new(command, wcc, positions);
    if erase {
        out.field(attribute(UNPROTECTED)).cursor();
    }
    out.address(line);
    out.field(attribute(PROTECTED_BRIGHT)).text(&text);
    if !erase {
        // What an unformatted screen has at its top can be typed over.
        out.field(attribute(UNPROTECTED));
        out.address(0).cursor();
    }
    out.into_record()
}

/// A record that unlocks the keyboard and changes nothing else.
pub fn unlock() -> Vec<u8> {
    vec![Command::Write.emit(), Wcc::RESTORE.emit()]
}

/// The good morning message.
pub fn welcome(shared: &TerminalContext, terminal: &str) -> String {
    format!(
        "{}  terminal {terminal}. {}",
        shared.applid, shared.config.welcome
    )
}

/// The user may not run the transaction.
pub fn not_authorized(transid: TransId) -> String {
    format!(
        "DFHAC2033 You are not authorized to use transaction {}. Sign on with CESN.",
        transid.to_string().trim_end()
    )
}

/// Why an input begins no task.
pub fn refused_input(transid: TransId, why: InputRefused) -> String {
    match why {
        InputRefused::Task(refusal) => refused_task(transid, refusal),
        InputRefused::NoTransaction => {
            "DFHAC2001 No transaction code was entered. Type one at the top.".to_owned()
        }
        InputRefused::TooMuch => {
            "Too much input waits for the task. Wait for its answer.".to_owned()
        }
        InputRefused::InDoubt => {
            "The last unit of work of this terminal is in doubt. Wait until it is settled."
                .to_owned()
        }
        InputRefused::Gone => "The terminal is not known to the region any more.".to_owned(),
    }
}

/// Why a task does not begin.
pub fn refused_task(transid: TransId, refusal: StartRefusal) -> String {
    match refusal {
        StartRefusal::UnknownTransaction(name) => format!(
            "DFHAC2001 Transaction '{}' is not defined here. Check the code.",
            name.to_string().trim_end()
        ),
        StartRefusal::Disabled(name) => format!(
            "DFHAC2008 Transaction '{}' is disabled.",
            name.to_string().trim_end()
        ),
        other => format!(
            "DFHAC2016 Transaction '{}' cannot run: {other}.",
            transid.to_string().trim_end()
        ),
    }
}

/// The abend of a task.
pub fn abended(transid: TransId, abend: &Abend) -> String {
    format!(
        "DFHAC2206 Transaction {} ended with abend {}. Changes since its last syncpoint are backed out.",
        transid.to_string().trim_end(),
        abend.code()
    )
}

fn attribute(byte: u8) -> FieldAttribute {
    FieldAttribute::parse(byte)
}

/// Protected and bright.
const PROTECTED_BRIGHT: u8 = 0xE8;
/// Unprotected.
const UNPROTECTED: u8 = 0x40;
