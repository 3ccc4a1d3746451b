//! COBOL batch programs over the store.
//!
//! ```text
//! program ─▶ libcob ─▶ shim/batch.c ─▶ handler ─┬▶ stored   files of the store
//!   (-fcallfh)   FCD3      Request               └▶ plain    files of the machine
//! ```
//!
//! A region changes the files that it owns: [`region_files`].
//!
//! A [`ProgramStep`] has the program and its DD names. [`run`] is the main function
//! of its process: it hosts libcob, whose file statements call the [`handler`],
//! which implements the rules of COBOL's file status. [`jcl`] parses jobs, [`tso`]
//! the commands of their TSO steps. Files in another code page are converted record
//! by record: [`conversion`].
//!
//! COMMIT of EXEC SQL ends one unit of work over tables and files of the store:
//! [`unit_host`], [`doubt`].
//!
//! Invariant: a statement always gets a file status; nothing that a program
//! does to a file panics.

pub mod conversion;
pub mod dd;
pub mod doubt;
pub mod handler;
pub mod jcl;
pub mod load;
mod markup;
mod output;
mod plain;
pub mod region_files;
mod run;
mod services;
mod sql;
pub mod status;
mod stored;
pub mod tso;
pub mod unit_host;

pub use conversion::{RecordConversion, StepConversions};
pub use dd::{CodePageOf, DdAllocation, ProgramStep, RecordFormat, RecordSource, SqlAt, StoreAt};
pub use plain::{FileFraming, PlainInput, ReadRecord};
pub use run::{RunError, run};
