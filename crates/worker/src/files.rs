//! The files that a task can name, and what it holds of them: browses and
//! records read for update.
//!
//! Positions are keys, so a browse holds nothing in the store between two
//! commands.

use std::collections::HashMap;

use cics::resp::Condition;
use link::{FileEntry, FileKind};

use crate::exec::Stop;

/// Files by name, and the task's state on them.
#[derive(Debug, Default)]
pub struct Files {
    list: Vec<FileEntry>,
    by_name: HashMap<[u8; 8], usize>,
    /// The count of changes when the switches of each were last asked for.
    seen: Vec<u32>,
    /// Browses in progress.
    pub browses: Vec<Browse>,
    /// Records read for update.
    pub held: Vec<Held>,
}

/// A record that the task has locked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    /// File.
    pub file: usize,
    /// The lock's token.
    pub token: u32,
    /// The program named TOKEN, so only a command with TOKEN means it.
    pub by_token: bool,
    /// Key of the record; of a path, the position.
    pub key: Vec<u8>,
}

/// A browse in progress.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Browse {
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
    /// Where the browse stands: the key of the last record, with the base's
    /// key behind it for a path.
    pub position: Vec<u8>,
    /// What was done last.
    pub state: BrowseState,
}

/// Where a browse stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BrowseState {
    /// At its start; no record has been read.
    Start,
    /// A record was read forwards.
    Forward,
    /// A record was read backwards.
    Backward,
    /// READNEXT found no more.
    AtEnd,
    /// READPREV found no more.
    AtFront,
}

/// What a command does to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// READ.
    Read,
    /// READ UPDATE and REWRITE.
    Update,
    /// WRITE.
    Add,
    /// DELETE.
    Delete,
    /// STARTBR and what follows.
    Browse,
    /// UNLOCK and ENDBR, which any file allows.
    Any,
}

impl Files {
    /// The files of a configuration.
    pub fn new(list: &[FileEntry]) -> Self {
        let by_name = list
            .iter()
            .enumerate()
            // A place without a name is that of a file no longer defined.
            .filter(|(_, f)| !f.name.is_blank())
            .map(|(i, f)| (*f.name.as_bytes(), i))
            .collect();
        Files {
            list: list.to_vec(),
            by_name,
            seen: vec![0; list.len()],
            ..Files::default()
        }
    }

    /// The file of a name, if the command may touch it.
    pub fn find(&self, name: &[u8; 8], access: Access) -> Result<usize, Stop> {
        let Some(&file) = self.by_name.get(name) else {
            return Err(Stop::Condition(Condition::FileNotFound, 1));
        };
        let def = &self.list[file];
        if !def.enabled {
            return Err(Stop::Condition(Condition::Disabled, 50));
        }
        // A key of no bytes is that of a data set that the store does not have.
        if def.closed || (def.kind == FileKind::Ksds && def.key_bytes == 0) {
            return Err(Stop::Condition(Condition::NotOpen, 60));
        }
        let allowed = match access {
            Access::Read => def.read,
            Access::Update => def.update,
            Access::Add => def.add,
            Access::Delete => def.delete,
            Access::Browse => def.browse,
            Access::Any => true,
        };
        if !allowed {
            return Err(Stop::Condition(Condition::InvReq, 20));
        }
        Ok(file)
    }

    /// The file of a name whose switches may have changed since they were asked
    /// for; it counts as asked for now.
    pub fn outdated(&mut self, name: &[u8; 8], changes: u32) -> Option<&mut FileEntry> {
        let file = *self.by_name.get(name)?;
        let seen = std::mem::replace(&mut self.seen[file], changes);
        (seen != changes).then_some(&mut self.list[file])
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
    pub fn browse(&mut self, file: usize, reqid: i64) -> Option<&mut Browse> {
        self.browses
            .iter_mut()
            .find(|b| b.file == file && b.reqid == reqid)
    }

    /// The record held without TOKEN, or with this one.
    pub fn held(&self, file: usize, token: Option<u32>) -> Option<&Held> {
        self.held
            .iter()
            .find(|h| h.file == file && token.map_or(!h.by_token, |t| h.by_token && h.token == t))
    }

    /// Whether the record with this key has been read for update.
    pub fn holds(&self, file: usize, key: &[u8]) -> bool {
        self.held.iter().any(|h| h.file == file && h.key == key)
    }

    /// Forgets a record that is no longer held.
    pub fn release(&mut self, file: usize, token: u32) {
        self.held.retain(|h| !(h.file == file && h.token == token));
    }

    /// What a syncpoint takes away: locks.
    pub fn end_unit(&mut self) {
        self.held.clear();
    }

    /// What the task's end takes away.
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
    use link::FileName;

    fn files() -> Files {
        Files::new(&[
            FileEntry {
                name: FileName::new("ACCTS").unwrap(),
                key_offset: 2,
                key_bytes: 4,
                record_bytes: 10,
                enabled: true,
                read: true,
                ..FileEntry::default()
            },
            FileEntry {
                name: FileName::new("OLD").unwrap(),
                ..FileEntry::default()
            },
            FileEntry {
                name: FileName::new("NOWHERE").unwrap(),
                enabled: true,
                read: true,
                ..FileEntry::default()
            },
        ])
    }

    fn stop(result: Result<usize, Stop>) -> (Condition, u32) {
        match result {
            Err(Stop::Condition(condition, resp2)) => (condition, resp2),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn files_answer_the_manuals_conditions() {
        let f = files();
        assert_eq!(f.find(b"ACCTS   ", Access::Read).unwrap(), 0);
        assert_eq!(
            stop(f.find(b"ACCTS   ", Access::Add)),
            (Condition::InvReq, 20)
        );
        assert_eq!(
            stop(f.find(b"OLD     ", Access::Read)),
            (Condition::Disabled, 50)
        );
        assert_eq!(
            stop(f.find(b"NONE    ", Access::Read)),
            (Condition::FileNotFound, 1)
        );
        assert_eq!(
            stop(f.find(b"NOWHERE ", Access::Update)),
            (Condition::NotOpen, 60)
        );
    }

    #[test]
    fn keys_of_short_records_are_cut() {
        let f = files();
        assert_eq!(f.key_of(0, b"..KEY1...."), b"KEY1");
        assert_eq!(f.key_of(0, b"..KE"), b"KE");
        assert_eq!(f.key_of(0, b"."), b"");
    }

    #[test]
    fn a_token_names_only_records_read_with_it() {
        let mut f = files();
        f.held.push(Held {
            file: 0,
            token: 7,
            by_token: true,
            key: vec![],
        });
        assert!(f.held(0, None).is_none());
        assert!(f.held(0, Some(8)).is_none());
        assert!(f.held(0, Some(7)).is_some());
        f.release(0, 7);
        assert!(f.held(0, Some(7)).is_none());
    }
}
