//! COBOL data descriptions: parse, lay out, code pages, records to and from JSON, JSON Schema.

mod access;
pub mod codec;
pub mod codepage;
mod describe;
mod diagnostic;
mod layout;
mod model;
mod naming;
pub mod number;
mod options;
mod parse;
mod picture;
mod source;

pub use codec::{Codec, CodecOptions, DecodeError, EncodeError, FieldCodec};
pub use codepage::CodePage;
pub use describe::{
    FieldDescription, OccursDescription, RecordDescription, RenamesDescription, describe,
};
pub use diagnostic::{Diagnostic, Diagnostics, Position, Severity, SourceFile};
pub use model::*;
pub use naming::{Names, Naming};
pub use options::{Copybook, ParseOptions, expand, parse, parse_with_warnings};
pub use source::{CopyFolders, CopyResolver, Format, Member, NoCopy};
