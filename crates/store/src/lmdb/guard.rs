//! Checks pages for commands, while not all of a store's pages have been
//! checked.
//!
//! The check is of the state that the command reads: the root of a tree comes
//! from the main data base, whose pages were checked when the store was opened.

use std::ffi::CString;
use std::sync::Arc;

use super::catalogue;
use super::env::StoreEnvironment;
use super::reader::CachedFile;
use super::sys::{CursorMove, DbHandle, LmdbError, LmdbTransaction, MAIN, ReadTransaction};
use super::way::{PathCheck, SeekTarget, TreeEntryKind, tree_in};
use crate::error::Key;
use crate::file::FileId;
use crate::index::IndexEntry;
use crate::seek::SeekKey;

/// Looks at the pages of one data base.
pub(super) struct PageGuard {
    env: Arc<StoreEnvironment>,
    db_name: CString,
    name: String,
    kind: TreeEntryKind,
}

impl PageGuard {
    pub fn of_file(env: &Arc<StoreEnvironment>, id: FileId, file: &CachedFile) -> Self {
        Self {
            env: env.clone(),
            db_name: catalogue::db_name(id),
            name: file.def.name.to_string(),
            kind: TreeEntryKind::Records {
                def: file.def.clone(),
                sealed: file.sealed,
            },
        }
    }

    pub fn of_index(env: &Arc<StoreEnvironment>, entry: &IndexEntry) -> Self {
        Self {
            env: env.clone(),
            db_name: catalogue::db_name(entry.id),
            name: entry.def.name.to_string(),
            kind: TreeEntryKind::Index,
        }
    }

    pub fn of_tables(env: &Arc<StoreEnvironment>) -> Self {
        Self {
            env: env.clone(),
            db_name: super::env::TABLES.into(),
            name: "tables".to_owned(),
            kind: TreeEntryKind::Tables,
        }
    }

    /// Checks the pages on the way to a record, and those that a
    /// change of it may touch.
    pub fn check_pages(
        &self,
        txn: &LmdbTransaction<'_>,
        seek: SeekKey<'_>,
        changes: bool,
    ) -> Result<(), LmdbError> {
        let Some(aim) = aim(seek) else {
            return Ok(());
        };
        let Some(stored) = txn.get(MAIN, self.db_name.as_bytes())? else {
            return Ok(());
        };
        let flawed = |flaw| self.env.flawed(flaw);
        let tree = tree_in(stored)
            .ok_or_else(|| flawed(format!("{}: its root page is outside the file", self.name)))?;
        let looked = self.env.with_pages(|pages| {
            let way = PathCheck {
                pages,
                name: &self.name,
                kind: &self.kind,
                changes,
            };
            way.check_path(tree, aim)
        })?;
        looked.map_err(flawed)
    }
}

/// Checks the pages of an alternate index. Its entries have no checksums; the
/// entries next to the requested key are compared with its base.
pub(super) struct IndexGuard {
    own: PageGuard,
    pub base: PageGuard,
    entry: IndexEntry,
    of: CachedFile,
}

impl IndexGuard {
    pub fn new(env: &Arc<StoreEnvironment>, entry: IndexEntry, of: CachedFile) -> Self {
        Self {
            own: PageGuard::of_index(env, &entry),
            base: PageGuard::of_file(env, entry.base, &of),
            entry,
            of,
        }
    }

    /// As [`PageGuard::look`].
    pub fn check_pages(
        &self,
        snapshot: &ReadTransaction<'_>,
        db: DbHandle,
        seek: SeekKey<'_>,
    ) -> Result<(), LmdbError> {
        self.own.check_pages(snapshot, seek, false)?;
        if !self.entry.is_kept() {
            return Ok(());
        }
        let Some(aim) = aim(seek) else {
            return Ok(());
        };
        let mut cursor = snapshot.new_cursor(db)?;
        let (to, neighbours) = match aim {
            SeekTarget::First => (CursorMove::First, [CursorMove::Next, CursorMove::Next]),
            SeekTarget::Last => (
                CursorMove::Last,
                [CursorMove::Previous, CursorMove::Previous],
            ),
            SeekTarget::At(key) | SeekTarget::Equal(key) => (
                CursorMove::AtLeast(key),
                [CursorMove::Previous, CursorMove::Next],
            ),
        };
        for side in neighbours {
            let side = match cursor.go(to)? {
                Some((entry, _)) => {
                    self.hold(snapshot, entry)?;
                    side
                }
                None => CursorMove::Last,
            };
            if let Some((entry, _)) = cursor.go(side)? {
                self.hold(snapshot, entry)?;
            }
        }
        Ok(())
    }

    /// Whether an entry is one of the base.
    fn hold(&self, snapshot: &ReadTransaction<'_>, entry: &[u8]) -> Result<(), LmdbError> {
        let def = &self.entry.def;
        let base_key = entry.get(def.key_bytes()..).unwrap_or_default();
        let mut is_due = false;
        if !base_key.is_empty() {
            self.base
                .check_pages(snapshot, SeekKey::Equal(base_key), false)?;
            if let Some(stored) = snapshot.get(self.of.db, base_key)? {
                let due = def.entry(base_key, self.of.record(stored));
                is_due = due.is_some_and(|due| *due == *entry);
            }
        }
        if is_due {
            Ok(())
        } else {
            Err(self.own.env.flawed(format!(
                "{}: the entry {} has no record in its base {}: build the index again with BLDINDEX",
                def.name,
                Key::from(entry),
                def.base
            )))
        }
    }
}

/// The target of a command in a tree; `None` for an impossible key.
fn aim(seek: SeekKey<'_>) -> Option<SeekTarget<'_>> {
    match seek {
        SeekKey::First | SeekKey::AtLeast([]) | SeekKey::Greater([]) | SeekKey::Prefix([]) => {
            Some(SeekTarget::First)
        }
        SeekKey::Last => Some(SeekTarget::Last),
        SeekKey::Equal([]) | SeekKey::AtMost([]) | SeekKey::Less([]) => None,
        SeekKey::Equal(key) => Some(SeekTarget::Equal(key)),
        SeekKey::AtLeast(key)
        | SeekKey::Greater(key)
        | SeekKey::AtMost(key)
        | SeekKey::Less(key)
        | SeekKey::Prefix(key) => Some(SeekTarget::At(key)),
    }
}
