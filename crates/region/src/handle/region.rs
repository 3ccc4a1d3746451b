//! The region and the handles on it.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;
use std::time::{Duration, Instant};

use crate::api::{
    CommandCount, GuestTask, RegionConfig, RegionDefinitions, RegionStatistics, StartError,
    StartRefusal, TaskRequest, TraceFilter, TraceRecord, TraceStatus, UnitParticipant,
};
use crate::shell::{BeginOutcome, RegionThreads, SharedRegion, Task, now_ns};
use kernel::{BranchId, InDoubtUnit, ParticipantId, PreparedUnit, UnitId};

/// A running region. Dropping it without [`Region::shutdown`] ends its workers
/// at once.
pub struct Region {
    handle: Handle,
    threads: RegionThreads,
}

/// A handle on a region: cheap to clone, for any thread.
#[derive(Clone)]
pub struct Handle {
    pub(crate) shared: Arc<SharedRegion>,
}

/// Where a thread receives the completions of its tasks.
#[derive(Clone)]
pub struct Port {
    pub(crate) shared: Arc<SharedRegion>,
    pub(crate) number: usize,
}

impl Region {
    /// Starts a region: its threads, its files and its first workers.
    pub fn start(config: RegionConfig) -> Result<Region, StartError> {
        let (shared, threads) = RegionThreads::start(config)?;
        Ok(Region {
            handle: Handle { shared },
            threads,
        })
    }

    /// A handle for doors.
    pub fn handle(&self) -> Handle {
        self.handle.clone()
    }

    /// Refuses new tasks, waits for those that are active, commits, and ends
    /// the workers. The last part blocks the thread for up to a second.
    pub async fn shutdown(mut self) {
        let shared = &self.handle.shared;
        shared.close();
        poll_fn(|cx| shared.poll_drained(cx)).await;
        shared.keep();
        self.threads.stop(&self.handle.shared);
    }

    /// The same for a thread without a runtime, within a time: tasks that still run
    /// after `limit` are purged, and whatever is left [`PURGE_LIMIT`] later ends with
    /// its worker.
    pub fn shutdown_within(mut self, limit: Duration) {
        let shared = &self.handle.shared;
        shared.close();
        if !wait_until(Instant::now() + limit, |cx| shared.poll_drained(cx)) {
            let left = shared.purge_all("the region ends");
            tracing::warn!("{left} tasks still ran after {limit:?}, so they are purged");
            if !wait_until(Instant::now() + PURGE_LIMIT, |cx| shared.poll_drained(cx)) {
                tracing::warn!("some tasks did not end, so their workers are ended");
            }
        }
        shared.keep();
        self.threads.stop(&self.handle.shared);
    }
}

/// How long purged tasks have to end when the region ends.
pub const PURGE_LIMIT: Duration = Duration::from_secs(5);

impl Drop for Region {
    fn drop(&mut self) {
        let shared = &self.handle.shared;
        shared.close();
        self.threads.stop(shared);
    }
}

impl Handle {
    /// Attaches a port for the calling thread; `None` when all are taken.
    /// Drive it with [`Port::runtime`].
    pub fn attach_port(&self) -> Option<Port> {
        let mut state = self.shared.lock();
        let number = state.ports.trailing_ones() as usize;
        if number >= link::PORTS {
            return None;
        }
        state.ports |= 1 << number;
        Some(Port {
            shared: self.shared.clone(),
            number,
        })
    }

    /// Whether a line of so many bytes, of a script, may be written into the
    /// log: programs and scripts share `display_lines_per_s`. A line that may
    /// not is counted; the count is logged later.
    pub fn may_log(&self, bytes: usize) -> bool {
        self.shared.lines.take(bytes, now_ns())
    }

    /// The port of the region's own thread, for callers without a runtime of
    /// their own kind: any executor, or [`block_on`].
    pub fn default_port(&self) -> Port {
        Port {
            shared: self.shared.clone(),
            number: 0,
        }
    }

    /// The port that the calling thread drives with a [`Port::runtime`]; none
    /// for other threads, and before that runtime has rested for the first
    /// time.
    pub fn port_here(&self) -> Option<Port> {
        let number = crate::shell::port_here();
        (number != 0).then(|| Port {
            shared: self.shared.clone(),
            number,
        })
    }

    /// Wakes a future of the thread that drives a port, or of any thread
    /// without one. A thread that is awake polls the future when it has nothing
    /// else to do.
    pub fn wake_at(&self, port: Option<&Port>, waker: Waker) {
        match port {
            Some(port) => self.shared.wake_at(port.number, waker),
            None => waker.wake(),
        }
    }

    /// Begins a task: waits for its admission and for a place in a worker.
    /// Dropping the future gives the place in the queue up.
    pub async fn begin(&self, port: &Port, request: TaskRequest) -> Result<Task, StartRefusal> {
        let begun = self.shared.begin(port.number, &request);
        if begun.is_err() {
            port.poll_completions();
        }
        let lease = match begun? {
            BeginOutcome::Placed(lease) => lease,
            BeginOutcome::Waiting(mut waiting) => poll_fn(|cx| waiting.poll(cx)).await?,
        };
        let mut task = Task::new(lease, request.start_code);
        task.set_eib_transid(request.eib_transid);
        Ok(task)
    }

    /// Switches to other definitions. Active tasks end under the old ones.
    pub fn reload(&self, definitions: RegionDefinitions) -> Result<(), StartError> {
        self.shared.reload(definitions)
    }

    /// Has `work` done to the store of the region's files and waits for it:
    /// to define a file, and to load it, while the region runs. Commits wait
    /// meanwhile. Returns `None` when the region has no store, or ends.
    ///
    /// A file must not be removed or defined again while definitions in force
    /// name it.
    pub fn with_store<R: Send + 'static>(
        &self,
        work: impl FnOnce(&mut dyn store::WriteStore) -> R + Send + 'static,
    ) -> Option<R> {
        self.shared.with_store(work)
    }

    /// Adds a participant in units of work in addition to the store, or replaces
    /// the one of the same name.
    pub fn add_participant(&self, participant: Arc<dyn UnitParticipant>) -> ParticipantId {
        self.shared.add_participant(participant)
    }

    /// A participant is connected, for the first time or again, and has these
    /// units prepared without knowing their end. The region sends it their ends:
    /// units that the region has decided are committed, the others backed out.
    pub fn in_doubt(&self, participant: ParticipantId, units: &[UnitId]) {
        self.shared.in_doubt(participant, units);
    }

    /// A participant that decides can be reached again: it is asked for the units
    /// that are in doubt now, not after a second.
    pub fn decider_returned(&self, participant: ParticipantId) {
        self.shared.decider_returned(participant);
    }

    /// The units of work in doubt that another participant than the store decides,
    /// by their numbers.
    pub fn in_doubt_units(&self) -> Vec<InDoubtUnit> {
        self.shared.in_doubt_units()
    }

    /// Ends a unit in doubt instead of its decider, which may have decided
    /// otherwise. Returns false if no unit of this number is in doubt. The end is
    /// carried out when [`Handle::in_doubt_units`] does not list the unit any more.
    pub fn settle_in_doubt(&self, unit: UnitId, commit: bool) -> bool {
        self.shared.settle_in_doubt(unit, commit)
    }

    /// Commits a branch of a coordinator's unit of work that was prepared here
    /// ([`crate::OpenTask::prepare`]), or backs it out. `done` receives true when
    /// that is carried out, also when it was before; false when the store
    /// refuses to commit, and the branch stays prepared.
    pub fn settle(&self, branch: BranchId, commit: bool, done: impl FnOnce(bool) + Send + 'static) {
        self.shared.settle(branch, commit, Box::new(done));
    }

    /// The outcome of a unit of work that was to be committed in one phase
    /// ([`crate::OpenTask::commit_alone`]), once no task can begin to commit it any
    /// more. `report` receives whether it is committed as soon as that is known,
    /// and `None` when the region cannot know before it starts again.
    pub fn outcome(&self, branch: BranchId, report: impl FnOnce(Option<bool>) + Send + 'static) {
        self.shared.outcome(branch, Box::new(report));
    }

    /// Units of this life of the region have greater numbers than this one, and
    /// those of earlier lives have not.
    pub fn units_after(&self) -> UnitId {
        self.shared.units_after()
    }

    /// The coordinator whose branches' names begin with `prefix` has reconnected. It
    /// will ask for no unit in one phase whose name is `after` or sorts before it.
    pub fn coordinator_returned(&self, prefix: &[u8], after: &[u8]) {
        self.shared.coordinator_returned(prefix, after);
    }

    /// The coordinator whose branches' names begin so is out of reach: units prepared
    /// for it end if their transactions have WAIT(NO).
    pub fn coordinator_lost(&self, name: &[u8]) {
        self.shared.coordinator_lost(name);
    }

    /// The branches that are prepared here, or may be in a moment: their coordinator
    /// is asked for them when it reconnects.
    pub fn branches(&self) -> Vec<BranchId> {
        self.shared.branches()
    }

    /// Units that this region has decided to commit, each with the name of a
    /// participant that has not said that it has done so.
    pub fn decisions(&self) -> Vec<(UnitId, String)> {
        self.shared.decisions()
    }

    /// The branches that are prepared here and wait for their coordinators, by
    /// their names.
    pub fn prepared_units(&self) -> Vec<PreparedUnit> {
        self.shared.prepared_units()
    }

    /// The last entries of the trace that pass the filter, by time.
    pub fn trace(&self, filter: &TraceFilter) -> Vec<TraceRecord> {
        self.shared.trace_records(filter)
    }

    /// Commands by transaction and command since the region's start, or the
    /// last reset. `reset` sets them to zero afterwards.
    pub fn command_counts(&self, reset: bool) -> Vec<CommandCount> {
        self.shared.command_counts(reset)
    }

    /// Begins to write the trace to a new file, `traces/NAME.jsonl` in the
    /// region's folder, of at most so many bytes. An error when one is being
    /// written, or the file exists.
    pub fn trace_start(
        &self,
        name: &str,
        filter: TraceFilter,
        max_bytes: u64,
    ) -> std::io::Result<TraceStatus> {
        self.shared.trace_start(name, filter, max_bytes)
    }

    /// Ends the writing of the trace. Returns `None` if it is not written.
    pub fn trace_stop(&self) -> Option<TraceStatus> {
        self.shared.trace_stop()
    }

    /// Progress of the writing of the trace. Returns `None` if it is not written.
    pub fn trace_status(&self) -> Option<TraceStatus> {
        self.shared.trace_status()
    }

    /// Whether offload engines have CPUs that are not general ones.
    pub fn engines_are_apart(&self) -> bool {
        let (Some(offload), Some(general)) = (&self.shared.offload, &self.shared.general) else {
            return false;
        };
        let both = |cpu| {
            // SAFETY: both sets are whole, and `cpu` is within them.
            unsafe { libc::CPU_ISSET(cpu, offload) && libc::CPU_ISSET(cpu, general) }
        };
        !(0..libc::CPU_SETSIZE as usize).any(both)
    }

    /// The known damage of the store, as text.
    pub fn store_damage(&self) -> Option<String> {
        self.shared.store_damage()
    }

    /// Counters and gauges.
    pub fn statistics(&self) -> RegionStatistics {
        self.shared.statistics()
    }
}

impl GuestTask {
    /// The thread of this port runs the guest from now on.
    pub fn move_to(&mut self, port: &Port) {
        self.seat.listen_at(port.number);
    }
}

/// Runs a future to its end on a thread without a runtime.
pub fn block_on<F: Future>(future: F) -> F::Output {
    let parker = Arc::new(ThreadParker {
        thread: std::thread::current(),
        woken: AtomicBool::new(false),
    });
    let waker = Waker::from(parker.clone());
    let mut cx = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(result) = future.as_mut().poll(&mut cx) {
            return result;
        }
        while !parker.woken.swap(false, Ordering::Acquire) {
            std::thread::park();
        }
    }
}

/// Waits for a future's end on a thread without a runtime; false when the time
/// comes first.
fn wait_until(at: Instant, mut poll: impl FnMut(&mut Context<'_>) -> Poll<()>) -> bool {
    let parker = Arc::new(ThreadParker {
        thread: std::thread::current(),
        woken: AtomicBool::new(false),
    });
    let waker = Waker::from(parker.clone());
    let mut cx = Context::from_waker(&waker);
    loop {
        if poll(&mut cx).is_ready() {
            return true;
        }
        while !parker.woken.swap(false, Ordering::Acquire) {
            let left = at.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            std::thread::park_timeout(left);
        }
    }
}

struct ThreadParker {
    thread: Thread,
    woken: AtomicBool,
}

impl Wake for ThreadParker {
    fn wake(self: Arc<Self>) {
        self.woken.store(true, Ordering::Release);
        self.thread.unpark();
    }
}
