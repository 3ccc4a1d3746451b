//! The decisions of the region: admission, workers, queues, ends.
//!
//! The core holds every task and every worker as data. It has no clock (each call has the
//! time as an argument), starts no process and wakes no thread. The work to do is left in a
//! list of [`CoreAction`]s. The shared memory of the workers is accessed through
//! [`WorkerLinks`], so a test can simulate all workers and time, and replay any history by
//! its seed.
//!
//! Reference: CICS system definition, MXT, TRANCLASS (MAXACTIVE, PURGETHRESH),
//! ICVR (runaway), transaction priority.
//! Invariant: data that a worker wrote is never trusted here; the links have checked what
//! they report.

mod admission;
mod choice;
mod defs;
mod ends;
mod open;
mod queue;
mod task;
mod tick;
mod worker;

#[cfg(test)]
mod tests;

pub use defs::{CompiledDefinitions, RunTimes, Transaction};
pub use task::{OutsideCall, TaskKey, TaskSpec, TaskStage, TaskState};
pub use worker::{CallOwner, WorkerLife, WorkerSlot, WorkerState};

use link::layout::SLOTS;
use link::{Name, Request, SlotState};

use crate::types::{Abend, ClassDef, RegionStatistics, StartRefusal};
use queue::WaitQueue;
use task::TaskTable;

/// Most tasks in one worker: being written, queued or running.
const DEPTH: usize = 30;
/// Most tasks in one worker if their programs are known to be brief. Together they take
/// little time, and each wait for a place costs the gateway thread a turn.
const BRIEF_DEPTH: usize = SLOTS - 2;
/// Tasks may be queued after a program whose runs are shorter than this.
const SHORT_NS: u64 = 200_000;
/// Number of workers for each single one otherwise, for programs that mostly wait for the
/// region.
const WAITING_WORKERS: usize = 8;
/// Number of workers for each single one otherwise, for programs that compute for long.
const COMPUTING_WORKERS: usize = 4;
/// While a program with shorter runs than this is running, the ends of tasks before it may
/// be reported later.
const BRIEF_NS: u64 = 20_000;
/// A task that runs longer than this has its queue taken away.
const STUCK_NS: u64 = 1_000_000;
/// If no waiting task has got a place for this long, the first of them gets a worker of its
/// own, even if the running workers are busy but not stuck. While those take tasks, another
/// worker would only take processor time from them.
const PLACE_WAIT_NS: u64 = 20_000_000;
/// Longer input is not queued after another task by choice.
const SMALL_BYTES: usize = 64 << 10;
/// Number of times that a queued task may lose its worker before it abends.
const MAX_LOSSES: u32 = 3;
/// Consecutive deaths of workers, without any ended task, that stop new starts.
const MAX_START_FAILURES: u32 = 5;
/// Time after such deaths until starts are tried again.
const START_RETRY_NS: u64 = 1_000_000_000;
/// Children that may be active above MXT while parents wait for them. Without
/// these places, as many parents as MXT would keep their own children out.
pub const CHILD_PLACES: usize = 4;
/// Workers above MXT and [`CHILD_PLACES`] that end with older definitions while
/// their successors begin.
pub const ENDING_WORKERS: usize = 8;
/// Indexes of the queues for MXT: requests from outside, children of RUN TRANSID, and what
/// else the region starts.
const REQUESTS: usize = 0;
const CHILDREN: usize = 1;
const STARTS: usize = 2;

/// The arguments of every call of the core: the time, the workers' memory, and the list of
/// actions to do afterwards.
pub struct CoreContext<'a, L> {
    /// Nanoseconds of the region's clock.
    pub now: u64,
    /// The shared memory of the workers.
    pub links: &'a mut L,
    /// The actions for the shell.
    pub out: &'a mut Vec<CoreAction>,
}

/// The shared memory of the workers, and what can be read about them.
pub trait WorkerLinks {
    /// Makes the memory of a new worker. Returns false if the system refuses.
    fn create(&mut self, worker: usize, generation: u64) -> bool;
    /// Forgets a worker whose slots are all released.
    fn forget(&mut self, worker: usize);
    /// Queues a slot and wakes the worker if it sleeps.
    fn submit(&mut self, place: WorkerSlot, sequence: u32, request: &Request);
    /// Wakes a sleeping worker after the lock is released.
    fn wake(&mut self, worker: usize);
    /// Takes a queued slot back. Returns false if the worker has taken it.
    fn take_back(&mut self, place: WorkerSlot, sequence: u32) -> bool;
    /// State of a submitted slot.
    fn state(&mut self, place: WorkerSlot, sequence: u32) -> SlotState;
    /// Copies a request's bytes to another worker's arena.
    fn copy(&mut self, from: WorkerSlot, to: WorkerSlot, bytes: u64);
    /// Frees a slot.
    fn free(&mut self, place: WorkerSlot, high_water: u64);
    /// Asks a worker to end when it has nothing to do.
    fn retire(&mut self, worker: usize);
    /// The worker's count of commands.
    fn progress(&mut self, worker: usize) -> u64;
    /// CPU time of the worker's process in nanoseconds.
    fn cpu_ns(&mut self, worker: usize) -> u64;
    /// True if the worker's process runs or waits only for a processor.
    fn is_runnable(&mut self, worker: usize) -> bool;
    /// True while the worker's running task waits for the QR token.
    fn waits_for_qr(&mut self, _worker: usize) -> bool {
        false
    }
}

/// An action for the shell after a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CoreAction {
    /// Start the process of a worker whose memory has been made.
    Spawn(usize),
    /// Kill the process of a worker.
    Kill(usize),
    /// Something changed for a task: poll its future.
    Wake(TaskKey),
    /// The task ended; commit its unit of work (true) or back it out.
    EndUnit(TaskKey, bool),
    /// The task ended and no client waits for it: collect and release it.
    Collect(TaskKey),
    /// A running task that waits for the region must end: end its wait.
    Purge(TaskKey),
}

/// Settings of the core.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Most active tasks.
    pub mxt: usize,
    /// Most waiting requests.
    pub queue_limit: usize,
    /// Workers that are never retired.
    pub min_workers: usize,
    /// Nanoseconds after which an idle worker above the minimum is retired.
    pub worker_idle_ns: u64,
    /// CPU nanoseconds without a command; 0 for no limit.
    pub runaway_ns: u64,
    /// Nanoseconds of waiting that raise a priority by one (PRTYAGE); 0 for
    /// priorities that do not age.
    pub priority_aging_ns: u64,
    /// Workers that may run at once before short tasks are queued at busy ones.
    pub parallel: usize,
    /// A worker gets a task only if all its other slots are free and cleared, so that its
    /// process contains nothing of another task.
    pub isolate_tasks: bool,
}

/// The region's state.
pub struct Core {
    limits: Limits,
    defs: CompiledDefinitions,
    tasks: TaskTable,
    workers: Vec<WorkerState>,
    /// Ready workers without a task, the most recently used last.
    idle: Vec<usize>,
    /// Ready workers with a task that neither waits nor is stuck.
    busy: Vec<usize>,
    /// Requests for a class.
    class_waits: Vec<WaitQueue>,
    /// Requests for an active task: from outside, of children, and of other starts.
    mxt_waits: [WaitQueue; 3],
    /// Admitted tasks for a place; in the second queue those of programs that
    /// compute.
    place_waits: [WaitQueue; 2],
    class_active: Vec<usize>,
    active: usize,
    /// Active tasks that the region started: children and other starts.
    started: usize,
    /// Active tasks that wait for their children, which may use their places.
    lent: usize,
    /// Those of them that the region started.
    lent_starts: usize,
    /// Requests that wait for their class or for MXT.
    waiting: usize,
    /// The waiting requests that the region itself has started.
    waiting_starts: usize,
    /// The time at which a task of each of these queues last got a place.
    last_placed: [u64; 2],
    order: u64,
    next_number: u64,
    start_failures: u32,
    last_start_failure: u64,
    closed: bool,
    /// Counters; the shell adds its own.
    pub stats: RegionStatistics,
}

impl Core {
    /// An empty region.
    pub fn new(limits: Limits, defs: CompiledDefinitions) -> Self {
        let classes = defs.classes.len();
        Core {
            limits,
            defs,
            tasks: TaskTable::default(),
            workers: Vec::new(),
            idle: Vec::new(),
            busy: Vec::new(),
            class_waits: (0..classes).map(|_| WaitQueue::default()).collect(),
            mxt_waits: Default::default(),
            place_waits: Default::default(),
            class_active: vec![0; classes],
            active: 0,
            lent: 0,
            lent_starts: 0,
            started: 0,
            waiting: 0,
            waiting_starts: 0,
            last_placed: [0; 2],
            order: 0,
            next_number: 1,
            start_failures: 0,
            last_start_failure: 0,
            closed: false,
            stats: RegionStatistics::default(),
        }
    }

    /// A task that exists.
    pub fn task(&self, key: TaskKey) -> Option<&TaskState> {
        self.tasks.get(key)
    }

    /// A task that exists, for changes of the fields that the shell owns.
    pub fn task_mut(&mut self, key: TaskKey) -> Option<&mut TaskState> {
        self.tasks.get_mut(key)
    }

    /// A task waits for a child, or continues. Meanwhile it does not count for its
    /// class, and some of its children may be active above MXT
    /// ([`CHILD_PLACES`]).
    pub fn lend<L: WorkerLinks>(&mut self, cx: &mut CoreContext<'_, L>, key: TaskKey, lends: bool) {
        let Some(task) = self.tasks.get_mut(key) else {
            return;
        };
        if std::mem::replace(&mut task.lends, lends) == lends {
            return;
        }
        let (class, is_start) = (task.class, task.start.is_some());
        if lends {
            self.lent += 1;
            self.lent_starts += usize::from(is_start);
            self.uncount_class(class);
            if let Some(class) = class {
                self.admit_from_class(cx, class);
            }
            self.admit_next(cx);
            self.place_waiting(cx);
        } else {
            self.lent -= 1;
            self.lent_starts -= usize::from(is_start);
            self.count_class(class);
        }
    }

    /// Changes the priority of a task that exists, also while it waits.
    pub fn set_priority(&mut self, key: TaskKey, priority: u8) {
        let Some(task) = self.tasks.get_mut(key) else {
            return;
        };
        task.priority = priority;
        let aging_ns = self.limits.priority_aging_ns;
        match (&task.stage, task.class) {
            (TaskStage::WaitClass, Some(class)) => {
                self.class_waits[class].set_priority(key, priority, aging_ns);
            }
            (TaskStage::WaitMxt, _) => {
                let queue = task.mxt_queue();
                self.mxt_waits[queue].set_priority(key, priority, aging_ns);
            }
            (TaskStage::WaitPlace, _) => {
                self.place_waits[task.queue].set_priority(key, priority, aging_ns);
            }
            _ => {}
        }
    }

    /// Changes the waiting time that counts as one unit of priority; 0 switches aging off.
    pub fn set_priority_aging(&mut self, aging_ns: u64) {
        self.limits.priority_aging_ns = aging_ns;
        let queues = self.class_waits.iter_mut().chain(&mut self.place_waits);
        for queue in queues.chain(&mut self.mxt_waits) {
            queue.age_by(aging_ns);
        }
    }

    /// Changes the CPU time that a task may use without a command; for tasks
    /// that begin from now on.
    pub fn set_runaway(&mut self, runaway_ns: u64) {
        self.limits.runaway_ns = runaway_ns;
    }

    /// The workers by number.
    pub fn workers(&self) -> &[WorkerState] {
        &self.workers
    }

    /// The worker that a task was submitted to, while the worker lives and the task is neither
    /// over nor being moved.
    pub fn runs_in(&self, key: TaskKey) -> Option<usize> {
        let task = self.tasks.get(self.run_or_task(key))?;
        let place = task.place.filter(|_| task.stage == TaskStage::Submitted)?;
        let worker = self.workers.get(place.worker)?;
        worker.is_live().then_some(place.worker)
    }

    /// The owner of a call that came from a slot of a worker.
    pub fn caller(&self, worker: usize, slot: usize) -> CallOwner {
        let Some(w) = self.workers.get(worker).filter(|w| w.is_live()) else {
            return CallOwner::Gone;
        };
        let key = w.slots.get(slot).copied().flatten();
        key.filter(|k| self.runs_in(*k) == Some(worker))
            .map_or(CallOwner::NoTask, CallOwner::Task)
    }

    /// The definitions in force.
    pub fn defs(&self) -> &CompiledDefinitions {
        &self.defs
    }

    /// The definitions in force, to change one.
    pub fn defs_mut(&mut self) -> &mut CompiledDefinitions {
        &mut self.defs
    }

    /// The settings in force.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Changes the most active tasks. Those above a lower limit continue.
    pub fn set_mxt<L: WorkerLinks>(&mut self, cx: &mut CoreContext<'_, L>, mxt: usize) {
        self.limits.mxt = mxt;
        self.limits.min_workers = self.limits.min_workers.min(mxt);
        self.admit_next(cx);
        self.place_waiting(cx);
    }

    /// Keys of all tasks, without the runs of open tasks.
    pub fn task_keys(&self) -> Vec<TaskKey> {
        let counts = |key: &TaskKey| self.tasks.get(*key).is_some_and(TaskState::counts);
        self.tasks.keys().into_iter().filter(counts).collect()
    }

    /// The class of a task.
    pub fn class_of(&self, task: &TaskState) -> Option<&ClassDef> {
        self.defs.classes.get(task.class?)
    }

    /// Active tasks and waiting requests of a class, by its number.
    pub fn class_load(&self, class: usize) -> (usize, usize) {
        let active = self.class_active.get(class).copied().unwrap_or(0);
        (
            active,
            self.class_waits.get(class).map_or(0, WaitQueue::len),
        )
    }

    /// Active tasks.
    #[cfg(any(test, feature = "sim"))]
    pub fn active(&self) -> usize {
        self.active
    }

    /// Statistics with the current gauges.
    pub fn statistics(&self) -> RegionStatistics {
        let live = self.workers.iter().filter(|w| w.is_live()).count();
        RegionStatistics {
            active: self.active as u64,
            waiting: (self.waiting + self.waits_for_place()) as u64,
            workers: live as u64,
            held_by_parents: self.held_by_parents(),
            waiting_parents: self.lent as u64,
            ..self.stats.clone()
        }
    }

    /// Admitted tasks that wait for a place.
    pub fn waits_for_place(&self) -> usize {
        self.place_waits.iter().map(WaitQueue::len).sum()
    }

    /// True while the workers must be checked every millisecond or two: a task is queued after
    /// another, or waits for a place.
    pub fn wants_fine_tick(&self) -> bool {
        self.waits_for_place() > 0 || self.busy.iter().any(|&w| self.workers[w].load > 1)
    }

    /// True while limits of tasks or workers must be checked.
    pub fn wants_coarse_tick(&self) -> bool {
        !self.tasks.is_empty()
            || self.waits_for_place() > 0
            || self.ready_workers() < self.limits.min_workers
            || self
                .workers
                .iter()
                .any(|w| w.is_live() && w.life != WorkerLife::Ready)
    }

    /// When the next idle worker may be retired, in nanoseconds of the region's clock. Returns
    /// `None` if none will be.
    pub fn next_farewell(&self) -> Option<u64> {
        let surplus = self.ready_workers() > self.limits.min_workers;
        let &worker = self.idle.first().filter(|_| surplus)?;
        Some(self.workers[worker].idle_since + self.limits.worker_idle_ns)
    }

    /// 1 while no child can begin because tasks that wait for their children hold all its
    /// places, until one of them is purged; 2 while no request can begin either; else 0.
    pub fn held_by_parents(&self) -> u64 {
        let runs = self.active - self.lent;
        let started_runs = self.started - self.lent_starts;
        if self.lent == 0 || started_runs > 0 || self.may_take(CHILDREN) {
            return 0;
        }
        // Requests that run give places back, but not those of children.
        let is_full = self.started >= self.most_started() + self.lent.min(CHILD_PLACES);
        match runs {
            0 if !self.may_take(REQUESTS) => 2,
            0 => 1,
            _ => u64::from(is_full),
        }
    }

    /// Refuses the tasks of a transaction that wait to begin.
    pub fn refuse_transaction<L: WorkerLinks>(
        &mut self,
        cx: &mut CoreContext<'_, L>,
        transid: link::TransId,
        refusal: StartRefusal,
    ) {
        for key in self.tasks.keys() {
            let waits = |t: &TaskState| t.is_waiting() && t.counts() && t.transid == transid;
            if self.tasks.get(key).is_some_and(waits) {
                self.refuse_waiting(cx, key, refusal);
            }
        }
        self.admit_next(cx);
    }

    /// Refuses new tasks from now on. Those that wait are refused too.
    pub fn close<L: WorkerLinks>(&mut self, cx: &mut CoreContext<'_, L>) {
        self.closed = true;
        for key in self.tasks.keys() {
            let waiting = |t: &TaskState| t.is_waiting() && t.counts();
            if self.tasks.get(key).is_some_and(waiting) {
                self.refuse_waiting(cx, key, StartRefusal::ShuttingDown);
            }
        }
    }

    /// True when there is no task, active or waiting.
    #[cfg(any(test, feature = "sim"))]
    pub fn is_idle(&self) -> bool {
        self.tasks.is_empty()
    }

    /// Whether a task lends its place to a child.
    #[cfg(any(test, feature = "sim"))]
    pub fn lends(&self, key: TaskKey) -> bool {
        self.tasks.get(key).is_some_and(|task| task.lends)
    }

    /// How many tasks count above MXT, and above the limit in any class.
    #[cfg(any(test, feature = "sim"))]
    pub fn over_limits(&self, mxt: usize, class_limit: usize) -> [usize; 2] {
        let over_class = |n: &usize| n.saturating_sub(class_limit);
        let classes = self.class_active.iter().map(over_class).max();
        [self.active.saturating_sub(mxt), classes.unwrap_or(0)]
    }

    /// Asserts that no place is counted as taken while there is no task.
    #[cfg(any(test, feature = "sim"))]
    pub fn check_idle(&self) {
        let counted = (self.active, self.started, self.lent, self.waiting);
        assert_eq!(
            counted,
            (0, 0, 0, 0),
            "active, started, lent and waiting tasks are left"
        );
        let classes = &self.class_active;
        assert!(
            classes.iter().all(|n| *n == 0),
            "places of classes are left: {classes:?}"
        );
    }

    /// Checks the core's counters; panics if they are inconsistent.
    #[cfg(any(test, feature = "sim"))]
    pub fn check_books(&self) {
        let lending = self.tasks.iter().filter(|t| t.lends).count();
        assert_eq!(self.lent, lending, "parents that wait for children");
        let lending_start = |t: &&TaskState| t.lends && t.start.is_some();
        let lending_starts = self.tasks.iter().filter(lending_start).count();
        assert_eq!(self.lent_starts, lending_starts, "starts that are parents");
        let starts = |t: &&TaskState| {
            t.start.is_some() && matches!(t.stage, TaskStage::WaitClass | TaskStage::WaitMxt)
        };
        let waiting_starts = self.tasks.iter().filter(starts).count();
        assert_eq!(self.waiting_starts, waiting_starts, "starts that wait");
        let live = self.workers.iter().filter(|w| w.is_live()).count();
        let most = self.most_workers();
        assert!(live <= most, "{live} workers, {most} may be");
        for (number, w) in self.workers.iter().enumerate() {
            let held = w.slots.iter().flatten().count();
            assert_eq!(w.held.count_ones() as usize, held, "worker {number}");
            assert!(w.load <= held, "worker {number}: load {} of {held}", w.load);
            assert!(w.slow <= w.load, "worker {number}");
            for key in w.slots.iter().flatten() {
                assert!(self.tasks.get(*key).is_some(), "a slot of no task");
            }
        }
    }

    /// True when a closed region has no task left.
    pub fn is_drained(&self) -> bool {
        self.closed && self.active == 0
    }

    /// Switches to other definitions. Workers of the old ones end as soon as
    /// they have no task.
    pub fn reload<L: WorkerLinks>(
        &mut self,
        cx: &mut CoreContext<'_, L>,
        mut defs: CompiledDefinitions,
    ) {
        // Classes keep their numbers, so that active tasks stay counted.
        defs.adopt_class_numbers(&self.defs);
        let classes = defs.classes.len();
        self.class_active.resize(classes, 0);
        self.class_waits.resize_with(classes, WaitQueue::default);
        self.defs = defs;
        for worker in std::mem::take(&mut self.idle) {
            self.retire_worker(cx, worker);
        }
        for worker in 0..self.workers.len() {
            let w = &mut self.workers[worker];
            if w.life == WorkerLife::Ready && w.generation != self.defs.generation {
                w.life = WorkerLife::Retiring;
                self.busy.retain(|&b| b != worker);
            }
        }
        self.ensure_minimum(cx);
        self.refuse_disabled(cx);
        for class in 0..classes {
            self.admit_from_class(cx, class);
            self.shorten_queue(cx, class);
        }
        self.place_waiting(cx);
    }

    /// Rejects the requests that wait for transactions that are now disabled or removed.
    fn refuse_disabled<L: WorkerLinks>(&mut self, cx: &mut CoreContext<'_, L>) {
        for key in self.tasks.keys() {
            let Some(task) = self.tasks.get(key) else {
                continue;
            };
            if !task.is_waiting() || !task.counts() {
                continue;
            }
            let transid = task.transid;
            let refusal = match self.defs.transaction(transid) {
                None => StartRefusal::UnknownTransaction(transid),
                Some(at) if !self.defs.transactions[at].def.enabled => {
                    StartRefusal::Disabled(transid)
                }
                Some(_) => continue,
            };
            self.refuse_waiting(cx, key, refusal);
        }
    }

    /// A class is no longer defined. It has no tasks.
    pub fn forget_class(&mut self, class: usize) {
        assert_eq!(self.class_load(class), (0, 0), "a class in use is kept");
        self.defs.classes[class].name = Name::BLANK;
    }

    /// The limits of a class have changed: more of its requests may begin, and requests that
    /// wait beyond PURGETHRESH are rejected.
    pub fn class_changed<L: WorkerLinks>(&mut self, cx: &mut CoreContext<'_, L>, class: usize) {
        self.admit_from_class(cx, class);
        self.shorten_queue(cx, class);
        self.place_waiting(cx);
    }

    /// Starts workers up to the minimum.
    pub fn ensure_minimum<L: WorkerLinks>(&mut self, cx: &mut CoreContext<'_, L>) {
        while !self.closed && self.ready_workers() < self.limits.min_workers {
            match self.grow(cx) {
                Some(worker) => self.idle.insert(0, worker),
                None => return,
            }
        }
    }

    /// Requests from outside that wait for their class or for MXT.
    pub fn waiting_requests(&self) -> usize {
        self.waiting - self.waiting_starts
    }

    /// Most workers that may exist at one time.
    pub fn most_workers(&self) -> usize {
        self.limits.mxt + CHILD_PLACES + ENDING_WORKERS
    }

    fn ready_workers(&self) -> usize {
        let ready = |w: &&WorkerState| w.life == WorkerLife::Ready;
        self.workers.iter().filter(ready).count()
    }

    fn retire_worker<L: WorkerLinks>(&mut self, cx: &mut CoreContext<'_, L>, worker: usize) {
        self.workers[worker].life = WorkerLife::Retiring;
        cx.links.retire(worker);
    }

    fn abend(code: &[u8; 4], message: String) -> Abend {
        Abend {
            code: *code,
            program: link::Name::BLANK,
            line: 0,
            message,
        }
    }
}
