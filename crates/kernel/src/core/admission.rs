//! Admission: from a request to a place in a worker.
//!
//! A request passes its class, then MXT, then gets a place. Requests wait in bounded
//! queues; a request that finds its queue full is rejected.

use link::Request;
use link::layout::REQUEST_BRIEF;

use super::queue::TaskTurn;
use super::task::{TaskKey, TaskSpec, TaskStage, TaskState};
use super::{
    CHILD_PLACES, CHILDREN, Core, CoreAction, CoreContext, REQUESTS, RunTimes, SMALL_BYTES, STARTS,
    WorkerLinks,
};
use crate::types::{ClassDef, StartRefusal};

impl Core {
    /// A request arrives. The task is building when a place was free, else it
    /// waits and a [`CoreAction::Wake`] follows.
    pub fn begin<L: WorkerLinks>(
        &mut self,
        cx: &mut CoreContext<'_, L>,
        spec: &TaskSpec,
    ) -> Result<TaskKey, StartRefusal> {
        let spare = self.tasks.spare();
        let task = self.describe(cx.now, spec, spare).inspect_err(|_| {
            self.stats.refused_other += 1;
        })?;
        let class = task.class;
        if let Some(class) = class
            && self.class_is_full(class)
        {
            let limit = self.defs.classes[class].purge_threshold;
            let full = limit.is_some_and(|l| self.class_waits[class].len() >= l);
            if full {
                self.stats.refused_class += 1;
                return Err(StartRefusal::ClassFull(self.defs.classes[class].name));
            }
            self.check_queue(spec)?;
            return Ok(self.wait(task, TaskStage::WaitClass));
        }
        if !self.may_begin(task.mxt_queue()) {
            self.check_queue(spec)?;
            self.count_class(class);
            return Ok(self.wait(task, TaskStage::WaitMxt));
        }
        self.count_class(class);
        let key = self.tasks.insert(task);
        self.activate(cx, key);
        if self
            .tasks
            .get(key)
            .is_some_and(|t| t.stage == TaskStage::WaitPlace)
            && !self.workers.iter().any(|w| w.is_live())
        {
            self.refuse_waiting(cx, key, StartRefusal::NoWorker);
            cx.out.retain(|a| *a != CoreAction::Wake(key));
            self.tasks.forget(key);
            return Err(StartRefusal::NoWorker);
        }
        Ok(key)
    }

    /// The request's input is complete: queues it in its worker, or in another one if that
    /// worker is gone. The core fills in the task's own fields.
    pub fn submit<L: WorkerLinks>(
        &mut self,
        cx: &mut CoreContext<'_, L>,
        key: TaskKey,
        described: &Request,
    ) {
        let brief = self.pace_of(key).is_some_and(RunTimes::is_brief);
        let Some(task) = self.tasks.get_mut(key) else {
            return;
        };
        let (TaskStage::Building, Some(place)) = (&task.stage, task.place) else {
            return;
        };
        let trace_id = task.request.trace_id;
        let request = &mut task.request;
        *request = *described;
        if brief {
            request.flags |= REQUEST_BRIEF;
        }
        request.task = task.number;
        request.trace_id = trace_id;
        request.queued_ns = cx.now;
        if request.transid.is_blank() {
            request.transid = task.transid;
        }
        request.program = task.program;
        request.userid = task.userid;
        request.priority = task.priority;
        request.port = task.port as u16;
        task.has_request = true;
        task.submitted = cx.now;
        let worker = &mut self.workers[place.worker];
        if worker.is_live() {
            task.sequence = worker.next_sequence;
            task.stage = TaskStage::Submitted;
            worker.next_sequence = worker.next_sequence.wrapping_add(1);
            worker.submitted |= 1 << place.slot;
            cx.links.submit(place, task.sequence, &task.request);
        } else {
            self.relocate(cx, key);
        }
    }

    /// The client went away before the input was complete.
    pub fn cancel<L: WorkerLinks>(&mut self, cx: &mut CoreContext<'_, L>, key: TaskKey) {
        let Some(task) = self.tasks.get(key) else {
            return;
        };
        match task.stage {
            TaskStage::Refused(_) => {
                self.tasks.forget(key);
            }
            TaskStage::WaitClass | TaskStage::WaitMxt | TaskStage::WaitPlace
                if task.is_waiting() =>
            {
                let class = task.class;
                self.refuse_waiting(cx, key, StartRefusal::TimedOut);
                cx.out.retain(|a| *a != CoreAction::Wake(key));
                self.tasks.forget(key);
                if let Some(class) = class {
                    self.admit_from_class(cx, class);
                }
            }
            TaskStage::Building => {
                let (class, counts) = (task.class, task.counts());
                let is_start = task.start.is_some();
                if let Some(place) = task.place {
                    self.unload(cx, key);
                    self.vacate(cx, key, place, 0);
                }
                self.tasks.forget(key);
                if counts {
                    self.leave(cx, class, is_start);
                }
            }
            _ => {}
        }
        self.admit_next(cx);
    }

    /// Ends a waiting task with a refusal, and wakes its future to return it.
    pub(super) fn refuse_waiting<L: WorkerLinks>(
        &mut self,
        cx: &mut CoreContext<'_, L>,
        key: TaskKey,
        refusal: StartRefusal,
    ) {
        let Some(task) = self.tasks.get_mut(key) else {
            return;
        };
        let class = task.class;
        let (is_start, queue) = (task.start.is_some(), task.mxt_queue());
        match std::mem::replace(&mut task.stage, TaskStage::Refused(refusal)) {
            TaskStage::WaitClass => {
                self.waits_no_more(is_start);
                if let Some(class) = class {
                    self.class_waits[class].forget();
                }
            }
            TaskStage::WaitMxt => {
                self.waits_no_more(is_start);
                self.mxt_waits[queue].forget();
                self.uncount_class(class);
            }
            TaskStage::WaitPlace => {
                let counts = task.counts();
                self.place_waits[task.queue].forget();
                if counts {
                    self.active -= 1;
                    self.started -= usize::from(is_start);
                    self.uncount_class(class);
                }
            }
            other => task.stage = other,
        }
        if let Some(task) = self.tasks.get_mut(key) {
            task.ended = cx.now;
        }
        match refusal {
            StartRefusal::ClassFull(_) => self.stats.refused_class += 1,
            _ => self.stats.refused_other += 1,
        }
        cx.out.push(CoreAction::Wake(key));
    }

    /// Rejects requests that wait for a class beyond its PURGETHRESH, the last ones first.
    pub(super) fn shorten_queue<L: WorkerLinks>(
        &mut self,
        cx: &mut CoreContext<'_, L>,
        class: usize,
    ) {
        let ClassDef {
            name,
            purge_threshold,
            ..
        } = self.defs.classes[class];
        let most = purge_threshold.unwrap_or(usize::MAX);
        while self.class_waits[class].len() > most {
            let tasks = &self.tasks;
            let waits = |k| {
                tasks
                    .get(k)
                    .is_some_and(|t| t.stage == TaskStage::WaitClass)
            };
            let Some(key) = self.class_waits[class].last(waits) else {
                return;
            };
            self.refuse_waiting(cx, key, StartRefusal::ClassFull(name));
        }
    }

    /// An active task is over: other tasks may use its part of the limits.
    pub(super) fn leave<L: WorkerLinks>(
        &mut self,
        cx: &mut CoreContext<'_, L>,
        class: Option<usize>,
        is_start: bool,
    ) {
        self.active -= 1;
        self.started -= usize::from(is_start);
        self.uncount_class(class);
        if let Some(class) = class {
            self.admit_from_class(cx, class);
        }
        self.admit_next(cx);
    }

    /// Admits waiting tasks of a class while it has room.
    pub(super) fn admit_from_class<L: WorkerLinks>(
        &mut self,
        cx: &mut CoreContext<'_, L>,
        class: usize,
    ) {
        while self.class_active[class] < self.defs.classes[class].max_active {
            let tasks = &self.tasks;
            let waits = |k| {
                tasks
                    .get(k)
                    .is_some_and(|t| t.stage == TaskStage::WaitClass)
            };
            let Some(key) = self.class_waits[class].pop(waits) else {
                return;
            };
            self.class_active[class] += 1;
            self.order += 1;
            if let Some(task) = self.tasks.get_mut(key) {
                task.stage = TaskStage::WaitMxt;
                let turn = TaskTurn {
                    priority: task.priority,
                    since: task.begun,
                    order: self.order,
                };
                let queue = &mut self.mxt_waits[task.mxt_queue()];
                queue.push(turn, self.limits.priority_aging_ns, key);
            }
        }
        self.admit_next(cx);
    }

    /// Admits waiting tasks while MXT has room, and children while some of their parents
    /// wait.
    pub(super) fn admit_next<L: WorkerLinks>(&mut self, cx: &mut CoreContext<'_, L>) {
        while let Some(queue) = self.next_queue() {
            let tasks = &self.tasks;
            let waits = |k| tasks.get(k).is_some_and(|t| t.stage == TaskStage::WaitMxt);
            let Some(key) = self.mxt_waits[queue].pop(waits) else {
                return;
            };
            self.waits_no_more(self.tasks.get(key).is_some_and(|t| t.start.is_some()));
            self.activate(cx, key);
            cx.out.push(CoreAction::Wake(key));
        }
    }

    /// The queue for MXT whose first task may begin now.
    fn next_queue(&mut self) -> Option<usize> {
        let may_take = [REQUESTS, CHILDREN, STARTS].map(|queue| self.may_take(queue));
        let tasks = &self.tasks;
        let waits = |k| tasks.get(k).is_some_and(|t| t.stage == TaskStage::WaitMxt);
        let queues = self.mxt_waits.iter_mut().enumerate();
        let allowed = queues.filter(|(queue, _)| may_take[*queue]);
        let firsts = allowed.filter_map(|(queue, waiting)| Some((waiting.first(waits)?, queue)));
        // The greatest rank goes first; of two that are equal, the request.
        let first = firsts.max_by(|(a, x), (b, y)| a.cmp(b).then(y.cmp(x)));
        first.map(|(_, queue)| queue)
    }

    /// The state of a requested task, in the memory of an ended task if there is one.
    fn describe(
        &self,
        now: u64,
        spec: &TaskSpec,
        spare: Option<Box<TaskState>>,
    ) -> Result<Box<TaskState>, StartRefusal> {
        if self.closed {
            return Err(StartRefusal::ShuttingDown);
        }
        let number = self
            .defs
            .transaction(spec.transid)
            .ok_or(StartRefusal::UnknownTransaction(spec.transid))?;
        let transaction = &self.defs.transactions[number];
        let def = &transaction.def;
        if !def.enabled {
            return Err(StartRefusal::Disabled(spec.transid));
        }
        let program = if spec.program.is_blank() {
            def.program
        } else {
            spec.program
        };
        let timeout_ns = match spec.timeout_ns {
            0 => u64::from(def.timeout_ms) * 1_000_000,
            ns => ns,
        };
        let task = TaskState {
            transid: spec.transid,
            program,
            userid: spec.userid,
            pace: self.defs.program(program),
            generation: self.defs.generation,
            class: transaction.class,
            priority: def.priority.saturating_add(spec.priority),
            runaway_ns: def
                .runaway_ms
                .map_or(self.limits.runaway_ns, |ms| u64::from(ms) * 1_000_000),
            purgeable: def.purgeable,
            // DTIMOUT has no effect without SPURGE(YES): the region's limit applies.
            lock_timeout_ns: (def.lock_timeout_ms.filter(|_| def.purgeable))
                .map(|ms| u64::from(ms) * 1_000_000),
            in_doubt: def.in_doubt,
            small: spec.expected_bytes <= SMALL_BYTES,
            port: spec.port,
            request: Request {
                trace_id: spec.trace_id,
                ..Request::default()
            },
            deadline: (timeout_ns > 0).then(|| now.saturating_add(timeout_ns)),
            // No client waits for a task that the region starts.
            abandoned: spec.start.is_some(),
            in_kernel: spec.start.is_some(),
            start: spec.start,
            is_child: spec.is_child,
            open: spec.open.then(Box::default),
            ..TaskState::blank(now)
        };
        Ok(task.boxed(spare))
    }

    /// Limits requests from outside. The kernel has an equal limit for tasks that the region
    /// starts, since it can fail the command; so neither kind excludes the other.
    fn check_queue(&mut self, spec: &TaskSpec) -> Result<(), StartRefusal> {
        let waiting = self.waiting - self.waiting_starts;
        if spec.start.is_none() && waiting >= self.limits.queue_limit {
            self.stats.refused_mxt += 1;
            return Err(StartRefusal::TooManyTasks);
        }
        Ok(())
    }

    fn wait(&mut self, mut task: Box<TaskState>, stage: TaskStage) -> TaskKey {
        let class = task.class;
        let for_class = stage == TaskStage::WaitClass;
        task.stage = stage;
        // An operator can list and purge a waiting task by its number.
        task.number = self.number();
        self.waiting += 1;
        self.waiting_starts += usize::from(task.start.is_some());
        let queue = task.mxt_queue();
        self.order += 1;
        let turn = TaskTurn {
            priority: task.priority,
            since: task.begun,
            order: self.order,
        };
        let key = self.tasks.insert(task);
        let queue = match class {
            Some(class) if for_class => &mut self.class_waits[class],
            _ => &mut self.mxt_waits[queue],
        };
        queue.push(turn, self.limits.priority_aging_ns, key);
        key
    }

    fn number(&mut self) -> u64 {
        let number = self.next_number;
        self.next_number += 1;
        number
    }

    fn activate<L: WorkerLinks>(&mut self, cx: &mut CoreContext<'_, L>, key: TaskKey) {
        self.active += 1;
        let is_start = self.tasks.get(key).is_some_and(|t| t.start.is_some());
        self.started += usize::from(is_start);
        self.stats.peak_active = self.stats.peak_active.max(self.active as u64);
        let waited = self.tasks.get(key).is_some_and(|task| task.number != 0);
        let number = (!waited).then(|| self.number());
        if let Some(task) = self.tasks.get_mut(key) {
            task.number = number.unwrap_or(task.number);
            if task.open.is_some() {
                task.stage = TaskStage::Open;
                task.placed = cx.now;
                task.submitted = cx.now;
                return;
            }
            task.stage = TaskStage::WaitPlace;
        }
        if self.is_first(key) && self.place(cx, key, false) {
            return;
        }
        self.queue_for_place(key);
    }

    /// A request no longer waits for its class or for MXT.
    fn waits_no_more(&mut self, is_start: bool) {
        self.waiting -= 1;
        self.waiting_starts -= usize::from(is_start);
    }

    /// Whether a task of a queue for MXT may begin before all that wait.
    fn may_begin(&self, queue: usize) -> bool {
        let none_waits = |q: usize| !self.may_take(q) || self.mxt_waits[q].is_empty();
        self.may_take(queue) && [REQUESTS, CHILDREN, STARTS].into_iter().all(none_waits)
    }

    /// Whether a task of a queue may be active now. Starts and children leave places to
    /// requests ([`Core::most_started`]). As many children as parents wait, and no more than
    /// [`CHILD_PLACES`], may be active above both limits.
    pub(super) fn may_take(&self, queue: usize) -> bool {
        let (mxt, most) = (self.limits.mxt, self.most_started());
        let lent = self.lent.min(CHILD_PLACES);
        match queue {
            CHILDREN => self.active < mxt + lent && self.started < most + lent,
            STARTS => self.active < mxt && self.started < most,
            // Children above their limit have no place that requests need.
            _ => self.active - self.started.saturating_sub(most) < mxt,
        }
    }

    /// Most starts and children that may be active: a tenth of MXT is kept for requests
    /// from outside, which programs that start others without end do not reach. Fewer than
    /// four places are not divided.
    pub(super) fn most_started(&self) -> usize {
        let mxt = self.limits.mxt;
        if mxt < 4 { mxt } else { mxt - mxt.div_ceil(10) }
    }

    fn class_is_full(&self, class: usize) -> bool {
        self.class_active[class] >= self.defs.classes[class].max_active
            || !self.class_waits[class].is_empty()
    }

    pub(super) fn count_class(&mut self, class: Option<usize>) {
        if let Some(class) = class {
            self.class_active[class] += 1;
        }
    }

    pub(super) fn uncount_class(&mut self, class: Option<usize>) {
        if let Some(class) = class {
            self.class_active[class] -= 1;
        }
    }
}
