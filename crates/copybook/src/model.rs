//! The layout of a record, byte by byte.
//!
//! A [`RecordLayout`] is one 01 (or 77) level with every item beneath it in source
//! order, in one flat arena; [`FieldId`] is an index into it. The parser and
//! the layout pass produce it, the codec and the schema generator read it.
//!
//! Invariant: no text of the source is needed after this point, and nothing
//! here is guessed: a clause the parser does not understand is an error before
//! a layout exists.

/// Index of a field in its [`RecordLayout`]'s arena; the record itself is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FieldId(pub u32);

/// One 01-level record with its fields.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordLayout {
    /// Every item in source order, FILLER included; index 0 is the record.
    /// Levels 66 and 88 are not items of their own (see [`Field::conditions`]
    /// and [`RecordLayout::renames`]).
    pub fields: Vec<Field>,
    /// Level-66 items.
    pub renames: Vec<Renames>,
    /// Length in bytes with every OCCURS DEPENDING ON at its maximum.
    pub length: u32,
    /// Length in bytes with every OCCURS DEPENDING ON at its minimum.
    pub min_length: u32,
}

/// One data item.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// COBOL name in upper case. `None` for FILLER and unnamed items.
    pub name: Option<String>,
    /// Level number as written, 1 to 49, or 77.
    pub level: u8,
    /// The group it belongs to. `None` for the record.
    pub parent: Option<FieldId>,
    /// Direct subordinates in source order.
    pub children: Vec<FieldId>,
    /// Offset in bytes from the start of the record, for the first occurrence
    /// in every table above it and with every OCCURS DEPENDING ON before it at
    /// its maximum.
    pub offset: u32,
    /// Length in bytes of one occurrence, any DEPENDING ON inside at maximum.
    pub length: u32,
    /// `true` if a table with DEPENDING ON is before it in the record, so its real
    /// offset moves with the counter.
    pub slides: bool,
    /// Its type.
    pub kind: FieldKind,
    /// OCCURS clause.
    pub occurs: Option<Occurs>,
    /// The item whose storage this one redefines.
    pub redefines: Option<FieldId>,
    /// Level-88 conditions.
    pub conditions: Vec<Condition>,
    /// VALUE clause, as written (a literal without quotes, or a figurative
    /// constant's name).
    pub value: Option<Literal>,
    /// JUSTIFIED RIGHT.
    pub justified: bool,
    /// BLANK WHEN ZERO.
    pub blank_when_zero: bool,
    /// PICTURE string as written, without blanks, upper case.
    pub picture: Option<String>,
    /// Line in the source the item starts on, from 1 (a COPY member counts its
    /// own lines).
    pub line: u32,
}

/// OCCURS.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Occurs {
    /// Fewest occurrences; equals `max` for a fixed table.
    pub min: u32,
    /// Most occurrences.
    pub max: u32,
    /// The counter of an OCCURS DEPENDING ON that is in the same record.
    pub depending_on: Option<FieldId>,
    /// Bytes from one occurrence to the next (length plus SYNC slack).
    pub stride: u32,
    /// INDEXED BY names.
    pub indexes: Vec<String>,
}

/// The type of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FieldKind {
    /// A group item.
    Group,
    /// PIC X, A, or mixed: characters of the record's code page.
    Alphanumeric,
    /// Alphanumeric edited (X with B 0 /): characters as they stand.
    AlphanumericEdited,
    /// PIC N / USAGE NATIONAL: UTF-16 code units, big-endian.
    National,
    /// PIC G / USAGE DISPLAY-1: double-byte characters.
    Dbcs,
    /// A number with a picture of 9 S V P.
    Numeric(NumericItem),
    /// Numeric edited: the characters of a formatted number.
    NumericEdited(NumericEditing),
    /// COMP-1: 4-byte float in the machine's order.
    Float,
    /// COMP-2: 8-byte float in the machine's order.
    Double,
    /// FLOAT-DECIMAL-16 (8 bytes) or FLOAT-DECIMAL-34 (16 bytes): an IEEE 754
    /// decimal float with a binary-integer significand, in the machine's order.
    DecimalFloat,
    /// USAGE INDEX.
    Index,
    /// USAGE POINTER or PROCEDURE-POINTER.
    Pointer,
}

/// A number and its storage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NumericItem {
    /// Digits of the picture, P not counted. For the usages without a picture
    /// (BINARY-CHAR and its kind) the most digits their bytes can hold.
    pub digits: u16,
    /// Digits after the assumed decimal point; negative when P is on the right (the
    /// value is a multiple of ten to that power); larger than `digits` when P is on
    /// the left.
    pub scale: i16,
    /// S in the picture.
    pub signed: bool,
    /// How the digits are stored.
    pub storage: NumberStorage,
}

/// How a number's digits are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NumberStorage {
    /// USAGE DISPLAY: a digit a byte.
    Zoned {
        /// Where the sign is.
        sign: SignPlace,
    },
    /// COMP-3, PACKED-DECIMAL: two digits a byte, sign in the last nibble.
    Packed,
    /// COMP-6: packed without a sign nibble.
    PackedUnsigned,
    /// COMP, COMP-4, BINARY: big-endian two's complement, limited by picture.
    /// 2, 4, 8 or (beyond 18 digits) 16 bytes; the field's length says which.
    Binary,
    /// COMP-X: big-endian, full range of its bytes, any length from 1 to 8.
    BinaryFull,
    /// COMP-5, BINARY-CHAR and its kind: the machine's order, full range of
    /// its bytes.
    Native,
}

/// Where the sign of a zoned number is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SignPlace {
    /// Unsigned.
    None,
    /// Overpunched on the last digit (the default of S).
    Trailing,
    /// Overpunched on the first digit.
    Leading,
    /// A byte of its own after the digits.
    TrailingSeparate,
    /// A byte of its own before the digits.
    LeadingSeparate,
}

/// A numeric-edited picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NumericEditing {
    /// Digit positions, floating insertion counted as COBOL does.
    pub digits: u16,
    /// Digits after the decimal point.
    pub scale: i16,
    /// Whether the picture can show a sign.
    pub signed: bool,
}

/// A level-88 condition.
#[derive(Debug, Clone, PartialEq)]
pub struct Condition {
    /// COBOL name in upper case.
    pub name: String,
    /// Values and ranges (`THRU`), low to high.
    pub values: Vec<(Literal, Option<Literal>)>,
}

/// A literal in a VALUE clause.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Literal {
    /// A character literal, quotes removed and doubled quotes undone.
    Text(String),
    /// A hexadecimal literal's bytes.
    Hex(Vec<u8>),
    /// A numeric literal as written, sign and point included.
    Number(String),
    /// ZERO, SPACE, LOW-VALUE, HIGH-VALUE, QUOTE, NULL in the singular.
    Figurative(String),
    /// ALL followed by a literal.
    All(Box<Literal>),
}

/// A level-66 item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Renames {
    /// COBOL name in upper case.
    pub name: String,
    /// First field covered.
    pub from: FieldId,
    /// Last field covered (equals `from` without THRU).
    pub through: FieldId,
    /// Offset in bytes.
    pub offset: u32,
    /// Length in bytes.
    pub length: u32,
}
