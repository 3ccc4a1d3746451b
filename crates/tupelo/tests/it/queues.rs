//! Recoverable queues of a region that is killed.

use std::time::{Duration, Instant};

use crate::server::{Server, application};

/// A program that writes (`W`), writes and keeps running (`H`), returns whether such a task has
/// written (`C`), and returns the contents of both queues (`R`).
const PROGRAM: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. HELLO.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RESP                     PIC S9(8) COMP VALUE 0.
       01  WS-AT                       PIC S9(4) COMP VALUE 1.
       01  WS-DATA                     PIC X(2).
       LINKAGE SECTION.
       01  DFHCOMMAREA                 PIC X.
       COPY HELLO.
       PROCEDURE DIVISION.
           SET ADDRESS OF HELLO-AREA TO ADDRESS OF DFHCOMMAREA
           MOVE SPACES TO HELLO-GREETING
           MOVE EIBTASKN TO HELLO-TASK
           EVALUATE HELLO-NAME (1:1)
               WHEN 'W' PERFORM WRITE-BOTH
               WHEN 'H' PERFORM WRITE-BOTH PERFORM STAY
               WHEN 'C' PERFORM LOOK
               WHEN 'R' PERFORM READ-BOTH
           END-EVALUATE
           EXEC CICS RETURN END-EXEC.
       WRITE-BOTH.
           MOVE HELLO-NAME TO WS-DATA
           EXEC CICS WRITEQ TS QUEUE('KEEP') FROM(WS-DATA) END-EXEC
           EXEC CICS WRITEQ TD QUEUE('LOGI') FROM(WS-DATA) END-EXEC.
       STAY.
           EXEC CICS WRITEQ TS QUEUE('HERE') FROM(WS-DATA) END-EXEC
           EXEC CICS DELAY FOR SECONDS(600) END-EXEC.
       LOOK.
           EXEC CICS READQ TS QUEUE('HERE') INTO(WS-DATA) ITEM(1)
               RESP(WS-RESP) END-EXEC
           IF WS-RESP = DFHRESP(NORMAL)
               MOVE 'written' TO HELLO-GREETING
           END-IF.
       READ-BOTH.
           PERFORM UNTIL WS-RESP NOT = DFHRESP(NORMAL)
               EXEC CICS READQ TS QUEUE('KEEP') INTO(WS-DATA)
                   RESP(WS-RESP) END-EXEC
               PERFORM ADD-DATA
           END-PERFORM
           MOVE 0 TO WS-RESP
           PERFORM UNTIL WS-RESP NOT = DFHRESP(NORMAL)
               EXEC CICS READQ TD QUEUE('LOGI') INTO(WS-DATA)
                   RESP(WS-RESP) END-EXEC
               PERFORM ADD-DATA
           END-PERFORM
           EXEC CICS SYNCPOINT ROLLBACK END-EXEC.
       ADD-DATA.
           IF WS-RESP = DFHRESP(NORMAL)
               MOVE WS-DATA TO HELLO-GREETING (WS-AT:2)
           ELSE
               MOVE '/' TO HELLO-GREETING (WS-AT:1)
               SUBTRACT 1 FROM WS-AT
           END-IF
           ADD 2 TO WS-AT.
";

const DEFINITIONS: &str = "
DEFINE TRANSACTION(HELO) GROUP(HELLO) PROGRAM(HELLO)
DEFINE PROGRAM(HELLO) GROUP(HELLO) CONCURRENCY(THREADSAFE)
DEFINE TSMODEL(KEEP) GROUP(HELLO) PREFIX(KEEP) RECOVERY(YES)
DEFINE TDQUEUE(LOGI) GROUP(HELLO) TYPE(INTRA) RECOVSTATUS(LOGICAL)
";

fn greeting(server: &Server, name: &str) -> String {
    let answer = server.get(&format!("/hello/{name}"));
    assert_eq!(answer.status, 200, "{answer:?}");
    String::from_utf8_lossy(&answer.body).into_owned()
}

#[test]
fn after_a_kill_recoverable_queues_have_exactly_the_committed_records() {
    let folder = application(&[("cobol/HELLO.cbl", PROGRAM), ("resources.csd", DEFINITIONS)]);
    let server = Server::start(folder.path());
    for name in ["W1", "W2", "W3"] {
        greeting(&server, name);
    }
    let gateway = server.gateway.clone();
    let stays = std::thread::spawn(move || {
        // No answer arrives: the region is killed meanwhile.
        std::panic::catch_unwind(|| crate::http::send(&gateway, "GET", "/hello/H4", None))
    });
    let begin = Instant::now();
    while !greeting(&server, "C").contains("written") {
        assert!(begin.elapsed() < Duration::from_secs(30), "never written");
        std::thread::yield_now();
    }
    let state = server.kill();
    let _ = stays.join();
    let server = Server::start_in(folder.path(), state);
    let contents = greeting(&server, "R");
    assert!(contents.contains("W1W2W3/W1W2W3/"), "{contents}");
    greeting(&server, "W5");
    let contents = greeting(&server, "R");
    assert!(contents.contains("W5/W1W2W3W5/"), "{contents}");
}
