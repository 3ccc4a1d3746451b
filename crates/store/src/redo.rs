//! A unit of work as bytes: what it does to the records of files.
//!
//! A unit that is prepared must be there again after the region, or its
//! machine, was away. So it is kept in a table as what has to be done to
//! commit it, and is applied from there when it is decided.
//!
//! ```text
//!   change, one after the other:
//!     file, u32 | kind, u8 | key length, u16 | record length, u32 | key | record
//!   kind: 1 insert, 2 replace, 3 delete (its record has no bytes)
//! ```
//!
//! Integers are big-endian.
//!
//! Invariant: tables are absent. What a unit does to them is its managers'
//! business, who have more in memory than what the table has.

use thiserror::Error;

use crate::error::ReadError;
use crate::file::FileId;
use crate::traits::ReadStore;
use crate::unit::{Change, Ends, UnitOfWork};

const INSERT: u8 = 1;
const REPLACE: u8 = 2;
const DELETE: u8 = 3;

/// Stored bytes that are no unit of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the stored unit of work makes no sense at byte {0}")]
pub struct RedoError(pub usize);

impl UnitOfWork {
    /// True when it changes a table, which [`UnitOfWork::redo`] leaves out.
    pub fn changes_tables(&self) -> bool {
        self.table_changes().next().is_some()
    }

    /// Its changes to files as bytes.
    pub fn redo(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.bytes());
        for (file, key, change) in self.changes() {
            let kind = match change {
                Change::Insert(_) => INSERT,
                Change::Replace(_) => REPLACE,
                Change::Delete => DELETE,
            };
            let record = change.record().unwrap_or_default();
            out.extend(file.0.to_be_bytes());
            out.push(kind);
            out.extend((key.len() as u16).to_be_bytes());
            out.extend((record.len() as u32).to_be_bytes());
            out.extend(key);
            out.extend(record);
        }
        out
    }

    /// The unit that these bytes are of. What a task of the unit would read
    /// through an alternate index is not in it: it can only be applied.
    pub fn of_redo(bytes: &[u8]) -> Result<UnitOfWork, RedoError> {
        let mut unit = UnitOfWork::new();
        let mut rest = bytes;
        while !rest.is_empty() {
            let at = bytes.len() - rest.len();
            let (file, key, change, after) = one(rest).ok_or(RedoError(at))?;
            if unit.change(file, key).is_some() {
                return Err(RedoError(at));
            }
            unit.set(file, key, Some(change));
            rest = after;
        }
        Ok(unit)
    }

    /// Keeps the addresses that the unit has taken at the ends of files from
    /// being given again: after a restart, before anything is added.
    pub fn keep_ends(
        &self,
        store: &mut (impl ReadStore + ?Sized),
        ends: &mut Ends,
    ) -> Result<(), ReadError> {
        for (file, key, change) in self.changes() {
            let Change::Insert(record) = change else {
                continue;
            };
            if let Some(next) = store.definition(file)?.address_after(key, record) {
                ends.keep(file, next);
            }
        }
        Ok(())
    }
}

/// The first change of some bytes, and what follows it.
fn one(bytes: &[u8]) -> Option<(FileId, &[u8], Change, &[u8])> {
    let (file, rest) = bytes.split_first_chunk::<4>()?;
    let (kind, rest) = rest.split_first()?;
    let (key_bytes, rest) = rest.split_first_chunk::<2>()?;
    let (record_bytes, rest) = rest.split_first_chunk::<4>()?;
    let (key, rest) = rest.split_at_checked(u16::from_be_bytes(*key_bytes).into())?;
    let (record, rest) = rest.split_at_checked(u32::from_be_bytes(*record_bytes) as usize)?;
    let change = match (*kind, record) {
        (INSERT, record) => Change::Insert(record.into()),
        (REPLACE, record) => Change::Replace(record.into()),
        (DELETE, []) => Change::Delete,
        _ => return None,
    };
    Some((FileId(u32::from_be_bytes(*file)), key, change, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::MemoryStore;
    use crate::traits::{ReadExt, WriteStore};
    use crate::{FileDef, KeyField, RecordFormat, Table};
    use proptest::prelude::*;

    fn ksds(name: &str) -> FileDef {
        let key = KeyField {
            offset_bytes: 0,
            length_bytes: 2,
        };
        FileDef::ksds(name.parse().unwrap(), key, RecordFormat::Variable, 20).unwrap()
    }

    #[test]
    fn a_unit_read_back_does_what_it_would_have_done() {
        let mut store = MemoryStore::new();
        let file = store.define(ksds("A.FILE")).unwrap();
        let mut reader = store.reader().unwrap();
        let mut first = UnitOfWork::new();
        first.insert(&mut *reader, file, b"01", b"01 one").unwrap();
        first.insert(&mut *reader, file, b"02", b"02 two").unwrap();
        store.apply(&[first])[0].as_ref().unwrap();
        let mut unit = UnitOfWork::new();
        unit.insert(&mut *reader, file, b"03", b"03 new").unwrap();
        unit.replace(&mut *reader, file, b"01", b"01 other")
            .unwrap();
        unit.delete(&mut *reader, file, b"02").unwrap();
        assert!(!unit.changes_tables());
        let again = UnitOfWork::of_redo(&unit.redo()).unwrap();
        assert_eq!(again, unit);
        store.apply(&[again])[0].as_ref().unwrap();
        let mut get = |key: &[u8]| reader.get(file, key, <[u8]>::to_vec).unwrap();
        assert_eq!(get(b"01").unwrap(), b"01 other");
        assert_eq!(get(b"02"), None);
        assert_eq!(get(b"03").unwrap(), b"03 new");
        unit.put(Table::new("other"), b"k", b"v");
        assert!(unit.changes_tables());
    }

    #[test]
    fn an_address_that_a_prepared_unit_has_is_not_given_again() {
        let mut store = MemoryStore::new();
        let def = FileDef::esds("AN.ESDS".parse().unwrap(), RecordFormat::Variable, 20).unwrap();
        let file = store.define(def).unwrap();
        let mut reader = store.reader().unwrap();
        let mut prepared = UnitOfWork::new();
        let mut before = Ends::default();
        let first = prepared
            .append(&mut *reader, &mut before, file, b"abc")
            .unwrap();
        let prepared = UnitOfWork::of_redo(&prepared.redo()).unwrap();
        let mut ends = Ends::default();
        prepared.keep_ends(&mut *reader, &mut ends).unwrap();
        let mut next = UnitOfWork::new();
        let second = next.append(&mut *reader, &mut ends, file, b"def").unwrap();
        assert!(second > first);
        let results = store.apply(&[next, prepared]);
        assert!(results.iter().all(Result::is_ok), "{results:?}");
    }

    proptest! {
        #[test]
        fn no_stored_bytes_make_the_reader_panic(bytes in prop::collection::vec(0..6_u8, 0..60)) {
            if let Ok(unit) = UnitOfWork::of_redo(&bytes) {
                prop_assert_eq!(UnitOfWork::of_redo(&unit.redo()), Ok(unit));
            }
        }
    }
}
