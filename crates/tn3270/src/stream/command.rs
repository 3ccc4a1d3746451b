//! Commands and the write control character.
//!
//! ```text
//! outbound record:  command | WCC | orders and data     W, EW, EWA
//!                   command                             EAU, RB, RM, RMA
//!                   command | structured fields         WSF
//! ```
//! Reference: GA23-0059, "Commands", "Write control character".

use super::address::graphic;

/// What a record tells the terminal to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Command {
    /// Write.
    Write,
    /// Erase/Write: the default size.
    EraseWrite,
    /// Erase/Write Alternate: the alternate size.
    EraseWriteAlternate,
    /// Erase All Unprotected.
    EraseAllUnprotected,
    /// Write Structured Field.
    WriteStructuredField,
    /// Read Buffer.
    ReadBuffer,
    /// Read Modified.
    ReadModified,
    /// Read Modified All.
    ReadModifiedAll,
}

impl Command {
    /// The command of a code of remote or of local terminals. Returns `None`
    /// if it is unknown.
    pub const fn parse(byte: u8) -> Option<Command> {
        Some(match byte {
            0xF1 | 0x01 => Command::Write,
            0xF5 | 0x05 => Command::EraseWrite,
            0x7E | 0x0D => Command::EraseWriteAlternate,
            0x6F | 0x0F => Command::EraseAllUnprotected,
            0xF3 | 0x11 => Command::WriteStructuredField,
            0xF2 | 0x02 => Command::ReadBuffer,
            0xF6 | 0x06 => Command::ReadModified,
            0x6E | 0x0E => Command::ReadModifiedAll,
            _ => return None,
        })
    }

    /// The code that remote terminals and TN3270 use.
    pub const fn emit(self) -> u8 {
        match self {
            Command::Write => 0xF1,
            Command::EraseWrite => 0xF5,
            Command::EraseWriteAlternate => 0x7E,
            Command::EraseAllUnprotected => 0x6F,
            Command::WriteStructuredField => 0xF3,
            Command::ReadBuffer => 0xF2,
            Command::ReadModified => 0xF6,
            Command::ReadModifiedAll => 0x6E,
        }
    }

    /// Whether a write control character follows.
    pub const fn has_wcc(self) -> bool {
        matches!(
            self,
            Command::Write | Command::EraseWrite | Command::EraseWriteAlternate
        )
    }
}

/// The write control character.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Wcc {
    /// Resets the reply mode (and partition characteristics).
    pub reset: bool,
    /// Two bits of the printout format.
    pub printout: u8,
    /// Starts the printer.
    pub start_printer: bool,
    /// Sounds the alarm.
    pub alarm: bool,
    /// Unlocks the keyboard and resets the AID.
    pub restore_keyboard: bool,
    /// Turns off all modified data tags first.
    pub reset_modified: bool,
}

impl Wcc {
    /// Unlocks the keyboard, as programs usually end an output: X'C2'.
    pub const RESTORE: Wcc = Wcc {
        reset: true,
        printout: 0,
        start_printer: false,
        alarm: false,
        restore_keyboard: true,
        reset_modified: false,
    };

    /// The meaning of a byte; the first bit carries nothing.
    pub const fn parse(byte: u8) -> Wcc {
        Wcc {
            reset: byte & 0x40 != 0,
            printout: byte >> 4 & 3,
            start_printer: byte & 0x08 != 0,
            alarm: byte & 0x04 != 0,
            restore_keyboard: byte & 0x02 != 0,
            reset_modified: byte & 0x01 != 0,
        }
    }

    /// The graphic character, as X'C2' for restore with reset. Without the
    /// reset bit the byte is sent as it is, because the graphic would set it.
    pub const fn emit(self) -> u8 {
        let low = (self.printout & 3) << 4
            | (self.start_printer as u8) << 3
            | (self.alarm as u8) << 2
            | (self.restore_keyboard as u8) << 1
            | self.reset_modified as u8;
        if self.reset {
            // Every graphic of the table has bit 1, the reset bit, on.
            graphic(low)
        } else {
            low
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_those_of_the_reference() {
        assert_eq!(Wcc::RESTORE.emit(), 0xC2);
        let all = Wcc {
            alarm: true,
            reset_modified: true,
            ..Wcc::RESTORE
        };
        assert_eq!(all.emit(), 0xC7);
        assert_eq!(Wcc::parse(0xC7), all);
        assert!(Wcc::parse(0x02).restore_keyboard);
        assert!(!Wcc::parse(0x40).restore_keyboard);
    }

    #[test]
    fn every_control_character_comes_back() {
        for low in 0..64u8 {
            for reset in [0, 0x40] {
                let wcc = Wcc::parse(low | reset);
                assert_eq!(Wcc::parse(wcc.emit()), wcc, "{low:02X}");
            }
        }
    }

    #[test]
    fn both_columns_of_codes_are_known() {
        let known = (0..=255).filter_map(Command::parse);
        for command in known {
            assert_eq!(Command::parse(command.emit()), Some(command));
        }
        assert_eq!(Command::parse(0x11), Some(Command::WriteStructuredField));
        assert_eq!(Command::parse(0x99), None);
    }
}
