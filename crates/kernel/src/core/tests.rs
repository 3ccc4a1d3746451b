//! The core in virtual time: random histories by seed, and the rules that no
//! history may break.

use link::{Name, ProgramEntry, Request};

use super::*;
use crate::sim::links::{SimLinks, SlotProgress};
use crate::types::{ClassDef, RegionDefinitions, TransactionDef};
use base::SeededRandom;

mod children;

const MXT: usize = 6;
const QUEUE: usize = 8;
const CLASS_LIMIT: usize = 2;

/// A region's history.
struct CoreHistory {
    core: Core,
    links: SimLinks,
    now: u64,
    random: SeededRandom,
    building: Vec<TaskKey>,
    submitted: Vec<TaskKey>,
    waiting: Vec<TaskKey>,
    ended: u64,
    refused: u64,
}

impl CoreHistory {
    fn new(seed: u64) -> CoreHistory {
        CoreHistory::with(seed, false)
    }

    fn with(seed: u64, isolate_tasks: bool) -> CoreHistory {
        let limits = Limits {
            mxt: MXT,
            queue_limit: QUEUE,
            min_workers: 1,
            worker_idle_ns: 50_000_000,
            runaway_ns: 30_000_000,
            priority_aging_ns: [0, 1_000_000, 1_000_000_000][(seed % 3) as usize],
            parallel: 1 + (seed % 3) as usize,
            isolate_tasks,
        };
        let core = Core::new(
            limits,
            CompiledDefinitions::build(1, &definitions()).unwrap(),
        );
        CoreHistory {
            core,
            links: SimLinks::default(),
            now: 1_000_000,
            random: SeededRandom::new(seed),
            building: Vec::new(),
            submitted: Vec::new(),
            waiting: Vec::new(),
            ended: 0,
            refused: 0,
        }
    }

    fn pick(&mut self, n: usize) -> usize {
        self.random.below(n as u64) as usize
    }

    /// Calls the core, then performs its actions.
    fn call<R>(&mut self, call: impl FnOnce(&mut Core, &mut CoreContext<'_, SimLinks>) -> R) -> R {
        let mut out = Vec::new();
        let mut cx = CoreContext {
            now: self.now,
            links: &mut self.links,
            out: &mut out,
        };
        let result = call(&mut self.core, &mut cx);
        for action in out {
            self.perform(action);
        }
        result
    }

    fn perform(&mut self, action: CoreAction) {
        match action {
            CoreAction::Spawn(worker) => {
                if let Some(w) = self.links.workers.get_mut(&worker) {
                    w.running = true;
                }
            }
            CoreAction::Kill(worker) => self.die(worker, false),
            CoreAction::EndUnit(key, _) => {
                self.call(|c, cx| c.unit_ended(cx, key, None));
            }
            CoreAction::Collect(key) => self.release(key),
            CoreAction::Wake(key) => self.woken(key),
            CoreAction::Purge(key) => self.call(|c, cx| c.kill_task(cx, key)),
        }
    }

    fn woken(&mut self, key: TaskKey) {
        let Some(stage) = self.core.task(key).map(|t| t.stage.clone()) else {
            return;
        };
        match stage {
            TaskStage::Building if self.waiting.contains(&key) => {
                self.waiting.retain(|k| *k != key);
                self.building.push(key);
            }
            TaskStage::Refused(_) => {
                self.waiting.retain(|k| *k != key);
                self.refused += 1;
                self.call(|c, cx| c.cancel(cx, key));
            }
            TaskStage::Done if self.submitted.contains(&key) => {
                self.submitted.retain(|k| *k != key);
                self.release(key);
            }
            _ => {}
        }
    }

    fn release(&mut self, key: TaskKey) {
        self.ended += 1;
        let took = [10_000, 900_000][self.pick(2)];
        let waited = [0, took][self.pick(2)];
        self.call(|c, cx| {
            c.release(cx, key, 0, Some(run(took, waited)));
        });
    }

    fn begin(&mut self) {
        let spec = TaskSpec {
            transid: Name::from_bytes([*b"FREE", *b"CLSS", *b"LIMT"][self.pick(3)]),
            program: Name::from_bytes([*b"SHORT   ", *b"LONG    "][self.pick(2)]),
            expected_bytes: [0, 1 << 20][self.pick(2)],
            port: self.pick(3),
            ..TaskSpec::default()
        };
        match self.call(|c, cx| c.begin(cx, &spec)) {
            Ok(key) => match self.core.task(key).map(|t| t.stage.clone()) {
                Some(TaskStage::Building) => self.building.push(key),
                _ => self.waiting.push(key),
            },
            Err(_) => self.refused += 1,
        }
    }

    fn die(&mut self, worker: usize, clean: bool) {
        let Some(w) = self.links.workers.get_mut(&worker) else {
            return;
        };
        if w.dead || !w.running {
            return;
        }
        w.dead = true;
        self.call(|c, cx| c.dead(cx, worker, clean, "a test"));
    }

    /// One step of the worker processes.
    fn work(&mut self, worker: usize) {
        let end = self.pick(2) == 0;
        let open = self.pick(4) == 0;
        let Some(w) = self.links.workers.get_mut(&worker) else {
            return;
        };
        if w.dead || !w.running {
            return;
        }
        let running = w
            .slots
            .iter_mut()
            .flatten()
            .find(|s| s.2 == SlotProgress::Running);
        if let Some(slot) = running {
            w.cpu_ns += 1_000_000;
            if end {
                slot.2 = SlotProgress::Done;
                self.call(|c, cx| c.poll_completions(cx, worker, None));
            }
            return;
        }
        let queued = w
            .slots
            .iter_mut()
            .flatten()
            .filter(|s| s.2 == SlotProgress::Queued);
        if let Some(slot) = queued.min_by_key(|s| s.0) {
            slot.2 = SlotProgress::Running;
            w.waits_for_qr = open;
            w.runnable = slot.0.is_multiple_of(2);
            let task = slot.1;
            *self.links.begun.entry(task).or_default() += 1;
            for key in self.core.tasks.keys() {
                let state = self.core.task_mut(key).unwrap();
                state.in_kernel |= open && state.number == task;
            }
        } else if w.retire {
            self.die(worker, true);
        }
    }

    fn step(&mut self, calm: bool) {
        self.now += 200_000;
        let workers: Vec<usize> = self.links.workers.keys().copied().collect();
        match self.pick(if calm { 6 } else { 16 }) {
            0..=2 if !workers.is_empty() => {
                let worker = workers[self.pick(workers.len())];
                self.work(worker);
            }
            3 if !self.building.is_empty() => {
                let at = self.pick(self.building.len());
                let key = self.building.swap_remove(at);
                self.submitted.push(key);
                self.call(|c, cx| c.submit(cx, key, &Request::default()));
            }
            4 => {
                self.call(|c, cx| c.fine_tick(cx));
            }
            5 => {
                self.now += 10_000_000;
                self.call(|c, cx| c.coarse_tick(cx));
            }
            6..=9 => self.begin(),
            10 if !self.building.is_empty() => {
                let at = self.pick(self.building.len());
                let key = self.building.swap_remove(at);
                self.call(|c, cx| c.cancel(cx, key));
            }
            11 if !self.waiting.is_empty() => {
                let at = self.pick(self.waiting.len());
                let key = self.waiting.swap_remove(at);
                self.call(|c, cx| c.cancel(cx, key));
            }
            12 if !self.submitted.is_empty() => {
                let at = self.pick(self.submitted.len());
                let key = self.submitted.swap_remove(at);
                self.call(|c, cx| c.abandon(cx, key));
            }
            13 if !workers.is_empty() => {
                let worker = workers[self.pick(workers.len())];
                let wait = self.pick(2) == 0;
                match self.pick(3) {
                    0 => self.die(worker, false),
                    1 => self.call(|c, cx| c.protocol_violation(cx, worker)),
                    _ => self.call(|c, cx| c.waits(cx, worker, wait)),
                }
            }
            14 if self.pick(8) == 0 => {
                let next = self.core.defs().generation + 1;
                let defs = CompiledDefinitions::build(next, &definitions()).unwrap();
                self.call(|c, cx| c.reload(cx, defs));
            }
            15 => self.links.refuse_create = !calm && self.pick(6) == 0,
            _ => {}
        }
        self.check();
    }

    fn check(&self) {
        self.core.check_books();
        assert_eq!(self.core.over_limits(MXT, CLASS_LIMIT), [0, 0]);
        assert!(self.core.waiting <= QUEUE);
        for (task, starts) in &self.links.begun {
            assert_eq!(*starts, 1, "task {task} was started {starts} times");
        }
        if self.core.limits.isolate_tasks {
            let held = self.core.workers.iter().map(|w| w.slots.iter().flatten());
            for (worker, tasks) in held.enumerate() {
                assert!(tasks.count() <= 1, "two tasks are in worker {worker}");
            }
        }
    }
}

fn definitions() -> RegionDefinitions {
    let transaction = |name: &[u8; 4], class, timeout_ms| TransactionDef {
        name: Name::from_bytes(*name),
        class,
        timeout_ms,
        ..TransactionDef::default()
    };
    let class = Name::from_bytes(*b"NARROW  ");
    RegionDefinitions {
        transactions: vec![
            transaction(b"FREE", None, 0),
            transaction(b"CLSS", Some(class), 0),
            transaction(b"LIMT", None, 40),
        ],
        classes: vec![ClassDef {
            name: class,
            max_active: CLASS_LIMIT,
            purge_threshold: Some(3),
        }],
        programs: [*b"SHORT   ", *b"LONG    "]
            .map(|name| ProgramEntry {
                name: Name::from_bytes(name),
                threadsafe: name == *b"LONG    ",
                ..ProgramEntry::default()
            })
            .to_vec(),
        ..RegionDefinitions::default()
    }
}

/// Runs a history until it is idle.
fn history(seed: u64) -> (u64, u64) {
    history_of(CoreHistory::new(seed), seed)
}

fn history_of(mut world: CoreHistory, seed: u64) -> (u64, u64) {
    world.call(|c, cx| c.ensure_minimum(cx));
    for _ in 0..1500 {
        world.step(false);
    }
    world.links.refuse_create = false;
    for _ in 0..20_000 {
        let rest = world.core.active == 0 && world.core.waiting == 0;
        if rest && world.building.is_empty() && world.core.tasks.keys().is_empty() {
            return (world.ended, world.refused);
        }
        world.step(true);
    }
    panic!(
        "seed {seed} does not come to rest: {} active, {} waiting, {:?}",
        world.core.active,
        world.core.waiting,
        world
            .core
            .tasks
            .keys()
            .iter()
            .map(|k| world.core.task(*k).map(|t| (&t.stage, t.place)))
            .collect::<Vec<_>>()
    );
}

#[test]
fn every_history_keeps_the_limits_and_comes_to_rest() {
    let mut all = (0, 0);
    for seed in 1..=300 {
        let (ended, refused) = history(seed);
        all = (all.0 + ended, all.1 + refused);
    }
    // Both kinds of end must be frequent, or the histories would prove little.
    assert!(all.0 > 10_000 && all.1 > 10_000, "{all:?}");
}

#[test]
fn no_worker_has_two_tasks_where_tasks_are_isolated() {
    let mut all = (0, 0);
    for seed in 1..=100 {
        let (ended, refused) = history_of(CoreHistory::with(seed, true), seed);
        all = (all.0 + ended, all.1 + refused);
    }
    assert!(all.0 > 3_000 && all.1 > 3_000, "{all:?}");
}

#[test]
fn a_history_is_the_same_every_time() {
    assert_eq!(history(42), history(42));
}

/// Begins a task of a program, and returns its worker.
fn begin(world: &mut CoreHistory, program: &[u8; 8]) -> usize {
    let spec = TaskSpec {
        transid: Name::from_bytes(*b"FREE"),
        program: Name::from_bytes(*program),
        ..TaskSpec::default()
    };
    let key = world.call(|c, cx| c.begin(cx, &spec)).unwrap();
    world.core.task(key).unwrap().place.unwrap().worker
}

/// Sets the known run times of a program.
fn known(world: &mut CoreHistory, program: &[u8; 8], pace: RunTimes) {
    let number = world.core.defs.program(Name::from_bytes(*program));
    world.core.defs.programs[number.unwrap()].add(pace);
}

#[test]
fn short_tasks_queue_for_one_worker_and_long_ones_get_their_own() {
    let mut world = CoreHistory::new(3);
    world.core.limits.parallel = 1;
    // One that never ran counts as short.
    let first = begin(&mut world, b"SHORT   ");
    assert_eq!(begin(&mut world, b"SHORT   "), first);
    known(&mut world, b"SHORT   ", run(10_000, 0));
    assert_eq!(begin(&mut world, b"SHORT   "), first);
    known(&mut world, b"LONG    ", run(10_000_000, 0));
    let long = begin(&mut world, b"LONG    ");
    assert_ne!(long, first);
    assert_ne!(begin(&mut world, b"LONG    "), long);
    assert_eq!(begin(&mut world, b"SHORT   "), first);
}

#[test]
fn short_tasks_that_mostly_wait_for_the_region_share_several_workers() {
    let mut world = CoreHistory::new(3);
    world.core.limits.parallel = 1;
    known(&mut world, b"SHORT   ", run(10_000, 8_000));
    let workers: Vec<usize> = (0..MXT).map(|_| begin(&mut world, b"SHORT   ")).collect();
    let mut distinct = workers.clone();
    distinct.dedup();
    assert_eq!(distinct, workers);
}

/// Submits the task in a slot, and lets its worker run it or not.
fn submit(world: &mut CoreHistory, worker: usize, slot: usize, running: bool) -> TaskKey {
    let key = world.core.workers()[worker].slots[slot].unwrap();
    world.call(|c, cx| c.submit(cx, key, &link::Request::default()));
    if running {
        set_state(world, worker, slot, SlotProgress::Running);
    }
    key
}

fn set_state(world: &mut CoreHistory, worker: usize, slot: usize, state: SlotProgress) {
    let slots = &mut world.links.workers.get_mut(&worker).unwrap().slots;
    slots[slot].as_mut().unwrap().2 = state;
}

#[test]
fn only_threadsafe_tasks_are_moved_from_a_worker_that_waits_for_the_qr_token() {
    let mut world = CoreHistory::new(3);
    world.core.limits.parallel = 1;
    // SHORT is quasi-reentrant, LONG is not, and how long it takes is not known.
    let first = begin(&mut world, b"SHORT   ");
    assert_eq!(begin(&mut world, b"SHORT   "), first);
    assert_eq!(begin(&mut world, b"LONG    "), first);
    submit(&mut world, first, 0, true);
    let quasi = submit(&mut world, first, 1, false);
    let safe = submit(&mut world, first, 2, false);
    world.links.workers.get_mut(&first).unwrap().waits_for_qr = true;
    let looks = [(); 3].map(|()| {
        let goes_on = world.call(|c, cx| c.fine_tick(cx));
        world.now += 2 * STUCK_NS;
        goes_on
    });
    // A task that runs at the second check is checked more often.
    assert_eq!(looks, [true, false, false]);
    assert_eq!(world.core.runs_in(quasi), Some(first));
    assert_ne!(world.core.runs_in(safe), Some(first));
    // New tasks are placed by the same rule.
    assert_ne!(begin(&mut world, b"LONG    "), first);
}

#[test]
fn a_runaway_counts_once_however_long_its_process_takes_to_end() {
    let mut world = CoreHistory::new(3);
    let worker = begin(&mut world, b"SHORT   ");
    submit(&mut world, worker, 0, true);
    // Its process does not end at once.
    world.links.workers.get_mut(&worker).unwrap().running = false;
    for _ in 0..4 {
        world.links.workers.get_mut(&worker).unwrap().cpu_ns += 40_000_000;
        world.now += 10_000_000;
        world.call(|c, cx| c.coarse_tick(cx));
    }
    assert_eq!(world.core.stats.runaways, 1);
}

#[test]
fn programs_that_compute_share_the_processors_and_delay_no_other_task() {
    let mut world = CoreHistory::new(3);
    world.core.limits.parallel = 1;
    known(&mut world, b"LONG    ", run(10_000_000, 0));
    known(&mut world, b"SHORT   ", run(10_000, 0));
    let spec = TaskSpec {
        transid: Name::from_bytes(*b"FREE"),
        program: Name::from_bytes(*b"LONG    "),
        ..TaskSpec::default()
    };
    for worker in 0..COMPUTING_WORKERS {
        assert_eq!(begin(&mut world, b"LONG    "), worker);
        submit(&mut world, worker, 0, true);
        world.links.workers.get_mut(&worker).unwrap().runnable = true;
    }
    let next = world.call(|c, cx| c.begin(cx, &spec)).unwrap();
    let stage = |world: &CoreHistory| world.core.task(next).unwrap().stage.clone();
    let tick = |world: &mut CoreHistory| {
        world.now += 2 * STUCK_NS;
        world.call(|c, cx| c.fine_tick(cx));
        stage(world)
    };
    for _ in 0..3 {
        assert_eq!(tick(&mut world), TaskStage::WaitPlace);
    }
    // Other tasks do not wait for it.
    begin(&mut world, b"SHORT   ");
    assert_eq!(tick(&mut world), TaskStage::WaitPlace);
    // A task that computed before waits for a socket or the like now.
    world.links.workers.get_mut(&0).unwrap().runnable = false;
    for worker in world.links.workers.values_mut() {
        worker.cpu_ns += STUCK_NS;
    }
    assert_eq!(tick(&mut world), TaskStage::Building);
}

#[test]
fn the_first_task_that_waits_to_compute_gets_a_worker_when_no_task_ends() {
    let mut world = CoreHistory::new(3);
    world.core.limits.parallel = 1;
    known(&mut world, b"LONG    ", run(PLACE_WAIT_NS, 0));
    for worker in 0..COMPUTING_WORKERS {
        begin(&mut world, b"LONG    ");
        submit(&mut world, worker, 0, true);
        world.links.workers.get_mut(&worker).unwrap().runnable = true;
    }
    let spec = TaskSpec {
        transid: Name::from_bytes(*b"FREE"),
        program: Name::from_bytes(*b"LONG    "),
        ..TaskSpec::default()
    };
    let next = world.call(|c, cx| c.begin(cx, &spec)).unwrap();
    for place in [None, Some(COMPUTING_WORKERS)] {
        world.now += PLACE_WAIT_NS + STUCK_NS;
        world.call(|c, cx| c.fine_tick(cx));
        let task = world.core.task(next).unwrap();
        assert_eq!(task.place.map(|p| p.worker), place);
    }
}

#[test]
fn a_queue_that_moves_gets_no_worker_for_being_long() {
    queue_of(run(10_000, 0), BRIEF_DEPTH);
    queue_of(run(2 * BRIEF_NS, 0), DEPTH);
}

/// The number of tasks in one worker for a program with these run times.
fn queue_of(pace: RunTimes, depth: usize) {
    let mut world = CoreHistory::new(3);
    world.core.limits = Limits {
        mxt: 100,
        queue_limit: 100,
        parallel: 1,
        ..world.core.limits
    };
    known(&mut world, b"SHORT   ", pace);
    let worker = begin(&mut world, b"SHORT   ");
    for _ in 1..depth {
        assert_eq!(begin(&mut world, b"SHORT   "), worker);
    }
    let spec = TaskSpec {
        transid: Name::from_bytes(*b"FREE"),
        program: Name::from_bytes(*b"SHORT   "),
        ..TaskSpec::default()
    };
    let waits: Vec<TaskKey> = (0..8)
        .map(|_| world.call(|c, cx| c.begin(cx, &spec)).unwrap())
        .collect();
    let stage = |world: &CoreHistory, n: usize| world.core.task(waits[n]).unwrap().stage.clone();
    for slot in 0..4 {
        let key = submit(&mut world, worker, slot, true);
        world.now += PLACE_WAIT_NS / 2;
        set_state(&mut world, worker, slot, SlotProgress::Done);
        world.call(|c, cx| c.poll_completions(cx, worker, None));
        world.call(|c, cx| c.release(cx, key, 0, Some(pace)));
        world.call(|c, cx| c.fine_tick(cx));
        assert_eq!(stage(&world, slot), TaskStage::Building);
        assert_eq!(stage(&world, slot + 1), TaskStage::WaitPlace);
    }
    assert_eq!(world.core.stats.workers_started, 1);
    // No worker takes tasks any more.
    world.now += PLACE_WAIT_NS;
    world.call(|c, cx| c.fine_tick(cx));
    assert_eq!(stage(&world, 4), TaskStage::Building);
    assert_eq!(world.core.stats.workers_started, 2);
}

fn run(held_ns: u64, waited_ns: u64) -> RunTimes {
    RunTimes { held_ns, waited_ns }
}

#[test]
fn a_call_that_outlives_its_workers_process_is_no_violation() {
    let mut world = CoreHistory::new(3);
    let worker = begin(&mut world, b"SHORT   ");
    let slot = 0;
    assert_eq!(world.core.caller(worker, slot), CallOwner::NoTask);
    let key = world.core.workers()[worker].slots[slot].unwrap();
    world.call(|c, cx| c.submit(cx, key, &link::Request::default()));
    assert_eq!(world.core.caller(worker, slot), CallOwner::Task(key));
    let slots = &mut world.links.workers.get_mut(&worker).unwrap().slots;
    slots[slot].as_mut().unwrap().2 = SlotProgress::Running;
    world.call(|c, cx| c.dead(cx, worker, false, "killed"));
    // Its reply still holds the slot.
    assert_eq!(world.core.workers()[worker].slots[slot], Some(key));
    assert_eq!(world.core.caller(worker, slot), CallOwner::Gone);
}

/// A region with one task at a time, and transactions LOWP and HIGH.
fn narrow(aging_ns: u64) -> CoreHistory {
    let transaction = |name: &[u8; 4], priority, purgeable| TransactionDef {
        name: Name::from_bytes(*name),
        program: Name::from_bytes(*b"SHORT   "),
        priority,
        purgeable,
        lock_timeout_ms: Some(2_000),
        runaway_ms: (priority == 1).then_some(70),
        ..TransactionDef::default()
    };
    let definitions = RegionDefinitions {
        transactions: vec![
            transaction(b"LOWP", 1, false),
            transaction(b"HIGH", 100, true),
        ],
        programs: definitions().programs,
        ..RegionDefinitions::default()
    };
    let mut w = CoreHistory::new(1);
    let limits = Limits {
        mxt: 1,
        priority_aging_ns: aging_ns,
        ..*w.core.limits()
    };
    w.core = Core::new(limits, CompiledDefinitions::build(1, &definitions).unwrap());
    w
}

impl CoreHistory {
    fn begin_as(&mut self, transid: &[u8; 4]) -> TaskKey {
        let spec = TaskSpec {
            transid: Name::from_bytes(*transid),
            ..TaskSpec::default()
        };
        let key = self.call(|c, cx| c.begin(cx, &spec)).expect("room for it");
        match self.stage(key) {
            Some(TaskStage::Building) => self.building.push(key),
            _ => self.waiting.push(key),
        }
        key
    }

    fn stage(&self, key: TaskKey) -> Option<TaskStage> {
        self.core.task(key).map(|t| t.stage.clone())
    }

    /// Ends the task that has the only place; the first waiting task gets it.
    fn end_first(&mut self) {
        let key = self.building.remove(0);
        self.call(|c, cx| c.cancel(cx, key));
    }

    /// The time in milliseconds at which a task of low priority gets its place, while a task of
    /// high priority arrives and one ends every 5 ms; `None` after 5 s.
    fn until_low_begins(&mut self) -> Option<u64> {
        self.begin_as(b"HIGH");
        self.begin_as(b"HIGH");
        let low = self.begin_as(b"LOWP");
        let begun = self.now;
        for _ in 0..1_000 {
            self.now += 5_000_000;
            self.begin_as(b"HIGH");
            self.end_first();
            if self.stage(low) == Some(TaskStage::Building) {
                return Some((self.now - begun) / 1_000_000);
            }
        }
        None
    }
}

#[test]
fn a_low_priority_ages_and_is_not_starved() {
    assert_eq!(narrow(0).until_low_begins(), None);
    // 99 of priority at 10 ms each, and then the next that ends.
    let waited = narrow(10_000_000).until_low_begins();
    assert!(
        waited.is_some_and(|ms| (985..=1_000).contains(&ms)),
        "{waited:?}"
    );
}

#[test]
fn a_waiting_task_whose_priority_is_raised_goes_first() {
    let mut w = narrow(0);
    w.begin_as(b"HIGH");
    let (first, second) = (w.begin_as(b"HIGH"), w.begin_as(b"LOWP"));
    w.core.set_priority(second, 200);
    w.end_first();
    assert_eq!(w.stage(second), Some(TaskStage::Building));
    assert_eq!(w.stage(first), Some(TaskStage::WaitMxt));
}

#[test]
fn a_task_has_the_limits_of_its_transaction() {
    let mut w = narrow(0);
    let low = w.begin_as(b"LOWP");
    let task = w.core.task(low).unwrap();
    assert_eq!(task.runaway_ns, 70_000_000);
    // Without SPURGE(YES) the region's limit counts, not DTIMOUT.
    assert_eq!((task.purgeable, task.lock_timeout_ns), (false, None));
    w.end_first();
    let high = w.begin_as(b"HIGH");
    let task = w.core.task(high).unwrap();
    assert_eq!(task.runaway_ns, w.core.limits().runaway_ns);
    assert_eq!(
        (task.purgeable, task.lock_timeout_ns),
        (true, Some(2_000_000_000))
    );
}

#[test]
fn a_higher_limit_lets_waiting_tasks_begin_at_once() {
    let mut w = narrow(0);
    w.begin_as(b"HIGH");
    let waits = w.begin_as(b"HIGH");
    assert_eq!(w.stage(waits), Some(TaskStage::WaitMxt));
    w.call(|c, cx| c.set_mxt(cx, 2));
    assert_eq!(w.stage(waits), Some(TaskStage::Building));
}
