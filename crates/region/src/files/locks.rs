//! Record locks: one owner, waiters in the order of their coming.
//!
//! A task waits for one lock at a time and a lock has one owner, so who waits
//! for whom is a chain; a wait that would close it to a ring is a deadlock and
//! is refused to the one who would close it.
//!
//! Invariant: no time and no store; a lock is a name.

use std::collections::{HashMap, VecDeque};

use store::FileId;

use crate::core::TaskKey;

/// What is locked: a key of a file.
pub type LockName = (FileId, Box<[u8]>);

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
    waiters: VecDeque<TaskKey>,
}

/// What became of a wish for a lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grant {
    /// The task has it now.
    New,
    /// The task had it already.
    Owned,
    /// Somebody has it; the task is in the queue.
    Waits,
    /// Somebody has it who waits, over others or not, for this task.
    Deadlock,
}

impl LockTable {
    /// Asks for a lock and queues for it if it is taken.
    pub fn lock(&mut self, task: TaskKey, file: FileId, key: &[u8]) -> Grant {
        let name: LockName = (file, key.into());
        let Some(owner) = self.locks.get(&name).map(|l| l.owner) else {
            let lock = Lock {
                owner: task,
                waiters: VecDeque::new(),
            };
            self.locks.insert(name.clone(), lock);
            self.owned.entry(task).or_default().push(name);
            return Grant::New;
        };
        if owner == task {
            return Grant::Owned;
        }
        if self.waits_for(owner, task) {
            return Grant::Deadlock;
        }
        if let Some(lock) = self.locks.get_mut(&name) {
            lock.waiters.push_back(task);
        }
        self.waiting.insert(task, name);
        Grant::Waits
    }

    /// True when another task owns the lock.
    pub fn is_taken(&self, task: TaskKey, file: FileId, key: &[u8]) -> bool {
        let name: LockName = (file, key.into());
        self.locks.get(&name).is_some_and(|l| l.owner != task)
    }

    /// Gives a lock back; gives who has it now and may go on.
    pub fn unlock(&mut self, task: TaskKey, file: FileId, key: &[u8]) -> Option<TaskKey> {
        let name: LockName = (file, key.into());
        let owned = self.owned.get_mut(&task)?;
        let at = owned.iter().position(|n| *n == name)?;
        owned.swap_remove(at);
        if owned.is_empty() {
            self.owned.remove(&task);
        }
        self.hand_over(name)
    }

    /// Gives all locks of a task back and takes it out of any queue; gives who
    /// may go on.
    pub fn release(&mut self, task: TaskKey) -> Vec<TaskKey> {
        self.give_up(task);
        let owned = self.owned.remove(&task).unwrap_or_default();
        owned
            .into_iter()
            .filter_map(|name| self.hand_over(name))
            .collect()
    }

    /// Takes a task out of the queue it waits in.
    pub fn give_up(&mut self, task: TaskKey) {
        if let Some(name) = self.waiting.remove(&task)
            && let Some(lock) = self.locks.get_mut(&name)
        {
            lock.waiters.retain(|w| *w != task);
        }
    }

    fn hand_over(&mut self, name: LockName) -> Option<TaskKey> {
        let lock = self.locks.get_mut(&name)?;
        match lock.waiters.pop_front() {
            Some(next) => {
                lock.owner = next;
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
        // No ring exists, since this very check precedes every wait; so the
        // chain ends.
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

    const FILE: FileId = FileId(1);

    fn task(n: u32) -> TaskKey {
        TaskKey::for_test(n)
    }

    #[test]
    fn waiters_get_a_lock_in_the_order_of_their_coming() {
        let mut locks = LockTable::default();
        assert_eq!(locks.lock(task(1), FILE, b"K"), Grant::New);
        assert_eq!(locks.lock(task(1), FILE, b"K"), Grant::Owned);
        assert_eq!(locks.lock(task(2), FILE, b"K"), Grant::Waits);
        assert_eq!(locks.lock(task(3), FILE, b"K"), Grant::Waits);
        assert_eq!(locks.release(task(1)), [task(2)]);
        assert_eq!(locks.unlock(task(2), FILE, b"K"), Some(task(3)));
        assert_eq!(locks.unlock(task(3), FILE, b"K"), None);
        assert_eq!(locks.lock(task(4), FILE, b"K"), Grant::New);
    }

    #[test]
    fn a_ring_of_three_is_refused_to_the_one_who_closes_it() {
        let mut locks = LockTable::default();
        for n in 1..=3 {
            locks.lock(task(n), FILE, &[n as u8]);
        }
        assert_eq!(locks.lock(task(1), FILE, &[2]), Grant::Waits);
        assert_eq!(locks.lock(task(2), FILE, &[3]), Grant::Waits);
        assert_eq!(locks.lock(task(3), FILE, &[1]), Grant::Deadlock);
        assert_eq!(locks.release(task(3)), [task(2)]);
    }

    #[test]
    fn one_that_gives_up_is_passed_over() {
        let mut locks = LockTable::default();
        locks.lock(task(1), FILE, b"K");
        locks.lock(task(2), FILE, b"K");
        locks.lock(task(3), FILE, b"K");
        locks.give_up(task(2));
        assert_eq!(locks.release(task(1)), [task(3)]);
    }
}
