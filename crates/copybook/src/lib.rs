//! COBOL data descriptions: parse, lay out, code pages, records to and from JSON, JSON Schema.

mod access;
mod model;
mod naming;

pub use model::*;
pub use naming::{Names, Naming};
