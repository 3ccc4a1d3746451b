//! The lock table: records, ENQ names and queues, one owner each, waiters in the order of
//! their arrival.
//!
//! A task waits for one lock at a time and a lock has one owner, so waiting tasks form chains
//! over all kinds of lock. A wait that would close a chain to a circle is a deadlock, and the
//! request that would close it fails.
//!
//! Reference: CICS application programming, "Locking" and "Exclusive resources
//! (ENQ and DEQ)".
//! Invariant: no time and no store; a lock is a name.

use std::collections::{HashMap, VecDeque};
use std::fmt;

use store::FileId;

use crate::core::TaskKey;

/// What kind of thing is locked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LockSpace {
    /// A record of a file, by its key.
    Record(FileId),
    /// A name given to ENQ.
    Enqueue,
    /// A recoverable temporary storage queue.
    TsQueue,
    /// An end of a recoverable transient data queue.
    TdQueue,
}

/// What is locked.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LockName {
    /// Its kind.
    pub space: LockSpace,
    /// Its name within the kind.
    pub key: Box<[u8]>,
}

impl LockName {
    /// A name within a kind.
    pub fn new(space: LockSpace, key: &[u8]) -> Self {
        LockName {
            space,
            key: key.into(),
        }
    }
}

impl fmt::Display for LockName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.space {
            LockSpace::Record(file) => write!(f, "record of file {}", file.0)?,
            LockSpace::Enqueue => f.write_str("enqueue")?,
            LockSpace::TsQueue => f.write_str("temporary storage queue")?,
            LockSpace::TdQueue => f.write_str("transient data queue")?,
        }
        write!(f, " {}", self.key.escape_ascii())
    }
}

/// When a lock is released automatically.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LockLifetime {
    /// At the end of the unit of work.
    Unit,
    /// At the end of the task.
    Task,
}

/// The result of a request for a lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LockOutcome {
    /// The task has it now.
    New,
    /// The task had it already.
    Owned,
    /// Another task has it; the task is in the queue.
    Waits,
    /// Another task has it that waits, directly or indirectly, for this task.
    Deadlock,
}

/// All locks of a region.
#[derive(Debug, Default)]
pub struct LockTable {
    locks: HashMap<LockName, Lock>,
    owned: HashMap<TaskKey, Vec<LockName>>,
    waiting: HashMap<TaskKey, LockName>,
}

#[derive(Debug)]
struct Lock {
    owner: TaskKey,
    lifetime: LockLifetime,
    waiters: VecDeque<(TaskKey, LockLifetime)>,
}

impl LockTable {
    /// Requests a lock, and queues for it if it is taken. A lock that is owned already keeps the
    /// longer of its lifetimes.
    pub fn lock(&mut self, task: TaskKey, name: &LockName, lifetime: LockLifetime) -> LockOutcome {
        let Some(lock) = self.locks.get_mut(name) else {
            let lock = Lock {
                owner: task,
                lifetime,
                waiters: VecDeque::new(),
            };
            self.locks.insert(name.clone(), lock);
            self.owned.entry(task).or_default().push(name.clone());
            return LockOutcome::New;
        };
        if lock.owner == task {
            lock.lifetime = lock.lifetime.max(lifetime);
            return LockOutcome::Owned;
        }
        let owner = lock.owner;
        if self.waits_for(owner, task) {
            return LockOutcome::Deadlock;
        }
        if let Some(lock) = self.locks.get_mut(name) {
            lock.waiters.push_back((task, lifetime));
        }
        self.waiting.insert(task, name.clone());
        LockOutcome::Waits
    }

    /// The owner of a lock.
    pub fn owner(&self, name: &LockName) -> Option<TaskKey> {
        self.locks.get(name).map(|l| l.owner)
    }

    /// True when another task owns the lock.
    pub fn is_taken(&self, task: TaskKey, name: &LockName) -> bool {
        self.owner(name).is_some_and(|owner| owner != task)
    }

    /// Changes when an owned lock is released automatically.
    pub fn set_lifetime(&mut self, task: TaskKey, name: &LockName, lifetime: LockLifetime) {
        let lock = self.locks.get_mut(name).filter(|l| l.owner == task);
        if let Some(lock) = lock {
            lock.lifetime = lifetime;
        }
    }

    /// Releases a lock. Returns the next owner, which may continue.
    pub fn unlock(&mut self, task: TaskKey, name: &LockName) -> Option<TaskKey> {
        let owned = self.owned.get_mut(&task)?;
        let at = owned.iter().position(|n| n == name)?;
        let name = owned.swap_remove(at);
        if owned.is_empty() {
            self.owned.remove(&task);
        }
        self.hand_over(name)
    }

    /// The unit of work is over: releases its locks. Returns the tasks that may continue.
    pub fn release_unit(&mut self, task: TaskKey) -> Vec<TaskKey> {
        let Some(owned) = self.owned.remove(&task) else {
            return Vec::new();
        };
        let of_unit = |name: &LockName| {
            let lock = self.locks.get(name);
            lock.is_some_and(|l| l.lifetime == LockLifetime::Unit)
        };
        let (back, kept): (Vec<_>, Vec<_>) = owned.into_iter().partition(of_unit);
        if !kept.is_empty() {
            self.owned.insert(task, kept);
        }
        let next = back.into_iter().filter_map(|name| self.hand_over(name));
        next.collect()
    }

    /// Releases all locks of a task and removes it from any queue. Returns the tasks that may
    /// continue.
    pub fn release(&mut self, task: TaskKey) -> Vec<TaskKey> {
        self.give_up(task);
        let owned = self.owned.remove(&task).unwrap_or_default();
        let next = owned.into_iter().filter_map(|name| self.hand_over(name));
        next.collect()
    }

    /// The names that a task has locked until the end of its unit.
    pub fn of_unit(&self, task: TaskKey) -> impl Iterator<Item = &LockName> {
        let owned = self.owned.get(&task).into_iter().flatten();
        owned.filter(|name| {
            let lock = self.locks.get(*name);
            lock.is_some_and(|l| l.lifetime == LockLifetime::Unit)
        })
    }

    /// Transfers the locks of a task's unit to another key.
    pub fn hand_unit_over(&mut self, from: TaskKey, to: TaskKey) {
        let owned = self.owned.remove(&from).unwrap_or_default();
        for name in owned {
            let Some(lock) = self.locks.get_mut(&name) else {
                continue;
            };
            let owner = match lock.lifetime {
                LockLifetime::Unit => to,
                LockLifetime::Task => from,
            };
            lock.owner = owner;
            self.owned.entry(owner).or_default().push(name);
        }
    }

    /// Removes a task from the queue it waits in.
    pub fn give_up(&mut self, task: TaskKey) {
        if let Some(name) = self.waiting.remove(&task)
            && let Some(lock) = self.locks.get_mut(&name)
        {
            lock.waiters.retain(|(w, _)| *w != task);
        }
    }

    /// Every lock with its owner and its waiters in their order.
    pub fn each(&self) -> impl Iterator<Item = (&LockName, TaskKey, Vec<TaskKey>)> {
        self.locks.iter().map(|(name, lock)| {
            let waiters = lock.waiters.iter().map(|(task, _)| *task);
            (name, lock.owner, waiters.collect())
        })
    }

    /// True when a task owns or waits for any lock.
    #[cfg(test)]
    pub fn has_locks(&self, task: TaskKey) -> bool {
        self.owned.contains_key(&task) || self.waiting.contains_key(&task)
    }

    fn hand_over(&mut self, name: LockName) -> Option<TaskKey> {
        let lock = self.locks.get_mut(&name)?;
        match lock.waiters.pop_front() {
            Some((next, lifetime)) => {
                lock.owner = next;
                lock.lifetime = lifetime;
                self.waiting.remove(&next);
                self.owned.entry(next).or_default().push(name);
                Some(next)
            }
            None => {
                self.locks.remove(&name);
                None
            }
        }
    }

    fn waits_for(&self, mut task: TaskKey, whom: TaskKey) -> bool {
        // No circle exists, since this check precedes every wait; so the chain
        // ends.
        while let Some(name) = self.waiting.get(&task) {
            let Some(lock) = self.locks.get(name) else {
                return false;
            };
            if lock.owner == whom {
                return true;
            }
            task = lock.owner;
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(n: u32) -> TaskKey {
        TaskKey::for_test(n)
    }

    fn record(key: &[u8]) -> LockName {
        LockName::new(LockSpace::Record(FileId(1)), key)
    }

    #[test]
    fn waiters_get_a_lock_in_the_order_of_their_arrival() {
        let mut locks = LockTable::default();
        let k = record(b"K");
        assert_eq!(
            locks.lock(task(1), &k, LockLifetime::Unit),
            LockOutcome::New
        );
        assert_eq!(
            locks.lock(task(1), &k, LockLifetime::Unit),
            LockOutcome::Owned
        );
        assert_eq!(
            locks.lock(task(2), &k, LockLifetime::Unit),
            LockOutcome::Waits
        );
        assert_eq!(
            locks.lock(task(3), &k, LockLifetime::Unit),
            LockOutcome::Waits
        );
        assert_eq!(locks.release(task(1)), [task(2)]);
        assert_eq!(locks.unlock(task(2), &k), Some(task(3)));
        assert_eq!(locks.unlock(task(3), &k), None);
        assert_eq!(
            locks.lock(task(4), &k, LockLifetime::Unit),
            LockOutcome::New
        );
    }

    #[test]
    fn a_circle_over_records_and_names_fails_the_request_that_closes_it() {
        let mut locks = LockTable::default();
        let names = [
            record(b"1"),
            LockName::new(LockSpace::Enqueue, b"1"),
            LockName::new(LockSpace::TsQueue, b"1"),
        ];
        for (n, name) in (1..).zip(&names) {
            locks.lock(task(n), name, LockLifetime::Unit);
        }
        assert_eq!(
            locks.lock(task(1), &names[1], LockLifetime::Unit),
            LockOutcome::Waits
        );
        assert_eq!(
            locks.lock(task(2), &names[2], LockLifetime::Task),
            LockOutcome::Waits
        );
        let closes = locks.lock(task(3), &names[0], LockLifetime::Unit);
        assert_eq!(closes, LockOutcome::Deadlock);
        assert_eq!(locks.release(task(3)), [task(2)]);
    }

    #[test]
    fn a_task_that_gives_up_is_skipped() {
        let mut locks = LockTable::default();
        for n in 1..=3 {
            locks.lock(task(n), &record(b"K"), LockLifetime::Unit);
        }
        locks.give_up(task(2));
        assert_eq!(locks.release(task(1)), [task(3)]);
    }

    #[test]
    fn the_end_of_a_unit_keeps_the_locks_of_the_task() {
        let mut locks = LockTable::default();
        let (unit, whole) = (record(b"U"), record(b"T"));
        locks.lock(task(1), &unit, LockLifetime::Unit);
        locks.lock(task(1), &whole, LockLifetime::Task);
        locks.lock(task(2), &unit, LockLifetime::Unit);
        locks.lock(task(3), &whole, LockLifetime::Unit);
        assert_eq!(locks.release_unit(task(1)), [task(2)]);
        assert_eq!(locks.owner(&whole), Some(task(1)));
        assert_eq!(locks.release(task(1)), [task(3)]);
        assert!(!locks.has_locks(task(1)));
    }
}
