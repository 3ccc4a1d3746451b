//! EXEC CICS and EXEC SQL to COBOL calls, and COBOL to modules.
//!
//! [`translate`] reads a program with its COPY members, checks every command
//! against the command table and every SQL statement against Db2's dialect, and
//! writes COBOL in which each is a CALL; `#line` keeps the original places. [`ModuleCompiler`] runs `cobc` on the
//! result and keeps modules whose text has not changed. Everything that is
//! wrong comes back as [`Diagnostic`]s with file, line and column.
//!
//! Invariant: no source text makes the translator panic.

#![forbid(unsafe_code)]

mod argument;
mod calls;
pub mod checked;
mod compiler;
mod copy;
mod diagnostic;
mod digest;
mod entries;
mod exec;
mod functions;
mod lengths;
mod markup;
mod messages;
mod nulls;
mod outline;
mod passes;
mod phrases;
mod pointer_numbers;
mod pointers;
mod powers;
mod reach;
mod receivers;
mod records;
mod shipped;
mod source;
mod sql;
mod standard;
mod token;
mod translate;
mod words;
mod writer;

pub use compiler::{
    BuildResult, CompilerOptions, FILE_HANDLER, ModuleCompiler, ProgramSource, SetupError, flags,
};
pub use copy::CopyLibrary;
pub use copybook::ReferenceFormat;
pub use diagnostic::{Diagnostic, DiagnosticKind, Severity};
pub use source::{SourceFiles, SourcePlace};
pub use sql::SqlUse;
pub use translate::{TranslatedSource, translate};
