//! Errors of a store: whose fault it is, and which changes are unharmed.
//!
//! [`StorageError`] is the machine's (disk, map, descriptors); the others name
//! what the caller asked for. A store that gave back an error is usable.

use std::fmt;
use std::path::PathBuf;

use thiserror::Error;

use crate::file::{DefinitionError, FileId, FileName};

/// The store of the files failed. No change of the transaction is visible, now
/// or after a restart, except with [`StorageError::Uncertain`].
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum StorageError {
    /// The map has no room; deletes still work, and free room.
    #[error("the store is full: its map of {map_bytes} bytes has no free page left")]
    MapFull {
        /// Size of the map.
        map_bytes: u64,
    },
    /// The file system has no room, or a limit on file size was met.
    #[error("no space left for the store while {doing}: {}", os(*code))]
    DiskFull {
        /// The step that failed.
        doing: &'static str,
        /// The operating system's error number.
        code: i32,
    },
    /// No reader slot is free.
    #[error("all {max_readers} reader slots of the store are taken")]
    ReadersFull {
        /// Slots there are.
        max_readers: u32,
    },
    /// The environment holds as many files as it may.
    #[error("the store has {max_files} files, its maximum")]
    FilesFull {
        /// Files it may hold.
        max_files: u32,
    },
    /// The disk failed when the changes were written but not yet known to be
    /// on it. The changes are visible until the store is closed.
    #[error(
        "it is not known whether these changes are durable: the disk failed while they were \
         written ({reason})"
    )]
    Uncertain {
        /// The text of the error.
        reason: String,
    },
    /// A flush failed; only data that is read from the disk again can be
    /// trusted.
    #[error(
        "the store accepts no changes since the disk failed ({reason}): repair the disk, then \
         start again"
    )]
    Refused {
        /// The text of the error.
        reason: String,
    },
    /// The data file was deleted or replaced while it was open.
    #[error(
        "{} was deleted or replaced while process {process} had it open, so no change can be \
         committed. Until that process ends, its records can be saved by `cp \
         /proc/{process}/fd/{descriptor} COPY`; then stop it, and put the copy or a \
         backup in place with `tupelo file restore`",
        path.display()
    )]
    Misplaced {
        /// The data file.
        path: PathBuf,
        /// The process that has it open.
        process: u32,
        /// Under which descriptor.
        descriptor: i32,
    },
    /// The stored bytes are not those of a store.
    #[error("the store is damaged or foreign: {reason}")]
    Damaged {
        /// The reason.
        reason: String,
    },
    /// The operating system or the data base library refused.
    #[error("the store failed while {doing}: {reason}")]
    Failed {
        /// The step that failed.
        doing: &'static str,
        /// The text of the error.
        reason: String,
        /// The error number, of the operating system if positive.
        code: i32,
    },
}

/// Why a command could not look.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ReadError {
    /// No such file (any more).
    #[error("{0} is not in the store")]
    UnknownFile(FileId),
    /// The alternate index was defined over records and is not built yet.
    #[error("the alternate index with number {} is not built yet", .0.0)]
    NotBuilt(FileId),
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// Why a unit of work was not applied. None of its changes is visible.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ApplyError {
    /// The unit adds a record with an existing key.
    #[error("{file} already has a record with key {key}")]
    Duplicate {
        /// The file.
        file: FileId,
        /// The key.
        key: Key,
    },
    /// The unit gives a second record the key that a unique alternate index has.
    #[error("a record with alternate key {key} already exists, and index {} is unique", index.0)]
    DuplicateAlternate {
        /// The index.
        index: FileId,
        /// The alternate key.
        key: Key,
    },
    /// The unit replaces or deletes a record that does not exist.
    #[error("{file} has no record with key {key}")]
    NotFound {
        /// The file.
        file: FileId,
        /// The key.
        key: Key,
    },
    /// The unit names a file that does not exist.
    #[error("{0} is not in the store")]
    UnknownFile(FileId),
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// Why the catalogue was not changed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DefineError {
    /// The name is taken.
    #[error("{name} is already defined")]
    AlreadyDefined {
        /// The name.
        name: FileName,
    },
    /// The definition is not valid.
    #[error(transparent)]
    Definition(#[from] DefinitionError),
    /// No such file.
    #[error("{0} is not in the store")]
    UnknownFile(FileId),
    /// An index or path leads to something that is not there.
    #[error("{name} is not defined")]
    NotDefined {
        /// The name.
        name: FileName,
    },
    /// An index or path leads to something that it cannot lead to.
    #[error("{name} is {what}, but {wanted} is needed")]
    WrongKind {
        /// The name.
        name: FileName,
        /// The kind of the entry: "a path".
        what: &'static str,
        /// The kind that is needed.
        wanted: &'static str,
    },
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// Why a file was not loaded or an index not built. Its former contents are
/// unchanged.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum BuildError {
    /// Two records have one key in a unique index.
    #[error(
        "{index} is unique, and two records have its key {key}: those with the keys {first} and {second}"
    )]
    DuplicateAlternate {
        /// The index.
        index: FileName,
        /// The alternate key.
        key: Key,
        /// A record's own key.
        first: Key,
        /// The other one's.
        second: Key,
    },
    /// No such file or index.
    #[error("{0} is not in the store")]
    UnknownFile(FileId),
    /// The scratch file for sorting failed.
    #[error("the scratch file for sorting failed: {0}")]
    Scratch(String),
    /// The store failed.
    #[error(transparent)]
    Storage(#[from] StorageError),
}

impl From<std::io::Error> for BuildError {
    fn from(error: std::io::Error) -> Self {
        Self::Scratch(error.to_string())
    }
}

impl From<ReadError> for BuildError {
    fn from(error: ReadError) -> Self {
        match error {
            ReadError::UnknownFile(file) | ReadError::NotBuilt(file) => Self::UnknownFile(file),
            ReadError::Storage(error) => Self::Storage(error),
        }
    }
}

impl ApplyError {
    /// True when the changes may be found again after a restart.
    pub fn is_uncertain(&self) -> bool {
        matches!(self, Self::Storage(StorageError::Uncertain { .. }))
    }

    /// True when there is no room: in the map, or on the disk.
    pub fn is_full(&self) -> bool {
        use StorageError::{DiskFull, MapFull};
        matches!(self, Self::Storage(MapFull { .. } | DiskFull { .. }))
    }
}

/// A key as messages show it: characters where they print, else hexadecimal.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key(pub Box<[u8]>);

impl From<&[u8]> for Key {
    fn from(bytes: &[u8]) -> Self {
        Self(bytes.into())
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.0.is_empty() && self.0.iter().all(|b| (b' '..=b'~').contains(b)) {
            write!(f, "'{}'", String::from_utf8_lossy(&self.0))
        } else {
            f.write_str("X'")?;
            self.0.iter().try_for_each(|b| write!(f, "{b:02X}"))?;
            f.write_str("'")
        }
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

fn os(code: i32) -> std::io::Error {
    std::io::Error::from_raw_os_error(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_print_as_text_or_hexadecimal() {
        assert_eq!(Key::from(&b"AB 1"[..]).to_string(), "'AB 1'");
        assert_eq!(Key::from(&[0, 0xC1][..]).to_string(), "X'00C1'");
        assert_eq!(Key::from(&[][..]).to_string(), "X''");
    }
}
