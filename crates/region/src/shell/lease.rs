//! A task's hold on its slot, from its place to the end of its reply.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::task::{Context, Poll};

use cics::command::commands::ret;
use link::layout::{RESULT_CPU_ESTIMATED, RESULT_RETIRE, RESULT_RETURN, RESULT_RETURN_COMMAREA};
use link::trace::KernelPoint;
use link::{CommandOperands, ContainerEntry, Name, ProtocolViolation, Request, SlotResults};

use super::links::{LinkTable, WorkerLink};
use super::reply::{TaskOutcome, TaskReply};
use super::{RegionState, SharedRegion};
use crate::api::{Abend, Conversation, MonitoringRecord, TaskTotals};
use kernel::core::{Core, RunTimes, TaskKey, TaskStage, TaskState, WorkerSlot};

/// Owns a slot. Dropping it gives up, abandons or releases the task, depending on
/// the task's state.
pub struct SlotLease {
    shared: Arc<SharedRegion>,
    link: Arc<WorkerLink>,
    key: TaskKey,
    place: WorkerSlot,
    number: u64,
    stage: LeaseStage,
    high_water: u64,
    /// A run for an open task, which is accounted for as a whole.
    for_open: bool,
    /// The directory being written, then the one read.
    pub entries: Vec<ContainerEntry>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum LeaseStage {
    Building,
    Submitted,
    Done,
    Released,
}

/// The remains of a finished task in the core.
pub(crate) struct FinishedTask {
    pub(super) abend: Option<Abend>,
    pub(super) record: Box<MonitoringRecord>,
    submitted: u64,
    /// The time in which a worker had the task.
    within_ns: u64,
}

impl SlotLease {
    /// The task's number.
    pub fn task(&self) -> u64 {
        self.number
    }

    /// Whether the task runs step by step; `terminal` is that of a task that has
    /// one.
    pub(super) fn is_stepped(&self, terminal: Option<Name<4>>) -> bool {
        let stepping = &self.shared.stepping;
        if !stepping.is_used() {
            return false;
        }
        match terminal {
            Some(terminal) => stepping.has_terminal(terminal),
            None => {
                let state = self.shared.lock();
                let task = state.core.task(self.key);
                task.is_some_and(|task| stepping.has_transaction(task.transid))
            }
        }
    }

    /// Start of the slot's arena.
    pub fn arena(&self) -> *mut u8 {
        self.link.side.arena(self.place.slot)
    }

    /// Bytes of the slot's arena.
    pub fn arena_bytes(&self) -> usize {
        self.link.side.arena_bytes()
    }

    /// Bytes of the arena; panics when they are outside.
    pub fn bytes(&self, offset: usize, bytes: usize) -> &[u8] {
        assert!(offset + bytes <= self.arena_bytes());
        // SAFETY: inside the arena, which stays mapped while the lease lives.
        unsafe { std::slice::from_raw_parts(self.arena().add(offset), bytes) }
    }

    /// Bytes of the arena, to be written while the task is being built; panics
    /// when they are outside.
    pub fn bytes_mut(&mut self, offset: usize, bytes: usize) -> &mut [u8] {
        assert!(self.stage == LeaseStage::Building);
        assert!(offset + bytes <= self.arena_bytes());
        // SAFETY: inside the arena, and the slot is the lease's alone.
        unsafe { std::slice::from_raw_parts_mut(self.arena().add(offset), bytes) }
    }

    /// Gives the task its principal facility.
    pub fn attach(&mut self, conversation: Box<dyn Conversation>) -> Option<Name<4>> {
        self.shared.attach_conversation(self.key, conversation)
    }

    /// The lease of a task that has its place.
    pub(super) fn of_building(
        shared: &Arc<SharedRegion>,
        core: &mut Core,
        links: &LinkTable,
        key: TaskKey,
    ) -> Option<SlotLease> {
        let task = core.task_mut(key)?;
        let place = task.place?;
        Some(SlotLease {
            shared: shared.clone(),
            link: links.get(place.worker)?.clone(),
            key,
            place,
            number: task.number,
            stage: LeaseStage::Building,
            high_water: 0,
            for_open: task.run_of.is_some(),
            entries: std::mem::take(&mut task.entries),
        })
    }

    /// Collects a finished task whose future was dropped.
    pub(super) fn collect(shared: &Arc<SharedRegion>, key: TaskKey) {
        let mut guard = shared.lock();
        let state = &mut *guard;
        if state.core.task(key).is_some_and(|t| t.open.is_some()) {
            drop(guard);
            shared.collect_open(key);
            return;
        }
        let Some(mut lease) = SlotLease::of_building(shared, &mut state.core, &state.links, key)
        else {
            return;
        };
        lease.stage = LeaseStage::Done;
        let Some(finished) = state.core.task_mut(key).map(FinishedTask::of) else {
            return;
        };
        let start = state.core.task(key).and_then(|t| t.start);
        drop(guard);
        let reply = lease.into_reply(finished);
        if let Some(id) = start {
            shared.start_over(id, &reply);
        }
    }

    /// Submits the request at the first poll; ready when the task is over.
    pub(crate) fn poll_done(
        &mut self,
        request: &Request,
        cx: &mut Context<'_>,
    ) -> Poll<FinishedTask> {
        if self.stage == LeaseStage::Building {
            self.stage = LeaseStage::Submitted;
            let key = self.key;
            self.high_water = request.used;
            let waker = cx.waker().clone();
            let trace = &self.shared.trace;
            let for_open = self.for_open;
            self.shared.with(|core, cx| {
                // Before the worker may take it.
                if let Some(task) = core.task(key).filter(|_| !for_open) {
                    trace.put(KernelPoint::Begin, task.number, task.transid, None);
                }
                core.submit(cx, key, request);
                if let Some(task) = core.task_mut(key) {
                    task.waker = Some(waker);
                }
            });
            return Poll::Pending;
        }
        let mut guard = self.shared.lock();
        let RegionState { core, links, .. } = &mut *guard;
        let Some(task) = core.task_mut(self.key) else {
            self.stage = LeaseStage::Done;
            return Poll::Ready(FinishedTask::default());
        };
        if task.stage == TaskStage::Done {
            if let Some(place) = task.place {
                // Not by the number alone: a task may have been moved away and
                // come back to it when it was another worker's.
                if let Some(link) = links.get(place.worker)
                    && !Arc::ptr_eq(link, &self.link)
                {
                    self.link = link.clone();
                }
                self.place = place;
            }
            self.stage = LeaseStage::Done;
            return Poll::Ready(FinishedTask::of(task));
        }
        let same = task.waker.as_ref().is_some_and(|w| w.will_wake(cx.waker()));
        if !same {
            task.waker = Some(cx.waker().clone());
        }
        Poll::Pending
    }

    /// The reply of a task that is over: reads the results that are in the slot.
    pub(crate) fn into_reply(mut self, finished: FinishedTask) -> TaskReply {
        let FinishedTask {
            abend,
            mut record,
            submitted,
            within_ns,
        } = finished;
        let mut results = SlotResults::default();
        let outcome = match abend {
            Some(abend) => {
                self.entries.clear();
                TaskOutcome::Abend(abend)
            }
            None => {
                match (self.link.side).results(self.place.slot, &mut results, &mut self.entries) {
                    Ok(()) => self.outcome_of(&results),
                    Err(violation) => {
                        results = SlotResults::default();
                        self.nonsense(violation)
                    }
                }
            }
        };
        record.add_counts(&results.counts);
        // The worker's two clocks are not read at one instant, an estimate may be too
        // high, and a worker's counts are not trusted.
        record.general_cpu_ns = record.general_cpu_ns.min(within_ns);
        record.cpu_estimated = results.flags & RESULT_CPU_ESTIMATED != 0;
        record.mark_estimates(true);
        record.dispatch_wait_ns = results.counts.started_ns.saturating_sub(submitted);
        record.worker = self.place.worker as u32;
        record.input_bytes = self.high_water;
        record.output_bytes =
            results.commarea_bytes + self.entries.iter().map(|e| e.bytes as u64).sum::<u64>();
        if let TaskOutcome::Abend(abend) = &outcome {
            record.abend = Name::from_bytes(abend.code);
        }
        let code = (!record.abend.is_blank()).then(|| *record.abend.as_bytes());
        self.high_water = self.high_water.max(results.high_water);
        if !self.for_open {
            self.shared.account(&record, code);
        }
        if results.flags & RESULT_RETIRE != 0 {
            let worker = self.place.worker;
            self.shared.with(|core, cx| core.retire(cx, worker));
        }
        TaskReply {
            outcome,
            record,
            commarea: (results.commarea as usize, results.commarea_bytes as usize),
            web: (results.web as usize, results.web_bytes as usize),
            next_transid: results.next_transid,
            channel: results.channel,
            lease: self,
        }
    }

    /// The end of a task whose worker broke the link's protocol.
    #[cold]
    fn nonsense(&mut self, violation: ProtocolViolation) -> TaskOutcome {
        self.entries.clear();
        let worker = self.place.worker;
        tracing::error!(worker, %violation, "a worker's results are not valid");
        self.shared
            .with(|core, cx| core.protocol_violation(cx, worker));
        TaskOutcome::Abend(Abend {
            code: *b"ASRA",
            program: Name::BLANK,
            line: 0,
            message: format!("the worker's results are not valid: {violation}"),
        })
    }

    /// Gives the slot of a task that is over back, and counts what the task took.
    pub(crate) fn release(&mut self, ok: bool, record: &MonitoringRecord) {
        // How long it holds a worker when it is let run: time in which the system
        // ran others is not the program's own. Nor is that of waiting for the QR
        // token: in a worker of its own it would wait as long.
        let own = record.general_cpu_ns.saturating_add(record.region_wait_ns);
        let run = ok.then(|| RunTimes {
            held_ns: own.min(record.elapsed_ns),
            waited_ns: record.region_wait_ns.min(record.elapsed_ns),
        });
        let work = (!self.for_open).then(|| TaskTotals::of(record));
        self.stage = LeaseStage::Released;
        let (key, high_water) = (self.key, self.high_water);
        let entries = std::mem::take(&mut self.entries);
        // Only a task that waits for the free place needs the time.
        let now = |core: &Core| match core.task(key).filter(|_| core.waits_for_place() == 0) {
            Some(task) => task.ended,
            None => super::now_ns(),
        };
        self.shared.with_at(now, |core, cx| {
            if let Some(task) = core.task_mut(key) {
                task.entries = entries;
                task.waker = None;
            }
            if let Some(work) = work {
                core.count_end(ok, work);
            }
            core.release(cx, key, high_water, run);
        });
    }

    fn outcome_of(&self, results: &SlotResults) -> TaskOutcome {
        if results.abend.is_blank() {
            return TaskOutcome::Ok;
        }
        TaskOutcome::Abend(Abend {
            code: *results.abend.as_bytes(),
            program: results.program,
            line: results.line,
            message: self.link.side.message(self.place.slot, results),
        })
    }
}

impl FinishedTask {
    pub(super) fn of(task: &mut TaskState) -> Self {
        let admitted = if task.placed == 0 {
            task.ended
        } else {
            task.placed
        };
        FinishedTask {
            abend: task.abend.take(),
            record: Box::new(MonitoringRecord {
                task: task.number,
                transid: task.transid,
                program: task.program,
                userid: task.userid,
                trace_id: task.trace_id(),
                start_unix_ns: task.begun + super::unix_offset(),
                response_ns: task.ended.saturating_sub(task.begun),
                admission_wait_ns: admitted.saturating_sub(task.begun),
                commit_wait_ns: task.ended.saturating_sub(task.completion_ns),
                offload_cpu_ns: task.guest_cpu_ns
                    + match task.start {
                        // Its input was written by the region.
                        Some(_) => 0,
                        None => task.submitted.saturating_sub(task.placed),
                    },
                waits: task.waits,
                moves: task.moves,
                user_points: std::mem::take(&mut task.user_points),
                ..MonitoringRecord::default()
            }),
            submitted: task.submitted,
            within_ns: task.ended.saturating_sub(task.submitted),
        }
    }
}

impl Default for FinishedTask {
    fn default() -> Self {
        FinishedTask {
            abend: Some(Abend {
                code: *b"AKCS",
                program: Name::BLANK,
                line: 0,
                message: "the task is not known any more".to_owned(),
            }),
            record: Box::default(),
            submitted: 0,
            within_ns: 0,
        }
    }
}

impl Drop for SlotLease {
    fn drop(&mut self) {
        let key = self.key;
        match self.stage {
            LeaseStage::Building => self.shared.end_conversations(key, true),
            LeaseStage::Submitted => {}
            LeaseStage::Done => return self.release(false, &MonitoringRecord::default()),
            LeaseStage::Released => return,
        }
        let building = self.stage == LeaseStage::Building;
        let entries = std::mem::take(&mut self.entries);
        self.shared.with(|core, cx| {
            if let Some(task) = core.task_mut(key) {
                task.entries = entries;
                task.waker = None;
            }
            if building {
                core.cancel(cx, key)
            } else {
                core.abandon(cx, key)
            }
        });
    }
}

impl SharedRegion {
    /// A task's record is complete: it is traced and kept.
    pub(super) fn account(&self, record: &MonitoringRecord, abend: Option<[u8; 4]>) {
        self.trace
            .put(KernelPoint::End, record.task, record.transid, abend);
        if let Some(sink) = &self.sink
            && self.monitoring.load(Ordering::Relaxed)
        {
            sink.push(record);
        }
    }
}

/// True when the worker ended a task normally. The task's slot still holds its
/// results.
pub fn ended_well(state: &RegionState, key: TaskKey) -> bool {
    let Some(task) = state.core.task(key) else {
        return false;
    };
    if let Some(open) = &task.open {
        return task.abend.is_none() && open.doomed().is_none();
    }
    let Some(place) = task.place else {
        return false;
    };
    let Some(link) = state.links.get(place.worker) else {
        return false;
    };
    // Results that make no sense are found again, and reported, when the reply
    // is read; here they are no reason to commit.
    let mut results = SlotResults::default();
    let read = (link.side).results(place.slot, &mut results, &mut Vec::new());
    read.is_ok() && results.abend.is_blank()
}

/// The operands of a RETURN TRANSID that is among a task's results; `None` if there is
/// none.
pub fn left_return(state: &RegionState, key: TaskKey) -> Option<CommandOperands> {
    let place = state.core.task(key)?.place?;
    let link = state.links.get(place.worker)?;
    let mut results = SlotResults::default();
    (link.side)
        .results(place.slot, &mut results, &mut Vec::new())
        .ok()?;
    if results.flags & RESULT_RETURN == 0 {
        return None;
    }
    let transid = *results.next_transid.as_bytes();
    let mut options = 1 << ret::TRANSID;
    if results.flags & RESULT_RETURN_COMMAREA == 0 {
        return Some(CommandOperands::new(options).bytes(ret::TRANSID, transid));
    }
    options |= 1 << ret::COMMAREA;
    let (start, bytes) = (results.commarea as usize, results.commarea_bytes as usize);
    // SAFETY: the results were checked: the area is in the arena, which stays mapped
    // while the link lives.
    let area = unsafe { std::slice::from_raw_parts(link.side.arena(place.slot).add(start), bytes) };
    let operands = CommandOperands::new(options).bytes(ret::TRANSID, transid);
    Some(operands.bytes(ret::COMMAREA, area))
}
