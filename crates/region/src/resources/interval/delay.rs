//! DELAY.

use cics::command::commands::delay as row;
use cics::resp::Condition;

use super::super::Resources;
use super::when::{Options, when};
use crate::kernel::{Cx, Request, Served, Step, Wait, Woken, condition, done};

const WHEN: Options = Options {
    interval: row::INTERVAL,
    time: row::TIME,
    from_now: row::FOR,
    of_day: row::UNTIL,
    hours: row::HOURS,
    minutes: row::MINUTES,
    seconds: row::SECONDS,
    millisecs: Some(row::MILLISECS),
};

pub(super) fn delay(_: &mut Resources, cx: &mut Cx<'_>, request: &mut Request) -> Served {
    if request.woken == Some(Woken::Expired) {
        return done();
    }
    let operands = &request.operands;
    let at = when(operands, &WHEN, cx)?;
    let of_day = operands.has(row::TIME) || operands.has(row::UNTIL);
    if at <= cx.now {
        return match of_day {
            true => condition(Condition::Expired, 31),
            false => done(),
        };
    }
    Ok(Step::Wait(Wait::until(at)))
}
