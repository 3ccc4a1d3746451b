//! START requests in the store, which a restart of the region restores.
//!
//! A protected request is put into the unit of work that makes it. It is
//! deleted by the first unit of work of the task that it starts: when the
//! region is lost before that is committed, the task starts again. A request
//! without PROTECT is in the store only between a normal end of the region
//! and its next start.
//!
//! An entry's key is a letter (`P` protected, `N` not) and a number; its value
//! is a list of operands. Times are nanoseconds since 1970.

use link::{CHANNEL_DATA, ChannelData, CommandOperands, Name, TransId, UserId};
use store::{Table, UnitOfWork};

use super::super::Resources;
use super::start::schedule;
use super::{IntervalControl, StartData, StartRequest, StartStage};
use crate::core::TaskKey;
use crate::kernel::{CallingTask, InternalStart, KernelContext, scan};
use crate::types::StartCode;

pub(super) const STARTS: Table = Table::new("starts");
const PROTECTED: u8 = b'P';
const UNPROTECTED: u8 = b'N';

/// The fields of an entry.
mod field {
    pub const AT: u8 = 0;
    pub const TRANSID: u8 = 1;
    pub const USERID: u8 = 2;
    pub const NAME: u8 = 3;
    pub const FROM: u8 = 4;
    pub const RTRANSID: u8 = 5;
    pub const RTERMID: u8 = 6;
    pub const QUEUE: u8 = 7;
    pub const TERMID: u8 = 8;
}

fn key(kind: u8, ticket: u64) -> [u8; 9] {
    let mut key = [kind; 9];
    key[1..].copy_from_slice(&ticket.to_be_bytes());
    key
}

/// Makes a request part of a task's unit of work.
pub(super) fn protect(
    interval: &mut IntervalControl,
    cx: &mut KernelContext<'_>,
    task: TaskKey,
    request: &mut StartRequest,
) {
    let value = emit(request, cx.kernel.settings.unix_offset_ns);
    if let Some((unit, _)) = cx.unit_and_store(task) {
        interval.last_ticket += 1;
        unit.put(STARTS, &key(PROTECTED, interval.last_ticket), &value);
        request.ticket = Some(interval.last_ticket);
    }
}

/// Adds the deletion of a request to a task's unit of work.
pub(super) fn remove_in_unit(cx: &mut KernelContext<'_>, task: TaskKey, request: &StartRequest) {
    if let Some(ticket) = request.ticket
        && let Some((unit, _)) = cx.unit_and_store(task)
    {
        unit.remove(STARTS, &key(PROTECTED, ticket));
    }
}

/// The changes that delete a request from the store; none if the store does not have it.
pub(super) fn removal(request: &StartRequest) -> UnitOfWork {
    let mut changes = UnitOfWork::default();
    if let Some(ticket) = request.ticket {
        changes.remove(STARTS, &key(PROTECTED, ticket));
    }
    changes
}

/// Removes from the store a request whose task will never start.
pub(super) fn forget(cx: &mut KernelContext<'_>, request: &StartRequest) {
    cx.change_store(removal(request));
}

/// The task of a protected request begins: its unit of work deletes it.
pub(super) fn task_begun(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    caller: &CallingTask,
) {
    let interval = &mut resources.interval;
    let id = caller.start.unwrap_or_default();
    if interval
        .requests
        .get(&id)
        .is_some_and(|r| r.ticket.is_some())
    {
        interval.running.insert(caller.key, id);
        delete_in_unit(interval, cx, caller.key);
    }
}

/// A unit of work of a task that a protected request started has ended. If the unit was
/// backed out, the request is not deleted yet, and the next unit of the task deletes it.
pub(super) fn unit_ended(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    task: TaskKey,
    committed: bool,
) {
    let interval = &mut resources.interval;
    // A unit in doubt has no task any more: the request begins if the unit was backed out,
    // and is deleted if it was committed.
    let detached = task.unit_number().is_some();
    if detached && let Some(id) = interval.running.remove(&task) {
        let of_last_life = |request: &StartRequest| request.stage == StartStage::InDoubt;
        if !interval.requests.get(&id).is_some_and(of_last_life) {
            return;
        }
        if committed {
            interval.remove(id);
        } else {
            schedule(resources, cx, id);
        }
    } else if !committed {
        delete_in_unit(interval, cx, task);
    } else if let Some(id) = interval.running.remove(&task)
        && let Some(request) = interval.requests.get_mut(&id)
    {
        request.ticket = None;
    }
}

fn delete_in_unit(interval: &IntervalControl, cx: &mut KernelContext<'_>, task: TaskKey) {
    let id = interval.running.get(&task);
    let request = id.and_then(|id| interval.requests.get(id));
    if let Some(ticket) = request.and_then(|r| r.ticket)
        && let Some((unit, _)) = cx.unit_and_store(task)
    {
        unit.remove(STARTS, &key(PROTECTED, ticket));
    }
}

/// Deletes the request of a task that has ended. A task that was backed out is not started
/// again.
pub(super) fn task_ended(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    caller: &CallingTask,
) {
    let interval = &mut resources.interval;
    interval.running.remove(&caller.key);
    if let Some(id) = caller.start
        && let Some(request) = interval.remove(id)
    {
        forget(cx, &request);
    }
}

/// Writes the requests that are not in the store yet, at a normal end of the region.
pub(super) fn keep(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    changes: &mut UnitOfWork,
) {
    let interval = &mut resources.interval;
    let offset = cx.kernel.settings.unix_offset_ns;
    let mut ids: Vec<u64> = interval.requests.keys().copied().collect();
    ids.sort_unstable();
    for id in ids {
        let request = &interval.requests[&id];
        let waits = matches!(request.stage, StartStage::Waiting(_) | StartStage::Queued);
        // A request whose task was refused has lost its channel with the task.
        let whole = !request.has_channel || request.start.channel.is_some();
        let pooled = resources.facilities.is_pooled(request.start.facility);
        if waits && whole && !pooled && request.ticket.is_none() {
            interval.last_ticket += 1;
            let key = key(UNPROTECTED, interval.last_ticket);
            changes.put(STARTS, &key, &emit(request, offset));
        }
    }
}

/// Restores the requests at the start of the region, in the order of their times.
pub(super) fn restore(resources: &mut Resources, cx: &mut KernelContext<'_>) {
    let found = match read_all(cx) {
        Ok(found) => found,
        Err(error) => {
            cx.kernel
                .not_restored("the requests to start tasks", &error);
            return;
        }
    };
    let interval = &mut resources.interval;
    let offset = cx.kernel.settings.unix_offset_ns;
    let mut requests = Vec::new();
    let mut taken_out = UnitOfWork::default();
    for (key, value) in found {
        let (kind, ticket) = (key[0], ticket_of(&key));
        interval.last_ticket = interval.last_ticket.max(ticket);
        if kind == UNPROTECTED {
            taken_out.remove(STARTS, &key);
        }
        match parse(&value, offset) {
            Some(mut request) => {
                request.ticket = (kind == PROTECTED).then_some(ticket);
                requests.push((ticket, request));
            }
            None => tracing::error!(ticket, "a stored request to start a task is malformed"),
        }
    }
    cx.change_store(taken_out);
    requests.sort_by_key(|(ticket, request)| (request.at, *ticket));
    for (_, mut request) in requests {
        let id = cx.next_start();
        request.start.id = id;
        let terminal = request.start.facility;
        if !terminal.is_blank() {
            resources.facilities.expect(terminal);
        }
        let ticket = request.ticket;
        let in_doubt = ticket.and_then(|t| cx.kernel.in_doubt_removal(STARTS, &key(PROTECTED, t)));
        if let Some(unit) = in_doubt {
            request.stage = StartStage::InDoubt;
            resources.interval.running.insert(unit, id);
            resources.interval.insert(request);
            continue;
        }
        resources.interval.insert(request);
        schedule(resources, cx, id);
    }
}

/// Restores the requests of a unit that was prepared before the region's restart; their
/// tasks start when the unit is committed. New requests do not get their numbers.
pub(super) fn unit_restored(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    key: TaskKey,
    changes: &UnitOfWork,
) {
    let interval = &mut resources.interval;
    let offset = cx.kernel.settings.unix_offset_ns;
    for (row, value) in changes.changes_of(STARTS) {
        let Some(value) = value else {
            continue;
        };
        let ticket = ticket_of(row);
        interval.last_ticket = interval.last_ticket.max(ticket);
        let Some(mut request) = parse(value, offset) else {
            tracing::error!(ticket, "a stored request to start a task is malformed");
            continue;
        };
        request.ticket = Some(ticket);
        request.stage = StartStage::Uncommitted;
        let id = cx.next_start();
        request.start.id = id;
        if !request.start.facility.is_blank() {
            resources.facilities.expect(request.start.facility);
        }
        interval.insert(request);
        interval.protected.entry(key).or_default().push(id);
    }
}

/// A key and its record.
type StoreRow = (Vec<u8>, Vec<u8>);

/// All entries of the table.
fn read_all(cx: &mut KernelContext<'_>) -> Result<Vec<StoreRow>, store::ReadError> {
    let mut all: Vec<StoreRow> = Vec::new();
    let Some(reader) = cx.kernel.reader.as_mut() else {
        return Ok(all);
    };
    scan(reader.as_mut(), STARTS, &mut |key, record| {
        all.push((key.to_vec(), record.to_vec()));
    })?;
    Ok(all)
}

fn ticket_of(key: &[u8]) -> u64 {
    let number = key.get(1..).and_then(|n| n.try_into().ok());
    number.map_or(0, u64::from_be_bytes)
}

/// The value of a request's entry.
fn emit(request: &StartRequest, unix_offset_ns: u64) -> Vec<u8> {
    let start = &request.start;
    let mut fields = CommandOperands::default()
        .int(field::AT, (request.at + unix_offset_ns) as i64)
        .bytes(field::TRANSID, *start.transid.as_bytes())
        .bytes(field::USERID, *start.userid.as_bytes())
        .bytes(field::NAME, request.name);
    if !start.facility.is_blank() {
        fields = fields.bytes(field::TERMID, *start.facility.as_bytes());
    }
    if let Some(data) = &request.data {
        let parts = [
            (field::FROM, data.from.as_deref()),
            (field::RTRANSID, data.rtransid.as_ref().map(|n| &n[..])),
            (field::RTERMID, data.rtermid.as_ref().map(|n| &n[..])),
            (field::QUEUE, data.queue.as_ref().map(|n| &n[..])),
        ];
        for (field, part) in parts {
            if let Some(bytes) = part {
                fields = fields.bytes(field, bytes);
            }
        }
    }
    if let Some(channel) = &start.channel {
        fields = fields.bytes(CHANNEL_DATA, channel.emit());
    }
    fields.emit()
}

/// The request of an entry; `None` if it is malformed.
fn parse(value: &[u8], unix_offset_ns: u64) -> Option<StartRequest> {
    let fields = CommandOperands::parse(value).ok()?;
    let at = u64::try_from(fields.get_int(field::AT)?).ok()?;
    let data = StartData {
        from: fields.get_bytes(field::FROM).map(<[u8]>::to_vec),
        rtransid: fields.get_name(field::RTRANSID),
        rtermid: fields.get_name(field::RTERMID),
        queue: fields.get_name(field::QUEUE),
    };
    let channel = match fields.get_bytes(CHANNEL_DATA) {
        Some(bytes) => Some(ChannelData::parse(bytes).ok()?),
        None => None,
    };
    Some(
        StartRequest {
            start: InternalStart {
                transid: TransId::from_bytes(fields.get_name(field::TRANSID)?),
                userid: UserId::from_bytes(fields.get_name(field::USERID)?),
                start_code: match data.from {
                    Some(_) => StartCode::StartData,
                    None => StartCode::Start,
                },
                facility: fields
                    .get_name(field::TERMID)
                    .map_or(Name::BLANK, Name::from_bytes),
                ..InternalStart::default()
            },
            at: at.saturating_sub(unix_offset_ns),
            data: Some(data).filter(|d| *d != StartData::default()),
            has_channel: channel.is_some(),
            name: fields.get_name(field::NAME)?,
            ticket: None,
            stage: StartStage::Waiting(None),
            maker: TaskKey::NO_TASK,
        }
        .with_channel(channel),
    )
}

impl StartRequest {
    fn with_channel(mut self, channel: Option<ChannelData>) -> Self {
        self.start.channel = channel;
        self
    }
}
