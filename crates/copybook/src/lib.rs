//! COBOL data descriptions: parse, lay out, code pages, records to and from JSON, JSON Schema.
//!
//! [`parse`] reads a copybook, or the data division of a program, and returns a
//! [`Layout`] for every record, or all [`Diagnostics`] of the text. Offsets and
//! lengths are those of GnuCOBOL with `-std=ibm`, so a layout describes what a
//! program compiled here sees. From a layout come [`describe`] for users and tools,
//! [`json_schema`], and [`RecordCodec`] for the data itself.
//!
//! ```
//! let text = "
//!        01  CUSTOMER.
//!            05  CUSTOMER-NUMBER    PIC 9(8).
//!            05  CREDIT-LIMIT       PIC S9(7)V99 COMP-3.
//! ";
//! let layouts = copybook::parse(text, &copybook::ParseOptions::default())?;
//! let limit = layouts[0].find("CREDIT-LIMIT").expect("it is there");
//! assert_eq!((layouts[0][limit].offset, layouts[0][limit].length), (8, 5));
//! # Ok::<(), copybook::Diagnostics>(())
//! ```
//!
//! Not supported, each with its own diagnostic: external floating point and boolean
//! pictures, national-edited pictures, OCCURS DYNAMIC and UNBOUNDED, USAGE BIT and
//! OBJECT REFERENCE, conditional compilation, and LENGTH OF in constants.
//!
//! Files are read only by [`CopyFolders`]; everything else works on memory.

mod access;
pub mod codec;
pub mod codepage;
mod describe;
mod diagnostic;
pub mod generated;
mod layout;
mod model;
mod naming;
pub mod number;
mod options;
mod parse;
mod picture;
mod schema;
mod source;
mod values;

pub use codec::{CodecItem, CodecOptions, DecodeError, EncodeError, FieldCodec, RecordCodec};
pub use codepage::CodePage;
pub use describe::{
    ConditionDescription, FieldDescription, OccursDescription, RecordDescription,
    RenamesDescription, describe,
};
pub use diagnostic::{Diagnostic, Diagnostics, FaultKind, Severity, SourceFile, SourcePosition};
pub use model::*;
pub use naming::{JsonNames, NamingStyle};
pub use options::{
    Copybook, ParseOptions, expand, has_decimal_comma, parse, parse_with_warnings,
    with_decimal_comma,
};
pub use schema::{SchemaDirection, json_schema};
pub use source::{
    CopyFolders, CopyMember, CopyResolver, NoCopy, PieceKind, PreprocessedText, ReferenceFormat,
    TextPiece, preprocess, words,
};
pub use values::shown_value;
