//! Reader tables lent to untrusted processes.

use std::fs::File;
use std::ops::ControlFlow;
use std::os::fd::AsFd;
use std::os::unix::fs::FileExt;
use std::path::Path;

use base::SeededRandom;
use store::{
    FileId, LentTable, LmdbReader, LmdbStore, ReadStore, SeekKey, UnitOfWork, WriteStore, check,
};

use crate::support::{all, at, fill, ksds, options};

const RECORDS: usize = 500;

fn store_of_versions(home: &Path) -> (LmdbStore, FileId) {
    let mut store = LmdbStore::open(home, &options()).unwrap();
    let file = store.define(ksds("F", 4)).unwrap();
    let records: Vec<String> = (0..RECORDS).map(|n| record(n, 0)).collect();
    let records: Vec<&str> = records.iter().map(String::as_str).collect();
    fill(&mut store, file, 4, &records);
    (store, file)
}

fn record(n: usize, version: usize) -> String {
    format!("{n:04}version {version:08}{:0200}", n)
}

/// Sets every record to this version, in one transaction.
fn write(store: &mut LmdbStore, file: FileId, version: usize) {
    let mut reader = store.reader().unwrap();
    let mut unit = UnitOfWork::new();
    for n in 0..RECORDS {
        let record = record(n, version);
        let (key, record) = (&record.as_bytes()[..4], record.as_bytes());
        unit.replace(&mut *reader, file, key, record).unwrap();
    }
    assert_eq!(store.apply(&[unit]), [Ok(())]);
}

/// A reader with its own table, and the borrower's mapping of the table.
fn borrow(store: &LmdbStore, home: &Path) -> (LmdbReader, LentTable, File) {
    let table = store.reader_tables().unwrap().lend().unwrap();
    let fd = table.as_fd().try_clone_to_owned().unwrap();
    let reader = LmdbReader::open_lent(home, &fd, &options()).unwrap();
    (reader, table, fd.into())
}

fn pages(store: &LmdbStore) -> u64 {
    store.disk_reader().unwrap().store_stat().unwrap().pages
}

#[test]
fn a_borrower_sees_each_commit_as_soon_as_it_is_made() {
    let home = tempfile::tempdir().unwrap();
    let (mut store, file) = store_of_versions(home.path());
    let (mut reader, _table, _) = borrow(&store, home.path());
    for version in 1..50 {
        write(&mut store, file, version);
        let last = at(&mut reader, file, SeekKey::Last);
        assert_eq!(last, Some(record(RECORDS - 1, version)));
    }
}

#[test]
fn a_borrower_s_state_stays_whole_while_it_reads_and_its_pages_come_back() {
    let home = tempfile::tempdir().unwrap();
    let (mut store, file) = store_of_versions(home.path());
    let (mut reader, _table, _) = borrow(&store, home.path());
    for round in 0..5 {
        let first = round * 100;
        write(&mut store, file, first);
        let mut version = first;
        let mut seen = 0;
        reader
            .scan(file, SeekKey::First, &mut |entry| {
                if seen % 5 == 0 && version < first + 90 {
                    version += 1;
                    write(&mut store, file, version);
                }
                assert_eq!(entry.record, record(seen, first).as_bytes());
                seen += 1;
                ControlFlow::Continue(())
            })
            .unwrap();
        assert_eq!(seen, RECORDS);
    }
    let after = pages(&store);
    for version in 1000..1100 {
        write(&mut store, file, version);
        assert!(at(&mut reader, file, SeekKey::First).is_some());
    }
    let later = pages(&store);
    assert!(later <= after + 64, "{after} pages became {later}");
    drop((store, reader));
    let reported = check(home.path(), &options(), &mut |_, _| {}).unwrap();
    assert!(reported.is_clean(), "{reported:?}");
}

#[test]
fn nonsense_in_a_table_costs_neither_commits_nor_other_readers() {
    let home = tempfile::tempdir().unwrap();
    let (mut store, file) = store_of_versions(home.path());
    let (mut good, _table, _) = borrow(&store, home.path());
    let wild = store.reader_tables().unwrap().lend().unwrap();
    let bytes = File::from(wild.as_fd().try_clone_to_owned().unwrap());
    let size = bytes.metadata().unwrap().len() as usize;
    assert!(bytes.set_len(0).is_err(), "its size is sealed");
    let mut random = SeededRandom::new(1);
    for version in 1..200 {
        let nonsense: Vec<u8> = (0..size)
            .map(|_| match version % 4 {
                0 => 0,
                1 => 0xFF,
                _ => random.next_u64() as u8,
            })
            .collect();
        bytes.write_all_at(&nonsense, 0).unwrap();
        write(&mut store, file, version);
        let last = at(&mut good, file, SeekKey::Last);
        assert_eq!(last, Some(record(RECORDS - 1, version)));
    }
    // When its borrower has ended, the pages that it kept are reused.
    drop((wild, bytes));
    write(&mut store, file, 1000);
    let before = pages(&store);
    for version in 1001..1100 {
        write(&mut store, file, version);
    }
    let after = pages(&store);
    assert!(after <= before + 64, "{before} pages became {after}");
    let mut own = store.reader().unwrap();
    let kept = all(&mut *own, file).unwrap();
    assert!(kept.iter().all(|text| text.contains("version 00001099")));
}
