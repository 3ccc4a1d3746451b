//! Threads, processes and system calls around the core.
//!
//! One lock guards all of the region's state and is held for well under a
//! microsecond; wakers, futexes and processes are dealt with after it is released.
//! Doors do their part of the work on their own threads: a completion is
//! taken, handled and answered by the thread that waits for it.

mod acts;
mod branches;
mod calls;
mod clock;
mod committer;
mod conversations;
mod disk;
mod dispatch;
mod engines;
mod facilities;
mod files;
mod guests;
mod host;
mod kernel_host;
mod lease;
mod limits;
mod lines;
mod links;
mod mapped_conversation;
mod open;
mod operators;
mod ordered_lock;
mod output;
mod participants;
mod process;
mod reply;
mod services;
mod sink;
mod sockets;
mod start;
mod starts;
mod stepping;
mod system;
mod task;
mod token;
mod trace;
mod trace_file;
mod uses;
mod wakes;

pub use clock::now_ns;
pub use engines::bind;
pub use lease::SlotLease;
pub use links::LinkTable;
pub use open::{OpenLease, OpenUse};
pub use reply::{Container, TaskOutcome, TaskReply};
pub use start::RegionThreads;
pub use task::Task;
pub use wakes::port_here;

use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};

use link::RegionPage;
use link::trace::RegionTrace;

use crate::api::{RegionConfig, RegionDefinitions, StartRefusal, TaskRequest};
use branches::{OutcomeWaiters, SettlementWaiters};
use conversations::ConversationTable;
use facilities::FacilityTable;
use kernel::core::{Core, CoreAction, CoreContext, TaskKey, TaskSpec, TaskStage};
use kernel_host::KernelHost;
use lines::LogLines;
use links::WorkerLink;
use ordered_lock::{OrderedGuard, OrderedLock};
use participants::ParticipantTable;
use process::Order;
use sink::RecordSink;
use starts::StartTable;

/// The part of a region that all handles, tasks and threads share.
pub struct SharedRegion {
    state: OrderedLock<RegionState>,
    /// Doorbells, eventfds and the QR token.
    pub page: Arc<RegionPage>,
    /// The sink of monitoring records.
    pub sink: Option<RecordSink>,
    /// The kernel, which serves the calls of tasks.
    kernel: KernelHost,
    /// When the kernel has something due, nanoseconds; `u64::MAX` for never.
    alarm: AtomicU64,
    /// Tasks that the region itself starts.
    starts: StartTable,
    /// The sinks of the events of facilities.
    facilities: FacilityTable,
    /// The thread that receives the ends of tasks with a terminal.
    pub(crate) terminal_port: facilities::TerminalPort,
    /// Participants in units of work.
    pub(crate) participants: ParticipantTable,
    /// Callbacks that wait for branches to be committed or backed out.
    settlements: SettlementWaiters,
    outcomes: OutcomeWaiters,
    /// Tasks that run step by step.
    pub(crate) stepping: stepping::SteppedTasks,
    /// Conversations of tasks.
    conversations: ConversationTable,
    /// The last entries of the kernel's trace.
    pub(crate) trace: RegionTrace,
    /// The last trace entries of workers that died.
    dead_rings: trace::DeadRings,
    past_counts: trace::PastCounts,
    past_uses: uses::PastUses,
    /// Futures that other threads woke, for the doors to poll.
    inboxes: wakes::WakeInboxes,
    /// How many lines of programs and scripts are logged.
    pub(crate) lines: LogLines,
    /// The trace that is being written to a file.
    trace_file: Mutex<Option<trace_file::TraceFile>>,
    /// As the region was started.
    pub config: RegionConfig,
    /// The definitions of the last start or reload, or what programs made of
    /// them. A thread that changes definitions holds the lock meanwhile.
    definitions: Mutex<RegionDefinitions>,
    /// Monitoring records are written, where there is a file for them.
    monitoring: AtomicBool,
    /// CPUs for doors.
    pub offload: Option<libc::cpu_set_t>,
    /// CPUs for programs and the region's own threads.
    pub general: Option<libc::cpu_set_t>,
    orders: Sender<Order>,
    /// The dispatch thread looks every millisecond or two.
    fine: AtomicBool,
    /// The dispatch thread sleeps without a limit: a thread that gives it work
    /// wakes it. Changed under the lock of the state.
    rests: AtomicBool,
    /// The dispatch thread shall end.
    stop: AtomicBool,
}

/// The part that the lock guards.
pub struct RegionState {
    /// Tasks and workers.
    pub core: Core,
    /// Their shared memory.
    pub links: LinkTable,
    /// Ports taken, by bit.
    pub ports: u32,
    /// The waker that waits for the last task of a closed region.
    pub drained: Option<Waker>,
}

/// The actions after the lock is released. Kept from call to call, so
/// that the usual request allocates nothing.
#[derive(Default)]
struct PendingEffects {
    actions: Vec<CoreAction>,
    /// Futures to be polled, each with the port of its task.
    wakers: Vec<(usize, Waker)>,
    wakes: Vec<Arc<WorkerLink>>,
    /// Started tasks that have their place, or were refused.
    starts: Vec<TaskKey>,
}

thread_local! {
    static EFFECTS: Cell<Option<Box<PendingEffects>>> = const { Cell::new(None) };
}

static UNIX_OFFSET: AtomicU64 = AtomicU64::new(0);

/// Nanoseconds between 1970 and the zero of the region's clock.
fn unix_offset() -> u64 {
    UNIX_OFFSET.load(Ordering::Relaxed)
}

impl SharedRegion {
    /// The state, which is whole between two calls of the core.
    pub fn lock(&self) -> OrderedGuard<'_, RegionState> {
        self.state.lock()
    }

    /// Calls the core and carries out its actions afterwards. Returns the result,
    /// and whether a task's future was woken.
    pub fn with<R>(
        self: &Arc<Self>,
        call: impl FnOnce(&mut Core, &mut CoreContext<'_, LinkTable>) -> R,
    ) -> R {
        self.with_woken(call).0
    }

    /// As [`SharedRegion::with`], with the number of futures woken.
    pub fn with_woken<R>(
        self: &Arc<Self>,
        call: impl FnOnce(&mut Core, &mut CoreContext<'_, LinkTable>) -> R,
    ) -> (R, usize) {
        self.with_at(|_| now_ns(), call)
    }

    /// As [`SharedRegion::with_woken`], at a time that is found with the core in hand:
    /// to read the clock costs as much as a look-up.
    pub fn with_at<R>(
        self: &Arc<Self>,
        now: impl FnOnce(&Core) -> u64,
        call: impl FnOnce(&mut Core, &mut CoreContext<'_, LinkTable>) -> R,
    ) -> (R, usize) {
        let mut effects = EFFECTS.take().unwrap_or_default();
        let mut guard = self.lock();
        let state = &mut *guard;
        let mut cx = CoreContext {
            now: now(&state.core),
            links: &mut state.links,
            out: &mut effects.actions,
        };
        let result = call(&mut state.core, &mut cx);
        for action in &effects.actions {
            if let CoreAction::Wake(key) = action
                && let Some(task) = state.core.task_mut(*key)
            {
                let port = task.port;
                effects.wakers.extend(task.waker.take().map(|w| (port, w)));
                if task.start.is_some() {
                    effects.starts.push(*key);
                }
            }
        }
        effects.wakes.append(&mut state.links.wakes);
        if state.core.is_drained() {
            effects.wakers.extend(state.drained.take().map(|w| (0, w)));
        }
        let fine = state.core.wants_fine_tick();
        let disturbed = self.rests.load(Ordering::Relaxed) && state.core.wants_coarse_tick();
        if disturbed {
            self.rests.store(false, Ordering::Relaxed);
        }
        drop(guard);
        if disturbed {
            self.page.notify(0);
        }
        if fine && !self.fine.load(Ordering::Relaxed) && !self.fine.swap(true, Ordering::SeqCst) {
            self.page.notify(0);
        }
        let woken = effects.wakers.len();
        self.perform(&mut effects);
        EFFECTS.set(Some(effects));
        (result, woken)
    }

    fn perform(self: &Arc<Self>, effects: &mut PendingEffects) {
        if !effects.wakes.is_empty() {
            wakes::wake_or_defer(&mut effects.wakes);
        }
        if !effects.wakers.is_empty() {
            self.wake_futures(&mut effects.wakers);
        }
        // Most calls ask for nothing; starts come of actions.
        if effects.actions.is_empty() {
            return;
        }
        for action in effects.actions.drain(..) {
            match action {
                CoreAction::Wake(_) => {}
                CoreAction::Spawn(worker) => self.order(Order::Spawn(worker)),
                CoreAction::Kill(worker) => self.order(Order::Kill(worker)),
                CoreAction::Collect(key) => SlotLease::collect(self, key),
                CoreAction::EndUnit(key, has_results) => self.end_unit(key, has_results),
                CoreAction::Purge(key) => self.purge(key),
            }
        }
        // Building one may come back here, with effects of its own.
        for key in std::mem::take(&mut effects.starts) {
            self.build_start(key);
        }
    }

    /// The time at which the dispatch thread must check idle workers while there is
    /// no work that it checks from time to time; `u64::MAX` for never. Returns `None`
    /// when there is such work.
    fn rest_until(&self) -> Option<u64> {
        let state = self.lock();
        let rests = !state.core.wants_coarse_tick();
        self.rests.store(rests, Ordering::Relaxed);
        rests.then(|| state.core.next_farewell().unwrap_or(u64::MAX))
    }

    /// True when the region's threads shall end.
    fn is_stopping(&self) -> bool {
        self.stop.load(Ordering::SeqCst)
    }

    fn order(&self, order: Order) {
        // The spawner ends only with the region.
        let _ = self.orders.send(order);
    }

    /// Takes the completions at a port. Returns the number of futures woken.
    pub fn drain(self: &Arc<Self>, port: usize) -> usize {
        let mut woken = self.inboxes.open(port);
        self.page.drain(port, |worker| {
            let poll = |core: &mut Core, cx: &mut CoreContext<'_, LinkTable>| {
                core.poll_completions(cx, worker, Some(port));
            };
            woken += self.with_woken(poll).1;
        });
        woken
    }

    /// A request arrives: a lease at once, or the key of a task that waits.
    pub fn begin(
        self: &Arc<Self>,
        port: usize,
        request: &TaskRequest,
    ) -> Result<BeginOutcome, StartRefusal> {
        let spec = TaskSpec {
            transid: request.transid,
            program: request.program,
            userid: request.userid,
            trace_id: request.trace_id,
            priority: request.priority,
            expected_bytes: request.expected_bytes,
            timeout_ns: u64::from(request.timeout_ms) * 1_000_000,
            port,
            start: None,
            is_child: request.is_child,
            open: false,
        };
        self.with(|core, cx| {
            let key = core.begin(cx, &spec)?;
            let building = core
                .task(key)
                .is_some_and(|t| t.stage == TaskStage::Building);
            let lease = building
                .then(|| SlotLease::of_building(self, core, cx.links, key))
                .flatten();
            Ok(match lease {
                Some(lease) => BeginOutcome::Placed(lease),
                None => BeginOutcome::Waiting(AdmissionWait {
                    shared: self.clone(),
                    key: Some(key),
                }),
            })
        })
    }
}

/// The outcome of a request.
pub enum BeginOutcome {
    /// The request has its place.
    Placed(SlotLease),
    /// The request waits.
    Waiting(AdmissionWait),
}

/// A task that waits for admission; dropping it gives its turn up.
pub struct AdmissionWait {
    shared: Arc<SharedRegion>,
    key: Option<TaskKey>,
}

impl AdmissionWait {
    /// Ready with the place or the refusal.
    pub fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Result<SlotLease, StartRefusal>> {
        let Some(key) = self.key else {
            return Poll::Pending;
        };
        let mut guard = self.shared.lock();
        let RegionState { core, links, .. } = &mut *guard;
        let Some(task) = core.task_mut(key) else {
            return Poll::Ready(Err(StartRefusal::ShuttingDown));
        };
        match task.stage {
            TaskStage::Refused(refusal) => {
                drop(guard);
                // Dropping the key's owner forgets the task.
                Poll::Ready(Err(refusal))
            }
            TaskStage::Building => match SlotLease::of_building(&self.shared, core, links, key) {
                Some(lease) => {
                    self.key = None;
                    Poll::Ready(Ok(lease))
                }
                None => Poll::Ready(Err(StartRefusal::NoWorker)),
            },
            _ => {
                task.waker = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }
}

impl Drop for AdmissionWait {
    fn drop(&mut self) {
        if let Some(key) = self.key {
            self.shared.with(|core, cx| core.cancel(cx, key));
        }
    }
}
