//! The two sides of a store.
//!
//! Both traits are object-safe. [`ReadExt`] adds the calls with a result of the
//! caller's own type.
//!
//! Invariant: a reader holds nothing between two calls that keeps pages or rows
//! alive; browse position is a key, kept by the caller.

use std::ops::ControlFlow;
use std::sync::Arc;

use crate::error::{ApplyError, DefineError, ReadError, StorageError};
use crate::file::{FileDef, FileId, FileName};
use crate::seek::{Entry, Seek};
use crate::unit::UnitOfWork;

/// A file of the catalogue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogueEntry {
    /// Its number.
    pub id: FileId,
    /// Its definition, which never changes under this number.
    pub def: Arc<FileDef>,
}

/// Reads what is committed. One reader belongs to one thread at a time; each
/// call sees the newest committed state, whole.
pub trait ReadStore {
    /// The files, in the order of their names.
    fn files(&mut self) -> Result<Vec<CatalogueEntry>, ReadError>;

    /// The file of this name.
    fn find(&mut self, name: &FileName) -> Result<Option<CatalogueEntry>, ReadError>;

    /// The definition under this number.
    fn definition(&mut self, file: FileId) -> Result<Arc<FileDef>, ReadError>;

    /// Shows one record to `found` where it lies, without a copy. Gives false,
    /// and does not call, if there is none. `found` runs at most once.
    fn seek(
        &mut self,
        file: FileId,
        seek: Seek<'_>,
        found: &mut dyn FnMut(Entry<'_>),
    ) -> Result<bool, ReadError>;

    /// Shows records in ascending order, all of one committed state, from the
    /// one `from` finds until `each` breaks. For long work (dump, list): the
    /// state is kept alive until it ends.
    fn scan(
        &mut self,
        file: FileId,
        from: Seek<'_>,
        each: &mut dyn FnMut(Entry<'_>) -> ControlFlow<()>,
    ) -> Result<(), ReadError>;
}

/// [`ReadStore`]'s calls with a result of the caller's own type.
pub trait ReadExt: ReadStore {
    /// What `found` makes of the record that `seek` finds.
    fn read<R>(
        &mut self,
        file: FileId,
        seek: Seek<'_>,
        found: impl FnOnce(Entry<'_>) -> R,
    ) -> Result<Option<R>, ReadError> {
        let (mut found, mut result) = (Some(found), None);
        self.seek(file, seek, &mut |entry| {
            if let Some(found) = found.take() {
                result = Some(found(entry));
            }
        })?;
        Ok(result)
    }

    /// What `found` makes of the record with this key.
    fn get<R>(
        &mut self,
        file: FileId,
        key: &[u8],
        found: impl FnOnce(&[u8]) -> R,
    ) -> Result<Option<R>, ReadError> {
        self.read(file, Seek::Equal(key), |entry| found(entry.record))
    }
}

impl<T: ReadStore + ?Sized> ReadExt for T {}

/// Changes files and the catalogue. A store has one writer.
pub trait WriteStore: Send {
    /// A reader for another thread of this process.
    fn reader(&self) -> Result<Box<dyn ReadStore + Send>, ReadError>;

    /// Adds an empty file.
    fn define(&mut self, def: FileDef) -> Result<FileId, DefineError>;

    /// Removes a file and its records.
    fn remove(&mut self, file: FileId) -> Result<(), DefineError>;

    /// Applies the units in order, each whole or not at all, and gives one
    /// result for each. A unit sees what those before it did. All that succeed
    /// become visible together and, when this returns, are durable as far as
    /// the store was opened to be; only a store that runs full in the middle
    /// takes more than one step.
    fn apply(&mut self, units: &[UnitOfWork]) -> Vec<Result<(), ApplyError>>;

    /// Starts to load a file anew. Readers see the old records until
    /// [`BulkLoad::finish`]; dropped before that, a load leaves no trace.
    fn start_load(&mut self, file: FileId) -> Result<Box<dyn BulkLoad + '_>, DefineError>;

    /// Frees what dead readers hold; to be called when a reading process died.
    /// Gives how many there were.
    fn clear_dead_readers(&mut self) -> Result<u32, StorageError>;
}

/// The records of a file that is loaded anew.
pub trait BulkLoad {
    /// Adds a record; false if there is one with this key. Fast when keys come
    /// in ascending order. Record and key must have passed
    /// [`FileDef::check_write`]. After an error there is nothing to do but to
    /// drop the load.
    fn insert(&mut self, key: &[u8], record: &[u8]) -> Result<bool, StorageError>;

    /// Puts the new records in the place of the old ones, durably. The file has
    /// a new number from then on.
    fn finish(self: Box<Self>) -> Result<FileId, StorageError>;
}
