//! Periodic checks: stuck workers, runaways, limits, idle workers.

use link::SlotState;

use super::task::{TaskKey, TaskStage};
use super::worker::{KillReason, ObservedTask, WorkerLife, WorkerSlot};
use super::{Core, CoreAction, CoreContext, STUCK_NS, WorkerLinks};
use crate::types::StartRefusal;

impl Core {
    /// Runs every millisecond or two while [`Core::wants_fine_tick`]: moves the queues of stuck
    /// workers, and places waiting tasks. Returns true if everything proceeds: no task waits for
    /// a place, and no worker runs the same task as at the last check.
    pub fn fine_tick<L: WorkerLinks>(&mut self, cx: &mut CoreContext<'_, L>) -> bool {
        let mut goes_on = true;
        for i in (0..self.busy.len()).rev() {
            let Some(&worker) = self.busy.get(i) else {
                continue;
            };
            goes_on &= !self.check_running(cx, worker);
            let w = &self.workers[worker];
            if (w.stuck || w.waits_for_qr) && w.load > 1 {
                // The worker may have completions that wait for the task to end.
                self.poll_completions(cx, worker, None);
                self.take_queue(cx, worker, false);
            }
        }
        if !self.place_waits[1].is_empty() {
            self.check_blocked(cx);
        }
        self.place_waiting(cx);
        goes_on && self.waits_for_place() == 0
    }

    /// Finds workers whose task computed before and waits for something now: their processor is
    /// free for others.
    fn check_blocked<L: WorkerLinks>(&mut self, cx: &mut CoreContext<'_, L>) {
        for worker in 0..self.workers.len() {
            let w = &self.workers[worker];
            if w.stuck && w.computes() {
                self.check_running(cx, worker);
            }
        }
    }

    /// A few times a second: limits of tasks and workers.
    pub fn coarse_tick<L: WorkerLinks>(&mut self, cx: &mut CoreContext<'_, L>) {
        for worker in 0..self.workers.len() {
            // Repairs a lost doorbell bit; otherwise `poll_completions` finds nothing.
            if self.workers[worker].submitted != 0 && self.workers[worker].is_live() {
                self.poll_completions(cx, worker, None);
                self.check_runaway(cx, worker);
                let w = &self.workers[worker];
                if w.submitted != 0 {
                    // The thread that owes the worker a wake-up may be delayed.
                    cx.links.wake(worker);
                }
                if (w.stuck || w.waiting || w.waits_for_qr) && w.load > 1 {
                    self.take_queue(cx, worker, false);
                }
            }
        }
        for key in self.tasks.keys() {
            self.check_deadline(cx, key);
        }
        // Requests that timed out have left room.
        for class in 0..self.class_active.len() {
            self.admit_from_class(cx, class);
        }
        self.admit_next(cx);
        self.retire_idle(cx);
        self.ensure_minimum(cx);
        self.place_waiting(cx);
    }

    /// Records which slot runs, and since when. Returns true if it ran at the last check.
    fn check_running<L: WorkerLinks>(
        &mut self,
        cx: &mut CoreContext<'_, L>,
        worker: usize,
    ) -> bool {
        let running = self.running(cx, worker);
        let w = &mut self.workers[worker];
        let mut lasts = false;
        match (running, w.seen) {
            (Some((slot, sequence, _)), Some(seen))
                if (slot, sequence) == (seen.slot, seen.sequence) =>
            {
                lasts = true;
                // A task without processor time is not stuck: in another worker
                // it would have none either.
                let long = cx.now.saturating_sub(seen.since) >= STUCK_NS;
                w.waits_for_qr = long && cx.links.waits_for_qr(worker);
                w.blocked = long && !w.waits_for_qr && !cx.links.is_runnable(worker);
                w.stuck = long
                    && !w.waits_for_qr
                    && (w.stuck || w.blocked || {
                        cx.links.cpu_ns(worker).saturating_sub(seen.cpu_ns) >= STUCK_NS / 2
                    });
            }
            (Some((slot, sequence, _)), _) => {
                w.seen = Some(ObservedTask {
                    slot,
                    sequence,
                    since: cx.now,
                    cpu_ns: cx.links.cpu_ns(worker),
                });
                w.stuck = false;
                w.blocked = false;
                w.waits_for_qr = false;
                w.progress_cpu_ns = 0;
            }
            (None, _) => {
                w.seen = None;
                w.stuck = false;
                w.blocked = false;
                w.waits_for_qr = false;
            }
        }
        self.file(cx, worker);
        lasts
    }

    fn running<L: WorkerLinks>(
        &self,
        cx: &mut CoreContext<'_, L>,
        worker: usize,
    ) -> Option<(usize, u32, TaskKey)> {
        let w = &self.workers[worker];
        w.submitted_slots().find_map(|slot| {
            let key = w.slots[slot]?;
            let sequence = self.tasks.get(key)?.sequence;
            let state = cx.links.state(WorkerSlot { worker, slot }, sequence);
            (state == SlotState::Running).then_some((slot, sequence, key))
        })
    }

    fn check_runaway<L: WorkerLinks>(&mut self, cx: &mut CoreContext<'_, L>, worker: usize) {
        self.check_running(cx, worker);
        let Some((_, _, key)) = self.running(cx, worker) else {
            return;
        };
        let limit = self.tasks.get(key).map_or(0, |t| t.runaway_ns);
        let (progress, cpu) = (cx.links.progress(worker), cx.links.cpu_ns(worker));
        let w = &mut self.workers[worker];
        if w.waiting || w.progress != progress || w.progress_cpu_ns == 0 {
            w.progress = progress;
            w.progress_cpu_ns = cpu.max(1);
            return;
        }
        if limit > 0 && cpu.saturating_sub(w.progress_cpu_ns) >= limit {
            self.end_running(cx, worker, key, KillReason::Runaway);
        }
    }

    fn check_deadline<L: WorkerLinks>(&mut self, cx: &mut CoreContext<'_, L>, key: TaskKey) {
        let Some(task) = self.tasks.get_mut(key) else {
            return;
        };
        if task.deadline.is_none_or(|d| cx.now < d) || task.purging.is_some() {
            return;
        }
        if task.is_waiting() {
            self.refuse_waiting(cx, key, StartRefusal::TimedOut)
        } else {
            self.purge_task(cx, key, "the task's time limit passed")
        }
    }

    /// Ends a task wherever it is: before its admission, in a queue, in a wait
    /// for the region, or running.
    pub fn purge_task<L: WorkerLinks>(
        &mut self,
        cx: &mut CoreContext<'_, L>,
        key: TaskKey,
        why: &'static str,
    ) {
        let Some(task) = self.tasks.get_mut(key) else {
            return;
        };
        if task.is_waiting() {
            self.refuse_waiting(cx, key, StartRefusal::Purged(why));
            return;
        }
        let purged = || Core::abend(b"AEXY", why.to_owned());
        match (&task.stage, task.place) {
            (TaskStage::Open, _) => self.purge_open(cx, key, why),
            (TaskStage::WaitPlace, _) => {
                self.stats.purged += 1;
                self.fail(cx, key, purged());
            }
            (TaskStage::Submitted, Some(place)) => {
                if cx.links.take_back(place, task.sequence) {
                    self.stats.purged += 1;
                    self.fail(cx, key, purged());
                    return;
                }
                task.purging = Some(why);
                self.stats.purged += 1;
                if self.workers[place.worker].waiting {
                    cx.out.push(CoreAction::Purge(key));
                } else {
                    self.end_running(cx, place.worker, key, KillReason::Purge(why));
                }
            }
            _ => {}
        }
    }

    /// Ends a submitted task unconditionally: for an operator, or for a purge that found no
    /// wait to end.
    pub fn kill_task<L: WorkerLinks>(&mut self, cx: &mut CoreContext<'_, L>, key: TaskKey) {
        let key = self.run_or_task(key);
        let Some(task) = self.tasks.get(key) else {
            return;
        };
        let (TaskStage::Submitted, Some(place)) = (&task.stage, task.place) else {
            return;
        };
        let sequence = task.sequence;
        let why = task.purging.unwrap_or("the task was purged");
        if cx.links.take_back(place, sequence) {
            let purged = "the task was purged before it started".to_owned();
            self.fail(cx, key, Core::abend(b"AEXY", purged));
        } else {
            self.end_running(cx, place.worker, key, KillReason::Purge(why));
        }
    }

    /// Whether the worker that runs a task is being ended.
    pub fn loses_worker(&self, key: TaskKey) -> bool {
        let task = self.tasks.get(self.run_or_task(key));
        let place = task.and_then(|task| task.place);
        place.is_some_and(|place| self.workers[place.worker].kill_reason.is_some())
    }

    /// Ends the worker that runs a task, unless the task ended meanwhile.
    fn end_running<L: WorkerLinks>(
        &mut self,
        cx: &mut CoreContext<'_, L>,
        worker: usize,
        key: TaskKey,
        kill_reason: KillReason,
    ) {
        // No task may be queued after this one when the process is killed: it
        // would start and be killed.
        self.take_queue(cx, worker, true);
        let running = self.running(cx, worker).map(|(_, _, k)| k);
        // A process that is being killed may take time to end.
        if running != Some(key) || self.workers[worker].kill_reason.is_some() {
            return;
        }
        match kill_reason {
            KillReason::Runaway => self.stats.runaways += 1,
            // Counted when the purge was asked for.
            KillReason::Purge(_) | KillReason::Violation => {}
        }
        self.kill_worker(cx, worker, kill_reason);
    }

    fn retire_idle<L: WorkerLinks>(&mut self, cx: &mut CoreContext<'_, L>) {
        while self.ready_workers() > self.limits.min_workers {
            let Some(&worker) = self.idle.first() else {
                return;
            };
            let w = &self.workers[worker];
            if w.life != WorkerLife::Ready
                || cx.now.saturating_sub(w.idle_since) < self.limits.worker_idle_ns
            {
                return;
            }
            self.idle.remove(0);
            self.retire_worker(cx, worker);
        }
    }
}
