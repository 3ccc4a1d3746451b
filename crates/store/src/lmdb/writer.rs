//! The writing side: the region's.
//!
//! An apply is one transaction and one flush for all its units (group commit).
//! A unit is checked as a whole before any part of it is written, so one that
//! cannot be applied leaves no trace among the others. When there is no room
//! for all of them, the batch is halved until each unit that fits alone is in.
//! Applied ahead, its second flush is left to the next apply (see `ahead`).
//!
//! Invariant: what an in-process reader has open is never closed under it: a
//! file that is removed is emptied and put on the catalogue's discard list.

use std::collections::{BTreeMap, HashMap};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::ahead::LastMetaPage;
use super::catalogue::{self, CatalogueItem};
use super::check::before_reading;
use super::env::{LmdbOptions, OpenError, StoreEnvironment, lock_error};
use super::fill::{self, IndexBuild, IndexFiller};
use super::guard::PageGuard;
use super::home;
use super::lent::ReaderTables;
use super::load::{self, FileLoad};
use super::lock::WriterLock;
use super::looked::{BackgroundCheck, CheckEnded, PageTrust, StoreDamage};
use super::reader::{CachedFile, LmdbReader};
use super::seal;
use super::sys::{CursorMove, DbHandle, LmdbError, Reader, WriteTxn};
use super::verify::verify;
use crate::error::{ApplyError, BuildError, DefineError, ReadError, StorageError};
use crate::file::{FileDef, FileId, FileName};
use crate::index::{CatalogueName, IndexDef, IndexEntry, PathDef};
use crate::pending::ChangeOverlay;
use crate::seek::SeekKey;
use crate::traits::{AppliedUnits, BuildProgress, BulkLoad, CatalogueEntry, ReadStore, WriteStore};
use crate::unit::{KeyChange, UnitOfWork};

/// An environment open for writing.
pub struct LmdbStore {
    // Before `env`, which its thread has too.
    check: Option<BackgroundCheck>,
    pub(super) env: Arc<StoreEnvironment>,
    pub(super) files: HashMap<FileId, CachedFile>,
    pub(super) indexes: HashMap<FileId, CatalogueIndex>,
    paths: BTreeMap<FileName, PathDef>,
    /// Pages in the file when dead readers were last looked for.
    pages_checked: u64,
    // After `env`: the lock is released when the environment is closed.
    _lock: WriterLock,
}

/// An alternate index of the catalogue.
pub(super) struct CatalogueIndex {
    pub db: DbHandle,
    pub entry: IndexEntry,
}

/// The changes of a unit to alternate indexes.
type IndexChanges = Vec<(DbHandle, ChangeOverlay)>;

/// Growth after which dead readers are looked for, in pages: they are the one
/// reason for growth that can be helped.
const CHECK_GROWTH_PAGES: u64 = 256;

impl LmdbStore {
    /// Opens the environment in this directory, and makes both if need be.
    pub fn open(path: &Path, options: &LmdbOptions) -> Result<Self, OpenError> {
        let io = |error: std::io::Error| OpenError::Io {
            path: path.to_owned(),
            reason: error.to_string(),
        };
        std::fs::create_dir_all(path).map_err(io)?;
        let path = path.canonicalize().map_err(io)?;
        let lock = WriterLock::take(&path).map_err(|error| lock_error(error, &path))?;
        let env = StoreEnvironment::open_for_writing(&path, options)?;
        let mut store = Self {
            check: None,
            env,
            files: HashMap::new(),
            indexes: HashMap::new(),
            paths: BTreeMap::new(),
            pages_checked: 0,
            _lock: lock,
        };
        store
            .open_files()
            .map_err(|source| OpenError::Storage { path, source })?;
        Ok(store)
    }

    /// A reader of this process's own type.
    pub fn disk_reader(&self) -> Result<LmdbReader, StorageError> {
        LmdbReader::new(self.env.clone())
    }

    /// Starts a thread that checks all pages, to the last checksum, while the
    /// store is used; `ended` receives the result, unless the store is closed
    /// before. Until then, and permanently if a page is damaged, commands check
    /// the pages on their path: a missed or wrong record is an error
    /// ([`StorageError::Damaged`]). Call it before there are readers.
    pub fn check_in_background(&mut self, ended: CheckEnded) -> std::io::Result<()> {
        self.check = None;
        self.check = Some(BackgroundCheck::start(&self.env, ended)?);
        Ok(())
    }

    /// The damage found so far and later.
    pub fn damage(&self) -> StoreDamage {
        self.env.damage.clone()
    }

    /// The right to lend reader tables to processes that are not trusted.
    pub fn reader_tables(&self) -> std::io::Result<ReaderTables> {
        home::make_way_for_borrowers(&self.env.path)?;
        Ok(ReaderTables::new(&self.env))
    }

    fn open_files(&mut self) -> Result<(), StorageError> {
        let mut reader = self.disk_reader()?;
        let storage = |error| match error {
            ReadError::Storage(error) => error,
            other => StorageError::Damaged {
                reason: other.to_string(),
            },
        };
        for named in reader.names().map_err(storage)? {
            match named {
                CatalogueName::File(CatalogueEntry { id, .. }) => {
                    let file = reader.file(id).map_err(storage)?.clone();
                    self.files.insert(id, file);
                }
                CatalogueName::Index(entry) => {
                    let db = self
                        .env
                        .open_db(&catalogue::db_name(entry.id))
                        .map_err(|code| self.env.error(code, "opening its files"))?;
                    self.indexes.insert(entry.id, CatalogueIndex { db, entry });
                }
                CatalogueName::Path(def) => drop(self.paths.insert(def.name.clone(), def)),
            }
        }
        Ok(())
    }

    /// The alternate indexes of a file.
    pub(super) fn indexes_of(&self, file: FileId) -> impl Iterator<Item = &IndexEntry> {
        let all = self.indexes.values().map(|index| &index.entry);
        all.filter(move |entry| entry.base == file)
    }

    /// Makes the readers of this process read the catalogue again.
    pub(super) fn catalogue_changed(&self) {
        self.env.catalogue_changes.fetch_add(1, Ordering::AcqRel);
    }

    /// Takes note of an index that was built.
    pub(super) fn replace_index(&mut self, old: FileId, db: DbHandle, entry: IndexEntry) {
        self.indexes.remove(&old);
        self.indexes.insert(entry.id, CatalogueIndex { db, entry });
    }

    /// Applies a run of units in one transaction, or in two halves if they do
    /// not fit.
    fn apply_run(&mut self, units: &[UnitOfWork], results: &mut [Result<(), ApplyError>]) {
        let failed = match self.try_run(units, results) {
            Ok(()) => return,
            Err(code) => self.env.error(code, "applying changes"),
        };
        let full = matches!(
            failed,
            StorageError::MapFull { .. } | StorageError::DiskFull { .. }
        );
        if full && units.len() > 1 {
            let middle = units.len() / 2;
            let (first, second) = results.split_at_mut(middle);
            self.apply_run(&units[..middle], first);
            self.apply_run(&units[middle..], second);
        } else {
            results.fill(Err(failed.into()));
        }
    }

    fn try_run(
        &self,
        units: &[UnitOfWork],
        results: &mut [Result<(), ApplyError>],
    ) -> Result<(), LmdbError> {
        let mut txn = WriteTxn::begin(self.env.sys())?;
        for (unit, result) in units.iter().zip(results) {
            let checked = match self.check(&txn, unit) {
                // Only units that need the damaged page fail.
                Err(LmdbError::DAMAGED) => Err(self
                    .env
                    .error(LmdbError::DAMAGED, "applying changes")
                    .into()),
                other => other?,
            };
            match checked {
                Ok(follows) => {
                    *result = Ok(());
                    self.write(&mut txn, unit, &follows)?;
                }
                Err(error) => *result = Err(error),
            }
        }
        txn.commit_ahead()
    }

    /// Whether every change of a unit meets the state it was made from, and
    /// what follows for alternate indexes.
    fn check(
        &self,
        txn: &WriteTxn,
        unit: &UnitOfWork,
    ) -> Result<Result<IndexChanges, ApplyError>, LmdbError> {
        let trusts = self.env.trust() == PageTrust::Whole;
        let mut follows: BTreeMap<FileId, ChangeOverlay> = BTreeMap::new();
        for (file, key, change) in unit.changes() {
            let Some(of) = self.files.get(&file) else {
                return Ok(Err(ApplyError::UnknownFile(file)));
            };
            if !trusts {
                let guard = PageGuard::of_file(&self.env, file, of);
                guard.check_pages(txn, SeekKey::Equal(key), true)?;
            }
            let old = txn.get(of.db, key)?.map(|stored| of.record(stored));
            let key_error =
                |make: fn(FileId, crate::Key) -> ApplyError| Ok(Err(make(file, key.into())));
            match (old, change) {
                (Some(_), KeyChange::Insert(_)) => {
                    return key_error(|file, key| ApplyError::Duplicate { file, key });
                }
                (None, KeyChange::Replace(_) | KeyChange::Delete) => {
                    return key_error(|file, key| ApplyError::NotFound { file, key });
                }
                _ => {}
            }
            for index in self.indexes_of(file).filter(|index| index.is_kept()) {
                let overlay = follows.entry(index.id).or_default();
                index.def.follow(key, old, change.record(), overlay);
            }
        }
        let mut changes = Vec::with_capacity(follows.len());
        for (id, overlay) in follows {
            let CatalogueIndex { db, entry } = &self.indexes[&id];
            if !trusts {
                let guard = PageGuard::of_index(&self.env, entry);
                for entry in overlay.changes().keys() {
                    guard.check_pages(txn, SeekKey::Equal(entry), true)?;
                }
            }
            let present = |key: &[u8]| -> Result<Option<Box<[u8]>>, LmdbError> {
                let mut cursor = txn.new_cursor(*db)?;
                let hit = cursor.go(CursorMove::AtLeast(key))?;
                Ok(hit
                    .filter(|(entry, _)| entry.starts_with(key))
                    .map(|(entry, _)| entry.into()))
            };
            if let Some(key) = entry.def.duplicate(&overlay, present)? {
                return Ok(Err(ApplyError::DuplicateAlternate {
                    index: id,
                    key: crate::Key(key),
                }));
            }
            changes.push((*db, overlay));
        }
        if !trusts {
            let guard = PageGuard::of_tables(&self.env);
            for (table, key, _) in unit.table_changes() {
                let key = [&table.prefix()[..], key].concat();
                guard.check_pages(txn, SeekKey::Equal(&key), true)?;
            }
        }
        Ok(Ok(changes))
    }

    fn write(
        &self,
        txn: &mut WriteTxn,
        unit: &UnitOfWork,
        follows: &IndexChanges,
    ) -> Result<(), LmdbError> {
        let mut sealed = Vec::new();
        for (file, key, change) in unit.changes() {
            let Some(CachedFile {
                db, sealed: seals, ..
            }) = self.files.get(&file)
            else {
                continue;
            };
            match change.record() {
                Some(record) if *seals => {
                    txn.put(*db, key, seal::sealed(key, record, &mut sealed))?;
                }
                Some(record) => txn.put(*db, key, record)?,
                None => txn.delete(*db, key).map(drop)?,
            }
        }
        for (db, overlay) in follows {
            for (entry, comes) in overlay.changes() {
                match comes {
                    Some(_) => txn.put(*db, entry, &[])?,
                    None => txn.delete(*db, entry).map(drop)?,
                }
            }
        }
        for (table, key, value) in unit.table_changes() {
            // A store that is open for writing has its tables.
            let db = self.env.tables.ok_or(LmdbError(libc::EBADF))?;
            let mut whole = table.prefix();
            whole.extend_from_slice(key);
            match value {
                Some(value) => txn.put(db, &whole, seal::sealed(&whole, value, &mut sealed))?,
                None => txn.delete(db, &whole).map(drop)?,
            }
        }
        Ok(())
    }

    /// A reader that died inside a command keeps every page freed since; the
    /// file then grows, and that is when to look.
    fn check_growth(&mut self) {
        let pages = self
            .env
            .sys()
            .info()
            .map_or(0, |info| info.me_last_pgno as u64);
        if pages >= self.pages_checked + CHECK_GROWTH_PAGES {
            self.pages_checked = pages;
            // If it fails, growth will bring us back here.
            let _ = self.env.sys().clear_dead_readers();
        }
    }

    /// Makes a data base for a new file or index. `enter` says what becomes of
    /// it, in the same transaction.
    pub(super) fn create_db(
        &mut self,
        enter: impl FnOnce(&mut WriteTxn, DbHandle, FileId) -> Result<(), LmdbError>,
    ) -> Result<(FileId, DbHandle), StorageError> {
        let create = || {
            let opening = self.env.sys().opening();
            let mut txn = WriteTxn::begin(self.env.sys())?;
            let id = catalogue::next_id(&mut txn, self.env.catalogue)?;
            let db = txn.create_db(&catalogue::db_name(id), &opening)?;
            enter(&mut txn, self.env.catalogue, id)?;
            txn.commit()?;
            Ok((id, db))
        };
        create().map_err(|code| self.env.error(code, "defining a file"))
    }

    /// Looks at the pages of files and indexes before LMDB follows them.
    pub(super) fn verify(&self, of: &[FileId]) -> Result<(), StorageError> {
        let named = |id: &FileId| {
            let file = self.files.get(id).map(|file| &file.def.name);
            let name = file.or_else(|| Some(&self.indexes.get(id)?.entry.def.name));
            (
                *id,
                name.map_or_else(|| id.to_string(), FileName::to_string),
            )
        };
        let mut reader = Reader::new(self.env.sys().clone())
            .map_err(|code| self.env.error(code, "taking a reader slot"))?;
        let of: Vec<_> = of.iter().map(named).collect();
        verify(&self.env, &mut reader, |pages, meta| {
            before_reading(pages, meta, &of, false)
        })
    }

    /// Fills a data base with the entries of an index over a file.
    pub(super) fn build(
        &self,
        def: &IndexDef,
        base: &CachedFile,
        db: DbHandle,
        memory_bytes: usize,
        progress: &mut dyn FnMut(BuildProgress),
    ) -> Result<IndexFiller, BuildError> {
        let error = |code| self.env.error(code, "building an index");
        let mut reader = Reader::new(self.env.sys().clone()).map_err(error)?;
        let mut filler = IndexFiller::new(self.env.sys().clone(), db);
        let build = IndexBuild {
            def,
            base,
            memory_bytes,
            error: &error,
        };
        fill::build(&build, &mut reader, &mut filler, progress)?;
        Ok(filler)
    }

    fn check_name(&self, name: &FileName) -> Result<(), DefineError> {
        let taken = self.files.values().any(|file| file.def.name == *name)
            || self
                .indexes
                .values()
                .any(|index| index.entry.def.name == *name)
            || self.paths.contains_key(name);
        if taken {
            Err(DefineError::AlreadyDefined { name: name.clone() })
        } else {
            Ok(())
        }
    }

    /// The file of this name, for an index.
    fn base(&self, name: &FileName) -> Result<(FileId, &CachedFile), DefineError> {
        let mut files = self.files.iter();
        match files.find(|(_, file)| file.def.name == *name) {
            Some((id, file)) => Ok((*id, file)),
            None => Err(self.not_a("a file", name)),
        }
    }

    /// Why a name does not denote a thing of the wanted kind.
    fn not_a(&self, wanted: &'static str, name: &FileName) -> DefineError {
        let what = if self.paths.contains_key(name) {
            "a path"
        } else if self
            .indexes
            .values()
            .any(|index| index.entry.def.name == *name)
        {
            "an alternate index"
        } else {
            return DefineError::NotDefined { name: name.clone() };
        };
        DefineError::WrongKind {
            name: name.clone(),
            what,
            wanted,
        }
    }

    /// Removes names, and empties and discards their files.
    fn drop_all(
        &self,
        names: &[FileName],
        numbers: &[(FileId, DbHandle)],
    ) -> Result<(), StorageError> {
        let ids: Vec<FileId> = numbers.iter().map(|(id, _)| *id).collect();
        self.verify(&ids)?;
        let catalogue = self.env.catalogue;
        let remove = || {
            let mut txn = WriteTxn::begin(self.env.sys())?;
            for name in names {
                catalogue::take_out(&mut txn, catalogue, name)?;
            }
            for (id, db) in numbers {
                catalogue::discard(&mut txn, catalogue, *id)?;
                txn.clear_db(*db)?;
            }
            txn.commit()
        };
        remove().map_err(|code| self.env.error(code, "removing a file"))
    }
}

impl WriteStore for LmdbStore {
    fn reader(&self) -> Result<Box<dyn ReadStore + Send>, ReadError> {
        Ok(Box::new(self.disk_reader()?))
    }

    fn define(&mut self, def: FileDef) -> Result<FileId, DefineError> {
        let def = Arc::new(def.build()?);
        self.check_name(&def.name)?;
        let item = |id| CatalogueItem::File {
            id,
            def: def.clone(),
            sealed: true,
        };
        let (id, db) =
            self.create_db(|txn, catalogue, id| catalogue::enter(txn, catalogue, &item(id)))?;
        let file = CachedFile {
            db,
            def,
            sealed: true,
        };
        self.files.insert(id, file);
        self.catalogue_changed();
        Ok(id)
    }

    fn remove(&mut self, file: FileId) -> Result<(), DefineError> {
        let mut names = Vec::new();
        let mut numbers = Vec::new();
        if let Some(CachedFile { db, def, .. }) = self.files.get(&file) {
            names.push(def.name.clone());
            numbers.push((file, *db));
        }
        for (id, CatalogueIndex { db, entry }) in &self.indexes {
            if *id == file || entry.base == file {
                names.push(entry.def.name.clone());
                numbers.push((*id, *db));
            }
        }
        if numbers.is_empty() {
            return Err(DefineError::UnknownFile(file));
        }
        let paths = self
            .paths
            .values()
            .filter(|path| names.contains(&path.entry));
        names.extend(paths.map(|path| path.name.clone()).collect::<Vec<_>>());
        self.drop_all(&names, &numbers)?;
        for (id, _) in numbers {
            self.files.remove(&id);
            self.indexes.remove(&id);
        }
        self.paths.retain(|name, _| !names.contains(name));
        self.catalogue_changed();
        Ok(())
    }

    fn define_index(&mut self, def: IndexDef) -> Result<FileId, DefineError> {
        self.check_name(&def.name)?;
        let (base, file) = self.base(&def.base)?;
        let def = Arc::new(def.build(&file.def)?);
        let built = self
            .disk_reader()?
            .file_stat(base)
            .map_err(|error| match error {
                ReadError::Storage(error) => DefineError::Storage(error),
                _ => DefineError::UnknownFile(base),
            })?
            .records
            == 0;
        let item = |id| CatalogueItem::Index {
            id,
            def: def.clone(),
            built,
        };
        let (id, db) =
            self.create_db(|txn, catalogue, id| catalogue::enter(txn, catalogue, &item(id)))?;
        let entry = IndexEntry {
            id,
            base,
            def,
            built,
        };
        self.indexes.insert(id, CatalogueIndex { db, entry });
        self.catalogue_changed();
        Ok(id)
    }

    fn build_index(
        &mut self,
        index: FileId,
        memory_bytes: usize,
        progress: &mut dyn FnMut(BuildProgress),
    ) -> Result<FileId, BuildError> {
        let Some(CatalogueIndex { db: old_db, entry }) = self.indexes.get(&index) else {
            return Err(BuildError::UnknownFile(index));
        };
        let (old_db, mut entry) = (*old_db, entry.clone());
        let base = self.files.get(&entry.base).cloned();
        let base = base.ok_or(BuildError::UnknownFile(entry.base))?;
        // The one is read, the pages of the other are freed.
        self.verify(&[entry.base, index])?;
        let (new, db) = self.create_db(catalogue::discard)?;
        let switch = |filler: &mut IndexFiller| {
            let item = CatalogueItem::Index {
                id: new,
                def: entry.def.clone(),
                built: true,
            };
            load::replace(
                filler.txn()?,
                self.env.catalogue,
                &item,
                (index, old_db),
                new,
            )?;
            filler.commit()
        };
        let built = self
            .build(&entry.def, &base, db, memory_bytes, progress)
            .and_then(|mut filler| {
                switch(&mut filler).map_err(|code| self.env.error(code, "building an index").into())
            });
        if let Err(error) = built {
            let clear = || {
                let mut txn = WriteTxn::begin(self.env.sys())?;
                txn.clear_db(db)?;
                txn.commit()
            };
            // If this fails, the pages come back at the next open.
            let _: Result<(), LmdbError> = clear();
            return Err(error);
        }
        entry.id = new;
        entry.built = true;
        self.replace_index(index, db, entry);
        self.catalogue_changed();
        Ok(new)
    }

    fn define_path(&mut self, def: PathDef) -> Result<(), DefineError> {
        self.check_name(&def.name)?;
        let leads_to = |name: &FileName| {
            self.files.values().any(|file| file.def.name == *name)
                || self
                    .indexes
                    .values()
                    .any(|index| index.entry.def.name == *name)
        };
        if !leads_to(&def.entry) {
            return Err(self.not_a("a file or an alternate index", &def.entry));
        }
        let enter = || {
            let mut txn = WriteTxn::begin(self.env.sys())?;
            catalogue::enter(
                &mut txn,
                self.env.catalogue,
                &CatalogueItem::Path(def.clone()),
            )?;
            txn.commit()
        };
        enter().map_err(|code| self.env.error(code, "defining a path"))?;
        self.paths.insert(def.name.clone(), def);
        self.catalogue_changed();
        Ok(())
    }

    fn remove_path(&mut self, name: &FileName) -> Result<(), DefineError> {
        if !self.paths.contains_key(name) {
            return Err(DefineError::NotDefined { name: name.clone() });
        }
        self.drop_all(std::slice::from_ref(name), &[])?;
        self.paths.remove(name);
        self.catalogue_changed();
        Ok(())
    }

    fn apply(&mut self, units: &[UnitOfWork]) -> Vec<Result<(), ApplyError>> {
        let mut results = self.apply_ahead(units).results;
        if let Err(error) = self.settle() {
            for result in results.iter_mut().filter(|result| result.is_ok()) {
                *result = Err(error.clone().into());
            }
        }
        results
    }

    fn apply_ahead(&mut self, units: &[UnitOfWork]) -> AppliedUnits {
        let mut results = vec![Ok(()); units.len()];
        let before = self.env.sys().on_its_way();
        if units.iter().any(|unit| !unit.is_empty()) {
            self.apply_run(units, &mut results);
            self.check_growth();
        }
        let now = self.env.sys().on_its_way();
        let earlier = match (before, now) {
            // No later write could have flushed it.
            (LastMetaPage::Pending(earlier), LastMetaPage::Pending(last)) if earlier == last => {
                self.settle()
            }
            (LastMetaPage::Pending(earlier), LastMetaPage::Lost(lost, _)) if earlier == lost => {
                self.settle()
            }
            (LastMetaPage::Lost(..), _) => self.settle(),
            _ => Ok(()),
        };
        AppliedUnits {
            earlier,
            results,
            settled: now == LastMetaPage::Settled,
        }
    }

    fn settle(&mut self) -> Result<(), StorageError> {
        let settled = self.env.sys().settle();
        settled.map_err(|code| self.env.error(code, "making changes durable"))
    }

    fn start_load(&mut self, file: FileId) -> Result<Box<dyn BulkLoad + '_>, DefineError> {
        Ok(Box::new(FileLoad::start(self, file)?))
    }

    fn clear_dead_readers(&mut self) -> Result<u32, StorageError> {
        self.env
            .sys()
            .clear_dead_readers()
            .map_err(|code| self.env.error(code, "clearing dead readers"))
    }
}
