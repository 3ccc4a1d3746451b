//! Alternate indexes and paths: another order of a file's records.
//!
//! An *alternate index* (AIX) belongs to a *base*, a KSDS or an ESDS. It has
//! one entry a record: the alternate key followed by the record's own key, so
//! that entries with one alternate key are in the order of the base's keys.
//! For an ESDS that is the order of arrival, and so it is for a KSDS that was loaded in
//! the order of its keys. A *path* is a name under which a base is read through
//! an index, or a second name of a file.
//!
//! Files and indexes refer to each other by names, not numbers: a base that is loaded again
//! gets a new number, and so do its indexes.
//!
//! Reference: IBM, *DFSMS Access Method Services Commands*, DEFINE
//! ALTERNATEINDEX and DEFINE PATH; *DFSMS Using Data Sets*, "Alternate index".

use std::sync::Arc;

use crate::file::{
    DefinitionError, FileDef, FileId, FileName, FileOrganisation, KeyField, MAX_KEY_BYTES,
};
use crate::pending::ChangeOverlay;
use crate::traits::CatalogueEntry;

/// The definition of an alternate index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexDef {
    /// Its name, in one name space with files and paths.
    pub name: FileName,
    /// The file whose records it orders: RELATE.
    pub base: FileName,
    /// The place of the alternate key in the base's records. A record that ends
    /// before the key does is not in the index.
    pub key: KeyField,
    /// Whether two records may not have one alternate key: UNIQUEKEY.
    pub unique: bool,
    /// Whether it changes with the base, in the same unit of work: UPGRADE.
    /// Otherwise it is as true as its last build.
    pub upgrade: bool,
    /// Records whose alternate key is nothing but this byte are not in the
    /// index (a *sparse* index).
    pub suppress: Option<u8>,
}

/// An index of the catalogue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexEntry {
    /// Its number, of one series with those of files.
    pub id: FileId,
    /// The number of its base.
    pub base: FileId,
    /// Its definition, which never changes under this number.
    pub def: Arc<IndexDef>,
    /// False until it is built for the first time over a base that had records
    /// when the index was defined. Until then it holds nothing, is not kept,
    /// and cannot be read.
    pub built: bool,
}

/// The definition of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PathDef {
    /// Its name.
    pub name: FileName,
    /// The index or the file that it leads to: PATHENTRY.
    pub entry: FileName,
    /// Whether the base's indexes follow changes made through it: UPDATE. The
    /// store keeps every index of the upgrade set true in any case; this is
    /// what the definition says.
    pub update: bool,
}

/// The entry of a name in the catalogue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CatalogueName {
    /// A file.
    File(CatalogueEntry),
    /// An alternate index.
    Index(IndexEntry),
    /// A path.
    Path(PathDef),
}

/// The base and index that a name opens for reading and writing records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileAccessPath {
    /// The file that has the records.
    pub base: CatalogueEntry,
    /// The index through which they are reached; `None` for the file's own key.
    pub index: Option<IndexEntry>,
}

/// A record found through a path, for as long as the command that found it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PathEntry<'r> {
    /// The position of a browse: the alternate key and the base's key. As the
    /// key of the next [`Seek`](crate::Seek) it means exactly this record.
    pub position: &'r [u8],
    /// The alternate key.
    pub alternate_key: &'r [u8],
    /// The record's own key.
    pub base_key: &'r [u8],
    /// The whole record of the base.
    pub record: &'r [u8],
    /// Whether another record with this alternate key follows: DUPKEY.
    pub more: bool,
}

impl IndexDef {
    /// Returns the definition if it is valid for this base.
    pub fn build(self, base: &FileDef) -> Result<Self, DefinitionError> {
        let (offset, length) = (self.key.offset_bytes, self.key.length_bytes);
        let record = base.max_record_bytes;
        if !(1..=MAX_KEY_BYTES).contains(&length) {
            return Err(DefinitionError::KeyLength { length });
        }
        if u64::from(offset) + u64::from(length) > u64::from(record) {
            return Err(DefinitionError::KeyOutsideRecord {
                offset,
                length,
                record,
            });
        }
        if base.organisation == FileOrganisation::Rrds {
            return Err(DefinitionError::IndexOverRrds {
                base: base.name.clone(),
            });
        }
        Ok(self)
    }

    /// The alternate key in a record; `None` if the record is not in the
    /// index: too short, or its key suppressed.
    pub fn key_in<'r>(&self, record: &'r [u8]) -> Option<&'r [u8]> {
        let start = self.key.offset_bytes as usize;
        let key = record.get(start..start + self.key_bytes())?;
        match self.suppress {
            Some(byte) if key.iter().all(|b| *b == byte) => None,
            _ => Some(key),
        }
    }

    /// Bytes of an alternate key.
    pub fn key_bytes(&self) -> usize {
        self.key.length_bytes as usize
    }

    /// The entry of a record with this key; `None` if it is not in the index.
    pub(crate) fn entry(&self, base_key: &[u8], record: &[u8]) -> Option<Box<[u8]>> {
        let key = self.key_in(record)?;
        Some([key, base_key].concat().into())
    }

    /// Adds to `changes` what becomes of the index when the record under
    /// `base_key` turns from `old` into `new`.
    pub(crate) fn follow(
        &self,
        base_key: &[u8],
        old: Option<&[u8]>,
        new: Option<&[u8]>,
        changes: &mut ChangeOverlay,
    ) {
        if old.and_then(|r| self.key_in(r)) == new.and_then(|r| self.key_in(r)) {
            return;
        }
        if let Some(entry) = old.and_then(|record| self.entry(base_key, record)) {
            changes.remove_again(entry);
        }
        if let Some(entry) = new.and_then(|record| self.entry(base_key, record)) {
            changes.add_again(entry);
        }
    }

    /// The first alternate key that `changes` would give to a second record,
    /// where `present` gives the entry that is stored under a key.
    pub(crate) fn duplicate<E>(
        &self,
        changes: &ChangeOverlay,
        mut present: impl FnMut(&[u8]) -> Result<Option<Box<[u8]>>, E>,
    ) -> Result<Option<Box<[u8]>>, E> {
        if !self.unique {
            return Ok(None);
        }
        let mut before: Option<&[u8]> = None;
        for entry in changes.added() {
            let key = &entry[..self.key_bytes()];
            let stored = present(key)?.is_some_and(|entry| !changes.removes(&entry));
            if stored || before == Some(key) {
                return Ok(Some(key.into()));
            }
            before = Some(key);
        }
        Ok(None)
    }
}

impl IndexEntry {
    /// Whether it changes with its base: it is in the upgrade set, and built.
    pub fn is_kept(&self) -> bool {
        self.built && self.def.upgrade
    }
}

impl CatalogueName {
    /// The name.
    pub fn name(&self) -> &FileName {
        match self {
            Self::File(entry) => &entry.def.name,
            Self::Index(entry) => &entry.def.name,
            Self::Path(def) => &def.name,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::RecordFormat;

    fn index(offset_bytes: u32, length_bytes: u32) -> IndexDef {
        IndexDef {
            name: "I".parse().unwrap(),
            base: "B".parse().unwrap(),
            key: KeyField {
                offset_bytes,
                length_bytes,
            },
            unique: true,
            upgrade: true,
            suppress: Some(b' '),
        }
    }

    #[test]
    fn records_that_are_short_or_blank_are_not_in_a_sparse_index() {
        let index = index(2, 3);
        assert_eq!(index.key_in(b"12abc4"), Some(&b"abc"[..]));
        assert_eq!(index.key_in(b"12ab"), None);
        assert_eq!(index.key_in(b"12   x"), None);
        assert_eq!(index.key_in(b"12  a"), Some(&b"  a"[..]));
    }

    #[test]
    fn an_index_fits_its_base() {
        let esds = FileDef::esds("B".parse().unwrap(), RecordFormat::Variable, 10).unwrap();
        let rrds = FileDef::rrds("B".parse().unwrap(), RecordFormat::Fixed, 10).unwrap();
        assert!(index(7, 3).build(&esds).is_ok());
        assert!(matches!(
            index(8, 3).build(&esds),
            Err(DefinitionError::KeyOutsideRecord { .. })
        ));
        assert!(matches!(
            index(0, 0).build(&esds),
            Err(DefinitionError::KeyLength { .. })
        ));
        assert!(matches!(
            index(0, 1).build(&rrds),
            Err(DefinitionError::IndexOverRrds { .. })
        ));
    }

    #[test]
    fn what_changes_twice_in_a_unit_folds_into_one_change_of_the_index() {
        let index = index(0, 1);
        let mut changes = ChangeOverlay::default();
        index.follow(b"k", None, Some(b"a"), &mut changes);
        index.follow(b"k", Some(b"a"), Some(b"b"), &mut changes);
        assert_eq!(changes.added().collect::<Vec<_>>(), [&b"bk"[..]]);
        index.follow(b"k", Some(b"b"), None, &mut changes);
        assert!(changes.changes().is_empty() && changes.bytes() == 0);
    }

    #[test]
    fn a_key_that_moves_to_another_record_in_one_unit_is_no_duplicate() {
        let index = index(0, 1);
        let mut changes = ChangeOverlay::default();
        index.follow(b"1", None, Some(b"a"), &mut changes);
        let stored = |_: &[u8]| Ok::<_, ()>(Some(Box::from(&b"a2"[..])));
        assert_eq!(
            index.duplicate(&changes, stored),
            Ok(Some(Box::from(&b"a"[..])))
        );
        index.follow(b"2", Some(b"a"), None, &mut changes);
        assert_eq!(index.duplicate(&changes, stored), Ok(None));
    }
}
