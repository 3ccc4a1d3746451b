//! The asynchronous API: children that run concurrently with their parent.
//!
//! A child is a separate task with a copy of a channel. Its result (abend and channel) is
//! kept until it is fetched or freed, or the parent ends. A child whose parent has ended
//! still runs to its end.
//!
//! Reference: CICS API reference, RUN TRANSID, FETCH CHILD, FETCH ANY, FREE
//! CHILD.

mod fetch;

#[cfg(test)]
mod tests;

use std::collections::HashMap;

use cics::command::commands::{fetch_any, fetch_child, free_child, run_transid as row};
use cics::resp::Condition;
use link::{CHANNEL_DATA, ChannelData, CommandOperands, TransId};

use super::{GrowthAccount, Manager, Resources};
use crate::core::TaskKey;
use crate::kernel::EventKind;
use crate::kernel::{
    CallProgress, CallResult, CallingTask, CommandFailure, FAILED, InternalStart, KernelContext,
    ROOM, Request, StartEnd, TaskWait, condition, done, done_with,
};
use crate::types::{AccountKind, CountAndBytes, StartCode, WaitKind};

/// The commands and hooks of this manager.
pub const MANAGER: Manager = Manager {
    commands: &[
        (row::NUMBER, run),
        (fetch_child::NUMBER, fetch::child),
        (fetch_any::NUMBER, fetch::any),
        (free_child::NUMBER, free),
    ],
    task_ended,
    start_ended,
    ..Manager::IDLE
};

/// Most children of one parent that run at once; RUN TRANSID waits for one of them to end
/// before it starts more.
const MAX_RUNNING: usize = 100;

/// The event that parents wait for, with their task number: a child ended.
pub const CHILD: EventKind = EventKind::new("CHILD", WaitKind::Child);

/// The abend code of a child that could not begin.
const NOT_BEGUN: [u8; 4] = *b"AKCC";

/// The children of all tasks.
#[derive(Debug, Default)]
pub struct ChildTasks {
    families: HashMap<TaskKey, TaskChildren>,
    /// The parent of each child that runs, by the number of its start.
    parents: HashMap<u64, TaskKey>,
    /// Children that are not freed, by parent.
    pub(super) account: GrowthAccount,
}

/// What a child takes in addition to its channel.
const CHILD_BYTES: u64 = 256;

impl ChildTasks {
    /// True if there is no state of any task.
    #[cfg(any(test, feature = "sim"))]
    pub fn is_idle(&self) -> bool {
        self.families.is_empty() && self.parents.is_empty()
    }

    /// The children that are not freed, counted again.
    #[cfg(any(test, feature = "sim"))]
    pub(super) fn recount(&self) -> CountAndBytes {
        let children = self.families.values().flat_map(|f| &f.children);
        children
            .map(ChildTask::amount)
            .fold(CountAndBytes::default(), CountAndBytes::plus)
    }
}

/// The children of one task.
#[derive(Debug, Default)]
struct TaskChildren {
    /// The parent's task number, which its waits are named by.
    parent: u64,
    children: Vec<ChildTask>,
    /// Number of children that have ended.
    ends: u64,
}

/// A child, until it is freed.
#[derive(Debug)]
struct ChildTask {
    start: u64,
    token: Token,
    /// Bytes of the channel that it was given.
    given_bytes: u64,
    end: Option<ChildEnd>,
    /// A FETCH has returned its end.
    fetched: bool,
}

impl ChildTask {
    /// The amount that it takes: the channel that it got and, once it has ended, the channel that
    /// it has left and that no FETCH has returned yet.
    fn amount(&self) -> CountAndBytes {
        let channel_bytes = match &self.end {
            None => self.given_bytes,
            Some(end) => match &end.channel {
                ChildChannel::There(channel) => channel_bytes(channel),
                ChildChannel::None | ChildChannel::Fetched => 0,
            },
        };
        CountAndBytes::one(CHILD_BYTES + channel_bytes)
    }
}

/// Bytes of a channel's containers and their names.
fn channel_bytes(channel: &ChannelData) -> u64 {
    let containers = channel.containers.iter();
    containers.map(|c| c.bytes.len() as u64 + 16).sum()
}

/// The end of a child.
#[derive(Debug)]
struct ChildEnd {
    /// Its place in the order of ends.
    order: u64,
    abend: Option<[u8; 4]>,
    channel: ChildChannel,
}

/// The channel of a child that has ended.
#[derive(Debug)]
enum ChildChannel {
    None,
    There(ChannelData),
    Fetched,
}

/// Names a child for its parent.
type Token = [u8; 16];

/// RUN TRANSID.
fn run(resources: &mut Resources, cx: &mut KernelContext<'_>, request: &mut Request) -> CallResult {
    let operands = &request.operands;
    let transid = TransId::from_bytes(operands.get_name(row::TRANSID).unwrap_or([b' '; 4]));
    match resources.interval.transaction(transid) {
        None => return condition(Condition::TransIdErr, 1),
        Some(false) => return condition(Condition::Disabled, 1),
        Some(true) => {}
    }
    let caller = &request.caller;
    let family = resources.children.families.entry(caller.key).or_default();
    family.parent = caller.number;
    let running = family.children.iter().filter(|c| c.end.is_none()).count();
    if running >= MAX_RUNNING {
        return Ok(CallProgress::Wait(TaskWait::event(
            CHILD,
            &caller.number.to_be_bytes(),
        )));
    }
    let origin = cx.origin_of(caller);
    // The manual has no condition for it: the parent is suspended.
    if !cx.kernel.starts.has_room(transid, origin) {
        return Ok(CallProgress::Wait(TaskWait::event(ROOM, b"")));
    }
    let channel = operands.get_bytes(CHANNEL_DATA).map(ChannelData::parse);
    // A correct worker writes a valid channel.
    let channel = channel
        .transpose()
        .map_err(|_| CommandFailure::Abend(FAILED))?;
    let id = cx.next_start();
    let token = token(id, caller);
    let child = ChildTask {
        start: id,
        token,
        given_bytes: channel.as_ref().map_or(0, channel_bytes),
        end: None,
        fetched: false,
    };
    let account = &mut resources.children.account;
    account.check(AccountKind::Children, caller.key, child.amount())?;
    account.add(caller.key, child.amount());
    family.children.push(child);
    resources.children.parents.insert(id, caller.key);
    cx.start(InternalStart {
        id,
        transid,
        userid: caller.userid,
        start_code: StartCode::Web,
        channel,
        wants_result: true,
        origin,
        ..InternalStart::default()
    });
    done_with(CommandOperands::default().bytes(row::CHILD, token))
}

/// FREE CHILD.
fn free(resources: &mut Resources, _: &mut KernelContext<'_>, request: &mut Request) -> CallResult {
    let token: Option<Token> = request.operands.get_name(free_child::CHILD);
    let family = resources.children.families.get_mut(&request.caller.key);
    let at = family.and_then(|f| {
        let at = f.children.iter().position(|c| Some(c.token) == token)?;
        Some(f.children.remove(at))
    });
    match at {
        Some(child) => {
            let children = &mut resources.children;
            children.parents.remove(&child.start);
            children.account.remove(request.caller.key, child.amount());
            done()
        }
        None => condition(Condition::InvReq, 50),
    }
}

/// A token: the number of the start and of the parent's task.
fn token(start: u64, parent: &CallingTask) -> Token {
    let mut token = [0; 16];
    token[..8].copy_from_slice(&start.to_be_bytes());
    token[8..].copy_from_slice(&parent.number.to_be_bytes());
    token
}

/// A child is over, or could not begin.
fn start_ended(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    start: u64,
    ended: &StartEnd,
) {
    let children = &mut resources.children;
    let Some(parent) = children.parents.remove(&start) else {
        return;
    };
    let Some(family) = children.families.get_mut(&parent) else {
        return;
    };
    family.ends += 1;
    let end = match ended {
        StartEnd::Refused(_) => ChildEnd {
            order: family.ends,
            abend: Some(NOT_BEGUN),
            channel: ChildChannel::None,
        },
        StartEnd::Ran(abend, channel) => ChildEnd {
            order: family.ends,
            abend: abend.as_ref().map(|a| a.code),
            channel: match channel {
                Some(channel) if !channel.name.is_blank() => ChildChannel::There(channel.clone()),
                _ => ChildChannel::None,
            },
        },
    };
    if let Some(child) = family.children.iter_mut().find(|c| c.start == start) {
        children.account.remove(parent, child.amount());
        child.end = Some(end);
        children.account.add(parent, child.amount());
    }
    let parent = family.parent;
    cx.signal(CHILD, &parent.to_be_bytes());
}

/// A parent is over: the results of its children are dropped.
fn task_ended(resources: &mut Resources, _: &mut KernelContext<'_>, caller: &CallingTask) {
    let children = &mut resources.children;
    let family = children.families.remove(&caller.key);
    for child in family.into_iter().flat_map(|f| f.children) {
        children.parents.remove(&child.start);
        children.account.remove(caller.key, child.amount());
    }
}
