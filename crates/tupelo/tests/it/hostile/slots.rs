//! Data of other tasks that a program finds in its worker's memory.
//!
//! A module of its own computes the addresses of the other slots, and so does COBOL by a
//! pointer that is redefined as a number. The same search finds the requests of others
//! where tasks share workers, and none where `isolate_tasks` keeps them apart: the first
//! shows that the second can fail. Data of ended tasks is found in neither case.

use std::path::Path;
use std::process::Command;

use region::{Name, ProgramEntry, TaskRequest, block_on};

use super::{Arena, answer};
use crate::facilities;

/// A text in the requests of the other tasks.
const SECRET: &str = "TOPSECRET-4711";
/// A text in the request of an ended task.
const OLD_SECRET: &str = "OLDSECRET-0815";
/// Tasks that are begun and wait when the search runs.
const WAITING: usize = 6;

/// Looks through the beginnings of all arenas. Its COMMAREA has the text backwards, so that
/// the program does not find its own request.
const WILD: &str = "
01 WS-ADDRESS PIC S9(18) COMP-5.
01 WS-POINTER REDEFINES WS-ADDRESS POINTER.
01 WS-OWN PIC S9(18) COMP-5.
01 WS-SLOT PIC S9(4) COMP-5.
01 WS-COUNT PIC 9(4).
01 WS-FOUND PIC 99 VALUE 0.
01 WS-TEXT PIC X(14).
LINKAGE SECTION.
01 DFHCOMMAREA PIC X(200).
01 ARENA-PART PIC X(16384).
PROCEDURE DIVISION.
    MOVE FUNCTION REVERSE(DFHCOMMAREA(1:14)) TO WS-TEXT
    SET WS-POINTER TO ADDRESS OF DFHCOMMAREA
    MOVE WS-ADDRESS TO WS-OWN
    PERFORM VARYING WS-SLOT FROM -8 BY 1 UNTIL WS-SLOT > 8
      COMPUTE WS-ADDRESS = WS-OWN + WS-SLOT * 1048576 - 8192
      SET ADDRESS OF ARENA-PART TO WS-POINTER
      MOVE 0 TO WS-COUNT
      INSPECT ARENA-PART TALLYING WS-COUNT FOR ALL WS-TEXT
      IF WS-COUNT > 0 ADD 1 TO WS-FOUND END-IF
    END-PERFORM
    MOVE LOW-VALUES TO DFHCOMMAREA
    MOVE WS-FOUND TO DFHCOMMAREA(1:2)
    EXEC CICS RETURN END-EXEC.
";

/// A program that searches, and how it is asked for a text.
struct SearchProgram<'a> {
    module: &'a Path,
    name: &'a str,
    is_cobol: bool,
}

impl SearchProgram<'_> {
    /// The number of slots in which it finds requests of tasks that wait or whose answers
    /// were not taken, and of a task that has ended.
    fn found(&self, isolate_tasks: bool) -> [usize; 2] {
        // SAFETY: asks for a number.
        let cpu = usize::try_from(unsafe { libc::sched_getcpu() }).unwrap();
        let arena = Arena::with(2 * WAITING, |config| {
            config.isolate_tasks = isolate_tasks;
            // On one CPU brief tasks are queued for one worker.
            config.engines.general = vec![cpu];
            config.definitions.programs.push(ProgramEntry {
                name: Name::new(self.name).unwrap(),
                module: Some(self.module.to_owned()),
                enabled: true,
                threadsafe: true,
                translated: self.is_cobol,
                ..ProgramEntry::default()
            });
        });
        let handle = arena.region.handle();
        let begin = |secret: &str| {
            let request = TaskRequest {
                transid: Name::new("TEST").unwrap(),
                program: Name::new("GOOD").unwrap(),
                ..TaskRequest::default()
            };
            let mut task = block_on(handle.begin(&handle.default_port(), request)).unwrap();
            task.set_commarea(200, |area| {
                area.fill(0);
                // After the program's answer.
                area[100..100 + secret.len()].copy_from_slice(secret.as_bytes());
                Ok::<(), ()>(())
            })
            .unwrap();
            task
        };
        // All are begun before one has run: a program counts as brief until then, however
        // busy the machine is.
        let [old, first] = [begin(OLD_SECRET), begin(SECRET)];
        let waiting: Vec<_> = (0..WAITING).map(|_| begin(SECRET)).collect();
        assert_eq!(answer(&block_on(old.run())), "good");
        // An answer that its door has not taken, and requests that have not run.
        let reply = block_on(first.run());
        assert_eq!(answer(&reply), "good");
        let found = [SECRET, OLD_SECRET].map(|text| {
            let asked = if self.is_cobol {
                text.chars().rev().collect()
            } else {
                text.to_owned()
            };
            let answer = arena.run(self.name, &asked);
            answer.parse().unwrap_or_else(|_| panic!("{answer}"))
        });
        drop((reply, waiting));
        found
    }

    fn finds_others_only_where_tasks_share_workers(&self) {
        assert_eq!(self.found(false), [WAITING + 1, 0], "{}", self.name);
        assert_eq!(self.found(true), [0, 0], "{}", self.name);
    }
}

#[test]
fn requests_of_other_tasks_are_in_no_process_that_runs_one_where_tasks_are_isolated() {
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
    let search = SearchProgram {
        module: &module,
        name: "SLOTS",
        is_cobol: false,
    };
    search.finds_others_only_where_tasks_share_workers();
}

#[test]
fn a_pointer_that_cobol_computes_reaches_others_only_where_tasks_share_workers() {
    let folder = tempfile::tempdir().unwrap();
    facilities::compile(folder.path(), "WILD", WILD);
    let search = SearchProgram {
        module: &folder.path().join("WILD.so"),
        name: "WILD",
        is_cobol: true,
    };
    search.finds_others_only_where_tasks_share_workers();
}
