//! COBOL data descriptions: parse, lay out, code pages, records to and from JSON, JSON Schema.
//!
//! [`parse`] reads a copybook, or the data division of a program, and gives a
//! [`Layout`] for every record, or all [`Diagnostics`] of the text. Offsets
//! and lengths are those of GnuCOBOL with `-std=ibm`, so a layout describes
//! what a program compiled here sees. From a layout come [`describe`] for
//! people and tools, [`json_schema`], and [`RecordCodec`] for the data itself.
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
//! Not supported, each with a diagnostic of its own: external floating point
//! and boolean pictures, national-edited pictures, OCCURS DYNAMIC and
//! UNBOUNDED, USAGE BIT and OBJECT REFERENCE, conditional compilation, and
//! LENGTH OF in constants.
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

pub use codec::{RecordCodec, CodecOptions, DecodeError, EncodeError, FieldCodec, CodecItem};
pub use codepage::CodePage;
pub use describe::{
    ConditionDescription, FieldDescription, OccursDescription, RecordDescription,
    RenamesDescription, describe,
};
pub use diagnostic::{Diagnostic, Diagnostics, FaultKind, SourcePosition, Severity, SourceFile};
pub use model::*;
pub use naming::{JsonNames, NamingStyle};
pub use options::{
    Copybook, ParseOptions, expand, parse, parse_with_warnings, has_decimal_comma,
    with_decimal_comma,
};
pub use schema::{SchemaDirection, json_schema};
pub use source::{
    CopyFolders, CopyResolver, ReferenceFormat, CopyMember, NoCopy, TextPiece, PieceKind, PreprocessedText, preprocess,
    words,
};
