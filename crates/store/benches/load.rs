//! Loads, indexes, dumps and checks of many records: how fast, and in how much
//! memory.
//!
//! `cargo bench -p store --bench load -- 10000000` takes ten million; without a
//! number it is one hundred thousand. Memory is the most that the process had of
//! its own (RssAnon) during a step; pages of the mapped file are not its own.

use std::io::{self, BufReader, Read};
use std::time::Instant;

use store::transfer::{
    DumpOptions, LoadEvent, LoadOptions, RecordFraming, VerbatimConverter, dump, load,
};
use store::{
    CatalogueName, FileDef, FileId, IndexDef, KeyField, LmdbOptions, LmdbStore, ReadStore,
    RecordFormat, WriteStore, check,
};

const RECORD_BYTES: usize = 100;

fn main() {
    let number = std::env::args().find_map(|arg| arg.parse().ok());
    let records: u64 = number.unwrap_or(100_000);
    let home = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let options = LmdbOptions::default();
    let mut store = LmdbStore::open(home.path(), &options).unwrap();
    let file = store.define(def()).unwrap();
    println!("{records} records of {RECORD_BYTES} bytes");

    let file = step("load in the order of keys", records, |peak| {
        loaded(&mut store, file, Generated::new(records, false), peak)
    });
    let file = step("load in another order", records, |peak| {
        loaded(&mut store, file, Generated::new(records, true), peak)
    });
    let index = store.define_index(index()).unwrap();
    step("build an index", records, |peak| {
        store
            .build_index(index, LoadOptions::SORT_BYTES, &mut |_| peak.sample())
            .unwrap()
    });
    let file = step("load with an index, in another order", records, |peak| {
        loaded(&mut store, file, Generated::new(records, true), peak)
    });
    let mut reader = store.disk_reader().unwrap();
    step("dump", records, |peak| {
        let report = dump(
            &mut reader,
            file,
            &mut io::sink(),
            &DumpOptions::new(RecordFraming::Rdw),
            &VerbatimConverter,
            &mut |_| peak.sample(),
        );
        assert_eq!(report.unwrap().records, records);
    });
    assert!(matches!(&reader.names().unwrap()[1], CatalogueName::Index(entry) if entry.built));
    drop((reader, store));
    step("check", records, |peak| {
        let report = check(home.path(), &options, &mut |_, _| peak.sample()).unwrap();
        assert!(report.is_clean(), "{:?}", report.findings);
    });
}

fn def() -> FileDef {
    let key = KeyField {
        offset_bytes: 0,
        length_bytes: 8,
    };
    FileDef::ksds(
        "LARGE".parse().unwrap(),
        key,
        RecordFormat::Fixed,
        RECORD_BYTES as u32,
    )
    .unwrap()
}

fn index() -> IndexDef {
    IndexDef {
        name: "LARGE.AIX".parse().unwrap(),
        base: "LARGE".parse().unwrap(),
        key: KeyField {
            offset_bytes: 8,
            length_bytes: 8,
        },
        unique: false,
        upgrade: true,
        suppress: None,
    }
}

fn loaded(store: &mut LmdbStore, file: FileId, input: Generated, peak: &mut Peak) -> FileId {
    let records = input.records;
    let framing = RecordFraming::Fixed {
        record_bytes: RECORD_BYTES,
    };
    let (report, file) = load(
        store,
        file,
        &mut BufReader::new(input),
        &LoadOptions::new(framing),
        &VerbatimConverter,
        &mut |event| {
            if !matches!(event, LoadEvent::Rejected { .. }) {
                peak.sample();
            }
        },
    )
    .unwrap();
    assert_eq!(report.loaded, records);
    file
}

fn step<R>(what: &str, records: u64, work: impl FnOnce(&mut Peak) -> R) -> R {
    let mut peak = Peak(0);
    let start = Instant::now();
    let result = work(&mut peak);
    let seconds = start.elapsed().as_secs_f64();
    println!(
        "{what:<40} {seconds:>7.1} s {:>10.0} records/s {:>6} MB",
        records as f64 / seconds,
        peak.0 / 1000
    );
    result
}

/// The most memory seen, in kB.
struct Peak(u64);

impl Peak {
    fn sample(&mut self) {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("RssAnon:"));
        let kb = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
        self.0 = self.0.max(kb.unwrap_or(0));
    }
}

/// Records made up as they are read.
struct Generated {
    records: u64,
    next: u64,
    shuffled: bool,
    record: Vec<u8>,
    at: usize,
}

impl Generated {
    fn new(records: u64, shuffled: bool) -> Self {
        Self {
            records,
            next: 0,
            shuffled,
            record: vec![b'.'; RECORD_BYTES],
            at: RECORD_BYTES,
        }
    }
}

impl Read for Generated {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        if self.at == RECORD_BYTES {
            if self.next == self.records {
                return Ok(0);
            }
            // An odd factor makes every number once.
            let shuffled = self.next.wrapping_mul(0x9E37_79B9_7F4A_7C15);
            let key = if self.shuffled { shuffled } else { self.next };
            self.record[..8].copy_from_slice(&key.to_be_bytes());
            // A hundred records to an alternate key.
            self.record[8..16]
                .copy_from_slice(&(shuffled % (self.records / 100 + 1)).to_be_bytes());
            self.next += 1;
            self.at = 0;
        }
        let n = into.len().min(RECORD_BYTES - self.at);
        into[..n].copy_from_slice(&self.record[self.at..self.at + n]);
        self.at += n;
        Ok(n)
    }
}
