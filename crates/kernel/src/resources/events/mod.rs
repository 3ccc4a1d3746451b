//! POST, the waits for event control blocks, SUSPEND and CHANGE TASK.
//!
//! The control blocks are in the program's storage, which only its worker can read. The worker
//! checks them, and requests a wait here: until the task's own POST is due, or for a limited
//! time. The answer says whether the POST is due.
//!
//! A task has one POST at most: the next POST, START or DELAY replaces it.
//!
//! Reference: CICS API reference, POST, WAIT EVENT, SUSPEND, CHANGE TASK.

use std::collections::HashMap;

use cics::command::commands::{change_task, post as post_row, suspend, wait_event};
use cics::resp::Condition;
use link::CommandOperands;

use super::interval::ReqId;
use super::interval::when::{TimeOptions, when};
use super::{Manager, Resources};
use crate::core::TaskKey;
use crate::kernel::EventKind;
use crate::kernel::{
    CallProgress, CallResult, CommandFailure, KernelContext, KernelEffect, Request, TaskWait,
    WaitExpiry, done, done_with, done_with_condition,
};
use crate::types::WaitKind;

/// The commands and hooks of this manager.
pub const MANAGER: Manager = Manager {
    commands: &[
        (post_row::NUMBER, post),
        (wait_event::NUMBER, wait),
        (suspend::NUMBER, look),
        (change_task::NUMBER, change_priority),
    ],
    task_ended: |resources, _, caller| {
        resources.events.posts.remove(&caller.key);
    },
    ..Manager::IDLE
};

/// The POSTs of tasks.
#[derive(Debug, Default)]
pub struct TaskPosts {
    posts: HashMap<TaskKey, PendingPost>,
}

/// A POST that is not cancelled.
#[derive(Debug)]
struct PendingPost {
    /// When it is due, nanoseconds of the region's clock.
    at: u64,
    name: ReqId,
    /// The number of its task, which its wait is named by.
    task: u64,
}

/// The event that a wait for a POST is named by, with the task's number.
const POST: EventKind = EventKind::new("POST", WaitKind::Event);

const WHEN: TimeOptions = TimeOptions {
    interval: post_row::INTERVAL,
    time: post_row::TIME,
    of_day: post_row::AT,
    hours: post_row::HOURS,
    minutes: post_row::MINUTES,
    seconds: post_row::SECONDS,
    millisecs: None,
};

impl TaskPosts {
    /// Cancels a task's POST. Returns false if it has none.
    pub fn supersede(&mut self, task: TaskKey) -> bool {
        self.posts.remove(&task).is_some()
    }

    /// Cancels the POST with this name: the task's own is removed, that of another task
    /// becomes due at once. Returns false if no POST with this name is pending.
    pub fn cancel(&mut self, cx: &mut KernelContext<'_>, task: TaskKey, name: ReqId) -> bool {
        if self.posts.get(&task).is_some_and(|p| p.name == name) {
            return self.supersede(task);
        }
        let mut posts = self.posts.values_mut();
        let Some(post) = posts.find(|p| p.name == name && p.at > cx.now) else {
            return false;
        };
        post.at = cx.now;
        cx.signal(POST, &post.task.to_be_bytes());
        true
    }

    fn is_due(&self, task: TaskKey, now: u64) -> bool {
        self.posts.get(&task).is_some_and(|p| p.at <= now)
    }
}

/// POST. The answer contains its due time and the request's name.
fn post(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    request: &mut Request,
) -> CallResult {
    let operands = &request.operands;
    let at = when(operands, &WHEN, cx)?;
    let name = match operands.get_name(post_row::REQID) {
        Some(name) => name,
        None => resources.interval.generate_name(),
    };
    let caller = &request.caller;
    let task = caller.number;
    let post = PendingPost { at, name, task };
    resources.events.posts.insert(caller.key, post);
    let given = CommandOperands::default()
        .int(post_row::SET, at as i64)
        .bytes(post_row::REQID, name);
    if at <= cx.now && WHEN.is_of_day(operands) {
        done_with_condition(Condition::Expired, 0, given)
    } else {
        done_with(given)
    }
}

/// WAIT EVENT, WAIT EXTERNAL and WAITCICS, as the worker requests them: ECADDR has the most
/// nanoseconds of the wait, 0 for no limit.
fn wait(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    request: &mut Request,
) -> CallResult {
    let caller = &request.caller;
    let post = resources.events.posts.get(&caller.key);
    let posted = post.is_some_and(|p| p.at <= cx.now);
    if posted || request.woken.is_some() {
        return answer(posted);
    }
    let slice = request.operands.get_int(wait_event::ECADDR);
    let slice = slice.filter(|ns| *ns > 0).map(|ns| cx.now + ns as u64);
    let until = slice.into_iter().chain(post.map(|p| p.at)).min();
    let wait = TaskWait::event(POST, &caller.number.to_be_bytes());
    Ok(CallProgress::Wait(match until {
        Some(at) => wait.at_most_until(at, WaitExpiry::Resume),
        None => wait,
    }))
}

/// SUSPEND: the call itself gives up control. The answer says whether the POST is due.
fn look(
    resources: &mut Resources,
    cx: &mut KernelContext<'_>,
    request: &mut Request,
) -> CallResult {
    answer(resources.events.is_due(request.caller.key, cx.now))
}

fn answer(posted: bool) -> CallResult {
    done_with(CommandOperands::default().int(wait_event::ECADDR, i64::from(posted)))
}

/// CHANGE TASK. A priority of minus one changes nothing.
fn change_priority(
    _: &mut Resources,
    cx: &mut KernelContext<'_>,
    request: &mut Request,
) -> CallResult {
    match request.operands.get_int(change_task::PRIORITY) {
        None | Some(-1) => done(),
        Some(priority) => {
            let priority = u8::try_from(priority);
            let priority = priority.map_err(|_| CommandFailure::Condition(Condition::InvReq, 1))?;
            cx.out
                .push(KernelEffect::Priority(request.caller.key, priority));
            done()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resources::world::KernelFixture;

    #[test]
    fn a_priority_is_0_to_255_and_minus_one_leaves_it_as_it_is() {
        let mut w = KernelFixture::without_store();
        let answers = [0, 255, -1, 256, -2].map(|priority| {
            let operands = CommandOperands::default().int(change_task::PRIORITY, priority);
            let answers = w.command(1, change_task::NUMBER, &operands);
            answers.map(|t| (t.condition, t.resp2))
        });
        let normal = Some((Condition::Normal, 0));
        let wrong = Some((Condition::InvReq, 1));
        assert_eq!(answers, [normal, normal, normal, wrong, wrong]);
        assert_eq!(w.priorities, [(1, 0), (1, 255)]);
    }
}
