//! Loading a file again: its records go into a new data base, which replaces
//! the old one in the last transaction, together with the file's alternate
//! indexes, built from the new records.
//!
//! New data bases are on the discard list until the end, so a load that ends
//! early, by an error or by kill -9, leaves only pages to be freed at the next
//! open.

use std::sync::Arc;

use super::catalogue::{self, CatalogueItem};
use super::fill::IndexFiller;
use super::reader::CachedFile;
use super::seal;
use super::sys::{DbHandle, LmdbError, WriteTxn};
use super::writer::LmdbStore;
use crate::error::{BuildError, DefineError, StorageError};
use crate::file::FileId;
use crate::index::{IndexDef, IndexEntry};
use crate::traits::{BuildProgress, BulkLoad};
use crate::transfer::LoadOptions;

/// A load in progress.
pub(super) struct FileLoad<'s> {
    store: &'s mut LmdbStore,
    old: FileId,
    new: FileId,
    filler: IndexFiller,
    /// New data bases, which are discarded unless the load finishes.
    made: Vec<DbHandle>,
    /// A record with its check sum.
    sealed: Vec<u8>,
    /// The first error; it ends the load.
    failed: Option<StorageError>,
    finished: bool,
}

/// An index of the file, old and new.
struct Rebuilt {
    old: FileId,
    new: FileId,
    db: DbHandle,
    def: Arc<IndexDef>,
}

impl<'s> FileLoad<'s> {
    pub fn start(store: &'s mut LmdbStore, old: FileId) -> Result<Self, DefineError> {
        if !store.files.contains_key(&old) {
            return Err(DefineError::UnknownFile(old));
        }
        // Its pages are freed at the end.
        let indexes = store.indexes_of(old).map(|index| index.id);
        let of: Vec<FileId> = indexes.chain([old]).collect();
        store.verify(&of)?;
        let (new, db) = store.create_db(catalogue::discard)?;
        let filler = IndexFiller::new(store.env.sys().clone(), db);
        Ok(Self {
            store,
            old,
            new,
            filler,
            made: vec![db],
            sealed: Vec::new(),
            failed: None,
            finished: false,
        })
    }

    /// Builds an index from the new records.
    fn rebuild(
        &mut self,
        index: &IndexEntry,
        file: &CachedFile,
        progress: &mut dyn FnMut(BuildProgress),
    ) -> Result<Rebuilt, BuildError> {
        let (new, db) = self.store.create_db(catalogue::discard)?;
        self.made.push(db);
        let mut filler =
            self.store
                .build(&index.def, file, db, LoadOptions::SORT_BYTES, progress)?;
        filler.commit().map_err(|code| self.fail(code))?;
        Ok(Rebuilt {
            old: index.id,
            new,
            db,
            def: index.def.clone(),
        })
    }

    /// Replaces the old file and indexes by the new, in one transaction.
    fn switch(&mut self, file: &CachedFile, indexes: &[Rebuilt]) -> Result<(), LmdbError> {
        let catalogue = self.store.env.catalogue;
        let mut txn = WriteTxn::begin(self.store.env.sys())?;
        let item = CatalogueItem::File {
            id: self.new,
            def: file.def.clone(),
            sealed: true,
        };
        let old_db = self.store.files[&self.old].db;
        replace(&mut txn, catalogue, &item, (self.old, old_db), self.new)?;
        for index in indexes {
            let item = CatalogueItem::Index {
                id: index.new,
                def: index.def.clone(),
                built: true,
            };
            let old_db = self.store.indexes[&index.old].db;
            replace(&mut txn, catalogue, &item, (index.old, old_db), index.new)?;
        }
        txn.commit()
    }

    fn run(&mut self, progress: &mut dyn FnMut(BuildProgress)) -> Result<(), BuildError> {
        self.filler.commit().map_err(|code| self.fail(code))?;
        let file = CachedFile {
            db: self.made[0],
            def: self.store.files[&self.old].def.clone(),
            sealed: true,
        };
        let mut of_file: Vec<_> = self.store.indexes_of(self.old).cloned().collect();
        of_file.sort_by_key(|index| index.id);
        let mut rebuilt = Vec::new();
        for index in of_file.iter().filter(|index| index.built) {
            rebuilt.push(self.rebuild(index, &file, progress)?);
        }
        self.switch(&file, &rebuilt)
            .map_err(|code| self.fail(code))?;
        let store = &mut *self.store;
        store.files.remove(&self.old);
        store.files.insert(self.new, file);
        for index in rebuilt {
            let entry = IndexEntry {
                id: index.new,
                base: self.new,
                def: index.def,
                built: true,
            };
            store.replace_index(index.old, index.db, entry);
        }
        for index in of_file.iter().filter(|index| !index.built) {
            if let Some(index) = store.indexes.get_mut(&index.id) {
                index.entry.base = self.new;
            }
        }
        store.catalogue_changed();
        Ok(())
    }

    fn fail(&mut self, code: LmdbError) -> StorageError {
        let error = self.store.env.error(code, "loading a file");
        self.filler.abort();
        self.failed = Some(error.clone());
        error
    }
}

/// Enters a new file or index in place of an old one, whose pages are freed.
pub(super) fn replace(
    txn: &mut WriteTxn,
    catalogue: DbHandle,
    item: &CatalogueItem,
    (old, old_db): (FileId, DbHandle),
    new: FileId,
) -> Result<(), LmdbError> {
    catalogue::enter(txn, catalogue, item)?;
    catalogue::keep(txn, catalogue, new)?;
    catalogue::discard(txn, catalogue, old)?;
    txn.clear_db(old_db)
}

impl BulkLoad for FileLoad<'_> {
    fn insert(&mut self, key: &[u8], record: &[u8]) -> Result<bool, StorageError> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        let stored = seal::sealed(key, record, &mut self.sealed);
        let added = self.filler.put(key, stored);
        added.map_err(|code| self.fail(code))
    }

    fn finish(
        mut self: Box<Self>,
        progress: &mut dyn FnMut(BuildProgress),
    ) -> Result<FileId, BuildError> {
        if let Some(error) = &self.failed {
            return Err(error.clone().into());
        }
        self.run(progress)?;
        self.finished = true;
        Ok(self.new)
    }
}

impl Drop for FileLoad<'_> {
    fn drop(&mut self) {
        if self.finished {
            return;
        }
        self.filler.abort();
        let clear = || {
            let mut txn = WriteTxn::begin(self.store.env.sys())?;
            for db in &self.made {
                txn.clear_db(*db)?;
            }
            txn.commit()
        };
        // If this fails, the pages come back at the next open.
        let _: Result<(), LmdbError> = clear();
    }
}
