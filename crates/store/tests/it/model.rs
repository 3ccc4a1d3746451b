//! Random sequences of operations: LMDB has the results of the store in memory, and
//! a unit's view, through keys, paths and tables, equals the state that everyone
//! sees once it is applied. At the end the store passes its check.

use proptest::prelude::*;
use store::{
    ApplyError, FileDef, FileEnds, FileId, LmdbStore, MemoryStore, ReadStore, RecordFormat,
    SeekKey, Table, UnitError, UnitOfWork, WriteStore, check, rba_key, rrn_key,
};

use crate::support::{all, browsed, index, ksds, on_path, options, through};

/// Units that are open at the same time.
const UNITS: usize = 3;

/// Bytes of a key; two of a small alphabet, so that keys are often equal.
const KEY_BYTES: usize = 2;

#[derive(Debug, Clone)]
enum Op {
    Insert {
        unit: usize,
        key: [u8; KEY_BYTES],
        length: usize,
    },
    Replace {
        unit: usize,
        key: [u8; KEY_BYTES],
        length: usize,
    },
    Delete {
        unit: usize,
        key: [u8; KEY_BYTES],
    },
    Find {
        unit: usize,
        how: u8,
        key: Vec<u8>,
    },
    FindOnPath {
        unit: usize,
        unique: bool,
        how: u8,
        key: Vec<u8>,
    },
    Put {
        unit: usize,
        key: Vec<u8>,
        length: Option<usize>,
    },
    FindInTable {
        unit: usize,
        how: u8,
        key: Vec<u8>,
    },
    Build {
        unique: bool,
    },
    RollBack {
        unit: usize,
    },
    Apply {
        units: Vec<usize>,
    },
    Reload {
        keys: Vec<[u8; KEY_BYTES]>,
    },
}

fn key() -> impl Strategy<Value = [u8; KEY_BYTES]> {
    [0..4_u8, 0..8_u8].prop_map(|[a, b]| [b"\0Aa\xFF"[a as usize], b * 36])
}

fn op() -> impl Strategy<Value = Op> {
    let unit = 0..UNITS;
    let length = prop_oneof![8 => KEY_BYTES..64, 1 => 2000..9000_usize];
    let any_key = prop_oneof![
        key().prop_map(|key| key.to_vec()),
        proptest::collection::vec(any::<u8>(), 0..4),
        key().prop_map(|key| key[..1].to_vec()),
    ];
    prop_oneof![
        6 => (unit.clone(), key(), length.clone())
            .prop_map(|(unit, key, length)| Op::Insert { unit, key, length }),
        3 => (unit.clone(), key(), length)
            .prop_map(|(unit, key, length)| Op::Replace { unit, key, length }),
        3 => (unit.clone(), key()).prop_map(|(unit, key)| Op::Delete { unit, key }),
        8 => (unit.clone(), 0..8_u8, any_key)
            .prop_map(|(unit, how, key)| Op::Find { unit, how, key }),
        8 => (unit.clone(), any::<bool>(), 0..8_u8, path_key())
            .prop_map(|(unit, unique, how, key)| Op::FindOnPath { unit, unique, how, key }),
        3 => (unit.clone(), table_key(), proptest::option::weighted(0.7, 0..5000_usize))
            .prop_map(|(unit, key, length)| Op::Put { unit, key, length }),
        4 => (unit.clone(), 0..8_u8, table_key())
            .prop_map(|(unit, how, key)| Op::FindInTable { unit, how, key }),
        1 => any::<bool>().prop_map(|unique| Op::Build { unique }),
        1 => unit.clone().prop_map(|unit| Op::RollBack { unit }),
        3 => proptest::sample::subsequence((0..UNITS).collect::<Vec<_>>(), 1..=UNITS)
            .prop_map(|units| Op::Apply { units }),
        1 => proptest::collection::vec(key(), 0..20).prop_map(|keys| Op::Reload { keys }),
    ]
}

/// Alternate keys and positions, near those that records have.
fn path_key() -> impl Strategy<Value = Vec<u8>> {
    (0..70_u8, proptest::option::of(key())).prop_map(|(alternate, key)| match key {
        Some(key) => [&[alternate % 6], &key[..]].concat(),
        None => vec![alternate],
    })
}

fn table_key() -> impl Strategy<Value = Vec<u8>> {
    proptest::collection::vec(0..3_u8, 1..4)
}

const TABLE: Table = Table::new("model");

fn seek<'k>(how: u8, key: &'k [u8]) -> SeekKey<'k> {
    match how {
        0 => SeekKey::Equal(key),
        1 => SeekKey::AtLeast(key),
        2 => SeekKey::Greater(key),
        3 => SeekKey::AtMost(key),
        4 => SeekKey::Less(key),
        5 => SeekKey::Prefix(key),
        6 => SeekKey::First,
        _ => SeekKey::Last,
    }
}

/// A store with the units that are open on it.
struct Side {
    store: Box<dyn WriteStore>,
    reader: Box<dyn ReadStore + Send>,
    file: FileId,
    units: Vec<UnitOfWork>,
}

/// The result of an operation. Errors are shown without the numbers of files, which
/// a load that fails uses up in one store and not in the other.
#[derive(Debug, PartialEq)]
enum Outcome {
    Changed(Result<(), String>),
    Found(Option<String>),
    Applied(Vec<Result<(), String>>),
    Loaded(Vec<bool>, bool),
    Shown(Option<(String, Vec<u8>)>),
    Nothing,
}

impl Side {
    fn new(mut store: Box<dyn WriteStore>) -> Self {
        let file = store.define(ksds("F", KEY_BYTES as u32)).unwrap();
        store.define_index(index("ALT", "F", 2, 1, false)).unwrap();
        store.define_index(index("UNIQ", "F", 3, 1, true)).unwrap();
        let reader = store.reader().unwrap();
        Self {
            store,
            reader,
            file,
            units: vec![UnitOfWork::new(); UNITS],
        }
    }

    fn run(&mut self, op: &Op, serial: usize) -> Outcome {
        let (reader, file) = (&mut *self.reader, self.file);
        let record = |key: &[u8], length: usize| {
            let mut record = key.to_vec();
            // Few values of the alternate key, more of the unique one.
            record.extend([serial % 5, serial % 61].map(|n| n as u8));
            record.resize(length, (serial % 251) as u8);
            record
        };
        match op {
            Op::Insert { unit, key, length } => {
                let record = record(key, *length);
                Outcome::Changed(changed(
                    self.units[*unit].insert(reader, file, key, &record),
                ))
            }
            Op::Replace { unit, key, length } => {
                let record = record(key, *length);
                Outcome::Changed(changed(
                    self.units[*unit].replace(reader, file, key, &record),
                ))
            }
            Op::Delete { unit, key } => {
                Outcome::Changed(changed(self.units[*unit].delete(reader, file, key)))
            }
            Op::Find { unit, how, key } => {
                let seek = seek(*how, key);
                Outcome::Found(through(&self.units[*unit], reader, file, seek))
            }
            Op::FindOnPath {
                unit,
                unique,
                how,
                key,
            } => {
                let index = index_of(reader, *unique);
                Outcome::Shown(on_path(&self.units[*unit], reader, index, seek(*how, key)))
            }
            Op::Put { unit, key, length } => {
                match length {
                    Some(length) => self.units[*unit].put(TABLE, key, &vec![serial as u8; *length]),
                    None => self.units[*unit].remove(TABLE, key),
                }
                Outcome::Nothing
            }
            Op::FindInTable { unit, how, key } => {
                let mut shown = None;
                let unit = &self.units[*unit];
                unit.seek_table(reader, TABLE, seek(*how, key), &mut |entry| {
                    shown = Some((format!("{:?}", entry.record), entry.key.to_vec()));
                })
                .unwrap();
                Outcome::Shown(shown)
            }
            Op::Build { unique } => {
                let index = index_of(reader, *unique);
                self.store.build_index(index, 100, &mut |_| ()).unwrap();
                self.units.fill(UnitOfWork::new());
                Outcome::Nothing
            }
            Op::RollBack { unit } => {
                self.units[*unit] = UnitOfWork::new();
                Outcome::Nothing
            }
            Op::Apply { units } => {
                let batch: Vec<_> = units
                    .iter()
                    .map(|&unit| std::mem::take(&mut self.units[unit]))
                    .collect();
                let alone = (batch.len() == 1).then(|| self.all_seen_by(&batch[0]));
                let results = self.store.apply(&batch);
                if let Some(seen) = alone
                    && results == [Ok(())]
                {
                    assert_eq!(seen[0], all(&mut *self.reader, file).unwrap());
                    assert_eq!(seen, self.all_seen_by(&UnitOfWork::new()));
                }
                Outcome::Applied(results.into_iter().map(applied).collect())
            }
            Op::Reload { keys } => {
                let mut load = self.store.start_load(file).unwrap();
                let added = keys
                    .iter()
                    .map(|key| load.insert(key, &record(key, 9)).unwrap())
                    .collect();
                let loaded = load.finish(&mut |_| ());
                let is_loaded = loaded.is_ok();
                if let Ok(file) = loaded {
                    self.file = file;
                    self.units.fill(UnitOfWork::new());
                }
                Outcome::Loaded(added, is_loaded)
            }
        }
    }

    /// Every record as the unit's task browses them, by key and both ways
    /// through an index.
    fn all_seen_by(&mut self, unit: &UnitOfWork) -> [Vec<String>; 3] {
        let by_key = self.seen_by(unit);
        let index = index_of(&mut *self.reader, false);
        let [forward, backward] =
            [false, true].map(|backwards| browsed(unit, &mut *self.reader, index, backwards));
        assert!(forward.len() == backward.len() && forward.len() <= by_key.len());
        [by_key, forward, backward]
    }

    fn seen_by(&mut self, unit: &UnitOfWork) -> Vec<String> {
        let (mut seen, mut last) = (Vec::new(), Vec::new());
        loop {
            let seek = if seen.is_empty() {
                SeekKey::First
            } else {
                SeekKey::Greater(&last)
            };
            let mut next = None;
            unit.seek(&mut *self.reader, self.file, seek, &mut |entry| {
                next = Some((entry.key.to_vec(), entry.record.to_vec()));
            })
            .unwrap();
            let Some((key, record)) = next else {
                return seen;
            };
            seen.push(String::from_utf8_lossy(&record).into_owned());
            last = key;
        }
    }
}

fn changed(result: Result<(), UnitError>) -> Result<(), String> {
    result.map_err(|error| match error {
        UnitError::DuplicateAlternate { key, .. } => format!("alternate key {key} twice"),
        other => format!("{other:?}"),
    })
}

fn applied(result: Result<(), ApplyError>) -> Result<(), String> {
    result.map_err(|error| match error {
        ApplyError::Duplicate { key, .. } => format!("key {key} twice"),
        ApplyError::NotFound { key, .. } => format!("no key {key}"),
        ApplyError::DuplicateAlternate { key, .. } => format!("alternate key {key} twice"),
        other => format!("{other:?}"),
    })
}

fn index_of(reader: &mut dyn ReadStore, unique: bool) -> FileId {
    let name = if unique { "UNIQ" } else { "ALT" }.parse().unwrap();
    let access = reader.access(&name).unwrap().unwrap();
    access.index.unwrap().id
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn lmdb_does_what_the_store_in_memory_does(ops in proptest::collection::vec(op(), 1..120)) {
        let home = tempfile::tempdir().unwrap();
        let mut lmdb = Side::new(Box::new(LmdbStore::open(home.path(), &options()).unwrap()));
        let mut memory = Side::new(Box::new(MemoryStore::new()));
        for (serial, op) in ops.iter().enumerate() {
            prop_assert_eq!(lmdb.run(op, serial), memory.run(op, serial), "{} {:?}", serial, op);
        }
        prop_assert_eq!(
            all(&mut *lmdb.reader, lmdb.file).unwrap(),
            all(&mut *memory.reader, memory.file).unwrap()
        );
        let report = check(home.path(), &options(), &mut |_, _| ()).unwrap();
        prop_assert!(report.is_clean(), "{:?}", report.findings);
    }

    #[test]
    fn entries_and_relative_records_do_in_lmdb_what_they_do_in_memory(
        ops in proptest::collection::vec((0..6_u8, 0..20_u32, 1..9_usize), 1..80),
    ) {
        let home = tempfile::tempdir().unwrap();
        let stores: [Box<dyn WriteStore>; 2] = [
            Box::new(LmdbStore::open(home.path(), &options()).unwrap()),
            Box::new(MemoryStore::new()),
        ];
        let [lmdb, memory] = stores.map(|store| addressed(store, &ops));
        prop_assert_eq!(lmdb, memory);
    }
}

/// The results of operations on an ESDS and an RRDS, one text each.
fn addressed(mut store: Box<dyn WriteStore>, ops: &[(u8, u32, usize)]) -> Vec<String> {
    let log = FileDef::esds("LOG".parse().unwrap(), RecordFormat::Variable, 8).unwrap();
    let slots = FileDef::rrds("SLOTS".parse().unwrap(), RecordFormat::Variable, 8).unwrap();
    let (log, slots) = (store.define(log).unwrap(), store.define(slots).unwrap());
    let mut reader = store.reader().unwrap();
    let (mut unit, mut ends) = (UnitOfWork::new(), FileEnds::default());
    let mut reported = Vec::new();
    for (serial, &(what, number, length)) in ops.iter().enumerate() {
        let record = vec![b'a' + (serial % 26) as u8; length];
        let (r, rba, rrn) = (
            &mut *reader,
            rba_key(u64::from(number) * 4),
            rrn_key(number),
        );
        reported.push(match what {
            0 => format!("{:?}", unit.append(r, &mut ends, log, &record)),
            1 => format!("{:?}", unit.replace(r, log, &rba, &record)),
            2 => format!("{:?}", unit.insert(r, slots, &rrn, &record)),
            3 => format!("{:?}", unit.replace(r, slots, &rrn, &record)),
            4 => format!("{:?}", unit.delete(r, slots, &rrn)),
            _ => format!("{:?}", store.apply(&[std::mem::take(&mut unit)])),
        });
        for (file, key) in [(log, &rba[..]), (slots, &rrn[..])] {
            for how in 0..8 {
                let found = through(&unit, &mut *reader, file, seek(how, key));
                reported.push(format!("{found:?}"));
            }
        }
    }
    reported
}
