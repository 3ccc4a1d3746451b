//! COBOL data descriptions: parse, lay out, code pages, records to and from JSON, JSON Schema.

mod access;
pub mod codec;
pub mod codepage;
mod model;
mod naming;
pub mod number;

pub use codec::{Codec, CodecOptions, DecodeError, EncodeError, FieldCodec};
pub use codepage::CodePage;
pub use model::*;
pub use naming::{Names, Naming};
