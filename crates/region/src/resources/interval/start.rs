//! START and RETRIEVE.

use cics::command::commands::{retrieve as retrieve_row, start as row};
use cics::resp::Condition;
use link::{Operands, TransId};

use super::super::Resources;
use super::when::{Options, when};
use super::{Intervals, Pending, StartData};
use crate::api::StartCode;
use crate::kernel::{Alarm, Cx, Request, Served, Start, StartEnd, condition, done, done_with};

const WHEN: Options = Options {
    interval: row::INTERVAL,
    time: row::TIME,
    from_now: row::AFTER,
    of_day: row::AT,
    hours: row::HOURS,
    minutes: row::MINUTES,
    seconds: row::SECONDS,
    millisecs: None,
};

pub(super) fn start(resources: &mut Resources, cx: &mut Cx<'_>, request: &mut Request) -> Served {
    let operands = &request.operands;
    let at = when(operands, &WHEN, cx)?;
    let transid = operands.get_name(row::TRANSID).unwrap_or([b' '; 4]);
    let from = operands.get_bytes(row::FROM).map(<[u8]>::to_vec);
    let code = match &from {
        Some(_) => StartCode::StartData,
        None => StartCode::Start,
    };
    let id = cx.next_start();
    let start = Start {
        id,
        transid: TransId::from_bytes(transid),
        userid: request.caller.userid,
        start_code: code,
        ..Start::default()
    };
    let data = StartData {
        from,
        retrieved: false,
    };
    if at <= cx.now {
        resources.interval.data.insert(id, data);
        cx.start(start);
        return done();
    }
    let timer = cx
        .kernel
        .timers
        .set(at, Alarm::Manager(Intervals::INDEX, id));
    let pending = Pending {
        start,
        data,
        timer,
        by: request.caller.key,
    };
    resources.interval.waiting.insert(id, pending);
    done()
}

/// The time of a START has come.
pub(super) fn due(resources: &mut Resources, cx: &mut Cx<'_>, id: u64) {
    let interval = &mut resources.interval;
    if let Some(pending) = interval.waiting.remove(&id) {
        interval.data.insert(id, pending.data);
        cx.start(pending.start);
    }
}

/// The task of a START could not begin: nobody will retrieve its data.
pub(super) fn ended(resources: &mut Resources, _: &mut Cx<'_>, id: u64, ended: &StartEnd) {
    if let StartEnd::Refused(_) = ended {
        resources.interval.data.remove(&id);
    }
}

pub(super) fn retrieve(resources: &mut Resources, _: &mut Cx<'_>, request: &mut Request) -> Served {
    let data = request
        .caller
        .start
        .and_then(|id| resources.interval.data.get_mut(&id));
    let Some(data) = data.filter(|d| !d.retrieved) else {
        return condition(Condition::EndData, 0);
    };
    let Some(from) = &data.from else {
        return condition(Condition::EndData, 0);
    };
    let given = Operands::default().bytes(retrieve_row::INTO, from.clone());
    data.retrieved = true;
    done_with(given)
}
