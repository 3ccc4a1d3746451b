//! How characters of programs become characters of terminals.
//!
//! The crate has no code pages. The caller gives one, chosen for the region's
//! programs and the terminal. Invariant: a page maps one byte to one byte.

/// A pair of code pages: the programs' and the terminal's EBCDIC page.
pub trait TerminalPage {
    /// The terminal's byte of a character of a map's source; X'3F' or a blank
    /// for one that the page does not have.
    fn encode(&self, character: char) -> u8;

    /// The terminal's byte of a byte of a program.
    fn to_terminal(&self, byte: u8) -> u8;

    /// The program's byte of a byte of the terminal.
    fn to_program(&self, byte: u8) -> u8;
}

/// A blank on the terminal.
pub(crate) const BLANK: u8 = 0x40;
/// The digit zero on the terminal.
pub(crate) const ZERO: u8 = 0xF0;

/// A byte of data as it may be sent. Bytes below X'40' that are orders would be
/// obeyed by the terminal, so they become blanks; nulls and the control codes of
/// formats stay.
pub(crate) fn displayable(byte: u8) -> u8 {
    match byte {
        // Null, FF, CR, NL, EM, DUP, FM.
        0x00 | 0x0C | 0x0D | 0x15 | 0x19 | 0x1C | 0x1E | 0x40.. => byte,
        // SO and SI enclose double-byte characters.
        0x0E | 0x0F => byte,
        _ => BLANK,
    }
}

/// The capital of a letter of an EBCDIC page.
pub(crate) fn upper(byte: u8) -> u8 {
    match byte {
        0x81..=0x89 | 0x91..=0x99 | 0xA2..=0xA9 => byte + 0x40,
        other => other,
    }
}
