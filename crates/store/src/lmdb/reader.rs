//! The reading side: one in every worker, more in the region.
//!
//! A reader keeps one read transaction and one cursor a file, and renews them
//! for each command; in between it holds its slot in the reader table and no
//! page. So a command costs little more than the bare look-up.

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use lmdb_master_sys as ffi;

use super::catalogue;
use super::catalogue::CatalogueItem;
use super::check::{self, CheckReport, before_path, before_reading};
use super::env::{LmdbOptions, OpenError, StoreEnvironment};
use super::guard::{IndexGuard, PageGuard};
use super::lent::Table;
use super::looked::PageTrust;
use super::seal;
use super::sys::{self, Cursor, CursorMove, DbHandle, KeyValue, LmdbError, ReadTransaction};
use super::verify::verify;
use super::way::is_record;
use crate::error::{Key, ReadError, StorageError};
use crate::file::{FileDef, FileId, FileName};
use crate::index::{CatalogueName, IndexEntry, PathEntry};
use crate::path::{self, IndexedBase};
use crate::seek::{RecordView, SeekKey};
use crate::table;
use crate::traits::{CatalogueEntry, ReadStore};

/// Reads an environment.
pub struct LmdbReader {
    // Before `env`, so that it is dropped first.
    reader: sys::Reader,
    pub(super) env: Arc<StoreEnvironment>,
    /// The files looked at so far, by number.
    files: Vec<Option<CachedFile>>,
    /// The alternate indexes looked at so far.
    indexes: HashMap<FileId, Index>,
    /// The indexes of files, and the count of changes to the catalogue when
    /// they were listed.
    of_files: HashMap<FileId, (u64, Arc<[IndexEntry]>)>,
    /// Files and indexes whose pages were looked at.
    verified: HashSet<FileId>,
    /// The table with the writer's word on how much was checked, if the writer
    /// is another process.
    lent: Option<Table>,
    /// The checks before LMDB follows pages.
    trust: PageTrust,
}

/// A file looked at before.
#[derive(Clone)]
pub(super) struct CachedFile {
    pub db: DbHandle,
    pub def: Arc<FileDef>,
    /// Whether records have check sums.
    pub sealed: bool,
}

/// An alternate index looked at before.
#[derive(Clone)]
struct Index {
    db: DbHandle,
    entry: IndexEntry,
}

impl CachedFile {
    /// The record in a stored value.
    pub fn record<'v>(&self, stored: &'v [u8]) -> &'v [u8] {
        if self.sealed {
            seal::unsealed(stored)
        } else {
            stored
        }
    }

    /// The record in a stored value, if its checksum is right.
    pub fn checked<'v>(&self, key: &[u8], stored: &'v [u8]) -> Option<&'v [u8]> {
        if self.sealed {
            seal::checked(key, stored)
        } else {
            Some(stored)
        }
    }
}

impl LmdbReader {
    /// Opens the environment in this directory for reading only.
    pub fn open(path: &Path, limits: &LmdbOptions) -> Result<Self, OpenError> {
        let env = StoreEnvironment::open_for_reading(path, limits)?;
        let path = env.path.clone();
        Self::new(env).map_err(|source| OpenError::Storage { path, source })
    }

    pub(super) fn new(env: Arc<StoreEnvironment>) -> Result<Self, StorageError> {
        let reader = sys::Reader::new(env.sys().clone())
            .map_err(|code| env.error(code, "taking a reader slot"))?;
        let trust = env.trust();
        Ok(Self {
            reader,
            env,
            files: Vec::new(),
            indexes: HashMap::new(),
            of_files: HashMap::new(),
            verified: HashSet::new(),
            lent: None,
            trust,
        })
    }

    /// From now on a lent table states how much was checked.
    pub(super) fn use_lent_table(&mut self, table: Table) {
        self.lent = Some(table);
        self.trust = PageTrust::Unchecked;
    }

    /// Whether LMDB may follow pages without a look.
    #[inline]
    fn trusts(&mut self) -> bool {
        self.trust() == PageTrust::Whole
    }

    /// The checks before LMDB follows pages. A store that is whole stays whole.
    #[inline]
    fn trust(&mut self) -> PageTrust {
        match self.trust {
            PageTrust::Whole => PageTrust::Whole,
            _ => self.refresh_trust(),
        }
    }

    #[cold]
    fn refresh_trust(&mut self) -> PageTrust {
        self.trust = match &self.lent {
            Some(table) => PageTrust::from_word(table.trust().load(Ordering::Acquire)),
            None => self.env.trust(),
        };
        self.trust
    }

    /// Finds a record by its key where all pages were walked before: its own
    /// checksum and rules are checked, no page. False for a record that is not
    /// there or not right: the pages say which.
    #[cold]
    fn seek_walked(
        &mut self,
        file: FileId,
        key: &[u8],
        found: &mut dyn FnMut(RecordView<'_>),
    ) -> Result<bool, ReadError> {
        let of = self.file(file)?.clone();
        self.read_newest(file, |snapshot| {
            let stored = snapshot.get(of.db, key)?;
            let right = stored.filter(|stored| is_record(&of.def, of.sealed, key, stored));
            let record = right.map(|stored| of.record(stored));
            Ok(record
                .map(|record| found(RecordView { key, record }))
                .is_some())
        })
    }

    /// The guard of a file's pages, if they must be checked.
    fn guard(&mut self, file: FileId) -> Result<Option<PageGuard>, ReadError> {
        if self.trusts() {
            return Ok(None);
        }
        let of = self.file(file)?.clone();
        Ok(Some(PageGuard::of_file(&self.env, file, &of)))
    }

    /// The data base and definition of a file.
    pub(super) fn file(&mut self, file: FileId) -> Result<&CachedFile, ReadError> {
        let at = file.0 as usize;
        if !matches!(self.files.get(at), Some(Some(_))) {
            let (def, sealed) = self
                .items()?
                .into_iter()
                .find_map(|item| match item {
                    CatalogueItem::File { id, def, sealed } if id == file => Some((def, sealed)),
                    _ => None,
                })
                .ok_or(ReadError::UnknownFile(file))?;
            let db = self
                .env
                .open_db(&catalogue::db_name(file))
                .map_err(|code| read_error(&self.env, file, code))?;
            if self.files.len() <= at {
                self.files.resize(at + 1, None);
            }
            self.files[at] = Some(CachedFile { db, def, sealed });
        }
        match &self.files[at] {
            Some(file) => Ok(file),
            None => Err(ReadError::UnknownFile(file)),
        }
    }

    /// The data base and definition of an alternate index.
    fn index_of(&mut self, index: FileId) -> Result<&Index, ReadError> {
        // One that is not built yet may be by now, and have another number.
        if !self
            .indexes
            .get(&index)
            .is_some_and(|known| known.entry.built)
        {
            let named = self.names()?.into_iter().find_map(|named| match named {
                CatalogueName::Index(entry) if entry.id == index => Some(entry),
                _ => None,
            });
            let entry = named.ok_or(ReadError::UnknownFile(index))?;
            let db = self
                .env
                .open_db(&catalogue::db_name(index))
                .map_err(|code| read_error(&self.env, index, code))?;
            self.indexes.insert(index, Index { db, entry });
        }
        self.indexes
            .get(&index)
            .ok_or(ReadError::UnknownFile(index))
    }

    fn items(&mut self) -> Result<Vec<CatalogueItem>, StorageError> {
        self.read_catalogue(|snapshot, catalogue| catalogue::list(snapshot, catalogue))
    }

    /// Runs `look` on the newest state; if it finds nothing, makes sure that
    /// this is not because the file was removed.
    fn read_newest(
        &mut self,
        file: FileId,
        look: impl FnOnce(&mut ReadTransaction<'_>) -> Result<bool, LmdbError>,
    ) -> Result<bool, ReadError> {
        let catalogue = self.env.catalogue;
        let look = || {
            let mut snapshot = self.reader.snapshot()?;
            let found = look(&mut snapshot)?;
            let gone = !found && catalogue::is_discarded(&snapshot, catalogue, file)?;
            Ok((found, gone))
        };
        match look() {
            Ok((found, false)) => Ok(found),
            Ok((_, true)) => {
                if let Some(known) = self.files.get_mut(file.0 as usize) {
                    *known = None;
                }
                self.indexes.remove(&file);
                Err(ReadError::UnknownFile(file))
            }
            Err(code) => Err(read_error(&self.env, file, code)),
        }
    }

    /// Runs `look` on the newest state of the catalogue.
    fn read_catalogue<R>(
        &mut self,
        look: impl FnOnce(&ReadTransaction<'_>, DbHandle) -> Result<Result<R, String>, LmdbError>,
    ) -> Result<R, StorageError> {
        let error = |code| self.env.error(code, "reading the catalogue");
        let snapshot = self.reader.snapshot().map_err(error)?;
        look(&snapshot, self.env.catalogue)
            .map_err(error)?
            .map_err(|reason| StorageError::Damaged { reason })
    }

    /// Runs `look` on a snapshot and the catalogue's files, for statistics.
    pub(super) fn with_snapshot<R>(
        &mut self,
        look: impl FnOnce(&ReadTransaction<'_>) -> Result<R, LmdbError>,
    ) -> Result<R, StorageError> {
        let error = |code| self.env.error(code, "reading its statistics");
        let snapshot = self.reader.snapshot().map_err(error)?;
        look(&snapshot).map_err(error)
    }

    /// Looks at the list of free pages before LMDB reads it.
    pub(super) fn verify_free(&mut self) -> Result<(), StorageError> {
        verify(&self.env, &mut self.reader, |pages, meta| {
            before_reading(pages, meta, &[], true)
        })
    }

    /// Checks the newest state to the last record.
    pub(super) fn check_newest(
        &mut self,
        progress: &mut dyn FnMut(u64, u64),
    ) -> Result<CheckReport, StorageError> {
        check::check_newest(&self.env, &mut self.reader, &mut |met, all| {
            progress(met, all);
            ControlFlow::Continue(())
        })
    }

    /// The guard of an index's pages, if they must be checked.
    fn index_guard(&mut self, index: FileId) -> Result<Option<IndexGuard>, ReadError> {
        if self.trusts() {
            return Ok(None);
        }
        let entry = self.index_of(index)?.entry.clone();
        let base = self.file(entry.base)?.clone();
        Ok(Some(IndexGuard::new(&self.env, entry, base)))
    }

    /// The data base of a file or an alternate index.
    pub(super) fn db(&mut self, of: FileId) -> Result<DbHandle, ReadError> {
        match self.file(of) {
            Ok(file) => Ok(file.db),
            Err(ReadError::UnknownFile(_)) => Ok(self.index_of(of)?.db),
            Err(error) => Err(error),
        }
    }
}

impl ReadStore for LmdbReader {
    fn files(&mut self) -> Result<Vec<CatalogueEntry>, ReadError> {
        let files = self.items()?.into_iter().filter_map(|item| match item {
            CatalogueItem::File { id, def, .. } => Some(CatalogueEntry { id, def }),
            _ => None,
        });
        Ok(files.collect())
    }

    fn find(&mut self, name: &FileName) -> Result<Option<CatalogueEntry>, ReadError> {
        let name = name.as_str();
        let item =
            self.read_catalogue(|snapshot, catalogue| catalogue::find(snapshot, catalogue, name))?;
        Ok(match item {
            Some(CatalogueItem::File { id, def, .. }) => Some(CatalogueEntry { id, def }),
            _ => None,
        })
    }

    fn definition(&mut self, file: FileId) -> Result<Arc<FileDef>, ReadError> {
        Ok(self.file(file)?.def.clone())
    }

    fn seek(
        &mut self,
        file: FileId,
        seek: SeekKey<'_>,
        found: &mut dyn FnMut(RecordView<'_>),
    ) -> Result<bool, ReadError> {
        if let SeekKey::Equal(key @ [_, ..]) = seek
            && self.trust() == PageTrust::Walked
            && self.seek_walked(file, key, found)?
        {
            return Ok(true);
        }
        let &CachedFile { db, sealed, .. } = self.file(file)?;
        let guard = self.guard(file)?;
        self.read_newest(file, |snapshot| {
            if let Some(guard) = &guard {
                guard.check_pages(snapshot, seek, false)?;
            }
            let mut cursor;
            let hit = match seek {
                SeekKey::Equal([]) => None,
                SeekKey::Equal(key) => snapshot.get(db, key)?.map(|record| (key, record)),
                _ => {
                    cursor = snapshot.cursor(db)?;
                    go(&mut cursor, seek)?
                }
            };
            let hit = hit.map(|(key, stored)| RecordView {
                key,
                record: if sealed {
                    seal::unsealed(stored)
                } else {
                    stored
                },
            });
            Ok(hit.inspect(|&entry| found(entry)).is_some())
        })
    }

    fn scan(
        &mut self,
        file: FileId,
        from: SeekKey<'_>,
        each: &mut dyn FnMut(RecordView<'_>) -> ControlFlow<()>,
    ) -> Result<(), ReadError> {
        let of = self.file(file)?.clone();
        let mut damaged = None;
        let guard = self.guard(file)?;
        self.read_newest(file, |snapshot| {
            if let Some(guard) = &guard {
                guard.check_pages(snapshot, from, false)?;
            }
            let mut cursor = snapshot.new_cursor(of.db)?;
            let mut hit = go(&mut cursor, from)?;
            let any = hit.is_some();
            while let Some((key, stored)) = hit {
                if let Some(guard) = &guard {
                    guard.check_pages(snapshot, SeekKey::Greater(key), false)?;
                }
                let Some(record) = of.checked(key, stored) else {
                    damaged = Some(Key::from(key));
                    break;
                };
                if each(RecordView { key, record }).is_break() {
                    break;
                }
                hit = cursor.go(CursorMove::Next)?;
            }
            Ok(any)
        })?;
        match damaged {
            None => Ok(()),
            Some(key) => Err(damaged_record(&of.def, &key).into()),
        }
    }

    fn verify(&mut self, of: FileId) -> Result<(), ReadError> {
        if self.verified.contains(&of) {
            return Ok(());
        }
        let items = self.items()?;
        let item = items.into_iter().find(|item| match item {
            CatalogueItem::File { id, .. } | CatalogueItem::Index { id, .. } => *id == of,
            CatalogueItem::Path(_) => false,
        });
        let item = item.ok_or(ReadError::UnknownFile(of))?;
        verify(&self.env, &mut self.reader, |pages, meta| match &item {
            CatalogueItem::Index { .. } => before_path(pages, meta, of),
            _ => before_reading(pages, meta, &[(of, item.name().to_string())], false),
        })?;
        self.verified.insert(of);
        Ok(())
    }

    fn names(&mut self) -> Result<Vec<CatalogueName>, ReadError> {
        Ok(catalogue::names(&self.items()?))
    }

    fn indexes(&mut self, file: FileId) -> Result<Arc<[IndexEntry]>, ReadError> {
        let changes = self.env.catalogue_changes.load(Ordering::Acquire);
        if let Some((then, indexes)) = self.of_files.get(&file)
            && *then == changes
        {
            return Ok(indexes.clone());
        }
        let indexes: Arc<[_]> = self
            .names()?
            .into_iter()
            .filter_map(|named| match named {
                CatalogueName::Index(entry) if entry.base == file => Some(entry),
                _ => None,
            })
            .collect();
        self.of_files.insert(file, (changes, indexes.clone()));
        Ok(indexes)
    }

    fn index(&mut self, index: FileId) -> Result<IndexEntry, ReadError> {
        Ok(self.index_of(index)?.entry.clone())
    }

    fn seek_path(
        &mut self,
        index: FileId,
        seek: SeekKey<'_>,
        found: &mut dyn FnMut(PathEntry<'_>),
    ) -> Result<bool, ReadError> {
        let Index { db, entry } = self.index_of(index)?.clone();
        if !entry.built {
            return Err(ReadError::NotBuilt(index));
        }
        let base = self.file(entry.base)?.clone();
        let guard = self.index_guard(index)?;
        self.read_newest(index, |snapshot| {
            let mut state = State {
                snapshot,
                db,
                base,
                guard: guard.as_ref(),
            };
            path::seek(&entry.def, seek, &mut state, found)
        })
    }

    fn seek_entry(
        &mut self,
        index: FileId,
        seek: SeekKey<'_>,
        found: &mut dyn FnMut(&[u8]),
    ) -> Result<bool, ReadError> {
        let db = self.index_of(index)?.db;
        let guard = self.index_guard(index)?;
        self.read_newest(index, |snapshot| {
            if let Some(guard) = &guard {
                guard.check_pages(snapshot, db, seek)?;
            }
            let mut cursor = snapshot.cursor(db)?;
            Ok(go(&mut cursor, seek)?
                .map(|(entry, _)| found(entry))
                .is_some())
        })
    }

    fn seek_table(
        &mut self,
        table: table::Table,
        seek: SeekKey<'_>,
        found: &mut dyn FnMut(RecordView<'_>),
    ) -> Result<bool, ReadError> {
        let Some(db) = self.env.tables else {
            return Ok(false);
        };
        let guard = (!self.trusts()).then(|| PageGuard::of_tables(&self.env));
        let error = |code| self.env.error(code, "reading a table");
        let prefix = table.prefix();
        // The byte after the name makes the end of the table a key too.
        let mut end = prefix.clone();
        end[prefix.len() - 1] = 1;
        let within = |key: &[u8]| [&prefix[..], key].concat();
        let buffer;
        let seek = match seek {
            SeekKey::First | SeekKey::AtLeast([]) | SeekKey::Greater([]) | SeekKey::Prefix([]) => {
                SeekKey::Prefix(&prefix)
            }
            SeekKey::Last => SeekKey::Less(&end),
            SeekKey::Equal([]) | SeekKey::AtMost([]) | SeekKey::Less([]) => return Ok(false),
            SeekKey::Equal(key) => (buffer = within(key), SeekKey::Equal(&buffer)).1,
            SeekKey::AtLeast(key) => (buffer = within(key), SeekKey::AtLeast(&buffer)).1,
            SeekKey::Greater(key) => (buffer = within(key), SeekKey::Greater(&buffer)).1,
            SeekKey::AtMost(key) => (buffer = within(key), SeekKey::AtMost(&buffer)).1,
            SeekKey::Less(key) => (buffer = within(key), SeekKey::Less(&buffer)).1,
            SeekKey::Prefix(key) => (buffer = within(key), SeekKey::Prefix(&buffer)).1,
        };
        let mut snapshot = self.reader.snapshot().map_err(error)?;
        if let Some(guard) = &guard {
            guard.check_pages(&snapshot, seek, false).map_err(error)?;
        }
        let mut cursor = snapshot.cursor(db).map_err(error)?;
        let hit = go(&mut cursor, seek).map_err(error)?;
        let Some((key, stored)) = hit.filter(|(key, _)| key.starts_with(&prefix)) else {
            return Ok(false);
        };
        let record = seal::checked(key, stored);
        let key = &key[prefix.len()..];
        let record = record.ok_or_else(|| StorageError::Damaged {
            reason: format!(
                "the value of {table} under {} has a wrong checksum",
                Key::from(key)
            ),
        })?;
        found(RecordView { key, record });
        Ok(true)
    }
}

/// A committed state of an index and its base.
struct State<'s, 'r> {
    snapshot: &'s mut ReadTransaction<'r>,
    db: DbHandle,
    base: CachedFile,
    guard: Option<&'s IndexGuard>,
}

impl IndexedBase for State<'_, '_> {
    type Error = LmdbError;

    fn entry(&mut self, seek: SeekKey<'_>) -> Result<Option<Box<[u8]>>, LmdbError> {
        if let Some(guard) = self.guard {
            guard.check_pages(self.snapshot, self.db, seek)?;
        }
        let mut cursor = self.snapshot.cursor(self.db)?;
        Ok(go(&mut cursor, seek)?.map(|(entry, _)| entry.into()))
    }

    fn record(&mut self, base_key: &[u8], found: &mut dyn FnMut(&[u8])) -> Result<bool, LmdbError> {
        if let Some(guard) = self.guard {
            guard
                .base
                .check_pages(self.snapshot, SeekKey::Equal(base_key), false)?;
        }
        let stored = match base_key {
            [] => None,
            key => self.snapshot.get(self.base.db, key)?,
        };
        Ok(stored
            .map(|stored| found(self.base.record(stored)))
            .is_some())
    }
}

/// The error for a record with a wrong checksum.
pub(super) fn damaged_record(def: &FileDef, key: &Key) -> StorageError {
    StorageError::Damaged {
        reason: format!(
            "the record of {} with key {key} has a wrong checksum",
            def.name
        ),
    }
}

/// Puts a cursor where a command wants it.
fn go<'c>(
    cursor: &'c mut Cursor<'_>,
    seek: SeekKey<'_>,
) -> Result<Option<KeyValue<'c>>, LmdbError> {
    match seek {
        SeekKey::First | SeekKey::AtLeast([]) | SeekKey::Greater([]) | SeekKey::Prefix([]) => {
            cursor.go(CursorMove::First)
        }
        SeekKey::Last => cursor.go(CursorMove::Last),
        SeekKey::Equal([]) | SeekKey::AtMost([]) | SeekKey::Less([]) => Ok(None),
        SeekKey::AtLeast(key) => cursor.go(CursorMove::AtLeast(key)),
        SeekKey::Prefix(prefix) => {
            let hit = cursor.go(CursorMove::AtLeast(prefix))?;
            Ok(hit.filter(|(key, _)| key.starts_with(prefix)))
        }
        SeekKey::Equal(wanted) => {
            let hit = cursor.go(CursorMove::AtLeast(wanted))?;
            Ok(hit.filter(|(key, _)| *key == wanted))
        }
        SeekKey::Greater(than) => match cursor
            .go(CursorMove::AtLeast(than))?
            .map(|(key, _)| key == than)
        {
            Some(true) => cursor.go(CursorMove::Next),
            Some(false) => cursor.go(CursorMove::Here),
            None => Ok(None),
        },
        SeekKey::AtMost(most) => match cursor
            .go(CursorMove::AtLeast(most))?
            .map(|(key, _)| key == most)
        {
            Some(true) => cursor.go(CursorMove::Here),
            Some(false) => cursor.go(CursorMove::Previous),
            None => cursor.go(CursorMove::Last),
        },
        SeekKey::Less(than) => match cursor.go(CursorMove::AtLeast(than))? {
            Some(_) => cursor.go(CursorMove::Previous),
            None => cursor.go(CursorMove::Last),
        },
    }
}

fn read_error(env: &StoreEnvironment, file: FileId, code: LmdbError) -> ReadError {
    match code {
        LmdbError(ffi::MDB_BAD_DBI | ffi::MDB_NOTFOUND) => ReadError::UnknownFile(file),
        code => env.error(code, "reading").into(),
    }
}
