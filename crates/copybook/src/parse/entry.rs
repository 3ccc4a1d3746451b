//! A data description entry as written, clause by clause.

use crate::diagnostic::SourcePosition;
use crate::model::{Condition, Literal};

/// A clause or name and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct WithPosition<T> {
    /// What was written.
    pub is: T,
    /// Where.
    pub at: SourcePosition,
}

/// A data name with its qualifiers, innermost first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DataReference {
    /// The name, in upper case.
    pub name: String,
    /// The groups after IN or OF.
    pub qualifiers: Vec<String>,
}

/// The USAGE clause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Usage {
    /// DISPLAY.
    Display,
    /// COMP, COMP-4, BINARY.
    Binary,
    /// COMP-5.
    Native,
    /// COMP-X and COMP-N.
    BinaryFull,
    /// COMP-1, FLOAT-SHORT.
    Float,
    /// COMP-2, FLOAT-LONG.
    Double,
    /// COMP-3, PACKED-DECIMAL.
    Packed,
    /// COMP-6.
    PackedUnsigned,
    /// FLOAT-DECIMAL-16 and -34: bytes.
    DecimalFloat(u32),
    /// BINARY-CHAR and its kind.
    Integer {
        /// Bytes.
        bytes: u32,
        /// Whether it holds negative numbers.
        signed: bool,
    },
    /// INDEX.
    Index,
    /// POINTER, FUNCTION-POINTER.
    Pointer,
    /// PROCEDURE-POINTER: 8 bytes with 31-bit addresses too.
    ProcedurePointer,
    /// NATIONAL.
    National,
    /// DISPLAY-1.
    Dbcs,
}

/// The SIGN clause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SignClause {
    /// LEADING rather than TRAILING.
    pub leading: bool,
    /// SEPARATE CHARACTER.
    pub separate: bool,
}

/// The OCCURS clause.
#[derive(Debug, Clone, PartialEq)]
pub struct OccursClause {
    /// Fewest occurrences.
    pub min: u32,
    /// Most occurrences.
    pub max: u32,
    /// DEPENDING ON.
    pub depending: Option<WithPosition<DataReference>>,
    /// ASCENDING or DESCENDING KEY.
    pub keys: Vec<WithPosition<DataReference>>,
    /// INDEXED BY.
    pub indexes: Vec<String>,
}

/// An entry of level 01 to 49 or 77, with the 88s under it.
#[derive(Debug, Clone, PartialEq)]
pub struct DataEntry {
    /// Level number.
    pub level: u8,
    /// Where the level number stands.
    pub at: SourcePosition,
    /// Name in upper case. `None` for FILLER and no name.
    pub name: Option<String>,
    /// REDEFINES.
    pub redefines: Option<WithPosition<String>>,
    /// PICTURE, as written.
    pub picture: Option<WithPosition<String>>,
    /// USAGE.
    pub usage: Option<WithPosition<Usage>>,
    /// SIGN.
    pub sign: Option<WithPosition<SignClause>>,
    /// OCCURS.
    pub occurs: Option<WithPosition<OccursClause>>,
    /// SYNCHRONIZED.
    pub synchronized: Option<SourcePosition>,
    /// JUSTIFIED.
    pub justified: Option<SourcePosition>,
    /// BLANK WHEN ZERO.
    pub blank_when_zero: Option<SourcePosition>,
    /// VALUE.
    pub value: Option<WithPosition<Literal>>,
    /// EXTERNAL.
    pub external: Option<SourcePosition>,
    /// TYPEDEF: describes a type, takes no storage.
    pub typedef: bool,
    /// SAME AS or TYPE: the item whose description this one has.
    pub like: Option<WithPosition<DataReference>>,
    /// Level-88 entries.
    pub conditions: Vec<Condition>,
    /// Whether a fault in its clauses was reported, so that what is missing
    /// need not be.
    pub faulty: bool,
}

impl DataEntry {
    /// An entry without clauses.
    pub fn new(level: u8, at: SourcePosition) -> Self {
        DataEntry {
            level,
            at,
            name: None,
            redefines: None,
            picture: None,
            usage: None,
            sign: None,
            occurs: None,
            synchronized: None,
            justified: None,
            blank_when_zero: None,
            value: None,
            external: None,
            typedef: false,
            like: None,
            conditions: Vec::new(),
            faulty: false,
        }
    }

    /// Its name for a diagnostic.
    pub fn shown(&self) -> &str {
        self.name.as_deref().unwrap_or("FILLER")
    }
}

/// A level-66 entry.
#[derive(Debug, Clone, PartialEq)]
pub struct RenamesEntry {
    /// Name in upper case.
    pub name: WithPosition<String>,
    /// First item.
    pub from: WithPosition<DataReference>,
    /// Last item, if a range.
    pub through: Option<WithPosition<DataReference>>,
    /// The number of entries of the record are before it.
    pub after: usize,
}

/// The entries of one record.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RecordEntries {
    /// The record first.
    pub entries: Vec<DataEntry>,
    /// Its level-66 entries.
    pub renames: Vec<RenamesEntry>,
}
