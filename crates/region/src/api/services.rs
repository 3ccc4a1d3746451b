//! The interface of services that serve commands in addition to the region's kernel.
//!
//! Some commands are about things that a door has and the region does not:
//! requests of web clients, documents, sessions with servers. The region knows
//! the task; the service knows what the command means. A command is passed with
//! the means to answer it, and the call must not wait.

use std::fmt::{self, Debug};
use std::sync::Arc;

use link::{CallAnswer, CommandOperands, TransId, UserId};

use crate::api::{
    CountAndBytes, FacilityId, RegionHost, TaskUnit, WorkerReply, WorkerRequest, WorkerRequestError,
};
use kernel::core::{OutsideCall, TaskKey};

/// Serves commands of tasks.
pub trait CommandService: Debug + Send + Sync {
    /// The commands, by the number of their row.
    fn commands(&self) -> &'static [u16];
    /// A task asks. The answer may come later, from any thread.
    fn serve(&self, command: ServiceCommand);
    /// A task is over whose end was to be reported ([`ServiceCommand::report_end`]).
    fn task_ended(&self, task: u64);
    /// A task is purged while it waits for something outside the region: the service may
    /// end that wait. The call must not wait.
    fn task_purged(&self, _task: u64) {}
    /// Appends its figures for `/metrics`.
    fn metrics(&self, out: &mut String);
}

/// A command of a task, and the way to its answer. Dropped without one, the
/// task abends with AEXZ.
pub struct ServiceCommand {
    /// Number of the task.
    pub task: u64,
    /// Its transaction.
    pub transid: TransId,
    /// The user of the task.
    pub userid: UserId,
    /// The command, by the number of its row.
    pub number: u16,
    /// Its operands.
    pub operands: CommandOperands,
    /// Its facility, where that outlives it.
    pub facility: Option<FacilityId>,
    pub(crate) way: Option<(Arc<dyn RegionHost>, TaskKey)>,
    /// The task waits, and a purge may end that.
    pub(crate) out: Option<OutsideCall>,
}

impl ServiceCommand {
    /// A command of a task that does not exist, for tests of a service: its
    /// answer is dropped.
    pub fn without_task(task: u64, number: u16, operands: CommandOperands) -> ServiceCommand {
        ServiceCommand {
            task,
            transid: TransId::BLANK,
            userid: UserId::BLANK,
            number,
            operands,
            facility: None,
            way: None,
            out: None,
        }
    }

    /// Asks the waiting worker to do something with a descriptor; the answer to the
    /// command comes later. `done` gets the command back, once and from any
    /// thread.
    pub fn ask_worker(
        mut self,
        request: &WorkerRequest,
        done: impl FnOnce(ServiceCommand, Result<WorkerReply, WorkerRequestError>) + Send + 'static,
    ) {
        self.later();
        let Some((host, key)) = self.way.clone() else {
            done(self, Err(WorkerRequestError::Gone));
            return;
        };
        let out = self.out.clone();
        let done = Box::new(move |reply| done(self, reply));
        host.ask_worker(key, out.as_ref(), request, done);
    }

    /// The unit of work of its task, for a participant to join. Returns `None`
    /// for a command of no task.
    pub fn unit(&self) -> Option<TaskUnit> {
        let (host, key) = self.way.as_ref()?;
        Some(TaskUnit::new(host.clone(), *key))
    }

    /// Answers the command.
    pub fn answer(mut self, answer: &CallAnswer) {
        self.finish(answer);
    }

    /// The answer comes later: meanwhile the task's worker counts as waiting,
    /// and a purge ends the wait. An answer after a purge is dropped.
    pub fn later(&mut self) {
        if let Some((host, key)) = &self.way
            && self.out.is_none()
        {
            self.out = Some(host.clone().waits_outside(*key));
        }
    }

    /// The service keeps so many documents of so many bytes for the task from now
    /// on. False when the task or the region has as many as it may; what was
    /// reported before counts then.
    pub fn account_documents(&self, amount: CountAndBytes) -> bool {
        match &self.way {
            Some((host, key)) => host.clone().account_documents(*key, amount),
            None => true,
        }
    }

    /// Notifies the service when this task ends.
    pub fn report_end(&self) {
        if let Some((host, key)) = &self.way {
            host.clone().report_task_end(*key);
        }
    }

    fn finish(&mut self, answer: &CallAnswer) {
        if let Some((host, key)) = self.way.take() {
            match &self.out {
                Some(call) => host.answer_outside(key, call, answer),
                None => host.answer(key, answer),
            }
        }
    }
}

impl Drop for ServiceCommand {
    fn drop(&mut self) {
        self.finish(&CallAnswer::of_abend(b"AEXZ"));
    }
}

impl Debug for ServiceCommand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ServiceCommand")
            .field("task", &self.task)
            .field("number", &self.number)
            .finish_non_exhaustive()
    }
}
