//! What a program finds of other tasks in its worker's memory.
//!
//! A module of its own computes the addresses of the other slots. The same search
//! finds the requests of others where tasks share workers, and none where
//! `isolate_tasks` keeps them apart: the first shows that the second can fail.

use std::process::Command;

use region::{Name, ProgramEntry, TaskRequest, block_on};

use super::{Arena, answer};

/// What the requests of the other tasks hold.
const SECRET: &str = "TOPSECRET-4711";
/// Tasks that are begun and wait when the search runs.
const WAITING: usize = 6;

/// The number of other tasks that a program finds.
fn found(isolate_tasks: bool) -> String {
    let folder = tempfile::tempdir().unwrap();
    let module = folder.path().join("slots.so");
    let built = Command::new("cc")
        .args(["-shared", "-fPIC", "-O1", "-w", "-o"])
        .arg(&module)
        .arg(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/it/hostile/slots.c"
        ))
        .status()
        .unwrap();
    assert!(built.success());
    // SAFETY: asks for a number.
    let cpu = usize::try_from(unsafe { libc::sched_getcpu() }).unwrap();
    let arena = Arena::with(2 * WAITING, |config| {
        config.isolate_tasks = isolate_tasks;
        // On one CPU brief tasks are queued for one worker.
        config.engines.general = vec![cpu];
        config.definitions.programs.push(ProgramEntry {
            name: Name::new("SLOTS").unwrap(),
            module: Some(module.clone()),
            enabled: true,
            threadsafe: true,
            ..ProgramEntry::default()
        });
    });
    let handle = arena.region.handle();
    let begin = |program: &str| {
        let request = TaskRequest {
            transid: Name::new("TEST").unwrap(),
            program: Name::new(program).unwrap(),
            ..TaskRequest::default()
        };
        let mut task = block_on(handle.begin(&handle.default_port(), request)).unwrap();
        task.set_commarea(200, |area| {
            area.fill(0);
            // Beyond what the program answers.
            area[100..100 + SECRET.len()].copy_from_slice(SECRET.as_bytes());
            Ok::<(), ()>(())
        })
        .unwrap();
        task
    };
    // An answer that its door has not taken, and requests that have not run.
    let reply = block_on(begin("GOOD").run());
    assert_eq!(answer(&reply), "good");
    let waiting: Vec<_> = (0..WAITING).map(|_| begin("GOOD")).collect();
    let found = arena.run("SLOTS", SECRET);
    drop((reply, waiting));
    found
}

#[test]
fn requests_of_other_tasks_are_in_no_process_that_runs_one_where_tasks_are_isolated() {
    assert_eq!(found(false), (WAITING + 1).to_string(), "the search finds");
    assert_eq!(found(true), "0");
}
