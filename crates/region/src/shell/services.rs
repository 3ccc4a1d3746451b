//! Commands that the kernel does not serve: passed to their service, answered
//! when they are done.

use std::sync::Arc;

use link::{CallAnswer, CommandOperands, ProtocolViolation, WorkerCall};

use super::SharedRegion;
use crate::api::{CommandService, ServiceCommand};
use kernel::PURGED;
use kernel::core::{OutsideCall, TaskKey};

impl SharedRegion {
    /// The service of a command that the kernel does not serve.
    pub(super) fn service_of(&self, number: u64) -> Option<&Arc<dyn CommandService>> {
        let services = self.config.services.iter();
        let mut able = services.filter(|s| s.commands().iter().any(|n| u64::from(*n) == number));
        able.next()
    }

    /// Hands a command of a running task over.
    pub(super) fn call_service(
        self: &Arc<Self>,
        service: &Arc<dyn CommandService>,
        key: TaskKey,
        call: &WorkerCall,
    ) -> Result<(), ProtocolViolation> {
        let operands = CommandOperands::parse(&call.data)?;
        let facility = self.facility_of(key);
        let command = {
            let state = self.lock();
            let Some(task) = state.core.task(key) else {
                return Ok(());
            };
            ServiceCommand {
                task: task.number,
                transid: task.transid,
                userid: task.userid,
                number: call.args[0] as u16,
                operands,
                facility,
                way: Some((self.clone(), key)),
                out: None,
            }
        };
        service.serve(command);
        Ok(())
    }

    /// A task begins to wait for something outside the kernel.
    pub(crate) fn begin_outside(self: &Arc<Self>, key: TaskKey) -> OutsideCall {
        let call = OutsideCall::default();
        self.with(|core, cx| {
            if let Some(task) = core.task_mut(key) {
                task.outside = Some(call.clone());
            }
            if let Some(worker) = core.runs_in(key) {
                core.waits(cx, worker, true);
            }
        });
        call
    }

    /// Answers a task that waits for something outside the kernel, unless a purge
    /// was first.
    pub(crate) fn end_outside(
        self: &Arc<Self>,
        key: TaskKey,
        call: &OutsideCall,
        answer: &CallAnswer,
    ) {
        if !call.take() {
            return;
        }
        self.with(|core, cx| {
            if let Some(worker) = core.runs_in(key) {
                core.waits(cx, worker, false);
            }
        });
        self.answer_task(key, answer);
    }

    /// Ends the wait of a task for something outside the kernel; false when the
    /// task does not wait so.
    pub(super) fn purge_outside(self: &Arc<Self>, key: TaskKey) -> bool {
        let call = self.lock().core.task(key).and_then(|t| t.outside.clone());
        let call = call.filter(OutsideCall::is_out);
        if let Some(call) = &call {
            self.end_outside(key, call, &CallAnswer::of_abend(&PURGED));
        }
        call.is_some()
    }

    /// The services are to be notified of a task's end.
    pub(crate) fn services_hear_end(&self, key: TaskKey) {
        if let Some(task) = self.lock().core.task_mut(key) {
            // The end of a task that the kernel knows comes by there.
            task.in_kernel = true;
            task.has_services = true;
        }
    }

    /// The services are to end what a task that is purged waits for.
    pub(super) fn purge_in_services(&self, key: TaskKey) {
        let number = self.lock().core.task(key).map(|t| t.number);
        if let Some(number) = number {
            let services = self.config.services.iter();
            services.for_each(|service| service.task_purged(number));
        }
    }

    /// A task is over: notifies the services that asked for it.
    pub(super) fn end_services(&self, key: TaskKey) {
        if self.config.services.is_empty() {
            return;
        }
        let number = {
            let state = self.lock();
            let task = state.core.task(key).filter(|t| t.has_services);
            task.map(|t| t.number)
        };
        let Some(number) = number else {
            return;
        };
        for service in &self.config.services {
            service.task_ended(number);
        }
    }
}
