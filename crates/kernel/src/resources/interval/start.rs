//! START and START ATTACH: checking the request, beginning its task, and the end of the task.

use cics::command::commands::{start as row, start_attach as attach_row};
use cics::resp::Condition;
use link::{CHANNEL_DATA, ChannelData, CommandOperands, Name, TransId, UserId};

use super::super::Resources;
use super::when::{TimeOptions, when};
use super::{IntervalControl, StartData, StartRequest, StartStage, UNNAMED, kept, retrieve};
use crate::core::TaskKey;
use crate::kernel::{
    AlarmTarget, CallResult, CommandFailure, FAILED, InternalStart, KernelContext, Request,
    StartEnd, condition, done, done_with,
};
use crate::types::{StartCode, StartRefusal};

const WHEN: TimeOptions = TimeOptions {
    interval: row::INTERVAL,
    time: row::TIME,
    of_day: row::AT,
    hours: row::HOURS,
    minutes: row::MINUTES,
    seconds: row::SECONDS,
    millisecs: None,
};

/// START. Without NOCHECK the response has the request's name.
pub(super) fn start(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    request: &mut Request,
) -> CallResult {
    let (operands, caller) = (&request.operands, &request.caller);
    let at = when(operands, &WHEN, cx)?;
    let data = data(operands)?;
    let interval = &mut resources.interval;
    let transid = transaction(interval, operands.get_name(row::TRANSID))?;
    let terminal = terminal(resources, operands)?;
    let interval = &mut resources.interval;
    let name = match operands.get_name(row::REQID) {
        None if operands.has(row::NOCHECK) => UNNAMED,
        None => interval.generate_name(),
        // The data are stored under the name, which has data already.
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
    let origin = cx.origin_of(caller);
    let start = InternalStart {
        id,
        transid,
        origin,
        userid: match operands.get_name(row::USERID) {
            Some(user) => UserId::from_bytes(user),
            None => caller.userid,
        },
        start_code: if from {
            StartCode::StartData
        } else {
            StartCode::Start
        },
        channel,
        facility: terminal,
        ..InternalStart::default()
    };
    let protect = operands.has(row::PROTECT);
    let mut asked = StartRequest {
        has_channel: start.channel.is_some(),
        start,
        at,
        data,
        name,
        ticket: None,
        stage: StartStage::Uncommitted,
        maker: caller.key,
    };
    interval.check_room(&asked)?;
    if !protect {
        check_queue(cx, &asked)?;
    }
    if protect {
        // Requests for a terminal of a pool are deleted with the terminal.
        if !resources.facilities.is_pooled(terminal) {
            kept::protect(interval, cx, caller.key, &mut asked);
        }
        interval.protected.entry(caller.key).or_default().push(id);
    }
    interval.insert(asked);
    if !protect {
        schedule(resources, cx, id);
    }
    if operands.has(row::NOCHECK) && !operands.has(row::REQID) {
        done()
    } else {
        done_with(CommandOperands::default().bytes(row::REQID, name))
    }
}

/// A START from a door, with the time until it is due in nanoseconds and the data for
/// RETRIEVE.
pub(super) fn from_door(
    interval: &mut IntervalControl,
    cx: &mut KernelContext<'_>,
    transid: TransId,
    userid: UserId,
    delay_ns: u64,
    data: Vec<u8>,
) {
    let id = cx.next_start();
    let name = interval.generate_name();
    interval.insert(StartRequest {
        start: InternalStart {
            id,
            transid,
            userid,
            start_code: StartCode::StartData,
            ..InternalStart::default()
        },
        at: cx.now.saturating_add(delay_ns),
        data: Some(StartData {
            from: Some(data),
            ..StartData::default()
        }),
        has_channel: false,
        name,
        ticket: None,
        stage: StartStage::Uncommitted,
        maker: TaskKey::NO_TASK,
    });
    wait_or_begin(interval, cx, id);
}

/// Whether the task of a request that begins now may be queued. A request that waits for
/// its time, its terminal or the syncpoint is not checked: it is held when it is due.
fn check_queue(cx: &KernelContext<'_>, asked: &StartRequest) -> Result<(), CommandFailure> {
    let start = &asked.start;
    let begins_now = asked.at <= cx.now && start.facility.is_blank();
    if begins_now && !cx.kernel.starts.has_room(start.transid, start.origin) {
        return condition(Condition::IoErr, 0);
    }
    Ok(())
}

/// START ATTACH.
pub(super) fn attach(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    request: &mut Request,
) -> CallResult {
    let operands = &request.operands;
    let from = area(operands, attach_row::FROM, attach_row::LENGTH)?;
    let interval = &mut resources.interval;
    let transid = transaction(interval, operands.get_name(attach_row::TRANSID))?;
    let origin = cx.origin_of(&request.caller);
    if !cx.kernel.starts.has_room(transid, origin) {
        return condition(Condition::IoErr, 0);
    }
    let id = cx.next_start();
    let asked = StartRequest {
        start: InternalStart {
            id,
            transid,
            origin,
            userid: request.caller.userid,
            start_code: StartCode::Web,
            ..InternalStart::default()
        },
        at: cx.now,
        data: from.map(|from| StartData {
            from: Some(from),
            ..StartData::default()
        }),
        has_channel: false,
        name: UNNAMED,
        ticket: None,
        stage: StartStage::Uncommitted,
        maker: request.caller.key,
    };
    interval.check_room(&asked)?;
    interval.insert(asked);
    begin_now(interval, cx, id);
    done()
}

/// The data of a START for RETRIEVE; none if the command specifies none.
fn data(operands: &CommandOperands) -> Result<Option<StartData>, CommandFailure> {
    let data = StartData {
        from: area(operands, row::FROM, row::LENGTH)?,
        rtransid: operands.get_name(row::RTRANSID),
        rtermid: operands.get_name(row::RTERMID),
        queue: operands.get_name(row::QUEUE),
    };
    Ok(Some(data).filter(|d| *d != StartData::default()))
}

/// The FROM area; its length must be above 0.
fn area(
    operands: &CommandOperands,
    from: u8,
    length: u8,
) -> Result<Option<Vec<u8>>, CommandFailure> {
    match operands.get_int(length) {
        Some(..=0) => condition(Condition::LengErr, 0),
        _ => Ok(operands.get_bytes(from).map(<[u8]>::to_vec)),
    }
}

/// The transaction, which must be defined. Whether it is enabled is checked when its task
/// begins.
fn transaction(
    interval: &IntervalControl,
    name: Option<[u8; 4]>,
) -> Result<TransId, CommandFailure> {
    let transid = TransId::from_bytes(name.unwrap_or([b' '; 4]));
    match interval.transaction(transid) {
        Some(_) => Ok(transid),
        None => condition(Condition::TransIdErr, 0),
    }
}

/// The channel that the worker sent with the command.
fn channel(operands: &CommandOperands) -> Result<Option<ChannelData>, CommandFailure> {
    let parsed = operands.get_bytes(CHANNEL_DATA).map(ChannelData::parse);
    // A correct worker writes a valid channel.
    parsed
        .transpose()
        .map_err(|_| CommandFailure::Abend(FAILED))
}

/// The terminal that START names, which must be known and have room for one more
/// request.
fn terminal(resources: &Resources, operands: &CommandOperands) -> Result<Name<4>, CommandFailure> {
    let Some(terminal) = operands.get_name(row::TERMID).map(Name::from_bytes) else {
        return Ok(Name::BLANK);
    };
    if !resources.facilities.has_terminal(terminal) {
        return condition(Condition::TermIdErr, 0);
    }
    let waiting = resources.interval.for_terminals.get(&terminal);
    if waiting.is_none_or(|n| *n < resources.facilities.most_starts()) {
        Ok(terminal)
    } else {
        condition(Condition::IoErr, 0)
    }
}

/// Lets a request wait for its time, or begins its task; a request for a terminal also
/// waits until the terminal is free.
pub(super) fn schedule(resources: &mut Resources, cx: &mut KernelContext<'_>, id: u64) {
    let interval = &mut resources.interval;
    let request = interval.requests.get(&id);
    if request.is_some_and(|r| r.at <= cx.now) {
        due(resources, cx, id)
    } else {
        wait_or_begin(interval, cx, id)
    }
}

/// Lets a request without a terminal wait for its time, or begins its task.
fn wait_or_begin(interval: &mut IntervalControl, cx: &mut KernelContext<'_>, id: u64) {
    let Some(request) = interval.requests.get_mut(&id) else {
        return;
    };
    if request.at <= cx.now {
        begin_now(interval, cx, id);
        return;
    }
    let alarm = AlarmTarget::Manager(IntervalControl::INDEX, id);
    let timer = cx.kernel.timers.set(request.at, alarm);
    request.stage = StartStage::Waiting(Some(timer));
}

/// A request has expired.
pub(super) fn due(resources: &mut Resources, cx: &mut KernelContext<'_>, id: u64) {
    let interval = &mut resources.interval;
    let Some(request) = interval.requests.get_mut(&id) else {
        return;
    };
    let terminal = request.start.facility;
    if terminal.is_blank() {
        begin_now(interval, cx, id);
    } else {
        request.stage = StartStage::Queued;
        resources.start_waits(cx, terminal, id);
    }
}

/// Requests the task of a request.
fn begin_now(interval: &mut IntervalControl, cx: &mut KernelContext<'_>, id: u64) {
    if let Some(start) = begun(interval, id) {
        cx.start(start);
    }
}

/// Returns the task of a request that begins now.
pub(super) fn begun(interval: &mut IntervalControl, id: u64) -> Option<InternalStart> {
    let request = interval.requests.get_mut(&id)?;
    request.stage = StartStage::Begun;
    let channel = interval.take_out(id, |request| request.start.channel.take())?;
    let request = interval.requests.get(&id)?;
    let start = InternalStart {
        channel,
        ..request.start.clone()
    };
    let (name, holds) = (request.name, request.data.is_some());
    if !holds {
        interval.free_name(name, id);
    }
    interval.leave_queue(start.facility);
    Some(start)
}

/// A terminal was removed: deletes the requests that wait for it.
pub fn discard_for(resources: &mut Resources, cx: &mut KernelContext<'_>, terminal: Name<4>) {
    let waits = |r: &&StartRequest| {
        let waits = matches!(r.stage, StartStage::Waiting(_) | StartStage::Queued);
        waits && r.start.facility == terminal
    };
    let requests = resources.interval.requests.values().filter(waits);
    let mut ids: Vec<u64> = requests.map(|r| r.start.id).collect();
    ids.sort_unstable();
    for id in ids {
        let stage = resources.interval.requests.get(&id).map(|r| r.stage);
        if let Some(StartStage::Waiting(Some(timer))) = stage {
            cx.kernel.timers.cancel(timer);
        }
        discard(resources, cx, id);
    }
}

/// Deletes a request whose terminal was removed.
pub fn discard(resources: &mut Resources, cx: &mut KernelContext<'_>, id: u64) {
    if let Some(request) = resources.interval.remove(id) {
        tracing::info!(
            transid = %request.start.transid,
            terminal = %request.start.facility,
            "a START is discarded with its terminal"
        );
        kept::forget(cx, &request);
    }
}

/// A unit of work has ended: its protected requests wait for their time after a commit, and
/// are deleted after a backout.
pub(super) fn unit_ended(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    task: TaskKey,
    committed: bool,
) {
    let ids = resources.interval.protected.remove(&task);
    for id in ids.unwrap_or_default() {
        if committed {
            schedule(resources, cx, id)
        } else {
            drop(resources.interval.remove(id))
        }
    }
    retrieve::unit_ended(resources, task, committed);
    kept::unit_ended(resources, cx, task, committed);
}

/// A started task has ended, or could not begin. Requests of tasks that ended normally were
/// handled at the end of the task.
pub(super) fn ended(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    id: u64,
    ended: &StartEnd,
) {
    let interval = &mut resources.interval;
    match ended {
        StartEnd::Ran(..) => {}
        // The next start of the region restores the request.
        StartEnd::Refused(StartRefusal::ShuttingDown) => {
            if let Some(request) = interval.requests.get_mut(&id) {
                request.stage = StartStage::Waiting(None);
                let terminal = request.start.facility;
                if !terminal.is_blank() {
                    *interval.for_terminals.entry(terminal).or_default() += 1;
                }
            }
        }
        StartEnd::Refused(_) => {
            if let Some(request) = interval.remove(id) {
                kept::forget(cx, &request);
            }
        }
    }
}
