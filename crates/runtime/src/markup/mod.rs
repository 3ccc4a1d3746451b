//! The JSON and XML statements of COBOL.
//!
//! A statement is a CALL of [`ENTRY`]. Its first operand is the descriptor that
//! the translator made of the statement and of the data descriptions
//! ([`descriptor`]); the operands after it are those of [`operand`].
//! [`StatementCache::serve`] does the statement on the program's storage.
//!
//! Text is in the code page of the program. Bytes beyond ASCII pass unchanged.
//! Reference: Enterprise COBOL Language Reference, "JSON GENERATE statement",
//! "JSON PARSE statement", "XML GENERATE statement", "XML PARSE statement".

pub mod descriptor;
mod generate;
mod json_generate;
mod json_parse;
mod json_text;
mod number;
mod serve;
mod store;
mod value;
mod xml_events;
mod xml_generate;
mod xml_names;

pub use serve::{CallOperands, StatementCache};

/// The entry that programs call.
pub const ENTRY: &str = "DFHEI3";

/// A statement that cannot continue: the program ends abnormally with this text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Fault(pub String);

/// Places of the operands of [`ENTRY`].
pub mod operand {
    /// The descriptor, in all statements.
    pub const DESCRIPTOR: usize = 0;
    /// The receiver of a GENERATE; the text of a PARSE.
    pub const TEXT: usize = 1;
    /// The item that FROM or INTO names.
    pub const RECORD: usize = 2;
    /// JSON-CODE or XML-CODE, in all statements.
    pub const CODE: usize = 3;
    /// COUNT IN of a GENERATE; JSON-STATUS of JSON PARSE.
    pub const COUNT: usize = 4;
    /// NAMESPACE of XML GENERATE.
    pub const NAMESPACE: usize = 5;
    /// NAMESPACE-PREFIX of XML GENERATE.
    pub const PREFIX: usize = 6;
    /// The first counter of a table with OCCURS DEPENDING ON.
    pub const COUNTERS: usize = 7;

    /// State of XML PARSE: 1 while there is an event to process. It is in
    /// the place of the record.
    pub const STATE: usize = RECORD;
    /// XML-EVENT.
    pub const EVENT: usize = 4;
    /// XML-INFORMATION.
    pub const INFORMATION: usize = 5;
    /// XML-TEXT, XML-NAMESPACE and XML-NAMESPACE-PREFIX: each is a length and
    /// an area.
    pub const TEXTS: usize = 6;
}
