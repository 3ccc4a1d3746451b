//! A unit of work's pending changes, and the store as its task sees it.
//!
//! No change reaches the store before the unit is applied, so backing out means
//! dropping it. Changes to one key fold into one: a record that is added and
//! deleted again was never there. Every change is checked by the rules of
//! [`FileDef`](crate::FileDef) here, and only here, which is why a [`KeyChange`]
//! cannot be made elsewhere.
//!
//! Invariant: no locks. The caller makes sure that two units do not change one record;
//! if they do, the later one fails as a whole when it is
//! applied, because each change names the state it was made from.

use std::collections::btree_map::Entry as Slot;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use thiserror::Error;

use crate::error::{Key, ReadError};
use crate::file::{FileId, FileOrganisation};
use crate::index::{IndexEntry, PathEntry};
use crate::path::{self, IndexedBase};
use crate::pending::{ChangeOverlay, PendingChange, merged};
use crate::record::RecordError;
use crate::seek::{RecordView, SeekKey};
use crate::table::{MAX_TABLE_KEY_BYTES, Table};
use crate::traits::{ReadExt, ReadStore};

/// Changes that become visible together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UnitOfWork {
    files: BTreeMap<FileId, Changes>,
    /// The resulting changes to alternate indexes, for reading through paths
    /// only. The store derives them again when it applies the unit.
    indexes: BTreeMap<FileId, ChangeOverlay>,
    tables: BTreeMap<Table, ChangeOverlay>,
    /// Bytes of `files`.
    bytes: usize,
}

/// An alternate index and a key in it.
pub type AlternateKey = (FileId, Box<[u8]>);

/// The change of one unit to one key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KeyChange {
    /// Adds a record with a new key.
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
    #[error("a record with key {0} already exists")]
    Duplicate(Key),
    /// Another record has the key that an alternate index wants to be its
    /// only one: DUPREC.
    #[error("a record with alternate key {key} already exists, and {index} is unique")]
    DuplicateAlternate {
        /// The index.
        index: FileId,
        /// The alternate key.
        key: Key,
    },
    /// No address is left in an ESDS or RRDS: NOSPACE.
    #[error("the file has no free address")]
    NoAddress,
    /// No record with this key is there: NOTFND.
    #[error("no record has key {0}")]
    NotFound(Key),
    /// The record or key breaks the definition: LENGERR, INVREQ.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The store could not be read.
    #[error(transparent)]
    Read(#[from] ReadError),
}

type Changes = BTreeMap<Box<[u8]>, KeyChange>;

impl UnitOfWork {
    /// A unit without changes.
    pub fn new() -> Self {
        Self::default()
    }

    /// True if nothing would be changed.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty() && self.tables.is_empty()
    }

    /// True if something would be changed, and that in these tables alone.
    pub fn is_in_tables(&self, tables: &[Table]) -> bool {
        self.files.is_empty()
            && !self.tables.is_empty()
            && self.tables.keys().all(|table| tables.contains(table))
    }

    /// Bytes of keys, records and values held.
    pub fn bytes(&self) -> usize {
        let overlays = self.indexes.values().chain(self.tables.values());
        self.bytes + overlays.map(ChangeOverlay::bytes).sum::<usize>()
    }

    /// True if there are changes to this file, so that reading it must go
    /// through the unit.
    pub fn touches(&self, file: FileId) -> bool {
        self.files.contains_key(&file)
    }

    /// The change made to a key, if any.
    pub fn change(&self, file: FileId, key: &[u8]) -> Option<&KeyChange> {
        self.files.get(&file)?.get(key)
    }

    /// All changes, by file and key.
    pub fn changes(&self) -> impl Iterator<Item = (FileId, &[u8], &KeyChange)> {
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
            Some(KeyChange::Insert(_) | KeyChange::Replace(_)) => {
                return Err(UnitError::Duplicate(key.into()));
            }
            Some(KeyChange::Delete) => KeyChange::Replace(record.into()),
            None if store.get(file, key, |_| ())?.is_some() => {
                return Err(UnitError::Duplicate(key.into()));
            }
            None => KeyChange::Insert(record.into()),
        };
        let indexes = store.indexes(file)?;
        self.follow(store, &indexes, key, None, Some(record))?;
        self.set(file, key, Some(next));
        Ok(())
    }

    /// Adds a record at the end of an ESDS (or RRDS) and returns its key.
    /// `ends` keeps units that add at the same time apart.
    pub fn append(
        &mut self,
        store: &mut (impl ReadStore + ?Sized),
        ends: &mut FileEnds,
        file: FileId,
        record: &[u8],
    ) -> Result<Vec<u8>, UnitError> {
        let def = store.definition(file)?;
        def.check_record(record)?;
        let free = self
            .next_address(store, file)?
            .ok_or(UnitError::NoAddress)?;
        let given = ends.0.get(&file).copied().unwrap_or(0);
        let key = def
            .address_key(free.max(given))
            .ok_or(UnitError::NoAddress)?;
        let next = def
            .address_after(&key, record)
            .ok_or(UnitError::NoAddress)?;
        self.insert(store, file, &key, record)?;
        ends.0.insert(file, next);
        Ok(key)
    }

    /// Replaces the record under its key.
    pub fn replace(
        &mut self,
        store: &mut (impl ReadStore + ?Sized),
        file: FileId,
        key: &[u8],
        record: &[u8],
    ) -> Result<(), UnitError> {
        let def = store.definition(file)?;
        let indexes = store.indexes(file)?;
        let (old_bytes, old) = self.old(store, file, key, !indexes.is_empty())?;
        def.check_rewrite(key, old_bytes, record)?;
        self.follow(store, &indexes, key, old.as_deref(), Some(record))?;
        let next = match self.change(file, key) {
            Some(KeyChange::Insert(_)) => KeyChange::Insert(record.into()),
            _ => KeyChange::Replace(record.into()),
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
        let indexes = store.indexes(file)?;
        let (_, old) = self.old(store, file, key, !indexes.is_empty())?;
        self.follow(store, &indexes, key, old.as_deref(), None)?;
        let next = match self.change(file, key) {
            Some(KeyChange::Insert(_)) => None,
            _ => Some(KeyChange::Delete),
        };
        self.set(file, key, next);
        Ok(())
    }

    /// The alternate keys that no other record may have once `record` is
    /// stored: what a caller locks before it inserts or replaces, so that of
    /// two units that want one key the later one waits.
    pub fn unique_keys(
        &self,
        store: &mut (impl ReadStore + ?Sized),
        file: FileId,
        record: &[u8],
    ) -> Result<Vec<AlternateKey>, ReadError> {
        let indexes = store.indexes(file)?;
        let unique = indexes
            .iter()
            .filter(|index| index.is_kept() && index.def.unique);
        Ok(unique
            .filter_map(|index| Some((index.id, index.def.key_in(record)?.into())))
            .collect())
    }

    /// The changes to these files alone. The result can only be applied, as that of
    /// [`UnitOfWork::of_redo`].
    #[must_use]
    pub fn of_files(&self, mut is_wanted: impl FnMut(FileId) -> bool) -> UnitOfWork {
        let mut unit = UnitOfWork::new();
        for (file, key, change) in self.changes() {
            if is_wanted(file) {
                unit.set(file, key, Some(change.clone()));
            }
        }
        unit
    }

    /// Shows one record as the task that owns this unit sees it; otherwise as
    /// [`ReadStore::seek`].
    pub fn seek(
        &self,
        store: &mut (impl ReadStore + ?Sized),
        file: FileId,
        seek: SeekKey<'_>,
        found: &mut dyn FnMut(RecordView<'_>),
    ) -> Result<bool, ReadError> {
        match self.files.get(&file) {
            None => store.seek(file, seek, found),
            Some(changes) => {
                let theirs = &mut |seek: SeekKey<'_>, show: &mut dyn FnMut(RecordView<'_>)| {
                    store.seek(file, seek, show)
                };
                merged(changes, seek, theirs, found)
            }
        }
    }

    /// Shows one record through an alternate index as the task that owns this
    /// unit sees it; otherwise as [`ReadStore::seek_path`].
    pub fn seek_path(
        &self,
        store: &mut (impl ReadStore + ?Sized),
        index: FileId,
        seek: SeekKey<'_>,
        found: &mut dyn FnMut(PathEntry<'_>),
    ) -> Result<bool, ReadError> {
        let index = store.index(index)?;
        if !self.touches(index.base) {
            return store.seek_path(index.id, seek, found);
        }
        if !index.built {
            return Err(ReadError::NotBuilt(index.id));
        }
        let def = index.def.clone();
        let mut view = View {
            unit: self,
            store,
            index: &index,
        };
        path::seek(&def, seek, &mut view, found)
    }

    /// Puts a value into a table. Panics if the key is longer than
    /// [`MAX_TABLE_KEY_BYTES`] or empty.
    pub fn put(&mut self, table: Table, key: &[u8], value: &[u8]) {
        self.set_in(table, key, Some(value.into()));
    }

    /// Deletes the value under a key of a table, if there is one.
    pub fn remove(&mut self, table: Table, key: &[u8]) {
        self.set_in(table, key, None);
    }

    /// Shows one entry of a table as the task that owns this unit sees it;
    /// otherwise as [`ReadStore::seek_table`].
    pub fn seek_table(
        &self,
        store: &mut (impl ReadStore + ?Sized),
        table: Table,
        seek: SeekKey<'_>,
        found: &mut dyn FnMut(RecordView<'_>),
    ) -> Result<bool, ReadError> {
        let theirs = &mut |seek: SeekKey<'_>, show: &mut dyn FnMut(RecordView<'_>)| {
            store.seek_table(table, seek, show)
        };
        match self.tables.get(&table) {
            None => theirs(seek, found),
            Some(overlay) => merged(overlay.changes(), seek, theirs, found),
        }
    }

    /// The value of a table's key as the task sees it.
    pub fn get(
        &self,
        store: &mut (impl ReadStore + ?Sized),
        table: Table,
        key: &[u8],
    ) -> Result<Option<Vec<u8>>, ReadError> {
        let mut value = None;
        self.seek_table(store, table, SeekKey::Equal(key), &mut |entry| {
            value = Some(entry.record.to_vec());
        })?;
        Ok(value)
    }

    /// All changes to tables: `None` deletes.
    pub fn table_changes(&self) -> impl Iterator<Item = (Table, &[u8], Option<&[u8]>)> {
        self.tables.iter().flat_map(|(table, overlay)| {
            let changes = overlay.changes().iter();
            changes.map(|(key, value)| (*table, &**key, value.as_deref()))
        })
    }

    /// The changes to one table: `None` deletes.
    pub fn changes_of(&self, table: Table) -> impl Iterator<Item = (&[u8], Option<&[u8]>)> {
        let overlay = self.tables.get(&table).into_iter();
        let changes = overlay.flat_map(|overlay| overlay.changes().iter());
        changes.map(|(key, value)| (&**key, value.as_deref()))
    }

    /// The address that a record added at the end of an ESDS or RRDS gets, as
    /// the task sees the file; `None` if no address is left, and for a KSDS.
    /// Two tasks that add at once are given the same one unless the caller
    /// keeps them apart.
    pub fn next_address(
        &self,
        store: &mut (impl ReadStore + ?Sized),
        file: FileId,
    ) -> Result<Option<u64>, ReadError> {
        let def = store.definition(file)?;
        let mut next = match def.organisation {
            FileOrganisation::Ksds(_) => None,
            FileOrganisation::Esds | FileOrganisation::Rrds => Some(def.first_address()),
        };
        self.seek(store, file, SeekKey::Last, &mut |last| {
            next = def.address_after(last.key, last.record);
        })?;
        Ok(next)
    }

    /// The record under a key as the unit has it: its length and, if `whole`,
    /// its bytes.
    fn old(
        &self,
        store: &mut (impl ReadStore + ?Sized),
        file: FileId,
        key: &[u8],
        whole: bool,
    ) -> Result<(usize, Option<Vec<u8>>), UnitError> {
        let take = |record: &[u8]| (record.len(), whole.then(|| record.to_vec()));
        let old = match self.change(file, key) {
            Some(change) => change.record().map(take),
            None => store.get(file, key, take)?,
        };
        old.ok_or_else(|| UnitError::NotFound(key.into()))
    }

    /// Changes the indexes of a file with a change of a record, or none of them if one
    /// cannot be changed.
    fn follow(
        &mut self,
        store: &mut (impl ReadStore + ?Sized),
        indexes: &Arc<[IndexEntry]>,
        key: &[u8],
        old: Option<&[u8]>,
        new: Option<&[u8]>,
    ) -> Result<(), UnitError> {
        let kept = || indexes.iter().filter(|index| index.is_kept());
        for index in kept().filter(|index| index.def.unique) {
            let of = |record: Option<&[u8]>| -> Option<Box<[u8]>> {
                Some(index.def.key_in(record?)?.into())
            };
            let Some(wanted) = of(new).filter(|new| of(old).as_ref() != Some(new)) else {
                continue;
            };
            let mut view = View {
                unit: self,
                store,
                index,
            };
            if view.entry(SeekKey::Prefix(&wanted))?.is_some() {
                return Err(UnitError::DuplicateAlternate {
                    index: index.id,
                    key: Key(wanted),
                });
            }
        }
        for index in kept() {
            let overlay = self.indexes.entry(index.id).or_default();
            index.def.follow(key, old, new, overlay);
        }
        Ok(())
    }

    fn set_in(&mut self, table: Table, key: &[u8], value: Option<Box<[u8]>>) {
        assert!(
            (1..=MAX_TABLE_KEY_BYTES).contains(&key.len()),
            "a key of {table} has {} bytes",
            key.len()
        );
        self.tables.entry(table).or_default().set(key.into(), value);
    }

    pub(crate) fn set(&mut self, file: FileId, key: &[u8], change: Option<KeyChange>) {
        let size = |change: &KeyChange| key.len() + change.record().map_or(0, <[u8]>::len);
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

/// The addresses of the next records at the end of files, among units that do
/// not see each other's. One of these belongs to a store's writer; it is empty
/// after a restart, when nothing is pending. An address given to a unit that is
/// backed out stays unused until then.
#[derive(Debug, Clone, Default)]
pub struct FileEnds(HashMap<FileId, u64>);

impl FileEnds {
    /// Gives no address of a file below this one.
    pub(crate) fn keep(&mut self, file: FileId, next: u64) {
        let end = self.0.entry(file).or_default();
        *end = next.max(*end);
    }
}

/// An index as a unit sees it.
struct View<'v, S: ?Sized> {
    unit: &'v UnitOfWork,
    store: &'v mut S,
    index: &'v IndexEntry,
}

impl<S: ReadStore + ?Sized> IndexedBase for View<'_, S> {
    type Error = ReadError;

    fn entry(&mut self, seek: SeekKey<'_>) -> Result<Option<Box<[u8]>>, ReadError> {
        let (id, store) = (self.index.id, &mut *self.store);
        let mut hit: Option<Box<[u8]>> = None;
        let theirs = &mut |seek: SeekKey<'_>, show: &mut dyn FnMut(RecordView<'_>)| {
            store.seek_entry(id, seek, &mut |key| show(RecordView { key, record: &[] }))
        };
        let take = &mut |entry: RecordView<'_>| hit = Some(entry.key.into());
        match self.unit.indexes.get(&id) {
            None => theirs(seek, take)?,
            Some(overlay) => merged(overlay.changes(), seek, theirs, take)?,
        };
        Ok(hit)
    }

    fn record(&mut self, base_key: &[u8], found: &mut dyn FnMut(&[u8])) -> Result<bool, ReadError> {
        let base = self.index.base;
        match self.unit.change(base, base_key) {
            Some(change) => Ok(change.record().map(found).is_some()),
            None => Ok(self.store.get(base, base_key, found)?.is_some()),
        }
    }
}

impl KeyChange {
    /// The record as it will be; `None` if it will not be.
    pub fn record(&self) -> Option<&[u8]> {
        match self {
            Self::Insert(record) | Self::Replace(record) => Some(record),
            Self::Delete => None,
        }
    }
}

impl PendingChange for KeyChange {
    fn value(&self) -> Option<&[u8]> {
        self.record()
    }
}
