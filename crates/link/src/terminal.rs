//! The data for a worker about its task's terminal.
//!
//! The region writes it into the arena next to the request, and only for a task
//! with a terminal. The input that began the task follows, if there is one, so that
//! the first RECEIVE need not ask the region.
//!
//! ```text
//!   0     1    2        4           6        10        14          18         20         28      32
//!   +-----+----+--------+-----------+--------+---------+-----------+----------+----------+-------+
//!   | aid | in | cursor | term code | screen | default | alternate | features | net name | queue |
//!   |     |    | u16    |           | 2 × u16| 2 × u16 | 2 × u16   | u16      | 8        | 4     |
//!   +-----+----+--------+-----------+--------+---------+-----------+----------+----------+-------+
//!  32     36
//!   +-----+-----------+--------------+
//!   | u32 | input ... | prepared ... |   if `in` is 1
//!   +-----+-----------+--------------+
//! ```
//!
//! What the door has prepared of the input, [`PreparedInput`]:
//!
//! ```text
//!   0             4       12    20        21
//!   +-------------+-------+-----+---------+------------------+
//!   | maps in use | set   | map | outcome | symbolic map ... |   from 4 on: if it has mapped it
//!   | u32         | 8     | 8   |         |                  |
//!   +-------------+-------+-----+---------+------------------+
//! ```
//!
//! Integers are big-endian.

use crate::{CommandOperands, Name};

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

/// Index of the number 1 in a command of a worker that has received the input that
/// began its task without asking: the region must not give it again. It is not an option
/// of any row.
pub const INPUT_TAKEN: u8 = 116;

/// The value of [`INPUT_TAKEN`] in a RECEIVE that only reports it.
pub const ONLY_REPORT: i64 = 2;

/// The number of a worker's question for a map. It has no row in the command table.
pub const MAP_FACTS_COMMAND: u16 = 0xEDF1;

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

/// What a worker knows of a map.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct MapFacts {
    /// It fits the terminal at each of its sizes: SEND MAP raises no condition.
    pub fits: bool,
    /// Lines.
    pub height: u16,
    /// Columns.
    pub width: u16,
    /// Line of the screen that it begins on, from 1.
    pub line: u16,
    /// Column of the screen that it begins on, from 1.
    pub column: u16,
}

impl MapFacts {
    /// As the answer to [`MAP_FACTS_COMMAND`].
    pub fn emit(&self) -> CommandOperands {
        let values = [self.height, self.width, self.line, self.column];
        let facts = CommandOperands::default().int(0, self.fits.into());
        let numbered = (1..).zip(values);
        numbered.fold(facts, |facts, (index, value)| {
            facts.int(index, value.into())
        })
    }

    /// Reads the answer.
    pub fn parse(operands: &CommandOperands) -> MapFacts {
        let value = |index| operands.get_int(index).unwrap_or(0) as u16;
        MapFacts {
            fits: value(0) != 0,
            height: value(1),
            width: value(2),
            line: value(3),
            column: value(4),
        }
    }
}

/// The question for a map: its set and its name.
pub fn map_question(set: &[u8; 8], map: &[u8; 8]) -> CommandOperands {
    CommandOperands::default().bytes(0, *set).bytes(1, *map)
}

/// What a door has prepared of an input, so that the worker need not ask for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PreparedInput<'a> {
    /// Counts the changes of the region's maps, from 1: what a worker knows of maps holds
    /// as long as it is the same.
    pub maps: u32,
    /// The input, mapped by the map that the terminal shows.
    pub mapped: Option<MappedInput<'a>>,
}

/// An input as RECEIVE MAP gives it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MappedInput<'a> {
    /// The map set.
    pub set: Name<8>,
    /// The map.
    pub map: Name<8>,
    /// What RECEIVE MAP answers.
    pub outcome: MapOutcome,
    /// The symbolic map.
    pub area: &'a [u8],
}

/// How the mapping of an input ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MapOutcome {
    /// There is a symbolic map.
    Mapped,
    /// MAPFAIL.
    MapFail,
    /// INVMPSZ.
    MapSize,
    /// INVREQ: the map is for output only.
    OutputOnly,
}

impl<'a> PreparedInput<'a> {
    /// The bytes.
    pub fn emit(&self) -> Vec<u8> {
        let mut out = self.maps.to_be_bytes().to_vec();
        if let Some(mapped) = &self.mapped {
            out.extend(mapped.set.as_bytes());
            out.extend(mapped.map.as_bytes());
            out.push(mapped.outcome as u8);
            out.extend(mapped.area);
        }
        out
    }

    /// Reads the bytes; `None` when there are too few.
    pub fn parse(bytes: &'a [u8]) -> Option<PreparedInput<'a>> {
        let (maps, rest) = bytes.split_first_chunk()?;
        Some(PreparedInput {
            maps: u32::from_be_bytes(*maps),
            mapped: MappedInput::parse(rest),
        })
    }
}

impl<'a> MappedInput<'a> {
    fn parse(bytes: &'a [u8]) -> Option<MappedInput<'a>> {
        let (set, rest) = bytes.split_first_chunk()?;
        let (map, rest) = rest.split_first_chunk()?;
        let (outcome, area) = rest.split_first()?;
        let outcome = match outcome {
            0 => MapOutcome::Mapped,
            1 => MapOutcome::MapFail,
            2 => MapOutcome::MapSize,
            _ => MapOutcome::OutputOnly,
        };
        Some(MappedInput {
            set: Name::from_bytes(*set),
            map: Name::from_bytes(*map),
            outcome,
            area,
        })
    }
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

    /// The bytes with the input that began the task, and what the door has prepared of
    /// it.
    pub fn emit_with(&self, input: &[u8], prepared: &[u8]) -> Vec<u8> {
        let mut out = self.emit().to_vec();
        out[1] = 1;
        out.extend((input.len() as u32).to_be_bytes());
        out.extend(input);
        out.extend(prepared);
        out
    }

    /// The input that follows the data, and what is prepared of it, if there is one.
    pub fn input(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
        let (data, rest) = bytes.split_first_chunk::<TERMINAL_BYTES>()?;
        let (length, rest) = rest.split_first_chunk::<4>()?;
        if data[1] != 1 {
            return None;
        }
        rest.split_at_checked(u32::from_be_bytes(*length) as usize)
    }

    /// Reads the bytes; `None` when there are too few.
    pub fn parse(bytes: &[u8]) -> Option<TerminalData> {
        let bytes: &[u8; TERMINAL_BYTES] = bytes.first_chunk()?;
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
        assert_eq!(TerminalData::input(&terminal.emit()), None);
        let bytes = terminal.emit_with(b"BANK", b"more");
        assert_eq!(TerminalData::parse(&bytes), Some(terminal));
        let given = TerminalData::input(&bytes);
        assert_eq!(given, Some((&b"BANK"[..], &b"more"[..])));
        assert_eq!(TerminalData::input(&bytes[..38]), None);
    }

    #[test]
    fn facts_of_a_map_read_back_as_they_were_written() {
        let facts = MapFacts {
            fits: true,
            height: 24,
            width: 80,
            line: 3,
            column: 1,
        };
        assert_eq!(MapFacts::parse(&facts.emit()), facts);
    }

    #[test]
    fn a_mapped_input_reads_back_as_it_was_written() {
        let mapped = MappedInput {
            set: Name::from_bytes(*b"BANKSET "),
            map: Name::from_bytes(*b"BANKINQ "),
            outcome: MapOutcome::Mapped,
            area: b"symbolic",
        };
        let prepared = PreparedInput {
            maps: 7,
            mapped: Some(mapped),
        };
        let bytes = prepared.emit();
        assert_eq!(PreparedInput::parse(&bytes), Some(prepared));
        let unmapped = PreparedInput::parse(&bytes[..4]);
        assert_eq!(unmapped.map(|p| (p.maps, p.mapped)), Some((7, None)));
        assert_eq!(PreparedInput::parse(&bytes[..3]), None);
    }
}
