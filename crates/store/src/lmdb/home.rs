//! The directory of a store: the checks before LMDB opens it, files that are set
//! aside, and the marker that a store was here.
//!
//! LMDB treats a missing or empty data file as a new store. The marker next to
//! it, `store.txt`, distinguishes a lost store from a new one. The reader table
//! is mapped for writing, so its bytes are allocated here: on a full disk a
//! hole in it would end the process.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::mem::ManuallyDrop;
use std::os::fd::{AsRawFd, FromRawFd, RawFd};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::check::{CheckDepth, before_opening};
use super::env::{LmdbOptions, OpenError};
use super::fault;
use crate::error::StorageError;

/// The marker's name.
const MARKER: &str = "store.txt";

/// The text of the marker.
const MARKER_TEXT: &str = "A store of record files was made in this directory. As long as this \
    file is here,\na missing or empty data.mdb is treated as a loss, and is not replaced by \
    a new store.\n`tupelo file restore` puts a backup in its place. To start with an \
    empty store,\ndelete this file too.\n";

/// Bytes that `stat` counts as a block.
const BLOCK_BYTES: u64 = 512;

/// The folder through which a process with a lent reader table opens the store:
/// names that lead to the data and to its own descriptor.
pub(super) const WORKERS: &str = "workers";

/// Bytes of a slot of LMDB's reader table.
pub(super) const SLOT_BYTES: u64 = 64;

/// Bytes before its second slot.
pub(super) const TABLE_HEAD_BYTES: u64 = 192;

/// The state of the directory before a store is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct HomeState {
    /// Whether there is one; else it is to be made.
    pub is_there: bool,
    /// Whether all of its pages were looked at.
    pub all_checked: bool,
}

/// Makes sure that the store in a directory can be opened. To write it, all
/// pages are looked at where it has so many bytes at most, or the last writer
/// ended by a fault.
pub(super) fn check_home(
    directory: &Path,
    writing: bool,
    walked_bytes: u64,
) -> Result<HomeState, OpenError> {
    let data = directory.join("data.mdb");
    let error = |error: io::Error| OpenError::Io {
        path: directory.to_owned(),
        reason: format!("{}: {error}", data.display()),
    };
    let bytes = match std::fs::metadata(&data) {
        Ok(metadata) => metadata.len(),
        Err(absent) if absent.kind() == io::ErrorKind::NotFound => 0,
        Err(other) => return Err(error(other)),
    };
    if bytes == 0 {
        let marker = marker(directory);
        return if marker.exists() {
            Err(OpenError::Lost {
                path: directory.to_owned(),
                what: if data.exists() { "empty" } else { "missing" },
                marker,
            })
        } else {
            Ok(HomeState {
                is_there: false,
                all_checked: true,
            })
        };
    }
    let marked = writing && fault::is_marked(directory);
    let look = match (writing, marked || bytes <= walked_bytes) {
        (false, _) => CheckDepth::Way,
        (true, false) => CheckDepth::Free,
        (true, true) => CheckDepth::All,
    };
    match before_opening(&data, look).map_err(error)? {
        Ok(()) => {
            if marked {
                fault::unmark(directory);
            }
            Ok(HomeState {
                is_there: true,
                all_checked: look == CheckDepth::All,
            })
        }
        Err(reason) => Err(OpenError::Storage {
            path: directory.to_owned(),
            source: StorageError::Damaged {
                reason: with_way_out(&reason),
            },
        }),
    }
}

/// The message of a problem with a store, and its remedies.
pub(super) fn with_way_out(reason: &str) -> String {
    format!(
        "{reason}; put a backup in its place with `tupelo file restore`, or save the readable \
         records with `tupelo file salvage`"
    )
}

/// Sets the bytes of the reader table aside. No process of this name may have
/// the table open yet: closing it gives LMDB's locks back.
pub(super) fn set_reader_table_aside(
    directory: &Path,
    options: &LmdbOptions,
    read_only: bool,
) -> Result<(), OpenError> {
    let table = directory.join("lock.mdb");
    // A reader finds the bytes that the writer has allocated.
    let has_all = |metadata: &std::fs::Metadata| {
        metadata.len() > 0 && metadata.blocks() * BLOCK_BYTES >= metadata.len()
    };
    if read_only && std::fs::metadata(&table).is_ok_and(|metadata| has_all(&metadata)) {
        return Ok(());
    }
    let slots = u64::from(options.max_readers.saturating_sub(1));
    let wanted = TABLE_HEAD_BYTES + slots * SLOT_BYTES;
    let set_aside = || {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&table)?;
        let bytes = file.metadata()?.len().max(wanted) as libc::off_t;
        // SAFETY: the descriptor is open.
        match unsafe { libc::posix_fallocate(file.as_raw_fd(), 0, bytes) } {
            0 => Ok(()),
            code => Err(io::Error::from_raw_os_error(code)),
        }
    };
    set_aside().map_err(|error| match error.raw_os_error() {
        Some(code @ (libc::ENOSPC | libc::EDQUOT | libc::EFBIG)) => OpenError::Storage {
            path: directory.to_owned(),
            source: StorageError::DiskFull {
                doing: "setting its reader table aside",
                code,
            },
        },
        _ => OpenError::Io {
            path: directory.to_owned(),
            reason: format!("lock.mdb: {error}"),
        },
    })
}

/// Whether an open data file is still the one that its name leads to.
pub(super) fn is_in_place(open: RawFd, data: &Path) -> bool {
    // SAFETY: the descriptor is the environment's, which closes it; this is
    // only asked about it.
    let file = ManuallyDrop::new(unsafe { File::from_raw_fd(open) });
    match (file.metadata(), std::fs::metadata(data)) {
        (Ok(open), Ok(named)) => (open.dev(), open.ino()) == (named.dev(), named.ino()),
        (Ok(_), Err(error)) => error.kind() != io::ErrorKind::NotFound,
        _ => true,
    }
}

/// Makes the folder through which borrowers of reader tables open the store.
pub(super) fn make_way_for_borrowers(directory: &Path) -> io::Result<()> {
    let folder = directory.join(WORKERS);
    match std::fs::create_dir(&folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    let table = PathBuf::from(format!("/proc/self/fd/{}", super::lent::TABLE_FD));
    let names = [
        ("data.mdb", PathBuf::from("../data.mdb")),
        ("lock.mdb", table),
    ];
    for (name, target) in names {
        let name = folder.join(name);
        if std::fs::read_link(&name).is_ok_and(|there| there == target) {
            continue;
        }
        match std::fs::remove_file(&name) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => std::os::unix::fs::symlink(target, name)?,
        }
    }
    Ok(())
}

/// Leaves the marker, durably, if it is not there.
pub(super) fn mark(directory: &Path) -> io::Result<()> {
    let path = marker(directory);
    if path.exists() {
        return Ok(());
    }
    let mut file = File::create(&path)?;
    file.write_all(MARKER_TEXT.as_bytes())?;
    file.sync_all()?;
    File::open(directory)?.sync_all()
}

fn marker(directory: &Path) -> PathBuf {
    directory.join(MARKER)
}
