//! A unit of work's pending changes, and the store as its task sees it.
//!
//! Nothing reaches the store before the unit is applied, so backing out is
//! dropping it. Changes to one key fold into one: what is added and deleted
//! again was never there. Every change passes the rules of
//! [`FileDef`](crate::FileDef) here, and only here, which is why a [`Change`]
//! cannot be made elsewhere.
//!
//! Invariant: no locks. That two units do not change one record is the caller's
//! business; if they do all the same, the later one fails as a whole when it is
//! applied, because each change names the state it was made from.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry as Slot;
use std::ops::Bound;

use thiserror::Error;

use crate::error::{Key, ReadError};
use crate::file::{FileId, Organisation};
use crate::record::RecordError;
use crate::seek::{Entry, Seek};
use crate::traits::{ReadExt, ReadStore};

/// Changes that become visible together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UnitOfWork {
    files: BTreeMap<FileId, Changes>,
    bytes: usize,
}

/// What one unit does to one key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Adds a record; there is none.
    Insert(Box<[u8]>),
    /// Replaces the record; there is one.
    Replace(Box<[u8]>),
    /// Deletes the record; there is one.
    Delete,
}

/// Why a change was not made; the unit is as it was.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum UnitError {
    /// A record with this key is there: DUPREC.
    #[error("there is a record with key {0} already")]
    Duplicate(Key),
    /// No record with this key is there: NOTFND.
    #[error("there is no record with key {0}")]
    NotFound(Key),
    /// The record or key breaks the definition: LENGERR, INVREQ.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The store could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
}

type Changes = BTreeMap<Box<[u8]>, Change>;

impl UnitOfWork {
    /// A unit without changes.
    pub fn new() -> Self {
        Self::default()
    }

    /// True if nothing would be changed.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Bytes of keys and records held.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// True if there are changes to this file, so that reading it must go
    /// through the unit.
    pub fn touches(&self, file: FileId) -> bool {
        self.files.contains_key(&file)
    }

    /// The change made to a key, if any.
    pub fn change(&self, file: FileId, key: &[u8]) -> Option<&Change> {
        self.files.get(&file)?.get(key)
    }

    /// All changes, by file and key.
    pub fn changes(&self) -> impl Iterator<Item = (FileId, &[u8], &Change)> {
        self.files
            .iter()
            .flat_map(|(file, changes)| changes.iter().map(|(key, change)| (*file, &**key, change)))
    }

    /// Adds a record under a key that is free.
    pub fn insert(
        &mut self,
        store: &mut (impl ReadStore + ?Sized),
        file: FileId,
        key: &[u8],
        record: &[u8],
    ) -> Result<(), UnitError> {
        store.definition(file)?.check_write(key, record)?;
        let next = match self.change(file, key) {
            Some(Change::Insert(_) | Change::Replace(_)) => {
                return Err(UnitError::Duplicate(key.into()));
            }
            Some(Change::Delete) => Change::Replace(record.into()),
            None if store.get(file, key, |_| ())?.is_some() => {
                return Err(UnitError::Duplicate(key.into()));
            }
            None => Change::Insert(record.into()),
        };
        self.set(file, key, Some(next));
        Ok(())
    }

    /// Puts a record in the place of the one under its key.
    pub fn replace(
        &mut self,
        store: &mut (impl ReadStore + ?Sized),
        file: FileId,
        key: &[u8],
        record: &[u8],
    ) -> Result<(), UnitError> {
        let def = store.definition(file)?;
        let old_bytes = match self.change(file, key) {
            Some(Change::Insert(old) | Change::Replace(old)) => Some(old.len()),
            Some(Change::Delete) => None,
            None => store.get(file, key, <[u8]>::len)?,
        };
        let old_bytes = old_bytes.ok_or_else(|| UnitError::NotFound(key.into()))?;
        def.check_rewrite(key, old_bytes, record)?;
        let next = match self.change(file, key) {
            Some(Change::Insert(_)) => Change::Insert(record.into()),
            _ => Change::Replace(record.into()),
        };
        self.set(file, key, Some(next));
        Ok(())
    }

    /// Deletes the record under a key.
    pub fn delete(
        &mut self,
        store: &mut (impl ReadStore + ?Sized),
        file: FileId,
        key: &[u8],
    ) -> Result<(), UnitError> {
        let def = store.definition(file)?;
        def.check_key(key)?;
        def.check_delete()?;
        let next = match self.change(file, key) {
            Some(Change::Insert(_)) => None,
            Some(Change::Replace(_)) => Some(Change::Delete),
            None if store.get(file, key, |_| ())?.is_some() => Some(Change::Delete),
            Some(Change::Delete) | None => return Err(UnitError::NotFound(key.into())),
        };
        self.set(file, key, next);
        Ok(())
    }

    /// Shows one record as the task that owns this unit sees it; otherwise as
    /// [`ReadStore::seek`].
    pub fn seek(
        &self,
        store: &mut (impl ReadStore + ?Sized),
        file: FileId,
        seek: Seek<'_>,
        found: &mut dyn FnMut(Entry<'_>),
    ) -> Result<bool, ReadError> {
        match self.files.get(&file) {
            None => store.seek(file, seek, found),
            Some(changes) => merged(changes, store, file, seek, found),
        }
    }

    /// The address that a record added at the end of an ESDS or RRDS gets, as
    /// the task sees the file; `None` if there is none left, and for a KSDS.
    /// Two tasks that add at once are given the same one unless the caller
    /// keeps them apart.
    pub fn next_address(
        &self,
        store: &mut (impl ReadStore + ?Sized),
        file: FileId,
    ) -> Result<Option<u64>, ReadError> {
        let def = store.definition(file)?;
        let mut next = match def.organisation {
            Organisation::Ksds(_) => None,
            Organisation::Esds | Organisation::Rrds => Some(def.first_address()),
        };
        self.seek(store, file, Seek::Last, &mut |last| {
            next = def.address_after(last.key, last.record);
        })?;
        Ok(next)
    }

    fn set(&mut self, file: FileId, key: &[u8], change: Option<Change>) {
        let size = |change: &Change| key.len() + change.record().map_or(0, <[u8]>::len);
        self.bytes += change.as_ref().map_or(0, size);
        let changes = self.files.entry(file).or_default();
        let old = match change {
            Some(change) => changes.insert(key.into(), change),
            None => changes.remove(key),
        };
        self.bytes -= old.as_ref().map_or(0, size);
        if let Slot::Occupied(slot) = self.files.entry(file)
            && slot.get().is_empty()
        {
            slot.remove();
        }
    }
}

impl Change {
    /// The record as it will be; `None` if it will not be.
    pub fn record(&self) -> Option<&[u8]> {
        match self {
            Self::Insert(record) | Self::Replace(record) => Some(record),
            Self::Delete => None,
        }
    }
}

/// What the store's next record is to one step of a merge.
enum Step {
    /// It was shown.
    Shown,
    /// The unit's own record comes before it.
    OursFirst,
    /// The unit changed it; look further from its key.
    Changed(Box<[u8]>),
}

/// Finds the nearer of the unit's and the store's next record, passing over
/// those of the store's that the unit changed.
fn merged(
    changes: &Changes,
    store: &mut (impl ReadStore + ?Sized),
    file: FileId,
    seek: Seek<'_>,
    found: &mut dyn FnMut(Entry<'_>),
) -> Result<bool, ReadError> {
    let ours = own_entry(changes, seek);
    if let Seek::Equal(key) = seek
        && changes.contains_key(key)
    {
        return Ok(ours.inspect(|&entry| found(entry)).is_some());
    }
    let prefix = if let Seek::Prefix(prefix) = seek {
        prefix
    } else {
        &[]
    };
    let mut passed: Option<Box<[u8]>> = None;
    loop {
        let next = match &passed {
            None => seek,
            Some(key) if seek.is_descending() => Seek::Less(key),
            Some(key) => Seek::Greater(key),
        };
        let mut step = Step::OursFirst;
        store.seek(file, next, &mut |theirs| {
            let beyond = |ours: Entry<'_>| {
                if seek.is_descending() {
                    ours.key > theirs.key
                } else {
                    ours.key < theirs.key
                }
            };
            step = if ours.is_some_and(beyond) || !theirs.key.starts_with(prefix) {
                Step::OursFirst
            } else if changes.contains_key(theirs.key) {
                Step::Changed(theirs.key.into())
            } else {
                found(theirs);
                Step::Shown
            };
        })?;
        match step {
            Step::Shown => return Ok(true),
            Step::OursFirst => return Ok(ours.inspect(|&entry| found(entry)).is_some()),
            Step::Changed(key) => passed = Some(key),
        }
    }
}

/// The unit's own record that `seek` finds.
fn own_entry<'c>(changes: &'c Changes, seek: Seek<'_>) -> Option<Entry<'c>> {
    let (low, high) = match seek {
        Seek::Equal(key) => (Bound::Included(key), Bound::Included(key)),
        Seek::AtLeast(key) | Seek::Prefix(key) => (Bound::Included(key), Bound::Unbounded),
        Seek::Greater(key) => (Bound::Excluded(key), Bound::Unbounded),
        Seek::AtMost(key) => (Bound::Unbounded, Bound::Included(key)),
        Seek::Less(key) => (Bound::Unbounded, Bound::Excluded(key)),
        Seek::First | Seek::Last => (Bound::Unbounded, Bound::Unbounded),
    };
    let mut range = changes.range::<[u8], _>((low, high));
    let entry = if seek.is_descending() {
        range.rev().find_map(present)
    } else {
        range.find_map(present)
    };
    match seek {
        Seek::Prefix(prefix) => entry.filter(|entry| entry.key.starts_with(prefix)),
        _ => entry,
    }
}

/// A record of the unit's own, unless the change deletes it.
fn present<'c, K: AsRef<[u8]>>((key, change): (&'c K, &'c Change)) -> Option<Entry<'c>> {
    change.record().map(|record| Entry {
        key: key.as_ref(),
        record,
    })
}
