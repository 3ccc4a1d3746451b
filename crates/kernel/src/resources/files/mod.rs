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
mod jobs;

pub use commands::serve;
pub use jobs::serve as serve_job;

use std::collections::HashMap;

use link::{FileEntry, FileKind, HeldRecords};
use store::{FileAccessPath, FileEnds, FileId, FileOrganisation, ReadStore};

use super::{Manager, Resources};
use crate::core::TaskKey;

/// The hooks of this manager. File commands are operations of the link, not commands by number:
/// the worker does part of each.
pub const MANAGER: Manager = Manager {
    unit_ended,
    task_ended: |resources, _, caller| {
        resources.files.holds.remove(&caller.key);
    },
    ..Manager::IDLE
};

/// The files of a region, and what tasks hold of them.
#[derive(Default)]
pub struct RegionFiles {
    files: Vec<RegionFile>,
    holds: HashMap<TaskKey, HeldRecords<FileId>>,
    /// Keeps tasks apart that add records at the end of one file.
    ends: FileEnds,
}

/// A file by its number.
struct RegionFile {
    entry: FileEntry,
    /// What it is in the store; none when it is not there.
    stored: Option<FileAccessPath>,
    /// It is no longer defined; tasks that began with it end with it.
    gone: bool,
}

impl RegionFiles {
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
        let files = self.files.iter().filter(|f| f.is_defined());
        files.map(|f| (&f.entry, f.stored.is_some()))
    }

    /// The number by which operations name a file.
    pub fn number(&self, name: &str) -> Option<usize> {
        let named = |f: &RegionFile| f.entry.name.as_str() == name;
        self.files.iter().position(named)
    }

    /// The data set that a file's records are in, as the store has it: of a path,
    /// its base.
    pub fn base(&self, name: link::FileName) -> Option<&store::FileDef> {
        let named = |f: &&RegionFile| f.is_defined() && f.entry.name == name;
        let file = self.files.iter().find(named)?;
        Some(&file.stored.as_ref()?.base.def)
    }

    /// The data set whose records a file of the store has.
    pub fn data_set_of(&self, id: FileId) -> Option<String> {
        let of_id = |f: &&RegionFile| f.stored.as_ref().is_some_and(|a| a.base.id == id);
        let file = self.files.iter().find(of_id)?;
        Some(file.stored.as_ref()?.base.def.name.as_str().to_owned())
    }

    /// Keeps the addresses that a unit of an earlier life has taken at the ends
    /// of files from being given again.
    pub fn keep_ends(
        &mut self,
        reader: &mut dyn ReadStore,
        unit: &store::UnitOfWork,
    ) -> Result<(), store::ReadError> {
        unit.keep_ends(reader, &mut self.ends)
    }

    /// A file's definition, to change its switches.
    pub fn entry_mut(&mut self, name: link::FileName) -> Option<&mut FileEntry> {
        let mut files = self.files.iter_mut().filter(|f| f.is_defined());
        Some(&mut files.find(|f| f.entry.name == name)?.entry)
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
                self.files.push(RegionFile { gone: true, ..old });
                continue;
            }
            let found = access(reader, entry);
            if found.is_none() && entry.enabled {
                tracing::warn!(file = %entry.name, "the store has no such file, so it is not open");
            }
            self.files.push(RegionFile {
                entry: entry.clone(),
                stored: found,
                gone: false,
            });
        }
    }
}

impl RegionFile {
    fn is_defined(&self) -> bool {
        !self.gone && !self.entry.name.is_blank()
    }
}

/// Fills in what the store knows of the files: their keys and records, and what
/// paths lead to. What the store does not have stays as it is.
pub fn complete(reader: &mut dyn ReadStore, entries: &mut [FileEntry]) {
    for entry in entries.iter_mut().filter(|e| !e.name.is_blank()) {
        let Some(FileAccessPath { base, index }) = access(reader, entry) else {
            continue;
        };
        let own = entry.data_set.parse::<store::FileName>().ok();
        if own.is_none_or(|name| !matches!(reader.access(&name), Ok(Some(_)))) {
            entry.data_set.clear();
        }
        let def = &base.def;
        entry.base = def.name.as_str().to_owned();
        entry.record_bytes = def.max_record_bytes;
        // RECORDFORMAT(V), which is usual, over records of one length is good.
        entry.variable |= def.format == store::RecordFormat::Variable;
        let key = match (&index, def.organisation) {
            (Some(index), _) => Some((FileKind::Path, index.def.key)),
            (None, FileOrganisation::Ksds(key)) => Some((FileKind::Ksds, key)),
            (None, FileOrganisation::Esds) => None,
            (None, FileOrganisation::Rrds) => None,
        };
        match key {
            Some((kind, key)) => {
                entry.kind = kind;
                entry.key_offset = key.offset_bytes;
                entry.key_bytes = key.length_bytes;
            }
            None => {
                let esds = def.organisation == FileOrganisation::Esds;
                entry.kind = if esds { FileKind::Esds } else { FileKind::Rrds };
                entry.key_offset = 0;
                entry.key_bytes = def.key_bytes() as u32;
            }
        }
    }
}

/// What a file is in the store: under the name of its data set, or else its own.
fn access(reader: &mut dyn ReadStore, entry: &FileEntry) -> Option<FileAccessPath> {
    let mut named = [entry.data_set.as_str(), entry.name.as_str()].into_iter();
    named.find_map(|name| {
        let name = name.parse::<store::FileName>().ok()?;
        reader.access(&name).ok().flatten()
    })
}

/// No record is held for update beyond the end of the unit.
fn unit_ended(
    resources: &mut Resources,
    _: &mut crate::kernel::KernelContext<'_>,
    task: TaskKey,
    _: bool,
) {
    if let Some(holds) = resources.files.holds.get_mut(&task) {
        holds.clear();
    }
}
