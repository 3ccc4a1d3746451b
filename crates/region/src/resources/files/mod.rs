//! File control.
//!
//! A worker reads committed records by itself; what needs a lock, changes a
//! record or must see the task's own changes comes here. Changes wait in the
//! task's unit of work, whose records stay locked until it is committed, in a
//! group with others, or backed out. Changes to files that are not recoverable
//! are committed at once.
//!
//! Reference: CICS application programming, "File control".

mod commands;
mod conditions;

pub use commands::serve;
pub use conditions::of_apply;

use std::collections::HashMap;
use std::sync::Arc;

use link::FileEntry;
use store::{FileDef, FileId, ReadStore};

use super::{Manager, Resources};
use crate::core::TaskKey;

/// What this manager serves and hears of. File commands are operations of the
/// link, not commands by number: the worker does part of each.
pub const MANAGER: Manager = Manager {
    unit_ended,
    task_ended: |resources, _, caller| {
        resources.files.holds.remove(&caller.key);
    },
    ..Manager::IDLE
};

/// The files of a region, and what tasks hold of them.
#[derive(Default)]
pub struct Files {
    files: Vec<File>,
    holds: HashMap<TaskKey, Holds>,
}

/// A file by its number.
struct File {
    entry: FileEntry,
    /// Number and definition in the store; none when it is not there.
    stored: Option<(FileId, Arc<FileDef>)>,
}

/// Records that a task has read for update.
#[derive(Default)]
struct Holds {
    list: Vec<Hold>,
    last_token: u64,
}

/// A record read for update.
struct Hold {
    file: FileId,
    token: u64,
    key: Box<[u8]>,
}

impl Files {
    /// Puts definitions in the order of those in force, so that a file keeps
    /// its number for the tasks that are under way. A place without a name
    /// stands for one that is no longer defined; new ones follow.
    pub fn renumber(&self, entries: &[FileEntry]) -> Vec<FileEntry> {
        let named = |name| entries.iter().find(|e| e.name == name).cloned();
        let kept = self.files.iter();
        let kept = kept.map(|f| named(f.entry.name).unwrap_or_default());
        let known = |e: &&FileEntry| self.files.iter().any(|f| f.entry.name == e.name);
        let new = entries.iter().filter(|e| !known(e)).cloned();
        kept.chain(new).collect()
    }

    /// The definitions in force, and whether the store has the file.
    pub fn entries(&self) -> impl Iterator<Item = (&FileEntry, bool)> {
        let files = self.files.iter().map(|f| (&f.entry, f.stored.is_some()));
        files.filter(|(entry, _)| !entry.name.is_blank())
    }

    /// A file's definition, to change its switches.
    pub fn entry_mut(&mut self, name: link::FileName) -> Option<&mut FileEntry> {
        let mut entries = self.files.iter_mut().map(|f| &mut f.entry);
        entries.find(|e| e.name == name && !e.name.is_blank())
    }

    /// Takes the files' definitions over. A file that the store does not have
    /// is not open.
    pub fn define(&mut self, reader: &mut dyn ReadStore, entries: &[FileEntry]) {
        let mut before = std::mem::take(&mut self.files).into_iter();
        for entry in entries {
            let old = before.next();
            if entry.name.is_blank()
                && let Some(old) = old
            {
                // Tasks that began with it end with it.
                self.files.push(old);
                continue;
            }
            let name = entry.name.as_str().parse::<store::FileName>().ok();
            let found = name.and_then(|n| reader.find(&n).ok().flatten());
            if found.is_none() && entry.enabled {
                tracing::warn!(file = %entry.name, "the store has no such file, so it is not open");
            }
            self.files.push(File {
                entry: entry.clone(),
                stored: found.map(|f| (f.id, f.def)),
            });
        }
    }
}

/// No record is held for update beyond the end of the unit.
fn unit_ended(resources: &mut Resources, _: &mut crate::kernel::Cx<'_>, task: TaskKey, _: bool) {
    if let Some(holds) = resources.files.holds.get_mut(&task) {
        holds.list.clear();
    }
}
