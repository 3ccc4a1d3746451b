//! Pending changes laid over the committed state, as one ordered whole.
//!
//! Files, alternate indexes and tables are all maps from byte keys; a unit of
//! work lays its own entries over the store's. [`merged`] finds what a command
//! would find if they were applied.

use std::collections::BTreeMap;
use std::ops::Bound;

use crate::error::ReadError;
use crate::seek::{RecordView, SeekKey};

/// A change to one key.
pub(crate) trait PendingChange {
    /// The new value of the key; `None` if it is deleted.
    fn value(&self) -> Option<&[u8]>;
}

impl PendingChange for Option<Box<[u8]>> {
    fn value(&self) -> Option<&[u8]> {
        self.as_deref()
    }
}

/// Changes to a map whose values are put and deleted without regard to what
/// was there: a table's, or an index's, whose values are empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ChangeOverlay {
    changes: BTreeMap<Box<[u8]>, Option<Box<[u8]>>>,
    bytes: usize,
}

impl ChangeOverlay {
    /// The changes by key.
    pub fn changes(&self) -> &BTreeMap<Box<[u8]>, Option<Box<[u8]>>> {
        &self.changes
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Puts a value, or with `None` deletes an existing one.
    pub fn set(&mut self, key: Box<[u8]>, value: Option<Box<[u8]>>) {
        self.forget(&key);
        self.bytes += size(&key, value.as_deref());
        self.changes.insert(key, value);
    }

    /// Adds an entry, or cancels its removal.
    pub fn add_again(&mut self, entry: Box<[u8]>) {
        match self.changes.get(&entry) {
            Some(None) => self.forget(&entry),
            _ => self.set(entry, Some(Box::default())),
        }
    }

    /// Removes an entry, or takes back that it comes.
    pub fn remove_again(&mut self, entry: Box<[u8]>) {
        match self.changes.get(&entry) {
            Some(Some(_)) => self.forget(&entry),
            _ => self.set(entry, None),
        }
    }

    /// The entries that come, in order.
    pub fn added(&self) -> impl Iterator<Item = &[u8]> {
        let comes = self.changes.iter().filter(|(_, value)| value.is_some());
        comes.map(|(entry, _)| &**entry)
    }

    /// True if the entry is removed.
    pub fn removes(&self, entry: &[u8]) -> bool {
        matches!(self.changes.get(entry), Some(None))
    }

    fn forget(&mut self, key: &[u8]) {
        if let Some((key, value)) = self.changes.remove_entry(key) {
            self.bytes -= size(&key, value.as_deref());
        }
    }
}

fn size(key: &[u8], value: Option<&[u8]>) -> usize {
    key.len() + value.map_or(0, <[u8]>::len)
}

/// The store's next entry as seen by one step of a merge.
enum MergeStep {
    /// The entry was shown.
    Shown,
    /// The unit's own entry comes before it.
    OwnFirst,
    /// The unit changed it; look further from its key.
    Changed(Box<[u8]>),
}

/// How the store is asked: it shows the entry that `seek` finds.
pub(crate) type StoreQuery<'a> =
    &'a mut dyn FnMut(SeekKey<'_>, &mut dyn FnMut(RecordView<'_>)) -> Result<bool, ReadError>;

/// Finds the nearer of the unit's and the store's next entry, passing over
/// those of the store's that the unit changed.
pub(crate) fn merged<C: PendingChange>(
    changes: &BTreeMap<Box<[u8]>, C>,
    seek: SeekKey<'_>,
    theirs: StoreQuery<'_>,
    found: &mut dyn FnMut(RecordView<'_>),
) -> Result<bool, ReadError> {
    let ours = own_entry(changes, seek);
    if let SeekKey::Equal(key) = seek
        && changes.contains_key(key)
    {
        return Ok(ours.inspect(|&entry| found(entry)).is_some());
    }
    let prefix = if let SeekKey::Prefix(prefix) = seek {
        prefix
    } else {
        &[]
    };
    let mut passed: Option<Box<[u8]>> = None;
    loop {
        let next = match &passed {
            None => seek,
            Some(key) if seek.is_descending() => SeekKey::Less(key),
            Some(key) => SeekKey::Greater(key),
        };
        let mut step = MergeStep::OwnFirst;
        theirs(next, &mut |theirs| {
            let beyond = |ours: RecordView<'_>| {
                if seek.is_descending() {
                    ours.key > theirs.key
                } else {
                    ours.key < theirs.key
                }
            };
            step = if ours.is_some_and(beyond) || !theirs.key.starts_with(prefix) {
                MergeStep::OwnFirst
            } else if changes.contains_key(theirs.key) {
                MergeStep::Changed(theirs.key.into())
            } else {
                found(theirs);
                MergeStep::Shown
            };
        })?;
        match step {
            MergeStep::Shown => return Ok(true),
            MergeStep::OwnFirst => return Ok(ours.inspect(|&entry| found(entry)).is_some()),
            MergeStep::Changed(key) => passed = Some(key),
        }
    }
}

/// The unit's own entry that `seek` finds.
fn own_entry<'c, C: PendingChange>(
    changes: &'c BTreeMap<Box<[u8]>, C>,
    seek: SeekKey<'_>,
) -> Option<RecordView<'c>> {
    let (low, high) = match seek {
        SeekKey::Equal(key) => (Bound::Included(key), Bound::Included(key)),
        SeekKey::AtLeast(key) | SeekKey::Prefix(key) => (Bound::Included(key), Bound::Unbounded),
        SeekKey::Greater(key) => (Bound::Excluded(key), Bound::Unbounded),
        SeekKey::AtMost(key) => (Bound::Unbounded, Bound::Included(key)),
        SeekKey::Less(key) => (Bound::Unbounded, Bound::Excluded(key)),
        SeekKey::First | SeekKey::Last => (Bound::Unbounded, Bound::Unbounded),
    };
    let mut range = changes.range::<[u8], _>((low, high));
    let entry = if seek.is_descending() {
        range.rev().find_map(present)
    } else {
        range.find_map(present)
    };
    match seek {
        SeekKey::Prefix(prefix) => entry.filter(|entry| entry.key.starts_with(prefix)),
        _ => entry,
    }
}

/// An entry of the unit's own, unless the change deletes it.
fn present<'c, K: AsRef<[u8]>, C: PendingChange>(
    (key, change): (&'c K, &'c C),
) -> Option<RecordView<'c>> {
    let key = key.as_ref();
    change.value().map(|record| RecordView { key, record })
}
