//! CANCEL: deletes a START request, ends a DELAY, posts another task's POST at
//! once, or deletes the task's own POST.
//!
//! A protected START can be cancelled after its unit of work is committed. When
//! the command has ended, the request is deleted from the store.

use cics::command::commands::cancel as row;
use cics::resp::Condition;
use link::CallAnswer;

use super::super::Resources;
use super::super::settling;
use super::start::schedule;
use super::{DELAY, ReqId, StartStage, kept};
use crate::kernel::{
    CallProgress, CallResult, CommandCompletion, CommandFailure, FAILED, KernelContext, Request,
    condition, done,
};

pub(super) fn cancel(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    request: &mut Request,
) -> CallResult {
    let caller = &request.caller;
    let Some(name) = request.operands.get_name::<8>(row::REQID) else {
        return if resources.events.supersede(caller.key) {
            done()
        } else {
            condition(Condition::NotFnd, 0)
        };
    };
    if let Some(step) = cancel_start(resources, cx, name) {
        return Ok(step);
    }
    if cx.is_awaited(DELAY, &name) {
        cx.signal(DELAY, &name);
        return done();
    }
    if resources.events.cancel(cx, caller.key, name) {
        done()
    } else {
        condition(Condition::NotFnd, 0)
    }
}

/// Cancels the oldest START of that name that waits for its time.
fn cancel_start(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    name: ReqId,
) -> Option<CallProgress> {
    let interval = &mut resources.interval;
    let waits = |stage| matches!(stage, StartStage::Waiting(_));
    let found = interval.named(name).find(|r| waits(r.stage))?;
    let (id, stage, changes) = (found.start.id, found.stage, kept::removal(found));
    if let StartStage::Waiting(Some(timer)) = stage {
        cx.kernel.timers.cancel(timer);
    }
    let answer = CallAnswer::default();
    if cx.kernel.reader.is_none() || changes.is_empty() {
        interval.remove(id);
        return Some(CallProgress::Done(answer));
    }
    if let Some(request) = interval.requests.get_mut(&id) {
        request.stage = StartStage::Cancelling;
    }
    Some(CallProgress::Commit(
        changes,
        CommandCompletion {
            answer,
            // The command has no condition for it.
            refused: |_| CommandFailure::Abend(FAILED),
            unlock: None,
            settle: settling(move |resources, cx, stored| {
                if stored {
                    drop(resources.interval.remove(id))
                } else {
                    // The request may have expired meanwhile.
                    schedule(resources, cx, id)
                }
            }),
        },
    ))
}
