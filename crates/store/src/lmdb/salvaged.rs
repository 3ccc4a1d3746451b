//! The result of `salvage`: the found and lost records of each file.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use thiserror::Error;

use crate::error::Key;
use crate::file::FileDef;

/// The result of a salvage.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SalvageReport {
    /// Which commit the records are of.
    pub state: SalvagedState,
    /// The files, in the order of their names.
    pub files: Vec<SalvagedFile>,
    /// Damage outside the files: pages that lead to them, and the list of free
    /// pages.
    pub notes: Vec<String>,
}

/// Which commit salvaged records are of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum SalvagedState {
    /// The last one.
    #[default]
    Newest,
    /// The one before the last: what leads to the last is damaged.
    Before,
    /// Which of the two is not known, because of damage.
    Unknown,
}

/// A file, and the result of its salvage.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SalvagedFile {
    /// Its name; `file-` and its number if the name was lost, `unknown` if the
    /// file of the records is not known.
    pub name: String,
    /// Its definition, unless that was lost.
    pub def: Option<Arc<FileDef>>,
    /// Records that are the file's for certain.
    pub records: u64,
    /// Records that may be old versions, or another file's.
    pub doubtful: u64,
    /// Entries whose record has a wrong checksum.
    pub damaged_records: u64,
    /// Its pages that are damaged.
    pub damaged_pages: u64,
    /// Its records that were not found for certain, if their number is known.
    pub missing: Option<u64>,
    /// The gaps in which records may be missing: after the one key and before the other, if
    /// there are such keys; the first 1,000.
    pub lost: Vec<(Option<Key>, Option<Key>)>,
    /// How many more such ranges there are.
    pub more_lost: u64,
}

/// A record that was found.
#[derive(Debug, Clone, Copy)]
pub struct SalvagedRecord<'r> {
    /// The file's name, as [`SalvagedFile`] has it.
    pub name: &'r str,
    /// The file's definition, unless it was lost.
    pub def: Option<&'r FileDef>,
    /// Its key.
    pub key: &'r [u8],
    /// The record.
    pub record: &'r [u8],
    /// Whether it is the file's for certain.
    pub is_certain: bool,
}

/// Why nothing was salvaged, or not all.
#[derive(Debug, Error)]
pub enum SalvageError {
    /// A process writes the store.
    #[error("the store in {} is open for writing by {}: stop that first, or salvage a copy of data.mdb",
        path.display(),
        pid.map_or_else(|| "another process".to_owned(), |pid| format!("process {pid}")))]
    Held {
        /// The directory.
        path: PathBuf,
        /// The process that has it open, if it could be found.
        pid: Option<u32>,
    },
    /// The file cannot be read at all.
    #[error("cannot read {}: {reason}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The operating system's words.
        reason: String,
    },
    /// The records could not be written.
    #[error("the salvaged records cannot be written: {0}")]
    Output(#[from] io::Error),
}

impl SalvageReport {
    /// True if nothing was damaged.
    pub fn is_clean(&self) -> bool {
        let whole = |file: &SalvagedFile| {
            file.doubtful + file.damaged_records + file.damaged_pages == 0
                && file.missing == Some(0)
        };
        self.state == SalvagedState::Newest && self.notes.is_empty() && self.files.iter().all(whole)
    }
}
