//! WRITEQ TD, READQ TD and DELETEQ TD: finds the queue and its kind.

use cics::command::commands::{deleteq_td as delete_row, readq_td as read_row, writeq_td as row};
use cics::resp::Condition;

use super::super::Resources;
use super::{Body, ExtraQueue, TransientData, intra};
use crate::kernel::{CallResult, KernelContext, KernelEffect, Request, condition, done};
use crate::types::{FileAsk, FileKind, QueueAsk};

/// Longest record.
const MAX_RECORD_BYTES: i64 = 32_767;

pub(super) fn write(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    request: &mut Request,
) -> CallResult {
    let td = &mut resources.transient_data;
    td.forget_files(cx);
    let operands = &request.operands;
    let name = td.named(operands, row::QUEUE, row::SYSID)?;
    let record = operands.get_bytes(row::FROM).unwrap_or_default();
    let length = operands.get_int(row::LENGTH).unwrap_or(record.len() as i64);
    if !(1..=MAX_RECORD_BYTES).contains(&length) {
        return condition(Condition::LengErr, 0);
    }
    match td.queues.get(&name).map(|queue| &queue.body) {
        Some(Body::Intra(_)) => intra::write(td, cx, request, name),
        Some(Body::Extra(extra)) => {
            if !extra.def.output {
                return condition(Condition::InvReq, 0);
            }
            if !extra.def.fits(record.len()) {
                return condition(Condition::LengErr, 0);
            }
            if cx.kernel.disk_is_short {
                return condition(Condition::NoSpace, 0);
            }
            let ask = QueueAsk::Write(extra.def.clone(), record.to_vec());
            ask_extra(extra, cx, request, ask)
        }
        Some(Body::Log(false)) => condition(Condition::NotOpen, 0),
        Some(Body::Log(true)) => {
            let record = record.to_vec();
            cx.out.push(KernelEffect::Line {
                // The name in the program, since readers of the log search for it.
                queue: operands.get_name(row::QUEUE).unwrap_or(name),
                task: request.caller.key,
                record,
            });
            done()
        }
        _ => condition(Condition::QIdErr, 0),
    }
}

pub(super) fn read(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    request: &mut Request,
) -> CallResult {
    let td = &mut resources.transient_data;
    let name = td.named(&request.operands, read_row::QUEUE, read_row::SYSID)?;
    match td.queues.get(&name).map(|queue| &queue.body) {
        Some(Body::Intra(_)) => intra::read(td, cx, request, name),
        Some(Body::Extra(extra)) => {
            if extra.def.output {
                return condition(Condition::InvReq, 0);
            }
            let ask = QueueAsk::Read(extra.def.clone());
            ask_extra(extra, cx, request, ask)
        }
        Some(Body::Log(_)) => condition(Condition::InvReq, 0),
        _ => condition(Condition::QIdErr, 0),
    }
}

pub(super) fn delete(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    request: &mut Request,
) -> CallResult {
    let td = &mut resources.transient_data;
    let name = td.named(&request.operands, delete_row::QUEUE, delete_row::SYSID)?;
    match td.queues.get(&name).map(|queue| &queue.body) {
        Some(Body::Intra(_)) => intra::delete(td, cx, request, name),
        Some(Body::Extra(_) | Body::Log(_)) => condition(Condition::InvReq, 0),
        _ => condition(Condition::QIdErr, 0),
    }
}

/// Requests a write or read of a queue's file.
fn ask_extra(
    extra: &ExtraQueue,
    cx: &mut KernelContext<'_>,
    request: &Request,
    ask: QueueAsk,
) -> CallResult {
    if !extra.open {
        return condition(Condition::NotOpen, 0);
    }
    Ok(cx.ask_file(request.caller.key, extra.file, FileAsk::Queue(ask)))
}

impl TransientData {
    /// Closes the files of earlier definitions.
    pub(super) fn forget_files(&mut self, cx: &mut KernelContext<'_>) {
        for file in self.left.drain(..) {
            cx.forget_file(file, FileKind::Queue);
        }
    }
}
