//! The cost of a command and a commit, against LMDB itself.
//!
//! Ours and the peer alternate in the same run, and medians are compared. Each
//! line is one row of the budget: `value` and `peer_value` in `unit`, and their
//! ratio; gets are counted in CPU time. Run with `cargo bench -p store`; a word
//! selects the row of that name.

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use heed::types::Bytes;
use store::{
    FileDef, FileId, KeyField, LmdbOptions, LmdbReader, LmdbStore, ReadExt, RecordFormat, SeekKey,
    UnitOfWork, WriteStore,
};

const ROUNDS: usize = 7;
const RECORDS: u64 = 100_000;
const RECORD_BYTES: usize = 200;
const GETS: u64 = 200_000;
const BATCH: u64 = 32;
const BATCHES: u64 = 8;

fn main() {
    let home = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let (mut store, file) = tupelo_store(&home.path().join("ours"));
    let (env, db) = peers(&home.path().join("peer"));
    let mut reader = store.disk_reader().unwrap();

    // The peer as a command must use it: a transaction for each get.
    let get = || {
        let mut sum = 0;
        let start = cpu_ns();
        for n in 0..GETS {
            let txn = env.read_txn().unwrap();
            sum += db.get(&txn, &key(n)).unwrap().unwrap().len();
        }
        black_box(sum);
        (cpu_ns() - start) / GETS as f64
    };
    row(
        "get",
        "ns CPU",
        "heed get, transaction each",
        Need::AtMost(1.5),
        || tupelo_get(&mut reader, file),
        get,
    );

    // And the bare look-up, within one transaction for all.
    let bare = || {
        let txn = env.read_txn().unwrap();
        let mut sum = 0;
        let start = cpu_ns();
        for n in 0..GETS {
            sum += db.get(&txn, &key(n)).unwrap().unwrap().len();
        }
        black_box(sum);
        (cpu_ns() - start) / GETS as f64
    };
    row(
        "get-bare",
        "ns CPU",
        "heed get, one transaction",
        Need::AtMost(3.0),
        || tupelo_get(&mut reader, file),
        bare,
    );

    // As a program that keeps the record: each key once in 100,000 gets in the
    // order of xtask/src/bench/cobol/READER.cbl, and the record is copied.
    let keys = reader_keys();
    let copied = || {
        let mut area = [0; RECORD_BYTES];
        let start = cpu_ns();
        for key in &keys {
            let txn = env.read_txn().unwrap();
            area.copy_from_slice(db.get(&txn, key).unwrap().unwrap());
            black_box(&area);
        }
        (cpu_ns() - start) / GETS as f64
    };
    let tupelo_copied = |reader: &mut LmdbReader| {
        let mut area = [0; RECORD_BYTES];
        let start = cpu_ns();
        for key in &keys {
            let found = reader.get(file, key, |record| area.copy_from_slice(record));
            found.unwrap().unwrap();
            black_box(&area);
        }
        (cpu_ns() - start) / GETS as f64
    };
    row(
        "get-copy",
        "ns CPU",
        "heed get and a copy of the record",
        Need::Shown,
        || tupelo_copied(&mut reader),
        copied,
    );

    let next = |reader: &mut LmdbReader| {
        let mut at = key(0);
        let start = Instant::now();
        for _ in 0..RECORDS - 1 {
            let seek = SeekKey::Greater(&at);
            at = reader
                .read(file, seek, |e| <[u8; 8]>::try_from(e.key).unwrap())
                .unwrap()
                .unwrap();
        }
        start.elapsed().as_nanos() as f64 / (RECORDS - 1) as f64
    };
    let scan = || {
        let txn = env.read_txn().unwrap();
        let start = Instant::now();
        let sum: usize = db
            .iter(&txn)
            .unwrap()
            .map(|pair| pair.unwrap().1.len())
            .sum();
        black_box(sum);
        start.elapsed().as_nanos() as f64 / RECORDS as f64
    };
    row(
        "read-next",
        "ns",
        "heed iterator",
        Need::Shown,
        || next(&mut reader),
        scan,
    );

    let mut serial = 0;
    let mut updates = |batch: u64, ahead: bool| {
        let start = Instant::now();
        for _ in 0..BATCH * BATCHES / batch {
            let mut units = Vec::new();
            for _ in 0..batch {
                serial += 1;
                let mut unit = UnitOfWork::new();
                unit.replace(&mut reader, file, &key(serial), &record(serial))
                    .unwrap();
                units.push(unit);
            }
            let results = if ahead {
                store.apply_ahead(&units).results
            } else {
                store.apply(&units)
            };
            assert!(results.iter().all(Result::is_ok));
        }
        store.settle().unwrap();
        (BATCH * BATCHES) as f64 / start.elapsed().as_secs_f64()
    };
    if wanted("group-commit-32") {
        let (mut group, mut single) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            group.push(updates(BATCH, false));
            single.push(updates(1, false));
        }
        let peer = "one flush an update";
        let need = Need::AtLeast(8.0);
        print("group-commit-32", "updates/s", peer, need, group, single);
    }
    if wanted("ahead-8") {
        let (mut ahead, mut flushed) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            ahead.push(updates(8, true));
            flushed.push(updates(8, false));
        }
        let peer = "two flushes a batch";
        print("ahead-8", "updates/s", peer, Need::Shown, ahead, flushed);
    }
}

/// True when the command line names no row, or this one.
fn wanted(row: &str) -> bool {
    let named = std::env::args().skip(1).find(|a| !a.starts_with("--"));
    named.is_none_or(|name| name == row)
}

/// CPU nanoseconds of this thread.
fn cpu_ns() -> f64 {
    let reported = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
    reported.split_whitespace().next().unwrap().parse().unwrap()
}

/// The required bound of a ratio.
enum Need {
    AtMost(f64),
    AtLeast(f64),
    Shown,
}

/// Measures both sides in turn and prints their row.
fn row(
    name: &str,
    unit: &str,
    peer: &str,
    need: Need,
    mut ours: impl FnMut() -> f64,
    mut peers: impl FnMut() -> f64,
) {
    if !wanted(name) {
        return;
    }
    let (mut value, mut peer_value) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        value.push(ours());
        peer_value.push(peers());
    }
    print(name, unit, peer, need, value, peer_value);
}

fn print(name: &str, unit: &str, peer: &str, need: Need, value: Vec<f64>, peer_value: Vec<f64>) {
    let (value, peer_value) = (median(value), median(peer_value));
    let ratio = value / peer_value;
    let (must, met) = match need {
        Need::AtMost(must) => (format!("ratio <= {must}"), (ratio <= must).to_string()),
        Need::AtLeast(must) => (format!("ratio >= {must}"), (ratio >= must).to_string()),
        Need::Shown => (String::new(), "null".to_owned()),
    };
    println!(
        "{{\"bench\":\"store\",\"row\":\"{name}\",\"value\":{value:.0},\"unit\":\"{unit}\",\
         \"peer\":\"{peer}\",\"peer_value\":{peer_value:.0},\"ratio\":{ratio:.2},\
         \"must\":\"{must}\",\"met\":{met}}}"
    );
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

/// Keys in an order that jumps about the whole file.
fn key(n: u64) -> [u8; 8] {
    (n.wrapping_mul(7_368_787) % RECORDS).to_be_bytes()
}

/// The keys that READER.cbl reads.
fn reader_keys() -> Vec<[u8; 8]> {
    let mut number = 1;
    let mut next = || {
        number = (number * 1601 + 51_749) % RECORDS;
        number.to_be_bytes()
    };
    (0..GETS).map(|_| next()).collect()
}

fn record(n: u64) -> Vec<u8> {
    let mut record = key(n).to_vec();
    record.resize(RECORD_BYTES, n as u8);
    record
}

fn tupelo_get(reader: &mut LmdbReader, file: FileId) -> f64 {
    let mut sum = 0;
    let start = cpu_ns();
    for n in 0..GETS {
        sum += reader.get(file, &key(n), <[u8]>::len).unwrap().unwrap();
    }
    black_box(sum);
    (cpu_ns() - start) / GETS as f64
}

fn tupelo_store(path: &Path) -> (LmdbStore, FileId) {
    let mut store = LmdbStore::open(path, &LmdbOptions::default()).unwrap();
    let name = "BENCH".parse().unwrap();
    let field = KeyField {
        offset_bytes: 0,
        length_bytes: 8,
    };
    let def = FileDef::ksds(name, field, RecordFormat::Fixed, RECORD_BYTES as u32).unwrap();
    let file = store.define(def).unwrap();
    let mut load = store.start_load(file).unwrap();
    let mut bytes = [b'.'; RECORD_BYTES];
    for n in 0..RECORDS {
        bytes[..8].copy_from_slice(&n.to_be_bytes());
        load.insert(&n.to_be_bytes(), &bytes).unwrap();
    }
    let file = load.finish(&mut |_| ()).unwrap();
    (store, file)
}

fn peers(path: &Path) -> (heed::Env, heed::Database<Bytes, Bytes>) {
    std::fs::create_dir_all(path).unwrap();
    let mut options = heed::EnvOpenOptions::new();
    options.map_size(1 << 30).max_dbs(4);
    // SAFETY: this process alone uses the new directory, and opens it once.
    let env = unsafe { options.open(path) }.unwrap();
    let mut txn = env.write_txn().unwrap();
    let db = env.create_database(&mut txn, Some("peer")).unwrap();
    let mut bytes = [b'.'; RECORD_BYTES];
    for n in 0..RECORDS {
        bytes[..8].copy_from_slice(&n.to_be_bytes());
        db.put(&mut txn, &n.to_be_bytes()[..], &bytes[..]).unwrap();
    }
    txn.commit().unwrap();
    (env, db)
}
