//! The two sides of a store.
//!
//! Both traits are object-safe. [`ReadExt`] adds the calls with a result of the
//! caller's own type.
//!
//! Invariant: a reader holds nothing between two calls that keeps pages or rows
//! alive; browse position is a key, kept by the caller.

use std::ops::ControlFlow;
use std::sync::Arc;

use crate::error::{ApplyError, BuildError, DefineError, ReadError, StorageError};
use crate::file::{FileDef, FileId, FileName};
use crate::index::{CatalogueName, FileAccessPath, IndexDef, IndexEntry, PathDef, PathEntry};
use crate::seek::{RecordView, SeekKey};
use crate::table::Table;
use crate::unit::UnitOfWork;

/// A file of the catalogue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CatalogueEntry {
    /// Its number.
    pub id: FileId,
    /// Its definition, which never changes under this number.
    pub def: Arc<FileDef>,
}

/// Reads committed data. One reader belongs to one thread at a time; each
/// call sees the whole newest committed state.
pub trait ReadStore {
    /// The files, in the order of their names.
    fn files(&mut self) -> Result<Vec<CatalogueEntry>, ReadError>;

    /// The file of this name.
    fn find(&mut self, name: &FileName) -> Result<Option<CatalogueEntry>, ReadError>;

    /// The definition under this number.
    fn definition(&mut self, file: FileId) -> Result<Arc<FileDef>, ReadError>;

    /// Shows one record to `found` in place, without a copy. Returns false
    /// without a call if no record matches. `found` runs at most once.
    fn seek(
        &mut self,
        file: FileId,
        seek: SeekKey<'_>,
        found: &mut dyn FnMut(RecordView<'_>),
    ) -> Result<bool, ReadError>;

    /// Shows records in ascending order, all of one committed state, from the
    /// one `from` finds until `each` breaks. For long work (dump, list): the
    /// state is kept alive until it ends.
    fn scan(
        &mut self,
        file: FileId,
        from: SeekKey<'_>,
        each: &mut dyn FnMut(RecordView<'_>) -> ControlFlow<()>,
    ) -> Result<(), ReadError>;

    /// Makes sure that a file or an alternate index can be read from beginning
    /// to end, before that is done: a damaged one is an error here, with its
    /// place, and not in the data.
    fn verify(&mut self, _of: FileId) -> Result<(), ReadError> {
        Ok(())
    }

    /// Every name of the catalogue, in order: files, indexes and paths.
    fn names(&mut self) -> Result<Vec<CatalogueName>, ReadError>;

    /// The alternate indexes of a file, in the order of their names. Cheap: it
    /// is asked for every change.
    fn indexes(&mut self, file: FileId) -> Result<Arc<[IndexEntry]>, ReadError>;

    /// The alternate index with this number.
    fn index(&mut self, index: FileId) -> Result<IndexEntry, ReadError>;

    /// Shows one record through an alternate index, index and base being of one
    /// committed state. A key of `seek` that is no longer than an alternate key
    /// is compared with alternate keys; a longer one is a
    /// [position](PathEntry::position). Backwards, keys come in descending
    /// order, and records of one key in ascending order all the same, as VSAM
    /// has it.
    fn seek_path(
        &mut self,
        index: FileId,
        seek: SeekKey<'_>,
        found: &mut dyn FnMut(PathEntry<'_>),
    ) -> Result<bool, ReadError>;

    /// Shows one bare entry of an alternate index, byte by byte.
    /// [`UnitOfWork::seek_path`] merges a unit's own entries with it.
    fn seek_entry(
        &mut self,
        index: FileId,
        seek: SeekKey<'_>,
        found: &mut dyn FnMut(&[u8]),
    ) -> Result<bool, ReadError>;

    /// Shows one entry of a table, its value as [`RecordView::record`].
    fn seek_table(
        &mut self,
        table: Table,
        seek: SeekKey<'_>,
        found: &mut dyn FnMut(RecordView<'_>),
    ) -> Result<bool, ReadError>;

    /// Resolves a name: a file itself, or through a path or an index. `None` if
    /// the name or its target does not exist.
    fn access(&mut self, name: &FileName) -> Result<Option<FileAccessPath>, ReadError> {
        let names = self.names()?;
        let named = |name: &FileName| names.iter().find(|named| named.name() == name);
        let target = match named(name) {
            Some(CatalogueName::Path(path)) => named(&path.entry),
            other => other,
        };
        Ok(match target {
            Some(CatalogueName::File(base)) => Some(FileAccessPath {
                base: base.clone(),
                index: None,
            }),
            Some(CatalogueName::Index(index)) => match named(&index.def.base) {
                Some(CatalogueName::File(base)) => Some(FileAccessPath {
                    base: base.clone(),
                    index: Some(index.clone()),
                }),
                _ => None,
            },
            _ => None,
        })
    }
}

/// [`ReadStore`]'s calls with a result of the caller's own type.
pub trait ReadExt: ReadStore {
    /// Applies `found` to the record that `seek` finds.
    fn read<R>(
        &mut self,
        file: FileId,
        seek: SeekKey<'_>,
        found: impl FnOnce(RecordView<'_>) -> R,
    ) -> Result<Option<R>, ReadError> {
        let (mut found, mut result) = (Some(found), None);
        self.seek(file, seek, &mut |entry| {
            if let Some(found) = found.take() {
                result = Some(found(entry));
            }
        })?;
        Ok(result)
    }

    /// Applies `found` to the record with this key.
    fn get<R>(
        &mut self,
        file: FileId,
        key: &[u8],
        found: impl FnOnce(&[u8]) -> R,
    ) -> Result<Option<R>, ReadError> {
        self.read(file, SeekKey::Equal(key), |entry| found(entry.record))
    }
}

impl<T: ReadStore + ?Sized> ReadExt for T {}

/// Changes files and the catalogue. A store has one writer.
pub trait WriteStore: Send {
    /// A reader for another thread of this process.
    fn reader(&self) -> Result<Box<dyn ReadStore + Send>, ReadError>;

    /// Adds an empty file.
    fn define(&mut self, def: FileDef) -> Result<FileId, DefineError>;

    /// Removes a file and its records, with its indexes and the paths over
    /// them; or an alternate index with its paths.
    fn remove(&mut self, file: FileId) -> Result<(), DefineError>;

    /// Adds an alternate index. Over a base without records it is built at
    /// once; else [`WriteStore::build_index`] builds it.
    fn define_index(&mut self, def: IndexDef) -> Result<FileId, DefineError>;

    /// Builds an alternate index from the records that are there (BLDINDEX),
    /// sorting in `memory_bytes` and a scratch file. Returns its number from then
    /// on; until then readers have the index as it was.
    fn build_index(
        &mut self,
        index: FileId,
        memory_bytes: usize,
        progress: &mut dyn FnMut(BuildProgress),
    ) -> Result<FileId, BuildError>;

    /// Adds a path.
    fn define_path(&mut self, def: PathDef) -> Result<(), DefineError>;

    /// Removes a path, but not its base.
    fn remove_path(&mut self, name: &FileName) -> Result<(), DefineError>;

    /// Applies the units in order, each whole or not at all, and returns one
    /// result for each. A unit sees what those before it did. All that succeed
    /// become visible together and, when this returns, are durable as far as
    /// the store was opened to be; only a store that runs full in the middle
    /// takes more than one step.
    fn apply(&mut self, units: &[UnitOfWork]) -> Vec<Result<(), ApplyError>>;

    /// As [`WriteStore::apply`], but with one flush instead of two: successful
    /// units are visible at once, and durable when the next call of this, of
    /// `apply` or of [`WriteStore::settle`] has returned. The units must not be
    /// acknowledged before. A store whose commits are durable at once may treat
    /// both calls alike.
    fn apply_ahead(&mut self, units: &[UnitOfWork]) -> AppliedUnits {
        AppliedUnits {
            earlier: Ok(()),
            results: self.apply(units),
            settled: true,
        }
    }

    /// Makes the units of the last [`WriteStore::apply_ahead`] durable. After
    /// an error it is not known whether they are durable.
    fn settle(&mut self) -> Result<(), StorageError> {
        Ok(())
    }

    /// Starts to load a file again. Readers see the old records until
    /// [`BulkLoad::finish`]; a load that is dropped before leaves no trace.
    fn start_load(&mut self, file: FileId) -> Result<Box<dyn BulkLoad + '_>, DefineError>;

    /// Frees what dead readers hold; to be called when a reading process died.
    /// Gives how many there were.
    fn clear_dead_readers(&mut self) -> Result<u32, StorageError>;
}

/// The results of units that were applied ahead.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppliedUnits {
    /// Whether the units of the call before this one are durable now; on an
    /// error it is not known for those that succeeded.
    pub earlier: Result<(), StorageError>,
    /// One result for each unit.
    pub results: Vec<Result<(), ApplyError>>,
    /// True when these are durable already, as far as the store makes them.
    pub settled: bool,
}

/// The records of a file that is loaded again.
pub trait BulkLoad {
    /// Adds a record; false if there is one with this key. Fast when keys come
    /// in ascending order. Record and key must have passed
    /// [`FileDef::check_write`]. After an error there is nothing to do but to
    /// drop the load.
    fn insert(&mut self, key: &[u8], record: &[u8]) -> Result<bool, StorageError>;

    /// Builds the file's indexes again and replaces the old records and indexes
    /// in one step, durably. The file and its indexes have new numbers from
    /// then on.
    fn finish(
        self: Box<Self>,
        progress: &mut dyn FnMut(BuildProgress),
    ) -> Result<FileId, BuildError>;
}

/// How far an index is built.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BuildProgress {
    /// Records of the base read.
    pub read: u64,
    /// Entries written.
    pub written: u64,
}
