//! Mid-task calls: what running programs ask of the region.

use std::sync::Arc;

use cics::command::by_number;
use cics::resp::Condition;
use link::{CallAnswer, CallAreaState, CallOperation, ProgramName, WorkerCall};

use super::SharedRegion;
use super::links::WorkerLink;
use super::system;
use super::wakes::answer;
use crate::api::CommandService;
use kernel::core::{CallOwner, TaskKey};

impl SharedRegion {
    /// Serves the call of a worker, if it has one.
    pub(super) fn serve_call(self: &Arc<Self>, worker: usize) {
        let Some(link) = self.lock().links.get(worker).cloned() else {
            return;
        };
        let call = match link.side.take_call() {
            CallAreaState::Nothing => return,
            CallAreaState::NestedDone(answer) => {
                if !self.acted(&link, &answer) {
                    self.guest_ran(worker, &link, answer);
                }
                return;
            }
            CallAreaState::Call(call) => call,
            CallAreaState::Violation(violation) => {
                tracing::error!(worker, %violation, "a worker's call is not valid");
                self.with(|core, cx| core.protocol_violation(cx, worker));
                return;
            }
        };
        let caller = self.lock().core.caller(worker, call.slot);
        match caller {
            CallOwner::Task(key) => self.serve(worker, &link, key, call),
            // Its process ended when it had asked.
            CallOwner::Gone => {}
            CallOwner::NoTask => self.with(|core, cx| core.protocol_violation(cx, worker)),
        }
    }

    fn serve(
        self: &Arc<Self>,
        worker: usize,
        link: &Arc<WorkerLink>,
        key: TaskKey,
        call: WorkerCall,
    ) {
        match call.op {
            CallOperation::Log => {
                self.log(worker, key, &call);
                answer(link, &CallAnswer::default());
            }
            CallOperation::Converse => self.converse(worker, link, key, call),
            CallOperation::Socket => self.call_socket(worker, key, call),
            CallOperation::Link => self.begin_guest(worker, link, key, &call),
            CallOperation::Command if !self.permits(call.args[0]) => {
                answer(
                    link,
                    &CallAnswer::of_condition(Condition::NotAuth, NOT_FOR_USER),
                );
            }
            CallOperation::Command if system::serves(call.args[0]) => {
                self.serve_system(worker, link, key, &call);
            }
            CallOperation::Command => match self.service_of(call.args[0]) {
                Some(service) => self.serve_by_service(worker, service, key, &call),
                None => self.serve_in_kernel(worker, key, call),
            },
            _ => self.serve_in_kernel(worker, key, call),
        }
    }

    /// Serves the call of a task that is not a worker's: of an open task, or of a
    /// guest.
    pub(super) fn serve_open(
        self: &Arc<Self>,
        key: TaskKey,
        call: WorkerCall,
    ) -> Result<(), CallAnswer> {
        let failed = CallAnswer::of_abend(&kernel::FAILED);
        if call.op == CallOperation::Command && system::serves(call.args[0]) {
            let answer = self.system_answer(key, &call).ok_or(failed)?;
            self.answer_task(key, &answer);
            return Ok(());
        }
        self.call_kernel(key, call).map_err(|_| failed)
    }

    fn serve_by_service(
        self: &Arc<Self>,
        worker: usize,
        service: &Arc<dyn CommandService>,
        key: TaskKey,
        call: &WorkerCall,
    ) {
        if self.call_service(service, key, call).is_err() {
            tracing::error!(worker, "the operands of a worker's call are not valid");
            self.with(|core, cx| core.protocol_violation(cx, worker));
        }
    }

    /// Whether programs may use the command of this number: those that administer
    /// the region need a grant. Built-in transactions, which do not run in
    /// workers, have checked their user.
    fn permits(&self, number: u64) -> bool {
        let command = u16::try_from(number).ok().and_then(by_number);
        command.is_none_or(|command| self.config.spi.permit(command))
    }

    fn log(&self, worker: usize, key: TaskKey, call: &WorkerCall) {
        let task = self.lock().core.task(key).map_or(0, |t| t.number);
        let text = String::from_utf8_lossy(&call.data);
        match call.args[0] {
            0 => tracing::error!(target: "tupelo::worker", worker, task, "{text}"),
            1 => tracing::warn!(target: "tupelo::worker", worker, task, "{text}"),
            2 => tracing::info!(target: "tupelo::worker", worker, task, "{text}"),
            3 => tracing::debug!(target: "tupelo::worker", worker, task, "{text}"),
            _ => tracing::trace!(target: "tupelo::worker", worker, task, "{text}"),
        }
    }
}

/// RESP2 of NOTAUTH where the user may not use the command.
const NOT_FOR_USER: u32 = 100;

/// Every program that a region has is in its workers' table; what asks here
/// names one that has not been connected.
pub(super) fn no_such_program(call: &WorkerCall) -> CallAnswer {
    let name = call
        .data
        .first_chunk::<8>()
        .map(|n| ProgramName::from_bytes(*n));
    tracing::debug!(program = %name.unwrap_or_default(), "LINK to a program that is not here");
    CallAnswer::of_condition(Condition::PgmIdErr, 3)
}
