//! A kernel over a store in memory, for the tests of resource managers: calls of tasks in virtual
//! time, and their results.
//!
//! Commits are done at once, and so is work with files unless a test delays it.

use std::collections::HashMap;

use cics::csd::InDoubt;
use cics::resp::Condition;
use link::{CallAnswer, CallOperation, CommandOperands, FileCall, FileCommand, Name, WorkerCall};
use store::{MemoryStore, WriteStore};

use super::{Kernel, Resources};
use crate::core::TaskKey;
use crate::kernel::{
    BranchId, CallingTask, InternalStart, JobContinuation, KernelEffect, KernelSettings, StartEnd,
    StoreJob, UnitId, UnitToken,
};
use crate::types::{Abend, FacilityEvent, FacilityId, FileWork, KernelConfig, RegionDefinitions};

const MS: u64 = 1_000_000;

/// A kernel with a store, and the time.
pub struct KernelFixture {
    /// The kernel.
    pub kernel: Kernel,
    /// Nanoseconds of the region's clock.
    pub now: u64,
    /// What it was set up with.
    pub config: KernelConfig,
    /// Tasks that were started.
    pub started: Vec<InternalStart>,
    /// Orders to participants, as text.
    pub orders: Vec<String>,
    /// Tasks whose last unit of work is over, and their abends.
    pub ended: Vec<(u32, Option<Abend>)>,
    /// Tasks whose priority was changed, and what it is.
    pub priorities: Vec<(u32, u8)>,
    /// How often statistics were recorded.
    pub recorded: u32,
    /// Records of queues that are the region's log.
    pub lines: Vec<String>,
    /// ACTION, WAIT and WAITTIME of the tasks' transaction.
    pub in_doubt: InDoubt,
    /// Branches whose coordinator was answered.
    pub settled: Vec<(String, bool)>,
    /// Outcomes of units in one phase, as reported to coordinators.
    pub outcomes: Vec<(String, Option<bool>)>,
    /// The transaction of the tasks.
    pub transid: link::TransId,
    /// Events at facilities.
    pub events: Vec<(FacilityId, FacilityEvent)>,
    store: Option<MemoryStore>,
    answers: Vec<(u32, CallAnswer)>,
    /// The start that a task comes from.
    pub starts: HashMap<u32, u64>,
    /// False: the store refuses every commit.
    pub disk: bool,
    /// It is unknown whether the store accepts its jobs; with [`KernelFixture::disk`] it does.
    pub doubt: bool,
    /// True: what goes to the store waits for [`KernelFixture::flush`].
    pub held: bool,
    jobs: Vec<StoreJob>,
    last_token: u8,
    /// Does what commands ask for files.
    files: Option<FileHost>,
}

/// Does something with a file, for a test.
pub type FileHost = Box<dyn FnMut(FileWork) -> CallAnswer>;

/// What a command came to.
#[derive(Debug, PartialEq)]
pub struct Response {
    /// RESP.
    pub condition: Condition,
    /// RESP2.
    pub resp2: u32,
    /// The abend, empty for none.
    pub abend: String,
    /// What it gives.
    pub operands: CommandOperands,
}

impl KernelFixture {
    /// A region with settings and definitions, and an empty store.
    pub fn new(config: KernelConfig) -> Self {
        Self::over(config, Some(MemoryStore::new()))
    }

    /// A region without a store.
    pub fn without_store() -> Self {
        Self::over(KernelConfig::default(), None)
    }

    /// A region over what is in a store, or without one.
    pub fn over(config: KernelConfig, store: Option<MemoryStore>) -> Self {
        Self::at(1_000 * MS, config, store)
    }

    /// A region that starts at an instant.
    pub fn at(now: u64, config: KernelConfig, store: Option<MemoryStore>) -> Self {
        let settings = KernelSettings {
            lock_timeout_ns: 1_000 * MS,
            ..KernelSettings::default()
        };
        let mut resources = Resources::default();
        resources.define(&config);
        let reader = store.as_ref().map(|s| s.reader().expect("a reader"));
        let mut world = KernelFixture {
            kernel: Kernel::new(reader, settings, resources),
            now,
            config,
            started: Vec::new(),
            store,
            answers: Vec::new(),
            orders: Vec::new(),
            ended: Vec::new(),
            priorities: Vec::new(),
            recorded: 0,
            lines: Vec::new(),
            in_doubt: InDoubt::default(),
            settled: Vec::new(),
            outcomes: Vec::new(),
            transid: Name::from_bytes(*b"TEST"),
            events: Vec::new(),
            starts: HashMap::new(),
            disk: true,
            doubt: false,
            held: false,
            jobs: Vec::new(),
            last_token: 0,
            files: None,
        };
        let mut out = Vec::new();
        world
            .kernel
            .restore(world.now, &mut out)
            .expect("what was kept is read");
        world.perform(out);
        world
    }

    /// The region dies and starts again over what is in the store.
    pub fn restart(self) -> Self {
        Self::at(self.now, self.config, self.store)
    }

    /// The same world, with files.
    pub fn with_files(self, host: impl FnMut(FileWork) -> CallAnswer + 'static) -> Self {
        KernelFixture {
            files: Some(Box::new(host)),
            ..self
        }
    }

    /// Calls resource managers outside of any task.
    pub fn manage<R>(
        &mut self,
        call: impl FnOnce(&mut Resources, &mut crate::kernel::KernelContext<'_>) -> R,
    ) -> R {
        let mut out = Vec::new();
        let result = self.kernel.with(self.now, &mut out, call);
        self.perform(out);
        result
    }

    /// The region ends normally: what it keeps is in the store.
    pub fn keep(&mut self) {
        let changes = self.kernel.keep(self.now);
        let store = self.store.as_mut().expect("a store");
        assert!(store.apply(&[changes])[0].is_ok());
    }

    /// Other definitions come into force.
    pub fn redefine(&mut self, definitions: RegionDefinitions) {
        self.config.definitions = definitions;
        let KernelFixture { kernel, config, .. } = self;
        kernel.resources.define(config);
    }

    /// A reader of what is committed.
    pub fn reader(&self) -> Box<dyn store::ReadStore + Send> {
        let store = self.store.as_ref().expect("a store");
        store.reader().expect("a reader")
    }

    /// A task as a caller of the kernel.
    pub fn caller(&self, task: u32) -> CallingTask {
        CallingTask {
            key: TaskKey::for_test(task),
            number: task.into(),
            transid: self.transid,
            userid: Name::BLANK,
            priority: 1,
            start: self.starts.get(&task).copied(),
            lock_timeout_ns: None,
            in_doubt: self.in_doubt,
        }
    }

    /// A command of a task; its answer, unless it waits.
    pub fn command(
        &mut self,
        task: u32,
        number: u16,
        operands: &CommandOperands,
    ) -> Option<Response> {
        let mut args = [0; 8];
        args[0] = number.into();
        self.call(task, CallOperation::Command, args, operands.emit())
    }

    /// As [`KernelFixture::command`], whose answer comes with [`KernelFixture::answers`].
    pub fn ask(&mut self, task: u32, number: u16, operands: &CommandOperands) {
        let mut args = [0; 8];
        args[0] = number.into();
        self.put(task, CallOperation::Command, args, operands.emit());
    }

    /// SYNCPOINT.
    pub fn syncpoint(&mut self, task: u32) -> Option<Response> {
        self.call(task, CallOperation::Syncpoint, [0; 8], Vec::new())
    }

    /// SYNCPOINT ROLLBACK.
    pub fn rollback(&mut self, task: u32) -> Option<Response> {
        self.call(task, CallOperation::Rollback, [0; 8], Vec::new())
    }

    fn call(
        &mut self,
        task: u32,
        op: CallOperation,
        args: [u64; 8],
        data: Vec<u8>,
    ) -> Option<Response> {
        self.put(task, op, args, data);
        self.answer(task)
    }

    fn put(&mut self, task: u32, op: CallOperation, args: [u64; 8], data: Vec<u8>) {
        let call = WorkerCall {
            op,
            slot: 0,
            args,
            data,
        };
        let caller = self.caller(task);
        let mut out = Vec::new();
        let called = self.kernel.call(self.now, caller, call, &mut out);
        called.expect("operands that make sense");
        self.perform(out);
    }

    /// An operation of a batch job on a record, whose answer comes with
    /// [`KernelFixture::answers`].
    pub fn job(&mut self, task: u32, op: CallOperation, waits: bool, key: &[u8], record: &[u8]) {
        let no_wait = u64::from(!waits);
        let call = WorkerCall {
            op,
            slot: 0,
            args: [1, key.len() as u64, no_wait, 0, 0, 0, 0, 0],
            data: [key, record].concat(),
        };
        let caller = self.caller(task);
        let mut out = Vec::new();
        self.kernel.call_for_job(self.now, caller, call, &mut out);
        self.perform(out);
    }

    /// A command of a task on the first file that is defined, whose answer
    /// comes with [`KernelFixture::answers`].
    pub fn on_file(&mut self, task: u32, command: FileCommand<'_>) {
        let wire = FileCall { file: 0, command }.emit();
        self.put(task, wire.op, wire.args, wire.data.concat());
    }

    /// The answer of a task that waited.
    pub fn answer(&mut self, task: u32) -> Option<Response> {
        let at = self.answers.iter().position(|(of, _)| *of == task)?;
        let (_, answer) = self.answers.remove(at);
        let abend = answer.abend.to_string().trim().to_owned();
        Some(Response {
            condition: answer.condition,
            resp2: answer.resp2,
            abend,
            operands: if answer.data.is_empty() {
                CommandOperands::default()
            } else {
                CommandOperands::parse(&answer.data).expect("operands")
            },
        })
    }

    /// All answers since the last look: the task, and its condition or abend.
    pub fn answers(&mut self) -> Vec<(u32, String)> {
        let text = |a: &CallAnswer| {
            if a.abend.is_blank() {
                a.condition.name().to_owned()
            } else {
                a.abend.to_string()
            }
        };
        let answers = self.answers.drain(..);
        answers
            .map(|(task, answer)| (task, text(&answer)))
            .collect()
    }

    /// A participant changes something for a task.
    pub fn join(&mut self, task: u32, participant: &str) -> UnitId {
        let participant = self.kernel.participant(participant);
        let (caller, mut out) = (self.caller(task), Vec::new());
        self.kernel.join(self.now, &caller, participant, &mut out)
    }

    /// A participant that decides changes something for a task.
    pub fn join_decider(&mut self, task: u32, participant: &str, prepares: bool) -> Option<UnitId> {
        let participant = self.kernel.participant(participant);
        self.kernel.set_decider(participant, prepares);
        self.last_token += 1;
        let token = UnitToken([self.last_token; 16]);
        let (caller, mut out) = (self.caller(task), Vec::new());
        self.kernel
            .join_decider(self.now, &caller, participant, token, &mut out)
    }

    /// A participant that decides says what became of a unit.
    pub fn outcome_known(&mut self, unit: UnitId, participant: &str, committed: Option<bool>) {
        let participant = self.kernel.participant(participant);
        let mut out = Vec::new();
        self.kernel
            .outcome_known(self.now, unit, participant, committed, &mut out);
        self.perform(out);
    }

    /// An operator ends a unit in doubt.
    pub fn settle_in_doubt(&mut self, unit: UnitId, commit: bool) -> bool {
        let mut out = Vec::new();
        let found = self
            .kernel
            .settle_in_doubt(self.now, unit, commit, &mut out);
        self.perform(out);
        found
    }

    /// A participant answers an order.
    pub fn vote(&mut self, unit: UnitId, participant: &str, yes: bool) {
        let participant = self.kernel.participant(participant);
        let mut out = Vec::new();
        self.kernel
            .voted(self.now, unit, participant, yes, &mut out);
        self.perform(out);
    }

    /// A participant is there and has these units in doubt.
    pub fn in_doubt(&mut self, participant: &str, units: &[UnitId]) {
        let participant = self.kernel.participant(participant);
        let mut out = Vec::new();
        self.kernel.in_doubt(self.now, participant, units, &mut out);
        self.perform(out);
    }

    /// A task's unit is to be prepared; the answer comes with
    /// [`KernelFixture::answers`].
    pub fn prepare(&mut self, task: u32, branch: &str) {
        let (caller, mut out) = (self.caller(task), Vec::new());
        self.kernel
            .prepare(self.now, caller, branch_of(branch), &mut out);
        self.perform(out);
    }

    /// A coordinator says how its unit ended.
    pub fn settle(&mut self, branch: &str, commit: bool) {
        let mut out = Vec::new();
        self.kernel
            .settle(self.now, &branch_of(branch), commit, &mut out);
        self.perform(out);
    }

    /// A task's unit is the only part of a coordinator's: the answer comes with
    /// [`KernelFixture::answers`].
    pub fn commit_one_phase(&mut self, task: u32, branch: &str, acknowledged: &[&str]) {
        let (caller, mut out) = (self.caller(task), Vec::new());
        let acknowledged: Vec<BranchId> = acknowledged.iter().map(|b| branch_of(b)).collect();
        self.kernel
            .commit_one_phase(self.now, caller, branch_of(branch), &acknowledged, &mut out);
        self.perform(out);
    }

    /// A coordinator asks what became of that.
    pub fn outcome(&mut self, branch: &str) -> Option<bool> {
        let mut out = Vec::new();
        self.kernel.outcome(&branch_of(branch), &mut out);
        self.perform(out);
        self.outcomes.pop().and_then(|(of, outcome)| {
            assert_eq!(of, branch);
            outcome
        })
    }

    /// A coordinator is out of reach.
    pub fn lose(&mut self, coordinator: &str) {
        let mut out = Vec::new();
        self.kernel
            .coordinator_lost(self.now, coordinator.as_bytes(), &mut out);
        self.perform(out);
    }

    /// Ends the wait of a task; false when it does not wait.
    pub fn purge(&mut self, task: u32) -> bool {
        let mut out = Vec::new();
        let key = TaskKey::for_test(task);
        let waited = self.kernel.purge(key, *b"AEXY", &mut out);
        self.perform(out);
        waited
    }

    /// A task ends, with its unit committed or backed out.
    pub fn end(&mut self, task: u32, commit: bool) {
        let caller = self.caller(task);
        let mut out = Vec::new();
        self.kernel.end(self.now, caller, commit, &mut out);
        self.perform(out);
    }

    /// The region with so many places for starts that wait.
    pub fn with_start_limit(mut self, limit: usize) -> Self {
        self.kernel.limit_starts(limit);
        self
    }

    /// The task of a start begins.
    pub fn start_begun(&mut self, start: u64) {
        let mut out = Vec::new();
        self.kernel.start_begun(self.now, start, &mut out);
        self.perform(out);
    }

    /// A transaction is disabled.
    pub fn refuse_starts(&mut self, transid: &str, refusal: crate::types::StartRefusal) {
        let transid = link::TransId::new(transid).expect("a name");
        let mut out = Vec::new();
        self.kernel
            .refuse_starts(self.now, transid, refusal, &mut out);
        self.perform(out);
    }

    /// The region takes no more tasks.
    pub fn close_starts(&mut self) {
        let mut out = Vec::new();
        self.kernel.close_starts(self.now, &mut out);
        self.perform(out);
    }

    /// A started task is over.
    pub fn start_over(&mut self, start: u64) {
        self.start_ended(start, &StartEnd::Ran(None, None));
    }

    /// A started task came to its end, or could not begin.
    pub fn start_ended(&mut self, start: u64, ended: &StartEnd) {
        let mut out = Vec::new();
        self.kernel.start_ended(self.now, start, ended, &mut out);
        self.perform(out);
    }

    /// Time goes by.
    pub fn later(&mut self, ms: u64) {
        self.now += ms * MS;
        let mut out = Vec::new();
        self.kernel.expire(self.now, &mut out);
        self.perform(out);
    }

    fn perform(&mut self, effects: Vec<KernelEffect>) {
        for effect in effects {
            match effect {
                KernelEffect::Answer(key, answer, _) => self.answered(key, answer),
                KernelEffect::File(key, work) => self.work(key, work),
                KernelEffect::Start(start) => self.started.push(*start),
                KernelEffect::Commit(job) if self.held => self.jobs.push(job),
                KernelEffect::Commit(job) => self.commit(job, self.disk),
                KernelEffect::Participant(_, participant, order) => {
                    self.orders.push(format!("{order:?} {}", participant.0));
                }
                KernelEffect::Decide(_, participant, _) => {
                    self.orders.push(format!("Decide {}", participant.0));
                }
                KernelEffect::AskOutcome(_, participant, _) => {
                    self.orders.push(format!("Ask {}", participant.0));
                }
                KernelEffect::Forget(participant, _) => {
                    self.orders.push(format!("Forget {}", participant.0));
                }
                KernelEffect::Ended(key, abend) => self.ended.push((number_of(key), abend)),
                KernelEffect::Priority(key, priority) => {
                    self.priorities.push((number_of(key), priority));
                }
                KernelEffect::Statistics => self.recorded += 1,
                KernelEffect::Settled(branch, yes) => self.settled.push((branch.to_string(), yes)),
                KernelEffect::Outcome(branch, outcome) => {
                    self.outcomes.push((branch.to_string(), outcome))
                }
                KernelEffect::Line { queue, record, .. } => {
                    let text = [&queue[..], b" ", &record].concat();
                    self.lines.push(String::from_utf8_lossy(&text).into_owned());
                }
                KernelEffect::Facility(id, event) => self.events.push((id, *event)),
                KernelEffect::Waits(_) | KernelEffect::Trace { .. } => {}
            }
        }
    }

    /// The store takes over what waits for it, or refuses it: the first as the
    /// first of the list says, and so on.
    pub fn flush(&mut self, disk: &[bool]) {
        self.held = false;
        for (job, disk) in std::mem::take(&mut self.jobs).into_iter().zip(disk) {
            self.commit(job, *disk);
        }
    }

    fn commit(&mut self, job: StoreJob, disk: bool) {
        let result = if disk {
            let store = self.store.as_mut().expect("a store");
            store.apply(&[job.changes]).remove(0)
        } else {
            Err(store::ApplyError::Storage(store::StorageError::DiskFull {
                doing: "committing",
                code: 28,
            }))
        };
        let result = if self.doubt {
            Err(store::ApplyError::Storage(store::StorageError::Uncertain {
                reason: "the disk failed".to_owned(),
            }))
        } else {
            result
        };
        let mut out = Vec::new();
        // Durable at once.
        let forget = match (&job.then, &result) {
            (JobContinuation::Applied(_, participant, token), Ok(())) => {
                Some(JobContinuation::Forget(*participant, *token))
            }
            _ => None,
        };
        self.kernel
            .committed(self.now, job.task, job.then, result, &mut out);
        if let Some(then) = forget {
            let of = TaskKey::NO_TASK;
            self.kernel.committed(self.now, of, then, Ok(()), &mut out);
        }
        self.perform(out);
    }

    fn work(&mut self, task: Option<TaskKey>, work: FileWork) {
        let of = (work.ask.kind(), work.file);
        let files = self.files.as_mut().expect("a test with files");
        let answer = files(work);
        if let Some(task) = task {
            let mut out = Vec::new();
            let now = self.now;
            self.kernel.file_answered(now, task, of, answer, &mut out);
            self.perform(out);
        }
    }

    fn answered(&mut self, key: TaskKey, answer: CallAnswer) {
        self.answers.push((number_of(key), answer));
    }
}

fn branch_of(name: &str) -> BranchId {
    BranchId::new(name.as_bytes()).expect("a name")
}

/// The number of a task.
fn number_of(key: TaskKey) -> u32 {
    let number = (1..100).find(|n| TaskKey::for_test(*n) == key);
    number.expect("a task")
}
