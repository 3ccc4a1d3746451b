//! libcob as the worker sees it: loaded at run time, entered and left through
//! a small C object, its fields read and written without its help.
//!
//! Invariant: worker code never calls a libcob function that could end in a
//! jump; everything that can is called by the C side.

mod field;
mod module;
mod runtime;

pub use field::{CommandOperand, Field, OwnedField};
pub use module::{LoadError, ModuleInstance};
pub use runtime::{CobModule, CobolRuntime, Flow, RunCode, StartError, WorkerHandlers};
