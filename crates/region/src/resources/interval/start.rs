//! START and START ATTACH: what is asked for, when it begins, how it ends.

use cics::command::commands::{start as row, start_attach as attach_row};
use cics::resp::Condition;
use link::{CHANNEL_DATA, ChannelData, Operands, TransId, UserId};

use super::super::Resources;
use super::when::{Options, when};
use super::{Intervals, Stage, StartData, StartRequest, UNNAMED, kept};
use crate::api::{Refusal, StartCode};
use crate::core::TaskKey;
use crate::kernel::{
    Alarm, Cx, FAILED, Failure, Request, Served, Start, StartEnd, condition, done, done_with,
};

const WHEN: Options = Options {
    interval: row::INTERVAL,
    time: row::TIME,
    of_day: row::AT,
    hours: row::HOURS,
    minutes: row::MINUTES,
    seconds: row::SECONDS,
    millisecs: None,
};

/// START. The answer holds the request's name, unless NOCHECK was given.
pub(super) fn start(resources: &mut Resources, cx: &mut Cx<'_>, request: &mut Request) -> Served {
    let (operands, caller) = (&request.operands, &request.caller);
    let at = when(operands, &WHEN, cx)?;
    let data = data(operands)?;
    let interval = &mut resources.interval;
    let transid = transaction(interval, operands.get_name(row::TRANSID))?;
    if operands.has(row::TERMID) {
        // There are no terminals.
        return condition(Condition::TermIdErr, 0);
    }
    let name = match operands.get_name(row::REQID) {
        None if operands.has(row::NOCHECK) => UNNAMED,
        None => interval.generate_name(),
        // The data are kept under the name, and some are there.
        Some(name) if data.is_some() && interval.named(name).any(|r| r.data.is_some()) => {
            return condition(Condition::IoErr, 0);
        }
        Some(name) => name,
    };
    let channel = channel(operands)?;
    resources.events.supersede(caller.key);
    let interval = &mut resources.interval;
    let from = data.as_ref().is_some_and(|d| d.from.is_some());
    let id = cx.next_start();
    let start = Start {
        id,
        transid,
        userid: match operands.get_name(row::USERID) {
            Some(user) => UserId::from_bytes(user),
            None => caller.userid,
        },
        start_code: match from {
            true => StartCode::StartData,
            false => StartCode::Start,
        },
        channel,
        ..Start::default()
    };
    let protect = operands.has(row::PROTECT);
    let mut asked = StartRequest {
        has_channel: start.channel.is_some(),
        start,
        at,
        data,
        name,
        ticket: None,
        stage: Stage::Uncommitted,
    };
    if protect {
        kept::protect(interval, cx, caller.key, &mut asked);
        interval.protected.entry(caller.key).or_default().push(id);
    }
    interval.insert(asked);
    if !protect {
        schedule(interval, cx, id);
    }
    match operands.has(row::NOCHECK) && !operands.has(row::REQID) {
        true => done(),
        false => done_with(Operands::default().bytes(row::REQID, name)),
    }
}

/// A START that a door asks for, after so many nanoseconds, with data for
/// RETRIEVE.
pub(super) fn from_door(
    interval: &mut Intervals,
    cx: &mut Cx<'_>,
    transid: TransId,
    userid: UserId,
    delay_ns: u64,
    data: Vec<u8>,
) {
    let id = cx.next_start();
    let name = interval.generate_name();
    interval.insert(StartRequest {
        start: Start {
            id,
            transid,
            userid,
            start_code: StartCode::StartData,
            ..Start::default()
        },
        at: cx.now.saturating_add(delay_ns),
        data: Some(StartData {
            from: Some(data),
            ..StartData::default()
        }),
        has_channel: false,
        name,
        ticket: None,
        stage: Stage::Uncommitted,
    });
    schedule(interval, cx, id);
}

/// START ATTACH.
pub(super) fn attach(resources: &mut Resources, cx: &mut Cx<'_>, request: &mut Request) -> Served {
    let operands = &request.operands;
    let from = area(operands, attach_row::FROM, attach_row::LENGTH)?;
    let interval = &mut resources.interval;
    let transid = transaction(interval, operands.get_name(attach_row::TRANSID))?;
    let id = cx.next_start();
    interval.insert(StartRequest {
        start: Start {
            id,
            transid,
            userid: request.caller.userid,
            start_code: StartCode::Web,
            ..Start::default()
        },
        at: cx.now,
        data: from.map(|from| StartData {
            from: Some(from),
            ..StartData::default()
        }),
        has_channel: false,
        name: UNNAMED,
        ticket: None,
        stage: Stage::Begun,
    });
    begin(interval, cx, id);
    done()
}

/// What a START sends along for RETRIEVE; none when it names nothing.
fn data(operands: &Operands) -> Result<Option<StartData>, Failure> {
    let data = StartData {
        from: area(operands, row::FROM, row::LENGTH)?,
        rtransid: operands.get_name(row::RTRANSID),
        rtermid: operands.get_name(row::RTERMID),
        queue: operands.get_name(row::QUEUE),
    };
    Ok(Some(data).filter(|d| *d != StartData::default()))
}

/// The area that is sent along; its length must be above 0.
fn area(operands: &Operands, from: u8, length: u8) -> Result<Option<Vec<u8>>, Failure> {
    match operands.get_int(length) {
        Some(..=0) => condition(Condition::LengErr, 0),
        _ => Ok(operands.get_bytes(from).map(<[u8]>::to_vec)),
    }
}

/// A transaction that is defined. Whether it is enabled is seen when its task
/// is to begin.
fn transaction(interval: &Intervals, name: Option<[u8; 4]>) -> Result<TransId, Failure> {
    let transid = TransId::from_bytes(name.unwrap_or([b' '; 4]));
    match interval.transaction(transid) {
        Some(_) => Ok(transid),
        None => condition(Condition::TransIdErr, 0),
    }
}

/// The channel that the worker sent with the command.
fn channel(operands: &Operands) -> Result<Option<ChannelData>, Failure> {
    let parsed = operands.get_bytes(CHANNEL_DATA).map(ChannelData::parse);
    // A worker of ours writes what can be read.
    parsed.transpose().map_err(|_| Failure::Abend(FAILED))
}

/// Lets a request wait for its time, or begins its task.
pub(super) fn schedule(interval: &mut Intervals, cx: &mut Cx<'_>, id: u64) {
    let Some(request) = interval.requests.get_mut(&id) else {
        return;
    };
    if request.at <= cx.now {
        begin(interval, cx, id);
        return;
    }
    let alarm = Alarm::Manager(Intervals::INDEX, id);
    let timer = cx.kernel.timers.set(request.at, alarm);
    request.stage = Stage::Waiting(Some(timer));
}

/// The time of a request has come.
pub(super) fn due(resources: &mut Resources, cx: &mut Cx<'_>, id: u64) {
    begin(&mut resources.interval, cx, id);
}

/// Has the task of a request started.
fn begin(interval: &mut Intervals, cx: &mut Cx<'_>, id: u64) {
    let Some(request) = interval.requests.get_mut(&id) else {
        return;
    };
    request.stage = Stage::Begun;
    let channel = request.start.channel.take();
    cx.start(Start {
        channel,
        ..request.start.clone()
    });
    let (name, holds) = (request.name, request.data.is_some());
    if !holds {
        interval.free_name(name, id);
    }
}

/// A unit of work is over: its protected requests wait for their time now, or
/// were never made.
pub(super) fn unit_ended(
    resources: &mut Resources,
    cx: &mut Cx<'_>,
    task: TaskKey,
    committed: bool,
) {
    let interval = &mut resources.interval;
    for id in interval.protected.remove(&task).unwrap_or_default() {
        match committed {
            true => schedule(interval, cx, id),
            false => drop(interval.remove(id)),
        }
    }
    kept::unit_ended(interval, cx, task, committed);
}

/// A started task is over, or could not begin. What ended normally was dealt
/// with at the end of its task.
pub(super) fn ended(resources: &mut Resources, cx: &mut Cx<'_>, id: u64, ended: &StartEnd) {
    let interval = &mut resources.interval;
    match ended {
        StartEnd::Ran(..) => {}
        // The next start of the region finds it.
        StartEnd::Refused(Refusal::ShuttingDown) => {
            if let Some(request) = interval.requests.get_mut(&id) {
                request.stage = Stage::Waiting(None);
            }
        }
        StartEnd::Refused(_) => {
            if let Some(request) = interval.remove(id) {
                kept::forget(cx, &request);
            }
        }
    }
}
