//! No room in the map or on the disk: a clear error for the unit concerned,
//! and a store that continues to work.

use std::path::Path;

use store::{
    ApplyError, FileId, LmdbOptions, LmdbStore, ReadStore, SeekKey, StorageError, UnitOfWork,
    WriteStore,
};

use crate::child::{Peer, send_line};
use crate::support::{all, at, ksds, options};

const RECORD_BYTES: usize = 3000;

fn insert(reader: &mut dyn ReadStore, file: FileId, number: usize) -> UnitOfWork {
    let mut record = format!("{number:08}").into_bytes();
    record.resize(RECORD_BYTES, b'.');
    let mut unit = UnitOfWork::new();
    unit.insert(reader, file, &record[..8], &record).unwrap();
    unit
}

/// Adds records until a whole batch is refused. Returns how many are in and the
/// error.
fn fill_up(store: &mut LmdbStore, file: FileId) -> (usize, ApplyError) {
    let mut reader = store.disk_reader().unwrap();
    let mut number = 0;
    loop {
        let batch: Vec<_> = (0..16)
            .map(|at| insert(&mut reader, file, number + at))
            .collect();
        let results = store.apply(&batch);
        let in_now = results.iter().filter(|result| result.is_ok()).count();
        if let Some(Err(error)) = results.iter().find(|result| result.is_err()) {
            if in_now == 0 {
                return (number, error.clone());
            }
            // Some fitted: their numbers are the first of the batch.
            assert!(results[..in_now].iter().all(Result::is_ok), "{results:?}");
        }
        number += in_now;
    }
}

/// Deletes a record and adds it again, which a store with no room must allow.
fn delete_and_add(store: &mut LmdbStore, file: FileId) {
    let mut reader = store.disk_reader().unwrap();
    for number in 0..20 {
        let mut unit = UnitOfWork::new();
        unit.delete(&mut reader, file, format!("{number:08}").as_bytes())
            .unwrap();
        assert_eq!(store.apply(&[unit]), [Ok(())], "delete {number}");
    }
    for number in 0..4 {
        let unit = insert(&mut reader, file, number);
        assert_eq!(store.apply(&[unit]), [Ok(())], "add {number}");
    }
}

#[test]
fn a_full_map_refuses_what_does_not_fit_and_goes_on() {
    let home = tempfile::tempdir().unwrap();
    let small = LmdbOptions {
        map_bytes: 1 << 20,
        ..options()
    };
    let mut store = LmdbStore::open(home.path(), &small).unwrap();
    let file = store.define(ksds("F", 8)).unwrap();
    let (records, error) = fill_up(&mut store, file);
    assert_eq!(error, StorageError::MapFull { map_bytes: 1 << 20 }.into());
    assert!(error.to_string().contains("1048576 bytes"), "{error}");
    assert!(records * RECORD_BYTES > 600_000, "{records} records are in");
    let mut reader = store.disk_reader().unwrap();
    assert_eq!(all(&mut reader, file).unwrap().len(), records);
    delete_and_add(&mut store, file);
    assert_eq!(all(&mut reader, file).unwrap().len(), records - 16);

    // With a larger map the store grows again.
    drop((store, reader));
    let mut store = LmdbStore::open(home.path(), &options()).unwrap();
    let mut reader = store.disk_reader().unwrap();
    let batch: Vec<_> = (0..500)
        .map(|n| insert(&mut reader, file, 10_000 + n))
        .collect();
    assert!(store.apply(&batch).iter().all(Result::is_ok));
}

#[test]
fn a_load_into_a_full_map_leaves_the_old_records() {
    let home = tempfile::tempdir().unwrap();
    let small = LmdbOptions {
        map_bytes: 1 << 20,
        ..options()
    };
    let mut store = LmdbStore::open(home.path(), &small).unwrap();
    let file = store.define(ksds("F", 8)).unwrap();
    let unit = insert(&mut store.disk_reader().unwrap(), file, 1);
    assert_eq!(store.apply(&[unit]), [Ok(())]);
    let mut load = store.start_load(file).unwrap();
    let record = [b'.'; RECORD_BYTES];
    let error = (0..).find_map(|n| load.insert(format!("{n:08}").as_bytes(), &record).err());
    assert_eq!(error, Some(StorageError::MapFull { map_bytes: 1 << 20 }));
    assert_eq!(
        load.insert(b"x", &record),
        Err(StorageError::MapFull { map_bytes: 1 << 20 })
    );
    assert!(load.finish(&mut |_| ()).is_err());
    let mut reader = store.disk_reader().unwrap();
    assert_eq!(
        &at(&mut reader, file, SeekKey::Last).unwrap()[..8],
        "00000001"
    );
    let unit = insert(&mut reader, file, 2);
    assert_eq!(store.apply(&[unit]), [Ok(())]);
}

/// The role of a process that may not write files beyond a limit.
pub fn fill_limited(home: &Path) {
    let limit = libc::rlimit {
        rlim_cur: 2 << 20,
        rlim_max: 2 << 20,
    };
    // SAFETY: plain calls; the limit is this process's own.
    unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
        assert_eq!(libc::setrlimit(libc::RLIMIT_FSIZE, &limit), 0);
    }
    let mut store = LmdbStore::open(home, &LmdbOptions::default()).unwrap();
    let file = store.define(ksds("F", 8)).unwrap();
    let (records, error) = fill_up(&mut store, file);
    let full = matches!(error, ApplyError::Storage(StorageError::DiskFull { .. }));
    assert!(
        full && error.to_string().contains("no space left"),
        "{error}"
    );
    let mut reader = store.disk_reader().unwrap();
    assert_eq!(all(&mut reader, file).unwrap().len(), records);
    delete_and_add(&mut store, file);
    send_line(records - 16);
}

#[test]
fn a_full_disk_refuses_what_does_not_fit_and_goes_on() {
    let home = tempfile::tempdir().unwrap();
    let records = Peer::start("fill-limited", home.path()).receive_line();
    let records: usize = records
        .expect("the limited process failed")
        .parse()
        .unwrap();
    assert!(
        records * RECORD_BYTES > 1_200_000,
        "{records} records are in"
    );
    let store = LmdbStore::open(home.path(), &LmdbOptions::default()).unwrap();
    let mut reader = store.disk_reader().unwrap();
    let file = reader.find(&"F".parse().unwrap()).unwrap().unwrap().id;
    assert_eq!(all(&mut reader, file).unwrap().len(), records);
}
