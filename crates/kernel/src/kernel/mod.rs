//! The kernel: the requests of running tasks, and the ends of tasks.
//!
//! It owns the lock table, the timers, the units of work and the waits of tasks. Resources
//! that a task can name (files, queues, counters, time) belong to resource managers
//! ([`ResourceManagers`]). A manager serves commands, takes part in units of work, and is
//! notified of the ends of tasks. Back-out, SYNCPOINT, ROLLBACK and the end of a task use the
//! same code.
//!
//! Like the core, the kernel only decides: the work to do is a list of [`KernelEffect`]s, and
//! the time is an argument. So a test can simulate workers, store and clock, and replay any
//! history by its seed.
//!
//! Reference: CICS application programming, "Syncpointing"; DTIMOUT for waits.

mod batch_units;
mod deciders;
mod decisions;
mod effect;
mod locks;
mod managers;
mod one_phase;
mod prepared;
mod request;
mod returning;
mod start_queue;
mod starting;
mod syncpoint;
mod tables;
mod timers;
mod unit;
mod unreadable;

#[cfg(test)]
mod branch_tests;
#[cfg(test)]
mod decider_tests;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet, VecDeque};

use link::{CallAnswer, CallOperation, CommandOperands, ProtocolViolation, WorkerCall};
use store::ReadStore;

pub use batch_units::{StoredUnit, end_unit, kept_unit, stored_units};
use deciders::DeciderTable;
pub use deciders::InDoubtUnit;
use decisions::OpenDecisions;
pub use effect::{
    InternalStart, JobContinuation, KernelEffect, Order, ParticipantId, StoreJob, UnitId, UnitToken,
};
pub use locks::{LockLifetime, LockName, LockOutcome, LockSpace, LockTable};
pub use managers::{ResourceManagers, SettleAction};
use one_phase::OnePhase;
use prepared::PreparedBranches;
pub use prepared::{BranchId, PreparedTask, PreparedUnit};
pub use request::{
    CallProgress, CallResult, CallingTask, CommandCompletion, CommandFailure, EventKind, EventName,
    RefusalMapping, Request, TaskWait, WaitExpiry, WaitOn, WakeReason, condition, done, done_with,
    done_with_condition,
};
pub use start_queue::{ROOM, StartQueue, WaitingStarts, share, take_one};
pub use starting::StartEnd;
pub use tables::scan;
pub use timers::{AlarmTarget, TimerId, TimerTable};
pub use unit::UnitTable;
pub use unreadable::log_unreadable;

use crate::core::TaskKey;
use crate::types::{FileAsk, FileKey, FileKind, FileWork, RegionStatistics, WaitKind};

/// Abend of a task that was purged while it waited.
pub const PURGED: [u8; 4] = *b"AEXY";

/// Abend of a command that failed in a way for which it has no condition.
pub const FAILED: [u8; 4] = *b"AEXZ";

/// The state of everything that running tasks can request.
pub struct Kernel<R> {
    state: KernelState,
    /// The resources that tasks can name.
    pub resources: R,
}

/// The state that resource managers use.
pub struct KernelState {
    /// Locks of all kinds.
    pub locks: LockTable,
    /// Alarms.
    pub timers: TimerTable,
    /// Pending changes.
    pub units: UnitTable,
    /// Units that are decided, and participants.
    decisions: OpenDecisions,
    /// Participants that decide, and units in doubt.
    deciders: DeciderTable,
    /// Units that wait for a coordinator of another region.
    prepared: PreparedBranches,
    one_phase: OnePhase,
    /// The committed state; `None` in a region without a store.
    pub reader: Option<Box<dyn ReadStore + Send>>,
    /// Changes of no unit of work that the store has refused.
    owed: Vec<store::UnitOfWork>,
    /// The settings at the start.
    pub settings: KernelSettings,
    /// Counters.
    pub counts: KernelCounters,
    waits: HashMap<TaskKey, SuspendedCall>,
    waiting_for: HashMap<EventName, Vec<TaskKey>>,
    woken: VecDeque<(TaskKey, WakeReason)>,
    /// Tasks that end when they next wait.
    purged: HashSet<TaskKey>,
    last_start: u64,
    /// Starts whose tasks have not begun.
    pub starts: StartQueue,
    /// A disk has less than its reserve left: commands that would use more of it fail.
    pub disk_is_short: bool,
    /// What could not be read of the region's last run.
    unread: Option<String>,
}

/// Settings of the kernel.
#[derive(Debug, Clone, Copy)]
pub struct KernelSettings {
    /// Nanoseconds that a task waits for a lock (DTIMOUT).
    pub lock_timeout_ns: u64,
    /// Nanoseconds that a task waits for a decider that cannot be reached.
    pub outcome_wait_ns: u64,
    /// Most starts that wait for their tasks to begin; more commands that add one fail.
    pub start_limit: usize,
    /// Nanoseconds between 1970 and the zero of the region's clock.
    pub unix_offset_ns: u64,
    /// How far local time is ahead of UTC.
    pub zone: ZoneOffset,
}

/// Seconds that local time is ahead of UTC, at an instant in seconds since
/// 1970.
pub type ZoneOffset = fn(i64) -> i64;

impl Default for KernelSettings {
    fn default() -> Self {
        KernelSettings {
            lock_timeout_ns: 0,
            outcome_wait_ns: deciders::OUTCOME_WAIT_NS,
            start_limit: usize::MAX,
            unix_offset_ns: 0,
            zone: |_| 0,
        }
    }
}

impl KernelSettings {
    /// Local time in nanoseconds since 1970, at an instant of the region's
    /// clock. The zone is asked each time: summer time begins and ends while
    /// the region runs.
    pub fn local_ns(&self, at: u64) -> u64 {
        let unix_ns = self.unix_offset_ns + at;
        let ahead_s = (self.zone)((unix_ns / 1_000_000_000) as i64);
        unix_ns.saturating_add_signed(ahead_s * 1_000_000_000)
    }
}

/// The counters of the kernel.
#[derive(Debug, Clone, Copy, Default)]
pub struct KernelCounters {
    commits: u64,
    backouts: u64,
    batches: u64,
    lock_waits: u64,
    deadlocks: u64,
    /// Failed commits since the last successful one.
    store_failures: u64,
}

/// A call that waits.
struct SuspendedCall {
    request: Request,
    wait: TaskWait,
    timer: Option<TimerId>,
    since: u64,
}

/// The arguments of a call of the kernel: the time, the kernel's state, and the list of
/// effects to carry out afterwards.
pub struct KernelContext<'a> {
    /// Nanoseconds of the region's clock.
    pub now: u64,
    /// Locks, timers, units and the committed state.
    pub kernel: &'a mut KernelState,
    /// The effects for the shell.
    pub out: &'a mut Vec<KernelEffect>,
}

impl KernelState {
    /// Records that stored data cannot be read at the start.
    pub fn not_restored(&mut self, what: &str, error: &store::ReadError) {
        self.unread
            .get_or_insert_with(|| format!("{what} cannot be read: {error}"));
    }
}

impl KernelContext<'_> {
    /// Locks a name for a task: `Some(true)` when the lock is new to the task,
    /// `Some(false)` when it had it, `None` when the task waits for it; the
    /// call ends with [`KernelContext::wait_for_lock`] then. A wait that can never end is
    /// the abend `deadlock`.
    pub fn lock(
        &mut self,
        request: &Request,
        name: &LockName,
        lifetime: LockLifetime,
        deadlock: [u8; 4],
    ) -> Result<Option<bool>, CommandFailure> {
        let granted = request.woken == Some(WakeReason::Granted);
        match self.kernel.locks.lock(request.caller.key, name, lifetime) {
            LockOutcome::New => Ok(Some(true)),
            // A lock that was waited for counts as new, like one that was free.
            LockOutcome::Owned => Ok(Some(granted)),
            LockOutcome::Waits => Ok(None),
            LockOutcome::Deadlock => {
                self.kernel.counts.deadlocks += 1;
                Err(CommandFailure::Abend(deadlock))
            }
        }
    }

    /// The wait for a lock, limited by the task's DTIMOUT or else by the region; then it ends
    /// with the abend `timeout`.
    pub fn wait_for_lock(
        &mut self,
        request: &Request,
        name: LockName,
        timeout: [u8; 4],
    ) -> CallProgress {
        self.kernel.counts.lock_waits += 1;
        CallProgress::Wait(TaskWait {
            on: WaitOn::Lock(name),
            until: self.wait_limit(request),
            expiry: WaitExpiry::Abend(timeout),
        })
    }

    /// When a wait that begins now ends at the latest; `None` for never.
    pub fn wait_limit(&self, request: &Request) -> Option<u64> {
        let own = request.caller.lock_timeout_ns;
        let limit_ns = own.unwrap_or(self.kernel.settings.lock_timeout_ns);
        (limit_ns > 0).then(|| self.now.saturating_add(limit_ns))
    }

    /// Releases a lock; the first waiting task continues.
    pub fn unlock(&mut self, task: TaskKey, name: &LockName) {
        let next = self.kernel.locks.unlock(task, name);
        let woken = next.map(|task| (task, WakeReason::Granted));
        self.kernel.woken.extend(woken);
    }

    /// An event happened: every task that waits for it tries its call again.
    pub fn signal(&mut self, kind: EventKind, key: &[u8]) {
        let name = EventName {
            kind,
            key: key.into(),
        };
        let waiters = self.kernel.waiting_for.remove(&name).unwrap_or_default();
        let woken = waiters.into_iter().map(|task| (task, WakeReason::Event));
        self.kernel.woken.extend(woken);
    }

    /// A participant has no changes for a task after all.
    pub fn leave(&mut self, task: TaskKey, participant: ParticipantId) {
        self.kernel.units.leave(task, participant);
    }

    /// Whether a task waits for this event.
    pub fn is_awaited(&self, kind: EventKind, key: &[u8]) -> bool {
        let name = EventName {
            kind,
            key: key.into(),
        };
        self.kernel.waiting_for.contains_key(&name)
    }

    /// Makes the store accept changes that belong to no unit of work; no task waits for them.
    pub fn change_store(&mut self, changes: store::UnitOfWork) {
        if self.kernel.reader.is_some() && !changes.is_empty() {
            self.out.push(KernelEffect::Commit(StoreJob {
                task: TaskKey::NO_TASK,
                changes: changes.clone(),
                then: JobContinuation::Nothing(changes),
            }));
        }
    }

    /// As [`KernelContext::change_store`], but a refused change is not tried again: a later
    /// change to the same entry may have been accepted meanwhile.
    pub fn change_store_once(&mut self, changes: store::UnitOfWork) {
        if self.kernel.reader.is_some() && !changes.is_empty() {
            self.out.push(KernelEffect::Commit(StoreJob {
                task: TaskKey::NO_TASK,
                changes,
                then: JobContinuation::Nothing(store::UnitOfWork::default()),
            }));
        }
    }

    /// Passes a file request of a task to the file threads, which answer the command.
    pub fn ask_file(&mut self, task: TaskKey, file: FileKey, ask: FileAsk) -> CallProgress {
        let work = FileWork { file, ask };
        self.out.push(KernelEffect::File(Some(task), work));
        CallProgress::Later
    }

    /// A file is not used any more.
    pub fn forget_file(&mut self, file: FileKey, kind: FileKind) {
        let ask = FileAsk::Forget(kind);
        self.out
            .push(KernelEffect::File(None, FileWork { file, ask }));
    }

    /// Microseconds since 1970.
    pub fn unix_us(&self) -> u64 {
        (self.kernel.settings.unix_offset_ns + self.now) / 1_000
    }

    /// A task's pending changes and the committed state. Returns `None` in a region without a
    /// store.
    pub fn unit_and_store(
        &mut self,
        task: TaskKey,
    ) -> Option<(&mut store::UnitOfWork, &mut (dyn ReadStore + Send))> {
        let reader = self.kernel.reader.as_mut()?;
        Some((&mut self.kernel.units.of(task).changes, reader.as_mut()))
    }
}

impl<R: ResourceManagers> Kernel<R> {
    /// A kernel over a store's reader.
    pub fn new(
        reader: Option<Box<dyn ReadStore + Send>>,
        settings: KernelSettings,
        resources: R,
    ) -> Self {
        Kernel {
            state: KernelState {
                locks: LockTable::default(),
                timers: TimerTable::default(),
                units: UnitTable::default(),
                decisions: OpenDecisions::default(),
                deciders: DeciderTable::default(),
                prepared: PreparedBranches::default(),
                one_phase: OnePhase::default(),
                owed: Vec::new(),
                unread: None,
                reader,
                settings,
                counts: KernelCounters::default(),
                waits: HashMap::new(),
                waiting_for: HashMap::new(),
                woken: VecDeque::new(),
                purged: HashSet::new(),
                last_start: 0,
                starts: StartQueue::new(settings.start_limit),
                disk_is_short: false,
            },
            resources,
        }
    }

    /// Calls resource managers outside of any task: definitions, operators.
    pub fn with<T>(
        &mut self,
        now: u64,
        out: &mut Vec<KernelEffect>,
        call: impl FnOnce(&mut R, &mut KernelContext<'_>) -> T,
    ) -> T {
        let result = self.manage(now, out, call);
        self.wake(now, out);
        result
    }

    /// A call of a running task. An error means operands that no correct worker writes.
    pub fn call(
        &mut self,
        now: u64,
        caller: CallingTask,
        call: WorkerCall,
        out: &mut Vec<KernelEffect>,
    ) -> Result<(), ProtocolViolation> {
        let operands = match call.op {
            CallOperation::Command => CommandOperands::parse(&call.data)?,
            _ => CommandOperands::default(),
        };
        self.begin_unit(now, &caller, out);
        match call.op {
            CallOperation::Syncpoint => {
                self.note_caller(&caller);
                self.syncpoint(now, caller.key, out);
            }
            CallOperation::Rollback => self.rollback(now, caller.key, out),
            _ => {
                let request = Request {
                    caller,
                    call,
                    operands,
                    woken: None,
                    of_job: false,
                    progress: 0,
                };
                self.attempt(now, request, out);
            }
        }
        self.wake(now, out);
        Ok(())
    }

    /// A call of the task that represents a batch job: an operation on a record.
    pub fn call_for_job(
        &mut self,
        now: u64,
        caller: CallingTask,
        call: WorkerCall,
        out: &mut Vec<KernelEffect>,
    ) {
        self.begin_unit(now, &caller, out);
        let request = Request {
            caller,
            call,
            operands: CommandOperands::default(),
            woken: None,
            of_job: true,
            progress: 0,
        };
        self.attempt(now, request, out);
        self.wake(now, out);
    }

    /// A task ended: commit its unit, or back it out. [`KernelEffect::Ended`] follows.
    pub fn end(
        &mut self,
        now: u64,
        caller: CallingTask,
        commit: bool,
        out: &mut Vec<KernelEffect>,
    ) {
        self.begin_unit(now, &caller, out);
        self.end_task(now, caller, commit, out);
        self.wake(now, out);
    }

    /// The store has finished a job.
    pub fn committed(
        &mut self,
        now: u64,
        task: TaskKey,
        then: JobContinuation,
        result: Result<(), store::ApplyError>,
        out: &mut Vec<KernelEffect>,
    ) {
        self.stored(now, task, then, result, out);
        self.wake(now, out);
    }

    /// A task's file request is complete.
    pub fn file_answered(
        &mut self,
        now: u64,
        task: TaskKey,
        file: (FileKind, FileKey),
        answer: CallAnswer,
        out: &mut Vec<KernelEffect>,
    ) {
        self.manage(now, out, |r, cx| r.file_answered(cx, file, &answer));
        out.push(KernelEffect::Answer(task, answer, 0));
        self.wake(now, out);
    }

    /// A participant reports whether it can commit, or whether it has committed: in one phase,
    /// or a decision.
    pub fn voted(
        &mut self,
        now: u64,
        unit: UnitId,
        participant: ParticipantId,
        yes: bool,
        out: &mut Vec<KernelEffect>,
    ) {
        self.vote(now, unit, participant, yes, out);
        self.wake(now, out);
    }

    /// Handles everything that is due. [`Kernel::next_alarm`] has the next time.
    pub fn expire(&mut self, now: u64, out: &mut Vec<KernelEffect>) {
        while let Some(alarm) = self.state.timers.due(now) {
            match alarm {
                AlarmTarget::Wait(task) => self.expire_wait(task, out),
                AlarmTarget::Branch(key) => self.waited(now, key, out),
                AlarmTarget::OnePhase(unit) => self.unknown(now, unit, out),
                AlarmTarget::Decider(unit) => self.decider_due(now, unit, out),
                AlarmTarget::Decisions => self.manage(now, out, |_, cx| cx.resend_decisions()),
                AlarmTarget::Manager(manager, number) => {
                    self.manage(now, out, |r, cx| r.alarm(cx, manager, number));
                }
            }
            self.wake(now, out);
        }
    }

    /// When the next alarm is due.
    pub fn next_alarm(&self) -> Option<u64> {
        self.state.timers.next()
    }

    /// Ends the wait of a task with an abend. Returns false if it does not wait here.
    pub fn purge(&mut self, task: TaskKey, code: [u8; 4], out: &mut Vec<KernelEffect>) -> bool {
        if self.take_wait(task).is_none() {
            return false;
        }
        out.push(KernelEffect::Waits(task));
        out.push(KernelEffect::Answer(task, CallAnswer::of_abend(&code), 0));
        true
    }

    /// Makes a running task end with [`PURGED`] when it next waits.
    pub fn purge_at_next_wait(&mut self, task: TaskKey) {
        self.state.purged.insert(task);
    }

    /// Whether a task has changed something since its last syncpoint.
    pub fn has_changes(&self, task: TaskKey) -> bool {
        let unit = self.state.units.get(task);
        unit.is_some_and(|u| !u.changes.is_empty())
    }

    /// Whether the end of a task's unit would do something: commit changes, or release locks.
    pub fn holds_unit(&self, task: TaskKey) -> bool {
        let unit = self.state.units.get(task);
        unit.is_some_and(|u| !u.is_empty()) || self.state.locks.of_unit(task).next().is_some()
    }

    /// Whether a task waits.
    pub fn waits(&self, task: TaskKey) -> bool {
        self.state.waits.contains_key(&task)
    }

    /// Whether the task waits for a child, which may use its place meanwhile.
    pub fn waits_for_child(&self, task: TaskKey) -> bool {
        self.wait_of(task).is_some_and(|(on, _)| match on {
            WaitOn::Event(name) => name.kind.counts == WaitKind::Child,
            _ => false,
        })
    }

    /// The object of a task's wait and its begin, for operators.
    pub fn wait_of(&self, task: TaskKey) -> Option<(&WaitOn, u64)> {
        let suspended = self.state.waits.get(&task)?;
        Some((&suspended.wait.on, suspended.since))
    }

    /// When the wait of a task ends at the latest.
    pub fn wait_until(&self, task: TaskKey) -> Option<u64> {
        self.state.waits.get(&task)?.wait.until
    }

    /// The settings at the start.
    pub fn settings(&self) -> &KernelSettings {
        &self.state.settings
    }

    /// True when no task has a unit of work or waits.
    #[cfg(any(test, feature = "sim"))]
    pub fn is_idle(&self) -> bool {
        self.state.waits.is_empty()
            && self.state.waiting_for.is_empty()
            && self.state.units.is_empty()
    }

    /// Units that are decided, and the participants that have not acknowledged.
    pub fn open_decisions(&self) -> impl Iterator<Item = (UnitId, &str)> {
        self.state.decisions.open()
    }

    /// The names of the participants in a task's unit of work, except the store.
    pub fn participants_of(&self, task: TaskKey) -> impl Iterator<Item = &str> {
        let unit = self.state.units.get(task);
        let all = unit.into_iter().flat_map(|unit| &unit.participants);
        all.filter_map(|p| self.state.decisions.name(*p))
    }

    /// The locks, their owners and waiters.
    pub fn locks(&self) -> &LockTable {
        &self.state.locks
    }

    /// Puts the files' definitions in the order of those in force, with the store's attributes.
    pub fn renumber_files(&mut self, entries: &[link::FileEntry]) -> Vec<link::FileEntry> {
        let reader = self.state.reader.as_mut();
        let reader = reader.map(|r| r.as_mut() as &mut (dyn ReadStore + Send));
        self.resources.renumber_files(reader, entries)
    }

    /// Restores the stored state of the resource managers. Called once, before tasks can start.
    /// If it cannot be read, the region must not run: it would overwrite data that it does not
    /// know.
    pub fn restore(&mut self, now: u64, out: &mut Vec<KernelEffect>) -> Result<(), String> {
        self.restore_decisions();
        self.restore_prepared();
        self.restore_deciders();
        self.begin_units(now);
        self.manage(now, out, |resources, cx| resources.restore(cx));
        self.restore_parts(now, out);
        self.restore_decider_parts(now, out);
        self.wake(now, out);
        match self.state.unread.take() {
            None => Ok(()),
            Some(what) => {
                out.clear();
                Err(what)
            }
        }
    }

    /// The changes that resource managers must store at a normal end of the region.
    pub fn keep(&mut self, now: u64) -> store::UnitOfWork {
        let mut changes = store::UnitOfWork::default();
        self.manage(now, &mut Vec::new(), |resources, cx| {
            resources.keep(cx, &mut changes);
        });
        changes
    }

    /// Takes the files' definitions over.
    pub fn define_files(&mut self, entries: &[link::FileEntry]) {
        if let Some(reader) = &mut self.state.reader {
            self.resources.define_files(reader.as_mut(), entries);
        }
    }

    /// One transaction of the store contained some jobs.
    pub fn count_batch(&mut self) {
        self.state.counts.batches += 1;
    }

    /// Adds the kernel's counters.
    pub fn count(&self, statistics: &mut RegionStatistics) {
        let counts = &self.state.counts;
        statistics.commits = counts.commits;
        statistics.backouts = counts.backouts;
        statistics.commit_batches = counts.batches;
        statistics.store_failures = counts.store_failures;
        let detached = self.state.deciders.detached.len();
        statistics.units_in_doubt = (self.branches().count() + detached) as u64;
        statistics.waiting_starts = self.state.starts.counts().all as u64;
        statistics.lock_waits = counts.lock_waits;
        statistics.deadlocks = counts.deadlocks;
    }

    fn manage<T>(
        &mut self,
        now: u64,
        out: &mut Vec<KernelEffect>,
        call: impl FnOnce(&mut R, &mut KernelContext<'_>) -> T,
    ) -> T {
        let mut cx = KernelContext {
            now,
            kernel: &mut self.state,
            out,
        };
        call(&mut self.resources, &mut cx)
    }

    /// Begins a task's first unit, unless it has begun.
    fn begin_unit(&mut self, now: u64, caller: &CallingTask, out: &mut Vec<KernelEffect>) {
        if self.state.units.get(caller.key).is_some() {
            return;
        }
        self.state.units.of(caller.key);
        if caller.start.is_some() {
            self.manage(now, out, |resources, cx| resources.task_begun(cx, caller));
        }
    }

    /// Tries a call, the first time or again.
    fn attempt(&mut self, now: u64, mut request: Request, out: &mut Vec<KernelEffect>) {
        let task = request.caller.key;
        let again = request.woken.is_some();
        let served = self.manage(now, out, |r, cx| r.serve(cx, &mut request));
        // A worker sends only calls that its table assigns to the region.
        let served = served.unwrap_or(Err(CommandFailure::Abend(*b"AEY9")));
        let served = match served {
            Ok(CallProgress::Wait(_)) if self.state.purged.remove(&task) => {
                self.state.locks.give_up(task);
                Err(CommandFailure::Abend(PURGED))
            }
            served => served,
        };
        let waits = matches!(served, Ok(CallProgress::Wait(_)));
        if waits != again {
            out.push(KernelEffect::Waits(task));
        }
        match served {
            Ok(CallProgress::Done(answer)) => out.push(KernelEffect::Answer(task, answer, 0)),
            Ok(CallProgress::Later) => {}
            Ok(CallProgress::Wait(wait)) => self.suspend(now, request, wait),
            Ok(CallProgress::Commit(changes, outcome)) => {
                self.state.units.of(task).commit_began = Some(now);
                out.push(KernelEffect::Commit(StoreJob {
                    task,
                    changes,
                    then: JobContinuation::Command(Box::new(outcome)),
                }));
            }
            Err(failure) => out.push(KernelEffect::Answer(task, failure.into(), 0)),
        }
    }

    fn suspend(&mut self, now: u64, request: Request, wait: TaskWait) {
        let task = request.caller.key;
        let timers = &mut self.state.timers;
        let timer = wait.until.map(|at| timers.set(at, AlarmTarget::Wait(task)));
        if let WaitOn::Event(name) = &wait.on {
            let waiters = self.state.waiting_for.entry(name.clone()).or_default();
            waiters.push(task);
        }
        let suspended = SuspendedCall {
            request,
            wait,
            timer,
            since: now,
        };
        self.state.waits.insert(task, suspended);
    }

    /// Ends a task's wait, and removes the task from every queue.
    fn take_wait(&mut self, task: TaskKey) -> Option<SuspendedCall> {
        let suspended = self.state.waits.remove(&task)?;
        if let Some(timer) = suspended.timer {
            self.state.timers.cancel(timer);
        }
        match &suspended.wait.on {
            WaitOn::Lock(_) => self.state.locks.give_up(task),
            WaitOn::Event(name) => {
                if let Some(waiters) = self.state.waiting_for.get_mut(name) {
                    waiters.retain(|w| *w != task);
                    if waiters.is_empty() {
                        self.state.waiting_for.remove(name);
                    }
                }
            }
            WaitOn::Time => {}
        }
        Some(suspended)
    }

    fn expire_wait(&mut self, task: TaskKey, out: &mut Vec<KernelEffect>) {
        let Some(suspended) = self.state.waits.get(&task) else {
            return;
        };
        match suspended.wait.expiry {
            WaitExpiry::Resume => self.state.woken.push_back((task, WakeReason::Expired)),
            WaitExpiry::Abend(code) => {
                self.purge(task, code, out);
            }
        }
    }

    /// Lets the woken tasks continue, and those that they wake.
    fn wake(&mut self, now: u64, out: &mut Vec<KernelEffect>) {
        while let Some((task, woken)) = self.state.woken.pop_front() {
            if let Some(mut suspended) = self.take_wait(task) {
                suspended.request.woken = Some(woken);
                self.attempt(now, suspended.request, out);
            }
        }
    }
}
