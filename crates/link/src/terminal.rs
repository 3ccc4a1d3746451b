//! The data for a worker about its task's terminal.
//!
//! The region writes the data into the arena next to the request, and only for a task
//! with a terminal. The user's input is not part of them: RECEIVE requests that
//! from the region.
//!
//! ```text
//!   0     1    2        4           6        10        14          18         20         28      32
//!   +-----+----+--------+-----------+--------+---------+-----------+----------+----------+-------+
//!   | aid | 0  | cursor | term code | screen | default | alternate | features | net name | queue |
//!   |     |    | u16    |           | 2 × u16| 2 × u16 | 2 × u16   | u16      | 8        | 4     |
//!   +-----+----+--------+-----------+--------+---------+-----------+----------+----------+-------+
//! ```
//!
//! Integers are big-endian.

use crate::Name;

/// Bytes of [`TerminalData`].
pub const TERMINAL_BYTES: usize = 32;

/// Index of the AID of an input, as the 3270 data stream has it, in the answer
/// to a command that receives; not an option of a row.
pub const INPUT_AID: u8 = 118;

/// Index of the cursor's position of an input; not an option of a row.
pub const INPUT_CURSOR: u8 = 119;

/// Index of the number 1 in an answer to SEND, RECEIVE or CONVERSE before which
/// the user pressed ATTN; not an option of a row.
pub const SIGNAL_RECEIVED: u8 = 117;

/// Rows and columns of a screen.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ScreenSize {
    /// Rows.
    pub rows: u16,
    /// Columns.
    pub columns: u16,
}

/// The features of a terminal, by bit.
pub mod feature {
    /// COLOR.
    pub const COLOR: u16 = 1;
    /// HILIGHT.
    pub const HILIGHT: u16 = 1 << 1;
    /// EXTDS.
    pub const EXTDS: u16 = 1 << 2;
    /// VALIDATION.
    pub const VALIDATION: u16 = 1 << 3;
    /// PROGSYMBOLS.
    pub const PS: u16 = 1 << 4;
    /// OUTLINE.
    pub const OUTLINE: u16 = 1 << 5;
    /// SOSI.
    pub const SOSI: u16 = 1 << 6;
    /// KATAKANA.
    pub const KATAKANA: u16 = 1 << 7;
    /// UNATTEND.
    pub const UNATTEND: u16 = 1 << 8;
}

/// A task's terminal as its worker sees it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TerminalData {
    /// AID of the input that began the task, as the 3270 data stream has it; 0
    /// for a task that was started.
    pub aid: u8,
    /// Position of the cursor at that input, from 0.
    pub cursor: u16,
    /// TERMCODE.
    pub term_code: [u8; 2],
    /// Size in use.
    pub screen: ScreenSize,
    /// Default size.
    pub default_screen: ScreenSize,
    /// Alternate size; 0 × 0 for none.
    pub alternate_screen: ScreenSize,
    /// [`feature`] bits.
    pub features: u16,
    /// NETNAME.
    pub netname: Name<8>,
    /// The transient data queue that triggered the task, blank for none.
    pub queue: Name<4>,
}

impl TerminalData {
    /// The bytes.
    pub fn emit(&self) -> [u8; TERMINAL_BYTES] {
        let mut out = [0; TERMINAL_BYTES];
        out[0] = self.aid;
        out[2..4].copy_from_slice(&self.cursor.to_be_bytes());
        out[4..6].copy_from_slice(&self.term_code);
        let sizes = [self.screen, self.default_screen, self.alternate_screen];
        for (at, size) in (6..).step_by(4).zip(sizes) {
            out[at..at + 2].copy_from_slice(&size.rows.to_be_bytes());
            out[at + 2..at + 4].copy_from_slice(&size.columns.to_be_bytes());
        }
        out[18..20].copy_from_slice(&self.features.to_be_bytes());
        out[20..28].copy_from_slice(self.netname.as_bytes());
        out[28..32].copy_from_slice(self.queue.as_bytes());
        out
    }

    /// Reads the bytes; `None` when they have another length.
    pub fn parse(bytes: &[u8]) -> Option<TerminalData> {
        let bytes: &[u8; TERMINAL_BYTES] = bytes.try_into().ok()?;
        let word = |at: usize| u16::from_be_bytes([bytes[at], bytes[at + 1]]);
        let size = |at: usize| ScreenSize {
            rows: word(at),
            columns: word(at + 2),
        };
        Some(TerminalData {
            aid: bytes[0],
            cursor: word(2),
            term_code: [bytes[4], bytes[5]],
            screen: size(6),
            default_screen: size(10),
            alternate_screen: size(14),
            features: word(18),
            netname: Name::from_bytes(*bytes[20..28].first_chunk()?),
            queue: Name::from_bytes(*bytes[28..32].first_chunk()?),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_reads_back_as_it_was_written() {
        let terminal = TerminalData {
            aid: 0x7D,
            cursor: 1_919,
            term_code: [0x91, 0x02],
            screen: ScreenSize {
                rows: 24,
                columns: 80,
            },
            default_screen: ScreenSize {
                rows: 24,
                columns: 80,
            },
            alternate_screen: ScreenSize {
                rows: 43,
                columns: 132,
            },
            features: feature::COLOR | feature::UNATTEND,
            netname: Name::from_bytes(*b"LU000001"),
            queue: Name::from_bytes(*b"L86O"),
        };
        assert_eq!(TerminalData::parse(&terminal.emit()), Some(terminal));
        assert_eq!(TerminalData::parse(&[0; 31]), None);
    }
}
