//! A queue by priority that ages; first come, first served within one priority.
//!
//! A task's priority rises by one for each aging period that the task has waited since it
//! was requested (PRTYAGE), so that no task waits without end because of later tasks. All
//! waiting tasks age at the same rate. Their order does not change with time, and the rank
//! of a task is computed once.
//!
//! Entries whose task went away stay in the heap until they reach its top; the length counts
//! only live entries.
//!
//! Reference: CICS system definition, PRTYAGE.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::task::TaskKey;

/// Waiting tasks.
#[derive(Debug, Default)]
pub struct WaitQueue {
    heap: BinaryHeap<QueuedTask>,
    live: usize,
}

/// The position of a task in the queue: the greatest rank is taken first.
pub type TurnRank = Reverse<(i64, u64)>;

/// A task in the queue. The greatest is taken first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct QueuedTask {
    rank: TurnRank,
    key: TaskKey,
    turn: TaskTurn,
}

/// The values that a task's position depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct TaskTurn {
    /// 0 to 255, higher first.
    pub priority: u8,
    /// When it was requested, nanoseconds of the region's clock.
    pub since: u64,
    /// Grows with every arrival.
    pub order: u64,
}

impl TaskTurn {
    /// The rank. `aging_ns` of waiting weigh as much as one unit of priority; with 0 only the
    /// priority counts.
    fn rank(self, aging_ns: u64) -> TurnRank {
        let priority = i64::from(self.priority);
        let rank = match i64::try_from(aging_ns) {
            Ok(0) | Err(_) => -priority,
            Ok(aging) => {
                let since = i64::try_from(self.since).unwrap_or(i64::MAX);
                since.saturating_sub(priority.saturating_mul(aging))
            }
        };
        Reverse((rank, self.order))
    }
}

impl WaitQueue {
    /// Adds a task.
    pub fn push(&mut self, turn: TaskTurn, aging_ns: u64, key: TaskKey) {
        let rank = turn.rank(aging_ns);
        self.heap.push(QueuedTask { rank, key, turn });
        self.live += 1;
    }

    /// Takes the first task for which `live` holds.
    pub fn pop(&mut self, mut live: impl FnMut(TaskKey) -> bool) -> Option<TaskKey> {
        while let Some(QueuedTask { key, .. }) = self.heap.pop() {
            if live(key) {
                self.live -= 1;
                return Some(key);
            }
        }
        None
    }

    /// The rank of the first task for which `live` holds: the greater goes first.
    /// Returns `None` if no task waits.
    pub fn first(&mut self, mut live: impl FnMut(TaskKey) -> bool) -> Option<TurnRank> {
        while let Some(entry) = self.heap.peek() {
            if live(entry.key) {
                return Some(entry.rank);
            }
            self.heap.pop();
        }
        None
    }

    /// The task that would be the last of those for which `live` holds.
    pub fn last(&self, live: impl Fn(TaskKey) -> bool) -> Option<TaskKey> {
        let there = self.heap.iter().filter(|entry| live(entry.key));
        Some(there.min()?.key)
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

    /// Orders all tasks again, because the aging period has changed.
    pub fn age_by(&mut self, aging_ns: u64) {
        self.each(aging_ns, |_| {});
    }

    /// Sets the priority of a task, if it is in the queue.
    pub fn set_priority(&mut self, task: TaskKey, priority: u8, aging_ns: u64) {
        self.each(aging_ns, |entry| {
            if entry.key == task {
                entry.turn.priority = priority;
            }
        });
    }

    fn each(&mut self, aging_ns: u64, mut change: impl FnMut(&mut QueuedTask)) {
        let entries = std::mem::take(&mut self.heap).into_iter();
        let changed = entries.map(|mut entry| {
            change(&mut entry);
            entry.rank = entry.turn.rank(aging_ns);
            entry
        });
        self.heap = changed.collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AGING_NS: u64 = 1_000;

    fn turn(priority: u8, since: u64) -> TaskTurn {
        TaskTurn {
            priority,
            since,
            order: since,
        }
    }

    fn order(queue: &mut WaitQueue) -> Vec<u32> {
        let all = std::iter::from_fn(|| queue.pop(|_| true));
        let number = |key| (0..100).find(|n| TaskKey::for_test(*n) == key);
        all.filter_map(number).collect()
    }

    #[test]
    fn a_lower_priority_that_has_waited_long_enough_goes_first() {
        let mut queue = WaitQueue::default();
        queue.push(turn(1, 0), AGING_NS, TaskKey::for_test(1));
        // Two more of priority, and one and a half ageing periods later.
        queue.push(turn(3, 1_500), AGING_NS, TaskKey::for_test(2));
        // The same, but later than the difference of two.
        queue.push(turn(3, 2_500), AGING_NS, TaskKey::for_test(3));
        assert_eq!(order(&mut queue), [2, 1, 3]);
    }

    #[test]
    fn without_ageing_only_priority_counts_and_then_the_order_of_arrival() {
        let mut queue = WaitQueue::default();
        for (n, priority) in [(1, 1), (2, 200), (3, 1), (4, 200)] {
            queue.push(turn(priority, n), 0, TaskKey::for_test(n as u32));
        }
        assert_eq!(order(&mut queue), [2, 4, 1, 3]);
    }

    #[test]
    fn a_changed_priority_or_ageing_counts_for_tasks_that_wait_already() {
        let mut queue = WaitQueue::default();
        for n in 1..=3 {
            queue.push(turn(1, n), AGING_NS, TaskKey::for_test(n as u32));
        }
        queue.set_priority(TaskKey::for_test(3), 2, AGING_NS);
        queue.push(turn(2, 900_000), AGING_NS, TaskKey::for_test(4));
        queue.age_by(0);
        assert_eq!(order(&mut queue), [3, 4, 1, 2]);
        assert!(queue.is_empty());
    }
}
