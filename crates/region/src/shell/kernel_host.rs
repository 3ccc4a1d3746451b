//! The kernel of a region, joined to its tasks, workers, store and clock.

use std::cell::Cell;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use link::trace::KernelPoint;
use link::{CallAnswer, ProtocolViolation, StoreEntry, TransId, WorkerCall};
use store::{
    CheckEnded, CheckReport, CommitDurability, DiskOptions, DiskStore, ReaderTables, StorageError,
    StoreDamage, WriteStore,
};

use super::SharedRegion;
use super::clock::{now_ns, unix_offset_ns, zone_s};
use super::committer::{self, CommitterHandle};
use super::files::FilePool;
use super::lease::{ended_well, left_return};
use super::ordered_lock::{LockRank, OrderedGuard, OrderedLock};
use super::wakes;
use crate::api::{Abend, RegionConfig, StartError, WaitKind};
use kernel::core::TaskKey;
use kernel::resources::dump::DumpControl;
use kernel::resources::storage::SharedArea;
use kernel::resources::{Kernel, Resources};
use kernel::{CallingTask, FileWork, KernelEffect, KernelSettings, PURGED};

thread_local! {
    /// The dispatch thread checks its alarms by itself.
    static IS_DISPATCH: Cell<bool> = const { Cell::new(false) };
}

/// Makes the calling thread the one that takes alarms.
pub fn become_dispatch() {
    IS_DISPATCH.set(true);
}

/// A task as the trace shows it.
#[derive(Clone, Copy)]
struct TracedTask {
    key: TaskKey,
    number: u64,
    transid: TransId,
}

impl TracedTask {
    fn of(caller: &CallingTask) -> Self {
        TracedTask {
            key: caller.key,
            number: caller.number,
            transid: caller.transid,
        }
    }
}

/// A region's kernel and the threads it has work done by.
pub struct KernelHost {
    kernel: OrderedLock<Kernel>,
    committer: OrderedLock<Option<CommitterHandle>>,
    /// The threads that work with files outside the store.
    files: Arc<FilePool>,
    damage: StoreDamage,
}

/// The room, what its committer's thread needs, and where workers' reader
/// tables come from; without a store neither.
pub type OpenedKernel = (KernelHost, Option<CommitterParts>, Option<ReaderTables>);

/// The parts for the committer's thread.
pub type CommitterParts = (Box<dyn WriteStore>, Receiver<committer::Order>);

impl KernelHost {
    /// Opens the store, if the region has one.
    pub fn open(config: &mut RegionConfig) -> Result<OpenedKernel, StartError> {
        let failed = |text: String| StartError::Store(text);
        let settings = KernelSettings {
            lock_timeout_ns: u64::from(config.lock_timeout_ms) * 1_000_000,
            unix_offset_ns: unix_offset_ns(),
            zone: zone_s,
            start_limit: config.queue_limit,
            ..KernelSettings::default()
        };
        let storage = SharedArea::new(config.shared_storage_bytes);
        let mut resources = Resources::new(storage, DumpControl::new(config.dumps.clone()));
        resources.define(&config.kernel_config(&config.definitions));
        let (mut reader, mut writer, mut tables) = (None, None, None);
        let mut damage = StoreDamage::default();
        if let Some(entry) = &config.store {
            let mut store = open_disk(&entry.path, entry).map_err(failed)?;
            damage = store.damage();
            // Before any reader opens it.
            let path = entry.path.join("data.mdb");
            let ended: CheckEnded = Box::new(move |report, took| log_check(&path, report, took));
            store
                .check_in_background(ended)
                .map_err(|error| failed(error.to_string()))?;
            let mut own = store.reader().map_err(|e| failed(e.to_string()))?;
            let files = &mut config.definitions.files;
            kernel::resources::files::complete(own.as_mut(), files);
            resources.files.define(own.as_mut(), files);
            tables = Some(store.reader_tables().map_err(|e| failed(e.to_string()))?);
            reader = Some(own);
            writer = Some(store);
        }
        let mut committer = None;
        let committing = writer.map(|store| {
            let (way, orders) = CommitterHandle::new();
            committer = Some(way);
            (store as Box<dyn WriteStore>, orders)
        });
        let room = KernelHost {
            kernel: OrderedLock::new(LockRank::Kernel, Kernel::new(reader, settings, resources)),
            committer: OrderedLock::new(LockRank::Committer, committer),
            files: FilePool::new(),
            damage,
        };
        Ok((room, committing, tables))
    }

    /// The kernel.
    pub fn lock(&self) -> OrderedGuard<'_, Kernel> {
        self.kernel.lock()
    }

    /// The known damage of the store, as text.
    pub fn store_damage(&self) -> Option<String> {
        let damage = self.damage.summary()?;
        Some(format!("the store is damaged: {damage}; {WAYS_ON}"))
    }

    /// True when the region has a store.
    pub fn has_store(&self) -> bool {
        self.committer().is_some()
    }

    /// Has the committer's thread run `work` between two commits, and waits for the
    /// result. Returns `None` when the region has no store, or ends meanwhile.
    pub fn work<R: Send + 'static>(
        &self,
        work: impl FnOnce(&mut dyn WriteStore) -> R + Send + 'static,
    ) -> Option<R> {
        let (done, result) = channel();
        self.committer().as_ref()?.work(Box::new(move |store| {
            // The thread that asked waits below, unless it panicked.
            let _ = done.send(work(store));
        }));
        result.recv().ok()
    }

    /// Lets the threads of the kernel end after the work that they have.
    pub fn close(&self) {
        self.committer().take();
        self.files.close();
    }

    fn committer(&self) -> OrderedGuard<'_, Option<CommitterHandle>> {
        self.committer.lock()
    }
}

impl SharedRegion {
    /// Calls the kernel and carries out its effects afterwards.
    pub(crate) fn kernel<R>(
        self: &Arc<Self>,
        call: impl FnOnce(&mut Kernel, u64, &mut Vec<KernelEffect>) -> R,
    ) -> R {
        self.kernel_for(None, call)
    }

    /// As [`SharedRegion::kernel`], for a task that the caller knows: its fields for the
    /// trace need not be looked up.
    fn kernel_for<R>(
        self: &Arc<Self>,
        known: Option<TracedTask>,
        call: impl FnOnce(&mut Kernel, u64, &mut Vec<KernelEffect>) -> R,
    ) -> R {
        let mut effects = Vec::new();
        let mut kernel = self.kernel.lock();
        let result = call(&mut kernel, now_ns(), &mut effects);
        // Under the lock, so that the store receives changes in their order.
        let committing = self.hand_over(&mut effects);
        let changed = known.map(|k| k.key).filter(|k| kernel.has_changes(*k));
        let next = kernel.next_alarm().unwrap_or(u64::MAX);
        // Under the lock, so that the last word is the kernel's newest.
        let before = self.alarm.swap(next, Ordering::SeqCst);
        drop(kernel);
        if next < before && !IS_DISPATCH.get() {
            self.page.notify(0);
        }
        for task in committing {
            match known.filter(|k| k.key == task) {
                Some(k) => self
                    .trace
                    .put(KernelPoint::Commit, k.number, k.transid, None),
                None => self.trace_task(KernelPoint::Commit, task, None),
            }
        }
        self.perform_effects(effects, changed);
        result
    }

    /// Passes the commits to the committer; returns their tasks.
    fn hand_over(&self, effects: &mut Vec<KernelEffect>) -> Vec<TaskKey> {
        let is_commit = |effect: &mut KernelEffect| matches!(effect, KernelEffect::Commit(_));
        let jobs = effects.extract_if(.., is_commit);
        let mut tasks = Vec::new();
        for effect in jobs {
            if let KernelEffect::Commit(job) = effect {
                tasks.push(job.task);
                if let Some(committer) = &*self.kernel.committer() {
                    committer.commit(job);
                }
            }
        }
        tasks
    }

    /// A call of a task that runs in a worker.
    pub(super) fn serve_in_kernel(self: &Arc<Self>, worker: usize, key: TaskKey, call: WorkerCall) {
        if self.call_kernel(key, call).is_err() {
            tracing::error!(worker, "the operands of a worker's call are not valid");
            self.with(|core, cx| core.protocol_violation(cx, worker));
        }
    }

    /// A call of a running task, or of a program's run for an open task.
    pub(super) fn call_kernel(
        self: &Arc<Self>,
        key: TaskKey,
        call: WorkerCall,
    ) -> Result<(), ProtocolViolation> {
        let Some(caller) = self.caller(key) else {
            return Ok(());
        };
        self.kernel_for(Some(TracedTask::of(&caller)), |k, now, out| {
            k.call(now, caller, call, out)
        })
    }

    /// A call of the open task of a batch job.
    pub(super) fn call_for_job(self: &Arc<Self>, key: TaskKey, call: WorkerCall) {
        if let Some(caller) = self.caller(key) {
            self.kernel_for(Some(TracedTask::of(&caller)), |k, now, out| {
                k.call_for_job(now, caller, call, out);
            });
        }
    }

    /// The task whose unit of work the calls of `key` belong to. The kernel has an entry
    /// for it from now on.
    pub(super) fn caller(&self, key: TaskKey) -> Option<CallingTask> {
        let mut state = self.lock();
        let owner = state.core.unit_owner(key);
        let task = state.core.task_mut(owner)?;
        // Before the answer: the task's end must find it set.
        task.in_kernel = true;
        Some(task.caller(owner))
    }

    /// Whether a task has changed something since its last syncpoint.
    pub(super) fn has_changes(&self, key: TaskKey) -> bool {
        self.kernel.lock().has_changes(key)
    }

    /// A task that the kernel knows is over: commit, or back out.
    pub(super) fn end_unit(self: &Arc<Self>, key: TaskKey, has_results: bool) {
        let (commit, left, caller) = {
            let state = self.lock();
            let commit = has_results && ended_well(&state, key);
            let Some(task) = state.core.task(key) else {
                return;
            };
            let left = if commit && task.start.is_some() {
                left_return(&state, key)
            } else {
                None
            };
            (commit, left, task.caller(key))
        };
        self.kernel_for(Some(TracedTask::of(&caller)), |k, now, out| match left {
            Some(left) => k.end_with_return(now, caller, left, out),
            None => k.end(now, caller, commit, out),
        });
    }

    /// Has the store take over what a normal end of the region must not lose.
    pub fn keep(self: &Arc<Self>) {
        let changes = self.kernel(|k, now, _| k.keep(now));
        if changes.is_empty() {
            return;
        }
        let kept = self.kernel.work(move |store| store.apply(&[changes]));
        for error in kept.into_iter().flatten().filter_map(Result::err) {
            tracing::error!(%error, "the state for the next start could not be stored");
        }
    }

    /// A disk has come down to its reserve, or has room again.
    pub(super) fn disk_changed(self: &Arc<Self>, is_short: bool) {
        self.kernel(|k, now, out| k.with(now, out, |r, cx| r.disk_changed(cx, is_short)));
    }

    /// Runs the alarms that are due.
    pub(super) fn take_alarms(self: &Arc<Self>, now: u64) {
        if self.alarm.load(Ordering::SeqCst) <= now {
            self.kernel(|k, now, out| k.expire(now, out));
        }
    }

    /// Ends the wait of a task, or its worker when it waits for nothing here.
    pub(super) fn purge(self: &Arc<Self>, key: TaskKey) {
        let works = self.purge_guests(key);
        if !self.kernel(|k, _, out| k.purge(key, PURGED, out)) && !self.purge_outside(key) && !works
        {
            self.with(|core, cx| core.kill_task(cx, key));
        }
    }

    /// A worker's process has ended, and with it its reader of the store.
    pub(super) fn worker_ended(&self) {
        if let Some(committer) = &*self.kernel.committer() {
            committer.reader_ended();
        }
    }

    /// The committer's thread.
    pub(super) fn run_committer(
        self: &Arc<Self>,
        store: Box<dyn WriteStore>,
        orders: &Receiver<committer::Order>,
    ) {
        committer::run(store, orders, |ended| {
            self.kernel(|k, now, out| {
                k.count_batch();
                for (task, then, result) in ended {
                    k.committed(now, task, then, result, out);
                }
            });
        });
    }

    /// Does what the kernel asks for; `changed` is the task that called it, if it
    /// has changes to commit.
    fn perform_effects(self: &Arc<Self>, effects: Vec<KernelEffect>, changed: Option<TaskKey>) {
        let mut ended = Vec::new();
        let mut forgotten = Vec::new();
        for effect in effects {
            match effect {
                KernelEffect::Answer(task, answer, waited) => {
                    self.answer_waiting(task, &answer, waited, changed == Some(task));
                }
                KernelEffect::Waits(task) => self.wait_changed(task),
                // Handed over under the kernel's lock.
                KernelEffect::Commit(_) => {}
                KernelEffect::Participant(unit, participant, order) => {
                    self.send_to_participant(unit, participant, order);
                }
                KernelEffect::Decide(unit, participant, token) => {
                    self.send_to_decider(unit, participant, token, false);
                }
                KernelEffect::AskOutcome(unit, participant, token) => {
                    self.send_to_decider(unit, participant, token, true);
                }
                KernelEffect::Forget(participant, token) => forgotten.push((participant, token)),
                KernelEffect::Ended(task, abend) => ended.push((task, abend)),
                KernelEffect::Start(start) => {
                    self.trace.put(KernelPoint::Start, 0, start.transid, None);
                    self.start_task(*start);
                }
                KernelEffect::Priority(task, priority) => {
                    self.with(|core, _| core.set_priority(task, priority));
                }
                KernelEffect::Line {
                    queue,
                    task,
                    record,
                } => self.log_record(queue, task, &record),
                KernelEffect::File(task, work) => self.work_with_file(task, work),
                KernelEffect::Statistics => self.record_statistics(),
                KernelEffect::Trace {
                    task,
                    transid,
                    number,
                    data,
                } => self.trace.user(number, task, transid, &data),
                KernelEffect::Settled(branch, yes) => self.settled(&branch, yes),
                KernelEffect::Outcome(branch, committed) => self.outcome_known(&branch, committed),
                KernelEffect::Facility(id, event) => self.report_facility(id, *event),
            }
        }
        if !forgotten.is_empty() {
            self.forget_outcomes(&mut forgotten);
        }
        if !ended.is_empty() {
            self.units_over(ended);
        }
    }

    /// A running task begins or ends a wait.
    fn wait_changed(self: &Arc<Self>, task: TaskKey) {
        self.with(|core, cx| {
            let worker = core.runs_in(task);
            if worker.is_none() && core.task(task).is_none_or(|t| t.open.is_none()) {
                return;
            }
            let kernel = self.kernel.lock();
            let (waits, lends) = (kernel.waits(task), kernel.waits_for_child(task));
            let kind = kernel.wait_of(task).map(|(on, _)| on.kind());
            drop(kernel);
            let point = if waits {
                KernelPoint::Wait
            } else {
                KernelPoint::Wake
            };
            if let Some(of) = core.task(task) {
                self.trace.put(point, of.number, of.transid, None);
            }
            if let Some(of) = core.task_mut(task) {
                match kind {
                    Some(kind) => of.waits.begin(kind, cx.now),
                    None => of.waits.end(cx.now),
                }
            }
            if let Some(worker) = worker {
                // Its worker waits for a guest all the while.
                let guest = cx.links.get(worker).is_some_and(|l| l.guests.works());
                core.waits(cx, worker, waits || guest);
            }
            core.lend(cx, task, lends);
        });
    }

    /// Answers the call of a task, unless its worker has died meanwhile: the
    /// worker of that number may be another.
    pub(crate) fn answer_task(&self, task: TaskKey, answer: &CallAnswer) {
        self.answer_waiting(task, answer, 0, false);
    }

    /// The same for one that waited so many nanoseconds for the store. Of one
    /// that has changes to commit the dispatch thread takes the end: it is awake
    /// more often than the door, which has nothing to do before the commit.
    fn answer_waiting(&self, task: TaskKey, answer: &CallAnswer, waited: u64, commits: bool) {
        let mut state = self.lock();
        if let Some(of) = state.core.task_mut(task) {
            of.waits.add(WaitKind::Syncpoint, waited);
        }
        let worker = state.core.runs_in(task);
        let link = worker.and_then(|w| state.links.get(w).cloned());
        if let Some(link) = link {
            drop(state);
            link.side.set_commits(commits);
            match link.guests.answer(answer) {
                Some(wake) => self.wake_futures(&mut wake.into_iter().collect()),
                None => wakes::answer(&link, answer),
            }
            return;
        }
        let (_, waker) = state.core.answer_open(task, answer);
        drop(state);
        self.wake_futures(&mut waker.into_iter().collect());
    }

    /// The units of work of tasks that end are over, and so are the tasks.
    fn units_over(self: &Arc<Self>, ended: Vec<(TaskKey, Option<Abend>)>) {
        for (key, abend) in &ended {
            self.end_conversations(*key, abend.is_some());
            self.end_sockets(*key);
            self.end_services(*key);
        }
        self.with(|core, cx| {
            for (key, abend) in ended {
                if let Some(task) = core.task(key) {
                    let code = abend.as_ref().map(|a| a.code);
                    let (number, transid) = (task.number, task.transid);
                    self.trace.put(KernelPoint::UnitEnd, number, transid, code);
                }
                core.unit_ended(cx, key, abend);
            }
        });
    }

    /// Hands work with a file to one of the threads for its kind.
    fn work_with_file(self: &Arc<Self>, task: Option<TaskKey>, work: FileWork) {
        let begun = self.kernel.files.hand_over(task, work, || {
            let shared = Arc::downgrade(self);
            Arc::new(move |task, file, answer| {
                if let Some(shared) = shared.upgrade() {
                    shared.kernel(|k, now, out| k.file_answered(now, task, file, answer, out));
                }
            })
        });
        if let Err(error) = begun {
            tracing::error!(%error, "cannot start a thread for input and output");
            if let Some(task) = task {
                self.answer_task(task, &CallAnswer::of_abend(b"AEXZ"));
            }
        }
    }

    /// Records of journals that were written.
    pub(crate) fn journal_records(&self) -> u64 {
        self.kernel.files.journal_records()
    }
}

/// Logs the result of the check of all pages of the store.
fn log_check(path: &Path, report: Result<CheckReport, StorageError>, took: Duration) {
    let path = path.display();
    let seconds = took.as_secs();
    match report {
        Ok(report) if report.is_clean() && seconds > 0 => {
            let pages = report.pages;
            tracing::info!(
                "{path}: all {pages} pages were looked at in {seconds} s, and are whole"
            );
        }
        Ok(report) if report.is_clean() => {}
        Ok(report) => {
            for found in report.findings.iter().take(LOGGED_FINDINGS) {
                tracing::error!("{path} is damaged: {found}; {WAYS_ON}");
            }
            let all = report.findings.len() as u64 + report.more_findings;
            if let Some(more) = all
                .checked_sub(LOGGED_FINDINGS as u64)
                .filter(|more| *more > 0)
            {
                tracing::error!("{path} is damaged in {more} more places");
            }
        }
        Err(error) => tracing::error!(%error, "{path}: its pages could not be checked"),
    }
}

/// Findings of a check that are logged one by one.
const LOGGED_FINDINGS: usize = 10;

/// The remedies for a damaged store.
const WAYS_ON: &str = "`tupelo file check` lists all findings, `tupelo file salvage` saves the records \
    that can still be read, `tupelo file restore` puts a backup in its place";

fn open_disk(path: &Path, entry: &StoreEntry) -> Result<Box<DiskStore>, String> {
    let mut options = DiskOptions::default();
    if entry.map_bytes > 0 {
        options.map_bytes = entry.map_bytes;
    }
    if entry.max_readers > 0 {
        options.max_readers = entry.max_readers;
    }
    if let Some(bytes) = entry.walked_bytes {
        options.walked_bytes = bytes;
    }
    if !entry.sync {
        options.durability = CommitDurability::NoFlush;
    }
    match DiskStore::open(path, &options) {
        Ok(store) => Ok(Box::new(store)),
        Err(error) => Err(error.to_string()),
    }
}
