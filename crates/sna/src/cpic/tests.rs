//! CPI-C over two nodes joined directly: errors, characteristics, security. The
//! state table has its own file.

mod table;

use super::*;
use crate::conversation::code::StatusReceived;
use crate::node::config::{LinkConfig, LinkRole, NodeConfig, TpDefinition};
use crate::node::event::NodeEvent;
use crate::node::{LinkId, Node};
use crate::time::MonotonicTime;
use crate::{LocalUser, PasswordBytes, TpSecurity};
use State as S;

const NOW: MonotonicTime = MonotonicTime::ZERO;

struct CpicPair {
    nodes: [Node; 2],
    links: [LinkId; 2],
    cpic: [CpicInterface; 2],
    /// The status that the last receive gave.
    last: Option<StatusReceived>,
}

impl CpicPair {
    fn new() -> CpicPair {
        let names: [LuName; 2] = ["NET.A", "NET.B"].map(|n| n.parse().unwrap());
        let mut nodes = [0, 1].map(|_| Node::new(NodeConfig::default()));
        let roles = [LinkRole::Primary, LinkRole::Secondary];
        let links = [0, 1].map(|side| {
            nodes[side].define_lu(names[side].clone());
            nodes[side].define_tp(TpDefinition::new("SERVER".parse().unwrap()));
            let link = nodes[side].link_up(LinkConfig::new(roles[side], 521), NOW);
            nodes[side].define_route(names[1 - side].clone(), link);
            link
        });
        let mut side = SideTable::default();
        let info = SideInfo {
            partner: names[1].clone(),
            mode: "#INTER".parse().unwrap(),
            tp: "SERVER".parse().unwrap(),
        };
        side.define("PARTNER", info);
        let cpic = names.map(|name| CpicInterface::new(name, side.clone()));
        CpicPair {
            nodes,
            links,
            cpic,
            last: None,
        }
    }

    fn run(&mut self) {
        let mut quiet = false;
        while !quiet {
            quiet = true;
            for side in 0..2 {
                while let Some(piu) = self.nodes[side].poll_transmit_on(self.links[side]) {
                    quiet = false;
                    self.nodes[1 - side].handle_piu(self.links[1 - side], piu.into(), NOW);
                }
                while let Some(event) = self.nodes[side].poll_event() {
                    if let NodeEvent::Attached(attached) = event {
                        self.cpic[side].offer(attached);
                    }
                }
            }
        }
    }

    fn wait<T>(&mut self, mut call: impl FnMut(&mut CpicPair) -> Poll<T>) -> T {
        for _ in 0..100 {
            if let Poll::Ready(value) = call(self) {
                return value;
            }
            self.run();
        }
        panic!("the call waits for ever");
    }

    /// A conversation with confirmation, in send state at 0 and receive state
    /// at 1.
    fn open(&mut self) -> [ConversationIdentifier; 2] {
        let a = self.cpic[0].cminit("PARTNER ").unwrap();
        assert_eq!(self.cpic[0].cmssl(&a, 1), ReturnCode::Ok);
        let code = self.wait(|w| w.cpic[0].cmallc(&mut w.nodes[0], &a, NOW));
        assert_eq!(code, ReturnCode::Ok);
        assert_eq!(self.cpic[0].cmflus(&mut self.nodes[0], &a), ReturnCode::Ok);
        let b = self.wait(|w| w.cpic[1].cmaccp(&mut w.nodes[1])).unwrap();
        [a, b]
    }

    fn state(&self, side: usize, cid: &ConversationIdentifier) -> State {
        self.cpic[side]
            .cmecs(&self.nodes[side], cid)
            .unwrap_or(S::Reset)
    }

    fn send(&mut self, side: usize, cid: &ConversationIdentifier, kind: u32) -> Poll<ReturnCode> {
        assert_eq!(self.cpic[side].cmsst(cid, kind), ReturnCode::Ok);
        let out = self.cpic[side].cmsend(&mut self.nodes[side], cid, b"data");
        out.map(|(_, code)| code)
    }

    fn receive(&mut self, side: usize, cid: &ConversationIdentifier) -> ReceivedData {
        let mut buffer = [0; 100];
        let got = self.wait(|w| w.cpic[side].cmrcv(&mut w.nodes[side], cid, &mut buffer));
        self.last = Some(got.status);
        got
    }

    /// Brings side 1 into this state.
    fn bring(&mut self, state: State) -> [ConversationIdentifier; 2] {
        let [a, b] = self.open();
        let flush = 1;
        assert_eq!(self.cpic[0].cmsptr(&a, flush), ReturnCode::Ok);
        match state {
            S::Receive => {}
            S::Send => {
                self.wait(|w| w.cpic[0].cmptr(&mut w.nodes[0], &a));
                self.run();
                let got = self.receive(1, &b);
                assert_eq!(got.status, StatusReceived::Send);
            }
            S::SendPending => {
                assert!(self.send(0, &a, 3).is_ready());
                self.run();
                self.receive(1, &b);
            }
            S::Confirm => {
                assert!(self.send(0, &a, 2).is_pending());
                self.run();
                self.receive(1, &b);
            }
            S::ConfirmSend => {
                assert_eq!(self.cpic[0].cmsptr(&a, 2), ReturnCode::Ok);
                assert!(self.send(0, &a, 3).is_pending());
                self.run();
                self.receive(1, &b);
            }
            S::ConfirmDeallocate => {
                assert!(self.send(0, &a, 4).is_pending());
                self.run();
                self.receive(1, &b);
            }
            other => panic!("{other:?} is not reached by a partner"),
        }
        assert_eq!(self.state(1, &b), state);
        [a, b]
    }
}

#[test]
fn the_partner_receives_an_error() {
    let mut world = CpicPair::new();
    let [a, b] = world.bring(S::Confirm);
    world.wait(|w| w.cpic[1].cmserr(&mut w.nodes[1], &b));
    let code = world.wait(|w| w.send(0, &a, 2));
    assert_eq!(code, ReturnCode::ProgramErrorPurging);
    assert_eq!(world.state(0, &a), S::Receive);
    let mut world = CpicPair::new();
    let [a, b] = world.bring(S::ConfirmDeallocate);
    world.cpic[1].cmcanc(&mut world.nodes[1], &b);
    let code = world.wait(|w| w.send(0, &a, 4));
    assert_eq!(code, ReturnCode::DeallocatedAbend);
    assert_eq!(world.state(0, &a), S::Reset);
}

#[test]
fn before_the_allocate_only_characteristics_change() {
    let mut world = CpicPair::new();
    let cid = world.cpic[0].cminit("").unwrap();
    assert_eq!(world.state(0, &cid), S::Initialize);
    let check = ReturnCode::ProgramStateCheck;
    assert_eq!(world.send(0, &cid, 0), Poll::Ready(check));
    assert_eq!(world.cpic[0].cmflus(&mut world.nodes[0], &cid), check);
    let code = world.wait(|w| w.cpic[0].cmallc(&mut w.nodes[0], &cid, NOW));
    assert_eq!(code, ReturnCode::ParameterError, "no partner yet");
    assert_eq!(world.cpic[0].cmspln(&cid, "NET.B  "), ReturnCode::Ok);
    assert_eq!(world.cpic[0].cmstpn(&cid, "SERVER"), ReturnCode::Ok);
    assert_eq!(world.cpic[0].cmsmn(&cid, "NOSUCH"), ReturnCode::Ok);
    let code = world.wait(|w| w.cpic[0].cmallc(&mut w.nodes[0], &cid, NOW));
    assert_eq!(code, ReturnCode::ParameterError, "no such mode");
    assert_eq!(world.cpic[0].cmsmn(&cid, "#BATCH"), ReturnCode::Ok);
    let code = world.wait(|w| w.cpic[0].cmallc(&mut w.nodes[0], &cid, NOW));
    assert_eq!(code, ReturnCode::Ok);
    assert_eq!(world.cpic[0].cmssl(&cid, 1), check);
    assert_eq!(world.cpic[0].cmemn(&cid).unwrap().as_str(), "#BATCH");
    let bad = ReturnCode::ProgramParameterCheck;
    assert_eq!(world.cpic[0].cmsst(&cid, 5), bad);
    assert_eq!(world.cpic[0].cmsf(&cid, 1), bad, "mapped has no fill");
    assert_eq!(world.cpic[0].cminit("ABSENT"), Err(bad));
    assert_eq!(world.cpic[0].cmcanc(&mut world.nodes[0], b"XXXXXXXX"), bad);
}

#[test]
fn names_that_were_not_set_are_a_blank() {
    let mut world = CpicPair::new();
    let cid = world.cpic[0].cminit("").unwrap();
    assert_eq!(world.cpic[0].cmepln(&cid).unwrap(), " ");
    assert_eq!(world.cpic[0].cmetpn(&cid).unwrap(), " ");
    assert_eq!(world.cpic[0].cmemn(&cid).unwrap().as_str(), "");
    let cid = world.cpic[0].cminit("PARTNER").unwrap();
    assert_eq!(world.cpic[0].cmepln(&cid).unwrap(), "NET.B");
    assert_eq!(world.cpic[0].cmetpn(&cid).unwrap(), "SERVER");
}

#[test]
fn user_and_password_need_a_security_type() {
    let mut world = CpicPair::new();
    let cpic = &mut world.cpic[0];
    let cid = cpic.cminit("PARTNER").unwrap();
    let check = ReturnCode::ProgramStateCheck;
    assert_eq!(cpic.cmscsu(&cid, "ANN"), check);
    assert_eq!(cpic.cmscsp(&cid, PasswordBytes::new("PW")), check);
    for with in [1, 2] {
        assert_eq!(cpic.cmscst(&cid, with), ReturnCode::Ok);
        assert_eq!(cpic.cmscsu(&cid, "ANN"), ReturnCode::Ok);
        assert_eq!(cpic.cmscsp(&cid, PasswordBytes::new("PW")), ReturnCode::Ok);
    }
}

#[test]
fn log_data_is_for_basic_conversations() {
    let mut world = CpicPair::new();
    let cpic = &mut world.cpic[0];
    let cid = cpic.cminit("PARTNER").unwrap();
    let wrong = ReturnCode::ProgramParameterCheck;
    assert_eq!(cpic.cmsld(&cid, b"log"), wrong);
    assert_eq!(cpic.cmsct(&cid, 0), ReturnCode::Ok);
    assert_eq!(cpic.cmsld(&cid, &[b'x'; 512]), ReturnCode::Ok);
    assert_eq!(cpic.cmsld(&cid, &[b'x'; 513]), wrong);
}

#[test]
fn an_incoming_conversation_is_initialized_before_it_is_accepted() {
    let mut world = CpicPair::new();
    let b = world.cpic[1].cminic();
    let check = ReturnCode::ProgramStateCheck;
    assert_eq!(world.state(1, &b), S::InitializeIncoming);
    assert_eq!(world.cpic[1].cmepln(&b), Err(check));
    assert_eq!(world.cpic[1].cmetpn(&b), Err(check));
    assert_eq!(world.cpic[1].cmssl(&b, 1), check);
    assert_eq!(world.send(1, &b, 0), Poll::Ready(check));
    let code = world.cpic[1].cmallc(&mut world.nodes[1], &b, NOW);
    assert_eq!(code, Poll::Ready(check));
    let flush = 1;
    assert_eq!(world.cpic[1].cmsdt(&b, flush), ReturnCode::Ok);
    assert!(world.cpic[1].cmacci(&mut world.nodes[1], &b).is_pending());
    let a = world.cpic[0].cminit("PARTNER").unwrap();
    assert_eq!(world.cpic[0].cmssl(&a, 1), ReturnCode::Ok);
    let code = world.wait(|w| w.cpic[0].cmallc(&mut w.nodes[0], &a, NOW));
    assert_eq!(code, ReturnCode::Ok);
    assert_eq!(
        world.cpic[0].cmflus(&mut world.nodes[0], &a),
        ReturnCode::Ok
    );
    let code = world.wait(|w| w.cpic[1].cmacci(&mut w.nodes[1], &b));
    assert_eq!(code, ReturnCode::Ok);
    assert_eq!(world.state(1, &b), S::Receive);
    assert_eq!(world.cpic[1].cmepln(&b).unwrap(), "NET.A");
    assert_eq!(world.cpic[1].cmesl(&b), Ok(crate::SyncLevel::Confirm));
    assert_eq!(
        world.cpic[1].cmacci(&mut world.nodes[1], &b),
        Poll::Ready(check)
    );
    let unused = world.cpic[1].cminic();
    assert_eq!(
        world.cpic[1].cmcanc(&mut world.nodes[1], &unused),
        ReturnCode::Ok
    );
    assert_eq!(
        world.cpic[1].cmacci(&mut world.nodes[1], &unused),
        Poll::Ready(ReturnCode::ProgramParameterCheck)
    );
}

#[test]
fn users_are_checked_and_passwords_not_shown() {
    for (password, expected) in [
        ("RIGHT", ReturnCode::Ok),
        ("WRONG", ReturnCode::SecurityNotValid),
    ] {
        let mut world = CpicPair::new();
        world.nodes[1].define_user(LocalUser {
            name: "ANN".into(),
            password: PasswordBytes::new("RIGHT"),
        });
        let mut program = TpDefinition::new("SERVER".parse().unwrap());
        program.security = TpSecurity::User;
        world.nodes[1].define_tp(program);
        let a = world.cpic[0].cminit("PARTNER").unwrap();
        world.cpic[0].cmscst(&a, 2);
        world.cpic[0].cmscsu(&a, "ANN");
        world.cpic[0].cmscsp(&a, PasswordBytes::new(password));
        world.wait(|w| w.cpic[0].cmallc(&mut w.nodes[0], &a, NOW));
        assert!(!format!("{:?}", world.cpic[0]).contains(password));
        assert_eq!(world.send(0, &a, 1), Poll::Ready(ReturnCode::Ok));
        world.run();
        assert!(!format!("{:?}", world.nodes).contains(password));
        let code = match expected {
            ReturnCode::Ok => {
                let b = world.wait(|w| w.cpic[1].cmaccp(&mut w.nodes[1])).unwrap();
                assert_eq!(world.cpic[1].cmesui(&b).unwrap(), "ANN");
                world.send(0, &a, 1)
            }
            _ => Poll::Ready(world.wait(|w| w.send(0, &a, 1))),
        };
        assert_eq!(code, Poll::Ready(expected));
    }
}

#[test]
fn a_confirmation_needs_its_sync_level() {
    let mut world = CpicPair::new();
    let cpic = &mut world.cpic[0];
    let bad = ReturnCode::ProgramParameterCheck;
    let cid = cpic.cminit("PARTNER").unwrap();
    let confirm = 2;
    assert_eq!(cpic.cmsst(&cid, confirm), bad);
    assert_eq!(cpic.cmsptr(&cid, confirm), bad);
    assert_eq!(cpic.cmsdt(&cid, confirm), bad);
    assert_eq!(cpic.cmssl(&cid, 1), ReturnCode::Ok);
    assert_eq!(cpic.cmsdt(&cid, confirm), ReturnCode::Ok);
    assert_eq!(cpic.cmssl(&cid, 0), bad, "the deallocate type confirms");
    assert_eq!(cpic.cmssl(&cid, 2), bad, "sync point is not supported");
    assert_eq!(cpic.cmesl(&cid), Ok(crate::SyncLevel::Confirm));
}

/// A password must not be in anything that programs and operators can print.
#[test]
fn no_password_is_in_a_trace_a_message_or_debug_output() {
    let mut world = CpicPair::new();
    let secret = "S3CRETPW";
    world.nodes[1].define_user(LocalUser {
        name: "ANN".into(),
        password: PasswordBytes::new(secret),
    });
    let a = world.cpic[0].cminit("PARTNER").unwrap();
    world.cpic[0].cmscst(&a, 2);
    world.cpic[0].cmscsu(&a, "ANN");
    world.cpic[0].cmscsp(&a, PasswordBytes::new(secret));
    let mut printed = vec![format!("{:?} {:?}", world.cpic, world.nodes)];
    world.wait(|w| w.cpic[0].cmallc(&mut w.nodes[0], &a, NOW));
    printed.push(format!("{:?} {:?}", world.cpic, world.nodes));
    world.cpic[0].cmflus(&mut world.nodes[0], &a);
    // The Attach with the password is in the first PIU that is sent now.
    let ebcdic = crate::ebcdic::from_str(secret);
    let mut found = false;
    while let Some(piu) = world.nodes[0].poll_transmit_on(world.links[0]) {
        let packet = crate::wire::piu::Packet::parse(&piu).unwrap();
        if let Ok((attach, len)) = crate::wire::fmh5::Repr::parse(packet.ru) {
            found = attach.access.password.is_some();
            assert!(packet.ru[..len].windows(8).any(|w| w == ebcdic));
            printed.push(format!("{attach:?} {:?}", attach.access));
        }
        world.nodes[1].handle_piu(world.links[1], piu.into(), NOW);
    }
    assert!(found, "the password went to the partner");
    printed.push(format!("{:?}", world.nodes));
    while let Some(event) = world.nodes[1].poll_event() {
        printed.push(format!("{event:?}"));
        if let NodeEvent::Attached(attached) = event {
            world.cpic[1].offer(attached);
        }
    }
    let b = world.wait(|w| w.cpic[1].cmaccp(&mut w.nodes[1])).unwrap();
    printed.push(format!("{:?} {:?}", world.cpic, world.cpic[1].cmesui(&b)));
    printed.push(format!("{:?}", PasswordBytes::new(secret)));
    let bytes = format!("{ebcdic:?}");
    let bytes = bytes.trim_matches(['[', ']']);
    for text in printed {
        assert!(!text.contains(secret) && !text.contains(bytes), "{text}");
    }
}
