//! A unit of work as bytes: its changes to the records of files and to tables.
//!
//! A unit that is prepared must be there again after the region, or its
//! machine, was away. So it is kept in a table as what has to be done to
//! commit it, and is applied from there when it is decided.
//!
//! ```text
//!   change, one after the other:
//!     file, u32 | kind, u8 | key length, u16 | record length, u32 | key | record
//!   kind: 1 insert, 2 replace, 3 delete (its record has no bytes),
//!         4 put into a table, 5 remove from one: the file is 0, and the key is
//!         the table's name, a zero byte and the key in it
//! ```
//!
//! Integers are big-endian. The changes of tables follow those of files, in the order
//! of their keys.

use thiserror::Error;

use crate::error::ReadError;
use crate::file::FileId;
use crate::table::{MAX_TABLE_KEY_BYTES, Table};
use crate::traits::ReadStore;
use crate::unit::{FileEnds, KeyChange, UnitOfWork};

const INSERT: u8 = 1;
const REPLACE: u8 = 2;
const DELETE: u8 = 3;
const PUT: u8 = 4;
const REMOVE: u8 = 5;

/// Stored bytes that are not a unit of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the stored unit of work is malformed at byte {0}")]
pub struct RedoError(pub usize);

impl UnitOfWork {
    /// Its changes as bytes.
    pub fn redo(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.bytes());
        for (file, key, change) in self.changes() {
            let kind = match change {
                KeyChange::Insert(_) => INSERT,
                KeyChange::Replace(_) => REPLACE,
                KeyChange::Delete => DELETE,
            };
            let record = change.record().unwrap_or_default();
            emit(&mut out, file, kind, key, record);
        }
        for (table, key, value) in self.table_changes() {
            let kind = if value.is_some() { PUT } else { REMOVE };
            let key = [&table.prefix()[..], key].concat();
            emit(&mut out, FileId(0), kind, &key, value.unwrap_or_default());
        }
        out
    }

    /// Reads the unit of these bytes, which changes no tables but these. The data that
    /// a task of the unit would read through an alternate index are not in it: the unit
    /// can only be applied.
    pub fn of_redo(bytes: &[u8], tables: &[Table]) -> Result<UnitOfWork, RedoError> {
        let mut unit = UnitOfWork::new();
        let mut rest = bytes;
        let mut last: &[u8] = &[];
        while !rest.is_empty() {
            let at = bytes.len() - rest.len();
            let (one, after) = one(rest).ok_or(RedoError(at))?;
            match one {
                RedoChange::File(file, key, _) if unit.change(file, key).is_some() => {
                    return Err(RedoError(at));
                }
                RedoChange::File(file, key, change) => unit.set(file, key, Some(change)),
                RedoChange::Table(whole, value) => {
                    let of = |table: &&Table| whole.starts_with(&table.prefix());
                    let table = tables.iter().find(of).filter(|_| whole > last);
                    let table = table.ok_or(RedoError(at))?;
                    let key = &whole[table.prefix().len()..];
                    if !(1..=MAX_TABLE_KEY_BYTES).contains(&key.len()) {
                        return Err(RedoError(at));
                    }
                    match value {
                        Some(value) => unit.put(*table, key, value),
                        None => unit.remove(*table, key),
                    }
                    last = whole;
                }
            }
            rest = after;
        }
        Ok(unit)
    }

    /// Keeps the addresses that the unit has taken at the ends of files from
    /// being given again: after a restart, before anything is added.
    pub fn keep_ends(
        &self,
        store: &mut (impl ReadStore + ?Sized),
        ends: &mut FileEnds,
    ) -> Result<(), ReadError> {
        for (file, key, change) in self.changes() {
            let KeyChange::Insert(record) = change else {
                continue;
            };
            if let Some(next) = store.definition(file)?.address_after(key, record) {
                ends.keep(file, next);
            }
        }
        Ok(())
    }
}

fn emit(out: &mut Vec<u8>, file: FileId, kind: u8, key: &[u8], record: &[u8]) {
    out.extend(file.0.to_be_bytes());
    out.push(kind);
    out.extend((key.len() as u16).to_be_bytes());
    out.extend((record.len() as u32).to_be_bytes());
    out.extend(key);
    out.extend(record);
}

/// A change.
enum RedoChange<'b> {
    File(FileId, &'b [u8], KeyChange),
    /// The table's name and the key, and the value unless it is removed.
    Table(&'b [u8], Option<&'b [u8]>),
}

/// The first change of some bytes, and what follows it.
fn one(bytes: &[u8]) -> Option<(RedoChange<'_>, &[u8])> {
    let (file, rest) = bytes.split_first_chunk::<4>()?;
    let (kind, rest) = rest.split_first()?;
    let (key_bytes, rest) = rest.split_first_chunk::<2>()?;
    let (record_bytes, rest) = rest.split_first_chunk::<4>()?;
    let (key, rest) = rest.split_at_checked(u16::from_be_bytes(*key_bytes).into())?;
    let (record, rest) = rest.split_at_checked(u32::from_be_bytes(*record_bytes) as usize)?;
    let file = FileId(u32::from_be_bytes(*file));
    let change = match (*kind, record) {
        (INSERT, record) => RedoChange::File(file, key, KeyChange::Insert(record.into())),
        (REPLACE, record) => RedoChange::File(file, key, KeyChange::Replace(record.into())),
        (DELETE, []) => RedoChange::File(file, key, KeyChange::Delete),
        (PUT, value) if file.0 == 0 => RedoChange::Table(key, Some(value)),
        (REMOVE, []) if file.0 == 0 => RedoChange::Table(key, None),
        _ => return None,
    };
    Some((change, rest))
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
        let other = Table::new("other");
        unit.put(other, b"k", b"v");
        unit.put(other, b"l\0m", b"");
        unit.put(Table::new("others"), b"k", b"w");
        unit.remove(other, b"m");
        let both = [Table::new("others"), other];
        let again = UnitOfWork::of_redo(&unit.redo(), &both).unwrap();
        assert_eq!(again, unit);
        assert!(UnitOfWork::of_redo(&unit.redo(), &[other]).is_err());
        let twice = [unit.redo(), unit.redo()].concat();
        assert!(UnitOfWork::of_redo(&twice, &both).is_err());
        store.apply(&[again])[0].as_ref().unwrap();
        let mut get = |key: &[u8]| reader.get(file, key, <[u8]>::to_vec).unwrap();
        assert_eq!(get(b"01").unwrap(), b"01 other");
        assert_eq!(get(b"02"), None);
        assert_eq!(get(b"03").unwrap(), b"03 new");
    }

    #[test]
    fn an_address_that_a_prepared_unit_has_is_not_given_again() {
        let mut store = MemoryStore::new();
        let def = FileDef::esds("AN.ESDS".parse().unwrap(), RecordFormat::Variable, 20).unwrap();
        let file = store.define(def).unwrap();
        let mut reader = store.reader().unwrap();
        let mut prepared = UnitOfWork::new();
        let mut before = FileEnds::default();
        let first = prepared
            .append(&mut *reader, &mut before, file, b"abc")
            .unwrap();
        let prepared = UnitOfWork::of_redo(&prepared.redo(), &[]).unwrap();
        let mut ends = FileEnds::default();
        prepared.keep_ends(&mut *reader, &mut ends).unwrap();
        let mut next = UnitOfWork::new();
        let second = next.append(&mut *reader, &mut ends, file, b"def").unwrap();
        assert!(second > first);
        let results = store.apply(&[next, prepared]);
        assert!(results.iter().all(Result::is_ok), "{results:?}");
    }

    proptest! {
        #[test]
        fn no_stored_bytes_make_the_reader_panic(
            bytes in prop::collection::vec(prop_oneof![0..6_u8, Just(b'a')], 0..60),
        ) {
            let tables = [Table::new("a")];
            if let Ok(unit) = UnitOfWork::of_redo(&bytes, &tables) {
                prop_assert_eq!(UnitOfWork::of_redo(&unit.redo(), &tables), Ok(unit));
            }
        }
    }
}
