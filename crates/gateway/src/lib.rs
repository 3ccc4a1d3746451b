//! REST and JSON in front of region programs, from z/OS Connect API projects.

mod diagnostics;
mod json;
mod mapping;
mod openapi;
mod problem;
mod validate;
mod yaml;

pub use diagnostics::{Diagnostic, Diagnostics, Position, Severity};
