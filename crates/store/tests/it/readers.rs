//! Many reading processes, dying readers, and the right to write.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use store::{
    LmdbOptions, LmdbReader, LmdbStore, OpenError, ReadStore, SeekKey, UnitOfWork, WriteStore,
};

use crate::child::{Peer, send_line};
use crate::support::{all, at, fill, ksds, options};

/// The role of a process that dies inside a command.
pub fn read_forever(home: &Path) {
    let mut reader = LmdbReader::open(home, &LmdbOptions::default()).unwrap();
    let file = reader.find(&"F".parse().unwrap()).unwrap().unwrap().id;
    reader
        .scan(file, SeekKey::First, &mut |_| {
            send_line("reading");
            loop {
                std::thread::park();
            }
        })
        .unwrap();
}

/// The role of a process that has a store open for writing until it is killed.
pub fn hold(home: &Path) {
    let _store = LmdbStore::open(home, &LmdbOptions::default()).unwrap();
    send_line("open");
    loop {
        std::thread::park();
    }
}

fn store_with_a_record(home: &Path) -> (LmdbStore, store::FileId) {
    let mut store = LmdbStore::open(home, &options()).unwrap();
    let file = store.define(ksds("F", 1)).unwrap();
    fill(&mut store, file, 1, &["1a"]);
    (store, file)
}

/// Replaces a record of twenty pages again and again. Returns the file's pages.
fn churn(store: &mut LmdbStore, file: store::FileId, times: usize) -> u64 {
    let mut reader = store.disk_reader().unwrap();
    for time in 0..times {
        let mut record = vec![b'0' + (time % 10) as u8; 32_000];
        record[0] = b'1';
        let mut unit = UnitOfWork::new();
        unit.replace(&mut reader, file, b"1", &record).unwrap();
        assert_eq!(store.apply(&[unit]), [Ok(())]);
    }
    reader.store_stat().unwrap().pages
}

#[test]
fn a_reader_killed_inside_a_command_does_not_let_the_file_grow() {
    let home = tempfile::tempdir().unwrap();
    let (mut store, file) = store_with_a_record(home.path());
    let before = churn(&mut store, file, 50);
    for _ in 0..3 {
        let mut reader = Peer::start("read-forever", home.path());
        assert_eq!(reader.receive_line().unwrap(), "reading");
        reader.kill();
    }
    let after = churn(&mut store, file, 2000);
    assert!(after < before + 600, "{before} pages became {after}");
}

#[test]
fn dead_readers_are_counted_and_cleared() {
    let home = tempfile::tempdir().unwrap();
    let (mut store, _) = store_with_a_record(home.path());
    let mut peer = Peer::start("read-forever", home.path());
    assert_eq!(peer.receive_line().unwrap(), "reading");
    let pid = peer.process.id();
    let mut reader = store.disk_reader().unwrap();
    let stat = reader.store_stat().unwrap();
    let slot = stat.readers.iter().find(|slot| slot.pid == pid).unwrap();
    assert_eq!(slot.reading, Some(stat.last_transaction));
    assert_eq!(store.clear_dead_readers(), Ok(0));
    peer.kill();
    assert_eq!(store.clear_dead_readers(), Ok(1));
    let stat = reader.store_stat().unwrap();
    assert!(stat.readers.iter().all(|slot| slot.pid != pid));
}

#[test]
fn more_readers_than_lmdb_s_default_read_at_once() {
    let home = tempfile::tempdir().unwrap();
    let (store, file) = store_with_a_record(home.path());
    let mut readers: Vec<_> = (0..300).map(|_| store.reader().unwrap()).collect();
    for reader in &mut readers {
        assert_eq!(at(&mut **reader, file, SeekKey::First).unwrap(), "1a");
    }
    let mut one = store.disk_reader().unwrap();
    let stat = one.store_stat().unwrap();
    assert_eq!(stat.readers.len(), 301);
    assert!(
        stat.readers.iter().all(|slot| slot.reading.is_none()),
        "none holds a page"
    );
    drop(readers);
    assert_eq!(one.store_stat().unwrap().readers.len(), 1);
}

#[test]
fn a_scan_sees_one_committed_state_whatever_is_applied_meanwhile() {
    let home = tempfile::tempdir().unwrap();
    let mut store = LmdbStore::open(home.path(), &options()).unwrap();
    let file = store.define(ksds("F", 1)).unwrap();
    fill(&mut store, file, 1, &["a500", "b500", "c500", "d500"]);
    let mut reader = store.disk_reader().unwrap();
    let mut watcher = store.reader().unwrap();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let watching = scope.spawn(|| {
            let mut looks = 0;
            while !done.load(Ordering::Relaxed) || looks == 0 {
                let records = all(&mut *watcher, file).unwrap();
                let sum: i32 = records.iter().map(|r| r[1..].parse::<i32>().unwrap()).sum();
                assert_eq!(sum, 2000, "{records:?}");
                looks += 1;
            }
        });
        for round in 0..500_usize {
            let mut unit = UnitOfWork::new();
            for (which, by) in [(round % 4, 1), ((round + 1 + round % 3) % 4, -1)] {
                let key = [b"abcd"[which]];
                let old = at(&mut reader, file, SeekKey::Equal(&key)).unwrap();
                let record = format!("{}{}", &old[..1], old[1..].parse::<i32>().unwrap() + by);
                unit.replace(&mut reader, file, &key, record.as_bytes())
                    .unwrap();
            }
            assert_eq!(store.apply(&[unit]), [Ok(())]);
        }
        done.store(true, Ordering::Relaxed);
        watching.join().unwrap();
    });
}

#[test]
fn one_process_writes_and_a_second_gets_its_id() {
    let home = tempfile::tempdir().unwrap();
    let mut first = Peer::start("hold", home.path());
    assert_eq!(first.receive_line().unwrap(), "open");
    let Err(OpenError::Held { pid, path }) = LmdbStore::open(home.path(), &options()) else {
        panic!("opened twice");
    };
    assert_eq!(pid, Some(first.process.id()));
    assert_eq!(path, home.path().canonicalize().unwrap());
    assert!(
        LmdbReader::open(home.path(), &options()).is_ok(),
        "reading goes on"
    );
    first.kill();
    assert!(
        LmdbStore::open(home.path(), &options()).is_ok(),
        "a killed writer holds nothing"
    );
}

#[test]
fn a_process_that_reads_shares_its_environment_and_cannot_also_write() {
    let home = tempfile::tempdir().unwrap();
    let (store, file) = store_with_a_record(home.path());
    let mut reader = LmdbReader::open(home.path(), &options()).unwrap();
    assert!(matches!(
        LmdbStore::open(home.path(), &options()),
        Err(OpenError::Held { pid: Some(pid), .. }) if pid == std::process::id()
    ));
    drop(store);
    assert_eq!(at(&mut reader, file, SeekKey::First).unwrap(), "1a");
    assert!(matches!(
        LmdbStore::open(home.path(), &options()),
        Err(OpenError::Io { .. })
    ));
    drop(reader);
    assert!(LmdbStore::open(home.path(), &options()).is_ok());
}

#[test]
fn what_is_not_a_store_is_not_opened() {
    let home = tempfile::tempdir().unwrap();
    let missing = LmdbReader::open(&home.path().join("none"), &options()).err();
    assert!(matches!(missing, Some(OpenError::Missing { .. })));
    let empty = LmdbReader::open(home.path(), &options()).err();
    assert!(matches!(empty, Some(OpenError::Missing { .. })));
    std::fs::write(home.path().join("data.mdb"), [7; 8192]).unwrap();
    for error in [
        LmdbReader::open(home.path(), &options()).err(),
        LmdbStore::open(home.path(), &options()).err(),
    ] {
        let text = error.expect("opened garbage").to_string();
        assert!(text.contains("damaged or foreign"), "{text}");
    }
}

#[test]
fn statistics_count_records_pages_and_levels() {
    let home = tempfile::tempdir().unwrap();
    let mut store = LmdbStore::open(home.path(), &options()).unwrap();
    let file = store.define(ksds("F", 8)).unwrap();
    let mut load = store.start_load(file).unwrap();
    for number in 0..10_000 {
        load.insert(format!("{number:08}").as_bytes(), &[b'.'; 100])
            .unwrap();
    }
    load.insert(b"99999999", &[b'.'; 9000]).unwrap();
    let file = load.finish(&mut |_| ()).unwrap();
    let mut reader = store.disk_reader().unwrap();
    let stat = reader.file_stat(file).unwrap();
    assert_eq!(
        (stat.records, stat.depth, stat.overflow_pages),
        (10_001, 3, 3)
    );
    assert!(
        stat.leaf_pages < 10_000 / 30,
        "appended records fill {} leaves",
        stat.leaf_pages
    );
    assert_eq!(stat.bytes, 4096 * (stat.branch_pages + stat.leaf_pages + 3));
    let stats = reader.file_stats().unwrap();
    assert_eq!(stats.len(), 1);
    assert_eq!(stats[0].1, stat);
    let mut seen = 0;
    reader
        .scan(file, SeekKey::First, &mut |_| {
            seen += 1;
            ControlFlow::Continue(())
        })
        .unwrap();
    assert_eq!(seen, 10_001);
}
