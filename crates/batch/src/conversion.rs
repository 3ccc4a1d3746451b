//! Records of a DD in another code page than the program's.
//!
//! The program sees records in its own code page, whatever the code page of the
//! file. Each record is converted when it is read and when it is written. Its
//! length does not change.
//!
//! Invariant: a record that cannot be converted never reaches the program or the
//! file; the statement gets file status 30 and the reason is printed.

use std::collections::HashMap;
use std::io;
use std::rc::Rc;

use store::transfer::RecordConverter;

/// The conversions of a step, by DD name.
pub type StepConversions = HashMap<String, Rc<RecordConversion>>;

/// Between the records of a file and those of the program.
pub struct RecordConversion {
    /// Inward is towards the program.
    pub convert: Box<dyn RecordConverter>,
    /// Whether the file is in EBCDIC, which has its own blank and end of line.
    pub is_ebcdic: bool,
}

impl RecordConversion {
    /// A record of the file as the program sees it.
    pub(crate) fn inward(&self, outside: &[u8]) -> io::Result<Vec<u8>> {
        let mut record = Vec::with_capacity(outside.len());
        let done = self.convert.inward(outside, &mut record);
        done.map(|()| record).map_err(|e| unconvertible(&e))
    }

    /// A record of the program as the file has it.
    pub(crate) fn outward(&self, record: &[u8]) -> io::Result<Vec<u8>> {
        let mut outside = Vec::with_capacity(record.len());
        let done = self.convert.outward(record, &mut outside);
        done.map(|()| outside).map_err(|e| unconvertible(&e))
    }
}

fn unconvertible(why: &dyn std::fmt::Display) -> io::Error {
    let text = format!("the record cannot be converted: {why}");
    io::Error::new(io::ErrorKind::InvalidData, text)
}

/// The bytes that lines of a file are made with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LineBytes {
    pub end: u8,
    pub blank: u8,
}

impl LineBytes {
    /// Those of a file with this conversion.
    pub(crate) fn of(conversion: Option<&RecordConversion>) -> LineBytes {
        match conversion {
            Some(conversion) if conversion.is_ebcdic => LineBytes {
                end: 0x15,
                blank: 0x40,
            },
            _ => LineBytes {
                end: b'\n',
                blank: b' ',
            },
        }
    }
}
