//! The files that a task can name, and its browses and records read for
//! update.
//!
//! Positions are keys, so a browse holds nothing in the store between two
//! commands.

use cics::file::{FileAccess, FileFault};
use link::{FileEntry, HeldRecords};

/// Files by name, and the task's state on them.
#[derive(Debug, Default)]
pub struct TaskFiles {
    list: Vec<FileEntry>,
    /// Names and places, in the order of names. A hash of a name would cost more
    /// than these few comparisons.
    by_name: Vec<(u64, usize)>,
    /// The count of changes when the switches of each were last asked for.
    seen: Vec<u32>,
    /// Browses in progress.
    pub browses: Vec<FileBrowse>,
    /// Records read for update.
    pub held: HeldRecords<usize>,
}

/// A browse in progress.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileBrowse {
    /// File.
    pub file: usize,
    /// REQID, 0 without.
    pub reqid: i64,
    /// The start was a generic key.
    pub generic: bool,
    /// The start wants its own key, not a greater one.
    pub equal: bool,
    /// Key as the program last saw it: the start's, or the last record's.
    pub key: Vec<u8>,
    /// Position of the browse: the key of the last record, followed by the base's
    /// key for a path.
    pub position: Vec<u8>,
    /// The last operation.
    pub state: BrowseState,
}

/// The position of a browse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BrowseState {
    /// At its start; no record has been read.
    Start,
    /// A record was read forwards.
    Forward,
    /// A record was read backwards.
    Backward,
    /// READNEXT found no further record.
    AtEnd,
    /// READPREV found no further record.
    AtFront,
}

impl TaskFiles {
    /// The files of a configuration.
    pub fn new(list: &[FileEntry]) -> Self {
        let mut by_name: Vec<_> = list
            .iter()
            .enumerate()
            // A place without a name is that of a file no longer defined.
            .filter(|(_, f)| !f.name.is_blank())
            .map(|(i, f)| (u64::from_be_bytes(*f.name.as_bytes()), i))
            .collect();
        by_name.sort_unstable();
        TaskFiles {
            list: list.to_vec(),
            by_name,
            seen: vec![0; list.len()],
            ..TaskFiles::default()
        }
    }

    /// The file of a name.
    pub fn find(&self, name: &[u8; 8]) -> Option<usize> {
        let key = u64::from_be_bytes(*name);
        let after = self.by_name.partition_point(|(known, _)| *known <= key);
        let (known, file) = *self.by_name[..after].last()?;
        (known == key).then_some(file)
    }

    /// Whether a command may touch a file.
    pub fn check(&self, file: usize, access: FileAccess) -> Result<(), FileFault> {
        let def = &self.list[file];
        def.check(access, def.is_stored())
    }

    /// Whether a file's switches may have changed since they were asked for; they
    /// count as asked for now.
    #[inline]
    pub fn is_outdated(&mut self, file: usize, changes: u32) -> bool {
        std::mem::replace(&mut self.seen[file], changes) != changes
    }

    /// A file's definition, whose switches change.
    pub fn definition_mut(&mut self, file: usize) -> &mut FileEntry {
        &mut self.list[file]
    }

    /// A file's definition.
    pub fn definition(&self, file: usize) -> &FileEntry {
        &self.list[file]
    }

    /// Bytes of a file's key.
    pub fn key_bytes(&self, file: usize) -> usize {
        self.list[file].key_bytes as usize
    }

    /// The key within a record; the part that is there if it is too short.
    pub fn key_of<'r>(&self, file: usize, record: &'r [u8]) -> &'r [u8] {
        key_in(&self.list[file], record)
    }

    /// The browse of a file with this REQID.
    pub fn browse(&mut self, file: usize, reqid: i64) -> Option<&mut FileBrowse> {
        self.browses
            .iter_mut()
            .find(|b| b.file == file && b.reqid == reqid)
    }

    /// Releases the resources that end at a syncpoint: locks.
    pub fn end_unit(&mut self) {
        self.held.clear();
    }

    /// Releases the resources that end with the task.
    pub fn end_task(&mut self) {
        self.held.clear();
        self.browses.clear();
    }
}

/// The key within a record of that definition.
pub fn key_in<'r>(def: &FileEntry, record: &'r [u8]) -> &'r [u8] {
    let from = (def.key_offset as usize).min(record.len());
    let to = (from + def.key_bytes as usize).min(record.len());
    &record[from..to]
}

#[cfg(test)]
mod tests {
    use super::*;
    use cics::file::FilePermits;
    use link::FileName;

    const READS: FilePermits = FilePermits {
        add: false,
        browse: false,
        delete: false,
        read: true,
        update: false,
    };

    fn files() -> TaskFiles {
        TaskFiles::new(&[
            FileEntry {
                name: FileName::new("ACCTS").unwrap(),
                key_offset: 2,
                key_bytes: 4,
                record_bytes: 10,
                enabled: true,
                permits: READS,
                ..FileEntry::default()
            },
            FileEntry {
                name: FileName::new("OLD").unwrap(),
                ..FileEntry::default()
            },
            FileEntry {
                name: FileName::new("NOWHERE").unwrap(),
                enabled: true,
                permits: READS,
                ..FileEntry::default()
            },
        ])
    }

    #[test]
    fn a_file_that_the_store_lacks_is_not_open() {
        let f = files();
        let of = |name: &[u8; 8]| f.find(name).unwrap();
        let accounts = of(b"ACCTS   ");
        assert_eq!(accounts, 0);
        assert_eq!(f.check(accounts, FileAccess::Read), Ok(()));
        let denied = f.check(accounts, FileAccess::Write);
        assert_eq!(denied, Err(FileFault::NotAllowed));
        let denied = f.check(of(b"OLD     "), FileAccess::Read);
        assert_eq!(denied, Err(FileFault::Disabled));
        let denied = f.check(of(b"NOWHERE "), FileAccess::ReadUpdate);
        assert_eq!(denied, Err(FileFault::NotOpen));
        for unknown in [b"NONE    ", b"AAAA    ", b"ZZZZ    "] {
            assert_eq!(f.find(unknown), None);
        }
    }

    #[test]
    fn keys_of_short_records_are_cut() {
        let f = files();
        assert_eq!(f.key_of(0, b"..KEY1...."), b"KEY1");
        assert_eq!(f.key_of(0, b"..KE"), b"KE");
        assert_eq!(f.key_of(0, b"."), b"");
    }
}
