//! Programs behave as on CICS where a compiler's habit could show.

use crate::server::{Server, application};

#[test]
fn items_behind_a_table_of_varying_length_move_with_its_counter() {
    let text = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. HELLO.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RECORD.
           05  WS-COUNT                 PIC 9.
           05  WS-ITEM                  PIC X OCCURS 1 TO 5 TIMES
                                        DEPENDING ON WS-COUNT.
           05  WS-BEHIND                PIC X(6).
       01  WS-TEXT                      PIC X(9) VALUE '2abBEHIND'.
       LINKAGE SECTION.
       01  DFHCOMMAREA                  PIC X.
       COPY HELLO.
       PROCEDURE DIVISION.
           SET ADDRESS OF HELLO-AREA TO ADDRESS OF DFHCOMMAREA
           MOVE 2 TO WS-COUNT
           MOVE WS-TEXT TO WS-RECORD
           MOVE WS-BEHIND TO HELLO-GREETING
           EXEC CICS RETURN END-EXEC.
";
    let app = application(&[("cobol/HELLO.cbl", text)]);
    let server = Server::start(app.path());
    assert_eq!(server.get("/hello/x").json()["greeting"], "BEHIND");
}
