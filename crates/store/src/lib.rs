//! Keyed record files: what EXEC CICS READ, WRITE and browse stand on.
//!
//! A *file* is a set of records in the order of their keys: a KSDS, whose key
//! lies inside the record, an ESDS, addressed by relative byte address, or an
//! RRDS, addressed by relative record number ([`FileDef`]). A store holds many
//! files and has two sides:
//!
//! * [`ReadStore`]: any number of readers in any number of processes. A command
//!   is one call, and what it read is gone when the call returns.
//! * [`WriteStore`]: one writer, the region. Changes are gathered in a
//!   [`UnitOfWork`] and become visible and durable all at once through
//!   [`WriteStore::apply`], many units in one flush.
//!
//! [`UnitOfWork`] is also the view of a task that has pending changes: it reads
//! through to the store and shows the task its own updates.
//!
//! Two stores exist: [`MemoryStore`], which is the oracle of the tests, and
//! [`LmdbStore`] with [`LmdbReader`].
//!
//! [`transfer`] brings records in and out: load and dump.
//!
//! Invariant: nothing here knows tasks, locks or RESP codes; the rules of
//! record and key are in [`FileDef`] alone, and no store repeats them.

mod error;
mod file;
mod lmdb;
mod memory;
mod record;
mod seek;
mod traits;
pub mod transfer;
mod unit;

pub use error::{ApplyError, DefineError, Key, ReadError, StorageError};
pub use file::{
    DefinitionError, FileDef, FileId, FileName, KeyField, MAX_KEY_BYTES, MAX_RECORD_BYTES,
    Organisation, RecordFormat,
};
pub use lmdb::{
    Durability, FileStat, LmdbOptions, LmdbReader, LmdbStore, OpenError, ReaderStat, StoreStat,
};
pub use memory::MemoryStore;
pub use record::{RecordError, rba_key, rrn_key};
pub use seek::{Entry, Seek};
pub use traits::{BulkLoad, CatalogueEntry, ReadExt, ReadStore, WriteStore};
pub use unit::{Change, UnitError, UnitOfWork};
