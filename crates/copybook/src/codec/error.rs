//! Errors of layouts, records and JSON texts.
//!
//! Three enums, one for each operation. An error about a field has its
//! [`FieldPlace`], so that a message can be shown to the sender of the data.

use std::fmt;

use crate::number::{BadNumber, DecimalError, DecimalMisfit};

/// A field occurrence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldPlace {
    /// COBOL path with subscripts from 1: `ORDER.LINE(3).AMOUNT`.
    pub path: String,
    /// JSON pointer, subscripts from 0: `/LINE/2/AMOUNT`.
    pub pointer: String,
    /// Offset in bytes in the record.
    pub offset: usize,
    /// Length in bytes.
    pub length: usize,
    /// The PICTURE as written, empty without one.
    pub picture: String,
}

impl fmt::Display for FieldPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.path)?;
        if !self.picture.is_empty() {
            write!(f, " PIC {}", self.picture)?;
        }
        write!(f, " (offset {}, length {})", self.offset, self.length)
    }
}

/// Why a codec cannot be built.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// A layout that contradicts itself; the layout pass does not make one.
    #[error("{path}: the layout is inconsistent: {reason}")]
    Layout {
        /// COBOL path.
        path: String,
        /// What does not fit.
        reason: &'static str,
    },
    /// Something that records may hold and this codec does not handle.
    #[error("{path}: {reason}")]
    Unsupported {
        /// COBOL path.
        path: String,
        /// What is not handled.
        reason: &'static str,
    },
    /// A numeric-edited picture that is not one.
    #[error("{path}: {error}")]
    Picture {
        /// COBOL path.
        path: String,
        /// What is wrong with it.
        error: crate::number::PictureError,
    },
    /// A VALUE that its field cannot hold.
    #[error("{path}: VALUE {value}: {reason}")]
    Value {
        /// COBOL path.
        path: String,
        /// The literal.
        value: String,
        /// Why not.
        reason: String,
    },
    /// An option that names a field which the layout does not have, or has
    /// more than once.
    #[error("option {option}: {name:?} {reason}")]
    Option {
        /// Which option.
        option: &'static str,
        /// The name given.
        name: String,
        /// What is wrong with it.
        reason: &'static str,
    },
}

/// Why a path does not lead to a field.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("path {path:?}: {reason}")]
pub struct PathError {
    /// The path as given.
    pub path: String,
    /// What is wrong with it.
    pub reason: String,
}

/// Why a record cannot become JSON.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// The bytes of a number are not one.
    #[error("{place}: {reason}: bytes {bytes:02x?}")]
    Invalid {
        /// Where.
        place: Box<FieldPlace>,
        /// Why.
        reason: BadNumber,
        /// The field's bytes.
        bytes: Vec<u8>,
    },
    /// A byte (or sequence) that is not a character of the code page.
    #[error("{place}: byte {at} is not a character of {code_page}: bytes {bytes:02x?}")]
    Unmappable {
        /// Where.
        place: Box<FieldPlace>,
        /// Offset of the byte in the field.
        at: usize,
        /// The code page's name.
        code_page: String,
        /// The field's bytes.
        bytes: Vec<u8>,
    },
    /// A record that ends before its layout does.
    #[error("the record has {actual} bytes, its layout needs {needed}")]
    TooShort {
        /// Bytes of the record.
        actual: usize,
        /// Bytes of the layout, for the counters' values.
        needed: usize,
    },
    /// A record that continues after its layout.
    #[error("the record has {actual} bytes, its layout ends at {limit}")]
    TooLong {
        /// Bytes of the record.
        actual: usize,
        /// Bytes of the layout, for the counters' values.
        limit: usize,
    },
    /// The counter of an OCCURS DEPENDING ON is outside its bounds.
    #[error("{place}: the counter is {value}, the table has from {min} to {max} elements")]
    Counter {
        /// The counter.
        place: Box<FieldPlace>,
        /// Its value, or its bytes when it has none.
        value: String,
        /// Fewest elements.
        min: u32,
        /// Most elements.
        max: u32,
    },
    /// No description of redefined storage holds valid data.
    #[error("{place}: no description of this storage fits: bytes {bytes:02x?}")]
    NoVariant {
        /// The redefined item.
        place: Box<FieldPlace>,
        /// Its bytes.
        bytes: Vec<u8>,
    },
    /// Subscripts that a field does not have.
    #[error("{place}: {reason}")]
    Subscript {
        /// The field.
        place: Box<FieldPlace>,
        /// What is wrong.
        reason: &'static str,
    },
}

/// Why JSON text cannot become a record.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EncodeError {
    /// Not JSON.
    #[error("line {line}, column {column}: {reason}")]
    Syntax {
        /// Byte offset in the text.
        offset: usize,
        /// Line, from 1.
        line: usize,
        /// Column in bytes, from 1.
        column: usize,
        /// What is wrong.
        reason: &'static str,
    },
    /// A member that names no field.
    #[error("{pointer}: no such field")]
    Unknown {
        /// JSON pointer of the member.
        pointer: String,
        /// Byte offset in the text.
        offset: usize,
    },
    /// The same member twice.
    #[error("{place}: given twice")]
    Duplicate {
        /// The field.
        place: Box<FieldPlace>,
        /// Byte offset of the second in the text.
        offset: usize,
    },
    /// A field without a member.
    #[error("{place}: missing")]
    Missing {
        /// The field.
        place: Box<FieldPlace>,
    },
    /// A value of the wrong type.
    #[error("{place}: {expected} expected, {found} found")]
    Type {
        /// The field.
        place: Box<FieldPlace>,
        /// What the field takes.
        expected: &'static str,
        /// What the text has.
        found: &'static str,
        /// Byte offset in the text.
        offset: usize,
    },
    /// Text longer than its field.
    #[error("{place}: the text needs {length} bytes, the field has {max}")]
    TooLong {
        /// The field.
        place: Box<FieldPlace>,
        /// Bytes of the text in the record's code page.
        length: usize,
        /// Bytes of the field.
        max: usize,
    },
    /// A number that does not fit.
    #[error("{place}: {text} is {reason}")]
    Number {
        /// The field.
        place: Box<FieldPlace>,
        /// The number as given.
        text: String,
        /// Why it does not fit.
        reason: NumberError,
    },
    /// A character that the code page does not have.
    #[error("{place}: {character:?} is not in {code_page}")]
    Unmappable {
        /// The field.
        place: Box<FieldPlace>,
        /// The character.
        character: char,
        /// The code page's name.
        code_page: String,
    },
    /// More or fewer elements than the table has.
    #[error("{place}: {count} elements, the table has from {min} to {max}")]
    Elements {
        /// The table.
        place: Box<FieldPlace>,
        /// Elements given, or more than that.
        count: u64,
        /// Fewest.
        min: u32,
        /// Most.
        max: u32,
    },
    /// Tables that share a counter have different lengths.
    #[error("{place}: {count} elements, but {other} in another table with the same counter")]
    CounterConflict {
        /// The table.
        place: Box<FieldPlace>,
        /// Its elements.
        count: u32,
        /// Those of the other.
        other: u32,
    },
    /// The counter of a table is not a number within its bounds.
    #[error("{place}: the counter is {value}, the table has from {min} to {max} elements")]
    Counter {
        /// The counter.
        place: Box<FieldPlace>,
        /// Its value, or its bytes when it has none.
        value: String,
        /// Fewest elements.
        min: u32,
        /// Most elements.
        max: u32,
    },
    /// The area for the record is shorter than the layout.
    #[error("the area has {actual} bytes, the record needs {needed}")]
    Area {
        /// Bytes of the area.
        actual: usize,
        /// Bytes of the layout at its longest.
        needed: usize,
    },
    /// Subscripts that a field does not have.
    #[error("{place}: {reason}")]
    Subscript {
        /// The field.
        place: Box<FieldPlace>,
        /// What is wrong.
        reason: &'static str,
    },
}

/// Why a number does not go into a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NumberError {
    /// Not a number the codec can hold.
    #[error(transparent)]
    Decimal(#[from] DecimalError),
    /// Too many digits on one side of the point.
    #[error(transparent)]
    Misfit(#[from] DecimalMisfit),
    /// Negative in an unsigned field.
    #[error("negative, and the field is unsigned")]
    Sign,
}

impl From<crate::number::EditError> for NumberError {
    fn from(error: crate::number::EditError) -> Self {
        match error {
            crate::number::EditError::Misfit(misfit) => NumberError::Misfit(misfit),
            crate::number::EditError::NoSign => NumberError::Sign,
        }
    }
}

impl EncodeError {
    /// JSON pointer of the member at fault. Returns `None` for faults of the text
    /// as a whole.
    pub fn pointer(&self) -> Option<&str> {
        match self {
            EncodeError::Syntax { .. } | EncodeError::Area { .. } => None,
            EncodeError::Unknown { pointer, .. } => Some(pointer),
            EncodeError::Duplicate { place, .. }
            | EncodeError::Missing { place }
            | EncodeError::Type { place, .. }
            | EncodeError::TooLong { place, .. }
            | EncodeError::Number { place, .. }
            | EncodeError::Unmappable { place, .. }
            | EncodeError::Elements { place, .. }
            | EncodeError::CounterConflict { place, .. }
            | EncodeError::Counter { place, .. }
            | EncodeError::Subscript { place, .. } => Some(&place.pointer),
        }
    }
}
