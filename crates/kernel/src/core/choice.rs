//! The choice of a worker for a task.
//!
//! Waking a worker costs far more than a short program takes. Short tasks are therefore
//! queued at busy workers once enough of those run. If a task turns out to run or wait for
//! long, its queue is moved to other workers. Idle workers are used most recently used
//! first, since their pages are warm.
//!
//! Programs that compute for long share a few workers for each processor: more workers
//! would not finish sooner, and would take memory and processor time from all other tasks.
//! Tasks that wait for their turn there do not delay other tasks.

use super::defs::RunTimes;
use super::queue::TaskTurn;
use super::task::{TaskKey, TaskStage};
use super::worker::{WorkerLife, WorkerSlot, WorkerState};
use super::{
    BRIEF_DEPTH, CHILD_PLACES, COMPUTING_WORKERS, Core, CoreAction, CoreContext, DEPTH,
    MAX_START_FAILURES, PLACE_WAIT_NS, SHORT_NS, START_RETRY_NS, WAITING_WORKERS, WorkerLinks,
};
use link::SlotState;
use link::layout::SLOTS;

impl Core {
    /// Gives an admitted task a place, and queues its request there if it has one. Returns
    /// false if there is no place now. `force` prefers another worker to waiting for the busy
    /// ones.
    pub(super) fn place<L: WorkerLinks>(
        &mut self,
        cx: &mut CoreContext<'_, L>,
        key: TaskKey,
        force: bool,
    ) -> bool {
        let Some(place) = self.choose(cx, key, force) else {
            return false;
        };
        self.settle(cx, key, place);
        true
    }

    /// Tries to place the waiting tasks: those of programs that compute come last.
    pub(super) fn place_waiting<L: WorkerLinks>(&mut self, cx: &mut CoreContext<'_, L>) {
        if self.place_queue(cx, false) {
            self.place_queue(cx, true);
        }
    }

    /// Places the tasks of one queue in their order. Returns false if some still wait.
    fn place_queue<L: WorkerLinks>(&mut self, cx: &mut CoreContext<'_, L>, computes: bool) -> bool {
        let queue = usize::from(computes);
        while !self.place_waits[queue].is_empty() {
            let tasks = &self.tasks;
            let waits = |k| {
                tasks
                    .get(k)
                    .is_some_and(|t| t.stage == TaskStage::WaitPlace)
            };
            let Some(key) = self.place_waits[queue].pop(waits) else {
                return true;
            };
            let since = self
                .tasks
                .get(key)
                .map_or(cx.now, |t| t.begun.max(t.submitted));
            let since = since.max(self.last_placed[queue]);
            let force = cx.now.saturating_sub(since) >= self.longest_wait_ns(key);
            if self.place(cx, key, force) {
                self.last_placed[queue] = cx.now;
                cx.out.push(CoreAction::Wake(key));
                continue;
            }
            self.queue_for_place(key);
            if self.tasks.get(key).is_none_or(|t| t.queue == queue) {
                return false;
            }
        }
        true
    }

    /// Time without any placed task after which the first waiting task gets a worker of its
    /// own.
    fn longest_wait_ns(&self, key: TaskKey) -> u64 {
        match self.pace_of(key) {
            Some(pace) if pace.computes() => PLACE_WAIT_NS.max(2 * pace.held_ns),
            _ => PLACE_WAIT_NS,
        }
    }

    /// True if no task waits for a place before this one.
    pub(super) fn is_first(&self, key: TaskKey) -> bool {
        self.place_waits[0].is_empty() && (!self.computes(key) || self.place_waits[1].is_empty())
    }

    /// Inserts a task into the queue for a place, in the order of the task numbers.
    pub(super) fn queue_for_place(&mut self, key: TaskKey) {
        let queue = usize::from(self.computes(key));
        if let Some(task) = self.tasks.get_mut(key) {
            task.stage = TaskStage::WaitPlace;
            task.queue = queue;
            let turn = TaskTurn {
                priority: task.priority,
                since: task.begun,
                order: task.number,
            };
            self.place_waits[queue].push(turn, self.limits.priority_aging_ns, key);
        }
    }

    /// Finds another place for a task whose request is complete but whose worker is gone or
    /// was ended.
    pub(super) fn relocate<L: WorkerLinks>(&mut self, cx: &mut CoreContext<'_, L>, key: TaskKey) {
        self.unload(cx, key);
        if !self.place(cx, key, true) {
            self.queue_for_place(key);
        }
    }

    /// Moves every queued task of a worker to other workers. With `must` those that find no
    /// place wait for one; otherwise they stay.
    pub(super) fn take_queue<L: WorkerLinks>(
        &mut self,
        cx: &mut CoreContext<'_, L>,
        worker: usize,
        must: bool,
    ) {
        let mut queued: Vec<(u32, TaskKey)> = Vec::new();
        for slot in self.workers[worker].submitted_slots() {
            let Some(key) = self.workers[worker].slots[slot] else {
                continue;
            };
            let Some(task) = self.tasks.get(key) else {
                continue;
            };
            let place = WorkerSlot { worker, slot };
            // In another worker the task would also wait for the token.
            if !must && self.pinned_worker(key).is_some() {
                continue;
            }
            let would_wait = self.workers[worker].waits_for_qr && self.needs_qr(key);
            if would_wait && !must {
                continue;
            }
            if cx.links.state(place, task.sequence) == SlotState::Queued {
                queued.push((task.sequence, key));
            }
        }
        queued.sort_unstable();
        for (sequence, key) in queued {
            let place = self.choose(cx, key, true);
            if place.is_none() && !must {
                return;
            }
            let Some(from) = self.tasks.get(key).and_then(|t| t.place) else {
                continue;
            };
            if !cx.links.take_back(from, sequence) {
                continue;
            }
            self.workers[worker].submitted &= !(1 << from.slot);
            self.unload(cx, key);
            self.stats.moves += 1;
            if let Some(task) = self.tasks.get_mut(key) {
                task.moves += 1;
            }
            match place {
                Some(to) => self.settle(cx, key, to),
                None => self.queue_for_place(key),
            }
        }
    }

    /// Notes that a task no longer loads its worker.
    pub(super) fn unload<L: WorkerLinks>(&mut self, cx: &mut CoreContext<'_, L>, key: TaskKey) {
        let Some(task) = self.tasks.get_mut(key) else {
            return;
        };
        let Some(place) = task.place else {
            return;
        };
        let w = &mut self.workers[place.worker];
        w.load -= 1;
        w.slow -= usize::from(std::mem::take(&mut task.slow));
        if w.load == 0 {
            w.idle_since = cx.now;
            w.stuck = false;
            w.blocked = false;
            w.waiting = false;
            w.waits_for_qr = false;
            w.seen = None;
        }
        self.file(cx, place.worker);
    }

    /// Puts a worker on the list of its state.
    pub(super) fn file<L: WorkerLinks>(&mut self, cx: &mut CoreContext<'_, L>, worker: usize) {
        let w = &self.workers[worker];
        let (ready, loaded) = (w.life == WorkerLife::Ready, w.load > 0);
        let busy = ready && loaded && !w.waiting && !w.stuck;
        let pinned = w.pins > 0;
        let idle = ready && !loaded && !pinned;
        let leaves = w.life == WorkerLife::Retiring && w.kill_reason.is_none();
        let ends = leaves && !loaded && !pinned;
        set_member(&mut self.busy, worker, busy);
        set_member(&mut self.idle, worker, idle);
        if ends {
            cx.links.retire(worker);
        }
    }

    /// Makes one more worker.
    pub(super) fn grow<L: WorkerLinks>(&mut self, cx: &mut CoreContext<'_, L>) -> Option<usize> {
        let live = self.workers.iter().filter(|w| w.is_live()).count();
        let resting = self.start_failures >= MAX_START_FAILURES
            && cx.now.saturating_sub(self.last_start_failure) < START_RETRY_NS;
        // A task that waits for its children keeps its worker. Workers with older
        // definitions end when they have no task; a few more than MXT keep a reload
        // from waiting for them.
        let most = self.limits.mxt + CHILD_PLACES;
        if resting || self.ready_workers() >= most || live >= self.most_workers() {
            return None;
        }
        let vacant = self
            .workers
            .iter()
            .position(|w| w.life == WorkerLife::Vacant);
        let worker = vacant.unwrap_or(self.workers.len());
        if worker >= link::MAX_WORKERS {
            return None;
        }
        if !cx.links.create(worker, self.defs.generation) {
            self.start_failures += 1;
            self.last_start_failure = cx.now;
            return None;
        }
        let incarnation = self.stats.workers_started + 1;
        let state = WorkerState::new(self.defs.generation, cx.now, incarnation);
        match vacant {
            Some(_) => self.workers[worker] = state,
            None => self.workers.push(state),
        }
        self.stats.workers_started += 1;
        cx.out.push(CoreAction::Spawn(worker));
        Some(worker)
    }

    fn choose<L: WorkerLinks>(
        &mut self,
        cx: &mut CoreContext<'_, L>,
        key: TaskKey,
        force: bool,
    ) -> Option<WorkerSlot> {
        let task = self.tasks.get(key)?;
        if task.run_of.is_some()
            && let Some(worker) = self.pinned_worker(key)
        {
            // All held slots of the worker belong to the open task.
            let slot = self.workers[worker].free_slot()?;
            return Some(WorkerSlot { worker, slot });
        }
        if !force && self.computes(key) && self.processors_are_taken() {
            return None;
        }
        let quick = task.small && self.is_short(key) && task.losses == 0;
        let shares = !self.limits.isolate_tasks;
        if shares && quick && !force && self.busy.len() >= self.enough_for(key) {
            let (needs_qr, depth) = (self.needs_qr(key), self.depth(key));
            let mut quick_workers = 0;
            let mut best: Option<(usize, usize)> = None;
            for &worker in &self.busy {
                let w = &self.workers[worker];
                if w.slow > 0 || (w.waits_for_qr && !needs_qr) {
                    continue;
                }
                quick_workers += 1;
                let better = best.is_none_or(|(load, _)| w.load < load);
                if w.load < depth && better && w.free_slot().is_some() {
                    best = Some((w.load, worker));
                }
            }
            if let Some((_, worker)) = best {
                return self.free_place(worker);
            }
            if quick_workers > 0 {
                return None;
            }
        }
        let idle = self.idle.iter().rev().copied();
        if let Some(place) = idle.filter_map(|w| self.free_place(w)).next() {
            return Some(place);
        }
        if let Some(worker) = self.grow(cx) {
            self.file(cx, worker);
            return self.free_place(worker);
        }
        let depth = self.depth(key);
        let room = |w: &usize| self.workers[*w].load < depth && self.free_place(*w).is_some();
        let busy = self.busy.iter().copied().filter(room);
        let least = busy.min_by_key(|w| self.workers[*w].load);
        least.and_then(|worker| self.free_place(worker))
    }

    fn free_place(&self, worker: usize) -> Option<WorkerSlot> {
        let w = &self.workers[worker];
        if self.limits.isolate_tasks && !w.is_empty() {
            return None;
        }
        let slot = w.free_slot()?;
        Some(WorkerSlot { worker, slot })
    }

    /// A program that has not run yet counts as short. If it is not, the tasks after it are
    /// soon moved, and a burst at the start does not make a worker for each request.
    fn is_short(&self, key: TaskKey) -> bool {
        self.pace_of(key).is_none_or(|p| p.held_ns < SHORT_NS)
    }

    /// The number of tasks that may be in a worker that also gets this one.
    fn depth(&self, key: TaskKey) -> usize {
        let brief = self.pace_of(key).is_some_and(RunTimes::is_brief);
        if brief { BRIEF_DEPTH } else { DEPTH }
    }

    /// True when the task's program is known to compute for long.
    fn computes(&self, key: TaskKey) -> bool {
        self.pace_of(key).is_some_and(RunTimes::computes)
    }

    /// True if the most useful number of workers compute.
    fn processors_are_taken(&self) -> bool {
        let workers = self.workers.iter().filter(|w| w.computes());
        workers.count() >= self.limits.parallel * COMPUTING_WORKERS
    }

    /// True when a task would wait for the QR token in any worker.
    fn needs_qr(&self, key: TaskKey) -> bool {
        let task = self.tasks.get(key);
        let program = task.and_then(|t| t.pace_in(self.defs.generation));
        program.is_some_and(|program| self.defs.needs_qr(program))
    }

    /// Number of busy workers up to which a task is queued instead of waking another worker.
    /// Programs that mostly wait for the region get more: a single worker would be idle while
    /// its task waits, and several waiting tasks are answered together.
    fn enough_for(&self, key: TaskKey) -> usize {
        let waits = self.pace_of(key).is_some_and(RunTimes::mostly_waits);
        self.limits.parallel * if waits { WAITING_WORKERS } else { 1 }
    }

    /// The run times of a task's program; `None` if they are not known.
    pub(super) fn pace_of(&self, key: TaskKey) -> Option<RunTimes> {
        let pace = self.tasks.get(key)?.pace_in(self.defs.generation)?;
        self.defs.programs.get(pace)?.run
    }

    /// Moves a task to a place: for its input to be written, or with its
    /// request when that is complete.
    fn settle<L: WorkerLinks>(
        &mut self,
        cx: &mut CoreContext<'_, L>,
        key: TaskKey,
        place: WorkerSlot,
    ) {
        let slow = !self.is_short(key);
        let Some(task) = self.tasks.get_mut(key) else {
            return;
        };
        let old = task.place.replace(place);
        let w = &mut self.workers[place.worker];
        w.hold(place.slot, key);
        w.load += 1;
        task.slow = slow;
        if task.has_request {
            if let Some(old) = old {
                cx.links.copy(old, place, task.request.used);
            }
            task.sequence = w.next_sequence;
            task.stage = TaskStage::Submitted;
            w.next_sequence = w.next_sequence.wrapping_add(1);
            w.submitted |= 1 << place.slot;
            cx.links.submit(place, task.sequence, &task.request);
        } else {
            task.stage = TaskStage::Building;
            task.placed = cx.now;
        }
        if slow {
            w.slow += 1;
        }
        self.file(cx, place.worker);
        if let Some(old) = old {
            self.vacate(cx, key, old, 0);
        }
    }

    /// Frees a slot, and a dead worker's number with its last slot.
    pub(super) fn vacate<L: WorkerLinks>(
        &mut self,
        cx: &mut CoreContext<'_, L>,
        key: TaskKey,
        place: WorkerSlot,
        high_water: u64,
    ) {
        let w = &mut self.workers[place.worker];
        if w.slots[place.slot] != Some(key) {
            return;
        }
        w.give_back(place.slot);
        cx.links.free(place, high_water);
        if w.life == WorkerLife::Dead && w.is_empty() {
            w.life = WorkerLife::Vacant;
            cx.links.forget(place.worker);
        }
    }
}

fn set_member(list: &mut Vec<usize>, worker: usize, member: bool) {
    let at = list.iter().position(|&w| w == worker);
    match (at, member) {
        (None, true) => list.push(worker),
        (Some(at), false) => {
            list.remove(at);
        }
        _ => {}
    }
}

const _: () = assert!(SLOTS <= 64, "the slots of a worker are bits of a u64");
