//! The end of a task whose last command is a RETURN TRANSID that the region was not
//! asked to carry out: it lies among the task's results.
//!
//! A pseudo-conversation ends each of its tasks so. The command goes the way of any
//! other, and then the task ends; its worker is spared a call and a wake-up.
//!
//! Reference: CICS API reference, RETURN.

use cics::command::commands::ret;
use cics::resp::DefaultAction;
use link::{CallOperation, CommandOperands, Name, WorkerCall};

use super::{
    CallProgress, CallingTask, CommandFailure, FAILED, Kernel, KernelEffect, Request,
    ResourceManagers,
};
use crate::types::Abend;

impl<R: ResourceManagers> Kernel<R> {
    /// As [`Kernel::end`] with a commit, for a task with a RETURN TRANSID among its results:
    /// it is carried out before. A task whose RETURN cannot be is backed out, and has the
    /// abend that the command would have raised.
    pub fn end_with_return(
        &mut self,
        now: u64,
        caller: CallingTask,
        left: CommandOperands,
        out: &mut Vec<KernelEffect>,
    ) {
        self.begin_unit(now, &caller, out);
        let task = caller.key;
        let mut request = Request {
            caller,
            call: WorkerCall {
                op: CallOperation::Command,
                slot: 0,
                args: [u64::from(ret::NUMBER), 0, 0, 0, 0, 0, 0, 0],
                data: Vec::new(),
            },
            operands: left,
            woken: None,
            of_job: false,
            progress: 0,
        };
        let served = self.manage(now, out, |r, cx| r.serve(cx, &mut request));
        let code = match served {
            Some(Ok(CallProgress::Done(_))) => None,
            Some(Err(CommandFailure::Abend(code))) => Some(code),
            Some(Err(CommandFailure::Condition(condition, _))) => {
                match condition.default_action() {
                    DefaultAction::Abend(code) => Some(code.0),
                    DefaultAction::Ignore | DefaultAction::Suspend => Some(FAILED),
                }
            }
            _ => Some(FAILED),
        };
        match code {
            None => self.end_task(now, request.caller, true, out),
            Some(code) => {
                self.take_wait(task);
                self.back_out(now, task, out);
                let abend = Abend {
                    code,
                    program: Name::BLANK,
                    line: 0,
                    message: "RETURN TRANSID could not be carried out".to_owned(),
                };
                self.leave(now, request.caller, Some(abend), out);
            }
        }
        self.wake(now, out);
    }
}
