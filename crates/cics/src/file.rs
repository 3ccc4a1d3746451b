//! Whether a command may touch a file: one rule for COBOL programs and scripts.
//! For a batch program the OPEN mode takes the place of a definition.
//!
//! A file is asked in this order: is it enabled, is it open, does it allow the
//! operation. A command that continues with a record or a browse that its task has
//! asks the last only: SET FILE waits for such tasks.
//!
//! Reference: CICS API reference, conditions of the file commands (DISABLED and
//! NOTOPEN are of READ, WRITE, DELETE, UNLOCK and STARTBR alone); resource
//! definition, FILE; data areas, DFHFCTDS, where the bit of UPDATE is the "READ
//! UPDATE indicator"; DFHFCFR: open and enabled before the request is checked.

use serde::{Deserialize, Serialize};

use crate::resp::{CommandFailure, Condition};

/// A command's access to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FileAccess {
    /// READ.
    Read,
    /// READ UPDATE.
    ReadUpdate,
    /// REWRITE.
    Rewrite,
    /// WRITE.
    Write,
    /// DELETE with a key.
    Delete,
    /// DELETE of the record that was read for update.
    DeleteHeld,
    /// UNLOCK.
    Unlock,
    /// STARTBR.
    StartBrowse,
    /// READNEXT, READPREV and RESETBR.
    ContinueBrowse,
    /// READNEXT and READPREV with UPDATE.
    UpdateInBrowse,
    /// ENDBR.
    EndBrowse,
}

impl FileAccess {
    /// All accesses.
    pub const ALL: [FileAccess; 11] = [
        FileAccess::Read,
        FileAccess::ReadUpdate,
        FileAccess::Rewrite,
        FileAccess::Write,
        FileAccess::Delete,
        FileAccess::DeleteHeld,
        FileAccess::Unlock,
        FileAccess::StartBrowse,
        FileAccess::ContinueBrowse,
        FileAccess::UpdateInBrowse,
        FileAccess::EndBrowse,
    ];

    /// Whether the task must have a record or a browse of the file already.
    pub fn continues(self) -> bool {
        matches!(
            self,
            FileAccess::Rewrite
                | FileAccess::DeleteHeld
                | FileAccess::ContinueBrowse
                | FileAccess::UpdateInBrowse
                | FileAccess::EndBrowse
        )
    }
}

/// The operations that a file allows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FilePermits {
    /// ADD: WRITE.
    pub add: bool,
    /// BROWSE: STARTBR and what follows.
    pub browse: bool,
    /// DELETE.
    pub delete: bool,
    /// READ without UPDATE.
    pub read: bool,
    /// UPDATE: READ UPDATE and REWRITE.
    pub update: bool,
}

impl FilePermits {
    /// All operations.
    pub const ALL: FilePermits = FilePermits {
        add: true,
        browse: true,
        delete: true,
        read: true,
        update: true,
    };

    /// Whether the file's definition allows an access.
    pub fn allow(self, access: FileAccess) -> bool {
        match access {
            FileAccess::Read => self.read,
            FileAccess::ReadUpdate | FileAccess::Rewrite => self.update,
            FileAccess::Write => self.add,
            FileAccess::Delete | FileAccess::DeleteHeld => self.delete,
            FileAccess::StartBrowse | FileAccess::ContinueBrowse => self.browse,
            FileAccess::UpdateInBrowse => self.browse && self.update,
            FileAccess::Unlock | FileAccess::EndBrowse => true,
        }
    }
}

/// The state of a file and the operations that it allows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FileSwitches {
    /// The file is enabled.
    pub enabled: bool,
    /// The file is open, or its first use opens it.
    pub open: bool,
    /// The operations that it allows.
    pub permits: FilePermits,
}

impl FileSwitches {
    /// Whether a command may touch the file.
    pub fn check(self, access: FileAccess) -> Result<(), FileFault> {
        if !access.continues() {
            if !self.enabled {
                return Err(FileFault::Disabled);
            }
            if !self.open {
                return Err(FileFault::NotOpen);
            }
        }
        if !self.permits.allow(access) {
            return Err(FileFault::NotAllowed);
        }
        Ok(())
    }
}

/// Why a command may not touch a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FileFault {
    /// There is no definition of this name.
    #[error("the file is not defined")]
    NotFound,
    /// Its definition or SET FILE has disabled it.
    #[error("the file is disabled")]
    Disabled,
    /// The file is closed and unenabled, or its data set is not in the store.
    #[error("the file is not open")]
    NotOpen,
    /// Its definition does not allow the operation.
    #[error("the file's definition does not allow the operation")]
    NotAllowed,
}

impl From<FileFault> for CommandFailure {
    fn from(fault: FileFault) -> CommandFailure {
        match fault {
            FileFault::NotFound => CommandFailure::Condition(Condition::FileNotFound, 1),
            FileFault::Disabled => CommandFailure::Condition(Condition::Disabled, 50),
            FileFault::NotOpen => CommandFailure::Condition(Condition::NotOpen, 60),
            FileFault::NotAllowed => CommandFailure::Condition(Condition::InvReq, 20),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every combination of ENABLED, OPEN, ADD, BROWSE, DELETE, READ and UPDATE.
    fn combinations() -> impl Iterator<Item = FileSwitches> {
        (0..1 << 7_u32).map(|bits| {
            let is = |bit: u32| bits >> bit & 1 != 0;
            FileSwitches {
                enabled: is(0),
                open: is(1),
                permits: FilePermits {
                    add: is(2),
                    browse: is(3),
                    delete: is(4),
                    read: is(5),
                    update: is(6),
                },
            }
        })
    }

    /// The manual's table: the permissions of a command, and whether it continues with
    /// a record or browse of its task.
    fn manual(access: FileAccess) -> (&'static str, bool) {
        match access {
            FileAccess::Read => ("READ", false),
            FileAccess::ReadUpdate => ("UPDATE", false),
            FileAccess::Rewrite => ("UPDATE", true),
            FileAccess::Write => ("ADD", false),
            FileAccess::Delete => ("DELETE", false),
            FileAccess::DeleteHeld => ("DELETE", true),
            FileAccess::Unlock => ("", false),
            FileAccess::StartBrowse => ("BROWSE", false),
            FileAccess::ContinueBrowse => ("BROWSE", true),
            FileAccess::UpdateInBrowse => ("BROWSE UPDATE", true),
            FileAccess::EndBrowse => ("", true),
        }
    }

    #[test]
    fn every_command_is_answered_for_every_combination_of_switches_by_the_manual() {
        for access in FileAccess::ALL {
            let (needs, goes_on) = manual(access);
            for file in combinations() {
                let has = [
                    ("ADD", file.permits.add),
                    ("BROWSE", file.permits.browse),
                    ("DELETE", file.permits.delete),
                    ("READ", file.permits.read),
                    ("UPDATE", file.permits.update),
                ];
                let lacks = |word: &str| !has.contains(&(word, true));
                let expected = match (file.enabled, file.open) {
                    (false, _) if !goes_on => Err((Condition::Disabled, 50)),
                    (_, false) if !goes_on => Err((Condition::NotOpen, 60)),
                    _ if needs.split_whitespace().any(lacks) => Err((Condition::InvReq, 20)),
                    _ => Ok(()),
                };
                let answered = file.check(access).map_err(|fault| match fault.into() {
                    CommandFailure::Condition(condition, resp2) => (condition, resp2),
                    CommandFailure::Abend(code) => panic!("{code:?}"),
                });
                assert_eq!(answered, expected, "{access:?} {file:?}");
            }
        }
    }
}
