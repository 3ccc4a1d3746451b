//! The reading side: one in every worker, more in the region.
//!
//! A reader keeps one read transaction and one cursor a file, and renews them
//! for each command; in between it holds its slot in the reader table and no
//! page. That makes a command cost little more than the bare look-up.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use lmdb_master_sys as ffi;

use super::catalogue;
use super::env::{Env, LmdbOptions, OpenError};
use super::sys::{self, Code, Cursor, Dbi, Move, Pair, Snapshot};
use crate::error::{ReadError, StorageError};
use crate::file::{FileDef, FileId, FileName};
use crate::seek::{Entry, Seek};
use crate::traits::{CatalogueEntry, ReadStore};

/// Reads an environment.
pub struct LmdbReader {
    // Before `env`, so that it is dropped first.
    reader: sys::Reader,
    pub(super) env: Arc<Env>,
    /// The files looked at so far, by number.
    files: Vec<Option<File>>,
}

/// A file looked at before.
#[derive(Clone)]
struct File {
    db: Dbi,
    def: Arc<FileDef>,
}

impl LmdbReader {
    /// Opens the environment in this directory for reading only.
    pub fn open(path: &Path, limits: &LmdbOptions) -> Result<Self, OpenError> {
        let env = Env::open_for_reading(path, limits)?;
        let path = env.path.clone();
        Self::new(env).map_err(|source| OpenError::Storage { path, source })
    }

    pub(super) fn new(env: Arc<Env>) -> Result<Self, StorageError> {
        let reader = sys::Reader::new(env.sys().clone())
            .map_err(|code| env.error(code, "taking a reader slot"))?;
        Ok(Self {
            reader,
            env,
            files: Vec::new(),
        })
    }

    /// The data base and definition of a file.
    fn file(&mut self, file: FileId) -> Result<&File, ReadError> {
        let at = file.0 as usize;
        if !matches!(self.files.get(at), Some(Some(_))) {
            let entry = self.files()?.into_iter().find(|entry| entry.id == file);
            let entry = entry.ok_or(ReadError::UnknownFile(file))?;
            let db = self
                .env
                .open_db(&catalogue::db_name(file))
                .map_err(|code| read_error(&self.env, file, code))?;
            if self.files.len() <= at {
                self.files.resize(at + 1, None);
            }
            self.files[at] = Some(File { db, def: entry.def });
        }
        match &self.files[at] {
            Some(file) => Ok(file),
            None => Err(ReadError::UnknownFile(file)),
        }
    }

    /// Runs `look` on the newest state; if it finds nothing, makes sure that
    /// this is not because the file is gone.
    fn look(
        &mut self,
        file: FileId,
        look: impl FnOnce(&mut Snapshot<'_>, Dbi) -> Result<bool, Code>,
    ) -> Result<bool, ReadError> {
        let db = self.file(file)?.db;
        let catalogue = self.env.catalogue;
        let look = || {
            let mut snapshot = self.reader.snapshot()?;
            let found = look(&mut snapshot, db)?;
            let gone = !found && catalogue::is_discarded(&snapshot, catalogue, file)?;
            Ok((found, gone))
        };
        match look() {
            Ok((found, false)) => Ok(found),
            Ok((_, true)) => {
                self.files[file.0 as usize] = None;
                Err(ReadError::UnknownFile(file))
            }
            Err(code) => Err(read_error(&self.env, file, code)),
        }
    }

    /// Runs `look` on the newest state of the catalogue.
    fn look_up<R>(
        &mut self,
        look: impl FnOnce(&Snapshot<'_>, Dbi) -> Result<Result<R, String>, Code>,
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
        look: impl FnOnce(&Snapshot<'_>) -> Result<R, Code>,
    ) -> Result<R, StorageError> {
        let error = |code| self.env.error(code, "reading its statistics");
        let snapshot = self.reader.snapshot().map_err(error)?;
        look(&snapshot).map_err(error)
    }

    /// The data base of a file.
    pub(super) fn db(&mut self, file: FileId) -> Result<Dbi, ReadError> {
        Ok(self.file(file)?.db)
    }
}

impl ReadStore for LmdbReader {
    fn files(&mut self) -> Result<Vec<CatalogueEntry>, ReadError> {
        Ok(self.look_up(|snapshot, catalogue| catalogue::list(snapshot, catalogue))?)
    }

    fn find(&mut self, name: &FileName) -> Result<Option<CatalogueEntry>, ReadError> {
        let name = name.as_str();
        Ok(self.look_up(|snapshot, catalogue| catalogue::find(snapshot, catalogue, name))?)
    }

    fn definition(&mut self, file: FileId) -> Result<Arc<FileDef>, ReadError> {
        Ok(self.file(file)?.def.clone())
    }

    fn seek(
        &mut self,
        file: FileId,
        seek: Seek<'_>,
        found: &mut dyn FnMut(Entry<'_>),
    ) -> Result<bool, ReadError> {
        self.look(file, |snapshot, db| {
            let mut cursor;
            let hit = match seek {
                Seek::Equal([]) => None,
                Seek::Equal(key) => snapshot.get(db, key)?.map(|record| (key, record)),
                _ => {
                    cursor = snapshot.cursor(db)?;
                    go(&mut cursor, seek)?
                }
            };
            let hit = hit.map(|(key, record)| Entry { key, record });
            Ok(hit.inspect(|&entry| found(entry)).is_some())
        })
    }

    fn scan(
        &mut self,
        file: FileId,
        from: Seek<'_>,
        each: &mut dyn FnMut(Entry<'_>) -> ControlFlow<()>,
    ) -> Result<(), ReadError> {
        self.look(file, |snapshot, db| {
            let mut cursor = snapshot.cursor(db)?;
            let mut hit = go(&mut cursor, from)?;
            let any = hit.is_some();
            while let Some((key, record)) = hit {
                if each(Entry { key, record }).is_break() {
                    break;
                }
                hit = cursor.go(Move::Next)?;
            }
            Ok(any)
        })
        .map(drop)
    }
}

/// Puts a cursor where a command wants it.
fn go<'c>(cursor: &'c mut Cursor<'_>, seek: Seek<'_>) -> Result<Option<Pair<'c>>, Code> {
    match seek {
        Seek::First | Seek::AtLeast([]) | Seek::Greater([]) | Seek::Prefix([]) => {
            cursor.go(Move::First)
        }
        Seek::Last => cursor.go(Move::Last),
        Seek::Equal([]) | Seek::AtMost([]) | Seek::Less([]) => Ok(None),
        Seek::AtLeast(key) => cursor.go(Move::AtLeast(key)),
        Seek::Prefix(prefix) => {
            let hit = cursor.go(Move::AtLeast(prefix))?;
            Ok(hit.filter(|(key, _)| key.starts_with(prefix)))
        }
        Seek::Equal(wanted) => {
            let hit = cursor.go(Move::AtLeast(wanted))?;
            Ok(hit.filter(|(key, _)| *key == wanted))
        }
        Seek::Greater(than) => match cursor.go(Move::AtLeast(than))?.map(|(key, _)| key == than) {
            Some(true) => cursor.go(Move::Next),
            Some(false) => cursor.go(Move::Here),
            None => Ok(None),
        },
        Seek::AtMost(most) => match cursor.go(Move::AtLeast(most))?.map(|(key, _)| key == most) {
            Some(true) => cursor.go(Move::Here),
            Some(false) => cursor.go(Move::Previous),
            None => cursor.go(Move::Last),
        },
        Seek::Less(than) => match cursor.go(Move::AtLeast(than))? {
            Some(_) => cursor.go(Move::Previous),
            None => cursor.go(Move::Last),
        },
    }
}

fn read_error(env: &Env, file: FileId, code: Code) -> ReadError {
    match code {
        Code(ffi::MDB_BAD_DBI | ffi::MDB_NOTFOUND) => ReadError::UnknownFile(file),
        code => env.error(code, "reading").into(),
    }
}
