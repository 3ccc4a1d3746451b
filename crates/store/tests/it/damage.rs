//! Damaged stores: refused, or reported by a check; never accepted, never fatal.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::FileExt;
use std::path::Path;

use base::SeededRandom;
use store::transfer::{DumpOptions, FileSource, RecordFraming, VerbatimConverter, dump};
use store::{
    FileDef, FileEnds, LmdbOptions, LmdbReader, LmdbStore, OpenError, ReadError, ReadStore,
    RecordFormat, SeekKey, StorageError, Table, UnitOfWork, WriteStore, check, restore,
};

use crate::child::Peer;
use crate::support::{all, browsed, fill, index, ksds, options};

/// A store with every kind of file, index and table.
fn make(home: &Path) {
    let mut store = LmdbStore::open(home, &options()).unwrap();
    let file = store.define(ksds("ACCOUNTS", 4)).unwrap();
    store
        .define_index(index("BYNAME", "ACCOUNTS", 4, 6, false))
        .unwrap();
    let mut records: Vec<_> = (0..400_u32)
        .map(|n| format!("{n:04}NAME{:02}{}", n % 70, "x".repeat(n as usize % 50)))
        .collect();
    records.push(format!("9999NAME99{}", "big".repeat(4000)));
    fill(
        &mut store,
        file,
        4,
        &records.iter().map(String::as_str).collect::<Vec<_>>(),
    );
    let log = FileDef::esds("LOG".parse().unwrap(), RecordFormat::Variable, 80).unwrap();
    let log = store.define(log).unwrap();
    let mut r = store.reader().unwrap();
    let (mut unit, mut ends) = (UnitOfWork::new(), FileEnds::default());
    for n in 0..50 {
        let record = format!("entry {n}");
        unit.append(&mut *r, &mut ends, log, record.as_bytes())
            .unwrap();
        unit.put(Table::new("tsqueue"), record.as_bytes(), &[n; 200]);
    }
    assert_eq!(store.apply(&[unit]), [Ok(())]);
}

/// The whole content of a store, as its readers see it.
fn contents(home: &Path) -> Result<Vec<String>, ReadError> {
    let mut reader = LmdbReader::open(home, &options()).unwrap();
    let mut contents = Vec::new();
    for entry in reader.files()? {
        contents.push(entry.def.name.to_string());
        contents.extend(all(&mut reader, entry.id)?);
        for index in reader.indexes(entry.id)?.iter() {
            contents.extend(browsed(&UnitOfWork::new(), &mut reader, index.id, false));
        }
    }
    let mut last = Vec::new();
    while reader.seek_table(
        Table::new("tsqueue"),
        SeekKey::Greater(&last.clone()),
        &mut |entry| {
            contents.push(String::from_utf8_lossy(entry.record).into_owned());
            last = entry.key.to_vec();
        },
    )? {}
    Ok(contents)
}

fn checked(home: &Path) -> store::CheckReport {
    check(home, &options(), &mut |_, _| ()).unwrap()
}

fn data(home: &Path) -> File {
    let path = home.join("data.mdb");
    OpenOptions::new()
        .read(true)
        .write(true)
        .open(path)
        .unwrap()
}

fn reason(error: OpenError) -> String {
    match error {
        OpenError::Storage {
            source: StorageError::Damaged { reason },
            ..
        } => reason,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_whole_store_is_found_whole() {
    let home = tempfile::tempdir().unwrap();
    make(home.path());
    let report = checked(home.path());
    assert_eq!(report.findings, [""; 0]);
    let files: Vec<_> = report
        .files
        .iter()
        .map(|f| (f.name.as_str(), f.records))
        .collect();
    assert_eq!(files, [("ACCOUNTS", 401), ("LOG", 50)]);
    assert!(report.files.iter().all(|file| file.has_check_sums));
    // And while it is open for writing, with changes under way.
    let mut store = LmdbStore::open(home.path(), &options()).unwrap();
    let file = store.reader().unwrap().files().unwrap()[0].id;
    fill(&mut store, file, 4, &["new1NAME50"]);
    let report = checked(home.path());
    assert!(report.is_clean(), "{:?}", report.findings);
    assert_eq!(report.files[0].records, 402);
}

#[test]
fn a_value_that_became_shorter_in_the_pages_it_had_is_whole() {
    let home = tempfile::tempdir().unwrap();
    let mut store = LmdbStore::open(home.path(), &options()).unwrap();
    let put = |bytes: &[u8]| {
        let mut unit = UnitOfWork::new();
        unit.put(Table::new("tsqueue"), b"item", bytes);
        unit
    };
    // An item of three pages, then one of a page, then an empty one, in one transaction.
    let units = [put(&[1; 10_000]), put(&[2; 3_000]), put(&[])];
    for n in 1..=units.len() {
        assert!(store.apply(&units[..n]).iter().all(Result::is_ok));
        let report = checked(home.path());
        assert!(report.is_clean(), "{n}: {:?}", report.findings);
    }
}

#[test]
fn a_truncated_store_is_refused_with_what_is_missing() {
    for bytes in [1, 100, 4096, 8192, 8200, 20_000] {
        let home = tempfile::tempdir().unwrap();
        make(home.path());
        data(home.path()).set_len(bytes).unwrap();
        for error in [
            LmdbStore::open(home.path(), &options()).err().unwrap(),
            LmdbReader::open(home.path(), &options()).err().unwrap(),
        ] {
            let reason = reason(error);
            assert!(
                reason.contains("bytes") || reason.contains("ends"),
                "{bytes}: {reason}"
            );
        }
        assert!(!checked(home.path()).is_clean());
        assert_eq!(data(home.path()).metadata().unwrap().len(), bytes);
    }
}

#[test]
fn a_store_that_lost_its_data_is_not_taken_for_a_new_one() {
    for missing in [false, true] {
        let home = tempfile::tempdir().unwrap();
        make(home.path());
        if missing {
            std::fs::remove_file(home.path().join("data.mdb")).unwrap()
        } else {
            data(home.path()).set_len(0).unwrap()
        }
        for error in [
            LmdbStore::open(home.path(), &options()).err().unwrap(),
            LmdbReader::open(home.path(), &options()).err().unwrap(),
        ] {
            let OpenError::Lost { marker, .. } = &error else {
                panic!("{error:?}");
            };
            assert!(error.to_string().contains("tupelo file restore"));
            assert!(marker.is_file());
        }
        // The message says how to start with an empty store.
        std::fs::remove_file(home.path().join("store.txt")).unwrap();
        let mut store = LmdbStore::open(home.path(), &options()).unwrap();
        store.define(ksds("ACCOUNTS", 4)).unwrap();
    }
}

#[test]
fn a_store_from_before_the_marker_gets_it() {
    let home = tempfile::tempdir().unwrap();
    make(home.path());
    std::fs::remove_file(home.path().join("store.txt")).unwrap();
    drop(LmdbStore::open(home.path(), &options()).unwrap());
    assert!(home.path().join("store.txt").is_file());
}

#[test]
fn a_record_that_changed_on_disk_is_found_by_dump_and_check() {
    let home = tempfile::tempdir().unwrap();
    make(home.path());
    let file = data(home.path());
    let mut bytes = vec![0; file.metadata().unwrap().len() as usize];
    file.read_exact_at(&mut bytes, 0).unwrap();
    let at = bytes.windows(10).rposition(|w| w == b"0123NAME53").unwrap();
    file.write_all_at(b"0123NAME54", at as u64).unwrap();
    let report = checked(home.path());
    assert!(
        report.findings.iter().any(|f| f.contains("'0123'")),
        "{:?}",
        report.findings
    );
    let error = contents(home.path()).unwrap_err().to_string();
    assert!(
        error.contains("ACCOUNTS") && error.contains("'0123'"),
        "{error}"
    );
    let mut store = LmdbStore::open(home.path(), &options()).unwrap();
    let index = store
        .define_index(index("AGAIN", "ACCOUNTS", 4, 6, false))
        .unwrap();
    assert!(store.build_index(index, 1 << 20, &mut |_| ()).is_err());
}

#[test]
fn no_flipped_bit_is_taken_for_good_data() {
    let home = tempfile::tempdir().unwrap();
    make(home.path());
    // A backup has no free pages, so nearly every bit of it is in use.
    let kept = home.path().join("whole");
    LmdbReader::open(home.path(), &options())
        .unwrap()
        .backup(&kept, &mut |_, _| ())
        .unwrap();
    let whole = std::fs::read(&kept).unwrap();
    let before = contents(home.path()).unwrap();
    let mut chance = SeededRandom::new(1);
    let mut found = 0;
    for turn in 0..400 {
        // Every bit of the meta pages first.
        let bit = match turn {
            0..100 => (turn % 2) * 4096 * 8 + chance.index(160 * 8),
            _ => chance.index(whole.len() * 8),
        };
        let mut bytes = whole.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        let flipped = tempfile::tempdir().unwrap();
        std::fs::write(flipped.path().join("data.mdb"), &bytes).unwrap();
        if !checked(flipped.path()).is_clean() {
            found += 1;
            continue;
        }
        // After a clean check every record must be there, unchanged.
        assert_eq!(
            contents(flipped.path()).as_ref(),
            Ok(&before),
            "byte {} bit {}",
            bit / 8,
            bit % 8
        );
    }
    assert!(found > 200, "{found} of 400 were found");
}

/// The dump of a store by `tupelo file dump`: each file, and through each
/// index.
fn dumped(home: &Path) -> Result<Vec<u8>, String> {
    let text = |error: &dyn std::fmt::Display| error.to_string();
    let mut reader = LmdbReader::open(home, &options()).map_err(|e| text(&e))?;
    let mut out = Vec::new();
    for entry in reader.files().map_err(|e| text(&e))? {
        let indexes = reader.indexes(entry.id).map_err(|e| text(&e))?;
        let indexes = indexes.iter().map(|index| Some(index.id));
        for index in [None].into_iter().chain(indexes) {
            let from = FileSource {
                file: entry.id,
                index,
            };
            let options = DumpOptions::new(RecordFraming::Rdw);
            dump(
                &mut reader,
                from,
                &mut out,
                &options,
                &VerbatimConverter,
                &mut |_| (),
            )
            .map_err(|e| text(&e))?;
        }
        reader.file_stat(entry.id).map_err(|e| text(&e))?;
    }
    reader.store_stat().map_err(|e| text(&e))?;
    Ok(out)
}

/// The commands that follow every page: a copy, a load over existing records, and an index
/// that is built again.
fn worked_on(home: &Path) -> Result<(), String> {
    let text = |error: &dyn std::fmt::Display| error.to_string();
    let mut reader = LmdbReader::open(home, &options()).map_err(|e| text(&e))?;
    let copy = home.join("copy");
    reader.backup(&copy, &mut |_, _| ()).map_err(|e| text(&e))?;
    drop(reader);
    let mut store = LmdbStore::open(home, &options()).map_err(|e| text(&e))?;
    let mut reader = store.reader().map_err(|e| text(&e))?;
    let files = reader.files().map_err(|e| text(&e))?;
    for entry in files {
        for index in reader.indexes(entry.id).map_err(|e| text(&e))?.iter() {
            store
                .build_index(index.id, 1 << 20, &mut |_| ())
                .map_err(|e| text(&e))?;
        }
        let mut load = store.start_load(entry.id).map_err(|e| text(&e))?;
        let key = 0_u64.to_be_bytes();
        let _ = load.insert(&key[..4], b"0000NAME00");
        load.finish(&mut |_| ()).map_err(|e| text(&e))?;
    }
    Ok(())
}

#[test]
fn no_flipped_bit_is_dumped_as_good_data_or_followed() {
    let home = tempfile::tempdir().unwrap();
    make(home.path());
    let kept = home.path().join("whole");
    LmdbReader::open(home.path(), &options())
        .unwrap()
        .backup(&kept, &mut |_, _| ())
        .unwrap();
    let whole = std::fs::read(&kept).unwrap();
    let before = dumped(home.path()).unwrap();
    let mut chance = SeededRandom::new(2);
    let mut next = |below: usize| chance.index(below);
    let mut reported = 0;
    for turn in 0..600 {
        let page = next(whole.len() / 4096) * 4096;
        // Heads, the places of entries, the first entries, and the rest.
        let byte = page
            + match turn % 4 {
                0 => next(16),
                1 => 16 + next(64),
                _ => next(4096),
            };
        let bit = next(8);
        let mut bytes = whole.clone();
        bytes[byte] ^= 1 << bit;
        let flipped = tempfile::tempdir().unwrap();
        std::fs::write(flipped.path().join("data.mdb"), &bytes).unwrap();
        match dumped(flipped.path()) {
            Ok(there) => assert!(there == before, "byte {byte} bit {bit}"),
            Err(error) => {
                reported += 1;
                assert!(error.contains("damaged"), "byte {byte} bit {bit}: {error}");
            }
        }
        // Done or refused, and the process continues.
        let _ = worked_on(flipped.path());
    }
    assert!(reported > 200, "{reported} of 600 were reported");
}

#[test]
fn a_meta_page_that_takes_the_newer_ones_place_is_damage() {
    let home = tempfile::tempdir().unwrap();
    make(home.path());
    let file = data(home.path());
    // The number of the commit, in either page.
    let places = [0, 4096].map(|page| page + 16 + 24 + 2 * 48 + 8);
    let number = |at: u64| {
        let mut bytes = [0; 8];
        file.read_exact_at(&mut bytes, at).unwrap();
        u64::from_le_bytes(bytes)
    };
    let (newer, older) = match places.map(number) {
        [a, b] if a > b => (a, places[1]),
        [_, b] => (b, places[0]),
    };
    file.write_all_at(&(newer + 1).to_le_bytes(), older)
        .unwrap();
    let reported = reason(LmdbStore::open(home.path(), &options()).err().unwrap());
    assert!(
        reported.contains("its transaction is not the commit"),
        "{reported}"
    );
    assert!(!checked(home.path()).is_clean());
}

#[test]
fn a_damaged_page_is_refused_by_who_writes_before_a_commit_meets_it() {
    let home = tempfile::tempdir().unwrap();
    make(home.path());
    let file = data(home.path());
    let mut bytes = vec![0; file.metadata().unwrap().len() as usize];
    file.read_exact_at(&mut bytes, 0).unwrap();
    let at = bytes.windows(10).rposition(|w| w == b"0123NAME53").unwrap();
    // Where the free room of its page begins.
    let lower = at / 4096 * 4096 + 12;
    let flipped = [bytes[lower] ^ 1];
    file.write_all_at(&flipped, lower as u64).unwrap();
    let reported = reason(LmdbStore::open(home.path(), &options()).err().unwrap());
    let page = format!("ACCOUNTS: page {}: ", at / 4096);
    assert!(reported.starts_with(&page), "{reported}");
    assert!(reported.contains("tupelo file restore"), "{reported}");
    // Other files can still be read.
    let mut reader = LmdbReader::open(home.path(), &options()).unwrap();
    let log = reader.files().unwrap()[1].id;
    assert_eq!(all(&mut reader, log).unwrap().len(), 50);
}

/// Ends by a fault while it has a store open for writing.
pub fn fault(home: &Path) {
    let _store = LmdbStore::open(home, &options()).unwrap();
    // SAFETY: the process is to end.
    unsafe { libc::raise(libc::SIGSEGV) };
}

#[test]
fn after_a_fault_all_pages_of_a_large_store_are_checked() {
    let home = tempfile::tempdir().unwrap();
    make(home.path());
    let file = data(home.path());
    let mut bytes = vec![0; file.metadata().unwrap().len() as usize];
    file.read_exact_at(&mut bytes, 0).unwrap();
    let at = bytes.windows(10).rposition(|w| w == b"0123NAME53").unwrap();
    let lower = at / 4096 * 4096 + 12;
    let (whole, flipped) = ([bytes[lower]], [bytes[lower] ^ 1]);
    // Larger than a store whose pages are all checked at open.
    file.set_len((4 << 30) + 4096).unwrap();
    file.write_all_at(&flipped, lower as u64).unwrap();
    drop(LmdbStore::open(home.path(), &options()).unwrap());

    let mut peer = Peer::start("fault", home.path());
    let ended = peer.process.wait().unwrap();
    assert_eq!(
        std::os::unix::process::ExitStatusExt::signal(&ended),
        Some(libc::SIGSEGV)
    );
    assert!(home.path().join("fault.txt").is_file());
    let reported = reason(LmdbStore::open(home.path(), &options()).err().unwrap());
    let page = format!("ACCOUNTS: page {}: ", at / 4096);
    assert!(reported.starts_with(&page), "{reported}");
    file.write_all_at(&whole, lower as u64).unwrap();
    drop(LmdbStore::open(home.path(), &options()).unwrap());
    assert!(!home.path().join("fault.txt").exists());
}

#[test]
fn a_list_that_names_a_file_in_use_is_damage() {
    let home = tempfile::tempdir().unwrap();
    make(home.path());
    for (key, value) in [
        (&b"\x01\0\0\0\x01"[..], &[][..]),
        (b"\0last", &[0, 0, 0, 1]),
    ] {
        let copy = tempfile::tempdir().unwrap();
        let data = copy.path().join("data.mdb");
        std::fs::copy(home.path().join("data.mdb"), data).unwrap();
        {
            // SAFETY: no other process has the copy open.
            let env = unsafe { heed::EnvOpenOptions::new().max_dbs(9).open(copy.path()) }.unwrap();
            let mut txn = env.write_txn().unwrap();
            let catalogue: heed::Database<heed::types::Bytes, heed::types::Bytes> =
                env.create_database(&mut txn, Some("catalogue")).unwrap();
            catalogue.put(&mut txn, key, value).unwrap();
            txn.commit().unwrap();
            env.prepare_for_closing().wait();
        }
        let reported = reason(LmdbStore::open(copy.path(), &options()).err().unwrap());
        assert!(reported.contains("catalogue: "), "{reported}");
    }
}

#[test]
fn a_backup_is_made_while_the_store_is_written_and_can_be_restored() {
    let home = tempfile::tempdir().unwrap();
    make(home.path());
    let mut store = LmdbStore::open(home.path(), &options()).unwrap();
    let backup = home.path().join("backup.mdb");
    let report = store
        .disk_reader()
        .unwrap()
        .backup(&backup, &mut |_, _| ())
        .unwrap();
    assert_eq!(report.files.len(), 2);
    let file = store.reader().unwrap().files().unwrap()[0].id;
    fill(&mut store, file, 4, &["later, and lost again"]);
    // Not under a running writer.
    let held = restore(&backup, home.path(), &mut |_, _| ()).unwrap_err();
    assert!(held.to_string().contains("open for writing"), "{held}");
    drop(store);
    let before = contents(home.path()).unwrap();
    // Over a damaged store, one that was lost, and where there was none.
    data(home.path()).set_len(8200).unwrap();
    restore(&backup, home.path(), &mut |_, _| ()).unwrap();
    let after = contents(home.path()).unwrap();
    assert_eq!(before.len(), after.len() + 2);
    std::fs::remove_file(home.path().join("data.mdb")).unwrap();
    restore(&backup, home.path(), &mut |_, _| ()).unwrap();
    assert_eq!(contents(home.path()).unwrap(), after);
    let new = tempfile::tempdir().unwrap();
    let new_home = new.path().join("made/again");
    restore(&backup, &new_home, &mut |_, _| ()).unwrap();
    assert_eq!(contents(&new_home).unwrap(), after);
    let mut store = LmdbStore::open(&new_home, &options()).unwrap();
    let file = store.reader().unwrap().files().unwrap()[0].id;
    fill(&mut store, file, 4, &["life goes on"]);
}

#[test]
fn a_damaged_backup_is_not_restored() {
    let home = tempfile::tempdir().unwrap();
    make(home.path());
    let backup = home.path().join("backup.mdb");
    let mut reader = LmdbReader::open(home.path(), &options()).unwrap();
    reader.backup(&backup, &mut |_, _| ()).unwrap();
    drop(reader);
    let before = contents(home.path()).unwrap();
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .open(&backup)
        .unwrap();
    file.set_len(file.metadata().unwrap().len() - 4096).unwrap();
    let error = restore(&backup, home.path(), &mut |_, _| ()).unwrap_err();
    assert!(error.to_string().contains("is damaged"), "{error}");
    assert_eq!(contents(home.path()).unwrap(), before);
    // Nor is a file that was never a store.
    std::fs::write(&backup, "not a store at all".repeat(1000)).unwrap();
    assert!(restore(&backup, home.path(), &mut |_, _| ()).is_err());
}

#[test]
fn the_reader_table_has_all_its_bytes_from_the_start() {
    use std::os::unix::fs::MetadataExt;
    let home = tempfile::tempdir().unwrap();
    // As an earlier version created it: all holes.
    File::create(home.path().join("lock.mdb"))
        .unwrap()
        .set_len(9000)
        .unwrap();
    let options = LmdbOptions {
        max_readers: 1000,
        ..options()
    };
    let store = LmdbStore::open(home.path(), &options).unwrap();
    let table = std::fs::metadata(home.path().join("lock.mdb")).unwrap();
    assert!(table.len() >= 1000 * 64);
    assert!(
        table.blocks() * 512 >= table.len(),
        "{} blocks",
        table.blocks()
    );
    assert!(
        store
            .disk_reader()
            .unwrap()
            .store_stat()
            .unwrap()
            .max_readers
            >= 1000
    );
}

/// A store as version 1 wrote it: no check sums, no tables, no marker.
fn make_version_1(home: &Path) {
    // SAFETY: no other process has the new directory open.
    let env = unsafe { heed::EnvOpenOptions::new().max_dbs(4).open(home) }.unwrap();
    let mut txn = env.write_txn().unwrap();
    let mut db = |name: &str| -> heed::Database<heed::types::Bytes, heed::types::Bytes> {
        env.create_database(&mut txn, Some(name)).unwrap()
    };
    let (catalogue, file) = (db("catalogue"), db("file-00000001"));
    let mut entry = vec![1, 0, 1, 1];
    for number in [1_u32, 0, 1, 100] {
        entry.extend(number.to_be_bytes());
    }
    let one = 1_u32.to_be_bytes();
    catalogue.put(&mut txn, b"\0format", &one).unwrap();
    catalogue.put(&mut txn, b"\0last", &one).unwrap();
    catalogue.put(&mut txn, b"OLD", &entry).unwrap();
    file.put(&mut txn, b"a", b"a record").unwrap();
    txn.commit().unwrap();
    env.prepare_for_closing().wait();
}

#[test]
fn a_store_of_the_earlier_version_is_taken_over_as_it_is() {
    let home = tempfile::tempdir().unwrap();
    make_version_1(home.path());
    // A reader that does not write reads it as it is.
    assert_eq!(contents(home.path()).unwrap(), ["OLD", "a record"]);
    let mut store = LmdbStore::open(home.path(), &options()).unwrap();
    let mut reader = store.reader().unwrap();
    let file = reader.files().unwrap()[0].id;
    fill(&mut store, file, 1, &["b another"]);
    let new = store.define(ksds("NEW", 1)).unwrap();
    fill(&mut store, new, 1, &["c in the new file"]);
    let mut unit = UnitOfWork::new();
    unit.put(Table::new("tsqueue"), b"q", b"item");
    assert_eq!(store.apply(&[unit]), [Ok(())]);
    drop((reader, store));
    let there = [
        "NEW",
        "c in the new file",
        "OLD",
        "a record",
        "b another",
        "item",
    ];
    assert_eq!(contents(home.path()).unwrap(), there);
    let sealed = |report: &store::CheckReport| -> Vec<bool> {
        report
            .files
            .iter()
            .map(|file| file.has_check_sums)
            .collect()
    };
    let report = checked(home.path());
    assert!(report.is_clean(), "{:?}", report.findings);
    assert_eq!(sealed(&report), [true, false]);
    // Loaded again, the old file has check sums too.
    let mut store = LmdbStore::open(home.path(), &options()).unwrap();
    let mut load = store.start_load(file).unwrap();
    assert_eq!(load.insert(b"z", b"z"), Ok(true));
    load.finish(&mut |_| ()).unwrap();
    drop(store);
    assert_eq!(sealed(&checked(home.path())), [true, true]);
}

#[test]
fn a_store_whose_file_is_deleted_or_replaced_under_it_takes_no_more_and_can_be_saved() {
    for replaced in [false, true] {
        let home = tempfile::tempdir().unwrap();
        make(home.path());
        let whole = contents(home.path()).unwrap();
        let data = home.path().join("data.mdb");
        let other = tempfile::tempdir().unwrap();
        make(other.path());

        let mut store = LmdbStore::open(home.path(), &options()).unwrap();
        if replaced {
            std::fs::rename(other.path().join("data.mdb"), &data).unwrap()
        } else {
            std::fs::remove_file(&data).unwrap()
        }
        let mut unit = UnitOfWork::new();
        unit.put(Table::new("tsqueue"), b"late", b"x");
        let refused = store.apply(&[unit]).remove(0).unwrap_err();
        let text = refused.to_string();
        assert!(
            text.starts_with(&format!("{} was deleted", data.display())),
            "{text}"
        );
        let defined = store.define(ksds("NEW", 4)).unwrap_err();
        assert_eq!(defined.to_string(), text);

        // As the message says.
        let (_, rest) = text.split_once("`cp ").unwrap();
        let (open_file, _) = rest.split_once(" COPY`").unwrap();
        let copy = other.path().join("copy");
        std::fs::copy(open_file, &copy).unwrap();
        drop(store);
        restore(&copy, home.path(), &mut |_, _| ()).unwrap();
        assert_eq!(contents(home.path()).unwrap(), whole);
    }
}
