//! A store in memory: the oracle that the others are tested against, and a
//! store for tests of other crates. Durable as long as the process.
//!
//! Each state is immutable behind an [`Arc`]; a writer makes the next one and
//! swaps it in, so a reader never sees half of an apply. It copies what it
//! changes and is not meant to be fast.

use std::collections::BTreeMap;
use std::ops::{Bound, ControlFlow};
use std::sync::{Arc, PoisonError, RwLock};

use crate::error::{ApplyError, DefineError, ReadError, StorageError};
use crate::file::{FileDef, FileId, FileName};
use crate::seek::{Entry, Seek};
use crate::traits::{BulkLoad, CatalogueEntry, ReadStore, WriteStore};
use crate::unit::{Change, UnitOfWork};

/// A store in memory. Clones are readers and writers of the same store.
#[derive(Debug, Clone, Default)]
pub struct MemoryStore {
    state: Arc<RwLock<State>>,
}

#[derive(Debug, Clone, Default)]
struct State {
    names: BTreeMap<FileName, FileId>,
    files: BTreeMap<FileId, File>,
    last_id: u32,
}

#[derive(Debug, Clone)]
struct File {
    def: Arc<FileDef>,
    records: Arc<Records>,
}

type Records = BTreeMap<Box<[u8]>, Box<[u8]>>;

impl MemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    /// The committed state; a panic elsewhere cannot have left half of one.
    fn state(&self) -> State {
        self.state
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn commit(&self, state: State) {
        *self.state.write().unwrap_or_else(PoisonError::into_inner) = state;
    }

    fn file(&self, file: FileId) -> Result<File, ReadError> {
        self.state()
            .files
            .remove(&file)
            .ok_or(ReadError::UnknownFile(file))
    }
}

impl ReadStore for MemoryStore {
    fn files(&mut self) -> Result<Vec<CatalogueEntry>, ReadError> {
        let State { names, files, .. } = self.state();
        let entry = |id: &FileId| {
            Some(CatalogueEntry {
                id: *id,
                def: files.get(id)?.def.clone(),
            })
        };
        Ok(names.values().filter_map(entry).collect())
    }

    fn find(&mut self, name: &FileName) -> Result<Option<CatalogueEntry>, ReadError> {
        Ok(self
            .files()?
            .into_iter()
            .find(|entry| entry.def.name == *name))
    }

    fn definition(&mut self, file: FileId) -> Result<Arc<FileDef>, ReadError> {
        Ok(self.file(file)?.def)
    }

    fn seek(
        &mut self,
        file: FileId,
        seek: Seek<'_>,
        found: &mut dyn FnMut(Entry<'_>),
    ) -> Result<bool, ReadError> {
        Ok(lookup(&self.file(file)?.records, seek)
            .inspect(|&entry| found(entry))
            .is_some())
    }

    fn scan(
        &mut self,
        file: FileId,
        from: Seek<'_>,
        each: &mut dyn FnMut(Entry<'_>) -> ControlFlow<()>,
    ) -> Result<(), ReadError> {
        let records = self.file(file)?.records;
        if let Some(first) = lookup(&records, from) {
            let range = (Bound::Included(first.key), Bound::Unbounded);
            for (key, record) in records.range::<[u8], _>(range) {
                if each(Entry { key, record }).is_break() {
                    break;
                }
            }
        }
        Ok(())
    }
}

impl WriteStore for MemoryStore {
    fn reader(&self) -> Result<Box<dyn ReadStore + Send>, ReadError> {
        Ok(Box::new(self.clone()))
    }

    fn define(&mut self, def: FileDef) -> Result<FileId, DefineError> {
        let def = def.build()?;
        let mut state = self.state();
        if state.names.contains_key(&def.name) {
            return Err(DefineError::AlreadyDefined { name: def.name });
        }
        let id = state.add(Arc::new(def), Records::new());
        self.commit(state);
        Ok(id)
    }

    fn remove(&mut self, file: FileId) -> Result<(), DefineError> {
        let mut state = self.state();
        let removed = state
            .files
            .remove(&file)
            .ok_or(DefineError::UnknownFile(file))?;
        state.names.remove(&removed.def.name);
        self.commit(state);
        Ok(())
    }

    fn apply(&mut self, units: &[UnitOfWork]) -> Vec<Result<(), ApplyError>> {
        let mut state = self.state();
        let results = units.iter().map(|unit| state.apply(unit)).collect();
        self.commit(state);
        results
    }

    fn start_load(&mut self, file: FileId) -> Result<Box<dyn BulkLoad + '_>, DefineError> {
        let old = self
            .state()
            .files
            .remove(&file)
            .ok_or(DefineError::UnknownFile(file))?;
        Ok(Box::new(Load {
            store: self,
            file,
            def: old.def,
            records: Records::new(),
        }))
    }

    fn clear_dead_readers(&mut self) -> Result<u32, StorageError> {
        Ok(0)
    }
}

impl State {
    fn add(&mut self, def: Arc<FileDef>, records: Records) -> FileId {
        self.last_id += 1;
        let id = FileId(self.last_id);
        self.names.insert(def.name.clone(), id);
        self.files.insert(
            id,
            File {
                def,
                records: Arc::new(records),
            },
        );
        id
    }

    fn apply(&mut self, unit: &UnitOfWork) -> Result<(), ApplyError> {
        for (file, key, change) in unit.changes() {
            let records = &self
                .files
                .get(&file)
                .ok_or(ApplyError::UnknownFile(file))?
                .records;
            match (records.contains_key(key), change) {
                (true, Change::Insert(_)) => {
                    return Err(ApplyError::Duplicate {
                        file,
                        key: key.into(),
                    });
                }
                (false, Change::Replace(_) | Change::Delete) => {
                    return Err(ApplyError::NotFound {
                        file,
                        key: key.into(),
                    });
                }
                _ => {}
            }
        }
        for (file, key, change) in unit.changes() {
            let Some(file) = self.files.get_mut(&file) else {
                continue;
            };
            let records = Arc::make_mut(&mut file.records);
            match change.record() {
                Some(record) => records.insert(key.into(), record.into()),
                None => records.remove(key),
            };
        }
        Ok(())
    }
}

/// A load in progress; the records are the store's only once it has finished.
struct Load<'s> {
    store: &'s MemoryStore,
    file: FileId,
    def: Arc<FileDef>,
    records: Records,
}

impl BulkLoad for Load<'_> {
    fn insert(&mut self, key: &[u8], record: &[u8]) -> Result<bool, StorageError> {
        if self.records.contains_key(key) {
            return Ok(false);
        }
        self.records.insert(key.into(), record.into());
        Ok(true)
    }

    fn finish(self: Box<Self>) -> Result<FileId, StorageError> {
        let mut state = self.store.state();
        state.files.remove(&self.file);
        let id = state.add(self.def, self.records);
        self.store.commit(state);
        Ok(id)
    }
}

fn lookup<'r>(records: &'r Records, seek: Seek<'_>) -> Option<Entry<'r>> {
    let range = |low, high| records.range::<[u8], _>((low, high));
    let hit = match seek {
        Seek::Equal(key) => records.get_key_value(key),
        Seek::AtLeast(key) => range(Bound::Included(key), Bound::Unbounded).next(),
        Seek::Greater(key) => range(Bound::Excluded(key), Bound::Unbounded).next(),
        Seek::AtMost(key) => range(Bound::Unbounded, Bound::Included(key)).next_back(),
        Seek::Less(key) => range(Bound::Unbounded, Bound::Excluded(key)).next_back(),
        Seek::Prefix(prefix) => range(Bound::Included(prefix), Bound::Unbounded)
            .next()
            .filter(|(key, _)| key.starts_with(prefix)),
        Seek::First => records.first_key_value(),
        Seek::Last => records.last_key_value(),
    };
    hit.map(|(key, record)| Entry { key, record })
}
