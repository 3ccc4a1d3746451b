//! Which tasks run step by step: those of a terminal, or of a transaction without
//! one.
//!
//! A task without a debugger costs one relaxed load here. The reports themselves
//! go to the service that serves [`link::stepping::STEP_COMMAND`].

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use link::{Name, TransId};

/// The terminals and transactions.
#[derive(Debug, Default)]
pub(crate) struct SteppedTasks {
    used: AtomicBool,
    sets: Mutex<SteppedSets>,
}

#[derive(Debug, Default)]
struct SteppedSets {
    terminals: HashSet<Name<4>>,
    transactions: HashSet<TransId>,
}

impl SteppedTasks {
    /// Whether there are any.
    pub(crate) fn is_used(&self) -> bool {
        self.used.load(Ordering::Relaxed)
    }

    /// Whether tasks of this terminal run step by step.
    pub(crate) fn has_terminal(&self, terminal: Name<4>) -> bool {
        self.lock().terminals.contains(&terminal)
    }

    /// Whether tasks of this transaction without a terminal do.
    pub(crate) fn has_transaction(&self, transid: TransId) -> bool {
        self.lock().transactions.contains(&transid)
    }

    /// Starts or stops stepping through the tasks of a terminal.
    pub(crate) fn set_terminal(&self, terminal: Name<4>, on: bool) {
        self.change(|sets| put(&mut sets.terminals, terminal, on));
    }

    /// Starts or stops stepping through the tasks of a transaction.
    pub(crate) fn set_transaction(&self, transid: TransId, on: bool) {
        self.change(|sets| put(&mut sets.transactions, transid, on));
    }

    fn change(&self, change: impl FnOnce(&mut SteppedSets)) {
        let mut sets = self.lock();
        change(&mut sets);
        let used = !sets.terminals.is_empty() || !sets.transactions.is_empty();
        self.used.store(used, Ordering::Relaxed);
    }

    fn lock(&self) -> MutexGuard<'_, SteppedSets> {
        self.sets.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn put<T: Eq + std::hash::Hash>(set: &mut HashSet<T>, item: T, on: bool) {
    if on {
        set.insert(item);
    } else {
        set.remove(&item);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_and_a_transaction_are_stepped_until_they_are_taken_away() {
        let tasks = SteppedTasks::default();
        let (terminal, transid) = (Name::from_bytes(*b"T001"), TransId::from_bytes(*b"PAY "));
        assert!(!tasks.is_used());
        tasks.set_terminal(terminal, true);
        tasks.set_transaction(transid, true);
        assert!(tasks.is_used() && tasks.has_terminal(terminal) && tasks.has_transaction(transid));
        tasks.set_terminal(terminal, false);
        assert!(tasks.is_used() && !tasks.has_terminal(terminal));
        tasks.set_transaction(transid, false);
        assert!(!tasks.is_used() && !tasks.has_transaction(transid));
    }
}
