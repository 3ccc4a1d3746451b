//! The options of a [`Codec`](super::Codec).
//!
//! Every option has a default that loses nothing silently: bad data, unknown
//! fields and values that do not fit are errors by default.

use crate::codepage::CodePage;
use crate::naming::NamingStyle;
use crate::number::RoundingMode;

/// All options of a codec; start from `CodecOptions::default()`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodecOptions {
    /// Code page of the record's character fields, zoned digits and edited
    /// numbers.
    pub code_page: CodePage,
    /// How JSON members are named.
    pub naming: NamingStyle,
    /// How a sign is overpunched on a zoned digit when writing records.
    pub overpunch: Overpunch,
    /// The machine whose floats and COMP-5 integers the record has.
    pub machine: SourceMachine,
    /// Handling of blanks around text, record to JSON.
    pub trim: BlankTrimming,
    /// Leave out text that is all blanks or low-values, and groups and tables
    /// that become empty by it, record to JSON. Elements of tables stay.
    pub omit_empty: bool,
    /// How numbers are in JSON; both forms are read.
    pub numbers: NumberForm,
    /// How numeric-edited items are in JSON.
    pub edited: EditedForm,
    /// Handling of bytes that are not what the field's type demands.
    pub invalid: InvalidPolicy,
    /// Handling of characters that the other side does not have.
    pub unmappable: UnmappablePolicy,
    /// A record shorter than its layout.
    pub short_record: ShortRecord,
    /// A record longer than its layout.
    pub long_record: LongRecord,
    /// Which description of redefined storage counts, for each redefined item
    /// that needs its own answer.
    pub redefines: Vec<RedefinesRule>,
    /// The answer for every other redefined item.
    pub other_redefines: RedefinesChoice,
    /// A JSON member that names no field.
    pub unknown: UnknownMembers,
    /// A field that has no JSON member.
    pub missing: MissingMembers,
    /// A JSON null.
    pub null: NullPolicy,
    /// Text longer than its field.
    pub overlong: OverlongPolicy,
    /// Decimal places beyond those of the field.
    pub rounding: RoundingMode,
    /// The contents of a record before the JSON text is stored.
    pub initial: InitialContents,
}

impl Default for CodecOptions {
    fn default() -> Self {
        CodecOptions {
            code_page: CodePage::ascii(),
            naming: NamingStyle::default(),
            overpunch: Overpunch::default(),
            machine: SourceMachine::default(),
            trim: BlankTrimming::default(),
            omit_empty: false,
            numbers: NumberForm::default(),
            edited: EditedForm::default(),
            invalid: InvalidPolicy::default(),
            unmappable: UnmappablePolicy::default(),
            short_record: ShortRecord::default(),
            long_record: LongRecord::default(),
            redefines: Vec::new(),
            other_redefines: RedefinesChoice::default(),
            unknown: UnknownMembers::default(),
            missing: MissingMembers::default(),
            null: NullPolicy::default(),
            overlong: OverlongPolicy::default(),
            rounding: RoundingMode::default(),
            initial: InitialContents::default(),
        }
    }
}

/// Sign overpunch of zoned numbers in an ASCII region; EBCDIC has only one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Overpunch {
    /// `p` to `y` for minus, plain digits for plus, as GnuCOBOL writes.
    #[default]
    Digits,
    /// `{ABCDEFGHI` for plus and `}JKLMNOPQR` for minus: the look of EBCDIC
    /// data that was translated as text.
    Letters,
}

/// The machine of the binary fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SourceMachine {
    /// This machine's byte order and IEEE floats.
    #[default]
    Here,
    /// Big-endian, hexadecimal floats.
    Mainframe,
}

/// Blanks around text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BlankTrimming {
    /// Keep all: text has the field's full length.
    Keep,
    /// Drop the blanks that pad: those at the end, or at the beginning of a
    /// JUSTIFIED field.
    #[default]
    Padding,
    /// Drop blanks on both sides.
    Both,
}

/// How numbers are written in JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NumberForm {
    /// JSON numbers with all their digits.
    #[default]
    Number,
    /// The same digits in quotes.
    Text,
}

/// How numeric-edited items are written in JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EditedForm {
    /// The characters as they stand.
    #[default]
    Text,
    /// The number they show.
    Number,
}

/// Bytes that are not what the field's type demands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum InvalidPolicy {
    /// An error that names the field, its offset and its bytes.
    #[default]
    Error,
    /// `null`.
    Null,
    /// The bytes as text, `"0x"` and hexadecimal digits; read back as such.
    Raw,
}

/// Characters that one side does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UnmappablePolicy {
    /// An error that names the field and the character.
    #[default]
    Error,
    /// SUB in records, U+FFFD in JSON.
    Substitute,
}

/// Records shorter than their layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ShortRecord {
    /// An error.
    #[default]
    Error,
    /// Fields that are after the end are left out; text that the end cuts is as
    /// long as what is there.
    Absent,
}

/// Records longer than their layout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LongRecord {
    /// An error.
    #[default]
    Error,
    /// Bytes after the layout are ignored.
    Ignore,
    /// A record may be as long as its layout at most, whatever its counters
    /// say; what is after the last row of a short table is not looked at.
    Slack,
}

/// The rule for one redefined item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RedefinesRule {
    /// COBOL path of the item that is redefined, from below the record, parts
    /// joined by dots; an unambiguous end of it is enough.
    pub item: String,
    /// Which description counts.
    pub choice: RedefinesChoice,
}

/// Which of several descriptions of the same storage counts. A description is
/// named by its COBOL name, or by `#n` (the redefined item is `#0`, its
/// REDEFINES follow in source order) when it has none.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum RedefinesChoice {
    /// The redefined item itself; its REDEFINES do not appear.
    #[default]
    Redefined,
    /// Always this one; the others do not appear.
    Named(String),
    /// The one that another field's value selects.
    ByValue {
        /// COBOL path of the deciding field: outside all tables, or in the
        /// same table elements as the redefined item.
        field: String,
        /// Value as JSON would show it without quotes, and description.
        cases: Vec<(String, String)>,
        /// The description for any other value; without one, none appears.
        otherwise: Option<String>,
    },
    /// Every description whose fields all hold valid data.
    AllValid,
}

/// JSON members that name no field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UnknownMembers {
    /// An error.
    #[default]
    Error,
    /// Their values are skipped.
    Ignore,
}

/// Fields without a JSON member.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MissingMembers {
    /// They keep their initial value.
    #[default]
    Initial,
    /// An error; storage with several descriptions needs one of them.
    Error,
}

/// JSON nulls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NullPolicy {
    /// The field gets its initial value.
    #[default]
    Initial,
    /// An error.
    Error,
}

/// Text longer than its field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OverlongPolicy {
    /// An error.
    #[default]
    Error,
    /// Cut as MOVE cuts it: at the right, or at the left when JUSTIFIED; never
    /// within a character.
    Truncate,
}

/// The initial contents of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum InitialContents {
    /// The VALUE clause where there is one, else zero for numbers and blanks
    /// for text.
    #[default]
    Values,
    /// Zero for numbers and blanks for text.
    ByType,
    /// Binary zeros.
    LowValues,
}
