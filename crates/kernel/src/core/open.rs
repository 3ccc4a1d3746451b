//! Open tasks: those that run on a gateway thread, not in a worker.
//!
//! An open task is admitted, counted and purged like any other task, has a unit of work and
//! may wait for the region. A COBOL program that it runs gets a place in a worker as a
//! *run*: a separate task in this module with the number of the open task, whose unit of
//! work the calls of the run belong to. A task has one run at a time.
//!
//! Reference: CICS system definition, open TCBs (L8, X8); LINK.
//! Invariant: a run is never counted for MXT or a class; its task is.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Waker;

use link::{CallAnswer, ProgramName};

use super::task::{TaskKey, TaskStage, TaskState};
use super::{Core, CoreAction, CoreContext, SMALL_BYTES, WorkerLinks};
use crate::types::StartRefusal;

/// The core's state of a task that runs on a gateway thread.
#[derive(Debug, Default)]
pub struct OpenSide {
    /// The run that it waits for.
    run: Option<TaskKey>,
    /// The task waits for the answer to a call of its own.
    awaits_answer: bool,
    answer: Option<CallAnswer>,
    /// The task must end; its thread checks this flag while it computes.
    purged: Arc<AtomicBool>,
    /// Another region decides its units of work.
    pub is_branch: bool,
    /// The worker that its runs use, and the incarnation of that worker.
    pinned: Option<(usize, u64)>,
    /// A worker ended during its unit of work, which can only be backed out: the abend of
    /// that run.
    doomed: Option<[u8; 4]>,
}

impl OpenSide {
    /// The flag that is set when the task must end.
    pub fn purged(&self) -> Arc<AtomicBool> {
        self.purged.clone()
    }

    /// The abend after which nothing more is done for the task.
    pub fn doomed(&self) -> Option<[u8; 4]> {
        self.doomed
    }

    /// The task makes a call and waits for the answer.
    pub fn ask(&mut self) {
        self.awaits_answer = true;
        self.answer = None;
    }

    /// The answer, if it has arrived.
    pub fn take_answer(&mut self) -> Option<CallAnswer> {
        self.answer.take()
    }
}

impl Core {
    /// The run that an open task waits for, else the task itself.
    pub(super) fn run_or_task(&self, key: TaskKey) -> TaskKey {
        let open = self.tasks.get(key).and_then(|t| t.open.as_deref());
        let run = open.and_then(|o| o.run);
        run.filter(|r| self.tasks.get(*r).is_some()).unwrap_or(key)
    }

    /// The task whose unit of work a task's calls belong to: itself, or the open task that it
    /// is a run of.
    pub fn unit_owner(&self, key: TaskKey) -> TaskKey {
        let of = self.tasks.get(key).and_then(|t| t.run_of);
        of.unwrap_or(key)
    }

    /// The worker that the runs of a task's open task use, while it lives.
    pub(super) fn pinned_worker(&self, run: TaskKey) -> Option<usize> {
        let of = self.tasks.get(run)?.run_of?;
        let (worker, incarnation) = self.tasks.get(of)?.open.as_ref()?.pinned?;
        let w = self.workers.get(worker)?;
        let there = w.is_live() && w.kill_reason.is_none() && w.incarnation == incarnation;
        there.then_some(worker)
    }

    /// Makes all runs of an open task use the worker of this run, until [`Core::unpin`] or the
    /// task's end. Every other task stays in its worker anyway. Returns false if the task has
    /// no worker.
    pub fn pin<L: WorkerLinks>(&mut self, cx: &mut CoreContext<'_, L>, key: TaskKey) -> bool {
        let Some(task) = self.tasks.get(key) else {
            return false;
        };
        let (Some(place), of) = (task.place, task.run_of) else {
            return false;
        };
        let Some(of) = of else {
            return true;
        };
        self.unpin(cx, of);
        let w = &mut self.workers[place.worker];
        let pinned = (place.worker, w.incarnation);
        let Some(open) = self.tasks.get_mut(of).and_then(|t| t.open.as_mut()) else {
            return false;
        };
        w.pins += 1;
        open.pinned = Some(pinned);
        true
    }

    /// The runs of an open task go to any worker again. `key` is the task's or
    /// that of one of its runs.
    pub fn unpin<L: WorkerLinks>(&mut self, cx: &mut CoreContext<'_, L>, key: TaskKey) {
        let of = self.unit_owner(key);
        let open = self.tasks.get_mut(of).and_then(|t| t.open.as_mut());
        let Some((worker, incarnation)) = open.and_then(|open| open.pinned.take()) else {
            return;
        };
        let w = &mut self.workers[worker];
        if w.is_live() && w.incarnation == incarnation {
            w.pins -= 1;
            if w.pins == 0 && w.load == 0 {
                w.idle_since = cx.now;
            }
            self.file(cx, worker);
        }
    }

    /// Begins a run of a program for an open task: the run gets a place as a task does. Returns
    /// `None` if the task cannot have one now; a program that cannot be run is rejected.
    pub fn begin_run<L: WorkerLinks>(
        &mut self,
        cx: &mut CoreContext<'_, L>,
        of: TaskKey,
        program: ProgramName,
        expected_bytes: usize,
    ) -> Option<Result<TaskKey, StartRefusal>> {
        let task = self.tasks.get(of)?;
        let open = task.open.as_ref()?;
        let busy = open.run.is_some_and(|r| self.tasks.get(r).is_some());
        if task.stage != TaskStage::Open || task.purging.is_some() || open.doomed.is_some() || busy
        {
            return None;
        }
        if let Err(refusal) = self.defs.can_run(program) {
            return Some(Err(refusal));
        }
        let run = TaskState {
            number: task.number,
            transid: task.transid,
            program,
            userid: task.userid,
            pace: self.defs.program(program),
            generation: self.defs.generation,
            priority: task.priority,
            runaway_ns: task.runaway_ns,
            purgeable: task.purgeable,
            lock_timeout_ns: task.lock_timeout_ns,
            in_doubt: task.in_doubt,
            small: expected_bytes <= SMALL_BYTES,
            port: task.port,
            request: task.request,
            run_of: Some(of),
            ..TaskState::blank(cx.now)
        };
        let spare = self.tasks.spare();
        let run = self.tasks.insert(run.boxed(spare));
        if let Some(open) = self.tasks.get_mut(of).and_then(|t| t.open.as_mut()) {
            open.run = Some(run);
        }
        if !self.is_first(run) || !self.place(cx, run, false) {
            self.queue_for_place(run);
        }
        Some(Ok(run))
    }

    /// Answers the call of an open task. Returns the waker; false if no call is open.
    pub fn answer_open(
        &mut self,
        key: TaskKey,
        answer: &CallAnswer,
    ) -> (bool, Option<(usize, Waker)>) {
        let Some(task) = self.tasks.get_mut(key) else {
            return (false, None);
        };
        let Some(open) = task.open.as_mut().filter(|o| o.awaits_answer) else {
            return (false, None);
        };
        open.awaits_answer = false;
        open.answer = Some(answer.clone());
        let port = task.port;
        (true, task.waker.take().map(|waker| (port, waker)))
    }

    /// An open task has reached its end: its unit of work is committed, or backed out if the
    /// task has an abend.
    pub fn end_open<L: WorkerLinks>(
        &mut self,
        cx: &mut CoreContext<'_, L>,
        key: TaskKey,
        abend: Option<crate::types::Abend>,
    ) {
        let Some(task) = self
            .tasks
            .get_mut(key)
            .filter(|t| t.stage == TaskStage::Open)
        else {
            return;
        };
        task.completion_ns = cx.now;
        let has_results = abend.is_none();
        task.abend = abend;
        self.unpin(cx, key);
        self.end_unit(cx, key, has_results);
    }

    /// A task is over and accounted for.
    pub fn count_end(&mut self, ok: bool, work: crate::types::TaskTotals) {
        self.stats.work += work;
        if ok {
            self.stats.tasks_ok += 1
        } else {
            self.stats.tasks_abended += 1
        }
    }

    /// Forgets an open task that is over.
    pub fn release_open(&mut self, key: TaskKey) -> Option<Box<TaskState>> {
        self.tasks.get(key).filter(|t| t.stage == TaskStage::Done)?;
        self.tasks.remove(key)
    }

    /// A worker ended while it ran a program for an open task.
    pub(super) fn doom<L: WorkerLinks>(
        &mut self,
        cx: &mut CoreContext<'_, L>,
        of: TaskKey,
        code: [u8; 4],
    ) {
        let task = self.tasks.get_mut(of);
        if let Some(open) = task.and_then(|t| t.open.as_mut()) {
            open.doomed = Some(code);
            // The answer to its worker's call is not needed any more.
            cx.out.push(CoreAction::Purge(of));
        }
    }

    /// An open task must end: its wait ends, and its thread is notified.
    pub(super) fn purge_open<L: WorkerLinks>(
        &mut self,
        cx: &mut CoreContext<'_, L>,
        key: TaskKey,
        why: &'static str,
    ) {
        let run = self.run_or_task(key);
        let Some(task) = self.tasks.get_mut(key) else {
            return;
        };
        task.purging = Some(why);
        if let Some(open) = &task.open {
            open.purged.store(true, Ordering::SeqCst);
        }
        self.stats.purged += 1;
        let waits_in_worker = self.tasks.get(run).is_some_and(|t| {
            let waits = |w: usize| self.workers[w].waiting;
            t.stage == TaskStage::Submitted && t.place.is_some_and(|p| waits(p.worker))
        });
        if run == key || waits_in_worker {
            cx.out.push(CoreAction::Purge(key))
        } else {
            self.purge_task(cx, run, why)
        }
        cx.out.push(CoreAction::Wake(key));
    }
}
