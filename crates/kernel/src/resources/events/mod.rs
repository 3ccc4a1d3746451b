//! POST, the waits for event control blocks, SUSPEND and CHANGE TASK.
//!
//! The control blocks are in the program's storage, where only its worker can
//! look. The worker looks and asks here to wait: until the task's own POST is
//! due, or for a while. The answer tells whether the POST is due.
//!
//! A task has one POST at most: the next POST, START or DELAY takes its place.
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

/// What this manager serves and hears of.
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

/// A POST that is not taken back.
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
    /// A task's POST is replaced or taken back; false when it has none.
    pub fn supersede(&mut self, task: TaskKey) -> bool {
        self.posts.remove(&task).is_some()
    }

    /// Cancels the POST of that name: the task's own is taken back, another
    /// one's is due at once. False when there is none that is not due.
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

/// POST. The answer holds when it is due and the request's name.
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

/// WAIT EVENT, WAIT EXTERNAL and WAITCICS, as the worker asks: ECADDR holds
/// for how many nanoseconds at most, 0 for no limit.
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

/// SUSPEND: control was given up by asking. The answer tells of the POST.
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

/// CHANGE TASK. Minus one is a priority that changes nothing.
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
        let told = [0, 255, -1, 256, -2].map(|priority| {
            let operands = CommandOperands::default().int(change_task::PRIORITY, priority);
            let told = w.command(1, change_task::NUMBER, &operands);
            told.map(|t| (t.condition, t.resp2))
        });
        let normal = Some((Condition::Normal, 0));
        let wrong = Some((Condition::InvReq, 1));
        assert_eq!(told, [normal, normal, normal, wrong, wrong]);
        assert_eq!(w.priorities, [(1, 0), (1, 255)]);
    }
}
