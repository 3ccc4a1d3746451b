//! A store in memory: the oracle that the others are tested against, and a
//! store for tests of other crates. Durable as long as the process.
//!
//! Each state is immutable in an [`Arc`]; a writer makes the next one and swaps
//! it in, so a reader never sees half of an apply. Changes are copied; the store
//! is not optimised for speed.

use std::collections::BTreeMap;
use std::ops::{Bound, ControlFlow};
use std::sync::{Arc, PoisonError, RwLock};

use crate::error::{ApplyError, BuildError, DefineError, Key, ReadError, StorageError};
use crate::file::{FileDef, FileId, FileName};
use crate::index::{CatalogueName, IndexDef, IndexEntry, PathDef, PathEntry};
use crate::path::{self, IndexedBase};
use crate::pending::ChangeOverlay;
use crate::seek::{RecordView, SeekKey};
use crate::table::Table;
use crate::traits::{BuildProgress, BulkLoad, CatalogueEntry, ReadStore, WriteStore};
use crate::unit::{KeyChange, UnitOfWork};

/// A store in memory. Clones are readers and writers of the same store.
#[derive(Debug, Clone, Default)]
pub struct MemoryStore {
    state: Arc<RwLock<State>>,
}

#[derive(Debug, Clone, Default)]
struct State {
    names: BTreeMap<FileName, FileId>,
    files: BTreeMap<FileId, File>,
    indexes: BTreeMap<FileId, Index>,
    paths: BTreeMap<FileName, PathDef>,
    tables: BTreeMap<Table, Arc<Records>>,
    last_id: u32,
}

/// An alternate index; its entries are keys without values.
#[derive(Debug, Clone)]
struct Index {
    entry: IndexEntry,
    entries: Arc<Records>,
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

    /// Another store, which has what this one has now.
    pub fn fork(&self) -> Self {
        Self {
            state: Arc::new(RwLock::new(self.state())),
        }
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
        seek: SeekKey<'_>,
        found: &mut dyn FnMut(RecordView<'_>),
    ) -> Result<bool, ReadError> {
        Ok(lookup(&self.file(file)?.records, seek)
            .inspect(|&entry| found(entry))
            .is_some())
    }

    fn scan(
        &mut self,
        file: FileId,
        from: SeekKey<'_>,
        each: &mut dyn FnMut(RecordView<'_>) -> ControlFlow<()>,
    ) -> Result<(), ReadError> {
        let records = self.file(file)?.records;
        if let Some(first) = lookup(&records, from) {
            let range = (Bound::Included(first.key), Bound::Unbounded);
            for (key, record) in records.range::<[u8], _>(range) {
                if each(RecordView { key, record }).is_break() {
                    break;
                }
            }
        }
        Ok(())
    }

    fn names(&mut self) -> Result<Vec<CatalogueName>, ReadError> {
        Ok(self.state().all_names().into_values().collect())
    }

    fn indexes(&mut self, file: FileId) -> Result<Arc<[IndexEntry]>, ReadError> {
        let names = self.names()?.into_iter();
        Ok(names
            .filter_map(|named| match named {
                CatalogueName::Index(entry) if entry.base == file => Some(entry),
                _ => None,
            })
            .collect())
    }

    fn index(&mut self, index: FileId) -> Result<IndexEntry, ReadError> {
        Ok(self.state().index(index)?.entry.clone())
    }

    fn seek_path(
        &mut self,
        index: FileId,
        seek: SeekKey<'_>,
        found: &mut dyn FnMut(PathEntry<'_>),
    ) -> Result<bool, ReadError> {
        let mut state = self.state();
        let Index { entry, entries } = state.index(index)?.clone();
        if !entry.built {
            return Err(ReadError::NotBuilt(index));
        }
        let base = state.files.remove(&entry.base);
        let base = base.ok_or(ReadError::UnknownFile(entry.base))?.records;
        path::seek(&entry.def, seek, &mut IndexState { entries, base }, found)
    }

    fn seek_entry(
        &mut self,
        index: FileId,
        seek: SeekKey<'_>,
        found: &mut dyn FnMut(&[u8]),
    ) -> Result<bool, ReadError> {
        let entries = self.state().index(index)?.entries.clone();
        Ok(lookup(&entries, seek)
            .inspect(|hit| found(hit.key))
            .is_some())
    }

    fn seek_table(
        &mut self,
        table: Table,
        seek: SeekKey<'_>,
        found: &mut dyn FnMut(RecordView<'_>),
    ) -> Result<bool, ReadError> {
        let values = self.state().tables.remove(&table).unwrap_or_default();
        Ok(lookup(&values, seek)
            .inspect(|&entry| found(entry))
            .is_some())
    }
}

/// An index and its base, of one state.
struct IndexState {
    entries: Arc<Records>,
    base: Arc<Records>,
}

impl IndexedBase for IndexState {
    type Error = ReadError;

    fn entry(&mut self, seek: SeekKey<'_>) -> Result<Option<Box<[u8]>>, ReadError> {
        Ok(lookup(&self.entries, seek).map(|hit| hit.key.into()))
    }

    fn record(&mut self, base_key: &[u8], found: &mut dyn FnMut(&[u8])) -> Result<bool, ReadError> {
        Ok(self
            .base
            .get(base_key)
            .map(|record| found(record))
            .is_some())
    }
}

impl WriteStore for MemoryStore {
    fn reader(&self) -> Result<Box<dyn ReadStore + Send>, ReadError> {
        Ok(Box::new(self.clone()))
    }

    fn define(&mut self, def: FileDef) -> Result<FileId, DefineError> {
        let def = def.build()?;
        let mut state = self.state();
        state.check_name(&def.name)?;
        let id = state.add(Arc::new(def), Records::new());
        self.commit(state);
        Ok(id)
    }

    fn remove(&mut self, file: FileId) -> Result<(), DefineError> {
        let mut state = self.state();
        let mut gone: Vec<FileName> = Vec::new();
        if let Some(removed) = state.files.remove(&file) {
            state.names.remove(&removed.def.name);
            gone.push(removed.def.name.clone());
        }
        state.indexes.retain(|id, index| {
            let goes = *id == file || index.entry.base == file;
            if goes {
                gone.push(index.entry.def.name.clone());
            }
            !goes
        });
        if gone.is_empty() {
            return Err(DefineError::UnknownFile(file));
        }
        state.paths.retain(|_, path| !gone.contains(&path.entry));
        self.commit(state);
        Ok(())
    }

    fn define_index(&mut self, def: IndexDef) -> Result<FileId, DefineError> {
        let mut state = self.state();
        state.check_name(&def.name)?;
        let Some(&base) = state.names.get(&def.base) else {
            return Err(state.not_a("a file", &def.base));
        };
        let file = &state.files[&base];
        let def = def.build(&file.def)?;
        let built = file.records.is_empty();
        state.last_id += 1;
        let id = FileId(state.last_id);
        let entry = IndexEntry {
            id,
            base,
            def: Arc::new(def),
            built,
        };
        let entries = Arc::default();
        state.indexes.insert(id, Index { entry, entries });
        self.commit(state);
        Ok(id)
    }

    fn build_index(
        &mut self,
        index: FileId,
        _memory_bytes: usize,
        progress: &mut dyn FnMut(BuildProgress),
    ) -> Result<FileId, BuildError> {
        let mut state = self.state();
        let old = state.indexes.remove(&index);
        let old = old.ok_or(BuildError::UnknownFile(index))?.entry;
        let base = state.files.get(&old.base);
        let base = base
            .ok_or(BuildError::UnknownFile(old.base))?
            .records
            .clone();
        let new = state.build(old, &base, progress)?;
        self.commit(state);
        Ok(new)
    }

    fn define_path(&mut self, def: PathDef) -> Result<(), DefineError> {
        let mut state = self.state();
        state.check_name(&def.name)?;
        match state.all_names().get(&def.entry) {
            Some(CatalogueName::File(_) | CatalogueName::Index(_)) => {}
            _ => return Err(state.not_a("a file or an alternate index", &def.entry)),
        }
        state.paths.insert(def.name.clone(), def);
        self.commit(state);
        Ok(())
    }

    fn remove_path(&mut self, name: &FileName) -> Result<(), DefineError> {
        let mut state = self.state();
        let removed = state.paths.remove(name);
        removed.ok_or(DefineError::NotDefined { name: name.clone() })?;
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

    fn all_names(&self) -> BTreeMap<FileName, CatalogueName> {
        let files = self.names.values().filter_map(|id| {
            let def = self.files.get(id)?.def.clone();
            Some(CatalogueName::File(CatalogueEntry { id: *id, def }))
        });
        let indexes = self
            .indexes
            .values()
            .map(|index| CatalogueName::Index(index.entry.clone()));
        let paths = self.paths.values().cloned().map(CatalogueName::Path);
        let all = files.chain(indexes).chain(paths);
        all.map(|named| (named.name().clone(), named)).collect()
    }

    fn check_name(&self, name: &FileName) -> Result<(), DefineError> {
        if self.all_names().contains_key(name) {
            Err(DefineError::AlreadyDefined { name: name.clone() })
        } else {
            Ok(())
        }
    }

    fn not_a(&self, wanted: &'static str, name: &FileName) -> DefineError {
        let what = match self.all_names().get(name) {
            Some(CatalogueName::Path(_)) => "a path",
            Some(CatalogueName::Index(_)) => "an alternate index",
            _ => return DefineError::NotDefined { name: name.clone() },
        };
        DefineError::WrongKind {
            name: name.clone(),
            what,
            wanted,
        }
    }

    fn index(&self, index: FileId) -> Result<&Index, ReadError> {
        self.indexes
            .get(&index)
            .ok_or(ReadError::UnknownFile(index))
    }

    /// Adds an index again, built from these records.
    fn build(
        &mut self,
        mut entry: IndexEntry,
        base: &Records,
        progress: &mut dyn FnMut(BuildProgress),
    ) -> Result<FileId, BuildError> {
        let def = &entry.def;
        let mut entries = Records::new();
        for (key, record) in base {
            let Some(new) = def.entry(key, record) else {
                continue;
            };
            let alternate = &new[..def.key_bytes()];
            let known = lookup(&entries, SeekKey::Prefix(alternate)).filter(|_| def.unique);
            if let Some(known) = known {
                return Err(BuildError::DuplicateAlternate {
                    index: def.name.clone(),
                    key: alternate.into(),
                    first: known.key[alternate.len()..].into(),
                    second: key[..].into(),
                });
            }
            entries.insert(new, Box::default());
        }
        progress(BuildProgress {
            read: base.len() as u64,
            written: entries.len() as u64,
        });
        self.last_id += 1;
        entry.id = FileId(self.last_id);
        entry.built = true;
        let (id, entries) = (entry.id, Arc::new(entries));
        self.indexes.insert(id, Index { entry, entries });
        Ok(id)
    }

    fn apply(&mut self, unit: &UnitOfWork) -> Result<(), ApplyError> {
        let follows = self.check(unit)?;
        for (file, key, change) in unit.changes() {
            let Some(file) = self.files.get_mut(&file) else {
                continue;
            };
            put(&mut file.records, key, change.record());
        }
        for (id, overlay) in follows {
            if let Some(index) = self.indexes.get_mut(&id) {
                for (entry, value) in overlay.changes() {
                    put(&mut index.entries, entry, value.as_deref());
                }
            }
        }
        for (table, key, value) in unit.table_changes() {
            put(self.tables.entry(table).or_default(), key, value);
        }
        Ok(())
    }

    /// Whether every change of a unit meets the state it was made from, and
    /// what follows for alternate indexes.
    fn check(&self, unit: &UnitOfWork) -> Result<BTreeMap<FileId, ChangeOverlay>, ApplyError> {
        let mut follows: BTreeMap<FileId, ChangeOverlay> = BTreeMap::new();
        for (file, key, change) in unit.changes() {
            let of = self.files.get(&file).ok_or(ApplyError::UnknownFile(file))?;
            let old = of.records.get(key).map(|record| &**record);
            let key_error = |make: fn(FileId, Key) -> ApplyError| Err(make(file, key.into()));
            match (old, change) {
                (Some(_), KeyChange::Insert(_)) => {
                    return key_error(|file, key| ApplyError::Duplicate { file, key });
                }
                (None, KeyChange::Replace(_) | KeyChange::Delete) => {
                    return key_error(|file, key| ApplyError::NotFound { file, key });
                }
                _ => {}
            }
            let kept = self.indexes.values().map(|index| &index.entry);
            for index in kept.filter(|index| index.base == file && index.is_kept()) {
                let overlay = follows.entry(index.id).or_default();
                index.def.follow(key, old, change.record(), overlay);
            }
        }
        for (id, overlay) in &follows {
            let Index { entry, entries } = &self.indexes[id];
            let present = |key: &[u8]| -> Result<Option<Box<[u8]>>, ApplyError> {
                Ok(lookup(entries, SeekKey::Prefix(key)).map(|hit| hit.key.into()))
            };
            if let Some(key) = entry.def.duplicate(overlay, present)? {
                return Err(ApplyError::DuplicateAlternate {
                    index: *id,
                    key: Key(key),
                });
            }
        }
        Ok(follows)
    }
}

fn put(records: &mut Arc<Records>, key: &[u8], value: Option<&[u8]>) {
    let records = Arc::make_mut(records);
    match value {
        Some(value) => records.insert(key.into(), value.into()),
        None => records.remove(key),
    };
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

    fn finish(
        self: Box<Self>,
        progress: &mut dyn FnMut(BuildProgress),
    ) -> Result<FileId, BuildError> {
        let mut state = self.store.state();
        state.files.remove(&self.file);
        let id = state.add(self.def, self.records);
        let base = state.files[&id].records.clone();
        let of_file: Vec<_> = state
            .indexes
            .values()
            .map(|index| index.entry.clone())
            .collect();
        for mut index in of_file.into_iter().filter(|index| index.base == self.file) {
            index.base = id;
            if index.built {
                state.indexes.remove(&index.id);
                state.build(index, &base, progress)?;
            } else if let Some(known) = state.indexes.get_mut(&index.id) {
                known.entry = index;
            }
        }
        self.store.commit(state);
        Ok(id)
    }
}

fn lookup<'r>(records: &'r Records, seek: SeekKey<'_>) -> Option<RecordView<'r>> {
    let range = |low, high| records.range::<[u8], _>((low, high));
    let hit = match seek {
        SeekKey::Equal(key) => records.get_key_value(key),
        SeekKey::AtLeast(key) => range(Bound::Included(key), Bound::Unbounded).next(),
        SeekKey::Greater(key) => range(Bound::Excluded(key), Bound::Unbounded).next(),
        SeekKey::AtMost(key) => range(Bound::Unbounded, Bound::Included(key)).next_back(),
        SeekKey::Less(key) => range(Bound::Unbounded, Bound::Excluded(key)).next_back(),
        SeekKey::Prefix(prefix) => range(Bound::Included(prefix), Bound::Unbounded)
            .next()
            .filter(|(key, _)| key.starts_with(prefix)),
        SeekKey::First => records.first_key_value(),
        SeekKey::Last => records.last_key_value(),
    };
    hit.map(|(key, record)| RecordView { key, record })
}
