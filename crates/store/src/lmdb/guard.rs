//! Checks pages for commands, while not all of a store's pages have been
//! checked.
//!
//! The check is of the state that the command reads: the root of a tree comes
//! from the main data base, whose pages were checked when the store was opened.

use std::ffi::CString;
use std::sync::Arc;

use super::catalogue;
use super::env::Env;
use super::reader::File;
use super::sys::{Code, Dbi, MAIN, Move, Snapshot, Txn};
use super::way::{Aim, Kind, Way, tree_in};
use crate::error::Key;
use crate::file::FileId;
use crate::index::IndexEntry;
use crate::seek::Seek;

/// Looks at the pages of one data base.
pub(super) struct Guard {
    env: Arc<Env>,
    db_name: CString,
    name: String,
    kind: Kind,
}

impl Guard {
    pub fn of_file(env: &Arc<Env>, id: FileId, file: &File) -> Self {
        Self {
            env: env.clone(),
            db_name: catalogue::db_name(id),
            name: file.def.name.to_string(),
            kind: Kind::Records {
                def: file.def.clone(),
                sealed: file.sealed,
            },
        }
    }

    pub fn of_index(env: &Arc<Env>, entry: &IndexEntry) -> Self {
        Self {
            env: env.clone(),
            db_name: catalogue::db_name(entry.id),
            name: entry.def.name.to_string(),
            kind: Kind::Index,
        }
    }

    pub fn of_tables(env: &Arc<Env>) -> Self {
        Self {
            env: env.clone(),
            db_name: super::env::TABLES.into(),
            name: "tables".to_owned(),
            kind: Kind::Tables,
        }
    }

    /// Looks at the pages on the way to what is looked for, and at those that a
    /// change of it may touch.
    pub fn look(&self, txn: &Txn<'_>, seek: Seek<'_>, changes: bool) -> Result<(), Code> {
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
            let way = Way {
                pages,
                name: &self.name,
                kind: &self.kind,
                changes,
            };
            way.look(tree, aim)
        })?;
        looked.map_err(flawed)
    }
}

/// Checks the pages of an alternate index. Its entries have no checksums; the
/// entries next to the requested key are compared with its base.
pub(super) struct IndexGuard {
    own: Guard,
    pub base: Guard,
    entry: IndexEntry,
    of: File,
}

impl IndexGuard {
    pub fn new(env: &Arc<Env>, entry: IndexEntry, of: File) -> Self {
        Self {
            own: Guard::of_index(env, &entry),
            base: Guard::of_file(env, entry.base, &of),
            entry,
            of,
        }
    }

    /// As [`Guard::look`].
    pub fn look(&self, snapshot: &Snapshot<'_>, db: Dbi, seek: Seek<'_>) -> Result<(), Code> {
        self.own.look(snapshot, seek, false)?;
        if !self.entry.is_kept() {
            return Ok(());
        }
        let Some(aim) = aim(seek) else {
            return Ok(());
        };
        let mut cursor = snapshot.new_cursor(db)?;
        let (to, beside) = match aim {
            Aim::First => (Move::First, [Move::Next, Move::Next]),
            Aim::Last => (Move::Last, [Move::Previous, Move::Previous]),
            Aim::At(key) | Aim::Equal(key) => (Move::AtLeast(key), [Move::Previous, Move::Next]),
        };
        for side in beside {
            let side = match cursor.go(to)? {
                Some((entry, _)) => {
                    self.hold(snapshot, entry)?;
                    side
                }
                None => Move::Last,
            };
            if let Some((entry, _)) = cursor.go(side)? {
                self.hold(snapshot, entry)?;
            }
        }
        Ok(())
    }

    /// Whether an entry is one of the base.
    fn hold(&self, snapshot: &Snapshot<'_>, entry: &[u8]) -> Result<(), Code> {
        let def = &self.entry.def;
        let base_key = entry.get(def.key_bytes()..).unwrap_or_default();
        let mut is_due = false;
        if !base_key.is_empty() {
            self.base.look(snapshot, Seek::Equal(base_key), false)?;
            if let Some(stored) = snapshot.get(self.of.db, base_key)? {
                let due = def.entry(base_key, self.of.record(stored));
                is_due = due.is_some_and(|due| *due == *entry);
            }
        }
        match is_due {
            true => Ok(()),
            false => Err(self.own.env.flawed(format!(
                "{}: the entry {} has no record in its base {}: build the index anew with BLDINDEX",
                def.name,
                Key::from(entry),
                def.base
            ))),
        }
    }
}

/// The target of a command in a tree; `None` for an impossible key.
fn aim(seek: Seek<'_>) -> Option<Aim<'_>> {
    match seek {
        Seek::First | Seek::AtLeast([]) | Seek::Greater([]) | Seek::Prefix([]) => Some(Aim::First),
        Seek::Last => Some(Aim::Last),
        Seek::Equal([]) | Seek::AtMost([]) | Seek::Less([]) => None,
        Seek::Equal(key) => Some(Aim::Equal(key)),
        Seek::AtLeast(key)
        | Seek::Greater(key)
        | Seek::AtMost(key)
        | Seek::Less(key)
        | Seek::Prefix(key) => Some(Aim::At(key)),
    }
}
