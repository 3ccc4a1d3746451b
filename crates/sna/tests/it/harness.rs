//! Two nodes joined by a link in virtual time.
//!
//! The plain link delivers PIUs in order after a delay that a seeded generator
//! draws. Over a [`Lossy`] link frames are lost, repeated and overtaken, and two
//! link stations repair that, as they do on a ring. Every PIU is kept for
//! looking at.

use crate::lossy::Lossy;
use base::SeededRandom;
use bytes::Bytes;
use sna::{
    AllocateParameters, CheckedAttach, ConversationId, LinkConfig, LinkId, LinkRole, LuName,
    MonotonicTime, Node, NodeConfig, NodeEvent, PartnerLu, ReturnCode, TpDefinition,
};
use std::collections::VecDeque;
use std::task::Poll;
use std::time::Duration;

/// One of the two nodes.
pub type Side = usize;

/// Two nodes and the link between them.
pub struct Pair {
    pub nodes: [Node; 2],
    pub links: [Option<LinkId>; 2],
    pub now: MonotonicTime,
    pub rng: SeededRandom,
    /// The longest delay of a PIU, in microseconds.
    pub delay_us: u64,
    /// PIUs on their way to each side, with the time they come.
    pub wire: [VecDeque<(MonotonicTime, Vec<u8>)>; 2],
    /// The link for the PIUs instead of `wire`.
    pub lossy: Option<Lossy>,
    /// Events not looked at yet.
    pub events: [Vec<NodeEvent>; 2],
    /// Every PIU that was sent: from which side, and its bytes.
    pub trace: Vec<(Side, Vec<u8>)>,
}

pub const NAMES: [&str; 2] = ["APPN.ALPHA", "APPN.BETA"];

pub fn lu(side: Side) -> LuName {
    NAMES[side].parse().unwrap()
}

impl Pair {
    /// Two nodes that know each other, with a program SERVER at each, over a
    /// link of this size.
    pub fn new(max_btu: usize) -> Pair {
        Pair::with(max_btu, |_, _| {})
    }

    /// As above, with `set` run on each side's configuration before.
    pub fn with(max_btu: usize, set: impl Fn(Side, &mut NodeConfig)) -> Pair {
        let mut nodes = [0, 1].map(|side| {
            let mut config = NodeConfig {
                seed: side as u64,
                ..NodeConfig::default()
            };
            set(side, &mut config);
            let mut node = Node::new(config);
            node.define_lu(lu(side));
            node.define_partner(PartnerLu::new(lu(1 - side)));
            node.define_tp(TpDefinition::new("SERVER".parse().unwrap()));
            node
        });
        let links = [0, 1].map(|side| {
            let role = [LinkRole::Primary, LinkRole::Secondary][side];
            let config = LinkConfig::new(role, max_btu);
            let link = nodes[side].link_up(config, MonotonicTime::ZERO);
            nodes[side].define_route(lu(1 - side), link);
            Some(link)
        });
        Pair {
            nodes,
            links,
            now: MonotonicTime::ZERO,
            rng: SeededRandom::new(7),
            delay_us: 0,
            wire: Default::default(),
            lossy: None,
            events: Default::default(),
            trace: Vec::new(),
        }
    }

    /// Polls the PIUs and events of the nodes.
    pub fn drain(&mut self) {
        for side in 0..2 {
            while let Some((_, piu)) = self.nodes[side].poll_transmit() {
                self.trace.push((side, piu.clone()));
                if let Some(lossy) = &mut self.lossy {
                    lossy.send(side, piu, self.now);
                    continue;
                }
                let delay = self.rng.below(self.delay_us);
                let queue = &mut self.wire[1 - side];
                let after = queue.back().map_or(self.now, |(at, _)| *at);
                let at = (self.now + Duration::from_micros(delay)).max(after);
                queue.push_back((at, piu));
            }
            while let Some(event) = self.nodes[side].poll_event() {
                self.events[side].push(event);
            }
        }
    }

    /// Does the next thing that is due. Returns `false` if nothing is.
    pub fn step(&mut self) -> bool {
        self.drain();
        if let Some(mut lossy) = self.lossy.take() {
            let moved = lossy.step(self);
            self.lossy = Some(lossy);
            self.drain();
            return moved;
        }
        let arrival = |side: Side| self.wire[side].front().map(|(at, _)| (*at, side));
        let next = [arrival(0), arrival(1)].into_iter().flatten().min();
        if let Some((at, side)) = next {
            self.now = self.now.max(at);
            let (_, piu) = self.wire[side].pop_front().unwrap();
            if let Some(link) = self.links[side] {
                self.nodes[side].handle_piu(link, Bytes::from(piu), self.now);
            }
            self.drain();
            return true;
        }
        false
    }

    /// Lets time pass to the next deadline of either node; false without one.
    pub fn expire(&mut self) -> bool {
        let nodes = self.nodes.iter().filter_map(Node::poll_timeout);
        let link = self.lossy.as_ref().and_then(Lossy::next_timeout);
        let Some(at) = nodes.chain(link).min() else {
            return false;
        };
        self.now = self.now.max(at);
        self.nodes.iter_mut().for_each(|n| n.handle_timeout(at));
        if let Some(lossy) = &mut self.lossy {
            lossy.handle_timeout(at);
        }
        self.drain();
        true
    }

    /// Runs until nothing is in transit.
    pub fn run(&mut self) {
        while self.step() {}
    }

    /// Runs `verb` repeatedly until it is ready, moving PIUs between.
    pub fn until<T>(&mut self, what: &str, mut verb: impl FnMut(&mut Pair) -> Poll<T>) -> T {
        for _ in 0..1_000_000 {
            if let Poll::Ready(value) = verb(self) {
                self.drain();
                return value;
            }
            if !self.step() {
                let last: Vec<String> = self.trace.iter().rev().take(12).map(show).collect();
                panic!("{what} waits and nothing moves; last PIUs: {last:#?}");
            }
        }
        panic!("{what} never ends");
    }

    /// The link breaks: what is in transit is lost.
    pub fn cut(&mut self) {
        self.wire = Default::default();
        for side in 0..2 {
            if let Some(link) = self.links[side].take() {
                self.nodes[side].link_down(link, self.now);
            }
        }
        self.drain();
    }

    /// An allocate from one side to SERVER at the other.
    pub fn allocate_parameters(&self, from: Side, mode: &str) -> AllocateParameters {
        let (mode, tp) = (mode.parse().unwrap(), "SERVER".parse().unwrap());
        AllocateParameters::new(lu(from), lu(1 - from), mode, tp)
    }

    /// Allocates and waits for the session.
    pub fn allocate(&mut self, from: Side, wish: AllocateParameters) -> ConversationId {
        let now = self.now;
        let id = self.nodes[from].allocate(wish, now);
        let code = self.until("allocate", |p| p.nodes[from].allocated(id));
        assert_eq!(code, ReturnCode::Ok);
        id
    }

    /// Waits for an attach at a side and accepts it.
    pub fn accept(&mut self, at: Side) -> CheckedAttach {
        let attached = self.until("accept", |p| {
            let found = p.events[at]
                .iter()
                .position(|e| matches!(e, NodeEvent::Attached(_)));
            match found.map(|i| p.events[at].remove(i)) {
                Some(NodeEvent::Attached(attached)) => Poll::Ready(attached),
                _ => Poll::Pending,
            }
        });
        let code = self.nodes[at].accept(attached.conversation);
        assert_eq!(code, ReturnCode::Ok);
        attached
    }
}

/// A PIU in hex, truncated.
pub fn show(entry: &(Side, Vec<u8>)) -> String {
    let hex: String = entry
        .1
        .iter()
        .take(24)
        .map(|b| format!("{b:02X}"))
        .collect();
    format!("{} {:5} {hex}", NAMES[entry.0], entry.1.len())
}
