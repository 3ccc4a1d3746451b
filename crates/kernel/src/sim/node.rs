//! A region's kernel and store in virtual time, for simulations of several regions. The simulation
//! chooses the commands of the tasks and the replies of the participants.
//!
//! Tasks write numbers to recoverable queues; a simulation of regions needs no other
//! commands in its units.

use std::collections::{BTreeMap, BTreeSet};

use ::store::{ApplyError, MemoryStore, SeekKey, StorageError, Table, UnitOfWork, WriteStore};
use cics::command::commands::writeq_ts;
use cics::csd::InDoubt;
use cics::resp::Condition;
use link::{CallAnswer, CallOperation, CommandOperands, Name, WorkerCall};

use super::history::HistoryHash;
use crate::core::TaskKey;
use crate::kernel::{
    BranchId, CallingTask, KernelEffect, KernelSettings, Order, ParticipantId, StoreJob, UnitId,
};
use crate::resources::{Kernel, Resources};
use crate::types::RegionDefinitions;
use crate::types::{KernelConfig, QueueDefinitions, TsModelDef};
use base::SeededRandom;

const MS: u64 = 1_000_000;

/// The response to a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TaskAnswer {
    /// NORMAL; true if the unit had no changes to prepare.
    Normal(bool),
    /// Another condition.
    Raised(Condition),
    /// An abend.
    Abend([u8; 4]),
}

/// A region.
pub struct Node {
    kernel: Kernel,
    store: MemoryStore,
    now: u64,
    /// Number of restarts of the region.
    pub life: u64,
    last_task: u32,
    answers: BTreeMap<u32, TaskAnswer>,
    ended: BTreeSet<u32>,
    /// Orders to its participants.
    pub orders: Vec<(UnitId, ParticipantId, Order)>,
    settlements: BranchQuestions<bool>,
    outcomes: BranchQuestions<Option<bool>>,
    jobs: Vec<StoreJob>,
    /// Stored changes that are not reported yet, and the store before them.
    ahead: Option<(Vec<FinishedJob>, MemoryStore)>,
    /// Hash of all effects of the kernel over all restarts, if requested.
    pub history: Option<HistoryHash>,
}

/// A job, and its result.
type FinishedJob = (StoreJob, Result<(), ApplyError>);

/// Questions about branches: several callers may ask about one, and all get the answer.
#[derive(Debug)]
struct BranchQuestions<T> {
    last: u64,
    waiting: BTreeMap<BranchId, Vec<u64>>,
    answered: BTreeMap<u64, T>,
}

impl<T> Default for BranchQuestions<T> {
    fn default() -> Self {
        BranchQuestions {
            last: 0,
            waiting: BTreeMap::new(),
            answered: BTreeMap::new(),
        }
    }
}

impl<T: Copy> BranchQuestions<T> {
    fn ask(&mut self, branch: &BranchId) -> u64 {
        self.last += 1;
        let waiting = self.waiting.entry(branch.clone()).or_default();
        waiting.push(self.last);
        self.last
    }

    fn answer_all(&mut self, branch: &BranchId, what: T) {
        let waiting = self.waiting.remove(branch).unwrap_or_default();
        self.answered
            .extend(waiting.into_iter().map(|number| (number, what)));
    }
}

impl Node {
    /// A region with an empty store.
    pub fn new(now: u64) -> Node {
        Node::over(MemoryStore::new(), now, 0)
    }

    fn over(store: MemoryStore, now: u64, life: u64) -> Node {
        let settings = KernelSettings {
            lock_timeout_ns: 400 * MS,
            ..KernelSettings::default()
        };
        let queues = QueueDefinitions {
            models: vec![TsModelDef {
                prefix: b"R".to_vec(),
                recoverable: true,
                ..TsModelDef::default()
            }],
            ..QueueDefinitions::default()
        };
        let config = KernelConfig {
            temporary_storage_bytes: 1 << 24,
            definitions: RegionDefinitions {
                queues,
                ..RegionDefinitions::default()
            },
            ..KernelConfig::default()
        };
        let mut resources = Resources::default();
        resources.define(&config);
        let reader = store.reader().expect("a reader");
        let mut node = Node {
            kernel: Kernel::new(Some(reader), settings, resources),
            store,
            now,
            life,
            last_task: 0,
            answers: BTreeMap::new(),
            ended: BTreeSet::new(),
            orders: Vec::new(),
            settlements: BranchQuestions::default(),
            outcomes: BranchQuestions::default(),
            jobs: Vec::new(),
            ahead: None,
            history: None,
        };
        node.kernel(|k, now, out| k.restore(now, out))
            .expect("what was kept is read");
        node
    }

    /// The region dies and starts again at `now`, when its clock has advanced by more
    /// nanoseconds than it has given numbers to units. Jobs for the store are done, or
    /// some of them; a power failure removes changes that had not been reported. Returns
    /// true if it did.
    pub fn crash(&mut self, now: u64, random: &mut SeededRandom) -> bool {
        let mut jobs = std::mem::take(&mut self.jobs);
        jobs.truncate(random.below(jobs.len() as u64 + 1) as usize);
        let ahead = self.ahead.take().filter(|_| random.one_in(2));
        let lost = ahead.is_some();
        let store = match ahead {
            Some((_, before)) => before,
            None => {
                let units: Vec<UnitOfWork> = jobs.into_iter().map(|j| j.changes).collect();
                self.store.apply(&units);
                std::mem::take(&mut self.store)
            }
        };
        let history = self.history;
        *self = Node::over(store, now, self.life + 1);
        self.history = history;
        lost
    }

    fn kernel<R>(&mut self, call: impl FnOnce(&mut Kernel, u64, &mut Vec<KernelEffect>) -> R) -> R {
        let mut out = Vec::new();
        let result = call(&mut self.kernel, self.now, &mut out);
        for effect in out {
            if let Some(history) = &mut self.history {
                history.note(self.now, &effect);
            }
            match effect {
                KernelEffect::Answer(key, answer, _) => {
                    self.answers.insert(number_of(key), task_answer(&answer));
                }
                KernelEffect::Commit(job) => self.jobs.push(job),
                KernelEffect::Participant(unit, participant, order) => {
                    self.orders.push((unit, participant, order));
                }
                KernelEffect::Ended(key, _) => drop(self.ended.insert(number_of(key))),
                KernelEffect::Settled(branch, yes) => self.settlements.answer_all(&branch, yes),
                KernelEffect::Outcome(branch, ending) => self.outcomes.answer_all(&branch, ending),
                KernelEffect::Waits(_)
                | KernelEffect::Facility(..)
                | KernelEffect::Start(_)
                | KernelEffect::Priority(..)
                | KernelEffect::Statistics
                | KernelEffect::Trace { .. }
                | KernelEffect::Line { .. }
                | KernelEffect::File(..)
                | KernelEffect::Decide(..)
                | KernelEffect::AskOutcome(..)
                | KernelEffect::Forget(..) => {}
            }
        }
        result
    }

    // Tasks.

    /// A task begins: its number.
    pub fn begin(&mut self) -> u32 {
        self.last_task += 1;
        self.last_task
    }

    /// A task adds a number to a queue; [`Node::take_answer`] returns the response.
    pub fn put(&mut self, task: u32, queue: u8, number: u64) {
        let operands = CommandOperands::new(1 << writeq_ts::QUEUE)
            .bytes(writeq_ts::QUEUE, [b'R', b'0' + queue])
            .bytes(writeq_ts::FROM, number.to_string());
        let args = [u64::from(writeq_ts::NUMBER), 0, 0, 0, 0, 0, 0, 0];
        self.call(task, CallOperation::Command, args, operands.emit());
    }

    /// SYNCPOINT.
    pub fn syncpoint(&mut self, task: u32) {
        self.call(task, CallOperation::Syncpoint, [0; 8], Vec::new());
    }

    /// SYNCPOINT ROLLBACK.
    pub fn rollback(&mut self, task: u32) {
        self.call(task, CallOperation::Rollback, [0; 8], Vec::new());
    }

    fn call(&mut self, task: u32, op: CallOperation, args: [u64; 8], data: Vec<u8>) {
        let call = WorkerCall {
            op,
            slot: 0,
            args,
            data,
        };
        self.kernel(|k, now, out| k.call(now, caller(task), call, out))
            .expect("operands that make sense");
    }

    /// The response to a task, if there is one.
    pub fn take_answer(&mut self, task: u32) -> Option<TaskAnswer> {
        self.answers.remove(&task)
    }

    /// Ends a task, with its unit committed or backed out.
    pub fn end(&mut self, task: u32, commit: bool) {
        self.kernel(|k, now, out| k.end(now, caller(task), commit, out));
    }

    /// Whether a task has ended.
    pub fn is_over(&self, task: u32) -> bool {
        self.ended.contains(&task)
    }

    /// Whether a task has a unit with changes.
    pub fn holds_unit(&self, task: u32) -> bool {
        self.kernel.holds_unit(key_of(task))
    }

    // As a participant.

    /// Prepares a task's unit.
    pub fn prepare(&mut self, task: u32, branch: BranchId) {
        self.kernel(|k, now, out| k.prepare(now, caller(task), branch, out));
    }

    /// Commits a task's unit in one phase.
    pub fn commit_one_phase(&mut self, task: u32, branch: BranchId, finished: &[BranchId]) {
        self.kernel(|k, now, out| k.commit_one_phase(now, caller(task), branch, finished, out));
    }

    /// A coordinator sends the outcome of its unit. Returns the number for
    /// [`Node::take_settled`].
    pub fn settle(&mut self, branch: &BranchId, commit: bool) -> u64 {
        let number = self.settlements.ask(branch);
        self.kernel(|k, now, out| k.settle(now, branch, commit, out));
        number
    }

    /// Whether the outcome was carried out, if that is known.
    pub fn take_settled(&mut self, number: u64) -> Option<bool> {
        self.settlements.answered.remove(&number)
    }

    /// A coordinator asks for the outcome of a unit. Returns the number for
    /// [`Node::take_outcome`].
    pub fn outcome(&mut self, branch: &BranchId) -> u64 {
        let number = self.outcomes.ask(branch);
        self.kernel(|k, _, out| k.outcome(branch, out));
        number
    }

    /// The answer to a question about an outcome, if there is one.
    pub fn take_outcome(&mut self, number: u64) -> Option<Option<bool>> {
        self.outcomes.answered.remove(&number)
    }

    /// A coordinator is connected again.
    pub fn coordinator_returned(&mut self, prefix: &[u8], after: &[u8]) {
        self.kernel(|k, now, out| k.coordinator_returned(now, prefix, after, out));
    }

    /// The branches that are prepared, or being prepared.
    pub fn branches(&self) -> Vec<BranchId> {
        self.kernel.branches().cloned().collect()
    }

    /// A coordinator cannot be reached.
    pub fn coordinator_lost(&mut self, prefix: &[u8]) {
        self.kernel(|k, now, out| k.coordinator_lost(now, prefix, out));
    }

    // As a coordinator.

    /// Units since the last restart have greater numbers.
    pub fn units_after(&self) -> UnitId {
        self.kernel.units_after()
    }

    /// Adds a participant whose replies tasks wait for.
    pub fn participant(&mut self, name: &str) -> ParticipantId {
        let id = self.kernel.participant(name);
        self.kernel.wait_for(id);
        id
    }

    /// A participant joins the unit of a task.
    pub fn join(&mut self, task: u32, participant: ParticipantId) -> UnitId {
        self.kernel(|k, now, out| k.join(now, &caller(task), participant, out))
    }

    /// A participant without changes leaves the unit of a task.
    pub fn leave(&mut self, task: u32, participant: ParticipantId) {
        self.kernel(|k, now, out| {
            k.with(now, out, |_, cx| cx.leave(key_of(task), participant));
        });
    }

    /// A participant replies to an order.
    pub fn vote(&mut self, unit: UnitId, participant: ParticipantId, yes: bool) {
        self.kernel(|k, now, out| k.voted(now, unit, participant, yes, out));
    }

    /// A participant does not know the outcome of a commit in one phase.
    pub fn unsure(&mut self, unit: UnitId) {
        self.kernel(|k, now, _| k.unsure(now, unit));
    }

    /// A participant has prepared these units and does not know their outcome.
    pub fn in_doubt(&mut self, participant: ParticipantId, units: &[UnitId]) {
        self.kernel(|k, now, out| k.in_doubt(now, participant, units, out));
    }

    // Time and the store.

    /// Advances the time to `now`.
    pub fn at(&mut self, now: u64) {
        self.now = now;
        self.kernel(|k, now, out| k.expire(now, out));
    }

    /// The time of the next alarm.
    pub fn next_alarm(&self) -> Option<u64> {
        self.kernel.next_alarm()
    }

    /// The store commits some of its waiting jobs, or fails to. Sometimes the tasks get
    /// the results only after the next commit. Returns false if it failed.
    pub fn commit(&mut self, random: &mut SeededRandom, calm: bool) -> bool {
        let earlier = self.ahead.take();
        let mut works = true;
        let mut ended = Vec::new();
        let before = self.store.fork();
        if !self.jobs.is_empty() {
            let n = 1 + random.below(self.jobs.len() as u64) as usize;
            let jobs: Vec<StoreJob> = self.jobs.drain(..n).collect();
            works = calm || !random.one_in(20);
            let results = if works {
                let units: Vec<UnitOfWork> = jobs.iter().map(|j| j.changes.clone()).collect();
                self.store.apply(&units)
            } else {
                jobs.iter().map(|_| Err(full())).collect()
            };
            ended = jobs.into_iter().zip(results).collect();
        }
        self.report_committed(earlier.map(|(ended, _)| ended).unwrap_or_default());
        if works && !ended.is_empty() && random.one_in(2) {
            self.ahead = Some((ended, before))
        } else {
            self.report_committed(ended)
        }
        works
    }

    fn report_committed(&mut self, ended: Vec<(StoreJob, Result<(), ApplyError>)>) {
        for (job, result) in ended {
            self.kernel(|k, now, out| k.committed(now, job.task, job.then, result, out));
        }
    }

    // The state.

    /// The numbers in the queues, each with its count.
    pub fn numbers(&self) -> BTreeMap<u64, usize> {
        let mut reader = self.store.reader().expect("a reader");
        let mut numbers = BTreeMap::new();
        let mut last: Option<Vec<u8>> = None;
        loop {
            let seek = last.as_deref().map_or(SeekKey::First, SeekKey::Greater);
            let mut found = None;
            let more = reader.seek_table(Table::new("tsqueue"), seek, &mut |e| {
                found = Some((e.key.to_vec(), e.record.to_vec()));
            });
            let (true, Some((key, record))) = (more.expect("readable"), found) else {
                return numbers;
            };
            if key.len() == 20 {
                *numbers
                    .entry(super::program::number_in(&record))
                    .or_default() += 1;
            }
            last = Some(key);
        }
    }

    /// Number of units committed in one phase for callers whose outcome is kept.
    pub fn kept_outcomes(&mut self) -> usize {
        self.kernel.outcomes()
    }

    /// The work that is left; none if the node is at rest.
    pub fn unrest(&self) -> Option<String> {
        let locks = self.kernel.locks().each().count();
        let open = self.kernel.open_decisions().count();
        let prepared = self.kernel.branches().count();
        let rests = self.jobs.is_empty()
            && self.ahead.is_none()
            && self.kernel.is_idle()
            && (locks, open, prepared) == (0, 0, 0)
            && self.kernel.next_alarm().is_none();
        (!rests).then(|| {
            format!(
                "{} jobs, idle {}, {locks} locks, {open} decisions, {prepared} prepared, alarm {:?}",
                self.jobs.len(),
                self.kernel.is_idle(),
                self.kernel.next_alarm(),
            )
        })
    }
}

/// A task as a caller of the kernel.
fn caller(task: u32) -> CallingTask {
    CallingTask {
        key: key_of(task),
        number: task.into(),
        transid: Name::from_bytes(*b"TEST"),
        userid: Name::BLANK,
        priority: 1,
        start: None,
        lock_timeout_ns: None,
        in_doubt: InDoubt::default(),
    }
}

fn key_of(task: u32) -> TaskKey {
    TaskKey::simulated(task)
}

fn number_of(key: TaskKey) -> u32 {
    key.simulated_number()
}

fn task_answer(answer: &CallAnswer) -> TaskAnswer {
    match (answer.abend.is_blank(), answer.condition) {
        (true, Condition::Normal) => TaskAnswer::Normal(answer.args[0] == 1),
        (true, condition) => TaskAnswer::Raised(condition),
        (false, _) => TaskAnswer::Abend(*answer.abend.as_bytes()),
    }
}

fn full() -> ApplyError {
    ApplyError::Storage(StorageError::MapFull { map_bytes: 0 })
}
