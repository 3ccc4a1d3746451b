//! The order in which a thread takes the region's locks, and locks that assert
//! it in debug builds.
//!
//! A thread that holds a lock takes only locks of a higher rank. So two threads
//! never wait for each other. Release builds have plain mutexes.
//!
//! Invariant: nothing that waits for input or output, except LMDB's pages, runs
//! under a lock with a rank.

use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The ranks, in the order in which locks are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LockRank {
    /// Tasks, workers and their links: `Shared::state`.
    State,
    /// The kernel: `KernelHost::kernel`.
    Kernel,
    /// The way to the committer, used under the kernel's lock so that jobs keep
    /// their order.
    Committer,
    /// The work for the threads that use files outside the store.
    Files,
    /// The input of tasks that the region starts.
    Starts,
    /// The output sinks of facilities.
    Facilities,
}

/// A mutex with a rank.
pub struct OrderedLock<T> {
    rank: LockRank,
    mutex: Mutex<T>,
}

/// Holds the lock until it is dropped.
pub struct OrderedGuard<'a, T> {
    guard: MutexGuard<'a, T>,
    _held: held::HeldRank,
}

impl<T> OrderedLock<T> {
    /// A lock of a rank.
    pub fn new(rank: LockRank, value: T) -> Self {
        OrderedLock {
            rank,
            mutex: Mutex::new(value),
        }
    }

    /// Waits for the lock. State that a panic of another holder has left is used: the
    /// panic is a fault of the region's own and was loud.
    ///
    /// # Panics
    /// In debug builds, when the thread holds a lock of this or a higher rank.
    #[inline]
    pub fn lock(&self) -> OrderedGuard<'_, T> {
        let held = held::HeldRank::take(self.rank);
        OrderedGuard {
            guard: self.mutex.lock().unwrap_or_else(PoisonError::into_inner),
            _held: held,
        }
    }
}

impl<T> OrderedGuard<'_, T> {
    /// Gives the lock up until the condition is signalled, and takes it again. Only
    /// for a thread that holds no other lock.
    pub fn wait(self, condition: &Condvar) -> Self {
        let OrderedGuard { guard, _held } = self;
        OrderedGuard {
            guard: condition
                .wait(guard)
                .unwrap_or_else(PoisonError::into_inner),
            _held,
        }
    }
}

impl<T> Deref for OrderedGuard<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.guard
    }
}

impl<T> DerefMut for OrderedGuard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.guard
    }
}

impl<T> fmt::Debug for OrderedLock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OrderedLock")
            .field("rank", &self.rank)
            .finish_non_exhaustive()
    }
}

#[cfg(debug_assertions)]
mod held {
    use std::cell::RefCell;

    use super::LockRank;

    thread_local! {
        static RANKS: RefCell<Vec<LockRank>> = const { RefCell::new(Vec::new()) };
    }

    /// A rank that the thread holds.
    pub struct HeldRank(LockRank);

    impl HeldRank {
        pub fn take(rank: LockRank) -> HeldRank {
            RANKS.with_borrow_mut(|ranks| {
                if let Some(highest) = ranks.iter().max() {
                    assert!(
                        *highest < rank,
                        "the lock {rank:?} is taken under {highest:?}"
                    );
                }
                ranks.push(rank);
            });
            HeldRank(rank)
        }
    }

    impl Drop for HeldRank {
        fn drop(&mut self) {
            RANKS.with_borrow_mut(|ranks| {
                if let Some(at) = ranks.iter().rposition(|rank| *rank == self.0) {
                    ranks.remove(at);
                }
            });
        }
    }
}

#[cfg(not(debug_assertions))]
mod held {
    /// Nothing is kept in release builds.
    pub struct HeldRank;

    impl HeldRank {
        #[inline]
        pub fn take(_: super::LockRank) -> HeldRank {
            HeldRank
        }
    }
}

#[cfg(all(test, debug_assertions))]
mod tests {
    use super::*;

    #[test]
    fn locks_are_taken_in_their_order_and_again_afterwards() {
        let state = OrderedLock::new(LockRank::State, 1);
        let kernel = OrderedLock::new(LockRank::Kernel, 2);
        for _ in 0..2 {
            let outer = state.lock();
            let inner = kernel.lock();
            assert_eq!(*outer + *inner, 3);
        }
    }

    #[test]
    #[should_panic(expected = "the lock State is taken under Kernel")]
    fn the_other_order_is_a_fault() {
        let state = OrderedLock::new(LockRank::State, ());
        let kernel = OrderedLock::new(LockRank::Kernel, ());
        let _inner = kernel.lock();
        let _outer = state.lock();
    }
}
