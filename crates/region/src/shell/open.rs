//! Open tasks, joined to the doors whose threads run them.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::task::{Context, Poll};

use link::trace::KernelPoint;
use link::{CallAnswer, Name, ProgramName, TransId, WorkerCall};

use super::lease::FinishedTask;
use super::reply::TaskOutcome;
use super::{RegionState, SharedRegion, SlotLease};
use crate::api::{Abend, JoinError, MonitoringRecord, StartRefusal, TaskRequest, TaskTotals};
use kernel::core::{TaskKey, TaskSpec, TaskStage};
use kernel::{ParticipantId, UnitId};

/// An open task that waits for its admission; dropping it gives its turn up.
pub struct OpeningTask {
    shared: Arc<SharedRegion>,
    key: Option<TaskKey>,
}

/// The hold on an open task. Dropping it backs the task out.
pub struct OpenLease {
    pub(super) shared: Arc<SharedRegion>,
    pub(super) key: TaskKey,
    number: u64,
    ended: bool,
}

/// The resources that an open task used outside its runs.
#[derive(Debug, Clone, Copy, Default)]
pub struct OpenUse {
    /// CPU time of its thread in nanoseconds.
    pub cpu_ns: u64,
    /// The CPU time is not a reading of a clock of the thread's CPU.
    pub estimated: bool,
    /// The time that its door spent before it asked for the task.
    pub before_ns: u64,
    /// Calls to the region.
    pub calls: u32,
}

impl SharedRegion {
    /// Asks for an open task.
    pub fn begin_open(
        self: &Arc<Self>,
        port: usize,
        request: &TaskRequest,
    ) -> Result<OpeningTask, StartRefusal> {
        let spec = TaskSpec {
            transid: request.transid,
            program: request.program,
            userid: request.userid,
            trace_id: request.trace_id,
            priority: request.priority,
            expected_bytes: 0,
            timeout_ns: u64::from(request.timeout_ms) * 1_000_000,
            port,
            start: None,
            is_child: false,
            open: true,
        };
        let key = self.with(|core, cx| core.begin(cx, &spec))?;
        Ok(OpeningTask {
            shared: self.clone(),
            key: Some(key),
        })
    }

    /// The number of a file that programs may use.
    pub fn file_number(&self, name: &str) -> Option<usize> {
        self.kernel.lock().resources.files.number(name)
    }

    /// The first program of a transaction; blank if the transaction has none.
    pub fn first_program(&self, transid: TransId) -> ProgramName {
        let state = self.lock();
        let defs = state.core.defs();
        let number = defs.transaction(transid);
        number.map_or(ProgramName::BLANK, |n| defs.transactions[n].def.program)
    }

    /// Whether a program can be run here.
    pub fn can_run(&self, name: ProgramName) -> Result<(), StartRefusal> {
        self.lock().core.defs().can_run(name)
    }

    /// Forgets an open task whose owner has dropped it.
    pub(super) fn collect_open(self: &Arc<Self>, key: TaskKey) {
        let lease = OpenLease {
            shared: self.clone(),
            key,
            number: 0,
            ended: true,
        };
        lease.settle(&MonitoringRecord::default(), OpenUse::default());
    }
}

impl OpeningTask {
    /// Ready with the task or the refusal.
    pub fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<OpenLease, StartRefusal>> {
        let Some(key) = self.key else {
            return Poll::Pending;
        };
        let mut guard = self.shared.lock();
        let Some(task) = guard.core.task_mut(key) else {
            return Poll::Ready(Err(StartRefusal::ShuttingDown));
        };
        match task.stage {
            // Dropping the key's owner forgets the task.
            TaskStage::Refused(refusal) => Poll::Ready(Err(refusal)),
            TaskStage::Open => {
                let (number, transid) = (task.number, task.transid);
                drop(guard);
                self.key = None;
                self.shared
                    .trace
                    .put(KernelPoint::Begin, number, transid, None);
                Poll::Ready(Ok(OpenLease {
                    shared: self.shared.clone(),
                    key,
                    number,
                    ended: false,
                }))
            }
            _ => {
                task.waker = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }
}

impl Drop for OpeningTask {
    fn drop(&mut self) {
        if let Some(key) = self.key {
            let admitted = self.shared.with(|core, cx| {
                let open = core.task(key).is_some_and(|t| t.stage == TaskStage::Open);
                if !open {
                    core.cancel(cx, key);
                }
                open
            });
            if admitted {
                drop(OpenLease {
                    shared: self.shared.clone(),
                    key,
                    number: 0,
                    ended: false,
                });
            }
        }
    }
}

impl OpenLease {
    /// The task's number.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Set when the task shall end.
    pub fn purged(&self) -> Arc<AtomicBool> {
        let state = self.shared.lock();
        let open = state.core.task(self.key).and_then(|t| t.open.as_ref());
        open.map(|o| o.purged()).unwrap_or_default()
    }

    /// The port at which the task receives its answers from now on.
    pub fn listen_at(&self, port: usize) {
        if let Some(task) = self.shared.lock().core.task_mut(self.key) {
            task.port = port;
        }
    }

    /// Why nothing more is done for the task.
    fn refusal(&self) -> Option<[u8; 4]> {
        let state = self.shared.lock();
        let task = state.core.task(self.key)?;
        let purging = task.purging.map(|_| kernel::PURGED);
        task.open.as_ref()?.doomed().or(purging)
    }

    /// Asks the region; [`OpenLease::poll_answer`] has the answer.
    pub fn ask(&self, call: WorkerCall) -> Result<(), CallAnswer> {
        self.begin_call()?;
        self.shared.serve_open(self.key, call)
    }

    /// The same for an operation of a batch job.
    pub fn ask_for_job(&self, call: WorkerCall) -> Result<(), CallAnswer> {
        self.begin_call()?;
        self.shared.call_for_job(self.key, call);
        Ok(())
    }

    /// A participant changes something for the task.
    pub fn join(&self, participant: ParticipantId) -> Result<UnitId, JoinError> {
        match self.refusal() {
            Some(_) => Err(JoinError::Ending),
            None => self.shared.join_unit(self.key, participant),
        }
    }

    /// Another region decides the task's units of work.
    pub fn set_branch(&self) {
        let mut state = self.shared.lock();
        let task = state.core.task_mut(self.key);
        if let Some(open) = task.and_then(|task| task.open.as_mut()) {
            open.is_branch = true;
        }
    }

    pub(super) fn begin_call(&self) -> Result<(), CallAnswer> {
        if let Some(code) = self.refusal() {
            return Err(CallAnswer::of_abend(&code));
        }
        if let Some(task) = self.shared.lock().core.task_mut(self.key)
            && let Some(open) = &mut task.open
        {
            open.ask();
        }
        Ok(())
    }

    /// Ready with the answer to the last call.
    pub fn poll_answer(&self, cx: &mut Context<'_>) -> Poll<CallAnswer> {
        let mut state = self.shared.lock();
        let Some(task) = state.core.task_mut(self.key) else {
            return Poll::Ready(CallAnswer::of_abend(&kernel::FAILED));
        };
        let answer = task.open.as_mut().and_then(|o| o.take_answer());
        match answer {
            Some(answer) => Poll::Ready(answer),
            None => {
                task.waker = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }

    /// Ready when the task shall end.
    pub fn poll_purged(&self, cx: &mut Context<'_>) -> Poll<()> {
        let mut state = self.shared.lock();
        match state.core.task_mut(self.key) {
            Some(task) if task.purging.is_none() => {
                task.waker = Some(cx.waker().clone());
                Poll::Pending
            }
            _ => Poll::Ready(()),
        }
    }

    /// Begins a run of a program. Returns `None` when the task shall end.
    pub fn begin_run(
        &self,
        program: ProgramName,
        expected_bytes: usize,
    ) -> Option<Result<TaskKey, StartRefusal>> {
        let of = self.key;
        self.shared
            .with(|core, cx| core.begin_run(cx, of, program, expected_bytes))
    }

    /// Ready when a run has its place, or cannot have one.
    pub fn poll_run(
        &self,
        run: TaskKey,
        cx: &mut Context<'_>,
    ) -> Poll<Result<SlotLease, StartRefusal>> {
        let mut guard = self.shared.lock();
        let RegionState { core, links, .. } = &mut *guard;
        let Some(task) = core.task_mut(run) else {
            return Poll::Ready(Err(StartRefusal::NoWorker));
        };
        match task.stage {
            TaskStage::Refused(refusal) => {
                drop(guard);
                self.shared.with(|core, cx| core.cancel(cx, run));
                Poll::Ready(Err(refusal))
            }
            TaskStage::Building => {
                let lease = SlotLease::of_building(&self.shared, core, links, run);
                Poll::Ready(lease.ok_or(StartRefusal::NoWorker))
            }
            _ => {
                task.waker = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }

    /// Whether the task has changed something since its last syncpoint.
    pub fn has_changes(&self) -> bool {
        self.shared.has_changes(self.key)
    }

    /// The task begins or ends a wait for children: during the wait others may have its
    /// place.
    pub fn lend(&self, lends: bool) {
        let key = self.key;
        self.shared.with(|core, cx| core.lend(cx, key, lends));
    }

    /// Ends the task; [`OpenLease::poll_end`] is ready when its unit of work is
    /// over.
    pub fn end(&mut self, abend: Option<Abend>) {
        self.ended = true;
        let key = self.key;
        self.shared.with(|core, cx| core.end_open(cx, key, abend));
    }

    /// Ready when the task is over.
    pub fn poll_end(&self, cx: &mut Context<'_>) -> Poll<()> {
        let mut state = self.shared.lock();
        match state.core.task_mut(self.key) {
            Some(task) if task.stage != TaskStage::Done => {
                task.waker = Some(cx.waker().clone());
                Poll::Pending
            }
            _ => Poll::Ready(()),
        }
    }

    /// The record of a task that is over, with those of its runs in `runs`.
    pub fn settle(self, runs: &MonitoringRecord, used: OpenUse) -> (TaskOutcome, MonitoringRecord) {
        let key = self.key;
        let (task, doomed) = {
            let mut state = self.shared.lock();
            let mut task = state.core.release_open(key);
            let open = task.as_mut().and_then(|t| t.open.as_ref()?.doomed());
            (task, open)
        };
        let Some(mut task) = task else {
            return (TaskOutcome::Ok, MonitoringRecord::default());
        };
        let elapsed_ns = task.completion_ns.saturating_sub(task.submitted);
        let FinishedTask { abend, record, .. } = FinishedTask::of(&mut task);
        let offload_estimated = used.estimated || used.cpu_ns == 0 || task.guest_cpu_ns > 0;
        let response_ns = record.response_ns + used.before_ns;
        // The two clocks are not read at one instant.
        let door_cpu_ns = used.cpu_ns.min(response_ns);
        let mut record = MonitoringRecord {
            elapsed_ns,
            start_unix_ns: record.start_unix_ns.saturating_sub(used.before_ns),
            response_ns,
            offload_cpu_ns: door_cpu_ns + task.guest_cpu_ns,
            region_calls: used.calls,
            ..*record
        };
        record.add_runs(runs);
        record.mark_estimates(offload_estimated);
        let outcome = match (abend, doomed) {
            (Some(abend), _) => TaskOutcome::Abend(abend),
            (None, Some(code)) => TaskOutcome::Abend(Abend {
                code,
                program: Name::BLANK,
                line: 0,
                message: "a worker ended during its unit of work, which was backed out".into(),
            }),
            (None, None) => TaskOutcome::Ok,
        };
        if let TaskOutcome::Abend(abend) = &outcome {
            record.abend = Name::from_bytes(abend.code);
        }
        let code = (!record.abend.is_blank()).then(|| *record.abend.as_bytes());
        self.shared.account(&record, code);
        let (ok, work) = (code.is_none(), TaskTotals::of(&record));
        self.shared.with(|core, _| core.count_end(ok, work));
        (outcome, record)
    }
}

impl Drop for OpenLease {
    fn drop(&mut self) {
        let key = self.key;
        let ended = self.ended;
        self.shared.with(|core, cx| {
            core.abandon(cx, key);
            if !ended {
                let text = "its door has given the task up".to_owned();
                let abend = Abend {
                    code: *b"AEXY",
                    program: Name::BLANK,
                    line: 0,
                    message: text,
                };
                core.end_open(cx, key, Some(abend));
            }
        });
    }
}
