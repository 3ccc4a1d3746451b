//! Random sequences of operations: LMDB does what the store in memory does, and
//! what a unit shows its task is what everyone sees once it is applied.

use proptest::prelude::*;
use store::{
    ApplyError, FileId, LmdbStore, MemoryStore, ReadStore, Seek, UnitError, UnitOfWork, WriteStore,
};

use crate::support::{all, ksds, options, through};

/// Units that are open at the same time.
const UNITS: usize = 3;

/// Bytes of a key; two of a small alphabet, so that keys meet often.
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
    Look {
        unit: usize,
        how: u8,
        key: Vec<u8>,
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
            .prop_map(|(unit, how, key)| Op::Look { unit, how, key }),
        1 => unit.clone().prop_map(|unit| Op::RollBack { unit }),
        3 => proptest::sample::subsequence((0..UNITS).collect::<Vec<_>>(), 1..=UNITS)
            .prop_map(|units| Op::Apply { units }),
        1 => proptest::collection::vec(key(), 0..20).prop_map(|keys| Op::Reload { keys }),
    ]
}

/// A store with the units that are open on it.
struct Side {
    store: Box<dyn WriteStore>,
    reader: Box<dyn ReadStore + Send>,
    file: FileId,
    units: Vec<UnitOfWork>,
}

/// What an operation gave.
#[derive(Debug, PartialEq)]
enum Outcome {
    Changed(Result<(), UnitError>),
    Found(Option<String>),
    Applied(Vec<Result<(), ApplyError>>),
    Loaded(Vec<bool>),
    Nothing,
}

impl Side {
    fn new(mut store: Box<dyn WriteStore>) -> Self {
        let file = store.define(ksds("F", KEY_BYTES as u32)).unwrap();
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
            record.resize(length, (serial % 251) as u8);
            record
        };
        match op {
            Op::Insert { unit, key, length } => {
                Outcome::Changed(self.units[*unit].insert(reader, file, key, &record(key, *length)))
            }
            Op::Replace { unit, key, length } => Outcome::Changed(self.units[*unit].replace(
                reader,
                file,
                key,
                &record(key, *length),
            )),
            Op::Delete { unit, key } => {
                Outcome::Changed(self.units[*unit].delete(reader, file, key))
            }
            Op::Look { unit, how, key } => {
                let seek = match how {
                    0 => Seek::Equal(key),
                    1 => Seek::AtLeast(key),
                    2 => Seek::Greater(key),
                    3 => Seek::AtMost(key),
                    4 => Seek::Less(key),
                    5 => Seek::Prefix(key),
                    6 => Seek::First,
                    _ => Seek::Last,
                };
                Outcome::Found(through(&self.units[*unit], reader, file, seek))
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
                let alone = (batch.len() == 1).then(|| self.seen_by(&batch[0]));
                let results = self.store.apply(&batch);
                if let Some(seen) = alone
                    && results == [Ok(())]
                {
                    assert_eq!(seen, all(&mut *self.reader, file).unwrap());
                }
                Outcome::Applied(results)
            }
            Op::Reload { keys } => {
                let mut load = self.store.start_load(file).unwrap();
                let added = keys
                    .iter()
                    .map(|key| load.insert(key, &record(key, 9)).unwrap())
                    .collect();
                self.file = load.finish(&mut |_| ()).unwrap();
                self.units.fill(UnitOfWork::new());
                Outcome::Loaded(added)
            }
        }
    }

    /// Every record as the unit's task browses them.
    fn seen_by(&mut self, unit: &UnitOfWork) -> Vec<String> {
        let (mut seen, mut last) = (Vec::new(), Vec::new());
        loop {
            let seek = if seen.is_empty() {
                Seek::First
            } else {
                Seek::Greater(&last)
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
    }
}
