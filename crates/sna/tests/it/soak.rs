//! Random programs over random links and modes: nothing is lost or repeated, no
//! window is exceeded, no program waits forever.
//!
//! Each conversation follows a script that both ends know: who sends which
//! records, and how each turn ends. All is drawn from one seed.

use crate::harness::{Pair, lu, show};
use crate::lossy::{Faults, Lossy};
use base::SeededRandom;
use proptest::prelude::*;
use sna::wire::ipm::{PacingMessageKind, Repr as Ipm};
use sna::wire::piu::Packet;
use sna::wire::rh::RuCategory;
use sna::wire::th::Address;
use sna::{
    ConversationId, ConversationType, DataReceived, DeallocateType, Fill, Mode, NodeEvent,
    PacingMode, PrepareToReceiveType, ReturnCode, StatusReceived, SyncLevel,
};
use std::collections::HashMap;
use std::task::Poll;
use std::time::Duration;

#[derive(Clone, Copy, Debug, PartialEq)]
enum End {
    Confirm,
    Turn,
    ConfirmTurn,
    Over,
    ConfirmOver,
}

/// Records of these sizes, from the client (0) or the server (1), and an end.
#[derive(Clone, Debug)]
struct Turn {
    by: usize,
    records: Vec<usize>,
    end: End,
}

fn script(rng: &mut SeededRandom) -> Vec<Turn> {
    let mut by = 0;
    let mut turns = Vec::new();
    let count = 1 + rng.below(5);
    for i in 0..count {
        let mut records: Vec<usize> = (0..rng.below(4))
            .map(|_| match rng.below(6) {
                0 => 0,
                1 => rng.below(40_000) as usize,
                _ => rng.below(1500) as usize,
            })
            .collect();
        if i == 0 {
            records.insert(0, 1);
        }
        let end = match (i + 1 == count, rng.below(3)) {
            (true, 0) => End::ConfirmOver,
            (true, _) => End::Over,
            (false, 0) => End::Confirm,
            (false, 1) => End::ConfirmTurn,
            _ => End::Turn,
        };
        turns.push(Turn { by, records, end });
        if matches!(end, End::Turn | End::ConfirmTurn) {
            by = 1 - by;
        }
    }
    turns
}

/// The first record has the number of the script, from which the others are made.
fn record(script: usize, turn: usize, at: usize, len: usize) -> Vec<u8> {
    if (turn, at) == (0, 0) {
        return vec![script as u8];
    }
    (0..len)
        .map(|i| (i * 7 + turn * 31 + at * 13 + script) as u8)
        .collect()
}

/// One end of a conversation at work.
struct Actor {
    side: usize,
    part: usize,
    id: ConversationId,
    script: Option<usize>,
    basic: bool,
    allocated: bool,
    turn: usize,
    at: usize,
    /// The bytes of the present record.
    got: Vec<u8>,
    /// The end was received and is to be confirmed.
    owes: bool,
    done: Option<ReturnCode>,
}

impl Actor {
    /// Does one thing. Returns `false` if it must wait.
    fn step(&mut self, pair: &mut Pair, scripts: &[Vec<Turn>], rng: &mut SeededRandom) -> bool {
        let node = &mut pair.nodes[self.side];
        if !self.allocated {
            return match node.allocated(self.id) {
                Poll::Pending => false,
                Poll::Ready(ReturnCode::Ok) => {
                    self.allocated = true;
                    true
                }
                Poll::Ready(code) => self.finish(code),
            };
        }
        // A server learns its script from the first record.
        let turn = match self.script {
            Some(n) => scripts[n][self.turn].clone(),
            None => Turn {
                by: 0,
                records: vec![1],
                end: End::Turn,
            },
        };
        if turn.by == self.part {
            self.send(pair, &turn)
        } else {
            self.receive(pair, &turn, scripts, rng)
        }
    }

    /// A record as the program sends it: a basic conversation's begins with its
    /// length.
    fn dress(&self, data: Vec<u8>) -> Vec<u8> {
        if !self.basic {
            return data;
        }
        let data = &data[..data.len().min(BASIC_RECORD)];
        let mut out = (data.len() as u16 + 2).to_be_bytes().to_vec();
        out.extend_from_slice(data);
        out
    }

    /// The other way round.
    fn strip(&self, mut data: Vec<u8>) -> Vec<u8> {
        if self.basic {
            let len = u16::from_be_bytes([data[0], data[1]]);
            assert_eq!(usize::from(len), data.len());
            data.drain(..2);
        }
        data
    }

    fn finish(&mut self, code: ReturnCode) -> bool {
        self.done = Some(code);
        true
    }

    fn send(&mut self, pair: &mut Pair, turn: &Turn) -> bool {
        let node = &mut pair.nodes[self.side];
        if let Some(len) = turn.records.get(self.at) {
            let data = record(self.script.unwrap(), self.turn, self.at, *len);
            let data = self.dress(data);
            return match node.send(self.id, &data) {
                Poll::Pending => false,
                Poll::Ready(sent) if sent.code == ReturnCode::Ok => {
                    self.at += 1;
                    true
                }
                Poll::Ready(sent) => self.finish(sent.code),
            };
        }
        let turned = PrepareToReceiveType::Flush;
        let confirmed = PrepareToReceiveType::Confirm;
        let code = match turn.end {
            End::Confirm => node.confirm(self.id).map(|s| s.code),
            End::Turn => node.prepare_to_receive(self.id, turned),
            End::ConfirmTurn => node.prepare_to_receive(self.id, confirmed),
            End::Over => node.deallocate(self.id, DeallocateType::Flush),
            End::ConfirmOver => node.deallocate(self.id, DeallocateType::Confirm),
        };
        match code {
            Poll::Pending => false,
            Poll::Ready(ReturnCode::Ok) => {
                self.turn += 1;
                self.at = 0;
                match turn.end {
                    End::Over | End::ConfirmOver => self.finish(ReturnCode::Ok),
                    _ => true,
                }
            }
            Poll::Ready(code) => self.finish(code),
        }
    }

    fn receive(
        &mut self,
        pair: &mut Pair,
        turn: &Turn,
        scripts: &[Vec<Turn>],
        rng: &mut SeededRandom,
    ) -> bool {
        let node = &mut pair.nodes[self.side];
        if self.owes {
            let code = node.confirmed(self.id);
            self.owes = false;
            self.turn += 1;
            self.at = 0;
            return match (code, turn.end) {
                (ReturnCode::Ok, End::ConfirmOver) => self.finish(ReturnCode::Ok),
                (ReturnCode::Ok, _) => true,
                (code, _) => self.finish(code),
            };
        }
        let mut buffer = vec![0; 1 + rng.below(3000) as usize];
        let got = match node.receive(self.id, &mut buffer, Fill::Ll) {
            Poll::Pending => return false,
            Poll::Ready(got) => got,
        };
        let over = got.code == ReturnCode::DeallocatedNormal && turn.end == End::Over;
        if got.code != ReturnCode::Ok && !over {
            return self.finish(got.code);
        }
        self.got.extend_from_slice(&buffer[..got.len]);
        let mut turn = turn.clone();
        if got.data == DataReceived::Complete {
            let data = std::mem::take(&mut self.got);
            let data = self.strip(data);
            if self.script.is_none() {
                self.script = Some(usize::from(data[0]));
                turn = scripts[usize::from(data[0])][0].clone();
            }
            let n = self.script.unwrap();
            let mut len = *turn.records.get(self.at).expect("an unsent record");
            if self.basic {
                len = len.min(BASIC_RECORD);
            }
            assert_eq!(data, record(n, self.turn, self.at, len), "script {n}");
            self.at += 1;
        }
        if over {
            assert_eq!(self.at, turn.records.len(), "records are missing");
            return self.finish(ReturnCode::Ok);
        }
        if got.status == StatusReceived::None {
            return true;
        }
        assert_eq!(self.at, turn.records.len(), "records are missing");
        let expected = match turn.end {
            End::Confirm => StatusReceived::Confirm,
            End::Turn => StatusReceived::Send,
            End::ConfirmTurn => StatusReceived::ConfirmSend,
            End::ConfirmOver => StatusReceived::ConfirmDeallocate,
            End::Over => StatusReceived::None,
        };
        assert_eq!(got.status, expected);
        if turn.end == End::Turn {
            self.turn += 1;
            self.at = 0;
        } else {
            self.owes = true;
        }
        true
    }
}

/// Counts RUs against grants, session by session, from the PIUs alone.
fn check_windows(trace: &[(usize, Vec<u8>)], window: u32, adaptive: bool) {
    let mut sent: HashMap<(usize, Address), u32> = HashMap::new();
    let mut granted: HashMap<(usize, Address), u32> = HashMap::new();
    for entry in trace {
        let (side, bytes) = entry;
        let piu = Packet::parse(bytes).unwrap();
        let Some(header) = piu.rh else { continue };
        let back = (1 - side, piu.th.address.swapped());
        if header.is_isolated_pacing() {
            let more = if piu.th.expedited {
                match Ipm::parse(piu.ru).unwrap() {
                    Ipm {
                        kind: PacingMessageKind::Solicited,
                        window,
                    } => u32::from(window),
                    _ => 0,
                }
            } else {
                window
            };
            *granted.entry(back).or_default() += more;
        } else if !header.is_response() && !piu.th.expedited {
            assert_ne!(header.category(), RuCategory::Sc);
            let key = (*side, piu.th.address);
            let count = sent.entry(key).or_default();
            *count += 1;
            let first = if adaptive { 1 } else { window };
            let most = first + granted.get(&key).copied().unwrap_or(0);
            assert!(*count <= most || window == 0, "{}", show(entry));
        }
    }
}

struct Case {
    seed: u64,
    max_btu: usize,
    ru: usize,
    window: u8,
    pacing: PacingMode,
    delay_us: u64,
    cut: Option<u64>,
    faults: Option<Faults>,
    conversations: usize,
}

impl Default for Case {
    fn default() -> Case {
        Case {
            seed: 1,
            max_btu: 265,
            ru: 1024,
            window: 3,
            pacing: PacingMode::Adaptive,
            delay_us: 500,
            cut: None,
            faults: None,
            conversations: 6,
        }
    }
}

/// Runs the case; returns the codes of the ends that failed.
fn run(case: &Case) -> Vec<ReturnCode> {
    let name = "TEST";
    let mut pair = Pair::with(case.max_btu, |_, config| {
        let mode = Mode::new(name.parse().unwrap())
            .with_ru_bytes(case.ru)
            .with_pacing(case.pacing, case.window)
            .with_sessions(4, 2);
        config.modes.define(mode);
    });
    pair.rng = SeededRandom::new(case.seed ^ 0xABCD);
    pair.delay_us = case.delay_us;
    pair.lossy = case.faults.map(|faults| Lossy::new(faults, case.seed));
    let mut rng = SeededRandom::new(case.seed);
    let mut kinds = SeededRandom::new(case.seed ^ 0x5EED);
    let scripts: Vec<_> = (0..case.conversations).map(|_| script(&mut rng)).collect();
    let mut actors = Vec::new();
    for (n, script) in scripts.iter().enumerate() {
        let side = rng.below(2) as usize;
        let mut wish = pair.allocate_parameters(side, name);
        let confirms = |turn: &Turn| !matches!(turn.end, End::Turn | End::Over);
        if !script.iter().any(confirms) {
            wish.sync = SyncLevel::None;
        }
        let basic = kinds.below(3) == 0;
        if basic {
            wish.kind = ConversationType::Basic;
        }
        let now = pair.now;
        actors.push(Actor {
            side,
            part: 0,
            id: pair.nodes[side].allocate(wish, now),
            script: Some(n),
            basic,
            allocated: false,
            turn: 0,
            at: 0,
            got: Vec::new(),
            owes: false,
            done: None,
        });
    }
    let mut steps = 0;
    let mut since = pair.now;
    loop {
        let mut moved = false;
        for actor in actors.iter_mut().filter(|a| a.done.is_none()) {
            moved |= actor.step(&mut pair, &scripts, &mut rng);
        }
        for side in 0..2 {
            let events = std::mem::take(&mut pair.events[side]);
            for event in events {
                if let NodeEvent::PeerFault { sense, .. } = event {
                    let crossing = sense.code() == 0x0805;
                    assert!(crossing || case.cut.is_some(), "{sense} {}", last(&pair));
                }
                let NodeEvent::Attached(attached) = event else {
                    continue;
                };
                if pair.nodes[side].accept(attached.conversation) == ReturnCode::Ok {
                    assert_eq!(attached.partner, lu(1 - side));
                    actors.push(Actor {
                        side,
                        part: 1,
                        id: attached.conversation,
                        script: None,
                        basic: attached.kind == ConversationType::Basic,
                        allocated: true,
                        turn: 0,
                        at: 0,
                        got: Vec::new(),
                        owes: false,
                        done: None,
                    });
                    moved = true;
                }
            }
        }
        steps += 1;
        if moved {
            since = pair.now;
        }
        if case.cut == Some(steps) {
            pair.cut();
            continue;
        }
        moved |= pair.step();
        let arrived = pair.lossy.as_ref().is_none_or(Lossy::is_idle);
        if !moved && arrived && actors.iter().all(|a| a.done.is_some()) {
            break;
        }
        // Link stations poll each other forever, so a standstill
        // over them is detected by time.
        let stands = pair.now > since + STANDSTILL;
        if !moved && (stands || !pair.expire()) {
            let waiting: Vec<_> = actors
                .iter()
                .filter(|a| a.done.is_none())
                .map(|a| {
                    (
                        a.side,
                        a.part,
                        a.script,
                        a.turn,
                        a.at,
                        pair.nodes[a.side].state(a.id),
                    )
                })
                .collect();
            panic!("deadlock: {waiting:?}; {}", last(&pair));
        }
    }
    if case.cut.is_none() {
        let adaptive = case.pacing == PacingMode::Adaptive;
        let of_mode: Vec<_> = pair
            .trace
            .iter()
            .filter(|(_, piu)| !is_service(piu))
            .cloned()
            .collect();
        check_windows(&of_mode, u32::from(case.window), adaptive);
    }
    if let Some(lossy) = &pair.lossy {
        COUNTED.with_borrow_mut(|sum| {
            for (sum, count) in sum.iter_mut().zip(lossy.counts) {
                *sum += count;
            }
        });
    }
    for node in &pair.nodes {
        assert_eq!(node.conversation_count(), 0, "left over: {node:#?}");
    }
    let ends = actors.iter().filter_map(|a| a.done);
    ends.filter(|code| *code != ReturnCode::Ok).collect()
}

/// The longest record of a basic conversation, less its length.
const BASIC_RECORD: usize = 32_765;

/// Longer than any case that ends.
const STANDSTILL: Duration = Duration::from_secs(600);

thread_local! {
    /// Frames lost, repeated and overtaken in all cases of a test.
    static COUNTED: std::cell::RefCell<[u64; 3]> = const { std::cell::RefCell::new([0; 3]) };
}

/// The last PIUs, for a message.
fn last(pair: &Pair) -> String {
    let pius: Vec<String> = pair.trace.iter().rev().take(30).map(show).collect();
    format!("last PIUs: {pius:#?}")
}

/// Whether a PIU belongs to the sessions of the node itself, which have other
/// windows: they are the first that each side binds.
fn is_service(piu: &[u8]) -> bool {
    let address = Packet::parse(piu).unwrap().th.address;
    let low = [address.daf, address.oaf];
    low == [1, 2] || low == [2, 1]
}

/// The configuration of the tests below: this many cases, unless the environment
/// asks for another number.
fn cases(usual: u32) -> ProptestConfig {
    let asked = std::env::var_os("PROPTEST_CASES").is_some();
    if asked {
        ProptestConfig::default()
    } else {
        ProptestConfig::with_cases(usual)
    }
}

fn pacings() -> impl Strategy<Value = PacingMode> {
    prop_oneof![
        Just(PacingMode::FixedOneStage),
        Just(PacingMode::FixedTwoStage),
        Just(PacingMode::Adaptive)
    ]
}

proptest! {
    #![proptest_config(cases(96))]

    #[test]
    fn nothing_is_lost_and_no_conversation_waits(
        seed in any::<u64>(),
        max_btu in prop_oneof![Just(99usize), Just(265), Just(1033), Just(4105)],
        ru in prop_oneof![Just(256usize), Just(1024), Just(4096)],
        window in 0u8..9,
        pacing in pacings(),
        delay_us in prop_oneof![Just(0u64), Just(500), Just(20_000)],
        conversations in 1usize..9,
    ) {
        let case = Case {
            seed, max_btu, ru, window, pacing, delay_us, conversations, ..Case::default()
        };
        prop_assert_eq!(run(&case), []);
    }

    #[test]
    fn a_lost_link_is_reported_to_every_conversation(
        seed in any::<u64>(),
        cut in 1u64..400,
        conversations in 1usize..6,
    ) {
        let case = Case {
            seed, delay_us: 300, cut: Some(cut), conversations, ..Case::default()
        };
        run(&case);
    }

    #[test]
    fn nothing_is_lost_over_a_link_that_loses_repeats_and_reorders(
        seed in any::<u64>(),
        max_btu in prop_oneof![Just(99usize), Just(265), Just(1033)],
        ru in prop_oneof![Just(256usize), Just(1024), Just(3840)],
        window in 1u8..9,
        pacing in pacings(),
        conversations in 1usize..7,
        lose in 0u64..150,
        repeat in 0u64..150,
        delay_us in prop_oneof![Just(0u64), Just(500), Just(20_000)],
        link_window in 1u8..12,
        ack_every in 1u8..6,
    ) {
        let faults = Faults { lose, repeat, delay_us, window: link_window, ack_every };
        let case = Case {
            seed, max_btu, ru, window, pacing, conversations,
            faults: Some(faults),
            ..Case::default()
        };
        prop_assert_eq!(run(&case), []);
    }
}

#[test]
fn the_lossy_link_loses_repeats_and_reorders() {
    let faults = Faults {
        lose: 100,
        repeat: 100,
        delay_us: 20_000,
        window: 8,
        ack_every: 2,
    };
    let case = Case {
        faults: Some(faults),
        ..Case::default()
    };
    assert_eq!(run(&case), []);
    let counted = COUNTED.with_borrow(|sum| *sum);
    assert!(counted.iter().all(|n| *n > 10), "{counted:?}");
}

#[test]
fn a_loser_that_bids_again_before_the_offer_gets_one_offer() {
    let case = Case {
        seed: 10_965_551_691_831_699_864,
        ru: 4096,
        window: 4,
        pacing: PacingMode::FixedOneStage,
        ..Case::default()
    };
    assert_eq!(run(&case), []);
}

#[test]
fn a_case_runs_the_same_way_twice() {
    let once = |seed: u64| {
        let mut pair = Pair::new(265);
        pair.rng = SeededRandom::new(seed);
        pair.delay_us = 1000;
        let wish = pair.allocate_parameters(0, "#INTER");
        let id = pair.allocate(0, wish);
        pair.until("send", |p| p.nodes[0].send(id, &[1; 3000]));
        pair.until("end", |p| p.nodes[0].deallocate(id, DeallocateType::Flush));
        pair.run();
        (pair.now, pair.trace)
    };
    assert_eq!(once(3), once(3));
    assert_ne!(once(3).0, once(4).0);
}
