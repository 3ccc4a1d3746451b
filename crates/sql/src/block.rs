//! The statement block: how a translated EXEC SQL statement describes itself.
//!
//! Each executable statement becomes one `CALL "DSNHLI"` whose first argument is
//! a constant block and whose second is the SQLCA. The host variables follow by
//! reference in the order of their argument numbers, which count from 0 after
//! the SQLCA. `docs/internals/sql.md` has the layout; all numbers are big-endian.
//!
//! The block has the statement in Db2's SQL, with `:1`, `:2` … for the inputs: it
//! is rewritten when it is first used, with the types that the server has then.
//!
//! Invariant: a program may pass any bytes; [`StatementBlock::parse`] checks all.

use crate::field::{CobolType, SignPlace};
use crate::statement::FetchDistance;
use crate::statement::{
    CursorOptions, CursorSensitivity, FetchOrientation, Isolation, LockStrength, Statement,
    StatementKind,
};
use crate::text::HostType;

/// Name of the entry that every statement calls.
pub const SQL_ENTRY: &str = "DSNHLI";
/// First two bytes of a block.
pub const MAGIC: [u8; 2] = *b"TQ";
/// Version of the layout.
pub const VERSION: u8 = 1;
/// Bytes before the descriptors.
pub const HEADER_BYTES: usize = 48;
/// Bytes of a descriptor.
pub const DESCRIPTOR_BYTES: usize = 24;
/// No argument.
const NONE: u16 = 0xFFFF;

/// One field of a host variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FieldDescriptor {
    /// Argument that it is in.
    pub argument: u16,
    /// Bytes from the argument's beginning.
    pub offset: u32,
    /// Its type.
    pub cobol: CobolType,
    /// Occurrences of a host variable array; 1 otherwise.
    pub occurs: u16,
    /// Bytes from one occurrence to the next.
    pub stride: u32,
    /// Argument of its indicator, and bytes from that argument's beginning.
    pub indicator: Option<(u16, u16)>,
    /// Whether the indicator is big-endian (COMP) or of the machine (COMP-5).
    pub indicator_big_endian: bool,
}

/// A statement as a program passes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatementBlock {
    /// The statement's kind.
    pub kind: StatementKind,
    /// Number of the statement in its program, from 1.
    pub number: u16,
    /// Line in its source file, from 1.
    pub line: u32,
    /// 0 for the program itself, n for its n-th COPY member.
    pub source_file: u8,
    /// Arguments after the SQLCA.
    pub arguments: u16,
    /// How the statement's cursor is declared.
    pub cursor: CursorOptions,
    /// Locks that the rows of a query keep: WITH RS and WITH RR.
    pub kept_locks: Option<LockStrength>,
    /// The orientation of FETCH.
    pub orientation: FetchOrientation,
    /// FOR n ROWS: a number of rows.
    pub rows: u32,
    /// FOR n ROWS: the input that has it, from 1; 0 for none.
    pub rows_input: u16,
    /// Distinguishes builds of a program.
    pub token: [u8; 8],
    /// Fields that the statement reads.
    pub inputs: Vec<FieldDescriptor>,
    /// Fields that it sets.
    pub outputs: Vec<FieldDescriptor>,
    /// An SQLDA: the last argument, and how its numbers are stored.
    pub descriptor: Option<NumberOrder>,
    /// Cursor, prepared statement, savepoint or special register.
    pub name: String,
    /// Prepared statement that the cursor is declared for.
    pub prepared: String,
    /// The SQL.
    pub text: String,
}

/// Order of the bytes of an SQLDA's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumberOrder {
    /// COMP.
    BigEndian,
    /// COMP-5.
    Native,
}

/// The error of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum BlockError {
    /// Fewer bytes than its length field.
    #[error("the statement block is too short")]
    Short,
    /// The block does not begin as a block of this version.
    #[error("the statement block is of another version")]
    Version,
    /// A kind, type or number that there is not.
    #[error("the statement block has an unknown number")]
    Value,
    /// Its text is not UTF-8.
    #[error("the statement block's text is not UTF-8")]
    Text,
}

const HOLD: u16 = 1;
const SCROLL: u16 = 2;
const ROWSET: u16 = 4;
const UPDATE: u16 = 8;
const READ_ONLY: u16 = 16;
const SKIP_LOCKED: u16 = 32;
const RETURNED: u16 = 64;
const KEEP_SHARE: u16 = 128;
const KEEP_EXCLUSIVE: u16 = 256;
const DESCRIPTOR: u16 = 512;
const DESCRIPTOR_BIG_ENDIAN: u16 = 1024;

impl StatementBlock {
    /// The block's bytes.
    pub fn emit(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(HEADER_BYTES + self.text.len());
        let short = |n: usize| u16::try_from(n).unwrap_or(u16::MAX).to_be_bytes();
        let (orientation, distance, by_input) = orientation_number(self.orientation);
        out.extend_from_slice(&MAGIC);
        out.extend_from_slice(&[VERSION, self.kind as u8]);
        out.extend_from_slice(&self.line.to_be_bytes());
        out.extend_from_slice(&self.number.to_be_bytes());
        out.extend_from_slice(&[
            self.source_file,
            sensitivity_number(self.cursor.sensitivity),
        ]);
        let kept = match self.kept_locks {
            None => 0,
            Some(LockStrength::Share) => KEEP_SHARE,
            Some(LockStrength::Exclusive) => KEEP_EXCLUSIVE,
        };
        let descriptor = match self.descriptor {
            None => 0,
            Some(NumberOrder::Native) => DESCRIPTOR,
            Some(NumberOrder::BigEndian) => DESCRIPTOR | DESCRIPTOR_BIG_ENDIAN,
        };
        out.extend_from_slice(&(flags(self.cursor) | kept | descriptor).to_be_bytes());
        out.extend_from_slice(&[orientation, u8::from(by_input)]);
        out.extend_from_slice(&distance.to_be_bytes());
        out.extend_from_slice(&self.rows.to_be_bytes());
        out.extend_from_slice(&self.rows_input.to_be_bytes());
        out.extend_from_slice(&self.arguments.to_be_bytes());
        out.extend_from_slice(&short(self.inputs.len()));
        out.extend_from_slice(&short(self.outputs.len()));
        out.extend_from_slice(&short(self.name.len()));
        out.extend_from_slice(&short(self.prepared.len()));
        let text = u32::try_from(self.text.len()).unwrap_or(u32::MAX);
        out.extend_from_slice(&text.to_be_bytes());
        out.extend_from_slice(&self.token);
        for descriptor in self.inputs.iter().chain(&self.outputs) {
            descriptor.emit(&mut out);
        }
        for part in [&self.name, &self.prepared, &self.text] {
            out.extend_from_slice(part.as_bytes());
        }
        out
    }

    /// Reads a block; bytes after its end are passed over.
    pub fn parse(bytes: &[u8]) -> Result<StatementBlock, BlockError> {
        let head: &[u8; HEADER_BYTES] = bytes.first_chunk().ok_or(BlockError::Short)?;
        if head[..2] != MAGIC || head[2] != VERSION {
            return Err(BlockError::Version);
        }
        let short = |at: usize| u16::from_be_bytes([head[at], head[at + 1]]);
        let long =
            |at: usize| u32::from_be_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        let (inputs, outputs) = (usize::from(short(28)), usize::from(short(30)));
        let mut at = HEADER_BYTES;
        let mut take = |length: usize| {
            let part = bytes.get(at..at.saturating_add(length));
            at = at.saturating_add(length);
            part.ok_or(BlockError::Short)
        };
        let descriptors = take((inputs + outputs) * DESCRIPTOR_BYTES)?;
        let mut all = Vec::with_capacity(inputs + outputs);
        for one in descriptors.as_chunks::<DESCRIPTOR_BYTES>().0 {
            all.push(FieldDescriptor::parse(one, short(26))?);
        }
        let outputs = all.split_off(inputs);
        let mut text = |length: usize| {
            let part = take(length)?;
            String::from_utf8(part.to_vec()).map_err(|_| BlockError::Text)
        };
        let name = text(usize::from(short(32)))?;
        let prepared = text(usize::from(short(34)))?;
        let sql = text(usize::try_from(long(36)).map_err(|_| BlockError::Short)?)?;
        let distance = i32::from_be_bytes([head[16], head[17], head[18], head[19]]);
        let mut token = [0; 8];
        token.copy_from_slice(&head[40..48]);
        Ok(StatementBlock {
            kind: StatementKind::from_number(head[3]).ok_or(BlockError::Value)?,
            number: short(8),
            line: long(4),
            source_file: head[10],
            arguments: short(26),
            cursor: cursor_options(short(12), head[11]).ok_or(BlockError::Value)?,
            kept_locks: match short(12) & (KEEP_SHARE | KEEP_EXCLUSIVE) {
                0 => None,
                KEEP_SHARE => Some(LockStrength::Share),
                _ => Some(LockStrength::Exclusive),
            },
            orientation: orientation(head[14], distance, head[15] != 0).ok_or(BlockError::Value)?,
            rows: long(20),
            rows_input: short(24),
            token,
            inputs: all,
            outputs,
            descriptor: match short(12) & (DESCRIPTOR | DESCRIPTOR_BIG_ENDIAN) {
                0 => None,
                _ if short(26) == 0 => return Err(BlockError::Value),
                DESCRIPTOR => Some(NumberOrder::Native),
                _ => Some(NumberOrder::BigEndian),
            },
            name,
            prepared,
            text: sql,
        })
    }

    /// The statement as the rewriter takes it; OPEN and FETCH with the query.
    pub fn statement(&self) -> Result<Statement, crate::text::StatementProblem> {
        let mut statement = Statement::parse_dynamic(&self.text)?;
        statement.cursor = CursorOptions {
            for_update: self.cursor.for_update || statement.cursor.for_update,
            ..self.cursor
        };
        if let Some(strength) = self.kept_locks {
            statement.isolation = Some(Isolation::ReadStability(strength));
        }
        if !self.name.is_empty() {
            statement.name = Some(self.name.clone());
        }
        if matches!(self.kind, StatementKind::Open | StatementKind::SetVariables) {
            statement.name = None;
        }
        Ok(statement)
    }

    /// The types of the inputs, for the rewriter.
    pub fn host_types(&self) -> Vec<HostType> {
        let types = self.inputs.iter().map(|d| HostType {
            cobol: d.cobol,
            nullable: d.indicator.is_some(),
        });
        types.collect()
    }
}

fn flags(cursor: CursorOptions) -> u16 {
    let bits = [
        (cursor.hold, HOLD),
        (cursor.scroll, SCROLL),
        (cursor.rowset, ROWSET),
        (cursor.for_update, UPDATE),
        (cursor.read_only, READ_ONLY),
        (cursor.skip_locked, SKIP_LOCKED),
        (cursor.returned, RETURNED),
    ];
    bits.iter()
        .filter(|(set, _)| *set)
        .map(|(_, bit)| bit)
        .sum()
}

fn sensitivity_number(sensitivity: CursorSensitivity) -> u8 {
    match sensitivity {
        CursorSensitivity::Asensitive => 0,
        CursorSensitivity::Insensitive => 1,
        CursorSensitivity::Static => 2,
        CursorSensitivity::Dynamic => 3,
    }
}

fn cursor_options(flags: u16, sensitivity: u8) -> Option<CursorOptions> {
    Some(CursorOptions {
        hold: flags & HOLD != 0,
        scroll: flags & SCROLL != 0,
        rowset: flags & ROWSET != 0,
        for_update: flags & UPDATE != 0,
        read_only: flags & READ_ONLY != 0,
        skip_locked: flags & SKIP_LOCKED != 0,
        returned: flags & RETURNED != 0,
        sensitivity: match sensitivity {
            0 => CursorSensitivity::Asensitive,
            1 => CursorSensitivity::Insensitive,
            2 => CursorSensitivity::Static,
            3 => CursorSensitivity::Dynamic,
            _ => return None,
        },
    })
}

fn orientation_number(orientation: FetchOrientation) -> (u8, i32, bool) {
    let far = |number, distance| match distance {
        FetchDistance::Rows(rows) => (number, rows, false),
        FetchDistance::Input => (number, 0, true),
    };
    match orientation {
        FetchOrientation::Next => (0, 0, false),
        FetchOrientation::Prior => (1, 0, false),
        FetchOrientation::First => (2, 0, false),
        FetchOrientation::Last => (3, 0, false),
        FetchOrientation::Current => (4, 0, false),
        FetchOrientation::Before => (5, 0, false),
        FetchOrientation::After => (6, 0, false),
        FetchOrientation::Absolute(distance) => far(7, distance),
        FetchOrientation::Relative(distance) => far(8, distance),
    }
}

fn orientation(number: u8, distance: i32, by_input: bool) -> Option<FetchOrientation> {
    let far = if by_input {
        FetchDistance::Input
    } else {
        FetchDistance::Rows(distance)
    };
    Some(match number {
        0 => FetchOrientation::Next,
        1 => FetchOrientation::Prior,
        2 => FetchOrientation::First,
        3 => FetchOrientation::Last,
        4 => FetchOrientation::Current,
        5 => FetchOrientation::Before,
        6 => FetchOrientation::After,
        7 => FetchOrientation::Absolute(far),
        8 => FetchOrientation::Relative(far),
        _ => return None,
    })
}

const BIG_ENDIAN: u8 = 1;
const SIGNED: u8 = 2;
const BINARY_LOB: u8 = 4;
const INDICATOR_BIG_ENDIAN: u8 = 8;

impl FieldDescriptor {
    fn emit(&self, out: &mut Vec<u8>) {
        let (number, digits, scale, flags, length) = type_numbers(self.cobol);
        let (indicator, indicator_offset) = self.indicator.unwrap_or((NONE, 0));
        let order = if self.indicator_big_endian {
            INDICATOR_BIG_ENDIAN
        } else {
            0
        };
        out.extend_from_slice(&self.argument.to_be_bytes());
        out.extend_from_slice(&indicator.to_be_bytes());
        out.extend_from_slice(&self.offset.to_be_bytes());
        out.extend_from_slice(&indicator_offset.to_be_bytes());
        out.extend_from_slice(&self.occurs.to_be_bytes());
        out.extend_from_slice(&[number, digits]);
        out.extend_from_slice(&scale.to_be_bytes());
        out.push(flags | order);
        out.extend_from_slice(&length.to_be_bytes());
        out.extend_from_slice(&self.stride.to_be_bytes());
    }

    fn parse(
        bytes: &[u8; DESCRIPTOR_BYTES],
        arguments: u16,
    ) -> Result<FieldDescriptor, BlockError> {
        let short = |at: usize| u16::from_be_bytes([bytes[at], bytes[at + 1]]);
        let long = |at: usize| {
            u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
        };
        let scale = i8::from_be_bytes([bytes[14]]);
        let cobol =
            type_of(bytes[12], bytes[13], scale, bytes[15], long(16)).ok_or(BlockError::Value)?;
        let descriptor = FieldDescriptor {
            argument: short(0),
            offset: long(4),
            cobol,
            occurs: short(10).max(1),
            stride: long(20),
            indicator: (short(2) != NONE).then_some((short(2), short(8))),
            indicator_big_endian: bytes[15] & INDICATOR_BIG_ENDIAN != 0,
        };
        let within = |argument: u16| argument < arguments;
        if !within(descriptor.argument) || descriptor.indicator.is_some_and(|(a, _)| !within(a)) {
            return Err(BlockError::Value);
        }
        Ok(descriptor)
    }
}

/// Number, digits, scale, flags and length of a type.
fn type_numbers(cobol: CobolType) -> (u8, u8, i8, u8, u32) {
    let order = |big: bool| if big { BIG_ENDIAN } else { 0 };
    match cobol {
        CobolType::Char(n) => (1, 0, 0, 0, n),
        CobolType::Varchar { most, big_endian } => (2, 0, 0, order(big_endian), most),
        CobolType::Lob {
            most,
            binary,
            big_endian,
        } => {
            let binary = if binary { BINARY_LOB } else { 0 };
            (3, 0, 0, order(big_endian) | binary, most)
        }
        CobolType::Binary(n) => (4, 0, 0, 0, n),
        CobolType::Varbinary { most, big_endian } => (5, 0, 0, order(big_endian), most),
        CobolType::Zoned {
            digits,
            scale,
            sign,
        } => (6, digits, scale, 0, sign as u32),
        CobolType::Packed {
            digits,
            scale,
            signed,
        } => (7, digits, scale, if signed { SIGNED } else { 0 }, 0),
        CobolType::Integer {
            bytes,
            digits,
            scale,
            signed,
            big_endian,
        } => {
            let signed = if signed { SIGNED } else { 0 };
            (
                8,
                digits,
                scale,
                order(big_endian) | signed,
                u32::from(bytes),
            )
        }
        CobolType::Float4 => (9, 0, 0, 0, 0),
        CobolType::Float8 => (10, 0, 0, 0, 0),
    }
}

fn type_of(number: u8, digits: u8, scale: i8, flags: u8, length: u32) -> Option<CobolType> {
    let big_endian = flags & BIG_ENDIAN != 0;
    let signed = flags & SIGNED != 0;
    // A number has at most 31 digits, before and after the point together.
    if digits > 31 || scale.unsigned_abs() > 31 {
        return None;
    }
    Some(match number {
        1 => CobolType::Char(length),
        2 => CobolType::Varchar {
            most: length,
            big_endian,
        },
        3 => CobolType::Lob {
            most: length,
            binary: flags & BINARY_LOB != 0,
            big_endian,
        },
        4 => CobolType::Binary(length),
        5 => CobolType::Varbinary {
            most: length,
            big_endian,
        },
        6 => CobolType::Zoned {
            digits,
            scale,
            sign: match length {
                0 => SignPlace::Unsigned,
                1 => SignPlace::Trailing,
                2 => SignPlace::Leading,
                3 => SignPlace::TrailingSeparate,
                4 => SignPlace::LeadingSeparate,
                _ => return None,
            },
        },
        7 => CobolType::Packed {
            digits,
            scale,
            signed,
        },
        8 if matches!(length, 1 | 2 | 4 | 8) => CobolType::Integer {
            bytes: u8::try_from(length).ok()?,
            digits,
            scale,
            signed,
            big_endian,
        },
        9 => CobolType::Float4,
        10 => CobolType::Float8,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> StatementBlock {
        let field = |argument, cobol| FieldDescriptor {
            argument,
            offset: 4,
            cobol,
            occurs: 1,
            stride: 0,
            indicator: Some((2, 2)),
            indicator_big_endian: true,
        };
        StatementBlock {
            kind: StatementKind::Fetch,
            number: 7,
            line: 123,
            source_file: 1,
            arguments: 3,
            cursor: CursorOptions {
                hold: true,
                for_update: true,
                ..CursorOptions::default()
            },
            kept_locks: Some(LockStrength::Exclusive),
            orientation: FetchOrientation::Relative(FetchDistance::Rows(-2)),
            rows: 0,
            rows_input: 0,
            token: *b"12345678",
            inputs: vec![field(
                0,
                CobolType::Zoned {
                    digits: 9,
                    scale: 2,
                    sign: SignPlace::Leading,
                },
            )],
            outputs: vec![
                field(
                    1,
                    CobolType::Varchar {
                        most: 20,
                        big_endian: false,
                    },
                ),
                field(
                    1,
                    CobolType::Packed {
                        digits: 31,
                        scale: -2,
                        signed: true,
                    },
                ),
            ],
            descriptor: Some(NumberOrder::BigEndian),
            name: "C-1".to_owned(),
            prepared: String::new(),
            text: "SELECT 'ÄÖ' FROM T WHERE A = :1".to_owned(),
        }
    }

    #[test]
    fn a_block_gives_back_its_statement() {
        let block = sample();
        assert_eq!(StatementBlock::parse(&block.emit()), Ok(block));
    }

    #[test]
    fn an_argument_that_is_not_passed_is_refused() {
        let mut block = sample();
        block.arguments = 1;
        assert_eq!(StatementBlock::parse(&block.emit()), Err(BlockError::Value));
        let bytes = sample().emit();
        assert_eq!(
            StatementBlock::parse(&bytes[..bytes.len() - 1]),
            Err(BlockError::Short)
        );
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_make_it_panic(at in 0usize..150, byte: u8, cut in 0usize..200) {
            let mut bytes = sample().emit();
            let at = at % bytes.len();
            bytes[at] = byte;
            bytes.truncate(cut.max(1));
            if let Ok(block) = StatementBlock::parse(&bytes) {
                let _ = block.statement();
            }
        }
    }
}
