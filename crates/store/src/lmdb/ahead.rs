//! The part of the last commit that is not yet on the disk.
//!
//! A commit flushes its pages and then writes its meta page, without a flush of
//! its own (`MDB_NOMETASYNC`). The meta page becomes durable with the flush of
//! the next commit's pages, or with [`LastMetaPage::settle`] if no commit follows.
//! Until then the commit may be seen and must not be acknowledged.
//!
//! LMDB allows a lag of exactly one: transaction N uses pages again that were
//! freed by transactions up to N-2, so no page of the states N-2 and N-1, and
//! the flush of N-1 made N-2 durable before N began. See `mdb_find_oldest`,
//! `_mdb_txn_commit` and `mdb_env_write_meta` of `mdb.c`, and
//! docs/internals/store.md.
//!
//! A flush that fails leaves pages marked as clean that are not on the disk, so
//! a second flush that succeeds proves nothing about them. Pages in
//! doubt are therefore written again, through a descriptor that waits for the
//! disk; if that fails too, the store accepts no further changes.

use std::ffi::c_int;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};

use super::pages::{META_HEAD_BYTES, meta_transaction};
use super::sys::LmdbError;

/// Attempts to write a meta page: the first may return an older error.
const TRIES: u32 = 2;

/// The meta page of the last commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LastMetaPage {
    /// The meta page is on the disk.
    Settled,
    /// The meta page of this transaction may not be on the disk yet.
    Pending(u64),
    /// Whether the meta page of this transaction is on the disk is not
    /// disk.
    Lost(u64, LmdbError),
}

impl LastMetaPage {
    /// Makes the meta page durable by a flush of the file.
    pub fn settle(
        &mut self,
        data: c_int,
        page_bytes: u64,
        flush: impl FnOnce() -> Result<(), LmdbError>,
    ) {
        if let LastMetaPage::Pending(transaction) = *self {
            *self = match flush() {
                Ok(()) => LastMetaPage::Settled,
                Err(_) => rewritten(data, page_bytes, transaction),
            };
        }
    }

    /// Makes the meta page durable after a flush may have failed.
    pub fn save(&mut self, data: c_int, page_bytes: u64) {
        if let LastMetaPage::Pending(transaction) = *self {
            *self = rewritten(data, page_bytes, transaction);
        }
    }
}

fn rewritten(data: c_int, page_bytes: u64, transaction: u64) -> LastMetaPage {
    let mut last = LmdbError(libc::EIO);
    for _ in 0..TRIES {
        match rewrite(data, page_bytes, transaction) {
            Ok(()) => return LastMetaPage::Settled,
            Err(error) => last = LmdbError(error.raw_os_error().unwrap_or(libc::EIO)),
        }
    }
    LastMetaPage::Lost(transaction, last)
}

/// Writes the meta page of a transaction once more, and waits for the disk.
fn rewrite(data: c_int, page_bytes: u64, transaction: u64) -> io::Result<()> {
    // A new descriptor: an old one returns errors of earlier writes.
    let file: File = OpenOptions::new()
        .read(true)
        .write(true)
        .custom_flags(libc::O_DSYNC)
        .open(format!("/proc/self/fd/{data}"))?;
    let offset = (transaction % 2) * page_bytes;
    let mut head = [0; META_HEAD_BYTES];
    file.read_exact_at(&mut head, offset)?;
    // A file system may have dropped the pages that it could not write.
    if meta_transaction(&head) != transaction {
        return Err(io::Error::from_raw_os_error(libc::EIO));
    }
    file.write_all_at(&head, offset)
}
