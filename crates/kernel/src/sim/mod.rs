//! A region in virtual time: core and kernel with workers that die, disks
//! that fill, a partner that refuses and vanishes, a region that dies, and a
//! clock that is turned by hand.
//!
//! Every choice comes from the seed, so a history that breaks a rule can be
//! played again. The rules are looked at after every step: no task is lost or
//! begun twice, no lock has an owner that is gone, classes and MXT hold but
//! for places that were lent, and what units of work did is there whole or not
//! at all: accounts keep their total, a unit that was acknowledged has its
//! ledger record, its items and records in queues and its STARTs, one that was
//! backed out has none, both partners have what the ledger says, and so has the
//! participant that decides, once nothing is in doubt.

mod check;
mod decider;
pub mod history;
pub(crate) mod links;
mod model;
pub mod node;
mod program;
pub mod random;
mod remote;
mod store;
mod task;
mod terminals;

use std::collections::{BTreeMap, BTreeSet};

use ::store::{MemoryStore, WriteStore};
use link::{Name, ProgramEntry};

use crate::core::{
    CompiledDefinitions, Core, CoreAction, CoreContext, Limits, TaskKey, TaskSpec, TaskStage,
};
use crate::kernel::{InternalStart, KernelEffect, KernelSettings, StartEnd, StoreJob};
use crate::resources::{Kernel, Resources};
use crate::types::{
    ClassDef, KernelConfig, QueueDefinitions, RegionDefinitions, TdKind, TdQueueDef, TdRecovery,
    TransactionDef, Trigger, TsModelDef,
};
use decider::SimDecider;
use history::HistoryHash;
use links::{SimLinks, SlotProgress};
use model::ExpectedState;
use program::{CHILD, STARTED, TRIGGERED};
use random::SeededRandom;
use remote::SimParticipant;
use task::SimTask;
use terminals::{ENTERED, FOR_TERMINAL, SimTerminals};

const MXT: usize = 6;
const QUEUE: usize = 8;
/// Starts that may wait in the core; tasks wait to add more.
const START_QUEUE: usize = 8;
const CLASS_LIMIT: usize = 2;
const MS: u64 = 1_000_000;
/// What each account holds at first.
const BALANCE: i64 = 1_000;

/// What a history came to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HistoryReport {
    /// Steps made.
    pub steps: u64,
    /// Tasks that ended.
    pub tasks: u64,
    /// Tasks refused.
    pub refused: u64,
    /// Tasks that the region started itself.
    pub started: u64,
    /// Units of work acknowledged to their programs.
    pub committed: u64,
    /// Units that were backed out.
    pub backed_out: u64,
    /// Workers killed.
    pub deaths: u64,
    /// Transactions of the store that failed.
    pub disk_failures: u64,
    /// Deaths of the region.
    pub restarts: u64,
    /// Restarts that lost stored changes which had not been reported.
    pub power_losses: u64,
    /// Times that a partner vanished.
    pub vanished: u64,
    /// Units that it had in doubt when it came back.
    pub in_doubt: u64,
    /// Units that the decider has committed and the store has applied.
    pub decided: u64,
    /// Replies of the decider that were lost or said nothing.
    pub unknown: u64,
    /// Tasks started by triggers.
    pub triggered: u64,
    /// Children whose end was fetched.
    pub fetched: u64,
    /// STARTs that were cancelled.
    pub cancelled: u64,
    /// Inputs of terminals that were taken.
    pub entered: u64,
    /// Times that a terminal found what was left in an earlier connection or life.
    pub recovered: u64,
    /// Hash of all events, if it was asked for.
    pub hash: u64,
}

/// Plays the history of a seed: so many steps, and then until nothing is left
/// to do. Panics when a rule is broken.
pub fn play(seed: u64, steps: u64) -> HistoryReport {
    play_world(SimWorld::new(seed), seed, steps)
}

/// The same with [`HistoryReport::hash`].
pub fn play_hashed(seed: u64, steps: u64) -> HistoryReport {
    let mut world = SimWorld::new(seed);
    world.history = Some(HistoryHash::default());
    play_world(world, seed, steps)
}

fn play_world(mut world: SimWorld, seed: u64, steps: u64) -> HistoryReport {
    world.core(|core, cx| core.ensure_minimum(cx));
    for _ in 0..steps {
        world.step(false);
    }
    world.links.refuse_create = false;
    for _ in 0..200_000 {
        if world.rests() {
            world.check_at_rest();
            world.report.hash = world.history.map_or(0, HistoryHash::value);
            return world.report;
        }
        world.step(true);
    }
    panic!("seed {seed} does not come to rest: {}", world.describe());
}

/// A region's history.
struct SimWorld {
    core: Core,
    kernel: Kernel,
    links: SimLinks,
    store: MemoryStore,
    random: SeededRandom,
    now: u64,
    /// Tasks by their key, from their place on.
    tasks: BTreeMap<TaskKey, SimTask>,
    building: Vec<TaskKey>,
    waiting: Vec<TaskKey>,
    submitted: Vec<TaskKey>,
    /// Units on their way to the store.
    jobs: Vec<StoreJob>,
    /// Units that are stored, but not reported to their tasks.
    ahead: Option<store::UnflushedUnits>,
    /// Starts whose task is not over, by their number.
    starts: BTreeMap<u64, InternalStart>,
    /// The numbers of requests whose tasks have a terminal, by their starts.
    requests: BTreeMap<u64, u64>,
    remotes: [SimParticipant; 2],
    terminals: SimTerminals,
    decider: SimDecider,
    model: ExpectedState,
    /// Tasks above the class's limit at the last look, and those that have taken
    /// their place in it again since.
    over_class: usize,
    returned: usize,
    /// Numbers of units that must be in the ledger, and that must not be.
    acknowledged: BTreeSet<u64>,
    refused: BTreeSet<u64>,
    last_unit: u64,
    last_token: u64,
    last_request: u64,
    /// Engines of the core.
    parallel: usize,
    report: HistoryReport,
    /// Hash of all events, if it is asked for.
    history: Option<HistoryHash>,
}

impl SimWorld {
    fn new(seed: u64) -> SimWorld {
        let mut store = MemoryStore::new();
        store::fill(&mut store);
        let parallel = 1 + (seed % 3) as usize;
        SimWorld {
            core: new_core(parallel),
            kernel: kernel(&store),
            links: SimLinks::default(),
            store,
            random: SeededRandom::new(seed),
            now: MS,
            tasks: BTreeMap::new(),
            building: Vec::new(),
            waiting: Vec::new(),
            submitted: Vec::new(),
            jobs: Vec::new(),
            ahead: None,
            starts: BTreeMap::new(),
            requests: BTreeMap::new(),
            remotes: Default::default(),
            terminals: SimTerminals::default(),
            decider: SimDecider::default(),
            model: ExpectedState::default(),
            over_class: 0,
            returned: 0,
            acknowledged: BTreeSet::new(),
            refused: BTreeSet::new(),
            last_unit: 0,
            last_token: 0,
            last_request: 0,
            parallel,
            report: HistoryReport::default(),
            history: None,
        }
    }

    /// Calls the core, then does what it asks for.
    fn core<R>(&mut self, call: impl FnOnce(&mut Core, &mut CoreContext<'_, SimLinks>) -> R) -> R {
        let mut out = Vec::new();
        let mut cx = CoreContext {
            now: self.now,
            links: &mut self.links,
            out: &mut out,
        };
        let result = call(&mut self.core, &mut cx);
        for action in out {
            if let Some(history) = &mut self.history {
                history.note(self.now, &action);
            }
            self.act(action);
        }
        result
    }

    /// Calls the kernel, then does what it asks for.
    fn kernel<R>(&mut self, call: impl FnOnce(&mut Kernel, u64, &mut Vec<KernelEffect>) -> R) -> R {
        let mut out = Vec::new();
        let result = call(&mut self.kernel, self.now, &mut out);
        for effect in out {
            if let Some(history) = &mut self.history {
                history.note(self.now, &effect);
            }
            self.perform(effect);
        }
        result
    }

    fn act(&mut self, action: CoreAction) {
        match action {
            CoreAction::Spawn(worker) => self.links.worker(worker).running = true,
            CoreAction::Kill(worker) => self.die(worker, false),
            CoreAction::EndUnit(key, has_results) => {
                let ended_well = self.tasks.get(&key).is_some_and(|t| t.ended_well);
                let commit = has_results && ended_well;
                if let Some(task) = self.core.task(key) {
                    let caller = task.caller(key);
                    self.kernel(|k, now, out| k.end(now, caller, commit, out));
                }
            }
            CoreAction::Purge(key) => {
                if !self.kernel(|k, _, out| k.purge(key, *b"AEXY", out)) {
                    self.core(|c, cx| c.kill_task(cx, key));
                }
            }
            CoreAction::Collect(key) => self.collect(key),
            CoreAction::Wake(key) => self.woken(key),
        }
    }

    fn perform(&mut self, effect: KernelEffect) {
        match effect {
            KernelEffect::Answer(key, answer, _) => self.answered(key, &answer),
            KernelEffect::Waits(key) => {
                let (waits, lends) = (self.kernel.waits(key), self.kernel.waits_for_child(key));
                let lent = self.core.lends(key);
                self.returned += usize::from(lent && !lends);
                self.core(|core, cx| {
                    if let Some(worker) = core.runs_in(key) {
                        core.waits(cx, worker, waits);
                        core.lend(cx, key, lends);
                    }
                });
            }
            KernelEffect::Commit(job) => {
                self.terminals.note_job(&job);
                self.jobs.push(job);
            }
            KernelEffect::Participant(unit, participant, order) => {
                if !self.order_decider(unit, participant, order) {
                    self.order_remote(unit, participant, order);
                }
            }
            KernelEffect::Ended(key, abend) => {
                self.deciding_without(key);
                self.model.task_over(key);
                self.core(|c, cx| c.unit_ended(cx, key, abend));
            }
            KernelEffect::Start(start) => self.begin_start(*start),
            KernelEffect::Priority(key, priority) => {
                self.core(|core, _| core.set_priority(key, priority));
            }
            KernelEffect::File(..) => unreachable!("no task of a history uses files"),
            KernelEffect::Decide(unit, _, token) => self.begin_decision(unit, token),
            KernelEffect::AskOutcome(unit, _, token) => self.ask_decider(unit, token),
            KernelEffect::Forget(_, token) => self.decider_forgets(token),
            KernelEffect::Statistics
            | KernelEffect::Facility(..)
            | KernelEffect::Settled(..)
            | KernelEffect::Outcome(..)
            | KernelEffect::Line { .. }
            | KernelEffect::Trace { .. } => {}
        }
    }

    fn woken(&mut self, key: TaskKey) {
        let Some(task) = self.core.task(key) else {
            return;
        };
        let start = task.start;
        match task.stage.clone() {
            TaskStage::Building if self.waiting.contains(&key) => {
                self.waiting.retain(|k| *k != key);
                self.building.push(key);
                self.start_begun(start);
            }
            TaskStage::Refused(refusal) => {
                self.waiting.retain(|k| *k != key);
                self.report.refused += 1;
                self.core(|c, cx| c.cancel(cx, key));
                if let Some(id) = start {
                    let ended = StartEnd::Refused(refusal);
                    self.over_at_terminal(id, &ended, None);
                    self.start_over(id, &ended);
                }
            }
            TaskStage::Done if self.submitted.contains(&key) => self.collect(key),
            _ => {}
        }
    }

    /// A task is over: its last unit is judged, and its slot is free.
    fn collect(&mut self, key: TaskKey) {
        self.submitted.retain(|k| *k != key);
        let Some(state) = self.core.task(key) else {
            return;
        };
        let (start, abend) = (state.start, state.abend.clone());
        self.judge_end(key, abend.is_none());
        let task = self.tasks.remove(&key);
        // What RETURN has said counts when the program has ended well.
        let returned = task.filter(|t| t.ended_well).and_then(|t| t.returned);
        self.report.tasks += 1;
        self.core(|c, cx| c.release(cx, key, 0, None));
        if let Some(id) = start {
            let ended = StartEnd::Ran(abend, None);
            self.over_at_terminal(id, &ended, returned);
            self.start_over(id, &ended);
        }
    }

    fn begin(&mut self) {
        let transid = [*b"FREE", *b"CLSS", *b"LIMT"][self.random.below(3) as usize];
        let spec = TaskSpec {
            transid: Name::from_bytes(transid),
            port: self.random.below(3) as usize,
            ..TaskSpec::default()
        };
        match self.core(|c, cx| c.begin(cx, &spec)) {
            Ok(key) => self.placed_or_waits(key),
            Err(_) => self.report.refused += 1,
        }
    }

    fn begin_start(&mut self, start: InternalStart) {
        let spec = TaskSpec {
            transid: start.transid,
            start: Some(start.id),
            is_child: start.wants_result,
            ..TaskSpec::default()
        };
        let id = start.id;
        match start.transid.as_str() {
            STARTED => self.model.begins(request_of(&start)),
            CHILD => drop(self.model.children.insert(id, None)),
            name if ENTERED.contains(&name) || name == FOR_TERMINAL => {
                if let Some(number) = self.begins_at_terminal(&start) {
                    self.model.begins(number);
                    self.requests.insert(id, number);
                }
            }
            _ => {
                self.model.triggers();
                self.report.triggered += 1;
            }
        }
        let before = self.starts.insert(id, start);
        assert!(before.is_none(), "start {id} comes twice");
        match self.core(|c, cx| c.begin(cx, &spec)) {
            Ok(key) => {
                self.report.started += 1;
                self.placed_or_waits(key);
            }
            Err(refusal) => {
                let ended = StartEnd::Refused(refusal);
                self.over_at_terminal(id, &ended, None);
                self.start_over(id, &ended);
            }
        }
    }

    fn placed_or_waits(&mut self, key: TaskKey) {
        match self.core.task(key).map(|t| t.stage.clone()) {
            Some(TaskStage::Building) => {
                self.building.push(key);
                let start = self.core.task(key).and_then(|t| t.start);
                self.start_begun(start);
            }
            _ => self.waiting.push(key),
        }
    }

    /// The task of a start has its place.
    fn start_begun(&mut self, start: Option<u64>) {
        if let Some(id) = start {
            self.kernel(|k, now, out| k.start_begun(now, id, out));
        }
    }

    fn start_over(&mut self, id: u64, ended: &StartEnd) {
        let start = self.starts.remove(&id);
        if start.is_some_and(|s| s.transid.as_str() == TRIGGERED) {
            self.model.triggered_over();
        }
        if let Some(end) = self.model.children.get_mut(&id) {
            *end = Some(!matches!(ended, StartEnd::Ran(None, _)));
        }
        self.kernel(|k, now, out| k.start_ended(now, id, ended, out));
    }

    fn submit(&mut self, key: TaskKey) {
        let id = self.core.task(key).and_then(|t| t.start);
        let start = id.and_then(|id| self.starts.get(&id));
        let transid = start.map_or("FREE", |s| s.transid.as_str());
        let request = start.filter(|s| s.transid.as_str() == STARTED);
        let request = request.map(request_of);
        let request = request.or_else(|| self.requests.get(&id?).copied());
        let task = SimTask::new(&mut self.random, transid, request);
        self.tasks.insert(key, task);
        self.submitted.push(key);
        self.core(|c, cx| c.submit(cx, key, &link::Request::default()));
    }

    fn die(&mut self, worker: usize, clean: bool) {
        let Some(w) = self.links.workers.get_mut(&worker) else {
            return;
        };
        if w.dead || !w.running {
            return;
        }
        w.dead = true;
        self.report.deaths += u64::from(!clean);
        self.decider_loses(worker);
        self.core(|c, cx| c.dead(cx, worker, clean, "a simulation"));
    }

    fn step(&mut self, calm: bool) {
        self.report.steps += 1;
        self.now += MS / 5;
        let workers: Vec<usize> = self.links.workers.keys().copied().collect();
        let any = (!workers.is_empty()).then(|| {
            let at = self.random.below(workers.len() as u64) as usize;
            workers[at]
        });
        match self.random.below(if calm { 17 } else { 32 }) {
            0..=5 => {
                if let Some(worker) = any {
                    self.work(worker);
                }
            }
            6 | 7 => {
                if let Some(key) = self.random.take(&mut self.building) {
                    self.submit(key);
                }
            }
            8 => self.commit(calm),
            9 => {
                let at = self.random.below(2) as usize;
                self.remote_answers(at, calm);
                if calm && self.remotes[at].pending_orders.is_empty() {
                    self.remote_moves(at, true);
                }
            }
            10 => {
                self.core(|c, cx| c.fine_tick(cx));
            }
            11 => {
                self.now += 10 * MS;
                self.core(|c, cx| c.coarse_tick(cx));
            }
            12 | 13 => {
                // To the next alarm, or a little further; what is far off
                // shall be cancelled now and then before it comes.
                let next = self.kernel.next_alarm().unwrap_or(0);
                let most = if calm { u64::MAX } else { self.now + 50 * MS };
                let next = next.min(most);
                self.now = self.now.max(next) + self.random.below(3) * MS;
                self.kernel(|k, now, out| k.expire(now, out));
            }
            14 | 15 if calm => self.terminal_step(true),
            26..=28 => self.terminal_step(false),
            16 if calm => self.decider_acts(true),
            29 => self.decider_acts(false),
            14..=18 | 30 => self.begin(),
            19 => {
                if let Some(key) = self.random.take(&mut self.building) {
                    self.give_up(key);
                }
            }
            20 => {
                if let Some(key) = self.random.take(&mut self.waiting) {
                    self.give_up(key);
                }
            }
            21 => {
                if let Some(worker) = any.filter(|_| self.random.one_in(10)) {
                    self.die(worker, false);
                }
            }
            22 => {
                let at = self.random.below(self.submitted.len().max(1) as u64) as usize;
                if let Some(key) = self.submitted.get(at).copied()
                    && self.random.one_in(8)
                {
                    self.act(CoreAction::Purge(key));
                }
            }
            23 => {
                let at = self.random.below(2) as usize;
                let away = self.remotes[at].away;
                if away || self.random.one_in(8) {
                    self.remote_moves(at, away);
                }
            }
            24 => {
                if self.random.one_in(30) {
                    self.crash();
                }
            }
            31 => {
                let away = self.decider.away;
                if away || self.random.one_in(8) {
                    self.decider_moves(away);
                }
            }
            _ => self.links.refuse_create = self.random.one_in(6),
        }
        self.check();
    }

    /// The client of a task goes away before the task runs. Tasks that the region started have no
    /// client.
    fn give_up(&mut self, key: TaskKey) {
        let task = self.core.task(key);
        if task.is_some_and(|t| t.start.is_some()) {
            self.placed_or_waits(key);
            return;
        }
        self.core(|c, cx| c.cancel(cx, key));
    }

    /// One step of a worker's process.
    fn work(&mut self, worker: usize) {
        let Some(w) = self.links.workers.get_mut(&worker) else {
            return;
        };
        if w.dead || !w.running {
            return;
        }
        let taken = w
            .slots
            .iter()
            .position(|s| matches!(s, Some((_, _, SlotProgress::Running))));
        if let Some(slot) = taken {
            w.cpu_ns += MS;
            self.run_task(worker, slot);
            return;
        }
        let queued = |s: &Option<(u32, u64, SlotProgress)>| match s {
            Some((sequence, _, SlotProgress::Queued)) => Some(*sequence),
            _ => None,
        };
        let first = (0..w.slots.len())
            .filter_map(|i| queued(&w.slots[i]).map(|sequence| (sequence, i)))
            .min();
        match first {
            Some((_, i)) => {
                if let Some((_, number, state)) = &mut w.slots[i] {
                    *state = SlotProgress::Running;
                    w.runnable = number.is_multiple_of(2);
                    *self.links.begun.entry(*number).or_default() += 1;
                }
            }
            None if w.retire => self.die(worker, true),
            None => {}
        }
    }
}

/// The START that a task comes from, as its user says.
fn request_of(start: &InternalStart) -> u64 {
    program::number_in(&start.userid.as_bytes()[1..])
}

fn new_core(parallel: usize) -> Core {
    let limits = Limits {
        mxt: MXT,
        queue_limit: QUEUE,
        min_workers: 1,
        worker_idle_ns: 50 * MS,
        runaway_ns: 0,
        priority_aging_ns: [0, MS, 1_000 * MS][parallel % 3],
        parallel,
        isolate_tasks: false,
    };
    Core::new(
        limits,
        CompiledDefinitions::build(1, &definitions()).expect("sound"),
    )
}

/// A kernel over what is in a store.
fn kernel(store: &MemoryStore) -> Kernel {
    let settings = KernelSettings {
        lock_timeout_ns: 40 * MS,
        outcome_wait_ns: 60 * MS,
        start_limit: START_QUEUE,
        ..KernelSettings::default()
    };
    let mut resources = Resources::default();
    let mut reader = store.reader().expect("a reader");
    resources.files.define(reader.as_mut(), &store::files());
    let config = KernelConfig {
        facilities: terminals::LIMITS,
        definitions: definitions(),
        ..KernelConfig::default()
    };
    resources.define(&config);
    Kernel::new(Some(reader), settings, resources)
}

fn definitions() -> RegionDefinitions {
    let program = Name::from_bytes(*b"PROGRAM ");
    let transaction = |name: &str, class, timeout_ms| TransactionDef {
        name: Name::new(name).expect("a name"),
        program,
        class,
        timeout_ms,
        ..TransactionDef::default()
    };
    let class = Name::from_bytes(*b"NARROW  ");
    RegionDefinitions {
        transactions: [
            transaction("FREE", None, 0),
            transaction("CLSS", Some(class), 0),
            transaction("LIMT", None, 400),
            transaction(STARTED, None, 0),
            transaction(TRIGGERED, None, 0),
            transaction(CHILD, Some(class), 0),
        ]
        .into_iter()
        .chain(
            terminals::transactions().map(|(name, keeps)| TransactionDef {
                name,
                program,
                recover_conversation: keeps,
                ..TransactionDef::default()
            }),
        )
        .collect(),
        classes: vec![ClassDef {
            name: class,
            max_active: CLASS_LIMIT,
            purge_threshold: Some(3),
        }],
        programs: vec![ProgramEntry {
            name: program,
            ..ProgramEntry::default()
        }],
        queues: queues(),
        ..RegionDefinitions::default()
    }
}

fn queues() -> QueueDefinitions {
    let [logical, physical] = program::TD_QUEUES;
    let td = |name: &str, recovery, trigger| TdQueueDef {
        name: Name::new(name).expect("a name"),
        kind: TdKind::Intrapartition { recovery, trigger },
        enabled: true,
    };
    let trigger = Trigger {
        level: program::TRIGGER_LEVEL,
        transid: Name::new(TRIGGERED).expect("a name"),
        userid: Name::BLANK,
        terminal: Name::BLANK,
    };
    QueueDefinitions {
        models: vec![TsModelDef {
            prefix: program::TS_QUEUE.into(),
            recoverable: true,
            ..TsModelDef::default()
        }],
        transient: vec![
            td(logical, TdRecovery::Logical, Some(trigger)),
            td(physical, TdRecovery::Physical, None),
        ],
        ..QueueDefinitions::default()
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_history_keeps_the_rules_and_comes_to_rest() {
        let mut all = super::HistoryReport::default();
        for seed in 1..=80 {
            let report = super::play(seed, 3_000);
            all.tasks += report.tasks;
            all.started += report.started;
            all.committed += report.committed;
            all.backed_out += report.backed_out;
            all.deaths += report.deaths;
            all.disk_failures += report.disk_failures;
            all.restarts += report.restarts;
            all.vanished += report.vanished;
            all.in_doubt += report.in_doubt;
            all.triggered += report.triggered;
            all.fetched += report.fetched;
            all.cancelled += report.cancelled;
            all.entered += report.entered;
            all.recovered += report.recovered;
            all.decided += report.decided;
            all.unknown += report.unknown;
        }
        // Every kind of end is common, or the histories would prove little.
        assert!(all.tasks > 3_000 && all.started > 100, "{all:?}");
        assert!(all.committed > 1_000 && all.backed_out > 500, "{all:?}");
        assert!(all.deaths > 200 && all.disk_failures > 50, "{all:?}");
        assert!(all.restarts > 100 && all.in_doubt > 50, "{all:?}");
        assert!(all.triggered > 50 && all.fetched > 50, "{all:?}");
        assert!(all.cancelled > 30, "{all:?}");
        assert!(all.entered > 1_000 && all.recovered > 20, "{all:?}");
        assert!(all.decided > 100 && all.unknown > 40, "{all:?}");
    }

    #[test]
    fn a_seed_gives_the_same_history_again() {
        assert_eq!(super::play(7, 2_000), super::play(7, 2_000));
    }
}
