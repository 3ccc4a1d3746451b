//! Requests to start tasks over the loss and the normal end of the server.
//!
//! The program of GET /hello/{name} requests a task with NAME as its data, protected or not, or
//! returns whether that task has left a record. The task of a name that begins with `S` is
//! still running when the server is lost.

use crate::program::until;
use crate::server::{Server, application};

const HELLO: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. HELLO.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-KEY                      PIC X(8).
       01  WS-RECORD                   PIC X(80).
       LINKAGE SECTION.
       01  DFHCOMMAREA                 PIC X.
       COPY HELLO.
       PROCEDURE DIVISION.
           SET ADDRESS OF HELLO-AREA TO ADDRESS OF DFHCOMMAREA
           MOVE HELLO-NAME (3:8) TO WS-KEY
           EVALUATE HELLO-NAME (1:1)
               WHEN 'p'
                   EXEC CICS START TRANSID('NOTE') AFTER SECONDS(1)
                       FROM(WS-KEY) PROTECT NOHANDLE END-EXEC
               WHEN 'u'
                   EXEC CICS START TRANSID('NOTE') AFTER SECONDS(1)
                       FROM(WS-KEY) NOHANDLE END-EXEC
               WHEN 'n'
                   EXEC CICS START TRANSID('NOTE')
                       FROM(WS-KEY) PROTECT NOHANDLE END-EXEC
               WHEN 'm'
                   EXEC CICS READ FILE('MARKS') INTO(WS-RECORD)
                       RIDFLD(WS-KEY) NOHANDLE END-EXEC
               WHEN OTHER
                   EXEC CICS READ FILE('NOTES') INTO(WS-RECORD)
                       RIDFLD(WS-KEY) NOHANDLE END-EXEC
           END-EVALUATE
           MOVE EIBRESP TO HELLO-TASK
           MOVE WS-RECORD (9:7) TO HELLO-GREETING
           EXEC CICS RETURN END-EXEC.
";

const NOTE: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. NOTE.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RECORD.
           05  WS-KEY                  PIC X(8).
           05  WS-TASK                 PIC 9(7).
           05  FILLER                  PIC X(65) VALUE SPACES.
       01  WS-BEGUN                    PIC X(8).
       01  WS-LENGTH                   PIC S9(4) COMP VALUE 8.
       PROCEDURE DIVISION.
           EXEC CICS RETRIEVE INTO(WS-KEY) LENGTH(WS-LENGTH) END-EXEC
           MOVE EIBTASKN TO WS-TASK
           IF WS-KEY (1:1) = 'S'
               MOVE 'B' TO WS-BEGUN
               MOVE WS-KEY (2:7) TO WS-BEGUN (2:7)
               EXEC CICS READ FILE('MARKS') INTO(WS-RECORD)
                   RIDFLD(WS-BEGUN) NOHANDLE END-EXEC
               IF EIBRESP = DFHRESP(NOTFND)
                   MOVE WS-BEGUN TO WS-KEY
                   EXEC CICS WRITE FILE('MARKS') FROM(WS-RECORD)
                       RIDFLD(WS-BEGUN) END-EXEC
                   EXEC CICS DELAY FOR HOURS(1) END-EXEC
               END-IF
               MOVE 'S' TO WS-KEY (1:1)
           END-IF
           EXEC CICS WRITE FILE('NOTES') FROM(WS-RECORD)
               RIDFLD(WS-KEY) END-EXEC
           EXEC CICS RETURN END-EXEC.
";

const DEFINITIONS: &str = "
DEFINE TRANSACTION(HELO) GROUP(HELLO) PROGRAM(HELLO)
DEFINE TRANSACTION(NOTE) GROUP(HELLO) PROGRAM(NOTE)
DEFINE PROGRAM(HELLO) GROUP(HELLO)
DEFINE PROGRAM(NOTE) GROUP(HELLO)
DEFINE FILE(NOTES) GROUP(HELLO) RECORDFORMAT(F) RECORDSIZE(80) KEYLENGTH(8)
       ADD(YES) READ(YES) RECOVERY(BACKOUTONLY)
DEFINE FILE(MARKS) GROUP(HELLO) RECORDFORMAT(F) RECORDSIZE(80) KEYLENGTH(8)
       ADD(YES) READ(YES) RECOVERY(NONE)
";

const SETTINGS: &str = "[files.NOTES]\nkey_offset = 0\n\n[files.MARKS]\nkey_offset = 0\n";

fn notes() -> tempfile::TempDir {
    application(&[
        ("cobol/HELLO.cbl", HELLO),
        ("cobol/NOTE.cbl", NOTE),
        ("resources.csd", DEFINITIONS),
        ("tupelo.toml", SETTINGS),
    ])
}

/// The EIBRESP of the command with that name.
fn ask(server: &Server, name: &str) -> i64 {
    let answer = server.get(&format!("/hello/{name}"));
    assert_eq!(
        answer.status,
        200,
        "{}",
        String::from_utf8_lossy(&answer.body)
    );
    let json = answer.json();
    let task = &json["task"];
    task.as_i64()
        .unwrap_or_else(|| panic!("no response in {json}"))
}

const NORMAL: i64 = 0;
const NOTFND: i64 = 13;

#[test]
fn a_protected_start_is_there_after_the_server_was_lost() {
    let app = notes();
    let server = Server::start(app.path());
    assert_eq!(ask(&server, "p-KEPT"), NORMAL);
    assert_eq!(ask(&server, "u-LOST"), NORMAL);
    let server = Server::start_in(app.path(), server.kill());
    until("the protected task", || ask(&server, "r-KEPT") == NORMAL);
    // Had it outlived the server, it would have begun long before this one.
    assert_eq!(ask(&server, "p-LATER"), NORMAL);
    until("a later task", || ask(&server, "r-LATER") == NORMAL);
    assert_eq!(ask(&server, "r-LOST"), NOTFND);
    // It has begun once: after another start of the server it does not begin again.
    let server = Server::start_in(app.path(), server.kill());
    assert_eq!(ask(&server, "p-AFTER"), NORMAL);
    until("another one", || ask(&server, "r-AFTER") == NORMAL);
}

#[test]
fn a_protected_task_that_was_running_begins_again() {
    let app = notes();
    let server = Server::start(app.path());
    assert_eq!(ask(&server, "n-SLOW"), NORMAL);
    // It leaves a mark and waits for an hour.
    until("its mark", || ask(&server, "m-BLOW") == NORMAL);
    let server = Server::start_in(app.path(), server.kill());
    until("the task", || ask(&server, "r-SLOW") == NORMAL);
}
