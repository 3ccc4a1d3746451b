//! Units whose presence can be verified: each moves one between two accounts and
//! leaves its number in two files, an alternate index and a table.

use std::collections::BTreeSet;
use std::path::Path;

use store::{
    ApplyError, CommitDurability, FileId, IndexDef, KeyField, LmdbOptions, LmdbReader, LmdbStore,
    ReadStore, RecordFormat, SeekKey, Table, UnitOfWork, WriteStore, check,
};

const ACCOUNTS: u64 = 10;
const BALANCE: i64 = 100;
const UNITS: Table = Table::new("units");

/// The files of the bank.
#[derive(Clone, Copy)]
struct Files {
    log: FileId,
    mirror: FileId,
    accounts: FileId,
}

/// A unit's number.
pub type Number = u64;

/// The known fates of units.
#[derive(Debug, Clone, Default)]
pub struct Fates {
    /// Units that were reported to their tasks as committed.
    pub reported_committed: BTreeSet<Number>,
    /// Units that were reported to their tasks as failed.
    pub reported_failed: BTreeSet<Number>,
    /// Units whose outcome was reported to their tasks as unknown.
    pub reported_unknown: BTreeSet<Number>,
}

impl Fates {
    /// Answers a unit's task.
    pub fn report_outcome(&mut self, number: Number, result: &Result<(), ApplyError>) {
        let units = match result {
            Ok(()) => &mut self.reported_committed,
            Err(error) if error.is_uncertain() => &mut self.reported_unknown,
            Err(_) => &mut self.reported_failed,
        };
        units.insert(number);
    }
}

pub fn options() -> LmdbOptions {
    LmdbOptions {
        map_bytes: 1 << 26,
        max_readers: 16,
        max_files: 16,
        durability: CommitDurability::Flush,
        ..LmdbOptions::default()
    }
}

fn ksds(name: &str, key_bytes: u32) -> store::FileDef {
    let key = KeyField {
        offset_bytes: 0,
        length_bytes: key_bytes,
    };
    store::FileDef::ksds(name.parse().unwrap(), key, RecordFormat::Variable, 2000).unwrap()
}

/// Makes the bank.
pub fn make(home: &Path) {
    let mut store = LmdbStore::open(home, &options()).unwrap();
    store.define(ksds("LOG", 8)).unwrap();
    store.define(ksds("MIRROR", 8)).unwrap();
    let accounts = store.define(ksds("ACCOUNTS", 1)).unwrap();
    store
        .define_index(IndexDef {
            name: "DIGIT".parse().unwrap(),
            base: "LOG".parse().unwrap(),
            key: KeyField {
                offset_bytes: 7,
                length_bytes: 1,
            },
            unique: false,
            upgrade: true,
            suppress: None,
        })
        .unwrap();
    let mut reader = store.reader().unwrap();
    let mut unit = UnitOfWork::new();
    for account in 0..ACCOUNTS {
        let record = format!("{account}{BALANCE}");
        let key = &record.as_bytes()[..1];
        unit.insert(&mut *reader, accounts, key, record.as_bytes())
            .unwrap();
    }
    assert_eq!(store.apply(&[unit]), [Ok(())]);
}

fn files(reader: &mut dyn ReadStore) -> Files {
    let mut id = |name: &str| reader.find(&name.parse().unwrap()).unwrap().unwrap().id;
    Files {
        log: id("LOG"),
        mirror: id("MIRROR"),
        accounts: id("ACCOUNTS"),
    }
}

fn records(reader: &mut dyn ReadStore, file: FileId) -> Vec<String> {
    let mut records = Vec::new();
    reader
        .scan(file, SeekKey::First, &mut |entry| {
            records.push(String::from_utf8_lossy(entry.record).into_owned());
            std::ops::ControlFlow::Continue(())
        })
        .unwrap();
    records
}

fn transfer_of(number: Number) -> (usize, usize) {
    (
        (number % ACCOUNTS) as usize,
        ((number * 7 + 3) % ACCOUNTS) as usize,
    )
}

/// The units that the store's content shows; `None` if the
/// store cannot be read any more.
pub fn units(reader: &mut LmdbReader, numbers: &[Number]) -> Option<Vec<UnitOfWork>> {
    reader.files().ok()?;
    let files = files(reader);
    let seen = records(reader, files.accounts);
    let mut balances: Vec<i64> = seen.iter().map(|r| r[1..].parse().unwrap()).collect();
    let mut made = Vec::new();
    for &number in numbers {
        let mut unit = UnitOfWork::new();
        let (from, to) = transfer_of(number);
        balances[from] -= 1;
        balances[to] += 1;
        for of in [from, to] {
            let record = format!("{of}{}", balances[of]);
            let key = &record.as_bytes()[..1];
            unit.replace(reader, files.accounts, key, record.as_bytes())
                .unwrap();
        }
        let entry = format!("{number:08}{}", "x".repeat(number as usize * 37 % 900));
        let key = &entry.as_bytes()[..8];
        unit.insert(reader, files.log, key, entry.as_bytes())
            .unwrap();
        unit.insert(reader, files.mirror, key, key).unwrap();
        unit.put(UNITS, key, key);
        made.push(unit);
    }
    Some(made)
}

/// Checks the content of the store in a directory. Returns what is wrong if
/// not.
pub fn judge(home: &Path, fates: &Fates) -> Result<(), String> {
    let report = check(home, &options(), &mut |_, _| ()).map_err(|e| e.to_string())?;
    if !report.is_clean() {
        return Err(format!("it is damaged: {:?}", report.findings));
    }
    let store = LmdbStore::open(home, &options()).map_err(|e| e.to_string())?;
    let mut reader = store.disk_reader().map_err(|e| e.to_string())?;
    let files = files(&mut reader);
    let number = |record: &String| -> Number { record[..8].parse().unwrap() };
    let there: Vec<Number> = records(&mut reader, files.log).iter().map(number).collect();
    let mirrored: Vec<Number> = records(&mut reader, files.mirror)
        .iter()
        .map(number)
        .collect();
    let mut balances = vec![BALANCE; ACCOUNTS as usize];
    for &number in &there {
        let (from, to) = transfer_of(number);
        balances[from] -= 1;
        balances[to] += 1;
    }
    let seen = records(&mut reader, files.accounts);
    let seen: Vec<i64> = seen.iter().map(|r| r[1..].parse().unwrap()).collect();
    let noted = |number: &Number| {
        let key = format!("{number:08}");
        let unit = UnitOfWork::new();
        unit.get(&mut store.disk_reader().unwrap(), UNITS, key.as_bytes())
            .unwrap()
            .is_some()
    };
    if there != mirrored || seen != balances || !there.iter().all(noted) {
        return Err("half of a unit is there".to_owned());
    }
    let there: BTreeSet<Number> = there.into_iter().collect();
    if let Some(lost) = fates.reported_committed.difference(&there).next() {
        return Err(format!("unit {lost} was acknowledged and is lost"));
    }
    if let Some(risen) = fates.reported_failed.intersection(&there).next() {
        return Err(format!("unit {risen} was reported as failed and is there"));
    }
    let last = there.last().copied().unwrap_or(0);
    let gap = (1..last).find(|n| !there.contains(n) && !fates.reported_failed.contains(n));
    if let Some(gap) = gap {
        return Err(format!("unit {gap} is missing before {last}"));
    }
    Ok(())
}
