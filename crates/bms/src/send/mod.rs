//! SEND commands: what they write to a terminal.
//!
//! [`send_map`] merges a map with a program's data, [`send_control`] sends device
//! controls alone, [`send_text`] breaks text into lines. Reference: CICS
//! application programming reference, "SEND MAP", "SEND CONTROL", "SEND TEXT".
//!
//! Invariant: whatever bytes a program gives, the stream has no order that this
//! crate did not write.

mod map;
mod text;

pub use map::{CursorOption, MapContents, SendError, SendMap, send_map};
pub use text::{SendText, send_text};

use crate::attribute::graphic;
use crate::layout::ScreenSize;
use crate::model::Control;
use crate::stream::{OutboundStream, WriteCommand};
use crate::terminal::{EraseOption, TerminalProfile};

/// SEND CONTROL: device controls without data. Without `cursor` the cursor
/// stays, or goes to the first position of an erased screen.
pub fn send_control(
    terminal: &TerminalProfile,
    erase: EraseOption,
    control: Control,
    cursor: Option<u16>,
) -> OutboundStream {
    let mut stream = begin(terminal, erase, control);
    if let Some(address) = cursor {
        let address = stream.screen.wrap(u32::from(address));
        stream.go_to(address);
        stream.cursor();
    }
    stream
}

/// Begins a stream: command, write control character, ERASEAUP.
fn begin(terminal: &TerminalProfile, erase: EraseOption, control: Control) -> OutboundStream {
    let (command, screen) = match erase {
        EraseOption::Default => (WriteCommand::EraseWrite, terminal.default_size),
        EraseOption::Alternate => (WriteCommand::EraseWriteAlternate, terminal.alternate_size),
        EraseOption::Keep | EraseOption::Unprotected => {
            (WriteCommand::Write, terminal.current_size)
        }
    };
    let mut stream = OutboundStream::new(command, write_control(control), screen);
    if erase == EraseOption::Unprotected {
        stream.erase_unprotected();
    }
    stream
}

/// Size of the screen that a command with this option writes to.
fn target_size(terminal: &TerminalProfile, erase: EraseOption) -> ScreenSize {
    match erase {
        EraseOption::Default => terminal.default_size,
        EraseOption::Alternate => terminal.alternate_size,
        EraseOption::Keep | EraseOption::Unprotected => terminal.current_size,
    }
}

/// The write control character.
fn write_control(control: Control) -> u8 {
    let mut bits = 0;
    if control.print {
        bits |= 0x08;
    }
    if control.alarm {
        bits |= 0x04;
    }
    if control.free_keyboard {
        bits |= 0x02;
    }
    if control.reset_modified {
        bits |= 0x01;
    }
    graphic(bits)
}
