//! What time alone decides: stuck workers, runaways, limits, idle workers.

use link::SlotState;

use super::task::{Stage, TaskKey};
use super::worker::{KillReason, Life, Place, Seen};
use super::{Action, Core, Links, STUCK_NS};
use crate::api::Refusal;

impl Core {
    /// Every millisecond while [`Core::wants_fine_tick`]: gives the queues of
    /// stuck workers to others, and places what waits.
    pub fn fine_tick<L: Links>(&mut self, now: u64, links: &mut L, out: &mut Vec<Action>) {
        for i in (0..self.busy.len()).rev() {
            let Some(&worker) = self.busy.get(i) else {
                continue;
            };
            self.look_at_running(now, worker, links);
            if self.workers[worker].stuck && self.workers[worker].load > 1 {
                // It may have news that waits for the task to end.
                self.hear(now, links, worker, None, out);
                self.take_queue(now, worker, false, links, out);
            }
        }
        self.place_waiting(now, links, out);
    }

    /// A few times a second: limits of tasks and workers.
    pub fn coarse_tick<L: Links>(&mut self, now: u64, links: &mut L, out: &mut Vec<Action>) {
        for worker in 0..self.workers.len() {
            // Heals a lost doorbell bit; `hear` finds nothing otherwise.
            if self.workers[worker].submitted != 0 && self.workers[worker].is_live() {
                self.hear(now, links, worker, None, out);
                self.check_runaway(now, worker, links, out);
                let w = &self.workers[worker];
                if w.submitted != 0 {
                    // The door that owes it a wake-up may not come to it.
                    links.wake(worker);
                }
                if (w.stuck || w.waiting) && w.load > 1 {
                    self.take_queue(now, worker, false, links, out);
                }
            }
        }
        for key in self.tasks.keys() {
            self.check_deadline(now, key, links, out);
        }
        // Requests that timed out left room behind.
        for class in 0..self.class_active.len() {
            self.admit_from_class(now, class, links, out);
        }
        self.admit_next(now, links, out);
        self.let_idle_go(now, links);
        self.ensure_minimum(now, links, out);
        self.place_waiting(now, links, out);
    }

    /// Notes which slot runs, and since when.
    fn look_at_running<L: Links>(&mut self, now: u64, worker: usize, links: &mut L) {
        let running = self.running(worker, links);
        let w = &mut self.workers[worker];
        match (running, w.seen) {
            (Some((slot, sequence, _)), Some(seen))
                if (slot, sequence) == (seen.slot, seen.sequence) =>
            {
                // One that has had no processor is not stuck: another worker
                // would have none either.
                let long = now.saturating_sub(seen.since) >= STUCK_NS;
                let mut used = || links.cpu_ns(worker).saturating_sub(seen.cpu_ns) >= STUCK_NS / 2;
                w.stuck = long && (w.stuck || used() || !links.is_runnable(worker));
            }
            (Some((slot, sequence, _)), _) => {
                w.seen = Some(Seen {
                    slot,
                    sequence,
                    since: now,
                    cpu_ns: links.cpu_ns(worker),
                });
                w.stuck = false;
                w.progress_cpu_ns = 0;
            }
            (None, _) => {
                w.seen = None;
                w.stuck = false;
            }
        }
        self.file(worker, links);
    }

    fn running<L: Links>(&self, worker: usize, links: &mut L) -> Option<(usize, u32, TaskKey)> {
        let w = &self.workers[worker];
        w.submitted_slots().find_map(|slot| {
            let key = w.slots[slot]?;
            let sequence = self.tasks.get(key)?.sequence;
            let state = links.state(Place { worker, slot }, sequence);
            (state == SlotState::Running).then_some((slot, sequence, key))
        })
    }

    fn check_runaway<L: Links>(
        &mut self,
        now: u64,
        worker: usize,
        links: &mut L,
        out: &mut Vec<Action>,
    ) {
        self.look_at_running(now, worker, links);
        let Some((_, _, key)) = self.running(worker, links) else {
            return;
        };
        let limit = self.tasks.get(key).map_or(0, |t| t.runaway_ns);
        let (progress, cpu) = (links.progress(worker), links.cpu_ns(worker));
        let w = &mut self.workers[worker];
        if w.waiting || w.progress != progress || w.progress_cpu_ns == 0 {
            w.progress = progress;
            w.progress_cpu_ns = cpu.max(1);
            return;
        }
        if limit > 0 && cpu.saturating_sub(w.progress_cpu_ns) >= limit {
            self.end_running(now, worker, key, KillReason::Runaway, links, out);
        }
    }

    fn check_deadline<L: Links>(
        &mut self,
        now: u64,
        key: TaskKey,
        links: &mut L,
        out: &mut Vec<Action>,
    ) {
        let Some(task) = self.tasks.get_mut(key) else {
            return;
        };
        if task.deadline.is_none_or(|d| now < d) || task.purging {
            return;
        }
        if task.is_waiting() {
            self.refuse_waiting(now, key, Refusal::TimedOut, out);
            return;
        }
        let purged = || Core::abend(b"AEXY", "the task's time limit passed".to_owned());
        match (&task.stage, task.place) {
            (Stage::WaitPlace, _) => {
                self.stats.purged += 1;
                self.fail(now, key, purged(), links, out);
            }
            (Stage::Submitted, Some(place)) => {
                if links.take_back(place, task.sequence) {
                    self.stats.purged += 1;
                    self.fail(now, key, purged(), links, out);
                    return;
                }
                task.purging = true;
                self.end_running(now, place.worker, key, KillReason::Purge, links, out);
            }
            _ => {}
        }
    }

    /// Ends the worker that runs a task, unless the task ended meanwhile.
    fn end_running<L: Links>(
        &mut self,
        now: u64,
        worker: usize,
        key: TaskKey,
        kill_reason: KillReason,
        links: &mut L,
        out: &mut Vec<Action>,
    ) {
        // Nothing may be queued behind the task when the process is killed:
        // it would start and be hit.
        self.take_queue(now, worker, true, links, out);
        let running = self.running(worker, links).map(|(_, _, k)| k);
        if running != Some(key) {
            return;
        }
        match kill_reason {
            KillReason::Runaway => self.stats.runaways += 1,
            KillReason::Purge => self.stats.purged += 1,
            KillReason::Violation => {}
        }
        self.kill_worker(now, worker, kill_reason, links, out);
    }

    fn let_idle_go<L: Links>(&mut self, now: u64, links: &mut L) {
        while self.ready_workers() > self.limits.min_workers {
            let Some(&worker) = self.idle.first() else {
                return;
            };
            let w = &self.workers[worker];
            if w.life != Life::Ready
                || now.saturating_sub(w.idle_since) < self.limits.worker_idle_ns
            {
                return;
            }
            self.idle.remove(0);
            self.let_go(worker, links);
        }
    }
}
