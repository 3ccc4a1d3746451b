//! The operator: WRITE OPERATOR and its replies, and ENTER TRACENUM.
//!
//! A message is a line of the region's log. A message that needs a reply is kept
//! until the operator replies, its TIMEOUT passes or its task ends.
//!
//! Reference: CICS API reference, WRITE OPERATOR and ENTER TRACENUM.
//! Routing codes and descriptor codes are checked and have no further meaning.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use cics::command::commands::{enter_tracenum, write_operator as row};
use cics::cvda;
use cics::resp::Condition;
use link::{CommandOperands, TransId};

use super::{Manager, Resources};
use crate::core::TaskKey;
use crate::kernel::EventKind;
use crate::kernel::{
    CallProgress, CallResult, CommandFailure, KernelContext, KernelEffect, Request, TaskWait,
    WaitExpiry, WakeReason, condition, done, done_with, done_with_condition,
};
use crate::types::WaitKind;

/// The commands and hooks of this manager.
pub const MANAGER: Manager = Manager {
    commands: &[
        (row::NUMBER, write_operator),
        (enter_tracenum::NUMBER, trace),
    ],
    task_ended: |resources, _, caller| {
        let waiting = &mut resources.operator.waiting;
        waiting.retain(|_, message| message.task != caller.key);
    },
    ..Manager::IDLE
};

/// Messages that wait for a reply, by number.
#[derive(Debug, Default)]
pub struct OperatorMessages {
    waiting: BTreeMap<u64, OperatorMessage>,
    last: u64,
}

/// A message that needs a reply.
#[derive(Debug)]
pub struct OperatorMessage {
    task: TaskKey,
    /// Number of the task that wrote the message.
    pub number: u64,
    /// The task's transaction.
    pub transid: TransId,
    /// Text.
    pub text: String,
    reply: Option<Vec<u8>>,
}

/// Longest text of WRITE OPERATOR.
const MAX_TEXT: i64 = row::ROW.most_bytes(row::TEXT) as i64;
/// Longest reply.
const MAX_REPLY: i64 = 119;
/// Longest TIMEOUT in seconds: a day.
const MAX_TIMEOUT: i64 = 86_400;
/// Highest routing code, and most routing codes of a message.
const MAX_ROUTES: i64 = 28;
/// Longest data of ENTER TRACENUM.
const MAX_TRACE: i64 = enter_tracenum::ROW.most_bytes(enter_tracenum::FROM) as i64;
/// Bytes of these data in an entry of the trace.
const TRACED: usize = 8;
/// The event that a task waits for, with the name that operators see.
const EVENT: EventKind = EventKind::new("OPERATOR", WaitKind::Event);

fn write_operator(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    request: &mut Request,
) -> CallResult {
    let operators = &mut resources.operator;
    if request.progress == 0 {
        check(&request.operands)?;
        let text = request.operands.get_bytes(row::TEXT).unwrap_or_default();
        let text = String::from_utf8_lossy(text).trim_end().to_owned();
        let (task, transid) = (request.caller.number, request.caller.transid);
        if !request.operands.has(row::REPLY) {
            tracing::warn!(target: "tupelo::operator", task, %transid, "{text}");
            return done();
        }
        operators.last += 1;
        let message = operators.last;
        tracing::warn!(target: "tupelo::operator", task, %transid, reply_to = message, "{text}");
        request.progress = message;
        let asked = OperatorMessage {
            task: request.caller.key,
            number: task,
            transid,
            text,
            reply: None,
        };
        operators.waiting.insert(message, asked);
    }
    let message = request.progress;
    let replied = operators
        .waiting
        .get_mut(&message)
        .and_then(|m| m.reply.take());
    if let Some(reply) = replied {
        operators.waiting.remove(&message);
        return give(&request.operands, reply);
    }
    if request.woken == Some(WakeReason::Expired) {
        operators.waiting.remove(&message);
        return condition(Condition::Expired, 7);
    }
    let wait = TaskWait::event(EVENT, message.to_string().as_bytes());
    Ok(CallProgress::Wait(
        match request.operands.get_int(row::TIMEOUT) {
            Some(seconds) if seconds > 0 => {
                let limit_ns = seconds as u64 * 1_000_000_000;
                wait.at_most_until(cx.now.saturating_add(limit_ns), WaitExpiry::Resume)
            }
            _ => wait,
        },
    ))
}

/// The reply, as much of it as MAXLENGTH allows.
fn give(operands: &CommandOperands, mut reply: Vec<u8>) -> CallResult {
    let room = operands.get_int(row::MAXLENGTH).unwrap_or(MAX_REPLY) as usize;
    let cut = reply.len() > room;
    reply.truncate(room);
    let given = CommandOperands::default()
        .int(row::REPLYLENGTH, reply.len() as i64)
        .bytes(row::REPLY, reply);
    if cut {
        done_with_condition(Condition::LengErr, 8, given)
    } else {
        done_with(given)
    }
}

fn check(operands: &CommandOperands) -> Result<(), CommandFailure> {
    let wrong = |resp2| condition(Condition::InvReq, resp2);
    let within = |option, range: std::ops::RangeInclusive<i64>| {
        operands.get_int(option).is_none_or(|n| range.contains(&n))
    };
    let text = operands.get_bytes(row::TEXT).map_or(0, <[u8]>::len);
    if !within(row::TEXTLENGTH, 0..=MAX_TEXT) || text as i64 > MAX_TEXT {
        return wrong(1);
    }
    if !within(row::NUMROUTES, 1..=MAX_ROUTES) {
        return wrong(2);
    }
    let routes = operands.get_bytes(row::ROUTECODES).unwrap_or_default();
    let given = operands.get_int(row::NUMROUTES).unwrap_or(0) as usize;
    let known = |code: &u8| (1..=MAX_ROUTES).contains(&i64::from(*code));
    if !routes.iter().take(given).all(known) {
        return wrong(3);
    }
    if !within(row::MAXLENGTH, 1..=MAX_REPLY) {
        return wrong(4);
    }
    if !within(row::TIMEOUT, 0..=MAX_TIMEOUT) {
        return wrong(5);
    }
    let actions = ["EVENTUAL", "CRITICAL", "IMMEDIATE"];
    let is_action = |n: i64| {
        actions
            .iter()
            .any(|a| cvda::value(a).map(i64::from) == Some(n))
    };
    match operands.get_int(row::ACTION) {
        Some(action) if !is_action(action) => wrong(6),
        _ => Ok(()),
    }
}

/// ENTER TRACENUM: an entry of the trace, and a line of the region's log, which
/// has all of its data.
fn trace(_: &mut Resources, cx: &mut KernelContext<'_>, request: &mut Request) -> CallResult {
    let operands = &request.operands;
    let number = match operands.get_int(enter_tracenum::TRACENUM) {
        Some(number @ 0..=199) => number as u16,
        _ => return condition(Condition::InvReq, 1),
    };
    let from = operands.get_bytes(enter_tracenum::FROM).unwrap_or_default();
    let length = operands.get_int(enter_tracenum::FROMLENGTH).unwrap_or(0);
    if !(0..=MAX_TRACE).contains(&length) || from.len() as i64 > MAX_TRACE {
        return condition(Condition::LengErr, 4);
    }
    let resource = operands
        .get_name::<8>(enter_tracenum::RESOURCE)
        .unwrap_or(*b"USER    ");
    let (task, transid) = (request.caller.number, request.caller.transid);
    cx.out.push(KernelEffect::Trace {
        task,
        transid,
        number,
        data: from.iter().take(TRACED).copied().collect(),
    });
    let (resource, data) = (resource.escape_ascii(), from.escape_ascii());
    if operands.has(enter_tracenum::EXCEPTION) {
        tracing::warn!(target: "tupelo::trace", task, %transid, number, %resource, "{data}")
    } else {
        tracing::debug!(target: "tupelo::trace", task, %transid, number, %resource, "{data}")
    }
    done()
}

impl OperatorMessages {
    /// The messages that wait for a reply.
    pub fn messages(&self) -> impl Iterator<Item = (u64, &OperatorMessage)> {
        let waiting = self.waiting.iter();
        waiting
            .filter(|(_, m)| m.reply.is_none())
            .map(|(n, m)| (*n, m))
    }

    /// Gives the reply to the task of a message; false if no message waits for it.
    pub fn reply(&mut self, cx: &mut KernelContext<'_>, message: u64, text: &[u8]) -> bool {
        let Some(asked) = self.waiting.get_mut(&message).filter(|m| m.reply.is_none()) else {
            return false;
        };
        asked.reply = Some(text.to_vec());
        cx.signal(EVENT, message.to_string().as_bytes());
        true
    }
}
