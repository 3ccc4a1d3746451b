//! Units of work of batch programs: files of the store and EXEC SQL.
//!
//! A batch program that has the store to itself commits such a unit as a region does: the
//! store keeps the changes durably in the table `decider`, the SQL server commits, and the
//! store applies the changes. So a region that starts after a kill finds the unit among its
//! own, and a batch step that starts finds the units of a region.
//!
//! Invariant: the outcome of a unit is never guessed. What has further participants, or is a
//! branch of another region's unit, only a region ends.

use link::TransId;
use store::{KeyChange, ReadError, ReadStore, UnitOfWork};

use super::deciders::{TABLE, parse, record_bytes};
use super::effect::{UnitId, UnitToken};
use super::locks::{LockName, LockSpace};
use super::prepared::{PreparedTask, Record};
use super::{ResourceManagers, one_phase, scan};

/// A unit of work in a store that no region has open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredUnit {
    /// The token by which its decider identifies it.
    pub token: UnitToken,
    /// The name of its decider; empty if the record cannot be read.
    pub decider: String,
    /// Only a region can end it: it has other participants, or its record cannot be read.
    pub needs_region: bool,
    changes: UnitOfWork,
}

impl StoredUnit {
    /// The changes that end the unit with an outcome.
    pub fn end(self, committed: bool) -> UnitOfWork {
        let changes = if committed {
            self.changes
        } else {
            UnitOfWork::new()
        };
        end_unit(self.token, changes)
    }
}

/// The changes that keep a unit as prepared, with locks for a region that starts before the
/// unit is over. `transid` is what lists of units show as its transaction.
///
/// # Errors
/// The indexes of a file cannot be read.
pub fn kept_unit(
    reader: &mut dyn ReadStore,
    decider: &str,
    token: UnitToken,
    since_unix_ns: u64,
    transid: &str,
    changes: &UnitOfWork,
) -> Result<UnitOfWork, ReadError> {
    let mut locks = Vec::new();
    for (file, key, change) in changes.changes() {
        locks.push(LockName::new(LockSpace::Record(file), key));
        if let KeyChange::Insert(record) | KeyChange::Replace(record) = change {
            for (index, key) in changes.unique_keys(reader, file, record)? {
                locks.push(LockName::new(LockSpace::Record(index), &key));
            }
        }
    }
    let record = Record {
        since_unix_ns,
        unit: Some(UnitId(since_unix_ns)),
        task: PreparedTask {
            transid: transid.parse::<TransId>().unwrap_or_default(),
            ..PreparedTask::default()
        },
        participants: Vec::new(),
        locks,
        changes: UnitOfWork::new(),
    };
    let mut kept = UnitOfWork::new();
    let bytes = record_bytes(decider, None, &record, changes);
    kept.put(TABLE, token.as_bytes(), &bytes);
    Ok(kept)
}

/// Adds to a unit's changes that it is over.
pub fn end_unit(token: UnitToken, mut changes: UnitOfWork) -> UnitOfWork {
    changes.remove(TABLE, token.as_bytes());
    changes
}

/// The units whose outcome is not known or not applied yet. No region may have the store.
///
/// # Errors
/// The table cannot be read.
pub fn stored_units<R: ResourceManagers>(
    reader: &mut dyn ReadStore,
) -> Result<Vec<StoredUnit>, ReadError> {
    let mut tables = R::tables();
    tables.push(one_phase::TABLE);
    let mut found = Vec::new();
    scan(reader, TABLE, &mut |key, bytes| {
        let token = UnitToken(key.try_into().unwrap_or_default());
        found.push(match parse(bytes, &tables) {
            Some(stored) => StoredUnit {
                token,
                needs_region: stored.branch.is_some() || !stored.record.participants.is_empty(),
                decider: stored.decider,
                changes: stored.record.changes,
            },
            None => StoredUnit {
                token,
                decider: String::new(),
                needs_region: true,
                changes: UnitOfWork::new(),
            },
        });
    })?;
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resources::Resources;
    use store::{FileDef, MemoryStore, ReadExt, WriteStore};

    #[test]
    fn a_kept_unit_is_found_and_ends_with_its_outcome() {
        for committed in [true, false] {
            let mut store = MemoryStore::new();
            let def = FileDef::rrds("A.FILE".parse().unwrap(), store::RecordFormat::Fixed, 3);
            let file = store.define(def.unwrap()).unwrap();
            let mut reader = store.reader().unwrap();
            let mut unit = UnitOfWork::new();
            let key = store::rrn_key(1);
            unit.insert(&mut *reader, file, &key, b"one").unwrap();
            let token = UnitToken([7; 16]);
            let kept = kept_unit(&mut *reader, "SQL", token, 5, "CBAT", &unit).unwrap();
            store.apply(&[kept])[0].as_ref().unwrap();
            assert_eq!(reader.get(file, &key, <[u8]>::to_vec).unwrap(), None);
            let mut found = stored_units::<Resources>(&mut *reader).unwrap();
            let one = found.pop().unwrap();
            assert_eq!((one.token, one.decider.as_str()), (token, "SQL"));
            assert!(!one.needs_region && found.is_empty());
            store.apply(&[one.end(committed)])[0].as_ref().unwrap();
            let record = reader.get(file, &key, <[u8]>::to_vec).unwrap();
            assert_eq!(record, committed.then(|| b"one".to_vec()));
            assert_eq!(stored_units::<Resources>(&mut *reader).unwrap(), []);
        }
    }
}
