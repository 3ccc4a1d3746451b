//! COBOL data descriptions: parse, lay out, code pages, records to and from JSON, JSON Schema.

mod model;

pub use model::*;
