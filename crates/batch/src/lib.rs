//! COBOL batch programs over the store.
//!
//! ```text
//! program ─▶ libcob ─▶ shim/batch.c ─▶ handler ─┬▶ stored   files of the store
//!   (-fcallfh)   FCD3      Request               └▶ plain    files of the machine
//! ```
//!
//! Files that a region has are changed by the region: [`beside`].
//!
//! A [`ProgramStep`] says what runs and what its DD names stand for. [`run`] is the
//! whole life of its process: it hosts libcob, whose file statements come to
//! the [`handler`], which knows the rules of COBOL's file status. [`jcl`] reads
//! jobs, [`tso`] the commands of their TSO steps. Files in another code page are converted record by record: [`conversion`].
//!
//! Invariant: a statement always gets a file status; nothing that a program
//! does to a file panics.

pub mod beside;
pub mod conversion;
pub mod dd;
pub mod handler;
pub mod jcl;
mod markup;
mod output;
mod plain;
mod run;
mod services;
mod sql;
pub mod status;
mod stored;
pub mod tso;

pub use conversion::{RecordConversion, StepConversions};
pub use dd::{CodePageOf, DdAllocation, ProgramStep, RecordFormat, RecordSource, SqlAt, StoreAt};
pub use run::{RunError, run};
