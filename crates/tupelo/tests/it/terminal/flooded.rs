//! A program that starts transactions at a terminal without end.

use super::*;
use crate::others::OtherClients;
use crate::server::application;

/// Waits for a second input, so that its terminal stays busy.
const WAITING: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. WAITING.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-IN                        PIC X(20).
       01  WS-LEN                       PIC S9(4) COMP VALUE 20.
       PROCEDURE DIVISION.
           EXEC CICS RECEIVE INTO(WS-IN) LENGTH(WS-LEN) END-EXEC
           EXEC CICS SEND TEXT FROM('ASKING') LENGTH(6) ERASE END-EXEC
           MOVE 20 TO WS-LEN
           EXEC CICS RECEIVE INTO(WS-IN) LENGTH(WS-LEN) END-EXEC
           EXEC CICS SEND TEXT FROM('ENDED') LENGTH(5) ERASE END-EXEC
           EXEC CICS RETURN END-EXEC.
";

/// Starts a transaction at the terminal until that is refused.
const FLOOD: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. HELLO.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-RESP                      PIC S9(8) COMP VALUE 0.
       01  WS-SHOWN                     PIC 9(2).
       01  WS-COUNT                     PIC 9(4) VALUE 0.
       01  WS-DATA                      PIC X(1000) VALUE SPACES.
       LINKAGE SECTION.
       01  DFHCOMMAREA                  PIC X.
       COPY HELLO.
       PROCEDURE DIVISION.
           SET ADDRESS OF HELLO-AREA TO ADDRESS OF DFHCOMMAREA
           MOVE EIBTASKN TO HELLO-TASK
           MOVE SPACES TO HELLO-GREETING
           IF HELLO-NAME = 'flood'
               PERFORM UNTIL WS-RESP NOT = 0 OR WS-COUNT > 5000
                   EXEC CICS START TRANSID('WAIT') TERMID('T001')
                       FROM(WS-DATA) LENGTH(1000) RESP(WS-RESP) END-EXEC
                   ADD 1 TO WS-COUNT
               END-PERFORM
               MOVE WS-RESP TO WS-SHOWN
               STRING 'RESP ' WS-SHOWN ' AFTER ' WS-COUNT
                   DELIMITED BY SIZE INTO HELLO-GREETING
           END-IF
           EXEC CICS RETURN END-EXEC.
";

const DEFINITIONS: &str = "DEFINE TRANSACTION(WAIT) GROUP(A) PROGRAM(WAITING)\n\
    DEFINE TRANSACTION(HELO) GROUP(A) PROGRAM(HELLO)\n\
    DEFINE PROGRAM(HELLO) GROUP(A) CONCURRENCY(THREADSAFE)\n";

#[test]
fn starts_at_a_terminal_beyond_its_bound_are_refused_and_others_are_served() {
    let app = application(&[("cobol/HELLO.cbl", FLOOD), ("cobol/WAITING.cbl", WAITING)]);
    let settings = app.path().join("tupelo.toml");
    let before = std::fs::read_to_string(&settings).unwrap();
    let listens = format!("{before}\n[terminal]\nlisten = \"127.0.0.1:0\"\n");
    std::fs::write(&settings, listens).unwrap();
    std::fs::write(app.path().join("resources.csd"), DEFINITIONS).unwrap();
    let server = Server::start(app.path());
    let mut terminal = Terminal::model_2(&server);
    terminal.type_text("wait");
    terminal.press(Key::Enter, "ASKING");
    let flood = || server.get("/hello/flood");
    let (answer, others) = OtherClients::during(&server, "/hello/other", flood);
    let greeting = answer.json()["greeting"].to_string();
    println!("facilities and what waits at them: {greeting}; {others}");
    assert_eq!(others.errors, 0, "{others}");
    // IOERR for the 101st.
    assert!(greeting.contains("17 AFTER 0101"), "{greeting}");
    // The terminal's own task continues.
    terminal.press(Key::Enter, "ENDED");
}
