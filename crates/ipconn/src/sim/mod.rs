//! Two regions in virtual time, joined by connections each way: the protocol of
//! units of work with links that delay and are cut, stores that fail and lose
//! power, and regions that die.
//!
//! Kernels, frames, [`crate::BranchCoordinator`] and [`crate::serving`] are the
//! ones used over sockets. Every choice depends on the seed, so a failing history
//! can be replayed. The rules: At rest the changes of a unit are in both regions or
//! in neither. A unit whose program received NORMAL is committed; the changes of
//! one whose program received a rollback are nowhere. A program runs only once for
//! each LINK. At rest there is no lock, no prepared unit, no decision and no query.

mod host;
mod line;
mod program;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use base::SeededRandom;
use region::sim::history::HistoryHash;
use region::sim::node::Node;
use region::{Order, ParticipantId, UnitId};

use crate::coordinating::{BranchCoordinator, MessageSubject, OrderOutcome, ReplyOutcome};
use crate::serving::ServedPartner;
use crate::units::BranchTable;
use crate::wire::{ReplyMessage, WireName};
use host::{HostTask, SimulatedRegion};
use line::{SimulatedLine, SimulatedReceiver};
use program::Program;
use region::CallFailure;

const MS: u64 = 1_000_000;
/// When the histories begin, in nanoseconds since 1970.
const BEGIN: u64 = 1_000 * MS;
const NAMES: [&str; 2] = ["NEAR", "FAR"];

/// The result of a history.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PairHistoryReport {
    /// Steps made.
    pub steps: u64,
    /// Units whose programs received NORMAL.
    pub committed: u64,
    /// Units that were backed out.
    pub backed_out: u64,
    /// Units whose programs received no answer, or that they are in doubt.
    pub untold: u64,
    /// Units that only one region, the other one, had changes of and committed.
    pub alone: u64,
    /// LINKs that ran.
    pub links: u64,
    /// Connections that were cut.
    pub cuts: u64,
    /// Deaths of a region.
    pub crashes: u64,
    /// Power losses in which a store lost changes that were not yet
    /// acknowledged.
    pub power_losses: u64,
    /// Queries of the outcome of a unit.
    pub outcome_queries: u64,
    /// Units that were in doubt at a new connection.
    pub in_doubt: u64,
    /// Transactions of a store that failed.
    pub disk_failures: u64,
    /// Hash of all events, if it was asked for.
    pub hash: u64,
}

/// The outcome of a unit, as its program received it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum UnitOutcome {
    Committed,
    BackedOut,
    /// Its program received no answer, or that it is in doubt.
    Nothing,
}

/// The actions of a program's unit, by the number that it wrote.
#[derive(Debug, Clone, Default)]
struct SimUnit {
    /// Number of writes in each region.
    puts: [usize; 2],
    answer: Option<UnitOutcome>,
}

/// One of the regions.
struct RegionSide {
    node: Rc<RefCell<Node>>,
    units: Rc<BranchTable<HostTask>>,
    /// Its coordination with the other region.
    coordinating: BranchCoordinator,
    participant: ParticipantId,
    programs: Vec<Program>,
}

/// Both regions, and the connection between them.
struct SimWorld {
    random: SeededRandom,
    now: u64,
    sides: [RegionSide; 2],
    /// By the region that calls.
    lines: [SimulatedLine; 2],
    units: BTreeMap<u64, SimUnit>,
    /// LINKs that ran, by their numbers.
    ran: Rc<RefCell<BTreeSet<u64>>>,
    last_number: u64,
    last_connection: u64,
    report: PairHistoryReport,
}

/// Plays the history of a seed: so many steps, and then until nothing is left to
/// do. Panics if a rule is broken.
pub fn play(seed: u64, steps: u64) -> PairHistoryReport {
    play_world(SimWorld::new(seed), seed, steps)
}

/// As above, with [`PairHistoryReport::hash`].
pub fn play_hashed(seed: u64, steps: u64) -> PairHistoryReport {
    let world = SimWorld::new(seed);
    for side in &world.sides {
        side.node.borrow_mut().history = Some(HistoryHash::default());
    }
    play_world(world, seed, steps)
}

fn play_world(mut world: SimWorld, seed: u64, steps: u64) -> PairHistoryReport {
    for _ in 0..steps {
        world.step(false);
    }
    world.come_to_rest(seed);
    world.check_at_rest(seed);
    // With a new connection nothing of the earlier ones is left.
    for line in &mut world.lines {
        line.cut(&mut world.random);
    }
    world.come_to_rest(seed);
    world.check_at_rest(seed);
    world.check_ends();
    world.report.hash = world.hash();
    world.report
}

impl RegionSide {
    fn new(mut node: Node, me: usize) -> RegionSide {
        RegionSide {
            participant: node.participant(NAMES[1 - me]),
            coordinating: coordinating(&node),
            node: Rc::new(RefCell::new(node)),
            units: Rc::default(),
            programs: Vec::new(),
        }
    }
}

impl SimWorld {
    fn new(seed: u64) -> SimWorld {
        SimWorld {
            random: SeededRandom::new(seed),
            now: BEGIN,
            sides: [0, 1].map(|me| RegionSide::new(Node::new(BEGIN), me)),
            lines: [0, 1].map(|_| SimulatedLine::default()),
            units: BTreeMap::new(),
            ran: Rc::default(),
            last_number: 0,
            last_connection: 0,
            report: PairHistoryReport::default(),
        }
    }

    /// Hash of the requests of both kernels and of the answers to the programs.
    fn hash(&self) -> u64 {
        let mut hash = HistoryHash::default();
        for side in &self.sides {
            let node = side.node.borrow();
            let Some(history) = node.history else {
                return 0;
            };
            hash.note(node.life, &history.value());
        }
        hash.note(self.now, &self.report);
        hash.value()
    }

    fn step(&mut self, calm: bool) {
        self.report.steps += 1;
        self.now += MS / 5;
        let at = self.random.below(2) as usize;
        match self.random.below(if calm { 16 } else { 24 }) {
            0..=5 => self.move_bytes(at, calm),
            6..=8 => self.advance(at),
            9 | 10 => {
                let random = &mut self.random;
                let works = self.sides[at].node.borrow_mut().commit(random, calm);
                self.report.disk_failures += u64::from(!works);
            }
            11 => self.connect(at),
            12 => self.give_up_waiting(at),
            13 | 14 => self.pass_time(calm),
            16..=18 if self.sides[at].programs.len() < 6 => {
                let program = Program::new(&mut self.random, &self.sides[at].node);
                self.sides[at].programs.push(program);
            }
            19 | 20 if self.random.one_in(12) => {
                self.lines[at].cut(&mut self.random);
                self.report.cuts += 1;
            }
            21 if self.random.one_in(40) => self.crash(at),
            _ => {}
        }
        self.settle();
    }

    /// To the next instant that something is due, or a little further.
    fn pass_time(&mut self, calm: bool) {
        let nodes = self
            .sides
            .iter()
            .map(|side| side.node.borrow().next_alarm());
        let next = nodes.flatten().min().unwrap_or(0);
        let most = if calm { u64::MAX } else { self.now + 50 * MS };
        self.now = self.now.max(next.min(most)) + self.random.below(3) * MS;
        for side in &self.sides {
            side.node.borrow_mut().at(self.now);
        }
    }

    fn come_to_rest(&mut self, seed: u64) {
        for _ in 0..100_000 {
            self.step(true);
            if self.rests() {
                return;
            }
        }
        panic!("seed {seed} does not come to rest: {}", self.describe());
    }

    // Connections.

    /// The region calls the other one.
    fn connect(&mut self, at: usize) {
        if self.lines[at].is_connected() {
            return;
        }
        self.last_connection += 1;
        let number = self.last_connection;
        let sessions = 1 + self.random.below(5) as u16;
        self.lines[at].connect(number, (NAMES[at], NAMES[1 - at]), sessions);
    }

    /// Delivers some bytes of one connection of a line, or the cut to one of
    /// its ends.
    fn move_bytes(&mut self, at: usize, calm: bool) {
        let moved = self.lines[at].move_bytes(&mut self.random, calm);
        for (id, number, message) in moved.requests {
            let server = &self.sides[1 - at];
            let host = SimulatedRegion {
                node: server.node.clone(),
                ran: self.ran.clone(),
            };
            let from = ServedPartner {
                applid: WireName::new(NAMES[at]).expect("a name"),
                connection: number,
            };
            let future = host::serve(host, server.units.clone(), from, message);
            self.lines[at].serve(number, id, future);
        }
        for number in moved.left {
            let server = &self.sides[1 - at];
            let applid = WireName::new(NAMES[at]).expect("a name");
            for gone in server.units.connection_ended(applid, number) {
                let mut node = server.node.borrow_mut();
                node.coordinator_lost(&gone.prefix());
            }
        }
        if moved.opened {
            for message in self.sides[at].coordinating.connected() {
                let waiter = SimulatedReceiver::About(message.about);
                self.lines[at].send(self.now, message.bytes, waiter);
            }
        }
        for (waiter, reply) in moved.replies {
            self.replied(at, waiter, reply);
        }
    }

    /// Requests that waited too long for a session are ended.
    fn give_up_waiting(&mut self, at: usize) {
        for (waiter, failed) in self.lines[at].give_up_waiting(self.now) {
            self.replied(at, waiter, Err(failed));
        }
    }

    fn replied(
        &mut self,
        at: usize,
        waiter: SimulatedReceiver,
        reply: Result<ReplyMessage, CallFailure>,
    ) {
        match waiter {
            SimulatedReceiver::Program(task) => self.linked(at, task, reply),
            SimulatedReceiver::About(about) => self.take_reply(at, about, &reply),
        }
    }

    /// Handles the reply to a message about units.
    fn take_reply(
        &mut self,
        at: usize,
        about: MessageSubject,
        reply: &Result<ReplyMessage, CallFailure>,
    ) {
        let reply = reply.as_ref().map(|reply| (&reply.head, reply.commarea()));
        let side = &mut self.sides[at];
        let alone = matches!(
            about,
            MessageSubject::CommitOnePhase(..) | MessageSubject::Outcome(_)
        );
        match side.coordinating.replied(about, reply) {
            ReplyOutcome::Vote(unit, yes) => {
                self.report.alone += u64::from(alone && yes);
                let participant = side.participant;
                side.node.borrow_mut().vote(UnitId(unit), participant, yes);
            }
            ReplyOutcome::Unsure(unit, question) => {
                self.report.outcome_queries += 1;
                side.node.borrow_mut().unsure(UnitId(unit));
                let waiter = SimulatedReceiver::About(question.about);
                self.lines[at].send(self.now, question.bytes, waiter);
            }
            ReplyOutcome::Again(message) => {
                let waiter = SimulatedReceiver::About(message.about);
                self.lines[at].send(self.now, message.bytes, waiter);
            }
            ReplyOutcome::InDoubt(units) => {
                self.report.in_doubt += units.len() as u64;
                let units: Vec<UnitId> = units.into_iter().map(UnitId).collect();
                let participant = side.participant;
                side.node.borrow_mut().in_doubt(participant, &units);
            }
            ReplyOutcome::Nothing => {}
        }
    }

    /// All that can continue without anything from outside does.
    fn settle(&mut self) {
        loop {
            let mut busy = false;
            for at in 0..2 {
                busy |= self.lines[at].poll();
                let orders = std::mem::take(&mut self.sides[at].node.borrow_mut().orders);
                busy |= !orders.is_empty();
                for (unit, participant, order) in orders {
                    self.order(at, unit, participant, order);
                }
            }
            if !busy {
                return;
            }
        }
    }

    fn order(&mut self, at: usize, unit: UnitId, participant: ParticipantId, order: Order) {
        let side = &mut self.sides[at];
        match side.coordinating.order(unit.0, order) {
            OrderOutcome::Send(message) => {
                let waiter = SimulatedReceiver::About(message.about);
                self.lines[at].send(self.now, message.bytes, waiter);
            }
            OrderOutcome::No if order == Order::BackOut => {}
            OrderOutcome::No => side.node.borrow_mut().vote(unit, participant, false),
        }
    }

    /// Stops a region abruptly and starts it again.
    fn crash(&mut self, at: usize) {
        self.report.crashes += 1;
        let (now, random) = (self.now, &mut self.random);
        let lost = self.sides[at].node.borrow_mut().crash(now, random);
        self.report.power_losses += u64::from(lost);
        for program in std::mem::take(&mut self.sides[at].programs) {
            if let Some(number) = program.number {
                self.record_answer(number, UnitOutcome::Nothing);
            }
        }
        // The waiting requests are dropped, and the serving end is notified.
        self.lines[at].caller_died(&mut self.random);
        self.lines[1 - at].server_died(&mut self.random);
        let side = &mut self.sides[at];
        side.units = Rc::default();
        side.coordinating = coordinating(&side.node.borrow());
        side.participant = side.node.borrow_mut().participant(NAMES[1 - at]);
    }

    // The rules.

    fn record_answer(&mut self, number: u64, outcome: UnitOutcome) {
        let unit = self.units.entry(number).or_default();
        assert_eq!(unit.answer, None, "unit {number} ends twice");
        unit.answer = Some(outcome);
        match outcome {
            UnitOutcome::Committed => self.report.committed += 1,
            UnitOutcome::BackedOut => self.report.backed_out += 1,
            UnitOutcome::Nothing => self.report.untold += 1,
        }
    }

    fn rests(&self) -> bool {
        self.lines.iter().all(SimulatedLine::rests)
            && self.sides.iter().all(|side| {
                side.programs.is_empty()
                    && side.node.borrow().unrest().is_none()
                    && side.coordinating.units_to_query().next().is_none()
            })
    }

    fn check_at_rest(&mut self, seed: u64) {
        let there = [0, 1].map(|at| self.sides[at].node.borrow().numbers());
        for (number, unit) in &self.units {
            let found = [0, 1].map(|at| there[at].get(number).copied().unwrap_or(0));
            let all = found == unit.puts;
            let nothing = found == [0, 0];
            let right = match unit.answer {
                Some(UnitOutcome::Committed) => all,
                Some(UnitOutcome::BackedOut) => nothing,
                Some(UnitOutcome::Nothing) | None => all || nothing,
            };
            assert!(
                right,
                "seed {seed}: unit {number}, {unit:?}, is found {found:?} times"
            );
        }
        for number in there.iter().flat_map(|side| side.keys()) {
            assert!(self.units.contains_key(number), "no unit wrote {number}");
        }
    }

    /// Outcomes are kept for a caller until it acknowledges them.
    fn check_ends(&mut self) {
        for at in 0..2 {
            let kept = self.sides[at].node.borrow_mut().kept_outcomes();
            let finished = self.sides[1 - at].coordinating.finished_count();
            assert!(
                kept <= finished,
                "{kept} outcomes are kept, {finished} are acknowledged"
            );
        }
    }

    fn describe(&self) -> String {
        let sides = self.sides.iter().map(|side| {
            format!(
                "{} programs, {:?}, asks {:?}; ",
                side.programs.len(),
                side.node.borrow().unrest(),
                side.coordinating.units_to_query().collect::<Vec<_>>()
            )
        });
        let lines = self.lines.iter().map(SimulatedLine::describe);
        sides.chain(lines).collect()
    }
}

/// Restores the coordination with the other region after a restart.
fn coordinating(node: &Node) -> BranchCoordinator {
    let link = region::Name::from_bytes(*b"PEER");
    BranchCoordinator::new(link, node.units_after())
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_history_of_two_regions_keeps_the_rules_and_comes_to_rest() {
        let mut all = super::PairHistoryReport::default();
        for seed in 1..=60 {
            let report = super::play(seed, 4_000);
            all.committed += report.committed;
            all.backed_out += report.backed_out;
            all.untold += report.untold;
            all.alone += report.alone;
            all.links += report.links;
            all.cuts += report.cuts;
            all.crashes += report.crashes;
            all.power_losses += report.power_losses;
            all.outcome_queries += report.outcome_queries;
            all.in_doubt += report.in_doubt;
        }
        // Every kind of end is common, or the histories would prove little.
        assert!(all.committed > 1_000 && all.backed_out > 500, "{all:?}");
        assert!(all.alone > 300 && all.links > 2_000, "{all:?}");
        assert!(all.cuts > 300 && all.crashes > 100, "{all:?}");
        assert!(all.power_losses > 0 && all.untold > 50, "{all:?}");
        assert!(all.outcome_queries > 30 && all.in_doubt > 10, "{all:?}");
    }

    #[test]
    fn a_seed_gives_the_same_history_again() {
        assert_eq!(super::play(7, 2_000), super::play(7, 2_000));
    }
}
