//! The state table of CPI-C, call by call, over two nodes joined directly.

use super::*;
use crate::conversation::code::StatusReceived;
use crate::node::config::{LinkConfig, LinkRole, NodeConfig, TpDefinition};
use crate::node::event::Event;
use crate::node::{LinkId, Node};
use crate::time::Instant;
use crate::{Secret, TpSecurity, User};
use State as S;

const NOW: Instant = Instant::ZERO;

struct World {
    nodes: [Node; 2],
    links: [LinkId; 2],
    cpic: [Cpic; 2],
}

impl World {
    fn new() -> World {
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
        let cpic = names.map(|name| Cpic::new(name, side.clone()));
        World { nodes, links, cpic }
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
                    if let Event::Attached(attached) = event {
                        self.cpic[side].offer(attached);
                    }
                }
            }
        }
    }

    fn wait<T>(&mut self, mut call: impl FnMut(&mut World) -> Poll<T>) -> T {
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
    fn open(&mut self) -> [Cid; 2] {
        let a = self.cpic[0].cminit("PARTNER ").unwrap();
        assert_eq!(self.cpic[0].cmssl(&a, 1), ReturnCode::Ok);
        let code = self.wait(|w| w.cpic[0].cmallc(&mut w.nodes[0], &a, NOW));
        assert_eq!(code, ReturnCode::Ok);
        assert_eq!(self.cpic[0].cmflus(&mut self.nodes[0], &a), ReturnCode::Ok);
        let b = self.wait(|w| w.cpic[1].cmaccp(&mut w.nodes[1])).unwrap();
        [a, b]
    }

    fn state(&self, side: usize, cid: &Cid) -> State {
        self.cpic[side]
            .cmecs(&self.nodes[side], cid)
            .unwrap_or(S::Reset)
    }

    fn send(&mut self, side: usize, cid: &Cid, kind: u32) -> Poll<ReturnCode> {
        assert_eq!(self.cpic[side].cmsst(cid, kind), ReturnCode::Ok);
        let out = self.cpic[side].cmsend(&mut self.nodes[side], cid, b"data");
        out.map(|(_, code)| code)
    }

    fn receive(&mut self, side: usize, cid: &Cid) -> ReceivedData {
        let mut buffer = [0; 100];
        self.wait(|w| w.cpic[side].cmrcv(&mut w.nodes[side], cid, &mut buffer))
    }

    /// Brings side 1 into this state.
    fn bring(&mut self, state: State) -> [Cid; 2] {
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

/// The call's outcome in each state: the state it leads to, or none where it
/// is not allowed.
fn check(
    name: &str,
    call: impl Fn(&mut World, &Cid) -> ReturnCode,
    table: [(State, Option<State>); 6],
) {
    for (state, expected) in table {
        let mut world = World::new();
        let [a, b] = world.bring(state);
        let code = call(&mut world, &b);
        match expected {
            None => {
                assert_eq!(code, ReturnCode::ProgramStateCheck, "{name} in {state:?}");
                assert_eq!(world.state(1, &b), state, "{name} in {state:?}");
            }
            Some(next) => {
                assert_eq!(code, ReturnCode::Ok, "{name} in {state:?}");
                assert_eq!(world.state(1, &b), next, "{name} in {state:?}");
            }
        }
        world.run();
        let _ = a;
    }
}

fn table(results: [Option<State>; 6]) -> [(State, Option<State>); 6] {
    let states = [
        S::Send,
        S::SendPending,
        S::Receive,
        S::Confirm,
        S::ConfirmSend,
        S::ConfirmDeallocate,
    ];
    let mut at = 0;
    results.map(|result| {
        at += 1;
        (states[at - 1], result)
    })
}

#[test]
fn sending_calls_follow_the_state_table() {
    let sending = |next| table([Some(next), Some(next), None, None, None, None]);
    let send = |kind: u32| {
        move |w: &mut World, b: &Cid| match w.send(1, b, kind) {
            Poll::Ready(code) => code,
            Poll::Pending => ReturnCode::OperationIncomplete,
        }
    };
    check("CMSEND", send(0), sending(S::Send));
    check("CMSEND flush", send(1), sending(S::Send));
    let turn = |w: &mut World, b: &Cid| {
        w.cpic[1].cmsptr(b, 1);
        send(3)(w, b)
    };
    check("CMSEND prepare to receive", turn, sending(S::Receive));
    let end = |w: &mut World, b: &Cid| {
        w.cpic[1].cmsdt(b, 1);
        send(4)(w, b)
    };
    check("CMSEND deallocate", end, sending(S::Reset));
    let flush = |w: &mut World, b: &Cid| w.cpic[1].cmflus(&mut w.nodes[1], b);
    check("CMFLUS", flush, sending(S::Send));
    let turn = |w: &mut World, b: &Cid| {
        w.cpic[1].cmsptr(b, 1);
        w.wait(|w| w.cpic[1].cmptr(&mut w.nodes[1], b))
    };
    check("CMPTR", turn, sending(S::Receive));
    let deal = |w: &mut World, b: &Cid| {
        w.cpic[1].cmsdt(b, 1);
        w.wait(|w| w.cpic[1].cmdeal(&mut w.nodes[1], b))
    };
    check("CMDEAL", deal, sending(S::Reset));
}

#[test]
fn the_other_calls_follow_the_state_table() {
    let confirmed = |w: &mut World, b: &Cid| w.cpic[1].cmcfmd(&mut w.nodes[1], b);
    let row = [
        None,
        None,
        None,
        Some(S::Receive),
        Some(S::Send),
        Some(S::Reset),
    ];
    check("CMCFMD", confirmed, table(row));
    let error = |w: &mut World, b: &Cid| w.wait(|w| w.cpic[1].cmserr(&mut w.nodes[1], b)).1;
    let row = [S::Send; 6].map(Some);
    // In receive state the error waits for something to refuse.
    let row_without_receive: Vec<_> = table(row)
        .into_iter()
        .filter(|(s, _)| *s != S::Receive)
        .collect();
    for (state, _) in row_without_receive {
        let mut world = World::new();
        let [_, b] = world.bring(state);
        assert_eq!(error(&mut world, &b), ReturnCode::Ok, "{state:?}");
        assert_eq!(world.state(1, &b), S::Send, "{state:?}");
    }
    let abend = |w: &mut World, b: &Cid| {
        w.cpic[1].cmsdt(b, 3);
        w.wait(|w| w.cpic[1].cmdeal(&mut w.nodes[1], b))
    };
    check("CMDEAL abend", abend, table([S::Reset; 6].map(Some)));
    let cancel = |w: &mut World, b: &Cid| w.cpic[1].cmcanc(&mut w.nodes[1], b);
    check("CMCANC", cancel, table([S::Reset; 6].map(Some)));
}

#[test]
fn what_the_partner_hears_of_an_error() {
    let mut world = World::new();
    let [a, b] = world.bring(S::Confirm);
    world.wait(|w| w.cpic[1].cmserr(&mut w.nodes[1], &b));
    let code = world.wait(|w| w.send(0, &a, 2));
    assert_eq!(code, ReturnCode::ProgramErrorPurging);
    assert_eq!(world.state(0, &a), S::Receive);
    let mut world = World::new();
    let [a, b] = world.bring(S::ConfirmDeallocate);
    world.cpic[1].cmcanc(&mut world.nodes[1], &b);
    let code = world.wait(|w| w.send(0, &a, 4));
    assert_eq!(code, ReturnCode::DeallocatedAbend);
    assert_eq!(world.state(0, &a), S::Reset);
}

#[test]
fn before_the_allocate_only_characteristics_change() {
    let mut world = World::new();
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
    assert_eq!(world.cpic[0].cminit("NOBODY"), Err(bad));
    assert_eq!(world.cpic[0].cmcanc(&mut world.nodes[0], b"XXXXXXXX"), bad);
}

#[test]
fn users_are_checked_and_passwords_not_shown() {
    for (password, expected) in [
        ("RIGHT", ReturnCode::Ok),
        ("WRONG", ReturnCode::SecurityNotValid),
    ] {
        let mut world = World::new();
        world.nodes[1].define_user(User {
            name: "ANN".into(),
            password: Secret::new("RIGHT"),
        });
        let mut program = TpDefinition::new("SERVER".parse().unwrap());
        program.security = TpSecurity::User;
        world.nodes[1].define_tp(program);
        let a = world.cpic[0].cminit("PARTNER").unwrap();
        world.cpic[0].cmscst(&a, 2);
        world.cpic[0].cmscsu(&a, "ANN");
        world.cpic[0].cmscsp(&a, Secret::new(password));
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
