//! Writing much at once: a data base filled over many transactions, and the
//! entries of an alternate index, sorted.
//!
//! Transactions are committed every few megabytes, so memory stays bounded. The
//! data base is on the discard list until it is complete.

use std::sync::Arc;

use super::reader::CachedFile;
use super::sys::{self, CursorMove, DbHandle, LmdbError, Reader, WriteTxn};
use crate::error::{BuildError, Key, StorageError};
use crate::index::IndexDef;
use crate::traits::BuildProgress;
use crate::transfer::sort::{RecordSorter, SortRecord};

/// Bytes after which a transaction is committed: a bound on memory, and large
/// enough for its flush to be cheap.
const COMMIT_BYTES: usize = 32 << 20;

/// Records of the base read from one state. No page is kept for longer.
const READ_RECORDS: usize = 4096;

/// Fills one data base.
pub(super) struct IndexFiller {
    env: Arc<sys::LmdbEnvironment>,
    db: DbHandle,
    /// Begun by the first entry after a commit.
    txn: Option<WriteTxn>,
    /// Bytes put since the last commit.
    pending_bytes: usize,
    /// The greatest key so far.
    greatest: Vec<u8>,
}

impl IndexFiller {
    pub fn new(env: Arc<sys::LmdbEnvironment>, db: DbHandle) -> Self {
        Self {
            env,
            db,
            txn: None,
            pending_bytes: 0,
            greatest: Vec::new(),
        }
    }

    /// The transaction under way.
    pub fn txn(&mut self) -> Result<&mut WriteTxn, LmdbError> {
        match self.txn {
            Some(ref mut txn) => Ok(txn),
            None => Ok(self.txn.insert(WriteTxn::begin(&self.env)?)),
        }
    }

    /// Adds an entry; false if its key is there. Ascending keys are appended,
    /// which fills pages and costs no search.
    pub fn put(&mut self, key: &[u8], value: &[u8]) -> Result<bool, LmdbError> {
        let db = self.db;
        let greater = key > &self.greatest[..];
        let txn = self.txn()?;
        let added = if greater {
            txn.append(db, key, value)?
        } else {
            txn.add(db, key, value)?
        };
        if greater {
            self.greatest.clear();
            self.greatest.extend_from_slice(key);
        }
        self.pending_bytes += key.len() + value.len();
        if self.pending_bytes >= COMMIT_BYTES {
            self.commit()?;
        }
        Ok(added)
    }

    /// Commits what was put.
    pub fn commit(&mut self) -> Result<(), LmdbError> {
        self.pending_bytes = 0;
        self.txn.take().map_or(Ok(()), WriteTxn::commit)
    }

    /// Gives up what was not committed.
    pub fn abort(&mut self) {
        self.txn = None;
    }

    /// The entry that begins so, if there is one.
    fn with_prefix(&mut self, prefix: &[u8]) -> Result<Option<Vec<u8>>, LmdbError> {
        if self.greatest[..] < *prefix {
            return Ok(None);
        }
        let db = self.db;
        let txn = self.txn()?;
        let mut cursor = txn.new_cursor(db)?;
        let hit = cursor.go(CursorMove::AtLeast(prefix))?;
        Ok(hit
            .filter(|(key, _)| key.starts_with(prefix))
            .map(|(key, _)| key.to_vec()))
    }
}

/// The source of an index, and how it is built.
pub(super) struct IndexBuild<'b> {
    pub def: &'b IndexDef,
    pub base: &'b CachedFile,
    pub memory_bytes: usize,
    /// Converts an error number.
    pub error: &'b dyn Fn(LmdbError) -> StorageError,
}

/// Fills an index with the entries of all records of its base, which must not
/// change meanwhile. The last entries are not committed yet.
pub(super) fn build(
    build: &IndexBuild<'_>,
    reader: &mut Reader,
    target: &mut IndexFiller,
    progress: &mut dyn FnMut(BuildProgress),
) -> Result<(), BuildError> {
    let mut sorter = RecordSorter::new(build.memory_bytes);
    let mut done = BuildProgress::default();
    let mut last: Vec<u8> = Vec::new();
    loop {
        let (before, mut written) = (done.read, done.written);
        let mut sink = |item: SortRecord<'_>| {
            written += 1;
            add(build, target, item.key)
        };
        // Entries of one state, copied before the state is released.
        let mut chunk = Vec::new();
        read_chunk(build, reader, &mut last, &mut chunk)?;
        let more = chunk.len() == READ_RECORDS;
        for entry in chunk {
            done.read += 1;
            if let Some(entry) = entry {
                let item = SortRecord {
                    number: done.read,
                    key: &entry,
                    record: &[],
                };
                sorter.push(item, &mut sink)?;
            }
        }
        done.written = written;
        if done.read > before {
            progress(done);
        }
        if !more {
            break;
        }
    }
    sorter.finish(&mut |item: SortRecord<'_>| {
        done.written += 1;
        if done.written.is_multiple_of(READ_RECORDS as u64) {
            progress(done);
        }
        add(build, target, item.key)
    })?;
    progress(done);
    Ok(())
}

/// The entries of the records after `last`: at most one for each.
fn read_chunk(
    build: &IndexBuild<'_>,
    reader: &mut Reader,
    last: &mut Vec<u8>,
    chunk: &mut Vec<Option<Box<[u8]>>>,
) -> Result<(), BuildError> {
    let mut damaged = None;
    let mut read = || {
        let mut snapshot = reader.snapshot()?;
        let mut cursor = snapshot.cursor(build.base.db)?;
        let mut hit = if last.is_empty() {
            cursor.go(CursorMove::First)?
        } else {
            match cursor
                .go(CursorMove::AtLeast(last))?
                .map(|(key, _)| key == &last[..])
            {
                Some(true) => cursor.go(CursorMove::Next)?,
                Some(false) => cursor.go(CursorMove::Here)?,
                None => None,
            }
        };
        while let Some((key, stored)) = hit {
            let Some(record) = build.base.checked(key, stored) else {
                damaged = Some(Key::from(key));
                break;
            };
            chunk.push(build.def.entry(key, record));
            if chunk.len() == READ_RECORDS {
                last.clear();
                last.extend_from_slice(key);
                break;
            }
            hit = cursor.go(CursorMove::Next)?;
        }
        Ok(())
    };
    read().map_err(build.error)?;
    match damaged {
        None => Ok(()),
        Some(key) => Err(super::reader::damaged_record(&build.base.def, &key).into()),
    }
}

fn add(build: &IndexBuild<'_>, target: &mut IndexFiller, entry: &[u8]) -> Result<(), BuildError> {
    let storage = |code| BuildError::Storage((build.error)(code));
    if build.def.unique {
        let (key, base_key) = entry.split_at(build.def.key_bytes());
        if let Some(known) = target.with_prefix(key).map_err(storage)? {
            return Err(BuildError::DuplicateAlternate {
                index: build.def.name.clone(),
                key: key.into(),
                first: known[key.len()..].into(),
                second: base_key.into(),
            });
        }
    }
    target.put(entry, &[]).map_err(storage)?;
    Ok(())
}
