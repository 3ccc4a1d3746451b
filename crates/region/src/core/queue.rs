//! A queue by priority, first come first served within one.
//!
//! Entries whose task went away stay in the heap until they come to its top;
//! the length counts live ones only.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::task::TaskKey;

/// Waiting tasks.
#[derive(Debug, Default)]
pub struct WaitQueue {
    heap: BinaryHeap<(u8, Reverse<u64>, TaskKey)>,
    live: usize,
}

impl WaitQueue {
    /// Adds a task; `order` grows with every arrival.
    pub fn push(&mut self, priority: u8, order: u64, key: TaskKey) {
        self.heap.push((priority, Reverse(order), key));
        self.live += 1;
    }

    /// Takes the first task for which `live` holds.
    pub fn pop(&mut self, mut live: impl FnMut(TaskKey) -> bool) -> Option<TaskKey> {
        while let Some((_, _, key)) = self.heap.pop() {
            if live(key) {
                self.live -= 1;
                return Some(key);
            }
        }
        None
    }

    /// A task in the queue went away.
    pub fn forget(&mut self) {
        self.live -= 1;
    }

    /// Live tasks in the queue.
    pub fn len(&self) -> usize {
        self.live
    }

    /// True when no live task waits.
    pub fn is_empty(&self) -> bool {
        self.live == 0
    }
}
