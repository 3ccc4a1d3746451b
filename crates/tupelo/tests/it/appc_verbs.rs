//! The verbs of conversations in sequence: RESP, STATE and the
//! EIB after each, in allowed states and in others.
//!
//! A transaction takes a script of one letter a verb on its principal facility,
//! does it on a conversation of its own with SHOUT, and sends back a word a
//! verb: the letter, RESP, the state's number, and a letter for each indicator
//! of the EIB that is on.

use std::path::PathBuf;

use appc::{AllocateRequest, IncomingAttach, NodeHost};
use sna::conversation::code::{PrepareToReceiveType, ReturnCode, StatusReceived};

use crate::appc::{node, shout};
use crate::server::{Server, application};

/// The statements of each letter.
const VERBS: &[(char, &str)] = &[
    ('A', "ALLOCATE SYSID('PEER') NOQUEUE"),
    ('X', "ALLOCATE SYSID('NONE')"),
    ('Y', "ALLOCATE PARTNER('NONE')"),
    ('Z', "ALLOCATE SYSID('PEER') PROFILE('NONE')"),
    (
        'C',
        "CONNECT PROCESS PROCNAME('SHOUT') PROCLENGTH(5) SYNCLEVEL(1)",
    ),
    (
        '0',
        "CONNECT PROCESS PROCNAME('SHOUT') PROCLENGTH(5) SYNCLEVEL(0)",
    ),
    (
        '2',
        "CONNECT PROCESS PROCNAME('SHOUT') PROCLENGTH(5) SYNCLEVEL(2)",
    ),
    ('l', "CONNECT PROCESS PROCNAME('SHOUT') PROCLENGTH(65)"),
    ('p', "CONNECT PROCESS PARTNER('NONE')"),
    ('S', "SEND FROM(WS-DATA) LENGTH(4)"),
    ('n', "SEND FROM(WS-DATA) LENGTH(-1)"),
    ('I', "SEND FROM(WS-DATA) LENGTH(4) INVITE"),
    ('J', "SEND FROM(WS-DATA) LENGTH(4) INVITE WAIT"),
    ('L', "SEND FROM(WS-DATA) LENGTH(4) LAST"),
    ('M', "SEND LAST WAIT"),
    ('K', "SEND CONFIRM"),
    ('i', "SEND INVITE CONFIRM"),
    ('k', "SEND LAST CONFIRM"),
    ('W', "WAIT"),
    ('R', "RECEIVE INTO(WS-INTO) LENGTH(WS-LENGTH)"),
    ('r', "RECEIVE SET(WS-PTR) FLENGTH(WS-FLENGTH) MAXFLENGTH(3)"),
    (
        't',
        "RECEIVE INTO(WS-INTO) LENGTH(WS-LENGTH) MAXLENGTH(3) NOTRUNCATE",
    ),
    (
        'V',
        "CONVERSE FROM(WS-DATA) FROMLENGTH(4) INTO(WS-INTO) TOLENGTH(WS-LENGTH)",
    ),
    ('c', "ISSUE CONFIRMATION"),
    ('e', "ISSUE ERROR"),
    ('b', "ISSUE ABEND"),
    ('s', "ISSUE SIGNAL"),
    ('a', "EXTRACT ATTRIBUTES"),
    ('F', "FREE"),
];

/// The transaction.
fn program() -> String {
    let mut text = "       IDENTIFICATION DIVISION.
       PROGRAM-ID. WALK.
       DATA DIVISION.
       WORKING-STORAGE SECTION.
       01  WS-SCRIPT                    PIC X(80) VALUE SPACES.
       01  WS-SIZE                      PIC S9(4) COMP.
       01  WS-AT                        PIC S9(4) COMP.
       01  WS-VERB                      PIC X.
       01  WS-CONVID                    PIC X(4) VALUE 'NONE'.
       01  WS-DATA                      PIC X(4) VALUE 'data'.
       01  WS-INTO                      PIC X(20).
       01  WS-LENGTH                    PIC S9(4) COMP.
       01  WS-FLENGTH                   PIC S9(8) COMP.
       01  WS-PTR                       POINTER.
       01  WS-RESP                      PIC S9(8) COMP.
       01  WS-STATE                     PIC S9(8) COMP.
       01  WS-SHOWN                     PIC 9(2).
       01  WS-LOG                       PIC X(2000) VALUE SPACES.
       01  WS-TO                        PIC S9(4) COMP VALUE 1.
       PROCEDURE DIVISION.
           MOVE 80 TO WS-SIZE
           EXEC CICS RECEIVE INTO(WS-SCRIPT) LENGTH(WS-SIZE) END-EXEC
           PERFORM VARYING WS-AT FROM 1 BY 1 UNTIL WS-AT > WS-SIZE
               MOVE WS-SCRIPT(WS-AT:1) TO WS-VERB
               MOVE 20 TO WS-LENGTH
               MOVE 0 TO WS-STATE
               MOVE -1 TO WS-RESP
               PERFORM DO-VERB
               PERFORM NOTE
           END-PERFORM
           EXEC CICS SEND FROM(WS-LOG) LENGTH(WS-TO) LAST WAIT END-EXEC
           EXEC CICS RETURN END-EXEC.
       NOTE.
           MOVE WS-RESP TO WS-SHOWN
           STRING WS-VERB WS-SHOWN DELIMITED BY SIZE
               INTO WS-LOG WITH POINTER WS-TO
           IF WS-STATE > 0
               MOVE WS-STATE TO WS-SHOWN
               STRING '/' WS-SHOWN DELIMITED BY SIZE
                   INTO WS-LOG WITH POINTER WS-TO
           END-IF
"
    .to_owned();
    for (field, letter) in [
        ("EIBRECV", 'R'),
        ("EIBFREE", 'F'),
        ("EIBCONF", 'C'),
        ("EIBEOC", 'E'),
        ("EIBCOMPL", 'K'),
        ("EIBNODAT", 'N'),
        ("EIBSIG", 'S'),
        ("EIBERR", 'X'),
        ("EIBSYNC", '!'),
        ("EIBFMH", '!'),
        ("EIBATT", '!'),
    ] {
        text += &format!(
            "           IF {field} = X'FF'\n               STRING '{letter}' DELIMITED BY SIZE\n\
             {0}INTO WS-LOG WITH POINTER WS-TO\n           END-IF\n",
            " ".repeat(19)
        );
    }
    text += "           ADD 1 TO WS-TO.\n       DO-VERB.\n           EVALUATE WS-VERB\n";
    for (letter, verb) in VERBS {
        let verb = match verb.split_once(' ') {
            None | Some(("ALLOCATE", _)) if *verb != "WAIT" && *verb != "FREE" => {
                (*verb).to_owned()
            }
            _ => format!("{verb} CONVID(WS-CONVID)"),
        };
        text += &format!("             WHEN '{letter}'\n               EXEC CICS\n");
        for word in verb.split(' ') {
            text += &format!("                 {word}\n");
        }
        text += "                 STATE(WS-STATE) RESP(WS-RESP)\n               END-EXEC\n";
        if *letter == 'A' {
            text += "               IF WS-RESP = 0 MOVE EIBRSRCE TO WS-CONVID END-IF\n";
        }
    }
    text + "           END-EVALUATE.\n"
}

struct VerbWalk {
    _app: tempfile::TempDir,
    _server: Server,
    peer: NodeHost,
}

impl VerbWalk {
    fn start() -> VerbWalk {
        let peer = node();
        let settings = format!(
            "[appc]\nlu = \"NET.REGION\"\nlisten = \"127.0.0.1:0\"\n\
             [appc.partners.\"NET.PEER\"]\naddress = \"{}\"\n",
            peer.listening().unwrap()
        );
        let program = program();
        if let Some(folder) = std::env::var_os("TUPELO_KEEP_PROGRAMS") {
            std::fs::write(PathBuf::from(folder).join("WALK.cbl"), &program).unwrap();
        }
        let app = application(&[
            ("cobol/WALK.cbl", &program),
            ("tupelo.toml", &settings),
            (
                "resources.csd",
                "DEFINE TRANSACTION(WALK) GROUP(A) PROGRAM(WALK)\n\
                 DEFINE TRANSACTION(HELO) GROUP(A) PROGRAM(HELLO)\n",
            ),
        ]);
        let server = Server::start(app.path());
        peer.define_partner("NET.REGION", &server.appc).unwrap();
        VerbWalk {
            _app: app,
            _server: server,
            peer,
        }
    }

    /// Runs a script against a partner that does `run`.
    fn run(
        &self,
        script: &str,
        run: impl Fn(&mut appc::Conversation) + Send + Sync + 'static,
    ) -> String {
        shout(&self.peer, move |mut incoming: IncomingAttach| {
            incoming.conversation.accept().unwrap();
            run(&mut incoming.conversation);
        });
        let call = AllocateRequest::new("NET.REGION", "WALK");
        let mut conversation = self.peer.allocate(&call).unwrap();
        conversation.send(script.as_bytes()).unwrap();
        conversation
            .prepare_to_receive(PrepareToReceiveType::Flush)
            .unwrap();
        let mut buffer = [0; 2000];
        let got = conversation.receive(&mut buffer).unwrap();
        String::from_utf8_lossy(&buffer[..got.len])
            .trim_end()
            .to_owned()
    }
}

/// Receives until it has the turn, or until the end.
fn listen(c: &mut appc::Conversation) -> bool {
    let mut buffer = [0; 100];
    loop {
        match c.receive(&mut buffer) {
            Ok(got) if got.status == StatusReceived::Send => return true,
            Ok(got) if got.ended => return false,
            Ok(got) => match got.status {
                StatusReceived::ConfirmSend => {
                    c.confirmed().unwrap();
                    return true;
                }
                StatusReceived::ConfirmDeallocate => {
                    c.confirmed().unwrap();
                    return false;
                }
                StatusReceived::Confirm => c.confirmed().unwrap(),
                _ => {}
            },
            Err(_) => return false,
        }
    }
}

/// Answers each turn with a record and the turn.
fn answering(c: &mut appc::Conversation) {
    while listen(c) {
        let _ = c.send(b"answer");
        if c.prepare_to_receive(PrepareToReceiveType::Flush).is_err() {
            return;
        }
    }
}

#[test]
fn verbs_have_their_states_conditions_and_indicators() {
    let walk = VerbWalk::start();
    let mut wrong = Vec::new();
    let mut same = |script: &str, partner: fn(&mut appc::Conversation), expected: &str| {
        let answer = walk.run(script, partner);
        if answer != expected {
            wrong.push(format!("{script}: {answer}, and not {expected}"));
        }
    };
    // Without a conversation: NOTALLOC, and unknown names.
    same("SRaFX", answering, "S61 R61 a61 F61 X53");
    same("YZ", answering, "Y97 Z62");
    // Allocated: CONNECT PROCESS or FREE and nothing else.
    same(
        "ASRWceKbsaF",
        answering,
        "A00/81 S16/81 R16/81 W16/81 c16/81 e16/81 K16/81 b16/81 s16/81 a00/81 F00/81",
    );
    same("A2lpF", answering, "A00/81 216 l22 p97/81 F00/81");
    // Send: all but ISSUE CONFIRMATION, and a second CONNECT PROCESS.
    same(
        "ACCScnSWaKF",
        answering,
        "A00/81 C00/90 C16/90 S00/90 c16/90 n22 S00/90 W00/90 a00/90 K00/90 F00/85",
    );
    // Sync level 0 has no CONFIRM.
    same(
        "A0KikF",
        answering,
        "A00/81 000/90 K16/90 i16/90 k16/90 F00/85",
    );
    // The turn: at once, announced, and with a confirmation.
    same(
        "ACJSWRF",
        answering,
        "A00/81 C00/90 J00/88R S16/88 W16/88 R06/90EK F00/85",
    );
    same(
        "ACISWRF",
        answering,
        "A00/81 C00/90 I00/87 S16/87 W00/88R R06/90EK F00/85",
    );
    same(
        "ACIFRF",
        answering,
        "A00/81 C00/90 I00/87 F16/87 R06/90EK F00/85",
    );
    same(
        "ACIKRF",
        answering,
        "A00/81 C00/90 I00/87 K00/88R R06/90EK F00/85",
    );
    same("ACiRF", answering, "A00/81 C00/90 i00/88R R06/90EK F00/85");
    // RECEIVE in send state gives the turn first, and so does CONVERSE.
    same("ACRVF", answering, "A00/81 C00/90 R06/90EK V06/90EK F00/85");
    // Records that are truncated, and that continue.
    same("ACJrF", answering, "A00/81 C00/90 J00/88R r22/90EK F00/85");
    same(
        "ACJttF",
        answering,
        "A00/81 C00/90 J00/88R t00/88R t06/90EK F00/85",
    );
    // Ends.
    same(
        "ACLSaWF",
        answering,
        "A00/81 C00/90 L00/86 S16/86 a00/86 W00/85F F00/85",
    );
    same("ACLKF", answering, "A00/81 C00/90 L00/86 K00/85F F00/85");
    same("ACLFF", answering, "A00/81 C00/90 L00/86 F00/85 F61");
    same(
        "ACMSRF",
        answering,
        "A00/81 C00/90 M00/85F S16/85 R16/85 F00/85",
    );
    same("ACkF", answering, "A00/81 C00/90 k00/85F F00/85");
    same("ACbeF", answering, "A00/81 C00/90 b00/85F e16/85 F00/85");
    same("ACJF", answering, "A00/81 C00/90 J00/88R F16/88");
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn what_a_partner_does_is_returned_by_the_verb_that_meets_it() {
    let walk = VerbWalk::start();
    let mut wrong = Vec::new();
    let mut same = |script: &str, partner: fn(&mut appc::Conversation), expected: &str| {
        let answer = walk.run(script, partner);
        if answer != expected {
            wrong.push(format!("{script}: {answer}, and not {expected}"));
        }
    };
    // It ends with its answer, or without one.
    same(
        "ACJRRaF",
        |c| {
            listen(c);
            c.send(b"bye").unwrap();
            c.flush().unwrap();
        },
        "A00/81 C00/90 J00/88R R00/88RK R81/85FX a00/85 F00/85",
    );
    // It asks for confirmation with the turn and without.
    same(
        "ACJRScRF",
        |c| {
            listen(c);
            c.send(b"sure?").unwrap();
            let _ = c.confirm();
            c.prepare_to_receive(PrepareToReceiveType::Flush).unwrap();
            listen(c);
        },
        "A00/81 C00/90 J00/88R R06/83RCEK S16/83 c00/88R R06/90EN F00/85",
    );
    // It asks for the turn, and reports an error.
    same(
        "ACSKSJRF",
        |c| {
            c.request_to_send().unwrap();
            listen(c);
            c.send_error().unwrap();
            c.prepare_to_receive(PrepareToReceiveType::Flush).unwrap();
            listen(c);
        },
        "A00/81 C00/90 S00/90 K24/90S S00/90 J00/88R R00/88RX F16/88",
    );
    // It reports an error instead of confirming.
    same(
        "ACSKRaF",
        |c| {
            let mut buffer = [0; 10];
            c.receive(&mut buffer).unwrap();
            c.send_error().unwrap();
            c.prepare_to_receive(PrepareToReceiveType::Flush).unwrap();
            listen(c);
        },
        "A00/81 C00/90 S00/90 K00/88RX R06/90EN a00/90 F00/85",
    );
    // An error of this side in receive state, after which the partner ends, and a
    // signal.
    same(
        "ACJeRF",
        answering,
        "A00/81 C00/90 J00/88R e00/90 R81/85FX F00/85",
    );
    same(
        "ACJsRF",
        answering,
        "A00/81 C00/90 J00/88R s00/88R R06/90EK F00/85",
    );
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn a_task_that_ends_gives_up_the_conversations_that_it_left() {
    let walk = VerbWalk::start();
    for (script, expected) in [
        // In send state and when the end was announced: normally.
        ("ACS", None),
        ("ACL", None),
        // Where the partner has the turn, or is asked for it: as failed.
        ("ACJ", Some(ReturnCode::DeallocatedAbend)),
        ("ACWSI", Some(ReturnCode::DeallocatedAbend)),
    ] {
        let (said, received) = std::sync::mpsc::channel();
        walk.run(script, move |c| {
            let mut buffer = [0; 100];
            let end = loop {
                match c.receive(&mut buffer) {
                    Ok(got) if got.ended => break None,
                    // This side has the turn; a receive finds the end.
                    Ok(got) if got.status == StatusReceived::Send => {
                        let _ = c.prepare_to_receive(PrepareToReceiveType::Flush);
                    }
                    Ok(_) => {}
                    Err(error) => break error.code(),
                }
            };
            said.send(end).unwrap();
        });
        let end = received.recv_timeout(std::time::Duration::from_secs(60));
        assert_eq!(end, Ok(expected), "{script}");
    }
}
