//! What the region itself shows on a terminal: one or two lines at the bottom.
//!
//! Numbers and wording are those that CICS users look up and scripts look for.
//! On an empty screen the rest becomes one field for input, so that a user can
//! type the next transaction without clearing it. It begins at the second
//! position: s3270 takes a cursor at the first for no input field.

use bms::TerminalPage;
use region::{Abend, InputRefused, StartRefusal, TransId};
use tn3270::stream::Command;
use tn3270::{FieldAttribute, OutboundBuilder, ScreenSize, Wcc};

use crate::page::PageTables;
use crate::shared::TerminalContext;

/// A record that shows a message in the last lines. `erase` clears the screen
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
    // An attribute at each end.
    let width = usize::from(size.columns()) - 2;
    let lines = lines(message, width);
    let mut line = positions - size.columns() * lines.len() as u16;
    let mut out = OutboundBuilder::new(command, wcc, positions);
    if erase {
        out.field(attribute(UNPROTECTED)).cursor();
    }
    for text in lines {
        let mut text: Vec<u8> = page.text(text);
        text.resize(width, page.to_terminal(b' '));
        out.address(line);
        out.field(attribute(PROTECTED_BRIGHT)).text(&text);
        line += size.columns();
    }
    if !erase {
        // What an unformatted screen has at its top can be typed over.
        out.field(attribute(UNPROTECTED));
        out.address(0).cursor();
    }
    out.into_record()
}

/// A message as one line, or as two that are broken between words. What is longer
/// is cut.
fn lines(message: &str, width: usize) -> Vec<&str> {
    let cut = |text: &str| text.char_indices().nth(width).map(|(at, _)| at);
    let Some(end) = cut(message) else {
        return vec![message];
    };
    let end = message[..end].rfind(' ').unwrap_or(end);
    let (first, rest) = message.split_at(end);
    let rest = rest.trim_start();
    vec![first, &rest[..cut(rest).unwrap_or(rest.len())]]
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
pub fn not_authorized(applid: &str, transid: TransId) -> String {
    format!(
        "DFHAC2033 {applid} You are not authorized to use transaction {}. Check that the \
         transaction name is correct, or sign on with CESN.",
        transid.to_string().trim_end()
    )
}

/// Why an input begins no task.
pub fn refused_input(applid: &str, transid: TransId, why: InputRefused) -> String {
    match why {
        InputRefused::Task(refusal) => refused_task(applid, transid, refusal),
        InputRefused::NoTransaction => {
            format!("DFHAC2001 {applid} No transaction code was entered. Type one at the top.")
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
pub fn refused_task(applid: &str, transid: TransId, refusal: StartRefusal) -> String {
    match refusal {
        StartRefusal::UnknownTransaction(name) => format!(
            "DFHAC2001 {applid} Transaction '{}' is not recognized. Check that the transaction \
             name is correct.",
            name.to_string().trim_end()
        ),
        StartRefusal::Disabled(name) => format!(
            "DFHAC2008 {applid} Transaction {} has been disabled and cannot be used.",
            name.to_string().trim_end()
        ),
        other => format!(
            "DFHAC2016 {applid} Transaction {} cannot run: {other}.",
            transid.to_string().trim_end()
        ),
    }
}

/// The abend of a task.
pub fn abended(applid: &str, transid: TransId, abend: &Abend) -> String {
    format!(
        "DFHAC2206 {applid} Transaction {} failed with abend {}. Updates to local recoverable \
         resources backed out.",
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_message_has_two_lines_that_are_broken_between_words() {
        assert_eq!(lines("short", 10), ["short"]);
        assert_eq!(lines("one two three", 10), ["one two", "three"]);
        assert_eq!(lines("exactly10c", 10), ["exactly10c"]);
        assert_eq!(lines("oneverylongword", 10), ["oneverylon", "gword"]);
        assert_eq!(lines("a bb ccc dddd eeeee fff", 6), ["a bb", "ccc dd"]);
    }
}
