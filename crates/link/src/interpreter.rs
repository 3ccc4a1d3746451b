//! One command without a program: what the command interpreter has a worker
//! execute, and what comes back.
//!
//! The interpreter links to [`INTERPRETER_PROGRAM`] with an image as COMMAREA. A
//! worker has no module of that name; it executes the command of the image as it
//! would execute a program's, and gives an outcome back.
//!
//! ```text
//! image:    command u16 | options u128 | operands u8 | (option u8 | binary u8 | length u32 | bytes)…
//! outcome:  abend 4 bytes | EIB length u16 | EIB | operands u8 | (length u32 | bytes)…
//! ```
//! All numbers are big-endian. Operands are in ascending order of their option.

use crate::ProtocolViolation;

/// The program that executes images.
pub const INTERPRETER_PROGRAM: [u8; 8] = *b"DFHECIP ";

/// A command with its operands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CommandImage {
    /// Its number in the table.
    pub command: u16,
    /// The options that are there, by bit.
    pub options: u128,
    /// The operands of the options that have one.
    pub operands: Vec<ImageOperand>,
}

/// An operand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImageOperand {
    /// Index of its option.
    pub option: u8,
    /// A binary number in the machine's byte order; characters otherwise.
    pub binary: bool,
    /// Its storage.
    pub data: Vec<u8>,
}

/// The outcome of a command.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ImageOutcome {
    /// The abend code, or zeros.
    pub abend: [u8; 4],
    /// The EIB after the command.
    pub eib: Vec<u8>,
    /// The storage of the operands afterwards.
    pub operands: Vec<Vec<u8>>,
}

impl CommandImage {
    /// Writes it.
    pub fn emit(&self) -> Vec<u8> {
        let mut out = self.command.to_be_bytes().to_vec();
        out.extend(self.options.to_be_bytes());
        // A command has fewer options than a byte counts.
        out.push(self.operands.len() as u8);
        for operand in &self.operands {
            out.extend([operand.option, operand.binary.into()]);
            emit_bytes(&operand.data, &mut out);
        }
        out
    }

    /// Reads a command.
    ///
    /// # Errors
    /// The bytes are truncated.
    pub fn parse(bytes: &[u8]) -> Result<CommandImage, ProtocolViolation> {
        let mut rest = bytes;
        let command = u16::from_be_bytes(take(&mut rest)?);
        let options = u128::from_be_bytes(take(&mut rest)?);
        let [count] = take(&mut rest)?;
        let operands = (0..count).map(|_| {
            let [option, binary] = take(&mut rest)?;
            let data = take_bytes(&mut rest)?;
            Ok(ImageOperand {
                option,
                binary: binary != 0,
                data,
            })
        });
        Ok(CommandImage {
            command,
            options,
            operands: operands.collect::<Result<_, ProtocolViolation>>()?,
        })
    }
}

impl ImageOutcome {
    /// Writes it.
    pub fn emit(&self) -> Vec<u8> {
        let mut out = self.abend.to_vec();
        emit_bytes(&self.eib, &mut out);
        out.push(self.operands.len() as u8);
        for operand in &self.operands {
            emit_bytes(operand, &mut out);
        }
        out
    }

    /// Reads an outcome.
    ///
    /// # Errors
    /// The bytes are truncated.
    pub fn parse(bytes: &[u8]) -> Result<ImageOutcome, ProtocolViolation> {
        let mut rest = bytes;
        let abend = take(&mut rest)?;
        let eib = take_bytes(&mut rest)?;
        let [count] = take(&mut rest)?;
        let operands = (0..count).map(|_| take_bytes(&mut rest));
        Ok(ImageOutcome {
            abend,
            eib,
            operands: operands.collect::<Result<_, ProtocolViolation>>()?,
        })
    }
}

fn emit_bytes(bytes: &[u8], out: &mut Vec<u8>) {
    // A message between region and worker is far below 4 GB.
    out.extend((bytes.len() as u32).to_be_bytes());
    out.extend(bytes);
}

fn take<const N: usize>(rest: &mut &[u8]) -> Result<[u8; N], ProtocolViolation> {
    let (first, after) = rest.split_first_chunk().ok_or(CUT_OFF)?;
    *rest = after;
    Ok(*first)
}

fn take_bytes(rest: &mut &[u8]) -> Result<Vec<u8>, ProtocolViolation> {
    let length = u32::from_be_bytes(take(rest)?) as usize;
    let (bytes, after) = rest.split_at_checked(length).ok_or(CUT_OFF)?;
    *rest = after;
    Ok(bytes.to_vec())
}

const CUT_OFF: ProtocolViolation = ProtocolViolation::Operands;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_and_outcomes_read_back_as_they_were_written() {
        let image = CommandImage {
            command: 0x0A02,
            options: (1 << 127) | 3,
            operands: vec![ImageOperand {
                option: 1,
                binary: true,
                data: vec![1, 2],
            }],
        };
        let outcome = ImageOutcome {
            abend: *b"ASRA",
            eib: vec![7; 85],
            operands: vec![b"data".to_vec(), Vec::new()],
        };
        assert_eq!(CommandImage::parse(&image.emit()).unwrap(), image);
        assert_eq!(ImageOutcome::parse(&outcome.emit()).unwrap(), outcome);
        for end in 0..image.emit().len() {
            assert!(CommandImage::parse(&image.emit()[..end]).is_err());
        }
        for end in 0..outcome.emit().len() {
            assert!(ImageOutcome::parse(&outcome.emit()[..end]).is_err());
        }
    }
}
