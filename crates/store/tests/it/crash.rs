//! kill -9 of the writer at any instant: no committed change is lost, no part
//! of a unit is seen.

use std::path::Path;

use base::SeededRandom;
use store::{
    FileDef, FileEnds, FileId, LmdbOptions, LmdbReader, LmdbStore, ReadExt, ReadStore,
    RecordFormat, SeekKey, Table, UnitOfWork, WriteStore, check,
};

use crate::child::{Peer, send_line};
use crate::support::{all, at, browsed, fill, index, ksds};

/// The table that has the number of the last transfer, too.
const COUNTER: Table = Table::new("counter");

/// Units in a batch.
const BATCH: u64 = 3;

const ACCOUNTS: u64 = 10;

/// From and to of the transfer with this number.
fn transfer_of(number: u64) -> (u64, u64) {
    (number % ACCOUNTS, (number * 7 + 3) % ACCOUNTS)
}

fn account(number: u64) -> [u8; 1] {
    [b'0' + (number % ACCOUNTS) as u8]
}

/// The role of a process that makes transfer after transfer until it is killed,
/// and prints the number of the last one after each apply.
pub fn transfer(home: &Path) {
    let mut store = LmdbStore::open(home, &LmdbOptions::default()).unwrap();
    let mut reader = store.disk_reader().unwrap();
    let (log, accounts) = files(&mut reader);
    let audit = number_of(&mut reader, "AUDIT");
    let mut number = last(&mut reader, log);
    let mut ends = FileEnds::default();
    loop {
        let mut balances = balances(&mut reader, accounts);
        let mut batch = Vec::new();
        for _ in 0..BATCH {
            number += 1;
            let mut unit = UnitOfWork::new();
            let (from, to) = transfer_of(number);
            balances[from as usize] -= 1;
            balances[to as usize] += 1;
            for of in [from, to] {
                let record = format!("{of}{}", balances[of as usize]);
                unit.replace(&mut reader, accounts, &account(of), record.as_bytes())
                    .unwrap();
            }
            let entry = format!("{number:08}{}", "x".repeat(number as usize % 900));
            unit.insert(&mut reader, log, &entry.as_bytes()[..8], entry.as_bytes())
                .unwrap();
            let audited = format!("{number:08}");
            unit.append(&mut reader, &mut ends, audit, audited.as_bytes())
                .unwrap();
            unit.put(COUNTER, b"last", audited.as_bytes());
            batch.push(unit);
        }
        assert!(store.apply(&batch).iter().all(Result::is_ok));
        send_line(number);
    }
}

/// The role of a process that loads the log again until it is killed.
pub fn load(home: &Path) {
    let mut store = LmdbStore::open(home, &LmdbOptions::default()).unwrap();
    let (log, _) = files(&mut store.disk_reader().unwrap());
    let mut load = store.start_load(log).unwrap();
    let record = [b'y'; 30_000];
    for number in 0_u64.. {
        assert_eq!(
            load.insert(format!("{number:08}").as_bytes(), &record),
            Ok(true)
        );
        if number.is_multiple_of(500) {
            send_line(number);
        }
    }
}

fn number_of(reader: &mut LmdbReader, file: &str) -> FileId {
    reader.find(&file.parse().unwrap()).unwrap().unwrap().id
}

fn files(reader: &mut LmdbReader) -> (FileId, FileId) {
    (number_of(reader, "LOG"), number_of(reader, "ACCOUNTS"))
}

fn last(reader: &mut LmdbReader, log: FileId) -> u64 {
    let last = reader.read(log, SeekKey::Last, |e| {
        String::from_utf8_lossy(e.key).into_owned()
    });
    last.unwrap().map_or(0, |key| key.parse().unwrap())
}

fn balances(reader: &mut LmdbReader, accounts: FileId) -> Vec<i64> {
    all(reader, accounts)
        .unwrap()
        .iter()
        .map(|record| record[1..].parse().unwrap())
        .collect()
}

fn new_home() -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    let mut store = LmdbStore::open(home.path(), &LmdbOptions::default()).unwrap();
    store.define(ksds("LOG", 8)).unwrap();
    // By the last digit of their number.
    store
        .define_index(index("DIGIT", "LOG", 7, 1, false))
        .unwrap();
    let audit = FileDef::esds("AUDIT".parse().unwrap(), RecordFormat::Fixed, 8).unwrap();
    store.define(audit).unwrap();
    let accounts = store.define(ksds("ACCOUNTS", 1)).unwrap();
    let records: Vec<_> = (0..ACCOUNTS).map(|number| format!("{number}100")).collect();
    fill(
        &mut store,
        accounts,
        1,
        &records.iter().map(String::as_str).collect::<Vec<_>>(),
    );
    home
}

#[test]
fn no_committed_change_is_lost_and_no_half_unit_is_seen_when_the_writer_is_killed() {
    let home = new_home();
    let mut chance = SeededRandom::new(1);
    let mut committed = 0;
    for _ in 0..25 {
        let mut writer = Peer::start("transfer", home.path());
        for _ in 0..chance.between(1, 5) {
            committed = writer.receive_line().unwrap().parse().unwrap();
        }
        for _ in 0..chance.below(2_000_000) {
            std::hint::spin_loop();
        }
        if let Some(said) = writer.kill().last() {
            committed = said.parse().unwrap();
        }

        let mut reader = LmdbReader::open(home.path(), &LmdbOptions::default()).unwrap();
        let (log, accounts) = files(&mut reader);
        let made = last(&mut reader, log);
        assert!(
            made >= committed,
            "{committed} were committed, {made} are there"
        );
        assert_eq!(made % BATCH, 0, "a batch is one step");
        assert_eq!(
            all(&mut reader, log).unwrap().len() as u64,
            made,
            "the log has no gap"
        );
        let mut expected = vec![100_i64; ACCOUNTS as usize];
        for number in 1..=made {
            let (from, to) = transfer_of(number);
            expected[from as usize] -= 1;
            expected[to as usize] += 1;
        }
        assert_eq!(balances(&mut reader, accounts), expected);
        // Index, entries and table are of the same state.
        let digits = reader
            .access(&"DIGIT".parse().unwrap())
            .unwrap()
            .unwrap()
            .index
            .unwrap();
        let none = UnitOfWork::new();
        let on_path = browsed(&none, &mut reader, digits.id, false);
        assert_eq!(on_path.len() as u64, made);
        let audit = number_of(&mut reader, "AUDIT");
        assert_eq!(all(&mut reader, audit).unwrap().len() as u64, made);
        let counted = none.get(&mut reader, COUNTER, b"last").unwrap();
        assert_eq!(counted, Some(format!("{made:08}").into_bytes()));
        drop(reader);
        let report = check(home.path(), &LmdbOptions::default(), &mut |_, _| ()).unwrap();
        assert!(report.is_clean(), "{:?}", report.findings);
    }
}

#[test]
fn a_load_that_is_killed_leaves_the_old_records_and_gives_its_pages_back() {
    let home = new_home();
    let mut store = LmdbStore::open(home.path(), &LmdbOptions::default()).unwrap();
    let (log, _) = files(&mut store.disk_reader().unwrap());
    fill(&mut store, log, 8, &["00000001 old"]);
    drop(store);

    let mut loader = Peer::start("load", home.path());
    // Past the first commits of the load, which come every 32 MiB.
    while loader.receive_line().unwrap() != "2500" {}
    loader.kill();

    let mut store = LmdbStore::open(home.path(), &LmdbOptions::default()).unwrap();
    let mut reader = store.disk_reader().unwrap();
    assert_eq!(reader.files().unwrap().len(), 3);
    assert_eq!(at(&mut reader, log, SeekKey::Last).unwrap(), "00000001 old");
    let stat = reader.store_stat().unwrap();
    assert!(
        stat.pages > 8_000,
        "the load had written {} pages",
        stat.pages
    );
    assert!(
        stat.free_pages > stat.pages - 200,
        "{} of {} are free",
        stat.free_pages,
        stat.pages
    );
    fill(&mut store, log, 8, &["00000002 new"]);
}
