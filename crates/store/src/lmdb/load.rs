//! Loading a file anew: its records go into a data base of their own, which
//! takes the old one's place in the last transaction.
//!
//! Transactions are committed every few megabytes, so memory stays bounded; the
//! new data base is on the discard list until the end, so a load that ends
//! early, by an error or by kill -9, leaves nothing behind but pages to be
//! freed at the next open. Ascending keys are appended, which fills pages and
//! costs no search.

use super::catalogue;
use super::sys::{Code, Dbi, WriteTxn};
use super::writer::LmdbStore;
use crate::error::{DefineError, StorageError};
use crate::file::FileId;
use crate::traits::BulkLoad;

/// A load in progress.
pub(super) struct Load<'s> {
    store: &'s mut LmdbStore,
    old: FileId,
    new: FileId,
    /// Begun by the first record after a commit.
    txn: Option<WriteTxn>,
    /// Bytes put since the last commit.
    pending_bytes: usize,
    /// The greatest key so far.
    greatest: Vec<u8>,
    /// What went wrong; nothing more is taken.
    failed: Option<StorageError>,
    finished: bool,
}

/// Bytes after which a transaction is committed: a bound on memory, and large
/// enough for its flush to be cheap.
const COMMIT_BYTES: usize = 32 << 20;

impl<'s> Load<'s> {
    pub fn start(store: &'s mut LmdbStore, old: FileId) -> Result<Self, DefineError> {
        let def = store
            .files
            .get(&old)
            .ok_or(DefineError::UnknownFile(old))?
            .def
            .clone();
        let new = store.create_file(def, catalogue::discard)?;
        Ok(Self {
            store,
            old,
            new,
            txn: None,
            pending_bytes: 0,
            greatest: Vec::new(),
            failed: None,
            finished: false,
        })
    }

    fn db(&self, file: FileId) -> Result<Dbi, Code> {
        self.store
            .files
            .get(&file)
            .map(|file| file.db)
            .ok_or(Code(libc::EBADF))
    }

    fn txn(&mut self) -> Result<&mut WriteTxn, Code> {
        match self.txn {
            Some(ref mut txn) => Ok(txn),
            None => Ok(self.txn.insert(WriteTxn::begin(self.store.env.sys())?)),
        }
    }

    fn put(&mut self, key: &[u8], record: &[u8]) -> Result<bool, Code> {
        let db = self.db(self.new)?;
        let greater = key > &self.greatest[..];
        let txn = self.txn()?;
        let added = if greater {
            txn.append(db, key, record)?
        } else {
            txn.add(db, key, record)?
        };
        if greater {
            self.greatest.clear();
            self.greatest.extend_from_slice(key);
        }
        self.pending_bytes += key.len() + record.len();
        if self.pending_bytes >= COMMIT_BYTES {
            self.pending_bytes = 0;
            self.txn.take().map_or(Ok(()), WriteTxn::commit)?;
        }
        Ok(added)
    }

    fn switch(&mut self) -> Result<(), Code> {
        let old_db = self.db(self.old)?;
        let (old, new) = (self.old, self.new);
        let (env, def) = (self.store.env.clone(), self.store.files[&new].def.clone());
        let txn = self.txn()?;
        catalogue::enter(txn, env.catalogue, new, &def)?;
        catalogue::keep(txn, env.catalogue, new)?;
        catalogue::discard(txn, env.catalogue, old)?;
        txn.clear_db(old_db)?;
        self.txn.take().map_or(Ok(()), WriteTxn::commit)
    }

    fn fail(&mut self, code: Code) -> StorageError {
        let error = self.store.env.error(code, "loading a file");
        self.txn = None;
        self.failed = Some(error.clone());
        error
    }
}

impl BulkLoad for Load<'_> {
    fn insert(&mut self, key: &[u8], record: &[u8]) -> Result<bool, StorageError> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        self.put(key, record).map_err(|code| self.fail(code))
    }

    fn finish(mut self: Box<Self>) -> Result<FileId, StorageError> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        self.switch().map_err(|code| self.fail(code))?;
        self.finished = true;
        self.store.files.remove(&self.old);
        Ok(self.new)
    }
}

impl Drop for Load<'_> {
    fn drop(&mut self) {
        if self.finished {
            return;
        }
        self.txn = None;
        let clear = || {
            let mut txn = WriteTxn::begin(self.store.env.sys())?;
            txn.clear_db(self.db(self.new)?)?;
            txn.commit()
        };
        // If this fails, the pages come back at the next open.
        let _: Result<(), Code> = clear();
        self.store.files.remove(&self.new);
    }
}
