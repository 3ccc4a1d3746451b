//! Tasks that the region itself starts: by time, by a trigger, by another
//! task. No door holds a future for them; their input is written when they get
//! their place, and their results are collected when they are over.

use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::task::{Context, Waker};

use super::SharedRegion;
use super::lease::SlotLease;
use super::ordered_lock::{LockRank, OrderedGuard, OrderedLock};
use super::reply::{TaskOutcome, TaskReply};
use super::task::Task;
use crate::api::{FacilityEvent, PutError, StartRefusal};
use kernel::core::{TaskKey, TaskSpec, TaskStage};
use kernel::{InternalStart, StartEnd};

thread_local! {
    /// Starts that come while this thread begins one.
    static BEGINNING: RefCell<Option<VecDeque<InternalStart>>> = const { RefCell::new(None) };
}

/// The input of tasks, by the number of the start.
pub struct StartTable(OrderedLock<HashMap<u64, InternalStart>>);

impl Default for StartTable {
    fn default() -> Self {
        StartTable(OrderedLock::new(LockRank::Starts, HashMap::new()))
    }
}

impl StartTable {
    fn lock(&self) -> OrderedGuard<'_, HashMap<u64, InternalStart>> {
        self.0.lock()
    }
}

impl SharedRegion {
    /// Begins a task that no client asked for. One that is refused makes room
    /// for the next, which is begun after it and not within it.
    pub(super) fn start_task(self: &Arc<Self>, start: InternalStart) {
        let mut next = BEGINNING.with_borrow_mut(|queue| match queue {
            Some(queue) => {
                queue.push_back(start);
                None
            }
            none => {
                *none = Some(VecDeque::new());
                Some(start)
            }
        });
        while let Some(start) = next {
            self.begin_start(start);
            next = BEGINNING.with_borrow_mut(|queue| {
                let next = queue.as_mut().and_then(VecDeque::pop_front);
                if next.is_none() {
                    *queue = None;
                }
                next
            });
        }
    }

    fn begin_start(self: &Arc<Self>, start: InternalStart) {
        let id = start.id;
        let spec = TaskSpec {
            transid: start.transid,
            program: start.program,
            userid: start.userid,
            start: Some(id),
            is_child: start.wants_result,
            port: match &start.terminal {
                Some(_) => self.terminal_port.get(),
                None => 0,
            },
            ..TaskSpec::default()
        };
        self.starts.lock().insert(id, start);
        let begun = self.with(|core, cx| {
            let key = core.begin(cx, &spec)?;
            let building = core
                .task(key)
                .is_some_and(|t| t.stage == TaskStage::Building);
            Ok(building.then_some(key))
        });
        match begun {
            Ok(Some(key)) => self.build_start(key),
            // `build_start` follows when it has its place.
            Ok(None) => {}
            Err(refusal) => self.start_refused(id, refusal),
        }
    }

    /// A started task has its place, or was refused while it waited.
    pub(super) fn build_start(self: &Arc<Self>, key: TaskKey) {
        let mut guard = self.lock();
        let state = &mut *guard;
        let Some(task) = state.core.task(key) else {
            return;
        };
        let Some(id) = task.start else {
            return;
        };
        match task.stage.clone() {
            TaskStage::Refused(refusal) => {
                drop(guard);
                self.with(|core, cx| core.cancel(cx, key));
                self.start_refused(id, refusal);
            }
            TaskStage::Building => {
                drop(guard);
                self.kernel(|k, now, out| k.start_begun(now, id, out));
                let mut guard = self.lock();
                let state = &mut *guard;
                let lease = SlotLease::of_building(self, &mut state.core, &state.links, key);
                drop(guard);
                let input = self.starts.lock().get_mut(&id).map(|start| {
                    let rest = InternalStart {
                        id,
                        wants_result: start.wants_result,
                        ..InternalStart::default()
                    };
                    std::mem::replace(start, rest)
                });
                let (Some(lease), Some(start)) = (lease, input) else {
                    return;
                };
                if start.terminal.is_some()
                    && let Some(task) = self.lock().core.task_mut(key)
                {
                    // A RETURN among its results is carried out there.
                    task.in_kernel = true;
                }
                let mut task = Task::new(lease, start.start_code);
                if let Err(error) = fill(&mut task, &start) {
                    tracing::error!(transid = %start.transid, %error, "the input of a started task does not fit into its memory");
                    drop(task);
                    self.start_refused(id, StartRefusal::TooLarge);
                    return;
                }
                task.detach();
            }
            _ => {}
        }
    }

    /// A started task is over.
    pub(super) fn start_over(self: &Arc<Self>, id: u64, reply: &TaskReply) {
        let start = self.starts.lock().remove(&id);
        self.serve_last_command(id, reply.web_answer());
        let abend = match reply.outcome() {
            TaskOutcome::Ok => None,
            TaskOutcome::Abend(abend) => {
                abend.log(reply.record());
                Some(abend.clone())
            }
        };
        let wanted = start.is_some_and(|s| s.wants_result);
        let ended = StartEnd::Ran(abend, wanted.then(|| reply.channel_data()));
        self.kernel(|k, now, out| k.start_ended(now, id, &ended, out));
    }

    /// Hands the command that a worker has left for its task's end to the door of the
    /// task's facility: number and operands.
    fn serve_last_command(self: &Arc<Self>, start: u64, left: &[u8]) {
        let Some((number, operands)) = left.split_first_chunk() else {
            return;
        };
        let facility = self.kernel.lock().resources.facilities.of_start(start);
        if let Some(id) = facility {
            let command = FacilityEvent::Command {
                number: u16::from_be_bytes(*number),
                operands: operands.to_vec(),
            };
            self.report_facility(id, command);
        }
    }

    /// Refuses everything of a transaction that waits to begin.
    pub(super) fn empty_queue(self: &Arc<Self>, transid: link::TransId, refusal: StartRefusal) {
        self.kernel(|k, now, out| k.refuse_starts(now, transid, refusal, out));
        self.with(|core, cx| core.refuse_transaction(cx, transid, refusal));
    }

    /// Refuses new tasks and those that wait to begin.
    pub fn close(self: &Arc<Self>) {
        self.with(|core, cx| core.close(cx));
        self.kernel(|k, now, out| k.close_starts(now, out));
    }

    /// Ready when the last task of a closed region has ended.
    pub fn poll_drained(&self, cx: &mut Context<'_>) -> std::task::Poll<()> {
        let mut state = self.lock();
        if state.core.is_drained() {
            return std::task::Poll::Ready(());
        }
        state.drained = Some(cx.waker().clone());
        std::task::Poll::Pending
    }

    /// Ends all tasks, whatever they do. Returns how many there were.
    pub fn purge_all(self: &Arc<Self>, why: &'static str) -> usize {
        self.with(|core, cx| {
            let keys = core.task_keys();
            for key in &keys {
                core.purge_task(cx, *key, why);
            }
            keys.len()
        })
    }

    fn start_refused(self: &Arc<Self>, id: u64, refusal: StartRefusal) {
        let start = self.starts.lock().remove(&id);
        let transid = start.map(|s| s.transid).unwrap_or_default();
        tracing::warn!(%transid, %refusal, "a task could not be started");
        let ended = StartEnd::Refused(refusal);
        self.kernel(|k, now, out| k.start_ended(now, id, &ended, out));
    }
}

impl Task {
    /// Runs the task; its end is not awaited.
    fn detach(mut self) {
        let request = self.request();
        let mut lease = self.lease;
        let pending = lease.poll_done(&request, &mut Context::from_waker(Waker::noop()));
        debug_assert!(pending.is_pending());
    }
}

/// Writes a start's input where the program will read it.
fn fill(task: &mut Task, start: &InternalStart) -> Result<(), PutError<std::convert::Infallible>> {
    if let Some(channel) = &start.channel {
        task.put_channel(channel)?;
    }
    if !start.commarea.is_empty() {
        task.set_commarea(start.commarea.len(), |area| {
            area.copy_from_slice(&start.commarea);
            Ok(())
        })?;
    }
    if !start.facility.is_blank() {
        task.set_facility_name(start.facility);
    }
    if let Some(terminal) = &start.terminal {
        task.set_terminal(terminal, start.input.as_ref())?;
    }
    Ok(())
}
