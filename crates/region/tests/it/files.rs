//! Files: units of work, locks, group commit, faults.

use std::path::Path;

use cics::file::FilePermits;
use region::{FileEntry, Name, Region, RegionConfig, StoreEntry, TaskReply, block_on};
use store::{
    DiskOptions, DiskStore, FileDef, KeyField, RecordFormat, Table, UnitOfWork, WriteStore,
};

use crate::harness::{FifoGate, call, call_now, code, config, text, until};

/// A region with two files of 8-byte keys: 0 recoverable, 1 not.
pub fn start(folder: &Path, map_bytes: u64) -> Region {
    start_with(folder, map_bytes, |_| {})
}

fn start_with(folder: &Path, map_bytes: u64, change: impl FnOnce(&mut RegionConfig)) -> Region {
    let path = folder.join("store");
    let options = DiskOptions {
        map_bytes,
        ..DiskOptions::default()
    };
    let mut config = config();
    let mut store = DiskStore::open(&path, &options).unwrap();
    for (name, recoverable) in [("ACCTS", true), ("NOTES", false)] {
        let file_name: store::FileName = name.parse().unwrap();
        let key = KeyField {
            offset_bytes: 0,
            length_bytes: 8,
        };
        let def = FileDef::ksds(file_name, key, RecordFormat::Variable, 4096).unwrap();
        let _ = store.define(FileDef { recoverable, ..def });
        config.definitions.files.push(FileEntry {
            name: Name::new(name).unwrap(),
            key_bytes: 8,
            record_bytes: 4096,
            variable: true,
            recoverable,
            permits: FilePermits::ALL,
            enabled: true,
            ..FileEntry::default()
        });
    }
    drop(store);
    config.store = Some(StoreEntry {
        path,
        map_bytes,
        max_readers: 1024,
        ..StoreEntry::default()
    });
    change(&mut config);
    Region::start(config).unwrap()
}

const MAP: u64 = 1 << 30;

fn script(region: &Region, lines: &str) -> TaskReply {
    call_now(region, "FILES", lines)
}

#[test]
fn a_region_does_not_start_over_what_it_has_kept_and_cannot_read() {
    let kept = b"what the region has kept";
    for table in [
        "starts", "tdqueue", "tsqueue", "prepared", "decision", "decider",
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("store");
        let mut store = DiskStore::open(&path, &DiskOptions::default()).unwrap();
        let mut unit = UnitOfWork::new();
        unit.put(Table::new(table), b"12345678", kept);
        assert_eq!(store.apply(&[unit]), [Ok(())]);
        drop(store);
        let data = path.join("data.mdb");
        let mut bytes = std::fs::read(&data).unwrap();
        let at = bytes.windows(kept.len()).position(|w| w == kept).unwrap();
        bytes[at] ^= 1;
        std::fs::write(&data, bytes).unwrap();
        let mut config = config();
        config.store = Some(StoreEntry {
            path,
            ..StoreEntry::default()
        });
        let error = Region::start(config).err().unwrap().to_string();
        assert!(error.contains("cannot be read"), "{table}: {error}");
    }
}

#[test]
fn a_task_sees_its_own_changes_and_others_see_them_when_it_ends() {
    let folder = tempfile::tempdir().unwrap();
    let region = start(folder.path(), MAP);
    let first = script(
        &region,
        "write 0 KEY00001-a\nwrite 0 KEY00003-c\nread 0 KEY00001\nwrite 0 KEY00001-x\nnext 0 KEY00001",
    );
    assert_eq!(text(&first), "0 \n0 \n0 KEY00001-a\n14 \n0 KEY00003-c\n");
    let second = script(
        &region,
        "update 0 KEY00003\nrewrite 0 KEY00003-C\nwrite 0 KEY00002-b\ndelete 0 KEY00001\n\
         read 0 KEY00001\nnext 0 00000000\nnext 0 KEY00002\nnext 0 KEY00003",
    );
    assert_eq!(
        text(&second),
        "0 KEY00003-c\n0 \n0 \n0 \n13 \n0 KEY00002-b\n0 KEY00003-C\n20 \n"
    );
    let third = script(&region, "read 0 KEY00001\nread 0 KEY00002\nread 0 KEY00003");
    assert_eq!(text(&third), "13 \n0 KEY00002-b\n0 KEY00003-C\n");
}

#[test]
fn an_abend_and_a_rollback_back_out_what_is_recoverable() {
    let folder = tempfile::tempdir().unwrap();
    let region = start(folder.path(), MAP);
    let reply = script(
        &region,
        "write 0 KEY00001-a\nwrite 1 KEY00001-n\nabend U100",
    );
    assert_eq!(code(&reply), "U100");
    let reply = script(&region, "read 0 KEY00001\nread 1 KEY00001");
    assert_eq!(text(&reply), "13 \n0 KEY00001-n\n");
    let reply = script(
        &region,
        "write 0 KEY00001-a\nsyncpoint\nwrite 0 KEY00002-b\nrollback\nwrite 0 KEY00003-c",
    );
    assert_eq!(code(&reply), "OK");
    let reply = script(&region, "read 0 KEY00001\nread 0 KEY00002\nread 0 KEY00003");
    assert_eq!(text(&reply), "0 KEY00001-a\n13 \n0 KEY00003-c\n");
}

#[test]
fn a_reload_keeps_the_numbers_of_files_and_brings_new_ones() {
    let folder = tempfile::tempdir().unwrap();
    let mut definitions = region::RegionDefinitions::default();
    let region = start_with(folder.path(), MAP, |config| {
        definitions = config.definitions.clone();
    });
    script(&region, "write 0 KEY00001-a");
    let third = FileDef::ksds(
        "THIRD".parse().unwrap(),
        KeyField {
            offset_bytes: 0,
            length_bytes: 8,
        },
        RecordFormat::Variable,
        4096,
    );
    let handle = region.handle();
    let defined = handle.with_store(|store| store.define(third.unwrap()));
    defined.unwrap().unwrap();
    // Before the others, one of which is removed.
    let gone = definitions.files.remove(0);
    let third = FileEntry {
        name: Name::new("THIRD").unwrap(),
        ..gone.clone()
    };
    definitions.files.insert(0, third);
    handle.reload(definitions.clone()).unwrap();
    let reply = script(
        &region,
        "write 2 KEY00001-t\nread 2 KEY00001\nread 0 KEY00001\nread 1 KEY00001",
    );
    // Number 0 keeps its meaning for tasks that began before.
    assert_eq!(text(&reply), "0 \n0 KEY00001-t\n0 KEY00001-a\n13 \n");
    definitions.files.push(gone);
    handle.reload(definitions).unwrap();
    let reply = script(&region, "read 0 KEY00001\nread 2 KEY00001");
    assert_eq!(text(&reply), "0 KEY00001-a\n0 KEY00001-t\n");
}

#[test]
fn a_rewrite_without_its_read_and_a_changed_key_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let region = start(folder.path(), MAP);
    let reply = script(
        &region,
        "write 0 KEY00001-a\nrewrite 0 KEY00001-b\nupdate 0 KEY00001\nrewrite 0 KEY00002-b\n\
         unlock 0\nrewrite 0 KEY00001-b\nread 7 KEY00001",
    );
    assert_eq!(text(&reply), "0 \n16 \n0 KEY00001-a\n16 \n0 \n16 \n12 \n");
}

#[test]
fn a_worker_killed_with_changes_pending_leaves_none_and_frees_its_locks() {
    let folder = tempfile::tempdir().unwrap();
    let region = start(folder.path(), MAP);
    script(&region, "write 0 KEY00001-a");
    let gate = FifoGate::new();
    std::thread::scope(|s| {
        let lines = format!(
            "update 0 KEY00001\nrewrite 0 KEY00001-b\ngate {}",
            gate.path()
        );
        let (region, gate) = (&region, &gate);
        let holder = s.spawn(move || code(&script(region, &lines)));
        let open = gate.reached();
        let waiter = s.spawn(|| text(&script(region, "update 0 KEY00001")));
        until("a wait for the lock", || {
            region.handle().statistics().lock_waits >= 1
        });
        // The holder is the process that has the FIFO open for reading.
        kill_reader_of(gate.path());
        assert_eq!(holder.join().unwrap(), "ASRA");
        assert_eq!(waiter.join().unwrap(), "0 KEY00001-a\n");
        drop(open);
    });
}

fn kill_reader_of(path: &str) {
    let me = std::process::id();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Ok(pid) = entry.file_name().to_string_lossy().parse::<u32>() else {
            continue;
        };
        let fds = std::fs::read_dir(entry.path().join("fd"));
        let has =
            fds.into_iter().flatten().flatten().any(|fd| {
                std::fs::read_link(fd.path()).is_ok_and(|target| target == Path::new(path))
            });
        if has && pid != me {
            // SAFETY: a plain call on the worker's process.
            unsafe { libc::kill(pid as i32, libc::SIGKILL) };
        }
    }
}

#[test]
fn a_deadlock_ends_one_of_the_two() {
    let folder = tempfile::tempdir().unwrap();
    let region = start(folder.path(), MAP);
    script(&region, "write 0 KEY00001-a\nwrite 0 KEY00002-b");
    let (one, two) = (FifoGate::new(), FifoGate::new());
    std::thread::scope(|s| {
        let (region, one, two) = (&region, &one, &two);
        let first = s.spawn(move || {
            let lines = format!("update 0 KEY00001\ngate {}\nupdate 0 KEY00002", one.path());
            code(&script(region, &lines))
        });
        let second = s.spawn(move || {
            let lines = format!("update 0 KEY00002\ngate {}\nupdate 0 KEY00001", two.path());
            code(&script(region, &lines))
        });
        drop((one.reached(), two.reached()));
        let mut codes = [first.join().unwrap(), second.join().unwrap()];
        codes.sort();
        assert_eq!(codes, ["AFCF", "OK"]);
    });
    assert_eq!(region.handle().statistics().deadlocks, 1);
}

#[test]
fn a_wait_for_a_lock_ends_at_its_limit() {
    let folder = tempfile::tempdir().unwrap();
    let region = start_with(folder.path(), MAP, |c| c.lock_timeout_ms = 100);
    script(&region, "write 0 KEY00001-a");
    let gate = FifoGate::new();
    std::thread::scope(|s| {
        let lines = format!("update 0 KEY00001\ngate {}", gate.path());
        let region = &region;
        let holder = s.spawn(move || code(&script(region, &lines)));
        let open = gate.reached();
        assert_eq!(code(&script(region, "update 0 KEY00001")), "AFCF");
        drop(open);
        assert_eq!(holder.join().unwrap(), "OK");
    });
}

#[test]
fn a_hundred_tasks_add_to_one_record_and_none_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let region = start(folder.path(), MAP);
    script(&region, "write 0 KEY00001");
    std::thread::scope(|s| {
        for i in 0..10 {
            let region = &region;
            s.spawn(move || {
                for n in 0..10 {
                    // Each adds a record of its own under the shared lock.
                    let reply = script(
                        region,
                        &format!("update 0 KEY00001\nwrite 0 T{i:03}{n:04}\nrewrite 0 KEY00001{i}"),
                    );
                    assert_eq!(code(&reply), "OK");
                }
            });
        }
    });
    let mut key = "T".to_owned();
    let mut seen = 0;
    loop {
        let reply = script(&region, &format!("next 0 {key}"));
        let said = text(&reply);
        let Some(next) = said.strip_prefix("0 ") else {
            break;
        };
        key = next.trim_end().to_owned();
        seen += 1;
    }
    assert_eq!(seen, 100);
    assert_eq!(region.handle().statistics().commits, 101);
}

#[test]
fn units_share_the_flushes_of_the_store() {
    let folder = tempfile::tempdir().unwrap();
    let region = start_with(folder.path(), MAP, |c| c.mxt = 32);
    let handle = region.handle();
    std::thread::scope(|s| {
        for i in 0..32 {
            let handle = &handle;
            s.spawn(move || {
                for n in 0..10 {
                    let line = format!("write 0 U{i:03}{n:04}");
                    assert_eq!(code(&block_on(call(handle, "FILES", &line))), "OK");
                }
            });
        }
    });
    let statistics = handle.statistics();
    assert_eq!(statistics.commits, 320);
    assert!(
        statistics.commit_batches < 320,
        "{} batches",
        statistics.commit_batches
    );
}

#[test]
fn a_full_store_fails_the_commit_and_keeps_what_was_there() {
    let folder = tempfile::tempdir().unwrap();
    let region = start(folder.path(), 1 << 20);
    script(&region, "write 0 KEY00001-a");
    let filler = "x".repeat(3000);
    let mut failed = None;
    for i in 0..400 {
        let reply = script(&region, &format!("write 0 F{i:07}{filler}"));
        if code(&reply) != "OK" {
            failed = Some((i, code(&reply)));
            break;
        }
    }
    let (at, code_of) = failed.expect("the store runs full");
    assert_eq!(code_of, "ASP7");
    let last = format!("read 0 KEY00001\nread 0 F{at:07}\nwrite 0 G{at:07}{filler}\nsyncpoint");
    assert_eq!(
        text(&script(&region, &last)),
        "0 KEY00001-a\n13 \n0 \n82 \n"
    );
    assert_eq!(region.handle().statistics().store_failures, 2);
}

#[test]
fn a_region_started_again_finds_what_was_committed() {
    let folder = tempfile::tempdir().unwrap();
    let region = start(folder.path(), MAP);
    script(&region, "write 0 KEY00001-a");
    drop(region);
    let region = start(folder.path(), MAP);
    assert_eq!(text(&script(&region, "read 0 KEY00001")), "0 KEY00001-a\n");
}
