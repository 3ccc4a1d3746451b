//! FETCH CHILD and FETCH ANY.
//!
//! The child's channel goes back under a name that no other channel has; it is
//! given once, and only to a FETCH that asks for it.

use cics::command::commands::{fetch_any, fetch_child};
use cics::cvda;
use cics::resp::Condition;
use link::layout::CALL_BYTES;
use link::{CHANNEL_DATA, CommandOperands, Name};

use super::super::Resources;
use super::{CHILD, ChildChannel, ChildTask, ChildTasks, GrowthAccount, TaskChildren, Token};
use crate::kernel::{
    CallProgress, CallResult, CommandFailure, FAILED, KernelContext, Request, TaskWait, WaitExpiry,
    condition, done_with,
};

/// The option indexes of both commands.
struct FetchOptions {
    channel: u8,
    compstatus: u8,
    abcode: u8,
    nosuspend: u8,
    timeout: u8,
}

const OF_CHILD: FetchOptions = FetchOptions {
    channel: fetch_child::CHANNEL,
    compstatus: fetch_child::COMPSTATUS,
    abcode: fetch_child::ABCODE,
    nosuspend: fetch_child::NOSUSPEND,
    timeout: fetch_child::TIMEOUT,
};

const OF_ANY: FetchOptions = FetchOptions {
    channel: fetch_any::CHANNEL,
    compstatus: fetch_any::COMPSTATUS,
    abcode: fetch_any::ABCODE,
    nosuspend: fetch_any::NOSUSPEND,
    timeout: fetch_any::TIMEOUT,
};

/// Longest TIMEOUT in milliseconds.
const MAX_TIMEOUT_MS: i64 = 40_800_000;
/// Bytes of an answer in addition to the channel.
const ANSWER_OVERHEAD: usize = 1024;

/// FETCH CHILD.
pub(super) fn child(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    request: &mut Request,
) -> CallResult {
    let until = until(request, &OF_CHILD, cx.now)?;
    let token: Option<Token> = request.operands.get_name(fetch_child::CHILD);
    let ChildTasks {
        families, account, ..
    } = &mut resources.children;
    let family = families.get_mut(&request.caller.key);
    let child = family.and_then(|f| f.children.iter_mut().find(|c| Some(c.token) == token));
    let Some(child) = child else {
        return condition(Condition::InvReq, 50);
    };
    match child.end {
        Some(_) => give(
            account,
            request,
            &OF_CHILD,
            child,
            CommandOperands::default(),
        ),
        None => not_yet(request, &OF_CHILD, until, cx.now),
    }
}

/// FETCH ANY.
pub(super) fn any(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    request: &mut Request,
) -> CallResult {
    let until = until(request, &OF_ANY, cx.now)?;
    let ChildTasks {
        families, account, ..
    } = &mut resources.children;
    let family = families.get_mut(&request.caller.key);
    let Some(TaskChildren { children, .. }) = family.filter(|f| !f.children.is_empty()) else {
        return condition(Condition::InvReq, 52);
    };
    let mut unfetched = children.iter_mut().filter(|c| !c.fetched).peekable();
    if unfetched.peek().is_none() {
        return condition(Condition::NotFnd, 1);
    }
    let ended = unfetched.filter(|c| c.end.is_some());
    match ended.min_by_key(|c| c.end.as_ref().map(|e| e.order)) {
        Some(child) => {
            let given = CommandOperands::default().bytes(fetch_any::ANY, child.token);
            give(account, request, &OF_ANY, child, given)
        }
        None => not_yet(request, &OF_ANY, until, cx.now),
    }
}

/// When a wait ends by TIMEOUT, as computed at the first try; 0 for never.
fn until(request: &mut Request, options: &FetchOptions, now: u64) -> Result<u64, CommandFailure> {
    if request.woken.is_none() {
        let ms = request.operands.get_int(options.timeout).unwrap_or(0);
        if !(0..=MAX_TIMEOUT_MS).contains(&ms) {
            return condition(Condition::InvReq, 241);
        }
        request.progress = match ms {
            0 => 0,
            ms => now + ms as u64 * 1_000_000,
        };
    }
    Ok(request.progress)
}

/// None of the requested children has ended.
fn not_yet(request: &Request, options: &FetchOptions, until: u64, now: u64) -> CallResult {
    if request.operands.has(options.nosuspend) {
        return condition(Condition::NotFinished, 52);
    }
    if until > 0 && until <= now {
        return condition(Condition::NotFinished, 53);
    }
    let wait = TaskWait::event(CHILD, &request.caller.number.to_be_bytes());
    Ok(CallProgress::Wait(match until {
        0 => wait,
        at => wait.at_most_until(at, WaitExpiry::Resume),
    }))
}

/// Returns the result of a child that has ended.
fn give(
    account: &mut GrowthAccount,
    request: &Request,
    options: &FetchOptions,
    child: &mut ChildTask,
    given: CommandOperands,
) -> CallResult {
    let before = child.amount();
    let Some(end) = &mut child.end else {
        return condition(Condition::InvReq, 50);
    };
    let status = match end.abend {
        Some(_) => "ABEND",
        None => "NORMAL",
    };
    let status = cvda::value(status).unwrap_or_default();
    let mut given = given
        .int(options.compstatus, status.into())
        .bytes(options.abcode, end.abend.unwrap_or([b' '; 4]));
    if request.operands.has(options.channel) {
        match &mut end.channel {
            ChildChannel::Fetched => return condition(Condition::InvReq, 51),
            ChildChannel::None => given = given.bytes(options.channel, [b' '; 16]),
            ChildChannel::There(channel) => {
                let name = format!("DFHCHILD{:08}", child.start % 100_000_000);
                channel.name = Name::new(&name).unwrap_or(channel.name);
                let data = channel.emit();
                if data.len() + ANSWER_OVERHEAD > CALL_BYTES {
                    // The command has no condition for it.
                    return Err(CommandFailure::Abend(FAILED));
                }
                given = given
                    .bytes(options.channel, *channel.name.as_bytes())
                    .bytes(CHANNEL_DATA, data);
                end.channel = ChildChannel::Fetched;
            }
        }
    }
    child.fetched = true;
    account.remove(request.caller.key, before);
    account.add(request.caller.key, child.amount());
    done_with(given)
}
