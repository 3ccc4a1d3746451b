//! DELAY.
//!
//! With REQID another task may end the wait before its time: the wait is for
//! an event of that name.

use cics::command::commands::delay as row;
use cics::resp::Condition;

use super::super::Resources;
use super::when::{TimeOptions, when};
use super::{DELAY, ReqId};
use crate::kernel::{
    CallProgress, CallResult, KernelContext, Request, TaskWait, WaitExpiry, condition, done,
};

const WHEN: TimeOptions = TimeOptions {
    interval: row::INTERVAL,
    time: row::TIME,
    of_day: row::UNTIL,
    hours: row::HOURS,
    minutes: row::MINUTES,
    seconds: row::SECONDS,
    millisecs: Some(row::MILLISECS),
};

pub(super) fn delay(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    request: &mut Request,
) -> CallResult {
    if request.woken.is_some() {
        return done();
    }
    let operands = &request.operands;
    let at = when(operands, &WHEN, cx)?;
    resources.events.supersede(request.caller.key);
    if at <= cx.now {
        return if WHEN.is_of_day(operands) {
            condition(Condition::Expired, 0)
        } else {
            done()
        };
    }
    let name: Option<ReqId> = operands.get_name(row::REQID);
    Ok(CallProgress::Wait(match name {
        Some(name) => TaskWait::event(DELAY, &name).at_most_until(at, WaitExpiry::Resume),
        None => TaskWait::until(at),
    }))
}
