//! LINK with a channel to a program of another region.

use std::sync::Arc;

use appc::IncomingAttach;
use sna::TpDefinition;

use crate::appc::node;
use crate::server::{Server, application};

/// A program of another region: changes TEXT, leaves KEPT, deletes GONE, adds
/// MADE, and does what MODE says.
pub const FAR: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. FAR.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-MODE                      PIC X(8).
       01  WS-TEXT                      PIC X(8).
       01  WS-CHANNEL                   PIC X(16).
       01  WS-COUNT                     PIC S9(8) COMP.
       01  WS-RESP                      PIC S9(8) COMP.
       01  WS-LENGTH                    PIC S9(8) COMP.
       01  WS-MADE                      PIC X(4) VALUE X'00FF0A41'.
       01  WS-BIG                       PIC X(1048576) VALUE ALL 'b'.
       01  WS-TIMES                     PIC S9(8) COMP.
       LINKAGE SECTION.
       01  DFHCOMMAREA                  PIC X(10).
       PROCEDURE DIVISION.
           EXEC CICS ASSIGN CHANNEL(WS-CHANNEL) END-EXEC
           EXEC CICS GET CONTAINER('MODE') INTO(WS-MODE) RESP(WS-RESP)
           END-EXEC
           EXEC CICS QUERY CHANNEL(WS-CHANNEL) CONTAINERCNT(WS-COUNT)
           END-EXEC
           IF WS-MODE = 'abend'
               EXEC CICS PUT CONTAINER('TEXT') FROM('lost') CHAR
               END-EXEC
               EXEC CICS ABEND ABCODE('OOPS') END-EXEC
           END-IF
           IF WS-MODE = 'grow'
               PERFORM VARYING WS-TIMES FROM 1 BY 1 UNTIL WS-TIMES > 65
                   EXEC CICS PUT CONTAINER('GROWN') FROM(WS-BIG) APPEND
                   END-EXEC
               END-PERFORM
           END-IF
           MOVE 8 TO WS-LENGTH
           EXEC CICS GET CONTAINER('TEXT') INTO(WS-TEXT)
                FLENGTH(WS-LENGTH) RESP(WS-RESP)
           END-EXEC
           MOVE FUNCTION REVERSE(WS-TEXT) TO WS-TEXT
           EXEC CICS PUT CONTAINER('TEXT') FROM(WS-TEXT) CHAR
                FROMCCSID(819) RESP(WS-RESP)
           END-EXEC
           EXEC CICS DELETE CONTAINER('GONE') RESP(WS-RESP) END-EXEC
           EXEC CICS PUT CONTAINER('MADE') FROM(WS-MADE) END-EXEC
           EXEC CICS PUT CONTAINER('WHERE') FROM(WS-CHANNEL) CHAR
           END-EXEC
           EXEC CICS RETURN END-EXEC.
";

/// LINKs to it, and returns the state of the containers.
pub const NEAR: &str = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. HELLO.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-TEXT                      PIC X(8) VALUE 'abcdefgh'.
       01  WS-BYTES                     PIC X(4) VALUE X'0001FEFF'.
       01  WS-BIG                       PIC X(1048576) VALUE ALL 'x'.
       01  WS-COUNT                     PIC S9(8) COMP.
       01  WS-LENGTH                    PIC S9(8) COMP.
       01  WS-CCSID                     PIC S9(8) COMP.
       01  WS-TIMES                     PIC S9(8) COMP.
       01  WS-RESP                      PIC S9(8) COMP.
       01  WS-RESP2                     PIC S9(8) COMP.
       01  WS-GET                       PIC S9(8) COMP.
       01  WS-SHOWN                     PIC 9(4).
       01  WS-SHOWN2                    PIC 9(2).
       01  WS-PROGRAM                   PIC X(8) VALUE 'FAR'.
       01  WS-BACK                      PIC X(16).
       LINKAGE SECTION.
       01  DFHCOMMAREA                  PIC X.
       COPY HELLO.
       PROCEDURE DIVISION.
           SET ADDRESS OF HELLO-AREA TO ADDRESS OF DFHCOMMAREA
           EXEC CICS HANDLE ABEND LABEL(FAILED) END-EXEC
           EXEC CICS PUT CONTAINER('MODE') CHANNEL('CHAN')
                FROM(HELLO-NAME) FLENGTH(8) CHAR
           END-EXEC
           EXEC CICS PUT CONTAINER('TEXT') CHANNEL('CHAN')
                FROM(WS-TEXT) CHAR FROMCCSID(1140)
           END-EXEC
           EXEC CICS PUT CONTAINER('KEPT') CHANNEL('CHAN')
                FROM(WS-BYTES) BIT
           END-EXEC
           EXEC CICS PUT CONTAINER('GONE') CHANNEL('CHAN')
                FROM(WS-BYTES) BIT
           END-EXEC
           IF HELLO-NAME = 'many'
               PERFORM VARYING WS-TIMES FROM 1 BY 1 UNTIL WS-TIMES > 20
                   EXEC CICS PUT CONTAINER('BIG') CHANNEL('CHAN')
                        FROM(WS-BIG) APPEND
                   END-EXEC
               END-PERFORM
           END-IF
           IF HELLO-NAME = 'toomany'
               PERFORM VARYING WS-TIMES FROM 1 BY 1 UNTIL WS-TIMES > 64
                   EXEC CICS PUT CONTAINER('BIG') CHANNEL('CHAN')
                        FROM(WS-BIG) APPEND
                   END-EXEC
               END-PERFORM
           END-IF
           EVALUATE HELLO-NAME
             WHEN 'none'     MOVE 'NONE' TO WS-PROGRAM
             WHEN 'defined'  MOVE 'ALIAS' TO WS-PROGRAM
           END-EVALUATE
           IF HELLO-NAME = 'defined'
               EXEC CICS LINK PROGRAM(WS-PROGRAM) CHANNEL('CHAN')
                    RESP(WS-RESP) RESP2(WS-RESP2)
               END-EXEC
           ELSE
               EXEC CICS LINK PROGRAM(WS-PROGRAM) SYSID('PEER')
                    CHANNEL('CHAN') SYNCONRETURN
                    RESP(WS-RESP) RESP2(WS-RESP2)
               END-EXEC
           END-IF
           PERFORM EMIT
           EXEC CICS RETURN END-EXEC.
       FAILED.
           MOVE 9999 TO WS-RESP
           PERFORM EMIT
           EXEC CICS RETURN END-EXEC.
       EMIT.
           MOVE WS-RESP TO WS-SHOWN
           MOVE WS-RESP2 TO WS-SHOWN2
           EXEC CICS QUERY CHANNEL('CHAN') CONTAINERCNT(WS-COUNT)
           END-EXEC
           MOVE SPACES TO WS-BACK
           MOVE 8 TO WS-LENGTH
           EXEC CICS GET CONTAINER('TEXT') CHANNEL('CHAN')
                INTO(WS-BACK) FLENGTH(WS-LENGTH) CCSID(WS-CCSID)
                RESP(WS-GET)
           END-EXEC
           MOVE SPACES TO HELLO-GREETING
           STRING WS-SHOWN '/' WS-SHOWN2 DELIMITED BY SIZE
               INTO HELLO-GREETING
           MOVE WS-CCSID TO WS-SHOWN
           MOVE WS-SHOWN TO HELLO-GREETING(9:4)
           MOVE WS-COUNT TO WS-SHOWN2
           MOVE WS-SHOWN2 TO HELLO-GREETING(14:2)
           MOVE 4 TO WS-LENGTH
           EXEC CICS GET CONTAINER('KEPT') CHANNEL('CHAN')
                INTO(WS-BACK) FLENGTH(WS-LENGTH) RESP(WS-GET)
           END-EXEC
           IF WS-GET = 0 AND WS-BACK(1:4) = X'0001FEFF'
               MOVE 'K' TO HELLO-GREETING(17:1)
           END-IF
           EXEC CICS GET CONTAINER('MADE') CHANNEL('CHAN')
                INTO(WS-BACK) FLENGTH(WS-LENGTH) RESP(WS-GET)
           END-EXEC
           IF WS-GET = 0 AND WS-BACK(1:4) = X'00FF0A41'
               MOVE 'M' TO HELLO-GREETING(18:1)
           END-IF
           EXEC CICS GET CONTAINER('GONE') CHANNEL('CHAN')
                INTO(WS-BACK) FLENGTH(WS-LENGTH) RESP(WS-GET)
           END-EXEC
           IF WS-GET = DFHRESP(CONTAINERERR)
               MOVE 'G' TO HELLO-GREETING(19:1)
           END-IF
           MOVE 16 TO WS-LENGTH
           EXEC CICS GET CONTAINER('WHERE') CHANNEL('CHAN')
                INTO(WS-BACK) FLENGTH(WS-LENGTH) RESP(WS-GET)
           END-EXEC
           IF WS-GET = 0 AND WS-BACK = 'CHAN'
               MOVE 'W' TO HELLO-GREETING(20:1)
           END-IF.
";

/// A region whose SYSID PEER is at `address`.
fn near(address: &str) -> (tempfile::TempDir, Server) {
    let settings = format!(
        "[appc]\nlu = \"NET.REGION\"\nlisten = \"127.0.0.1:0\"\nactivation-timeout-s = 5\n\
         [appc.partners.\"NET.PEER\"]\naddress = \"{address}\"\n"
    );
    let app = application(&[
        ("cobol/HELLO.cbl", NEAR),
        ("tupelo.toml", &settings),
        (
            "resources.csd",
            "DEFINE TRANSACTION(HELO) GROUP(A) PROGRAM(HELLO)\n\
             DEFINE PROGRAM(ALIAS) GROUP(A) REMOTESYSTEM(PEER) REMOTENAME(FAR)\n",
        ),
    ]);
    let server = Server::start(app.path());
    (app, server)
}

fn greeting(server: &Server, name: &str) -> String {
    let answer = server.get(&format!("/hello/{name}"));
    let text = answer.json()["greeting"].as_str().map(str::to_owned);
    text.unwrap_or_else(|| format!("{answer:?}"))
}

#[test]
fn a_channel_is_sent_to_a_program_of_another_region_and_returned_changed() {
    let far = application(&[
        ("cobol/FAR.cbl", FAR),
        (
            "tupelo.toml",
            "[appc]\nlu = \"NET.PEER\"\nlisten = \"127.0.0.1:0\"\n",
        ),
    ]);
    let far = Server::start(far.path());
    let (_app, near) = near(&far.appc);
    // KEPT, MADE, GONE and WHERE are as they should be; TEXT is in the page
    // that the remote program put it in.
    assert_eq!(greeting(&near, "plain"), "0000/00 0819 05 KMGW");
    assert_eq!(greeting(&near, "defined"), "0000/00 0819 05 KMGW");
    // 20 MiB are sent there; the reply leaves them out, because the program did not change them.
    assert_eq!(greeting(&near, "many"), "0000/00 0819 06 KMGW");
    // A failed LINK changes nothing.
    assert_eq!(greeting(&near, "none"), "0027/01 1140 04 K");
    assert_eq!(greeting(&near, "abend"), "9999/00 1140 04 K");
    assert_eq!(greeting(&near, "toomany"), "0022/11 1140 05 K");
    assert_eq!(greeting(&near, "grow"), "0022/11 1140 04 K");
    drop(far);
    let gone = greeting(&near, "plain");
    assert!(
        gone.starts_with("0053/18") || gone.starts_with("0081/17"),
        "{gone}"
    );
}

#[test]
fn a_region_without_channels_is_distinguished_from_one_that_fails() {
    let node = node();
    // A mirror of an earlier version takes no parameters.
    let run = |_: IncomingAttach| panic!("it is not started");
    node.define_program(TpDefinition::new("CSMI".parse().unwrap()), Arc::new(run));
    let (_app, near) = near(&node.listening().unwrap().to_string());
    assert_eq!(greeting(&near, "plain"), "0053/20 1140 04 K");
    // A mirror that accepts them and sends an invalid answer, or none.
    for nonsense in [&b"TXDL\x02nonsense"[..], b""] {
        let tp = TpDefinition {
            pip: true,
            ..TpDefinition::new("CSMI".parse().unwrap())
        };
        let run = move |mut incoming: IncomingAttach| {
            let conversation = &mut incoming.conversation;
            conversation.accept().unwrap();
            let mut buffer = vec![0; 32_767];
            while conversation.receive(&mut buffer).unwrap().status
                != sna::conversation::code::StatusReceived::Send
            {}
            if !nonsense.is_empty() {
                conversation.send(nonsense).unwrap();
                let flush = sna::conversation::code::DeallocateType::Flush;
                incoming.conversation.deallocate(flush).unwrap();
            }
        };
        node.define_program(tp, Arc::new(run));
        assert_eq!(greeting(&near, "plain"), "0081/17 1140 04 K");
    }
}
