//! The state table of CPI-C: every call in every state, with the state it leads
//! to or the check it fails.
//!
//! Reference: *CPI Communications* (SC26-4399), state table for half-duplex
//! conversations.

use super::*;
use State as S;

/// The effect of a call in a state.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Cell {
    /// OK, and then this state.
    To(State),
    /// OK, and the state stays.
    Same,
    /// No data (CM_UNSUCCESSFUL), and the state stays.
    Nothing,
    /// CM_PROGRAM_STATE_CHECK, and the state stays.
    Check,
    /// CM_PROGRAM_PARAMETER_CHECK, and the state stays.
    Wrong,
}

use Cell::{Check as C, Nothing, Same, To, Wrong};

/// The columns.
const STATES: [State; 7] = [
    S::Initialize,
    S::Send,
    S::SendPending,
    S::Receive,
    S::Confirm,
    S::ConfirmSend,
    S::ConfirmDeallocate,
];

type Call = fn(&mut CpicPair, &[ConversationIdentifier; 2]) -> ReturnCode;

/// Only before the allocate.
const BEFORE: [Cell; 7] = [Same, C, C, C, C, C, C];
/// Whenever there is a conversation.
const ALWAYS: [Cell; 7] = [Same; 7];
/// The sender keeps the turn.
const SENDS: [Cell; 7] = [C, To(S::Send), To(S::Send), C, C, C, C];
/// The sender passes the turn.
const TURNS: [Cell; 7] = [C, To(S::Receive), To(S::Receive), C, C, C, C];
/// The sender ends the conversation.
const ENDS: [Cell; 7] = [C, To(S::Reset), To(S::Reset), C, C, C, C];
/// Ends the conversation in any state.
const BREAKS: [Cell; 7] = [To(S::Reset); 7];

/// The rows. Side 1 calls; side 0 is the partner and answers where it is asked.
const TABLE: &[(&str, Call, [Cell; 7])] = &[
    (
        "CMALLC",
        |w, c| w.answered(c, |w, b| w.cpic[1].cmallc(&mut w.nodes[1], b, NOW)),
        [To(S::Send), C, C, C, C, C, C],
    ),
    ("CMSEND buffer", |w, c| w.sends(c, 0), SENDS),
    ("CMSEND flush", |w, c| w.sends(c, 1), SENDS),
    ("CMSEND confirm", |w, c| w.sends(c, 2), SENDS),
    (
        "CMSEND prepare to receive, flush",
        |w, c| {
            w.cpic[1].cmsptr(&c[1], 1);
            w.sends(c, 3)
        },
        TURNS,
    ),
    (
        "CMSEND prepare to receive, confirm",
        |w, c| {
            w.cpic[1].cmsptr(&c[1], 2);
            w.sends(c, 3)
        },
        TURNS,
    ),
    (
        "CMSEND deallocate, flush",
        |w, c| {
            w.cpic[1].cmsdt(&c[1], 1);
            w.sends(c, 4)
        },
        ENDS,
    ),
    (
        "CMSEND deallocate, confirm",
        |w, c| {
            w.cpic[1].cmsdt(&c[1], 2);
            w.sends(c, 4)
        },
        ENDS,
    ),
    (
        "CMRCV",
        |w, c| w.receives(c),
        [C, To(S::Receive), To(S::Receive), To(S::Receive), C, C, C],
    ),
    (
        "CMRCV immediate",
        |w, c| {
            w.cpic[1].cmsrt(&c[1], 1);
            w.receives(c)
        },
        [C, C, C, Nothing, C, C, C],
    ),
    (
        "CMCFM",
        |w, c| {
            w.answered(c, |w, b| {
                w.cpic[1].cmcfm(&mut w.nodes[1], b).map(|(_, code)| code)
            })
        },
        SENDS,
    ),
    (
        "CMFLUS",
        |w, c| w.cpic[1].cmflus(&mut w.nodes[1], &c[1]),
        SENDS,
    ),
    (
        "CMPTR flush",
        |w, c| {
            w.cpic[1].cmsptr(&c[1], 1);
            w.answered(c, |w, b| w.cpic[1].cmptr(&mut w.nodes[1], b))
        },
        TURNS,
    ),
    (
        "CMPTR confirm",
        |w, c| {
            w.cpic[1].cmsptr(&c[1], 2);
            w.answered(c, |w, b| w.cpic[1].cmptr(&mut w.nodes[1], b))
        },
        TURNS,
    ),
    (
        "CMCFMD",
        |w, c| w.cpic[1].cmcfmd(&mut w.nodes[1], &c[1]),
        [C, C, C, C, To(S::Receive), To(S::Send), To(S::Reset)],
    ),
    (
        "CMSERR",
        |w, c| {
            w.answered(c, |w, b| {
                w.cpic[1].cmserr(&mut w.nodes[1], b).map(|(_, code)| code)
            })
        },
        [
            C,
            To(S::Send),
            To(S::Send),
            To(S::Send),
            To(S::Send),
            To(S::Send),
            To(S::Send),
        ],
    ),
    (
        "CMDEAL flush",
        |w, c| {
            w.cpic[1].cmsdt(&c[1], 1);
            w.answered(c, |w, b| w.cpic[1].cmdeal(&mut w.nodes[1], b))
        },
        ENDS,
    ),
    (
        "CMDEAL confirm",
        |w, c| {
            w.cpic[1].cmsdt(&c[1], 2);
            w.answered(c, |w, b| w.cpic[1].cmdeal(&mut w.nodes[1], b))
        },
        ENDS,
    ),
    (
        "CMDEAL abend",
        |w, c| {
            w.cpic[1].cmsdt(&c[1], 3);
            w.answered(c, |w, b| w.cpic[1].cmdeal(&mut w.nodes[1], b))
        },
        BREAKS,
    ),
    (
        "CMCANC",
        |w, c| w.cpic[1].cmcanc(&mut w.nodes[1], &c[1]),
        BREAKS,
    ),
    (
        "CMRTS",
        |w, c| w.cpic[1].cmrts(&mut w.nodes[1], &c[1]),
        [C, Same, Same, Same, Same, Same, Same],
    ),
    (
        "CMTRTS",
        |w, c| w.cpic[1].cmtrts(&mut w.nodes[1], &c[1]).1,
        [C, Same, Same, Same, C, C, C],
    ),
    ("CMSCT", |w, c| w.cpic[1].cmsct(&c[1], 1), BEFORE),
    ("CMSRC", |w, c| w.cpic[1].cmsrc(&c[1], 0), BEFORE),
    ("CMSSL", |w, c| w.cpic[1].cmssl(&c[1], 1), BEFORE),
    ("CMSMN", |w, c| w.cpic[1].cmsmn(&c[1], "#BATCH"), BEFORE),
    ("CMSPLN", |w, c| w.cpic[1].cmspln(&c[1], "NET.A"), BEFORE),
    ("CMSTPN", |w, c| w.cpic[1].cmstpn(&c[1], "SERVER"), BEFORE),
    ("CMSCST", |w, c| w.cpic[1].cmscst(&c[1], 0), BEFORE),
    (
        "CMSCSU with security type none",
        |w, c| w.cpic[1].cmscsu(&c[1], "ANN"),
        [C; 7],
    ),
    (
        "CMSCSP with security type none",
        |w, c| w.cpic[1].cmscsp(&c[1], PasswordBytes::new("PW")),
        [C; 7],
    ),
    ("CMSDT", |w, c| w.cpic[1].cmsdt(&c[1], 1), ALWAYS),
    ("CMSED", |w, c| w.cpic[1].cmsed(&c[1], 1), ALWAYS),
    ("CMSPTR", |w, c| w.cpic[1].cmsptr(&c[1], 1), ALWAYS),
    ("CMSRT", |w, c| w.cpic[1].cmsrt(&c[1], 1), ALWAYS),
    ("CMSST", |w, c| w.cpic[1].cmsst(&c[1], 1), ALWAYS),
    (
        "CMSLD on a mapped conversation",
        |w, c| w.cpic[1].cmsld(&c[1], b"log"),
        [Wrong; 7],
    ),
    (
        "CMSF on a mapped conversation",
        |w, c| w.cpic[1].cmsf(&c[1], 1),
        [Wrong; 7],
    ),
    (
        "CMECS",
        |w, c| reported(w.cpic[1].cmecs(&w.nodes[1], &c[1])),
        ALWAYS,
    ),
    ("CMECT", |w, c| reported(w.cpic[1].cmect(&c[1])), ALWAYS),
    ("CMEMN", |w, c| reported(w.cpic[1].cmemn(&c[1])), ALWAYS),
    ("CMEPLN", |w, c| reported(w.cpic[1].cmepln(&c[1])), ALWAYS),
    ("CMESL", |w, c| reported(w.cpic[1].cmesl(&c[1])), ALWAYS),
    ("CMETPN", |w, c| reported(w.cpic[1].cmetpn(&c[1])), ALWAYS),
    ("CMESUI", |w, c| reported(w.cpic[1].cmesui(&c[1])), ALWAYS),
];

fn reported<T>(value: Result<T, ReturnCode>) -> ReturnCode {
    value.err().unwrap_or(ReturnCode::Ok)
}

impl CpicPair {
    /// Brings side 1 into any state of the table.
    fn place(&mut self, state: State) -> [ConversationIdentifier; 2] {
        if state != S::Initialize {
            return self.bring(state);
        }
        let b = self.cpic[1].cminit("").unwrap();
        self.cpic[1].cmspln(&b, "NET.A");
        self.cpic[1].cmstpn(&b, "SERVER");
        self.cpic[1].cmsmn(&b, "#INTER");
        self.cpic[1].cmssl(&b, 1);
        [*b"NOTTHERE", b]
    }

    /// Runs a call of side 1 to its end, while side 0 receives data and
    /// confirms requests.
    fn answered(
        &mut self,
        [a, b]: &[ConversationIdentifier; 2],
        mut call: impl FnMut(&mut CpicPair, &ConversationIdentifier) -> Poll<ReturnCode>,
    ) -> ReturnCode {
        self.wait(|w| {
            let done = call(w, b);
            if done.is_pending() {
                w.run();
                w.partner_receives(a);
                w.cpic[0].cmcfmd(&mut w.nodes[0], a);
            }
            done
        })
    }

    /// Lets side 0 receive available data if it is in receive state; in send
    /// state a receive would pass the turn.
    fn partner_receives(&mut self, a: &ConversationIdentifier) -> bool {
        let may = self.state(0, a) == S::Receive;
        if may {
            let mut buffer = [0; 100];
            let _ = self.cpic[0].cmrcv(&mut self.nodes[0], a, &mut buffer);
        }
        may
    }

    fn sends(&mut self, cids: &[ConversationIdentifier; 2], kind: u32) -> ReturnCode {
        self.cpic[1].cmsst(&cids[1], kind);
        self.answered(cids, |w, b| {
            let sent = w.cpic[1].cmsend(&mut w.nodes[1], b, b"data");
            sent.map(|(_, code)| code)
        })
    }

    /// Receives, while side 0 sends a record as soon as it may.
    fn receives(&mut self, [a, b]: &[ConversationIdentifier; 2]) -> ReturnCode {
        let mut buffer = [0; 100];
        self.wait(|w| {
            let got = w.cpic[1].cmrcv(&mut w.nodes[1], b, &mut buffer);
            if got.is_pending() {
                w.run();
                if !w.partner_receives(a) {
                    let _ = w.send(0, a, 1);
                }
            }
            got.map(|received| received.code)
        })
    }
}

#[test]
fn every_call_in_every_state_follows_the_table() {
    for (name, call, row) in TABLE {
        for (state, cell) in STATES.into_iter().zip(row) {
            let mut world = CpicPair::new();
            let cids = world.place(state);
            let code = call(&mut world, &cids);
            let after = world.state(1, &cids[1]);
            let (expected, next) = match *cell {
                To(next) => (ReturnCode::Ok, next),
                Same => (ReturnCode::Ok, state),
                Nothing => (ReturnCode::Unsuccessful, state),
                C => (ReturnCode::ProgramStateCheck, state),
                Wrong => (ReturnCode::ProgramParameterCheck, state),
            };
            assert_eq!((code, after), (expected, next), "{name} in {state:?}");
            world.run();
        }
    }
}

#[test]
fn every_call_on_a_conversation_that_is_not_there_is_a_parameter_check() {
    for (name, call, _) in TABLE {
        let mut world = CpicPair::new();
        let unknown = [*b"NOTTHERE"; 2];
        let code = call(&mut world, &unknown);
        assert_eq!(code, ReturnCode::ProgramParameterCheck, "{name}");
    }
}

#[test]
fn what_is_received_decides_the_state() {
    use StatusReceived as Status;
    let cases = [
        (S::Send, Status::Send),
        (S::SendPending, Status::Send),
        (S::Confirm, Status::Confirm),
        (S::ConfirmSend, Status::ConfirmSend),
        (S::ConfirmDeallocate, Status::ConfirmDeallocate),
    ];
    for (state, status) in cases {
        let mut world = CpicPair::new();
        world.bring(state);
        assert_eq!(world.last, Some(status), "{state:?}");
    }
}
