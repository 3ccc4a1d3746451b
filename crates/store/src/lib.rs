//! Keyed record files: the basis of EXEC CICS READ, WRITE and browse.
//!
//! A *file* is a set of records in the order of their keys: a KSDS, with a key
//! inside the record, an ESDS, addressed by relative byte address, or an RRDS,
//! addressed by relative record number ([`FileDef`]). A store contains many
//! files and has two sides:
//!
//! * [`ReadStore`]: any number of readers in any number of processes. A command
//!   is one call, and its records are valid only within the call.
//! * [`WriteStore`]: one writer, the region. Changes are gathered in a
//!   [`UnitOfWork`] and become visible and durable all at once through
//!   [`WriteStore::apply`], many units in one flush.
//!
//! A file may have alternate indexes ([`IndexDef`]) and be reached through
//! paths ([`PathDef`]); indexes of the upgrade set change with the file, in the
//! same unit of work and the same transaction. [`Table`]s contain a region's
//! other data: queues, requests to start tasks, counters.
//!
//! [`UnitOfWork`] is also the view of a task that has pending changes: it reads
//! through to the store and shows the task its own updates.
//!
//! Two stores exist: [`MemoryStore`], which is the oracle of the tests, and
//! [`LmdbStore`] with [`LmdbReader`]. A region, a worker, a job or a tool opens
//! a store on disk by the names [`DiskStore`], [`DiskReader`] and
//! [`DiskOptions`].
//!
//! [`transfer`] brings records in and out: load and dump. [`idcams`] reads the
//! commands with which a site defines its files.
//!
//! Invariant: nothing here depends on tasks, locks or RESP codes; the rules of
//! record and key are in [`FileDef`] alone, and no store repeats them.

mod error;
mod file;
pub mod idcams;
mod index;
mod lmdb;
mod memory;
mod path;
mod pending;
mod record;
mod redo;
mod seek;
mod table;
mod traits;
pub mod transfer;
mod unit;

pub use error::{ApplyError, BuildError, DefineError, Key, ReadError, StorageError};
pub use file::{
    DefinitionError, FileDef, FileId, FileName, FileOrganisation, KeyField, MAX_KEY_BYTES,
    MAX_RECORD_BYTES, RecordFormat,
};
pub use index::{CatalogueName, FileAccessPath, IndexDef, IndexEntry, PathDef, PathEntry};
pub use lmdb::{
    BackupError, CheckEnded, CheckReport, CheckedFile, CommitDurability, FileStat, LentTable,
    LmdbOptions, LmdbReader, LmdbStore, OpenError, ReaderStat, ReaderTables, SalvageError,
    SalvageReport, SalvagedFile, SalvagedRecord, SalvagedState, StoreDamage, StoreStat, check,
    restore, salvage,
};
pub use memory::MemoryStore;
pub use record::{RecordError, rba_key, rrn_key};
pub use redo::RedoError;
pub use seek::{FoundRecord, RecordView, SeekKey};
pub use table::{MAX_TABLE_KEY_BYTES, Table};
pub use traits::{
    AppliedUnits, BuildProgress, BulkLoad, CatalogueEntry, ReadExt, ReadStore, WriteStore,
};
pub use unit::{AlternateKey, FileEnds, KeyChange, UnitError, UnitOfWork};

/// The store that records are in on disk.
pub type DiskStore = LmdbStore;
/// A reader in addition to the writer.
pub type DiskReader = LmdbReader;
/// How either is opened.
pub type DiskOptions = LmdbOptions;
