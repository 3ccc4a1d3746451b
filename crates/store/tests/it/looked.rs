//! Damaged pages of a store whose pages were not all checked before it was
//! opened: a command that reads one fails; it never returns a record that
//! was not stored, nor misses one that was.

use std::collections::BTreeMap;
use std::os::fd::AsFd;
use std::path::Path;
use std::sync::mpsc::channel;

use base::SeededRandom;
use store::{
    ApplyError, LmdbOptions, LmdbReader, LmdbStore, ReadError, ReadExt, ReadStore, SeekKey,
    StorageError, Table, UnitOfWork, WriteStore,
};

use crate::support::{fill, index, ksds};

const KEY_BYTES: usize = 64;
const RECORDS: u32 = 3000;
const PAGE_BYTES: usize = 4096;

/// Options with which no page is checked before the store is opened.
fn options() -> LmdbOptions {
    LmdbOptions {
        walked_bytes: 0,
        ..crate::support::options()
    }
}

type Records = BTreeMap<Vec<u8>, Vec<u8>>;

/// Even numbers only, so that there are keys between them.
fn record(n: u32) -> String {
    let long = match n % 251 {
        0 => "big".repeat(2500),
        _ => "x".repeat(n as usize % 40),
    };
    format!("{:0>KEY_BYTES$}N{:03}{long}", n * 2, n % 500)
}

fn key(n: u32) -> Vec<u8> {
    format!("{n:0>KEY_BYTES$}").into_bytes()
}

/// A store of three levels without free pages, its bytes, and what is in it.
fn whole() -> (Vec<u8>, Records) {
    let home = tempfile::tempdir().unwrap();
    let mut store = LmdbStore::open(home.path(), &options()).unwrap();
    let file = store.define(ksds("ACCOUNTS", KEY_BYTES as u32)).unwrap();
    let by_name = index("BYNAME", "ACCOUNTS", KEY_BYTES as u32, 4, false);
    store.define_index(by_name).unwrap();
    let records: Vec<String> = (0..RECORDS).map(record).collect();
    let texts: Vec<&str> = records.iter().map(String::as_str).collect();
    fill(&mut store, file, KEY_BYTES, &texts);
    let mut unit = UnitOfWork::new();
    for n in 0..400 {
        unit.put(Table::new("tsqueue"), &key(n), &[n as u8; 100]);
    }
    assert_eq!(store.apply(&[unit]), [Ok(())]);
    let backup = home.path().join("backup");
    let mut reader = store.disk_reader().unwrap();
    reader.backup(&backup, &mut |_, _| ()).unwrap();
    let truth = records.into_iter().map(String::into_bytes);
    let truth = truth.map(|r| (r[..KEY_BYTES].to_vec(), r)).collect();
    (std::fs::read(backup).unwrap(), truth)
}

/// Whether an error says that something is damaged.
fn is_damage_error(error: &ReadError) -> bool {
    matches!(error, ReadError::Storage(StorageError::Damaged { .. }))
}

/// The result of a seek; `None` if damage is reported.
fn sought(
    reader: &mut dyn ReadStore,
    file: store::FileId,
    seek: SeekKey<'_>,
) -> Option<Option<Vec<u8>>> {
    match reader.read(file, seek, |entry| entry.record.to_vec()) {
        Ok(found) => Some(found),
        Err(error) => {
            assert!(is_damage_error(&error), "{error:?}");
            None
        }
    }
}

/// Compares the results of commands with the stored records. Returns how many
/// commands were refused.
fn hold(reader: &mut dyn ReadStore, truth: &Records, chance: &mut SeededRandom) -> usize {
    let Ok(files) = reader.files() else {
        return 1;
    };
    let file = files[0].id;
    let mut refused = 0;
    let mut same =
        |found: Option<Option<Vec<u8>>>, wanted: Option<&Vec<u8>>, what: &str| match found {
            Some(found) => assert_eq!(found.as_ref(), wanted, "{what}"),
            None => refused += 1,
        };
    for _ in 0..150 {
        let key = key(chance.index(2 * RECORDS as usize + 4) as u32);
        let after = || truth.range(key.clone()..).map(|(_, r)| r);
        let before = || truth.range(..key.clone()).map(|(_, r)| r);
        let found = sought(reader, file, SeekKey::Equal(&key));
        same(found, truth.get(&key), "equal");
        let found = sought(reader, file, SeekKey::AtLeast(&key));
        same(found, after().next(), "at least");
        let found = sought(reader, file, SeekKey::Less(&key));
        same(found, before().next_back(), "less");
        let found = sought(reader, file, SeekKey::Greater(&key));
        let skipped = usize::from(truth.contains_key(&key));
        same(found, after().nth(skipped), "greater");
    }
    let found = sought(reader, file, SeekKey::First);
    same(found, truth.values().next(), "first");
    let found = sought(reader, file, SeekKey::Last);
    same(found, truth.values().next_back(), "last");
    let Ok(indexes) = reader.indexes(file) else {
        return refused + 1;
    };
    for _ in 0..40 {
        let name = format!("N{:03}", chance.index(501));
        let mut found = None;
        let looked = reader.seek_path(
            indexes[0].id,
            SeekKey::Equal(name.as_bytes()),
            &mut |entry| {
                found = Some(entry.record.to_vec());
            },
        );
        let has_name = |r: &&Vec<u8>| r[KEY_BYTES..].starts_with(name.as_bytes());
        match looked {
            Ok(_) => assert_eq!(found.as_ref(), truth.values().find(has_name), "{name}"),
            Err(error) => {
                assert!(is_damage_error(&error), "{error:?}");
                refused += 1;
            }
        }
    }
    for _ in 0..40 {
        let n = chance.index(420) as u32;
        let mut found = None;
        let table = Table::new("tsqueue");
        let looked = reader.seek_table(table, SeekKey::Equal(&key(n)), &mut |entry| {
            found = Some(entry.record.to_vec());
        });
        match looked {
            Ok(_) => assert_eq!(found, (n < 400).then(|| vec![n as u8; 100])),
            Err(error) => {
                assert!(is_damage_error(&error), "{error:?}");
                refused += 1;
            }
        }
    }
    refused
}

/// Changes records; refused changes leave the records unchanged.
fn change(store: &mut LmdbStore, truth: &mut Records, chance: &mut SeededRandom) {
    let mut reader = store.reader().unwrap();
    let Ok(files) = reader.files() else {
        return;
    };
    let file = files[0].id;
    for _ in 0..60 {
        let number = chance.index(2 * RECORDS as usize) as u32;
        let key = key(number);
        let mut record = [&key[..], b"N", &key[KEY_BYTES - 3..]].concat();
        record.resize(KEY_BYTES + 4 + chance.index(3) * 1500, b'y');
        let mut unit = UnitOfWork::new();
        let made = match (truth.contains_key(&key), chance.index(2)) {
            (true, 0) => unit.delete(&mut *reader, file, &key).map(|()| None),
            (true, _) => unit
                .replace(&mut *reader, file, &key, &record)
                .map(|()| Some(record)),
            (false, _) => unit
                .insert(&mut *reader, file, &key, &record)
                .map(|()| Some(record)),
        };
        let Ok(made) = made else {
            continue;
        };
        match store.apply(&[unit]).swap_remove(0) {
            Ok(()) => drop(match made {
                Some(record) => truth.insert(key, record),
                None => truth.remove(&key),
            }),
            Err(error) => assert!(
                matches!(error, ApplyError::Storage(StorageError::Damaged { .. })),
                "{error:?}"
            ),
        }
    }
}

/// Where damage is planted.
fn damage(bytes: &mut [u8], chance: &mut SeededRandom) {
    let pages = bytes.len() / PAGE_BYTES;
    let page = (2 + chance.index(pages - 2)) * PAGE_BYTES;
    match chance.index(8) {
        // A page that was never written, or is another's.
        0 => bytes[page..page + PAGE_BYTES].fill(0),
        1 => {
            let other = (2 + chance.index(pages - 2)) * PAGE_BYTES;
            bytes.copy_within(other + 8..other + PAGE_BYTES, page + 8);
        }
        // Its head and its list of places.
        2 | 3 => bytes[page + chance.index(64)] ^= 1 << chance.index(8),
        // The entries.
        4..=6 => bytes[page + 64 + chance.index(PAGE_BYTES - 64)] ^= 1 << chance.index(8),
        _ => {
            for _ in 0..20 {
                let at = page + chance.index(PAGE_BYTES);
                bytes[at] ^= 1 << chance.index(8);
            }
        }
    }
}

#[test]
fn no_command_takes_damage_for_true_or_for_nothing() {
    let (bytes, truth) = whole();
    // More by hand: LOOKED_TURNS=20000 LOOKED_SEED=7.
    let given = |name| {
        std::env::var(name)
            .ok()
            .and_then(|n: String| n.parse().ok())
    };
    let turns = given("LOOKED_TURNS").unwrap_or(60);
    let mut chance = SeededRandom::new(given("LOOKED_SEED").unwrap_or(0_u64));
    let (mut refused, mut opened) = (0, 0);
    for _ in 0..turns {
        let home = tempfile::tempdir().unwrap();
        let mut flawed = bytes.clone();
        damage(&mut flawed, &mut chance);
        std::fs::write(home.path().join("data.mdb"), &flawed).unwrap();
        let Ok(mut store) = LmdbStore::open(home.path(), &options()) else {
            continue;
        };
        opened += 1;
        let mut reader = store.reader().unwrap();
        refused += usize::from(hold(&mut *reader, &truth, &mut chance) > 0);
        let mut truth = truth.clone();
        change(&mut store, &mut truth, &mut chance);
        hold(&mut *reader, &truth, &mut chance);
    }
    assert!(opened > turns / 2 && refused > 0, "{opened} {refused}");
}

#[test]
fn a_page_that_lost_its_last_entries_is_reported() {
    let (mut bytes, _) = whole();
    let wanted = record(1200).into_bytes();
    let at = bytes.windows(wanted.len()).position(|w| w == wanted);
    let page = at.unwrap() / PAGE_BYTES * PAGE_BYTES;
    // Where its list of places ends.
    let end = &mut bytes[page + 12..page + 14];
    let lower = u16::from_le_bytes([end[0], end[1]]) - 32;
    end.copy_from_slice(&lower.to_le_bytes());
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("data.mdb"), &bytes).unwrap();
    let store = LmdbStore::open(home.path(), &options()).unwrap();
    let mut reader = store.reader().unwrap();
    let file = reader.files().unwrap()[0].id;
    let mut damaged = |number: u32| {
        let key = key(2 * number);
        let found = reader.read(file, SeekKey::Less(&key), |_| ());
        found.is_err_and(|error| is_damage_error(&error))
    };
    assert!((1180..1240).any(&mut damaged));
    for number in 1180..1240 {
        let found = reader.get(file, &key(2 * number), |_| ());
        assert!(found.map_or_else(|error| is_damage_error(&error), |found| found.is_some()));
    }
}

#[test]
fn the_page_of_another_tree_is_detected_where_its_keys_would_fit() {
    let (mut bytes, _) = whole();
    let page_of = |bytes: &[u8], text: &[u8]| {
        let at = bytes.windows(text.len()).position(|w| w == text);
        at.unwrap() / PAGE_BYTES * PAGE_BYTES
    };
    // All keys of the tables are above the last of the file.
    let tables = page_of(&bytes, &[b"tsqueue\0", &key(2)[..]].concat());
    let last = page_of(&bytes, record(RECORDS - 1).as_bytes());
    let whole = bytes.clone();
    bytes.copy_within(tables + 8..tables + PAGE_BYTES, last + 8);
    let home = tempfile::tempdir().unwrap();
    std::fs::write(home.path().join("data.mdb"), &bytes).unwrap();
    let store = LmdbStore::open(home.path(), &options()).unwrap();
    let mut reader = store.reader().unwrap();
    let file = reader.files().unwrap()[0].id;
    let there = key(2 * (RECORDS - 1));
    for seek in [
        SeekKey::Equal(&there),
        SeekKey::Last,
        SeekKey::AtLeast(&there),
    ] {
        let error = reader.read(file, seek, |_| ()).unwrap_err();
        assert!(is_damage_error(&error), "{error:?}");
    }
    // A store whose tables are damaged is not opened: a start from them would
    // follow damaged references.
    let home = tempfile::tempdir().unwrap();
    let mut bytes = whole;
    let other = page_of(&bytes, record(1200).as_bytes());
    bytes.copy_within(other + 8..other + PAGE_BYTES, tables + 8);
    std::fs::write(home.path().join("data.mdb"), &bytes).unwrap();
    let error = LmdbStore::open(home.path(), &options()).err().unwrap();
    assert!(error.to_string().contains("tables: "), "{error}");
}

/// Flips a bit of a record, and opens a store with it.
fn with_a_flipped_record(home: &Path, number: u32) -> (LmdbStore, Records) {
    let (mut bytes, truth) = whole();
    let wanted = record(number).into_bytes();
    let at = bytes.windows(wanted.len()).position(|w| w == wanted);
    bytes[at.unwrap() + KEY_BYTES + 1] ^= 1;
    std::fs::write(home.join("data.mdb"), &bytes).unwrap();
    // With this option all pages, but no records, are checked first.
    let store = LmdbStore::open(home, &crate::support::options()).unwrap();
    (store, truth)
}

#[test]
fn a_background_check_reports_a_changed_record_and_borrowers_cannot_read_it() {
    let home = tempfile::tempdir().unwrap();
    let (mut store, truth) = with_a_flipped_record(home.path(), 1234);
    let (ended, reports) = channel();
    let ended = Box::new(move |report, _| ended.send(report).unwrap());
    store.check_in_background(ended).unwrap();
    let table = store.reader_tables().unwrap().lend().unwrap();
    let fd = table.as_fd().try_clone_to_owned().unwrap();
    let mut borrower = LmdbReader::open_lent(home.path(), &fd, &options()).unwrap();
    let mut own = store.reader().unwrap();
    let report = reports.recv().unwrap().unwrap();
    let named = |text: &str| text.contains("ACCOUNTS") && text.contains("2468'");
    assert!(report.findings.iter().any(|f| named(f)), "{report:?}");
    assert!(named(&store.damage().summary().unwrap()));
    let file = own.files().unwrap()[0].id;
    let readers: [&mut dyn ReadStore; 2] = [&mut *own, &mut borrower];
    for reader in readers {
        for (number, is_whole) in [(1234, false), (1200, true), (0, true)] {
            let key = key(number * 2);
            let found = sought(reader, file, SeekKey::Equal(&key));
            assert_eq!(found, is_whole.then(|| truth.get(&key).cloned()));
        }
        let error = reader
            .get(file, &key(2468), |_| ())
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("ACCOUNTS: page ") && error.contains("tupelo file salvage"),
            "{error}"
        );
    }
    // A change of this record is refused, and of its neighbours none.
    let mut unit = UnitOfWork::new();
    let far = record(100).into_bytes();
    unit.replace(&mut *own, file, &key(200), &far).unwrap();
    assert_eq!(store.apply(&[unit]), [Ok(())]);
}

#[test]
fn a_store_that_is_whole_is_trusted_and_one_that_is_closed_is_not_waited_for() {
    let home = tempfile::tempdir().unwrap();
    let (bytes, truth) = whole();
    std::fs::write(home.path().join("data.mdb"), &bytes).unwrap();
    let mut store = LmdbStore::open(home.path(), &options()).unwrap();
    let (ended, reports) = channel();
    let ended = Box::new(move |report, _| ended.send(report).unwrap());
    store.check_in_background(ended).unwrap();
    let mut chance = SeededRandom::new(1);
    let mut truth = truth;
    change(&mut store, &mut truth, &mut chance);
    assert!(reports.recv().unwrap().unwrap().is_clean());
    change(&mut store, &mut truth, &mut chance);
    let mut reader = store.reader().unwrap();
    assert_eq!(hold(&mut *reader, &truth, &mut chance), 0);
    assert_eq!(store.damage().summary(), None);
    store.check_in_background(Box::new(|_, _| ())).unwrap();
    drop(reader);
    drop(store);
    // Its lock is free, and its file closed.
    LmdbStore::open(home.path(), &options()).unwrap();
}
