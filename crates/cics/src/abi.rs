//! The command block: how a translated EXEC CICS command describes itself.
//!
//! Each command becomes one `CALL "DFHEI1"` whose first argument is a constant
//! block; its operands follow by reference in ascending order of their option's
//! index in the command's row. The worker reads the size and type of an operand
//! from libcob's description of the argument.
//!
//! ```text
//!  0       2         4              8       10        11        12                   28
//!  +-------+---------+--------------+-------+---------+---------+--------------------+---------------
//!  | "TX"  | command | source line  | flags | operand | source  | options present    | pairs: code u16,
//!  |       | u16     | u32          | u16   | count   | file    | u128, bit = index  | label u16 ...
//!  +-------+---------+--------------+-------+---------+---------+--------------------+---------------
//! ```
//!
//! All numbers are big-endian. RESP, RESP2 and NOHANDLE have the same bits in
//! every command ([`crate::command::RESP`] and its neighbours), so that their
//! operands come last. Labels have a bit and no operand.
//!
//! The pairs are present for HANDLE CONDITION, HANDLE AID and IGNORE CONDITION:
//! a condition or AID number and the label's position in the program's list
//! of labels, 0 for none; and for HANDLE ABEND LABEL as one pair whose first
//! number is 0. A program has one list of labels for all of these.
//!
//! The first call of a program is `CALL "DFHEI0"` with four arguments: a block
//! of command number 0, a pointer that receives the address of the EIB, a
//! fullword that receives the resume code of an abend (0, or the position of
//! the label to go to) and the fullword that the worker sets to a label's
//! position when a condition or AID takes effect (0 otherwise). Both fullwords
//! are COMP-5. The worker keeps the last one's address for the program's level.

/// Name of the entry that every command calls.
pub const EXEC_ENTRY: &str = "DFHEI1";

/// Name of the entry that every translated program calls first.
pub const START_ENTRY: &str = "DFHEI0";

/// Command number of the block of [`START_ENTRY`].
pub const START_COMMAND: u16 = 0;

/// First two bytes of a block.
pub const MAGIC: [u8; 2] = *b"TX";

/// Bytes before the pairs.
pub const HEADER_BYTES: usize = 28;

/// The command names RESP: conditions are returned, not raised.
pub const FLAG_RESP: u16 = 1;
/// The command has NOHANDLE.
pub const FLAG_NOHANDLE: u16 = 2;
/// The program tests for a label after this command.
pub const FLAG_LABELS: u16 = 4;

/// A checked view over a block's bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CommandBlock<'a>(&'a [u8]);

/// The error of a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlockError {
    /// Fewer bytes than [`HEADER_BYTES`].
    Short,
    /// The first bytes are not [`MAGIC`].
    Magic,
}

impl<'a> CommandBlock<'a> {
    /// Checks length and magic.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, BlockError> {
        if bytes.len() < HEADER_BYTES {
            return Err(BlockError::Short);
        }
        if bytes[..2] != MAGIC {
            return Err(BlockError::Magic);
        }
        Ok(CommandBlock(bytes))
    }

    /// The command's number in the table.
    pub fn command(&self) -> u16 {
        self.u16_at(2)
    }

    /// Line of the command in its source file, from 1.
    pub fn line(&self) -> u32 {
        u32::from_be_bytes([self.0[4], self.0[5], self.0[6], self.0[7]])
    }

    /// `FLAG_*` bits.
    pub fn flags(&self) -> u16 {
        self.u16_at(8)
    }

    /// Number of operands that follow the block.
    pub fn operand_count(&self) -> usize {
        usize::from(self.0[10])
    }

    /// 0 for the program itself, n for its n-th COPY member.
    pub fn source_file(&self) -> u8 {
        self.0[11]
    }

    /// Options present, bit i for option i of the command's row.
    pub fn options(&self) -> u128 {
        let mut b = [0; 16];
        b.copy_from_slice(&self.0[12..28]);
        u128::from_be_bytes(b)
    }

    /// Pairs of a condition or AID number and a label's position.
    pub fn pairs(&self) -> impl Iterator<Item = (u16, u16)> + 'a {
        self.0[HEADER_BYTES..].as_chunks::<4>().0.iter().map(|p| {
            (
                u16::from_be_bytes([p[0], p[1]]),
                u16::from_be_bytes([p[2], p[3]]),
            )
        })
    }

    fn u16_at(&self, at: usize) -> u16 {
        u16::from_be_bytes([self.0[at], self.0[at + 1]])
    }
}

/// The meaning of a block, for the side that writes it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BlockRepr {
    /// The command's number in the table.
    pub command: u16,
    /// Line of the command in its source file, from 1.
    pub line: u32,
    /// `FLAG_*` bits.
    pub flags: u16,
    /// Number of operands that follow the block.
    pub operand_count: u8,
    /// 0 for the program itself, n for its n-th COPY member.
    pub source_file: u8,
    /// Options present, bit i for option i of the command's row.
    pub options: u128,
    /// Pairs of a condition or AID number and a label's position.
    pub pairs: Vec<(u16, u16)>,
}

impl BlockRepr {
    /// Writes the block's bytes.
    pub fn emit(&self) -> Vec<u8> {
        let mut b = Vec::with_capacity(HEADER_BYTES + 4 * self.pairs.len());
        b.extend_from_slice(&MAGIC);
        b.extend_from_slice(&self.command.to_be_bytes());
        b.extend_from_slice(&self.line.to_be_bytes());
        b.extend_from_slice(&self.flags.to_be_bytes());
        b.push(self.operand_count);
        b.push(self.source_file);
        b.extend_from_slice(&self.options.to_be_bytes());
        for (code, label) in &self.pairs {
            b.extend_from_slice(&code.to_be_bytes());
            b.extend_from_slice(&label.to_be_bytes());
        }
        b
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_reads_back_as_it_was_written() {
        let repr = BlockRepr {
            command: 0x0602,
            line: 70_000,
            flags: FLAG_RESP | FLAG_LABELS,
            operand_count: 3,
            source_file: 2,
            options: (1 << 127) | 5,
            pairs: vec![(13, 1), (27, 0)],
        };
        let bytes = repr.emit();
        let block = CommandBlock::parse(&bytes).unwrap();
        assert_eq!(block.command(), repr.command);
        assert_eq!(block.line(), repr.line);
        assert_eq!(block.flags(), repr.flags);
        assert_eq!(block.operand_count(), 3);
        assert_eq!(block.source_file(), 2);
        assert_eq!(block.options(), repr.options);
        assert_eq!(block.pairs().collect::<Vec<_>>(), repr.pairs);
    }

    #[test]
    fn short_and_foreign_blocks_are_refused() {
        assert_eq!(CommandBlock::parse(b"TX"), Err(BlockError::Short));
        assert_eq!(CommandBlock::parse(&[0; 28]), Err(BlockError::Magic));
    }
}
