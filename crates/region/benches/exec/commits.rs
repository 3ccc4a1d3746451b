//! Updates committed a second: 32 tasks at once against one flush an update.

use std::path::Path;
use std::time::{Duration, Instant};

use cics::file::FilePermits;
use region::{FileEntry, Name, Region, StoreEntry, TaskRequest};
use store::{
    FileDef, FileId, KeyField, LmdbOptions, LmdbStore, RecordFormat, UnitOfWork, WriteStore,
};

const TASKS: usize = 32;
const TIME: Duration = Duration::from_secs(2);
const MAP_BYTES: u64 = 1 << 30;

/// Ours and the peer's updates a second.
pub fn run() -> (f64, f64) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("store");
    let peer = one_by_one(&path);
    (grouped(&path), peer)
}

fn one_by_one(path: &Path) -> f64 {
    let options = LmdbOptions {
        map_bytes: MAP_BYTES,
        ..LmdbOptions::default()
    };
    let mut store = LmdbStore::open(path, &options).expect("a store");
    let key = KeyField {
        offset_bytes: 0,
        length_bytes: 8,
    };
    let name = "ACCTS".parse().expect("a name");
    let def = FileDef::ksds(name, key, RecordFormat::Variable, 200).expect("a definition");
    let file: FileId = store.define(def).expect("a file");
    let mut reader = store.reader().expect("a reader");
    let start = Instant::now();
    let mut n = 0u32;
    while start.elapsed() < TIME {
        let record = format!("P{n:07}{:0100}", 0);
        let mut unit = UnitOfWork::new();
        let (key, record) = (&record.as_bytes()[..8], record.as_bytes());
        unit.insert(reader.as_mut(), file, key, record)
            .expect("an insert");
        assert!(store.apply(&[unit])[0].is_ok());
        n += 1;
    }
    f64::from(n) / start.elapsed().as_secs_f64()
}

fn grouped(path: &Path) -> f64 {
    let mut config = super::config();
    config.store = Some(StoreEntry {
        path: path.to_owned(),
        map_bytes: MAP_BYTES,
        max_readers: 1024,
        ..StoreEntry::default()
    });
    config.definitions.files.push(FileEntry {
        name: Name::new("ACCTS").expect("a name"),
        key_bytes: 8,
        record_bytes: 200,
        variable: true,
        recoverable: true,
        permits: FilePermits::ALL,
        enabled: true,
        ..FileEntry::default()
    });
    let region = Region::start(config).expect("the region starts");
    let handle = region.handle();
    let port = handle.attach_port().expect("a port is free");
    let runtime = port.runtime().expect("a runtime");
    let start = Instant::now();
    let done: u64 = runtime.block_on(async {
        let clients: Vec<_> = (0..TASKS)
            .map(|i| {
                let (handle, port) = (handle.clone(), port.clone());
                tokio::spawn(async move {
                    let mut n = 0u64;
                    while start.elapsed() < TIME {
                        let request = TaskRequest {
                            transid: Name::from_bytes(*b"BNCH"),
                            program: Name::from_bytes(*b"FILES   "),
                            ..TaskRequest::default()
                        };
                        let mut task = handle.begin(&port, request).await.expect("admitted");
                        let line = format!("write 0 {i:02}{n:06}{:0100}", 0);
                        task.set_commarea(line.len(), |area| {
                            area.copy_from_slice(line.as_bytes());
                            Ok::<(), ()>(())
                        })
                        .expect("room for a line");
                        let reply = task.run().await;
                        assert_eq!(*reply.outcome(), region::TaskOutcome::Ok);
                        n += 1;
                    }
                    n
                })
            })
            .collect();
        let mut done = 0;
        for client in clients {
            done += client.await.expect("a client ends");
        }
        done
    });
    let rate = done as f64 / start.elapsed().as_secs_f64();
    if std::env::var_os("BENCH_VERBOSE").is_some() {
        eprintln!("{:?}", handle.statistics());
    }
    rate
}
