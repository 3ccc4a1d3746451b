//! Open tasks: work of a door that is a task of the region.
//!
//! A door that runs programs of its own kind (scripts) does so under an open
//! task. An open task is admitted, has a number, a unit of work, limits, a trace and a
//! monitoring record like any other, and holds no worker. It makes the calls that
//! programs make, and runs COBOL programs in workers within its unit of work.
//!
//! Reference: CICS application programming, open TCBs; LINK; SYNCPOINT.

use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use cics::resp::Condition;
use link::{CallAnswer, CallOperation, CommandOperands, ProgramName, TransId, UserId, WorkerCall};

use super::{Handle, Port};
use crate::api::{
    Abend, BranchId, JoinError, MonitoringRecord, ParticipantId, StartCode, StartRefusal,
    TaskRequest, UnitId,
};
use crate::shell::{OpenLease, OpenUse, Task, TaskOutcome, TaskReply};

/// A task that runs on a thread of its door. Dropping it backs its unit of
/// work out.
pub struct OpenTask {
    lease: OpenLease,
    transid: TransId,
    userid: UserId,
    start_code: StartCode,
    runs: MonitoringRecord,
    used: OpenUse,
}

/// The outcome of preparing a unit of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PrepareOutcome {
    /// The unit waits for its coordinator.
    Yes,
    /// The unit has changed nothing; its locks last as long as the task.
    NothingToCommit,
    /// The unit cannot be committed.
    BackedOut,
}

/// The outcome of a commit in one phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnePhaseOutcome {
    /// The unit is committed.
    Yes,
    /// The unit is backed out.
    BackedOut,
    /// The outcome is not known before the region starts again.
    InDoubt,
}

impl Handle {
    /// Begins an open task: waits for its admission. Dropping the future gives
    /// the place in the queue up.
    pub async fn begin_open(
        &self,
        port: &Port,
        request: TaskRequest,
    ) -> Result<OpenTask, StartRefusal> {
        let mut opening = self.shared.begin_open(port.number, &request)?;
        let lease = poll_fn(|cx| opening.poll(cx)).await?;
        Ok(OpenTask {
            lease,
            transid: request.transid,
            userid: request.userid,
            start_code: request.start_code,
            runs: MonitoringRecord::default(),
            used: OpenUse::default(),
        })
    }
}

impl Handle {
    /// The number that operations on a file name it by ([`CallOperation::Read`] and
    /// others).
    pub fn file_number(&self, name: &str) -> Option<usize> {
        self.shared.file_number(name)
    }

    /// The first program of a transaction; blank if the transaction has none.
    pub fn first_program(&self, transid: TransId) -> ProgramName {
        self.shared.first_program(transid)
    }

    /// Whether a program can be run here, by its definition.
    ///
    /// # Errors
    /// [`StartRefusal::Program`] with the reason: what LINK answers with PGMIDERR.
    pub fn can_run(&self, name: ProgramName) -> Result<(), StartRefusal> {
        self.shared.can_run(name)
    }
}

impl OpenTask {
    /// The task's number.
    pub fn number(&self) -> u64 {
        self.lease.number()
    }

    /// Its transaction.
    pub fn transid(&self) -> TransId {
        self.transid
    }

    /// The user of the task.
    pub fn userid(&self) -> UserId {
        self.userid
    }

    /// Becomes true when the task shall end: its time limit has passed, or an
    /// operator has purged it. Calls and runs are refused from then on.
    pub fn purged(&self) -> Arc<AtomicBool> {
        self.lease.purged()
    }

    /// The thread of this port runs the task from now on.
    pub fn move_to(&mut self, port: &Port) {
        self.lease.listen_at(port.number);
    }

    /// Asks the region, as a program's worker does; [`CallOperation`] describes the
    /// operations and their arguments. An answer with an abend code is to end the
    /// task, unless its program handles abends.
    pub async fn call(&mut self, op: CallOperation, args: [u64; 8], data: Vec<u8>) -> CallAnswer {
        self.used.calls += 1;
        let call = WorkerCall {
            op,
            slot: 0,
            args,
            data,
        };
        match self.lease.ask(call) {
            Ok(()) => poll_fn(|cx| self.lease.poll_answer(cx)).await,
            Err(refused) => refused,
        }
    }

    /// An operation of a batch job on a record of a file of the store, by the
    /// key that the file's records have: READ locks the record, until UNLOCK or
    /// until a change to it is committed; WRITE with an empty key adds at the
    /// end and returns the key. Limits of FILE definitions do not apply. With
    /// `waits` false the answer is RECORDBUSY if another task has the lock.
    pub async fn record(
        &mut self,
        op: CallOperation,
        file: store::FileId,
        waits: bool,
        key: &[u8],
        record: &[u8],
    ) -> CallAnswer {
        self.used.calls += 1;
        let no_wait = u64::from(!waits);
        let call = WorkerCall {
            op,
            slot: 0,
            args: [file.0.into(), key.len() as u64, no_wait, 0, 0, 0, 0, 0],
            data: [key, record].concat(),
        };
        match self.lease.ask_for_job(call) {
            Ok(()) => poll_fn(|cx| self.lease.poll_answer(cx)).await,
            Err(refused) => refused,
        }
    }

    /// A command that the region serves, by its number in the command table.
    pub async fn command(&mut self, number: u16, operands: &CommandOperands) -> CallAnswer {
        let args = [u64::from(number), 0, 0, 0, 0, 0, 0, 0];
        self.call(CallOperation::Command, args, operands.emit())
            .await
    }

    /// A participant changes something for this task and commits with it: the
    /// unit of work that this is part of, until the next syncpoint.
    ///
    /// # Errors
    /// As [`crate::TaskUnit::join`] has them.
    pub fn join(&self, participant: ParticipantId) -> Result<UnitId, JoinError> {
        self.lease.join(participant)
    }

    /// Another region decides the units of work of this task: a participant that
    /// can only decide may not join them.
    pub fn set_branch(&self) {
        self.lease.set_branch();
    }

    /// A place in a worker for a program, which runs within this task's unit
    /// of work: write its input and run it, then give its reply to
    /// [`OpenTask::ran`]. Returns `None` when the task shall end; a program that cannot
    /// be run here is refused.
    pub async fn run(
        &mut self,
        program: ProgramName,
        expected_bytes: usize,
    ) -> Option<Result<Task, StartRefusal>> {
        let run = match self.lease.begin_run(program, expected_bytes)? {
            Ok(run) => run,
            Err(refusal) => return Some(Err(refusal)),
        };
        let placed = poll_fn(|cx| self.lease.poll_run(run, cx)).await;
        Some(placed.map(|lease| {
            let mut task = Task::new(lease, self.start_code);
            task.sees_changes(self.lease.has_changes());
            task
        }))
    }

    /// Whether the task has changed something recoverable since its last
    /// syncpoint.
    pub fn has_changes(&self) -> bool {
        self.lease.has_changes()
    }

    /// Whether the end of its unit of work would do something: commit changes,
    /// have others commit theirs, or give locks back.
    pub fn holds_unit(&self) -> bool {
        self.lease.holds_unit()
    }

    /// Makes sure that the task's unit of work can be committed, as a branch of
    /// a unit that is decided elsewhere. When it is prepared the region keeps
    /// it, with its locks, until [`Handle::settle`] ends it; the task
    /// has none any more, and is to be ended. A back-out is complete when this
    /// returns.
    pub async fn prepare(&mut self, branch: BranchId) -> PrepareOutcome {
        self.used.calls += 1;
        if !self.lease.prepare(branch) {
            return PrepareOutcome::BackedOut;
        }
        let answer = poll_fn(|cx| self.lease.poll_answer(cx)).await;
        match (answer.abend.is_blank(), answer.condition, answer.args[0]) {
            (true, Condition::Normal, 0) => PrepareOutcome::Yes,
            (true, Condition::Normal, _) => PrepareOutcome::NothingToCommit,
            _ => PrepareOutcome::BackedOut,
        }
    }

    /// Commits the task's unit of work, which alone changes something for a unit
    /// that is decided elsewhere. A coordinator that lost the answer asks
    /// [`Handle::outcome`]. `finished` are the units whose answers arrived. The
    /// task's next unit begins.
    pub async fn commit_one_phase(
        &mut self,
        branch: BranchId,
        finished: &[BranchId],
    ) -> OnePhaseOutcome {
        self.used.calls += 1;
        if !self.lease.commit_one_phase(branch, finished) {
            return OnePhaseOutcome::BackedOut;
        }
        let answer = poll_fn(|cx| self.lease.poll_answer(cx)).await;
        match (answer.abend.is_blank(), answer.condition) {
            (true, Condition::Normal) => OnePhaseOutcome::Yes,
            (true, _) => OnePhaseOutcome::BackedOut,
            (false, _) => OnePhaseOutcome::InDoubt,
        }
    }

    /// A run has ended: adds its cost to this task.
    pub fn ran(&mut self, reply: &TaskReply) {
        self.runs.add_runs(reply.record());
    }

    /// Waits until the task shall end.
    pub async fn until_purged(&mut self) {
        poll_fn(|cx| self.lease.poll_purged(cx)).await;
    }

    /// The task begins or ends a wait for children. During the wait it does not count for
    /// its class, and a few children may be active above MXT.
    pub fn lend(&mut self, lends: bool) {
        self.lease.lend(lends);
    }

    /// The door spent this time on the request before it asked for the task. The
    /// response time in the monitoring record begins there, as the CPU time does.
    pub fn began_before(&mut self, ns: u64) {
        self.used.before_ns = ns;
    }

    /// The CPU time given at the end is elapsed time, not time of the CPU.
    pub fn estimates_cpu(&mut self) {
        self.used.estimated = true;
    }

    /// Ends the task: commits its unit of work, or backs it out when there is
    /// an abend. `cpu_ns` is what its thread used. An abend that comes with
    /// the end (ASP7, or a worker that ended under the unit) is returned.
    pub async fn end(
        mut self,
        abend: Option<Abend>,
        cpu_ns: u64,
    ) -> (TaskOutcome, MonitoringRecord) {
        self.lease.end(abend);
        poll_fn(|cx| self.lease.poll_end(cx)).await;
        self.used.cpu_ns = cpu_ns;
        self.lease.settle(&self.runs, self.used)
    }
}
