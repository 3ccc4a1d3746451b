//! Socket calls of programs whose result one run shows.

use std::net::UdpSocket;

use crate::program::{run, text};
use crate::server::application;

/// A program of one transaction, run once; its COMMAREA at the end.
fn final_commarea(served: &str, storage: &str, procedure: &str) -> String {
    final_commarea_with(served, storage, procedure, &[])
}

/// The same in an application with other files.
fn final_commarea_with(
    served: &str,
    storage: &str,
    procedure: &str,
    others: &[(&str, &str)],
) -> String {
    let program = format!(
        "       IDENTIFICATION DIVISION.
       PROGRAM-ID. HELLO.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  F                            PIC X(16).
       01  MAXSOC                       PIC 9(4) BINARY VALUE 50.
       01  IDENT.
           05  TCPNAME                  PIC X(8) VALUE SPACES.
           05  ADSNAME                  PIC X(8) VALUE SPACES.
       01  SUBTASK                      PIC X(8) VALUE SPACES.
       01  MAXSNO                       PIC 9(8) BINARY.
       01  ERRNO                        PIC 9(8) BINARY.
       01  RETCODE                      PIC S9(8) BINARY.
       01  SHOWN-CODE                   PIC -(5)9.
       01  SHOWN-ERRNO                  PIC 9(6).
{storage}
       LINKAGE SECTION.
       01  DFHCOMMAREA                  PIC X(60).
       01  ECB                          PIC X(4).
       01  NOWHERE.
           05  NO-FIRST                 PIC X(8).
           05  NO-NUMBER                PIC 9(8) BINARY.
           05  NO-BUFFER                PIC X(100).
       PROCEDURE DIVISION.
           MOVE 'INITAPI' TO F
           CALL 'EZASOKET' USING F MAXSOC IDENT SUBTASK MAXSNO
               ERRNO RETCODE
{procedure}
           EXEC CICS RETURN END-EXEC.
       SHOW.
           MOVE RETCODE TO SHOWN-CODE
           MOVE ERRNO TO SHOWN-ERRNO.
"
    );
    let settings = format!(
        "[region]\napplid = \"HELLORGN\"\n[sockets]\nserved = \"{served}\"\nconnect = [\"127.0.0.1\"]\n"
    );
    let own = [("cobol/HELLO.cbl", &*program), ("tupelo.toml", &settings)];
    let app = application(&[&own, others].concat());
    let folder = app.path().to_str().unwrap();
    let output = run(&["run", "HELO", folder, "--length", "60", "--json"]);
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", text(&output.stderr)));
    assert!(answer["abend"].is_null(), "{answer}");
    answer["commarea"].as_str().unwrap().trim_end().to_owned()
}

#[test]
fn an_event_control_block_that_is_posted_ends_a_select_without_limit() {
    let storage = "       01  TIMEOUT.
           05  SECONDS                  PIC S9(8) BINARY VALUE -1.
           05  MICROS                   PIC S9(8) BINARY VALUE 0.
       01  NONE                         PIC 9(4) BINARY VALUE 0.
       01  M                            PIC X(4) VALUE LOW-VALUES.
       01  R                            PIC X(4).
       01  P                            USAGE POINTER.";
    let procedure = "           EXEC CICS POST AFTER SECONDS(1) SET(P) END-EXEC
           SET ADDRESS OF ECB TO P
           MOVE 'SELECTEX' TO F
           CALL 'EZASOKET' USING F NONE TIMEOUT M M M R R R ECB
               ERRNO RETCODE
           PERFORM SHOW
           STRING SHOWN-CODE ' ' SHOWN-ERRNO ';' INTO DFHCOMMAREA
           IF ECB(1:1) NOT = X'40'
               MOVE 'NOT POSTED' TO DFHCOMMAREA
           END-IF
           CALL 'EZASOKET' USING F NONE TIMEOUT M M M R R R ECB
               ERRNO RETCODE
           PERFORM SHOW
           STRING SHOWN-CODE ' ' SHOWN-ERRNO INTO DFHCOMMAREA(15:30)";
    for served in ["region", "worker"] {
        let commarea = final_commarea(served, storage, procedure);
        assert_eq!(commarea, "     0 000000;    -1 001040", "{served}");
    }
}

#[test]
fn a_list_of_event_control_blocks_ends_a_select_with_any_of_them() {
    let storage = "       01  TIMEOUT.
           05  SECONDS                  PIC S9(8) BINARY VALUE -1.
           05  MICROS                   PIC S9(8) BINARY VALUE 0.
       01  NONE                         PIC 9(4) BINARY VALUE 0.
       01  M                            PIC X(4) VALUE LOW-VALUES.
       01  R                            PIC X(4).
       01  P                            USAGE POINTER.
       01  FIRST-ECB                    PIC X(4) VALUE LOW-VALUES.
       01  ECB-LIST.
           05  ECB-AT                   USAGE POINTER OCCURS 3.
       01  ECB-ADDRESSES REDEFINES ECB-LIST.
           05  ECB-ADDRESS              PIC X(8) OCCURS 3.";
    let procedure = "           EXEC CICS POST AFTER SECONDS(1) SET(P) END-EXEC
           SET ADDRESS OF ECB TO P
           SET ECB-AT(1) TO ADDRESS OF FIRST-ECB
           SET ECB-AT(2) TO NULL
           SET ECB-AT(3) TO P
           MOVE 'SELECTEX' TO F
           CALL 'EZASOKET' USING F NONE TIMEOUT M M M R R R ECB-LIST
               ERRNO RETCODE
           PERFORM SHOW
           STRING SHOWN-CODE ' ' SHOWN-ERRNO ';' INTO DFHCOMMAREA
           IF ECB(1:1) NOT = X'40' OR FIRST-ECB NOT = LOW-VALUES
               MOVE 'NOT POSTED' TO DFHCOMMAREA
           END-IF
      *    One that is posted at once, and a time that ends.
           CALL 'EZASOKET' USING F NONE TIMEOUT M M M R R R ECB-LIST
               ERRNO RETCODE
           PERFORM SHOW
           STRING SHOWN-CODE ' ' SHOWN-ERRNO ';' INTO DFHCOMMAREA(15:15)
           MOVE LOW-VALUES TO ECB
           MOVE 0 TO SECONDS
           MOVE 1000 TO MICROS
           CALL 'EZASOKET' USING F NONE TIMEOUT M M M R R R ECB-LIST
               ERRNO RETCODE
           PERFORM SHOW
           STRING SHOWN-CODE ' ' SHOWN-ERRNO ';' INTO DFHCOMMAREA(29:15)
      *    The last address is marked: the list ends with it.
           MOVE X'40000000' TO ECB
           MOVE X'0100000000000080' TO ECB-ADDRESS(2)
           SET ECB-AT(1) TO NULL
           CALL 'EZASOKET' USING F NONE TIMEOUT M M M R R R ECB-LIST
               ERRNO RETCODE
           PERFORM SHOW
           STRING SHOWN-CODE ' ' SHOWN-ERRNO INTO DFHCOMMAREA(43:15)";
    for served in ["region", "worker"] {
        let commarea = final_commarea(served, storage, procedure);
        let wanted = "     0 000000;    -1 001040;     0 000000;    -1 000014";
        assert_eq!(commarea, wanted, "{served}");
    }
}

#[test]
fn a_post_that_another_task_cancels_ends_a_select() {
    let cancels = include_str!("../../testdata/programs/socket_calls/CANCELS.cbl");
    let definitions = "DEFINE TRANSACTION(HELO) GROUP(A) PROGRAM(HELLO)\n\
                       DEFINE TRANSACTION(CANC) GROUP(A) PROGRAM(CANCELS)\n";
    let others = [
        ("cobol/CANCELS.cbl", cancels),
        ("resources.csd", definitions),
    ];
    let storage = "       01  TIMEOUT.
           05  SECONDS                  PIC S9(8) BINARY VALUE 60.
           05  MICROS                   PIC S9(8) BINARY VALUE 0.
       01  NONE                         PIC 9(4) BINARY VALUE 0.
       01  M                            PIC X(4) VALUE LOW-VALUES.
       01  R                            PIC X(4).
       01  P                            USAGE POINTER.";
    // A START after the POST would cancel the POST.
    let procedure = "           EXEC CICS START TRANSID('CANC') AFTER SECONDS(1) END-EXEC
           EXEC CICS POST AFTER HOURS(1) SET(P)
               REQID('MYPOST') END-EXEC
           SET ADDRESS OF ECB TO P
           MOVE 'SELECTEX' TO F
           CALL 'EZASOKET' USING F NONE TIMEOUT M M M R R R ECB
               ERRNO RETCODE
           PERFORM SHOW
           STRING SHOWN-CODE ' ' SHOWN-ERRNO INTO DFHCOMMAREA
           IF ECB(1:1) NOT = X'40'
               MOVE 'NOT POSTED' TO DFHCOMMAREA
           END-IF";
    for served in ["region", "worker"] {
        let shown = final_commarea_with(served, storage, procedure, &others);
        assert_eq!(shown, "     0 000000", "{served}");
    }
}

#[test]
fn sendmsg_takes_the_length_of_its_address_as_the_manual_s_example_has_it() {
    let here = UdpSocket::bind("127.0.0.1:0").unwrap();
    here.set_read_timeout(Some(std::time::Duration::from_secs(30)))
        .unwrap();
    let port = here.local_addr().unwrap().port();
    let storage = format!(
        "       01  AF-INET                      PIC 9(8) BINARY VALUE 2.
       01  DGRAM                        PIC 9(8) BINARY VALUE 2.
       01  PROTO                        PIC 9(8) BINARY VALUE 0.
       01  S                            PIC 9(4) BINARY.
       01  FLAGS                        PIC 9(8) BINARY VALUE 0.
       01  THERE.
           05  FAMILY                   PIC 9(4) BINARY VALUE 2.
           05  PORT                     PIC 9(4) BINARY VALUE {port}.
           05  ADDR                     PIC X(4) VALUE X'7F000001'.
           05  FILLER                   PIC X(8) VALUE LOW-VALUES.
       01  PIECE-1                      PIC X(6) VALUE 'SENT, '.
       01  PIECE-2                      PIC X(10) VALUE 'IN PIECES.'.
       01  IOV-COUNT                    PIC 9(8) BINARY VALUE 2.
       01  IOV.
           05  IOV-ENTRY OCCURS 2.
               10  IOV-AT               USAGE POINTER.
               10  FILLER               PIC X(4).
               10  IOV-BYTES            PIC 9(8) BINARY.
       01  MSG.
           05  MSG-NAME                 USAGE POINTER.
           05  MSG-NAME-LEN             PIC 9(8) BINARY VALUE 16.
           05  MSG-IOV                  USAGE POINTER.
           05  MSG-IOVCNT               USAGE POINTER.
           05  MSG-ACCRIGHTS            USAGE POINTER VALUE NULL.
           05  MSG-ACCRIGHTS-LEN        USAGE POINTER VALUE NULL."
    );
    let procedure = "           MOVE 'SOCKET' TO F
           CALL 'EZASOKET' USING F AF-INET DGRAM PROTO ERRNO RETCODE
           MOVE RETCODE TO S
           SET IOV-AT(1) TO ADDRESS OF PIECE-1
           MOVE 6 TO IOV-BYTES(1)
           SET IOV-AT(2) TO ADDRESS OF PIECE-2
           MOVE 10 TO IOV-BYTES(2)
           SET MSG-NAME TO ADDRESS OF THERE
           SET MSG-IOV TO ADDRESS OF IOV
           SET MSG-IOVCNT TO ADDRESS OF IOV-COUNT
           MOVE 'SENDMSG' TO F
           CALL 'EZASOKET' USING F S MSG FLAGS ERRNO RETCODE
           PERFORM SHOW
           STRING SHOWN-CODE ' ' SHOWN-ERRNO INTO DFHCOMMAREA";
    for served in ["region", "worker"] {
        assert_eq!(
            final_commarea(served, &storage, procedure),
            "    16 000000",
            "{served}"
        );
        let mut datagram = [0; 100];
        let (bytes, _) = here.recv_from(&mut datagram).unwrap();
        assert_eq!(text(&datagram[..bytes]), "SENT, IN PIECES.", "{served}");
    }
}

#[test]
fn a_maxsoc_below_zero_is_a_timer_and_one_beyond_all_sockets_an_error() {
    let storage = "       01  TIMEOUT                      PIC X(8) VALUE LOW-VALUES.
       01  FAR                          PIC S9(8) BINARY VALUE -1.
       01  M                            PIC X(4) VALUE LOW-VALUES.
       01  R                            PIC X(4).
";
    let procedure = "           MOVE 'SELECT' TO F
           CALL 'EZASOKET' USING F FAR TIMEOUT M M M R R R ERRNO RETCODE
           PERFORM SHOW
           STRING SHOWN-CODE SHOWN-ERRNO DELIMITED BY SIZE
               INTO DFHCOMMAREA(40:12)
           MOVE 2000 TO FAR
           CALL 'EZASOKET' USING F FAR TIMEOUT M M M R R R ERRNO RETCODE
           PERFORM SHOW
           STRING SHOWN-CODE SHOWN-ERRNO DELIMITED BY SIZE
               INTO DFHCOMMAREA
           MOVE 2147483647 TO FAR
           CALL 'EZASOKET' USING F FAR TIMEOUT M M M R R R ERRNO RETCODE
           PERFORM SHOW
           STRING SHOWN-CODE SHOWN-ERRNO DELIMITED BY SIZE
               INTO DFHCOMMAREA(20:12)
";
    for served in ["region", "worker"] {
        assert_eq!(
            final_commarea(served, storage, procedure),
            "     0000000           -1010332             0000000",
            "{served}"
        );
    }
}

#[test]
fn an_item_without_an_address_is_an_error_of_the_call_and_the_task_goes_on() {
    let storage = "       01  AF-INET                      PIC 9(8) BINARY VALUE 2.
       01  DGRAM                        PIC 9(8) BINARY VALUE 2.
       01  PROTO                        PIC 9(8) BINARY VALUE 0.
       01  S                            PIC 9(4) BINARY.
       01  NBYTE                        PIC 9(8) BINARY VALUE 4.
       01  AT-BYTE                      PIC 9(4) BINARY VALUE 1.
";
    let procedure = "           MOVE 'SOCKET' TO F
           CALL 'EZASOKET' USING F AF-INET DGRAM PROTO ERRNO RETCODE
           MOVE RETCODE TO S
           MOVE 'BIND' TO F
           CALL 'EZASOKET' USING F S NOWHERE ERRNO RETCODE
           PERFORM EMIT
           MOVE 'WRITE' TO F
           CALL 'EZASOKET' USING F S NBYTE NO-BUFFER ERRNO RETCODE
           PERFORM EMIT
           CALL 'EZASOKET' USING F S NO-NUMBER F ERRNO RETCODE
           PERFORM EMIT
           MOVE 'GETSOCKNAME' TO F
           CALL 'EZASOKET' USING F S NO-BUFFER ERRNO RETCODE
           PERFORM EMIT
           CALL 'EZASOKET' USING F S IDENT ERRNO NO-NUMBER
           PERFORM EMIT
           EXEC CICS RETURN END-EXEC.
       EMIT.
           PERFORM SHOW
           STRING SHOWN-CODE SHOWN-ERRNO(5:2) DELIMITED BY SIZE
               INTO DFHCOMMAREA WITH POINTER AT-BYTE
           MOVE 99 TO RETCODE MOVE 0 TO ERRNO.
       DONE.
";
    for served in ["region", "worker"] {
        assert_eq!(
            final_commarea(served, storage, procedure),
            "    -114    -114    -114    -114    9900",
            "{served}"
        );
    }
}

#[test]
fn ioctl_returns_network_interfaces() {
    let storage = "       01  AF-INET                      PIC 9(8) BINARY VALUE 2.
       01  DGRAM                        PIC 9(8) BINARY VALUE 2.
       01  PROTO                        PIC 9(8) BINARY VALUE 0.
       01  S                            PIC 9(4) BINARY.
       01  COMMAND                      PIC 9(8) BINARY.
       01  COMMAND-X REDEFINES COMMAND  PIC X(4).
       01  REQARG                       PIC 9(8) BINARY.
       01  IFREQ.
           05  IF-NAME                  PIC X(16) VALUE 'lo'.
           05  IF-FAMILY                PIC 9(4) BINARY VALUE 0.
           05  IF-PORT                  PIC 9(4) BINARY VALUE 0.
           05  IF-ADDR                  PIC X(4).
           05  FILLER                   PIC X(8).
       01  IF-TABLE.
           05  IF-ENTRY OCCURS 100.
               10  T-NAME               PIC X(16).
               10  T-FAMILY             PIC 9(4) BINARY.
               10  T-PORT               PIC 9(4) BINARY.
               10  T-ADDR               PIC X(4).
               10  FILLER               PIC X(8).
       01  NAMES.
           05  TOTAL-IF                 PIC 9(8) BINARY.
           05  ENTRIES                  PIC 9(8) BINARY.
           05  N-ENTRY OCCURS 10.
               10  N-INDEX              PIC 9(8) BINARY.
               10  N-NAME               PIC X(16).
               10  FILLER               PIC X(4).
       01  I                            PIC 9(4) BINARY.
";
    let procedure = "           MOVE 'SOCKET' TO F
           CALL 'EZASOKET' USING F AF-INET DGRAM PROTO ERRNO RETCODE
           MOVE RETCODE TO S
           MOVE 'IOCTL' TO F
           MOVE X'C020A70D' TO COMMAND-X
           CALL 'EZASOKET' USING F S COMMAND IFREQ IFREQ ERRNO RETCODE
           PERFORM SHOW
           MOVE SHOWN-CODE TO DFHCOMMAREA
           IF IF-FAMILY = 2 AND IF-ADDR = X'7F000001' AND IF-NAME = 'lo'
               MOVE 'ADDRESS' TO DFHCOMMAREA(8:7)
           END-IF
           MOVE X'C008A714' TO COMMAND-X
           MULTIPLY 100 BY 32 GIVING REQARG
           CALL 'EZASOKET' USING F S COMMAND REQARG IF-TABLE
               ERRNO RETCODE
           PERFORM VARYING I FROM 1 BY 1
                   UNTIL I > 100 OR T-FAMILY(I) = 0
               IF T-NAME(I) = 'lo' AND T-ADDR(I) = X'7F000001'
                   MOVE 'LISTED' TO DFHCOMMAREA(16:6)
               END-IF
           END-PERFORM
           MOVE X'4000F603' TO COMMAND-X
           MOVE LENGTH OF NAMES TO REQARG
           CALL 'EZASOKET' USING F S COMMAND REQARG NAMES
               ERRNO RETCODE
           IF RETCODE = 0 AND ENTRIES > 0 AND N-INDEX(1) = 1
                   AND N-NAME(1) = 'lo'
               MOVE 'NAMED' TO DFHCOMMAREA(23:5)
           END-IF
           MOVE 'nosuch0' TO IF-NAME
           MOVE X'C020A711' TO COMMAND-X
           CALL 'EZASOKET' USING F S COMMAND IFREQ IFREQ ERRNO RETCODE
           PERFORM SHOW
           MOVE SHOWN-ERRNO TO DFHCOMMAREA(29:6)
           CALL 'EZASOKET' USING F S COMMAND IFREQ REQARG ERRNO RETCODE
           PERFORM SHOW
           MOVE SHOWN-ERRNO TO DFHCOMMAREA(36:6)
";
    for served in ["region", "worker"] {
        assert_eq!(
            final_commarea(served, storage, procedure),
            "     0 ADDRESS LISTED NAMED 000006 000014",
            "{served}"
        );
    }
}

#[test]
fn a_server_that_starts_itself_finds_the_exit_program_of_sockets() {
    let storage = "       01  GWPTR                        PIC S9(8) BINARY VALUE 7.
       01  GWLENG                       PIC 9(4) BINARY VALUE 256.
       01  RESPONSE                     PIC S9(8) BINARY.
";
    let procedure = "           EXEC CICS EXTRACT EXIT PROGRAM('EZACIC01')
               GASET(GWPTR) GALENGTH(GWLENG) RESP(RESPONSE) END-EXEC
           IF RESPONSE = DFHRESP(NORMAL) AND GWPTR = 0 AND GWLENG = 0
               MOVE 'THERE' TO DFHCOMMAREA
           END-IF
           EXEC CICS EXTRACT EXIT PROGRAM('DSNCEXT1')
               ENTRYNAME('DSNCSQL') GASET(GWPTR) GALENGTH(GWLENG)
               RESP(RESPONSE) END-EXEC
           IF RESPONSE = DFHRESP(INVEXITREQ)
               MOVE 'NOT THERE' TO DFHCOMMAREA(10:9)
           END-IF
";
    assert_eq!(
        final_commarea("region", storage, procedure),
        "THERE    NOT THERE"
    );
}
