//! Participants in units of work beside the region's store: a data base, a
//! remote partner.

use std::sync::Arc;

use crate::core::TaskKey;
use crate::kernel::Order;
use crate::shell::Shared;

/// Somebody who has changed something for a task and commits with it.
pub trait Participant: Send + Sync {
    /// The unit of work of task number `task` is to be prepared, committed or
    /// backed out. It must not wait: what takes time is done elsewhere, and
    /// `vote` given back then. A vote that is dropped is a no.
    fn order(&self, task: u64, order: Order, vote: Vote);
}

/// A participant's answer to an order, given once.
pub struct Vote {
    shared: Arc<Shared>,
    task: Option<TaskKey>,
}

impl Vote {
    /// For the order to a task's participant; `counts` when it is to be
    /// answered.
    pub(crate) fn new(shared: &Arc<Shared>, task: TaskKey, counts: bool) -> Self {
        Vote {
            shared: shared.clone(),
            task: counts.then_some(task),
        }
    }

    /// The order was carried out, or can be.
    pub fn yes(mut self) {
        self.give(true);
    }

    fn give(&mut self, yes: bool) {
        if let Some(task) = self.task.take() {
            self.shared.voted(task, yes);
        }
    }
}

impl Drop for Vote {
    fn drop(&mut self) {
        self.give(false);
    }
}
