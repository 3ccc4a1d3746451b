//! Attacks by COBOL programs.

use std::collections::HashMap;
use std::process::Output;
use std::time::Instant;

use super::sandbox_is_whole;
use crate::program::{text, tupelo};
use crate::server::{Server, application};

/// An application of one transaction, `EVIL`, and its programs.
struct HostileApplication(tempfile::TempDir);

impl HostileApplication {
    /// `procedure` is the program's, with commands; the others are whole.
    fn new(storage: &str, procedure: &str, others: &[(&str, &str)]) -> HostileApplication {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            std::fs::create_dir_all(folder.path().join("cobol")).unwrap();
            std::fs::write(folder.path().join(name), text).unwrap();
        };
        let main = format!(
            "       IDENTIFICATION DIVISION.
       PROGRAM-ID. EVIL.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
{storage}
       LINKAGE SECTION.
       01 DFHCOMMAREA PIC X(60).
       PROCEDURE DIVISION.
{procedure}
           EXEC CICS RETURN END-EXEC.
"
        );
        write("cobol/EVIL.cbl", &main);
        let mut definitions = String::from(
            "DEFINE TRANSACTION(EVIL) GROUP(G) PROGRAM(EVIL)\nDEFINE PROGRAM(EVIL) GROUP(G)\n",
        );
        for (name, source) in others {
            write(&format!("cobol/{name}.cbl"), source);
            definitions.push_str(&format!("DEFINE PROGRAM({name}) GROUP(G)\n"));
        }
        write("resources.csd", &definitions);
        write(
            "tupelo.toml",
            "[region]\ntask_memory_mib = 64\nworker_memory_mib = 512\n",
        );
        HostileApplication(folder)
    }

    /// Runs the transaction with a secret in the server's environment.
    fn run(&self) -> Output {
        tupelo()
            .args(["run", "EVIL"])
            .arg(self.0.path())
            .args(["--length", "60", "--json"])
            .env("HOSTILE_SECRET", "s3cr3t")
            // Settings that the run-time library would load and obey.
            .env("COB_PRE_LOAD", "EVILMODULE")
            .env("COB_LIBRARY_PATH", "/tmp")
            .env("COB_RUNTIME_CONFIG", "/nonexistent.cfg")
            .env("COB_EXIT_WAIT", "yes")
            .env("COB_DISPLAY_PRINT_FILE", "/tmp/tupelo-hostile-display")
            .output()
            .unwrap()
    }

    /// Its COMMAREA at the end, or its abend code and message.
    fn outcome(&self) -> String {
        let output = self.run();
        let answer: serde_json::Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|_| panic!("{}", text(&output.stderr)));
        match answer["abend"]["code"].as_str() {
            Some(code) => format!("{code} {}", answer["abend"]["message"].as_str().unwrap()),
            None => answer["commarea"].as_str().unwrap().trim_end().to_owned(),
        }
    }
}

#[test]
fn a_shell_is_refused_by_check_with_its_line() {
    let evil = HostileApplication::new(
        "       01 X PIC X(10) VALUE 'id'.",
        "           CALL STATIC 'system' USING X.",
        &[],
    );
    let output = tupelo().arg("check").arg(evil.0.path()).output().unwrap();
    let said = text(&output.stdout) + &text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("EVIL.cbl:9:"), "{said}");
    assert!(said.contains("'system'"), "{said}");
    // It is not run either.
    assert!(evil.outcome().starts_with("APCT"));
}

/// Routines of the run-time library and of other compilers that reach files,
/// processes, the environment or the screen.
const ROUTINES: &[&str] = &[
    "SYSTEM",
    "CBL_OPEN_FILE",
    "CBL_CREATE_FILE",
    "CBL_READ_FILE",
    "CBL_WRITE_FILE",
    "CBL_CLOSE_FILE",
    "CBL_DELETE_FILE",
    "CBL_RENAME_FILE",
    "CBL_COPY_FILE",
    "CBL_CHECK_FILE_EXIST",
    "CBL_CREATE_DIR",
    "CBL_DELETE_DIR",
    "CBL_CHANGE_DIR",
    "CBL_GET_CURRENT_DIR",
    "CBL_FLUSH_FILE",
    "CBL_EXIT_PROC",
    "CBL_ERROR_PROC",
    "CBL_GC_FORK",
    "CBL_GC_WAITPID",
    "CBL_GC_NANOSLEEP",
    "CBL_GC_GETOPT",
    "CBL_GC_HOSTED",
    "CBL_OC_DUMP",
    "CBL_GET_SCR_SIZE",
    "CBL_READ_KBD_CHAR",
    "C$CHDIR",
    "C$COPY",
    "C$DELETE",
    "C$FILEINFO",
    "C$GETPID",
    "C$MAKEDIR",
    "C$SLEEP",
    "EXTFH",
    "getenv",
    "system",
    "execve",
    "dlopen",
    "cob_init",
    "cob_stop_run",
    "../../../lib/x86_64-linux-gnu/libc.so.6",
    "/bin/sh",
];

#[test]
fn routines_of_the_library_cannot_be_called() {
    let procedure: String = ROUTINES
        .iter()
        .map(|name| {
            format!(
                "           MOVE '{name}' TO N
           CALL N USING X X X
             ON EXCEPTION CONTINUE
             NOT ON EXCEPTION MOVE N TO DFHCOMMAREA
           END-CALL
"
            )
        })
        .collect();
    let evil = HostileApplication::new(
        "       01 N PIC X(60).\n       01 X PIC X(200) VALUE 'touch reached'.",
        &format!("{procedure}           CONTINUE."),
        &[],
    );
    assert_eq!(evil.outcome(), "");
    // Named in the text, each is refused with its line.
    for name in ["CBL_DELETE_FILE", "C$SLEEP", "SYSTEM", "CBL_GC_FORK"] {
        let call = format!("           CALL '{name}' USING X X.");
        let evil = HostileApplication::new("       01 X PIC X(10).", &call, &[]);
        let output = tupelo().arg("check").arg(evil.0.path()).output().unwrap();
        let said = text(&output.stdout) + &text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{name}: {said}");
        assert!(said.contains("EVIL.cbl:9:"), "{name}: {said}");
    }
}

#[test]
fn statements_that_reach_the_process_are_refused_or_harmless() {
    let refused = [
        ("SET ENVIRONMENT", "           SET ENVIRONMENT 'A' TO 'B'."),
        (
            "ENVIRONMENT-NAME",
            "           DISPLAY 'A' UPON ENVIRONMENT-NAME.",
        ),
        ("a screen", "           DISPLAY 'A' LINE 1 COL 1."),
        ("a screen's field", "           ACCEPT X LINE 1 COL 1."),
    ];
    for (what, statement) in refused {
        let evil = HostileApplication::new("       01 X PIC X(10).", statement, &[]);
        let outcome_text = evil.outcome();
        assert!(outcome_text.starts_with("APCT"), "{what}: {outcome_text}");
    }
    let evil = HostileApplication::new(
        "       01 X PIC X(10) VALUE '1234567890'.
       01 D PIC 9(6).
       01 N PIC S9(9) COMP-5 VALUE 5.
       01 SHOWN PIC -9.",
        "           ACCEPT X.
           ACCEPT D FROM DATE.
           ACCEPT D FROM TIME.
           ACCEPT X FROM COMMAND-LINE.
           IF X NOT = SPACES DISPLAY 'ARGUMENTS ' X END-IF.
           ACCEPT N FROM ARGUMENT-NUMBER.
           ACCEPT X FROM ARGUMENT-VALUE.
           ACCEPT X FROM USER NAME.
           MOVE N TO SHOWN.
           STRING SHOWN '/' X INTO DFHCOMMAREA.",
        &[],
    );
    let outcome_text = evil.outcome();
    assert!(outcome_text.starts_with("-1/"), "{outcome_text}");
    assert!(!outcome_text.contains("root"), "{outcome_text}");
}

#[test]
fn a_sort_of_files_is_refused_when_it_is_called() {
    let sorter = include_str!("../../../testdata/programs/hostile/SORTER.cbl");
    let call = "           CALL 'SORTER' USING DFHCOMMAREA.";
    let outcome_text = HostileApplication::new("", call, &[("SORTER", sorter)]).outcome();
    // Such a module refers to entries that are not listed.
    assert!(outcome_text.starts_with("APCT"), "{outcome_text}");
}

#[test]
fn paragraphs_that_perform_themselves_without_end_are_a_runaway_task() {
    let evil = HostileApplication::new(
        "       01 N PIC 9(9) COMP-5 VALUE 0.",
        "           PERFORM DEEPER.
           MOVE 'BACK' TO DFHCOMMAREA.
           EXEC CICS RETURN END-EXEC.
       DEEPER.
           ADD 1 TO N
           PERFORM DEEPER.
       AFTER-ALL.",
        &[],
    );
    let outcome_text = evil.outcome();
    assert!(outcome_text.starts_with("AICA"), "{outcome_text}");
}

#[test]
fn switches_and_shared_items_of_a_task_are_not_the_next_one_s() {
    let program = include_str!("../../../testdata/programs/hostile/ITEMS.cbl");
    let app = application(&[("cobol/HELLO.cbl", program)]);
    let server = Server::start(app.path());
    for _ in 0..3 {
        assert_eq!(server.get("/hello/x").status, 200);
    }
}

#[test]
fn the_servers_environment_is_not_there() {
    let evil = HostileApplication::new(
        "       01 X PIC X(20) VALUE 'nothing'.",
        "           ACCEPT X FROM ENVIRONMENT 'HOSTILE_SECRET'
           MOVE X TO DFHCOMMAREA.",
        &[],
    );
    let outcome_text = evil.outcome();
    assert!(!outcome_text.contains("s3cr3t"), "{outcome_text}");
}

#[test]
fn files_are_refused_in_a_subprogram_when_it_is_run() {
    let reader = include_str!("../../../testdata/programs/hostile/READER.cbl");
    let call = "           CALL 'READER' USING DFHCOMMAREA.";
    let outcome_text = HostileApplication::new("", call, &[("READER", reader)]).outcome();
    assert!(
        outcome_text.starts_with("ASRA") && outcome_text.contains("file"),
        "{outcome_text}"
    );
}

#[test]
fn getmain_gives_a_task_its_share_and_no_more() {
    let evil = HostileApplication::new(
        "       01 P USAGE POINTER.
       01 R PIC S9(8) COMP.
       01 R2 PIC S9(8) COMP.
       01 A PIC 9(4).
       01 B PIC 9(4).
       01 N PIC 9(6) VALUE 0.
       01 D PIC 9(6).",
        "           EXEC CICS GETMAIN SET(P) FLENGTH(2000000000)
             RESP(R) RESP2(R2) END-EXEC
           MOVE R TO A MOVE R2 TO B
           STRING A '/' B INTO DFHCOMMAREA
           MOVE 0 TO R
           PERFORM UNTIL R NOT = 0 OR N > 5000
             EXEC CICS GETMAIN SET(P) FLENGTH(1048576) INITIMG(X'FF')
               RESP(R) RESP2(R2) END-EXEC
             IF R = 0 ADD 1 TO N END-IF
           END-PERFORM
           MOVE R TO A MOVE R2 TO B MOVE N TO D
           STRING A '/' B ' ' D INTO DFHCOMMAREA(12:30).",
        &[],
    );
    // LENGERR for more than the limit, NOSTG when the limit is used up.
    assert_eq!(evil.outcome(), "0022/0001  0042/0002 000064");
}

#[test]
fn allocate_ends_at_the_workers_bound() {
    let evil = HostileApplication::new(
        "       01 P USAGE POINTER.
       01 N PIC 9(6) VALUE 0.",
        "           PERFORM UNTIL N > 50000
             ALLOCATE 1048576 CHARACTERS INITIALIZED RETURNING P
             IF P = NULL EXIT PERFORM END-IF
             ADD 1 TO N
           END-PERFORM
           MOVE N TO DFHCOMMAREA.",
        &[],
    );
    let outcome_text = evil.outcome();
    let mib = outcome_text.parse::<u32>().ok();
    let ended_well = mib.is_some_and(|n| n <= 512);
    assert!(
        ended_well || outcome_text.starts_with("AKCP"),
        "{outcome_text}"
    );
}

#[test]
fn local_storage_of_a_recursion_ends_at_the_tasks_memory() {
    let down = include_str!("../../../testdata/programs/hostile/DOWN_STORAGE.cbl");
    let outcome_text =
        HostileApplication::new("", "           CALL 'DOWN'.", &[("DOWN", down)]).outcome();
    assert!(
        outcome_text.starts_with("AKCP") && outcome_text.contains("allocate"),
        "{outcome_text}"
    );
}

#[test]
fn calls_without_end_are_an_abend_that_says_so() {
    let down = include_str!("../../../testdata/programs/hostile/DOWN_CALLS.cbl");
    let up = down
        .replace("UPWARD", "?")
        .replace("DOWN", "UPWARD")
        .replace('?', "DOWN");
    let call = "           CALL 'DOWN' USING DFHCOMMAREA.";
    let outcome_text =
        HostileApplication::new("", call, &[("DOWN", down), ("UPWARD", &up)]).outcome();
    assert!(
        outcome_text.starts_with("ASRA") && outcome_text.contains("stack"),
        "{outcome_text}"
    );
}

#[test]
fn what_is_displayed_moves_no_cursor_and_floods_no_log() {
    let evil = HostileApplication::new(
        "       01 N PIC 9(6) VALUE 0.
       01 L PIC X(2000) VALUE ALL 'x'.",
        "           DISPLAY 'A' X'1B' '[2J' X'0D00' 'B'.
           PERFORM UNTIL N = 100000
             ADD 1 TO N DISPLAY L
           END-PERFORM.",
        &[],
    );
    let began = Instant::now();
    let output = evil.run();
    // A thousand lines a second, and those of ten seconds at once.
    let allowed = 1_000 * (11 + began.elapsed().as_secs()) as usize;
    let log = text(&output.stderr);
    assert!(log.contains("A\\u{1b}[2J\\r\\0B"), "{}", &log[..500]);
    assert!(!log.bytes().any(|b| b != b'\n' && b < b' '));
    assert!(
        log.lines().count() < allowed.min(50_000),
        "{} bytes",
        log.len()
    );
    assert!(
        log.contains("left out") || log.contains("were dropped"),
        "no count of lost lines is logged"
    );
}

#[test]
fn a_displayed_line_has_its_own_tasks_number() {
    if !sandbox_is_whole() {
        return;
    }
    let program = include_str!("../../../testdata/programs/hostile/SANDBOX.cbl");
    const CLIENTS: usize = 8;
    const REQUESTS: usize = 40;
    let app = application(&[("cobol/HELLO.cbl", program)]);
    let log = tempfile::NamedTempFile::new().unwrap();
    let server = Server::start_logging(app.path(), log.reopen().unwrap());
    std::thread::scope(|s| {
        for _ in 0..CLIENTS {
            s.spawn(|| {
                for _ in 0..REQUESTS {
                    assert_eq!(server.get("/hello/x").status, 200);
                }
            });
        }
    });
    // The last lines are read when the server ends.
    drop(server);
    let log = std::fs::read_to_string(log.path()).unwrap();
    let mut lines: HashMap<u64, usize> = HashMap::new();
    for line in log.lines().filter(|l| l.contains(" OF 0")) {
        let number = |mark: &str| {
            let at = line.rfind(mark).unwrap() + mark.len();
            let digits: String = line[at..]
                .chars()
                .take_while(char::is_ascii_digit)
                .collect();
            digits.parse::<u64>().unwrap()
        };
        assert_eq!(number(" OF "), number(" task "), "{line}");
        *lines.entry(number(" task ")).or_default() += 1;
    }
    assert_eq!(lines.len(), CLIENTS * REQUESTS);
    assert!(lines.values().all(|n| *n == 4), "{lines:?}");
}
