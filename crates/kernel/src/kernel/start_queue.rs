//! Starts that wait for their tasks to begin, and their limits.
//!
//! A START, a child or a trigger is passed to the core if fewer than `limit` of them wait
//! there, and held here otherwise, in the order of arrival. A command that would add one
//! checks first ([`StartQueue::has_room`]): one transaction may have half of the limit, one
//! origin a quarter, so that a program that starts itself leaves room for others. A start
//! that becomes due by time, by a trigger or by a syncpoint cannot be rejected any more, and
//! is held.
//!
//! An origin is the task from outside at the top of a chain of starts. A start without a
//! task, or of an earlier run of the region, is its own origin.
//!
//! Reference: CICS fundamentals, "Managing performance with the asynchronous API":
//! a parent is suspended in RUN TRANSID (ASPARENT) until the workload drops.

use std::collections::{HashMap, VecDeque};

use link::TransId;

use super::effect::InternalStart;
use super::request::EventKind;
use crate::types::WaitKind;

/// The event that parents wait for in RUN TRANSID while the starts are at their limit.
pub const ROOM: EventKind = EventKind::new("ASPARENT", WaitKind::Child);

/// Starts whose tasks have not begun.
#[derive(Debug)]
pub struct StartQueue {
    /// Most starts that wait in the core.
    limit: usize,
    waiting: HashMap<u64, WaitingStart>,
    by_transaction: HashMap<TransId, u64>,
    by_origin: HashMap<u64, u64>,
    /// Number of starts in `waiting` that the core has.
    handed: usize,
    held: VecDeque<InternalStart>,
    /// The origins of starts that are not over.
    origins: HashMap<u64, u64>,
    /// No start is held any more: the core rejects what it gets.
    is_closed: bool,
}

#[derive(Debug)]
struct WaitingStart {
    transid: TransId,
    origin: u64,
    is_handed: bool,
}

/// Numbers of waiting starts, and their limits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WaitingStarts {
    /// All waiting starts.
    pub all: usize,
    /// Those that the core has not got yet.
    pub held: usize,
    /// The number above which commands fail.
    pub limit: usize,
}

impl StartQueue {
    /// A queue with this many places, at least 1: each start passes through it.
    pub fn new(limit: usize) -> Self {
        StartQueue {
            limit: limit.max(1),
            waiting: HashMap::new(),
            by_transaction: HashMap::new(),
            by_origin: HashMap::new(),
            handed: 0,
            held: VecDeque::new(),
            origins: HashMap::new(),
            is_closed: false,
        }
    }

    /// Whether a command may add one more.
    pub fn has_room(&self, transid: TransId, origin: u64) -> bool {
        let of = |n: Option<&u64>| n.map_or(0, |n| *n as usize);
        self.waiting.len() < self.limit
            && of(self.by_transaction.get(&transid)) < share(self.limit, 2)
            && of(self.by_origin.get(&origin)) < share(self.limit, 4)
    }

    /// The numbers of waiting starts.
    pub fn counts(&self) -> WaitingStarts {
        WaitingStarts {
            all: self.waiting.len(),
            held: self.held.len(),
            limit: self.limit,
        }
    }

    /// The origin of a start by this task.
    pub fn origin_of(&self, start: Option<u64>, number: u64) -> u64 {
        let of_start = start.and_then(|id| self.origins.get(&id)).copied();
        of_start.filter(|origin| *origin != 0).unwrap_or(number)
    }

    /// Adds a start. Returns it if the core may have it now.
    pub(super) fn add(&mut self, start: InternalStart) -> Option<InternalStart> {
        let is_handed = self.is_closed || (self.handed < self.limit && self.held.is_empty());
        let waiting = WaitingStart {
            transid: start.transid,
            origin: start.origin,
            is_handed,
        };
        *self.by_transaction.entry(start.transid).or_default() += 1;
        *self.by_origin.entry(start.origin).or_default() += 1;
        self.origins.insert(start.id, start.origin);
        self.waiting.insert(start.id, waiting);
        if is_handed {
            self.handed += 1;
            return Some(start);
        }
        self.held.push_back(start);
        None
    }

    /// The task of a start begins, or never will.
    pub(super) fn begun(&mut self, id: u64) {
        let Some(start) = self.waiting.remove(&id) else {
            return;
        };
        self.handed -= usize::from(start.is_handed);
        take_one(&mut self.by_transaction, start.transid);
        take_one(&mut self.by_origin, start.origin);
    }

    /// The task of a start is over.
    pub(super) fn ended(&mut self, id: u64) {
        self.begun(id);
        self.origins.remove(&id);
    }

    /// The next start that the core may have.
    pub(super) fn next(&mut self) -> Option<InternalStart> {
        if self.handed >= self.limit {
            return None;
        }
        let start = self.held.pop_front()?;
        if let Some(waiting) = self.waiting.get_mut(&start.id) {
            waiting.is_handed = true;
            self.handed += 1;
        }
        Some(start)
    }

    /// Removes the held starts of a transaction, or all of them.
    pub(super) fn take_held(&mut self, of: Option<TransId>) -> Vec<u64> {
        let taken = |start: &InternalStart| of.is_none_or(|transid| start.transid == transid);
        let all = std::mem::take(&mut self.held);
        let (taken, left): (Vec<InternalStart>, Vec<InternalStart>) =
            all.into_iter().partition(taken);
        self.held = left.into();
        taken.iter().map(|start| start.id).collect()
    }

    /// Holds no more starts.
    pub(super) fn close(&mut self) {
        self.is_closed = true;
    }

    /// True when no start waits and no task of one is there.
    #[cfg(any(test, feature = "sim"))]
    pub fn is_idle(&self) -> bool {
        self.waiting.is_empty() && self.origins.is_empty()
    }

    /// Checks the queue's counters; panics if they are inconsistent.
    #[cfg(any(test, feature = "sim"))]
    pub fn check_books(&self) {
        let handed = self.waiting.values().filter(|w| w.is_handed).count();
        assert_eq!(self.handed, handed, "starts that the core has");
        assert_eq!(self.waiting.len(), handed + self.held.len());
        let all = self.waiting.len() as u64;
        assert_eq!(self.by_transaction.values().sum::<u64>(), all);
        assert_eq!(self.by_origin.values().sum::<u64>(), all);
        assert!(
            self.is_closed || handed <= self.limit,
            "{handed} wait in the core"
        );
    }
}

/// A part of a limit, at least 1.
pub fn share(limit: usize, parts: usize) -> usize {
    (limit / parts).max(1)
}

/// Decrements the count of a key, and removes the key at 0.
pub fn take_one<K: std::hash::Hash + Eq>(counts: &mut HashMap<K, u64>, key: K) {
    if let Some(count) = counts.get_mut(&key) {
        *count -= 1;
        if *count == 0 {
            counts.remove(&key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(id: u64, transid: &[u8; 4], origin: u64) -> InternalStart {
        InternalStart {
            id,
            transid: TransId::from_bytes(*transid),
            origin,
            ..InternalStart::default()
        }
    }

    fn room(queue: &StartQueue, transid: &[u8; 4], origin: u64) -> bool {
        queue.has_room(TransId::from_bytes(*transid), origin)
    }

    #[test]
    fn one_origin_may_have_a_quarter_and_one_transaction_half() {
        let mut queue = StartQueue::new(8);
        for id in 1..=2 {
            assert!(room(&queue, b"BOMB", 1));
            assert!(queue.add(start(id, b"BOMB", 1)).is_some());
        }
        assert!(!room(&queue, b"BOMB", 1), "the origin has its share");
        assert!(!room(&queue, b"OTHR", 1), "by whatever transaction");
        for id in 3..=4 {
            assert!(room(&queue, b"BOMB", id));
            queue.add(start(id, b"BOMB", id));
        }
        assert!(!room(&queue, b"BOMB", 9), "the transaction has its share");
        assert!(room(&queue, b"OTHR", 9));
        queue.begun(1);
        assert!(room(&queue, b"BOMB", 1), "one has begun");
        queue.check_books();
    }

    #[test]
    fn starts_that_cannot_be_rejected_are_held_in_the_order_of_their_arrival() {
        let mut queue = StartQueue::new(2);
        let handed: Vec<bool> = (1..=4)
            .map(|id| queue.add(start(id, b"TRNA", id)).is_some())
            .collect();
        assert_eq!(handed, [true, true, false, false]);
        assert!(queue.next().is_none(), "the core has as many as it may");
        queue.ended(2);
        assert_eq!(queue.next().map(|s| s.id), Some(3));
        queue.check_books();
        assert_eq!(queue.take_held(None), [4]);
        queue.ended(4);
        queue.check_books();
    }

    #[test]
    fn a_chain_of_starts_has_the_origin_of_its_first_task() {
        let mut queue = StartQueue::new(10);
        let origin = queue.origin_of(None, 7);
        queue.add(start(1, b"TRNA", origin));
        queue.begun(1);
        assert_eq!(queue.origin_of(Some(1), 8), 7);
        queue.ended(1);
        assert_eq!(queue.origin_of(Some(1), 8), 8, "the task is over");
        queue.add(start(2, b"TRNA", 0));
        assert_eq!(queue.origin_of(Some(2), 9), 9, "a trigger has no origin");
    }
}
