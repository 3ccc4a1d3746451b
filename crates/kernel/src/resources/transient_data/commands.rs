//! WRITEQ TD, READQ TD and DELETEQ TD: which queue, and what it is.

use cics::command::commands::{deleteq_td as delete_row, readq_td as read_row, writeq_td as row};
use cics::resp::Condition;

use super::super::Resources;
use super::{Body, intra};
use crate::kernel::{Cx, Effect, Request, Served, condition, done};

/// Longest record.
const MAX_RECORD_BYTES: i64 = 32_767;

pub(super) fn write(resources: &mut Resources, cx: &mut Cx<'_>, request: &mut Request) -> Served {
    let td = &mut resources.transient_data;
    let operands = &request.operands;
    let name = td.named(operands, row::QUEUE, row::SYSID)?;
    let record = operands.get_bytes(row::FROM).unwrap_or_default();
    let length = operands.get_int(row::LENGTH).unwrap_or(record.len() as i64);
    if !(1..=MAX_RECORD_BYTES).contains(&length) {
        return condition(Condition::LengErr, 0);
    }
    match td.queues.get(&name).map(|queue| &queue.body) {
        Some(Body::Intra(_)) => intra::write(td, cx, request, name),
        Some(Body::Extra(file)) => {
            let (file, record) = (file.clone(), record.to_vec());
            Ok(cx.block(request.caller.key, move || {
                super::extra::locked(&file).write(&record)
            }))
        }
        Some(Body::Log(false)) => condition(Condition::NotOpen, 0),
        Some(Body::Log(true)) => {
            let record = record.to_vec();
            cx.out.push(Effect::Line {
                // As the program has it: the line's reader looks for that.
                queue: operands.get_name(row::QUEUE).unwrap_or(name),
                task: request.caller.key,
                record,
            });
            done()
        }
        _ => condition(Condition::QIdErr, 0),
    }
}

pub(super) fn read(resources: &mut Resources, cx: &mut Cx<'_>, request: &mut Request) -> Served {
    let td = &mut resources.transient_data;
    let name = td.named(&request.operands, read_row::QUEUE, read_row::SYSID)?;
    match td.queues.get(&name).map(|queue| &queue.body) {
        Some(Body::Intra(_)) => intra::read(td, cx, request, name),
        Some(Body::Extra(file)) => {
            let file = file.clone();
            Ok(cx.block(request.caller.key, move || {
                super::extra::locked(&file).read()
            }))
        }
        Some(Body::Log(_)) => condition(Condition::InvReq, 0),
        _ => condition(Condition::QIdErr, 0),
    }
}

pub(super) fn delete(resources: &mut Resources, cx: &mut Cx<'_>, request: &mut Request) -> Served {
    let td = &mut resources.transient_data;
    let name = td.named(&request.operands, delete_row::QUEUE, delete_row::SYSID)?;
    match td.queues.get(&name).map(|queue| &queue.body) {
        Some(Body::Intra(_)) => intra::delete(td, cx, request, name),
        Some(Body::Extra(_) | Body::Log(_)) => condition(Condition::InvReq, 0),
        _ => condition(Condition::QIdErr, 0),
    }
}
