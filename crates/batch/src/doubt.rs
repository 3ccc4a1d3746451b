//! Units of work in doubt of a store that no region has open.
//!
//! A batch step that was killed, or a region, may leave them. Before another step changes
//! files they are ended as the SQL server has decided: their locks exist in a region only.

use kernel::resources::Resources;
use kernel::{UnitToken, stored_units};
use runtime::sql::lending::DECIDER;
use store::{DiskReader, DiskStore, OpenError, StorageError, WriteStore};

use crate::dd::StoreAt;
use crate::stored::Fault;

/// Why units stay in doubt.
#[derive(Debug, thiserror::Error)]
pub enum DoubtError {
    /// The store cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The store cannot be read or changed.
    #[error("the units of work in doubt cannot be ended: {0}")]
    Store(String),
    /// The SQL server did not report the outcome.
    #[error("unit of work {0} is in doubt, and the SQL server cannot be asked for its outcome")]
    Unknown(UnitToken),
    /// Another region takes part in it.
    #[error("unit of work {0} is in doubt, and only a region can end it: start the region")]
    NeedsRegion(UnitToken),
}

/// A unit that was in doubt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EndedUnit {
    /// Its token.
    pub token: UnitToken,
    /// It is committed; else backed out.
    pub committed: bool,
}

/// Ends the units in doubt; `ask` asks the SQL server for the outcome. Does nothing if there is
/// no store, or a region has it open.
///
/// # Errors
/// A unit stays in doubt: no file may be changed then.
pub fn end_units(
    at: &StoreAt,
    ask: &mut dyn FnMut(UnitToken) -> Option<bool>,
) -> Result<Vec<EndedUnit>, DoubtError> {
    let options = at.options();
    let mut reader = match DiskReader::open(&at.path, &options) {
        Err(OpenError::Missing { .. }) => return Ok(Vec::new()),
        opened => opened?,
    };
    let unreadable = |error: store::ReadError| DoubtError::Store(error.to_string());
    if stored_units::<Resources>(&mut reader)
        .map_err(unreadable)?
        .is_empty()
    {
        return Ok(Vec::new());
    }
    drop(reader);
    let mut store = match DiskStore::open(&at.path, &options) {
        Err(OpenError::Held { .. }) => return Ok(Vec::new()),
        opened => opened?,
    };
    let unopened = |source: StorageError| OpenError::Storage {
        path: at.path.clone(),
        source,
    };
    // Another process may have ended them before this one opened the store.
    let mut reader = store.disk_reader().map_err(unopened)?;
    let units = stored_units::<Resources>(&mut reader).map_err(unreadable)?;
    let mut ended = Vec::new();
    for unit in units {
        let token = unit.token;
        if unit.needs_region || unit.decider != DECIDER {
            return Err(DoubtError::NeedsRegion(token));
        }
        let committed = ask(token).ok_or(DoubtError::Unknown(token))?;
        for result in store.apply(&[unit.end(committed)]) {
            result.map_err(|error| DoubtError::Store(Fault::from(error).text))?;
        }
        ended.push(EndedUnit { token, committed });
    }
    Ok(ended)
}

#[cfg(test)]
mod tests {
    use super::*;
    use kernel::kept_unit;
    use store::{FileDef, ReadExt, ReadStore, RecordFormat, UnitOfWork, rrn_key};

    #[test]
    fn units_in_doubt_end_as_the_server_has_decided_or_stay() {
        let folder = tempfile::tempdir().unwrap();
        let at = StoreAt {
            path: folder.path().join("store"),
            state: folder.path().to_owned(),
            map_bytes: 16 << 20,
            max_readers: 8,
            sync: false,
        };
        assert_eq!(end_units(&at, &mut |_| None).unwrap(), []);
        let mut store = DiskStore::open(&at.path, &at.options()).unwrap();
        let def = FileDef::rrds("A.FILE".parse().unwrap(), RecordFormat::Fixed, 3);
        let file = store.define(def.unwrap()).unwrap();
        let mut reader = store.disk_reader().unwrap();
        for number in 1..=2_u8 {
            let mut unit = UnitOfWork::new();
            let key = rrn_key(number.into());
            unit.insert(&mut reader, file, &key, b"one").unwrap();
            let token = UnitToken([number; 16]);
            let kept = kept_unit(&mut reader, DECIDER, token, 1, "CBAT", &unit).unwrap();
            store.apply(&[kept])[0].as_ref().unwrap();
        }
        // A process that has the store ends them itself.
        assert_eq!(end_units(&at, &mut |_| Some(true)).unwrap(), []);
        drop((reader, store));
        let error = end_units(&at, &mut |_| None).unwrap_err();
        assert!(matches!(error, DoubtError::Unknown(_)), "{error}");
        let first = UnitToken([1; 16]);
        let ended = end_units(&at, &mut |token| Some(token == first)).unwrap();
        let outcomes: Vec<bool> = ended.iter().map(|unit| unit.committed).collect();
        assert_eq!(outcomes, [true, false]);
        let mut reader = DiskReader::open(&at.path, &at.options()).unwrap();
        let has = |number: u32, reader: &mut DiskReader| {
            let found = reader.get(file, &rrn_key(number), |_| ());
            found.unwrap().is_some()
        };
        assert!(has(1, &mut reader) && !has(2, &mut reader));
        let _: &mut dyn ReadStore = &mut reader;
        assert_eq!(end_units(&at, &mut |_| None).unwrap(), []);
    }
}
