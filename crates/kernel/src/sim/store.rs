//! The store of a simulated region, and the region's death and restart from the
//! store.

use cics::command::commands::readq_td;
use cics::file::FilePermits;
use link::{CallAnswer, CommandOperands, Name};
use store::{
    ApplyError, FileDef, KeyField, MemoryStore, RecordFormat, StorageError, UnitOfWork, WriteStore,
};

use super::links::SimLinks;
use super::model::{ExpectedState, OnTd, PhysicalChange};
use super::program::{self, ACCOUNTS, TdQueueKind};
use super::task::PendingCall;
use super::{BALANCE, SimWorld, kernel, new_core};
use crate::core::TaskKey;
use crate::kernel::{JobContinuation, StoreJob};

/// The result of a store job.
type JobResult = (StoreJob, Result<(), ApplyError>);

/// Units in the store that may be lost, since they are not reported yet.
pub(super) struct UnflushedUnits {
    ended: Vec<JobResult>,
    /// The state before these units.
    before: (MemoryStore, ExpectedState),
}

impl SimWorld {
    /// The store commits some of its waiting jobs, or fails to. Sometimes the tasks get
    /// the results only after the next commit.
    pub(super) fn commit(&mut self, calm: bool) {
        let earlier = self.ahead.take();
        if self.jobs.is_empty() {
            self.report_outcomes(earlier.map(|ahead| ahead.ended));
            return;
        }
        let n = 1 + self.random.below(self.jobs.len() as u64) as usize;
        let jobs: Vec<StoreJob> = self.jobs.drain(..n).collect();
        let before = (self.store.fork(), self.model.clone());
        let fails = !calm && self.random.one_in(12);
        let results = if fails {
            self.report.disk_failures += 1;
            jobs.iter().map(|_| Err(full())).collect()
        } else {
            self.apply(&jobs)
        };
        self.report_outcomes(earlier.map(|ahead| ahead.ended));
        let ended = jobs.into_iter().zip(results).collect();
        if !fails && self.random.one_in(2) {
            let (now, ended) = decided(ended);
            self.report_outcomes(Some(now));
            self.ahead = Some(UnflushedUnits { ended, before });
        } else {
            let (now, ended) = decided(ended);
            self.report_outcomes(Some(now));
            self.report_outcomes(Some(ended));
        }
    }

    /// Tasks get the outcomes of their units.
    fn report_outcomes(&mut self, ended: Option<Vec<JobResult>>) {
        for (job, result) in ended.into_iter().flatten() {
            self.terminals.note_committed(&job, result.is_ok());
            self.kernel(|k, now, out| k.committed(now, job.task, job.then, result, out));
        }
    }

    /// One transaction of the store.
    fn apply(&mut self, jobs: &[StoreJob]) -> Vec<Result<(), ApplyError>> {
        let units: Vec<UnitOfWork> = jobs.iter().map(|j| j.changes.clone()).collect();
        let results = self.store.apply(&units);
        for (job, result) in jobs.iter().zip(&results) {
            match (&job.then, result) {
                (JobContinuation::Unit, Ok(())) => self.unit_stored(job.task),
                (JobContinuation::Applied(id, ..), Ok(())) => self.unit_applied(*id),
                (JobContinuation::Command(outcome), Ok(())) => {
                    self.command_stored(job.task, &outcome.answer);
                }
                _ => {}
            }
        }
        results
    }

    /// The store has a task's unit.
    fn unit_stored(&mut self, key: TaskKey) {
        let Some(task) = self.tasks.get_mut(&key) else {
            return;
        };
        self.model.commit(&std::mem::take(&mut task.changes));
        if let Some(unit) = task.unit.take() {
            self.report.committed += 1;
            self.acknowledged.insert(unit);
        }
        if let Some(number) = task.request {
            self.model.done(number);
        }
    }

    /// The store has the change of a command that is part of no unit.
    fn command_stored(&mut self, key: TaskKey, answer: &CallAnswer) {
        let asked = self.tasks.get(&key).and_then(|t| t.pending_call.clone());
        match asked {
            Some(PendingCall::Td(OnTd::Put(TdQueueKind::Physical, unit))) => {
                self.model.physical(PhysicalChange::Put(unit));
            }
            Some(PendingCall::Td(OnTd::Take(TdQueueKind::Physical))) => {
                let operands = CommandOperands::parse(&answer.data).expect("operands");
                let record = operands.get_bytes(readq_td::INTO).expect("a record");
                let number = program::number_in(record);
                self.model.physical(PhysicalChange::Take(number));
            }
            Some(PendingCall::Td(OnTd::Drop(TdQueueKind::Physical))) => {
                self.model.physical(PhysicalChange::Drop)
            }
            Some(PendingCall::Cancel(number)) => self.model.cancelled(number),
            _ => {}
        }
    }

    /// The region dies and starts again. Jobs for the store are done, or some of them, or
    /// none; a power failure removes changes that had not been reported.
    pub(super) fn crash(&mut self) {
        self.report.restarts += 1;
        let mut jobs = std::mem::take(&mut self.jobs);
        jobs.truncate(self.random.below(jobs.len() as u64 + 1) as usize);
        let loses_power = self.random.one_in(2);
        let lost = self.ahead.take().filter(|_| loses_power);
        if lost.is_none() {
            self.apply(&jobs);
        }
        let keys: Vec<TaskKey> = self.tasks.keys().copied().collect();
        for key in keys {
            self.judge_end(key, false);
        }
        if let Some(UnflushedUnits { before, .. }) = lost {
            self.report.power_losses += 1;
            self.store = before.0;
            self.model.power_lost(before.1);
        }
        self.tasks.clear();
        self.model.region_died();
        self.building.clear();
        self.waiting.clear();
        self.submitted.clear();
        self.starts.clear();
        self.requests.clear();
        self.terminals.region_died();
        self.over_class = 0;
        self.links = SimLinks::default();
        self.region_left_decider();
        self.core = new_core(self.parallel);
        self.kernel = kernel(&self.store);
        self.core(|core, cx| core.ensure_minimum(cx));
        self.kernel(|k, now, out| k.restore(now, out))
            .expect("what was kept is read");
        self.region_left_remotes();
    }
}

/// The results that are reported at once, since a record is durable already, and those that are
/// reported when they are durable.
fn decided(ended: Vec<JobResult>) -> (Vec<JobResult>, Vec<JobResult>) {
    let (mut now, mut later) = (Vec::new(), Vec::new());
    for (job, result) in ended {
        if let JobContinuation::Applied(_, participant, token) = job.then {
            if result.is_ok() {
                let forget = StoreJob {
                    task: TaskKey::NO_TASK,
                    changes: UnitOfWork::new(),
                    then: JobContinuation::Forget(participant, token),
                };
                later.push((forget, Ok(())));
            }
            now.push((job, result));
        } else {
            later.push((job, result));
        }
    }
    (now, later)
}

fn full() -> ApplyError {
    ApplyError::Storage(StorageError::MapFull { map_bytes: 0 })
}

/// Defines and fills the files.
pub(super) fn fill(store: &mut MemoryStore) {
    let define = |store: &mut MemoryStore, name: &str, bytes: u32| {
        let key = KeyField {
            offset_bytes: 0,
            length_bytes: 8,
        };
        let name = name.parse().expect("a name");
        let def = FileDef::ksds(name, key, RecordFormat::Fixed, bytes).expect("a definition");
        store.define(def).expect("a new file")
    };
    let accounts = define(store, "ACCOUNTS", 20);
    define(store, "LEDGER", 8);
    let mut unit = UnitOfWork::new();
    let mut reader = store.reader().expect("a reader");
    for account in 0..ACCOUNTS {
        let (key, record) = (program::key(account), program::record(account, BALANCE));
        let added = unit.insert(reader.as_mut(), accounts, &key, &record);
        added.expect("an account");
    }
    assert!(store.apply(&[unit])[0].is_ok());
}

/// The definitions of the files.
pub(super) fn files() -> Vec<link::FileEntry> {
    let entry = |name: &str, bytes| link::FileEntry {
        name: Name::new(name).expect("a name"),
        key_bytes: 8,
        record_bytes: bytes,
        recoverable: true,
        permits: FilePermits {
            add: true,
            read: true,
            update: true,
            ..FilePermits::default()
        },
        enabled: true,
        ..link::FileEntry::default()
    };
    vec![entry("ACCOUNTS", 20), entry("LEDGER", 8)]
}
