//! COBOL data descriptions: parse, lay out, code pages, records to and from JSON, JSON Schema.

<<<<<<< HEAD
pub mod codepage;
mod model;
pub mod number;
=======
mod access;
mod model;
mod naming;
>>>>>>> store

pub use model::*;
pub use naming::{Names, Naming};
