//! The region of the bank, and the tasks that it runs.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use cics::file::FilePermits;
use region::{
    FileEntry, Handle, Name, ProgramEntry, Region, RegionConfig, RegionDefinitions, StoreEntry,
    TaskOutcome, TaskRequest, TransId, TransactionDef, block_on,
};
use store::{
    DiskOptions, DiskStore, FileDef, FileName, KeyField, RecordFormat, SeekKey, WriteStore,
};

use crate::service::{BankService, COMMAND};

const FILE: &str = "LEDGER";
const PROGRAM: &str = "TALK";
/// Tasks at a time.
const TASKS: usize = 6;
/// How long units may be in doubt when nothing is killed any more.
const PATIENCE: Duration = Duration::from_secs(120);

/// Runs units until it is killed.
pub fn run(folder: &Path, socket: &str, first: u64) {
    let (region, _) = start(folder, socket);
    println!("ready");
    let next = Arc::new(AtomicU64::new(first));
    std::thread::scope(|scope| {
        for _ in 0..TASKS {
            let (handle, next) = (region.handle(), next.clone());
            scope.spawn(move || {
                loop {
                    unit(&handle, next.fetch_add(1, Ordering::Relaxed));
                }
            });
        }
    });
}

/// One task with one unit.
fn unit(handle: &Handle, number: u64) {
    let script = format!("write {number:08}\n{COMMAND} {number:08}\nsync");
    let ended = block_on(async {
        let port = handle.default_port();
        let request = TaskRequest {
            transid: TransId::new("TEST").expect("a name"),
            program: Name::new(PROGRAM).expect("a name"),
            ..TaskRequest::default()
        };
        let mut task = handle.begin(&port, request).await.ok()?;
        task.set_commarea(script.len(), |area| {
            area.copy_from_slice(script.as_bytes());
            Ok::<(), ()>(())
        })
        .ok()?;
        let reply = task.run().await;
        let text = String::from_utf8_lossy(reply.commarea()).into_owned();
        Some((reply.outcome() == &TaskOutcome::Ok, text))
    });
    let mut out = std::io::stdout().lock();
    match ended {
        // The last line is the answer to the syncpoint.
        Some((true, text)) if text.ends_with('\n') => writeln!(out, "{number}").expect("a reader"),
        Some((true, text)) if text.ends_with("ROLLEDBACK") => {
            writeln!(out, "-{number}").expect("a reader");
        }
        _ => {
            drop(out);
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

/// Waits until nothing is in doubt, and prints the content of the file.
pub fn check(folder: &Path, socket: &str) {
    let (region, _service) = start(folder, socket);
    let handle = region.handle();
    let begin = Instant::now();
    while !handle.in_doubt_units().is_empty() {
        let units = handle.in_doubt_units();
        assert!(begin.elapsed() < PATIENCE, "in doubt: {units:?}");
        std::thread::sleep(Duration::from_millis(10));
    }
    drop(handle);
    block_on(region.shutdown());
    let store = DiskStore::open(&folder.join("store"), &DiskOptions::default()).expect("a store");
    let mut reader = store.reader().expect("a reader");
    let name: FileName = FILE.parse().expect("a name");
    let file = reader.find(&name).expect("readable").expect("defined").id;
    let mut out = std::io::stdout().lock();
    let mut last: Option<Vec<u8>> = None;
    loop {
        let seek = last.as_deref().map_or(SeekKey::First, SeekKey::Greater);
        let mut key = None;
        let found = reader.seek(file, seek, &mut |entry| key = Some(entry.key.to_vec()));
        if !found.expect("readable") {
            return;
        }
        last = key;
        let text = String::from_utf8_lossy(last.as_deref().unwrap_or_default()).into_owned();
        let number: u64 = text.parse().expect("a number");
        writeln!(out, "{number}").expect("a reader");
    }
}

fn start(folder: &Path, socket: &str) -> (Region, Arc<BankService>) {
    let path = folder.join("store");
    let mut store = DiskStore::open(&path, &DiskOptions::default()).expect("a store");
    let key = KeyField {
        offset_bytes: 0,
        length_bytes: 8,
    };
    let name = FILE.parse().expect("a name");
    let def = FileDef::ksds(name, key, RecordFormat::Fixed, 8).expect("a definition");
    // It is there from the second start on.
    let _ = store.define(def);
    drop(store);
    let service = BankService::new(socket);
    let worker = std::env::current_exe().expect("a path");
    let config = RegionConfig {
        mxt: 20,
        arena_bytes: 1 << 20,
        min_workers: 2,
        worker_exe: worker.with_file_name("fake-worker"),
        worker_args: Vec::new(),
        services: vec![service.clone()],
        store: Some(StoreEntry {
            path,
            ..StoreEntry::default()
        }),
        definitions: RegionDefinitions {
            transactions: vec![TransactionDef {
                name: TransId::new("TEST").expect("a name"),
                ..TransactionDef::default()
            }],
            programs: vec![ProgramEntry {
                name: Name::new(PROGRAM).expect("a name"),
                enabled: true,
                ..ProgramEntry::default()
            }],
            files: vec![FileEntry {
                name: Name::new(FILE).expect("a name"),
                key_bytes: 8,
                record_bytes: 8,
                recoverable: true,
                permits: FilePermits::ALL,
                enabled: true,
                ..FileEntry::default()
            }],
            ..RegionDefinitions::default()
        },
        ..RegionConfig::default()
    };
    let region = Region::start(config).expect("it starts");
    service.join_region(&region.handle());
    (region, service)
}
