//! Db2's LOAD: its statement, the layout of its input records, and their values.
//!
//! ```text
//! LOAD DATA INDDN SYSREC RESUME YES INTO TABLE SHOP.STOCK
//!   (ITEM POSITION(1:8) CHAR(8), COUNTED POSITION(9:12) DECIMAL PACKED)
//!        │ statement             │ layout                │ record
//!        ▼                       ▼                       ▼
//!   LoadStatement ──────▶ Vec<LoadField> ──────▶ values of each record
//! ```
//!
//! Without a list of fields the layout is that of a copybook (DCLGEN), or Db2's default: the
//! table's columns one after the other.
//!
//! Reference: Db2 for z/OS Utility Guide and Reference, "LOAD".
//! Invariant: no record and no statement makes it panic.

mod layout;
mod number;
mod record;
mod statement;

pub use layout::{LayoutError, fields_of_copybook, fields_of_table, fixed_bytes, is_variable};
pub use record::{BadValue, LoadValue, sql_literal, values};
pub use statement::{LoadError, LoadItem, LoadStatement, items};

/// A field of the input records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadField {
    /// The column that it is for.
    pub column: String,
    /// Its first byte, from 1; `None` if it follows the field before.
    pub from: Option<u32>,
    /// Its last byte, if POSITION has it.
    pub to: Option<u32>,
    /// How it is written.
    pub kind: FieldKind,
    /// When the column is NULL.
    pub null_if: Option<FieldCondition>,
    /// When the column has its default.
    pub default_if: Option<FieldCondition>,
}

/// How a field is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FieldKind {
    /// CHAR(n); without a length that of POSITION, or of the column.
    Char(Option<u32>),
    /// VARCHAR: two bytes of length, then characters.
    Varchar,
    /// BINARY(n).
    Binary(Option<u32>),
    /// VARBINARY.
    Varbinary,
    /// A number in two's complement, big-endian, of so many bytes.
    Integer(u32),
    /// INTEGER, DECIMAL or FLOAT EXTERNAL: a number as characters; digits after the point
    /// if it has none.
    External(Option<u32>, u8),
    /// DECIMAL PACKED, with its digits after the point; without them the column's.
    Packed(Option<u32>, Option<u8>),
    /// DECIMAL ZONED, as packed.
    Zoned(Option<u32>, Option<u8>),
    /// FLOAT or REAL of IEEE, big-endian, of so many bytes.
    Float(u32),
    /// DATE, TIME or TIMESTAMP EXTERNAL(n).
    Datetime(Option<u32>),
}

/// NULLIF and DEFAULTIF: bytes of the record that are equal to a constant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldCondition {
    /// What is compared.
    pub place: ConditionPlace,
    /// The constant.
    pub value: ConditionValue,
}

/// What a condition compares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConditionPlace {
    /// Bytes of the record, from 1.
    Bytes(u32, Option<u32>),
    /// A field, by its name.
    Field(String),
}

/// The constant of a condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ConditionValue {
    /// Characters of the record's code page.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
}
