//! A region in virtual time: core and kernel with workers that die, disks that
//! fill, a partner that refuses and disconnects, a region that dies, and a
//! simulated clock.
//!
//! Every choice comes from the seed, so a history that breaks a rule can be
//! played again. The rules are checked after every step:
//!
//! - No task is lost or begun twice.
//! - No lock has an owner that does not exist any more.
//! - Classes and MXT are not exceeded, except for lent places.
//! - The changes of a unit of work are stored completely or not at all: accounts
//!   keep their total; an acknowledged unit has its ledger record, its items and
//!   records in queues and its STARTs; a unit that was backed out has none of them.
//! - Once nothing is in doubt, both partners and the participant that decides agree
//!   with the ledger.

mod check;
mod decider;
pub mod history;
pub(crate) mod links;
mod model;
pub mod node;
mod program;
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
use base::SeededRandom;
use decider::SimDecider;
use history::HistoryHash;
use links::{SimLinks, SlotProgress};
use model::ExpectedState;
use program::{CHILD, STARTED, TRIGGERED};
use remote::SimParticipant;
use task::SimTask;
use terminals::{ENTERED, FOR_TERMINAL, SimTerminals};

const MXT: usize = 6;
const QUEUE: usize = 8;
/// Starts that may wait in the core; tasks wait to add more.
const START_QUEUE: usize = 8;
const CLASS_LIMIT: usize = 2;
const MS: u64 = 1_000_000;
/// Steps in which a history has to come to rest.
const MOST_STEPS_TO_REST: u32 = 200_000;
/// Initial balance of each account.
const BALANCE: i64 = 1_000;

/// Counts of a history.
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
    /// Times that a partner disconnected.
    pub vanished: u64,
    /// Units that a partner had in doubt when it returned.
    pub in_doubt: u64,
    /// Units that the decider has committed and the store has applied.
    pub decided: u64,
    /// Replies of the decider that were lost or had no outcome.
    pub unknown: u64,
    /// Tasks started by triggers.
    pub triggered: u64,
    /// Children whose end was fetched.
    pub fetched: u64,
    /// STARTs that were cancelled.
    pub cancelled: u64,
    /// Inputs of terminals that were accepted.
    pub entered: u64,
    /// Times that a terminal got data saved in an earlier connection or before a restart.
    pub recovered: u64,
    /// Hash of all events, if requested.
    pub hash: u64,
}

/// Plays the history of a seed: so many steps, and then further steps until no work is
/// left. Panics when a rule is broken.
pub fn play(seed: u64, steps: u64) -> HistoryReport {
    play_world(SimWorld::new(seed), seed, steps)
}

/// Plays the history of a seed like [`play`], and computes [`HistoryReport::hash`].
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
    for _ in 0..MOST_STEPS_TO_REST {
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
    /// Units in progress at the store.
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
    /// Tasks above the class's limit at the last check, and tasks that have taken their
    /// place in the class again since.
    over_class: usize,
    returned: usize,
    /// Numbers of units that must be in the ledger, and of units that must not.
    acknowledged: BTreeSet<u64>,
    refused: BTreeSet<u64>,
    last_unit: u64,
    last_token: u64,
    last_request: u64,
    /// Engines of the core.
    parallel: usize,
    report: HistoryReport,
    /// Hash of all events, if requested.
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

    /// Calls the core, then executes its effects.
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

    /// Calls the kernel, then executes its effects.
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

    /// A task has ended: checks its last unit and frees its slot.
    fn collect(&mut self, key: TaskKey) {
        self.submitted.retain(|k| *k != key);
        let Some(state) = self.core.task(key) else {
            return;
        };
        let (start, abend) = (state.start, state.abend.clone());
        self.judge_end(key, abend.is_none());
        let task = self.tasks.remove(&key);
        // RETURN takes effect if the program has ended normally.
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

    /// The task of a start has begun.
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
                // To the next alarm, or a little further. Distant alarms are sometimes
                // cancelled before they are due.
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

/// The START that started a task; the user has its number.
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

/// A kernel with the contents of a store.
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
        // The histories have enough ends of every kind.
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
