//! COBOL data descriptions: parse, lay out, code pages, records to and from JSON, JSON Schema.

pub mod codepage;
mod model;
pub mod number;

pub use model::*;
