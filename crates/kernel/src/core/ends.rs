//! The ends of tasks and workers.

use link::SlotState;

use super::defs::RunTimes;
use super::task::{TaskKey, TaskStage};
use super::worker::{KillReason, WorkerLife, WorkerSlot};
use super::{Core, CoreAction, CoreContext, MAX_LOSSES, MAX_START_FAILURES, WorkerLinks};
use crate::types::{Abend, StartRefusal};

impl Core {
    /// Checks the submitted slots of a worker for one port, and completes those that are
    /// done. With `None` it checks the slots of all ports.
    pub fn poll_completions<L: WorkerLinks>(
        &mut self,
        cx: &mut CoreContext<'_, L>,
        worker: usize,
        port: Option<usize>,
    ) {
        let Some(w) = self.workers.get(worker) else {
            return;
        };
        let mut protocol_violation = false;
        for slot in w.submitted_slots() {
            let Some(key) = self.workers[worker].slots[slot] else {
                continue;
            };
            let Some(task) = self.tasks.get(key) else {
                continue;
            };
            // Port 0 is also notified of tasks that may have something to commit.
            if port.is_some_and(|p| p != task.port && !(p == 0 && task.in_kernel)) {
                continue;
            }
            match cx.links.state(WorkerSlot { worker, slot }, task.sequence) {
                SlotState::Done => self.note_completion(cx, key),
                SlotState::Violation(_) => protocol_violation = true,
                SlotState::Queued | SlotState::Running => {}
            }
        }
        if protocol_violation {
            self.protocol_violation(cx, worker);
        }
        self.place_waiting(cx);
    }

    /// The unit of work of a task that was ending is over.
    pub fn unit_ended<L: WorkerLinks>(
        &mut self,
        cx: &mut CoreContext<'_, L>,
        key: TaskKey,
        abend: Option<Abend>,
    ) {
        self.lend(cx, key, false);
        if let Some(task) = self.tasks.get_mut(key)
            && task.stage == TaskStage::Ending
        {
            task.in_kernel = false;
            task.has_sockets = false;
            task.has_services = false;
            if task.abend.is_none() {
                task.abend = abend;
            }
            self.finish(cx, key);
        }
    }

    /// The client that waited for the task went away.
    pub fn abandon<L: WorkerLinks>(&mut self, cx: &mut CoreContext<'_, L>, key: TaskKey) {
        if let Some(task) = self.tasks.get_mut(key) {
            task.abandoned = true;
            if task.stage == TaskStage::Done {
                cx.out.push(CoreAction::Collect(key));
            }
        }
    }

    /// A task's results are no longer needed. `run` is the time of its program's run, if that
    /// ended by itself.
    pub fn release<L: WorkerLinks>(
        &mut self,
        cx: &mut CoreContext<'_, L>,
        key: TaskKey,
        high_water: u64,
        run: Option<RunTimes>,
    ) {
        let Some(task) = self.tasks.get(key) else {
            return;
        };
        debug_assert_eq!(task.stage, TaskStage::Done);
        if let (Some(run), Some(pace)) = (run, task.pace_in(self.defs.generation)) {
            self.defs.programs[pace].add(run);
        }
        if let Some(place) = task.place {
            self.vacate(cx, key, place, high_water);
        }
        self.tasks.forget(key);
        if self.waits_for_place() > 0 {
            self.place_waiting(cx);
        }
    }

    /// A worker's process ended; `how` describes its exit.
    pub fn dead<L: WorkerLinks>(
        &mut self,
        cx: &mut CoreContext<'_, L>,
        worker: usize,
        clean: bool,
        how: &str,
    ) {
        let Some(w) = self.workers.get_mut(worker) else {
            return;
        };
        if !w.is_live() {
            return;
        }
        let asked_to_go = w.life == WorkerLife::Retiring;
        let kill_reason = w.kill_reason;
        let mut started = w.ended_tasks > 0;
        w.life = WorkerLife::Dead;
        self.busy.retain(|&b| b != worker);
        self.idle.retain(|&b| b != worker);
        let mut left: Vec<(TaskKey, SlotState)> = Vec::new();
        for slot in self.workers[worker].submitted_slots() {
            let Some(key) = self.workers[worker].slots[slot] else {
                continue;
            };
            let Some(task) = self.tasks.get(key) else {
                continue;
            };
            let state = cx.links.state(WorkerSlot { worker, slot }, task.sequence);
            started |= state != SlotState::Queued;
            left.push((key, state));
        }
        let mut lost = false;
        for (key, state) in left {
            match state {
                SlotState::Done => self.note_completion(cx, key),
                SlotState::Queued => self.lose_queued(cx, key, started),
                SlotState::Running | SlotState::Violation(_) => {
                    lost = true;
                    let abend = verdict(kill_reason, how);
                    self.fail(cx, key, abend);
                }
            }
        }
        if lost || kill_reason.is_some() {
            self.stats.workers_lost += 1;
        }
        if !started && !clean && !asked_to_go {
            self.start_failures += 1;
            self.last_start_failure = cx.now;
        }
        let w = &mut self.workers[worker];
        // Moving its last task away has already freed the number.
        if w.life == WorkerLife::Dead && w.is_empty() {
            w.life = WorkerLife::Vacant;
            cx.links.forget(worker);
        }
        if self.start_failures < MAX_START_FAILURES {
            self.ensure_minimum(cx);
        }
        self.place_waiting(cx);
        if !self.workers.iter().any(|w| w.is_live()) {
            self.give_up_waiting(cx);
        }
    }

    /// The worker reported that it takes no more tasks, or violated the protocol.
    pub fn retire<L: WorkerLinks>(&mut self, cx: &mut CoreContext<'_, L>, worker: usize) {
        let Some(w) = self.workers.get_mut(worker) else {
            return;
        };
        if w.life == WorkerLife::Ready {
            w.life = WorkerLife::Retiring;
            // It ends by itself: runs of open tasks go elsewhere.
            (w.pins, w.incarnation) = (0, 0);
            self.file(cx, worker);
            self.take_queue(cx, worker, true);
            self.ensure_minimum(cx);
        }
    }

    /// The worker wrote malformed data: it is killed.
    pub fn protocol_violation<L: WorkerLinks>(
        &mut self,
        cx: &mut CoreContext<'_, L>,
        worker: usize,
    ) {
        self.stats.violations += 1;
        self.kill_worker(cx, worker, KillReason::Violation);
    }

    /// The running task of a worker waits for the region, or continues.
    pub fn waits<L: WorkerLinks>(
        &mut self,
        cx: &mut CoreContext<'_, L>,
        worker: usize,
        waiting: bool,
    ) {
        let Some(w) = self.workers.get_mut(worker) else {
            return;
        };
        if !w.is_live() || w.waiting == waiting {
            return;
        }
        w.waiting = waiting;
        self.file(cx, worker);
        if waiting && self.workers[worker].load > 1 {
            self.take_queue(cx, worker, false);
        }
    }

    /// Kills a worker; its queued tasks are moved first, so that only the running one fails.
    pub(super) fn kill_worker<L: WorkerLinks>(
        &mut self,
        cx: &mut CoreContext<'_, L>,
        worker: usize,
        kill_reason: KillReason,
    ) {
        let w = &mut self.workers[worker];
        if !w.is_live() || w.kill_reason.is_some() {
            return;
        }
        w.life = WorkerLife::Retiring;
        w.kill_reason = Some(kill_reason);
        self.file(cx, worker);
        self.take_queue(cx, worker, true);
        cx.out.push(CoreAction::Kill(worker));
    }

    /// Ends a submitted or waiting task without results.
    pub(super) fn fail<L: WorkerLinks>(
        &mut self,
        cx: &mut CoreContext<'_, L>,
        key: TaskKey,
        abend: Abend,
    ) {
        let Some(task) = self.tasks.get_mut(key) else {
            return;
        };
        let waited = (task.stage == TaskStage::WaitPlace).then_some(task.queue);
        if let (Some(of), None) = (task.run_of, waited) {
            self.doom(cx, of, abend.code);
        }
        let Some(task) = self.tasks.get_mut(key) else {
            return;
        };
        task.abend = Some(abend);
        task.completion_ns = cx.now;
        if let Some(queue) = waited {
            self.place_waits[queue].forget();
        } else {
            let place = task.place;
            self.unload(cx, key);
            if let Some(place) = place {
                self.workers[place.worker].submitted &= !(1 << place.slot);
            }
        }
        self.end_unit(cx, key, false);
    }

    fn note_completion<L: WorkerLinks>(&mut self, cx: &mut CoreContext<'_, L>, key: TaskKey) {
        let Some(task) = self.tasks.get_mut(key) else {
            return;
        };
        let Some(place) = task.place else {
            return;
        };
        task.completion_ns = cx.now;
        let sequence = task.sequence;
        let w = &mut self.workers[place.worker];
        w.submitted &= !(1 << place.slot);
        w.ended_tasks += 1;
        self.start_failures = 0;
        let ran_long = w
            .seen
            .is_some_and(|s| s.slot == place.slot && s.sequence == sequence);
        if ran_long {
            w.seen = None;
            w.stuck = false;
        }
        w.waiting = false;
        self.unload(cx, key);
        self.end_unit(cx, key, true);
    }

    pub(super) fn end_unit<L: WorkerLinks>(
        &mut self,
        cx: &mut CoreContext<'_, L>,
        key: TaskKey,
        has_results: bool,
    ) {
        let Some(task) = self.tasks.get_mut(key) else {
            return;
        };
        if task.in_kernel {
            task.stage = TaskStage::Ending;
            cx.out.push(CoreAction::EndUnit(key, has_results));
        } else {
            self.finish(cx, key);
        }
    }

    fn finish<L: WorkerLinks>(&mut self, cx: &mut CoreContext<'_, L>, key: TaskKey) {
        let Some(task) = self.tasks.get_mut(key) else {
            return;
        };
        task.stage = TaskStage::Done;
        task.ended = cx.now;
        let (class, counts) = (task.class, task.counts());
        let is_start = task.start.is_some();
        cx.out.push(if task.abandoned {
            CoreAction::Collect(key)
        } else {
            CoreAction::Wake(key)
        });
        if counts {
            self.leave(cx, class, is_start);
        }
    }

    /// Gives a queued task to another worker. The number of attempts is limited, for workers
    /// that end before they take any task.
    fn lose_queued<L: WorkerLinks>(
        &mut self,
        cx: &mut CoreContext<'_, L>,
        key: TaskKey,
        started: bool,
    ) {
        let Some(task) = self.tasks.get_mut(key) else {
            return;
        };
        task.losses += u32::from(!started);
        task.moves += 1;
        let (losses, place) = (task.losses, task.place);
        if losses >= MAX_LOSSES {
            let text = "its workers ended before they could start it".to_owned();
            self.fail(cx, key, Core::abend(b"APCT", text));
            return;
        }
        if let Some(place) = place {
            self.workers[place.worker].submitted &= !(1 << place.slot);
        }
        self.stats.moves += 1;
        self.relocate(cx, key);
    }

    /// Ends the tasks that wait for a place if no worker can be started.
    fn give_up_waiting<L: WorkerLinks>(&mut self, cx: &mut CoreContext<'_, L>) {
        for key in self.tasks.keys() {
            let Some(task) = self.tasks.get(key) else {
                continue;
            };
            if task.stage != TaskStage::WaitPlace {
                continue;
            }
            if task.has_request {
                let text = "no worker process can be started".to_owned();
                self.fail(cx, key, Core::abend(b"APCT", text));
            } else {
                self.refuse_waiting(cx, key, StartRefusal::NoWorker);
            }
        }
    }
}

fn verdict(kill_reason: Option<KillReason>, how: &str) -> Abend {
    match kill_reason {
        Some(KillReason::Runaway) => Core::abend(
            b"AICA",
            "the task used its runaway limit of CPU time without a command".to_owned(),
        ),
        Some(KillReason::Purge(why)) => Core::abend(
            b"AEXY",
            format!("{why}, and it was running, so its worker process was ended"),
        ),
        Some(KillReason::Violation) => Core::abend(
            b"ASRA",
            "the worker process damaged its shared memory and was ended".to_owned(),
        ),
        None => Core::abend(b"ASRA", format!("the worker process ended: {how}")),
    }
}
