//! INQUIRE and SET of transient data queues.
//!
//! A queue must be disabled before its trigger is changed. Indirect and remote
//! queues cannot be changed at all.
//!
//! Reference: CICS system programming reference, INQUIRE and SET TDQUEUE.

use cics::command::commands::set_tdqueue as row;
use cics::cvda;
use cics::resp::Condition;
use link::{CommandOperands, Name, TransId, UserId};

use super::super::Resources;
use super::{Body, QueueName, TransientData};
use crate::kernel::{CallResult, CommandFailure, KernelContext, Request, condition, done};
use crate::types::{FileKind, TdKind, TdQueueDef, Trigger};

/// A queue as INQUIRE TDQUEUE returns it.
#[derive(Debug, Clone, Copy)]
pub struct QueueInfo<'q> {
    /// The definition, as SET has changed it.
    pub def: &'q TdQueueDef,
    /// Committed records of an intrapartition queue.
    pub items: u64,
    /// Whether an extrapartition queue may be used.
    pub open: bool,
}

impl TransientData {
    /// All queues.
    pub fn each(&self) -> impl Iterator<Item = QueueInfo<'_>> {
        self.queues.values().map(|queue| QueueInfo {
            def: &queue.def,
            items: match &queue.body {
                Body::Intra(intra) => intra.items,
                _ => 0,
            },
            open: match &queue.body {
                Body::Extra(extra) => extra.open,
                Body::Log(open) => *open,
                _ => false,
            },
        })
    }
}

/// The changes of a SET TDQUEUE.
struct TdQueueChange {
    enabled: Option<bool>,
    open: Option<bool>,
    level: Option<u32>,
    transid: Option<TransId>,
    userid: Option<UserId>,
}

/// SET TDQUEUE.
pub(super) fn set(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    request: &mut Request,
) -> CallResult {
    let td = &mut resources.transient_data;
    let operands = &request.operands;
    let name: QueueName = operands.get_name(row::TDQUEUE).unwrap_or([b' '; 4]);
    let change = requested_change(operands)?;
    let Some(queue) = td.queues.get_mut(&name) else {
        return condition(Condition::QIdErr, 1);
    };
    let of_trigger = change.transid.is_some() || change.userid.is_some();
    match &mut queue.def.kind {
        TdKind::Indirect(_) | TdKind::Remote(_) => return condition(Condition::InvReq, 9),
        TdKind::Extrapartition { .. } | TdKind::Log if change.level.is_some() || of_trigger => {
            return condition(Condition::InvReq, 1);
        }
        TdKind::Intrapartition { .. } if change.open.is_some() => {
            return condition(Condition::InvReq, 7);
        }
        TdKind::Intrapartition { trigger, .. } => {
            if of_trigger && queue.def.enabled && change.enabled != Some(false) {
                return condition(Condition::InvReq, 18);
            }
            apply(trigger, &change);
            if let Body::Intra(intra) = &mut queue.body {
                intra.trigger = *trigger;
            }
        }
        TdKind::Extrapartition { .. } | TdKind::Log => {}
    }
    queue.def.enabled = change.enabled.unwrap_or(queue.def.enabled);
    match (change.open, &mut queue.body) {
        (Some(open), Body::Extra(extra)) => {
            // The next command opens the file; input begins with the first record.
            extra.open = open;
            cx.forget_file(extra.file, FileKind::Queue);
        }
        (Some(open), Body::Log(is_open)) => *is_open = open,
        _ => {}
    }
    if change.level.is_some() {
        td.fire(cx, &name);
    }
    done()
}

/// The changes in the operands, or the error in the operands.
fn requested_change(operands: &CommandOperands) -> Result<TdQueueChange, CommandFailure> {
    let either = |option, yes: (u8, &str), no: (u8, &str), resp2| {
        let value = |name| cvda::value(name).map(i64::from);
        match operands.get_int(option) {
            Some(n) if Some(n) == value(yes.1) => Ok(Some(true)),
            Some(n) if Some(n) == value(no.1) => Ok(Some(false)),
            Some(_) => condition(Condition::InvReq, resp2),
            None if operands.has(yes.0) => Ok(Some(true)),
            None => Ok(operands.has(no.0).then_some(false)),
        }
    };
    let facility = operands.get_int(row::ATIFACILITY);
    if facility.is_some() && facility != cvda::value("NOTERMINAL").map(i64::from) {
        return condition(Condition::InvReq, 4);
    }
    let level = match operands.get_int(row::TRIGGERLEVEL) {
        Some(n) if (0..=32_767).contains(&n) => Some(n as u32),
        Some(_) => return condition(Condition::InvReq, 2),
        None => None,
    };
    Ok(TdQueueChange {
        enabled: either(
            row::ENABLESTATUS,
            (row::ENABLED, "ENABLED"),
            (row::DISABLED, "DISABLED"),
            8,
        )?,
        open: either(
            row::OPENSTATUS,
            (row::OPEN, "OPEN"),
            (row::CLOSED, "CLOSED"),
            6,
        )?,
        level,
        transid: operands.get_name(row::ATITRANID).map(Name::from_bytes),
        userid: operands.get_name(row::ATIUSERID).map(Name::from_bytes),
    })
}

/// Changes a trigger. A queue without a transaction, or with level 0, has no trigger.
fn apply(trigger: &mut Option<Trigger>, change: &TdQueueChange) {
    if change.level.is_none() && change.transid.is_none() && change.userid.is_none() {
        return;
    }
    let mut wanted = trigger.unwrap_or(Trigger {
        level: 1,
        transid: TransId::BLANK,
        userid: UserId::BLANK,
        terminal: Name::BLANK,
    });
    wanted.level = change.level.unwrap_or(wanted.level);
    wanted.transid = change.transid.unwrap_or(wanted.transid);
    wanted.userid = change.userid.unwrap_or(wanted.userid);
    *trigger = (wanted.level > 0 && !wanted.transid.is_blank()).then_some(wanted);
}
