//! The writing side: the region's.
//!
//! An apply is one transaction and one flush for all its units (group commit).
//! A unit is checked as a whole before anything of it is written, so one that
//! cannot be applied leaves no trace among the others. When there is no room
//! for all of them, the batch is halved until each unit that fits alone is in.
//!
//! Invariant: what an in-process reader has open is never closed under it: a
//! file that is removed is emptied and put on the catalogue's discard list.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use super::catalogue;
use super::env::{Env, LmdbOptions, OpenError, lock_error};
use super::load::Load;
use super::lock::WriterLock;
use super::reader::LmdbReader;
use super::sys::{Code, Dbi, WriteTxn};
use crate::error::{ApplyError, DefineError, ReadError, StorageError};
use crate::file::{FileDef, FileId};
use crate::traits::{BulkLoad, CatalogueEntry, ReadStore, WriteStore};
use crate::unit::{Change, UnitOfWork};

/// An environment open for writing.
pub struct LmdbStore {
    pub(super) env: Arc<Env>,
    pub(super) files: HashMap<FileId, File>,
    /// Pages in the file when dead readers were last looked for.
    pages_checked: u64,
    // After `env`: the lock is given back when the environment is closed.
    _lock: WriterLock,
}

/// A file of the catalogue.
#[derive(Clone)]
pub(super) struct File {
    pub db: Dbi,
    pub def: Arc<FileDef>,
}

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
        let env = Env::open_for_writing(&path, options)?;
        let mut store = Self {
            env,
            files: HashMap::new(),
            pages_checked: 0,
            _lock: lock,
        };
        store
            .open_files()
            .map_err(|source| OpenError::Storage { path, source })?;
        Ok(store)
    }

    /// A reader of this process's own type.
    pub fn lmdb_reader(&self) -> Result<LmdbReader, StorageError> {
        LmdbReader::new(self.env.clone())
    }

    fn open_files(&mut self) -> Result<(), StorageError> {
        let files = match self.lmdb_reader()?.files() {
            Ok(files) => files,
            Err(ReadError::Storage(error)) => return Err(error),
            Err(ReadError::UnknownFile(_)) => Vec::new(),
        };
        for CatalogueEntry { id, def } in files {
            let db = self
                .env
                .open_db(&catalogue::db_name(id))
                .map_err(|code| self.env.error(code, "opening its files"))?;
            self.files.insert(id, File { db, def });
        }
        Ok(())
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
    ) -> Result<(), Code> {
        let mut txn = WriteTxn::begin(self.env.sys())?;
        for (unit, result) in units.iter().zip(results) {
            *result = self.check(&txn, unit)?;
            if result.is_ok() {
                self.write(&mut txn, unit)?;
            }
        }
        txn.commit()
    }

    /// Whether every change of a unit meets the state it was made from.
    fn check(&self, txn: &WriteTxn, unit: &UnitOfWork) -> Result<Result<(), ApplyError>, Code> {
        for (file, key, change) in unit.changes() {
            let Some(File { db, .. }) = self.files.get(&file) else {
                return Ok(Err(ApplyError::UnknownFile(file)));
            };
            match (txn.get(*db, key)?.is_some(), change) {
                (true, Change::Insert(_)) => {
                    return Ok(Err(ApplyError::Duplicate {
                        file,
                        key: key.into(),
                    }));
                }
                (false, Change::Replace(_) | Change::Delete) => {
                    return Ok(Err(ApplyError::NotFound {
                        file,
                        key: key.into(),
                    }));
                }
                _ => {}
            }
        }
        Ok(Ok(()))
    }

    fn write(&self, txn: &mut WriteTxn, unit: &UnitOfWork) -> Result<(), Code> {
        for (file, key, change) in unit.changes() {
            let Some(File { db, .. }) = self.files.get(&file) else {
                continue;
            };
            match change.record() {
                Some(record) => txn.put(*db, key, record)?,
                None => txn.delete(*db, key).map(drop)?,
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

    /// Makes a data base for a new file. `enter` says what becomes of it, in
    /// the same transaction.
    pub(super) fn create_file(
        &mut self,
        def: Arc<FileDef>,
        enter: impl FnOnce(&mut WriteTxn, Dbi, FileId) -> Result<(), Code>,
    ) -> Result<FileId, StorageError> {
        let create = || {
            let opening = self.env.sys().opening();
            let mut txn = WriteTxn::begin(self.env.sys())?;
            let id = catalogue::next_id(&mut txn, self.env.catalogue)?;
            let db = txn.create_db(&catalogue::db_name(id), &opening)?;
            enter(&mut txn, self.env.catalogue, id)?;
            txn.commit()?;
            Ok((id, db))
        };
        let (id, db) = create().map_err(|code| self.env.error(code, "defining a file"))?;
        self.files.insert(id, File { db, def });
        Ok(id)
    }
}

impl WriteStore for LmdbStore {
    fn reader(&self) -> Result<Box<dyn ReadStore + Send>, ReadError> {
        Ok(Box::new(self.lmdb_reader()?))
    }

    fn define(&mut self, def: FileDef) -> Result<FileId, DefineError> {
        let def = Arc::new(def.build()?);
        if self.files.values().any(|file| file.def.name == def.name) {
            return Err(DefineError::AlreadyDefined {
                name: def.name.clone(),
            });
        }
        let entered = def.clone();
        Ok(self.create_file(def, |txn, db, id| catalogue::enter(txn, db, id, &entered))?)
    }

    fn remove(&mut self, file: FileId) -> Result<(), DefineError> {
        let File { db, def } = self
            .files
            .get(&file)
            .ok_or(DefineError::UnknownFile(file))?;
        let remove = || {
            let mut txn = WriteTxn::begin(self.env.sys())?;
            catalogue::take_out(&mut txn, self.env.catalogue, def)?;
            catalogue::discard(&mut txn, self.env.catalogue, file)?;
            txn.clear_db(*db)?;
            txn.commit()
        };
        remove().map_err(|code| self.env.error(code, "removing a file"))?;
        self.files.remove(&file);
        Ok(())
    }

    fn apply(&mut self, units: &[UnitOfWork]) -> Vec<Result<(), ApplyError>> {
        let mut results = vec![Ok(()); units.len()];
        if units.iter().any(|unit| !unit.is_empty()) {
            self.apply_run(units, &mut results);
            self.check_growth();
        }
        results
    }

    fn start_load(&mut self, file: FileId) -> Result<Box<dyn BulkLoad + '_>, DefineError> {
        Ok(Box::new(Load::start(self, file)?))
    }

    fn clear_dead_readers(&mut self) -> Result<u32, StorageError> {
        self.env
            .sys()
            .clear_dead_readers()
            .map_err(|code| self.env.error(code, "clearing dead readers"))
    }
}
