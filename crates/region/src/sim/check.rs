//! The rules that no history may break.

use store::{ReadExt, Seek, WriteStore};

use super::program::{self, ACCOUNTS};
use super::{BALANCE, CLASS_LIMIT, MXT, World};

impl World {
    /// The rules that hold after every step.
    pub(super) fn check(&mut self) {
        self.core.check_limits(MXT, CLASS_LIMIT);
        for (task, times) in &self.links.begun {
            assert_eq!(*times, 1, "task {task} was begun {times} times");
        }
        for (lock, owner, waiters) in self.kernel.locks().each() {
            assert!(self.core.task(owner).is_some(), "{lock} has no owner");
            assert!(!waiters.contains(&owner), "{lock} waits for itself");
            for waiter in waiters {
                assert!(self.kernel.waits(waiter), "nobody waits for {lock}");
            }
        }
        self.check_money();
    }

    /// Units of work are there whole or not at all.
    fn check_money(&mut self) {
        let mut reader = self.store.reader().expect("a reader");
        let find = |r: &mut dyn store::ReadStore, name: &str| {
            let name = name.parse().expect("a name");
            r.find(&name).expect("readable").expect("defined").id
        };
        let accounts = find(reader.as_mut(), "ACCOUNTS");
        let ledger = find(reader.as_mut(), "LEDGER");
        let mut total: i64 = self.remote.deposits.values().sum();
        for account in 0..ACCOUNTS {
            let key = program::key(account);
            let found = reader.read(accounts, Seek::Equal(&key), |e| program::balance(e.record));
            total += found.expect("readable").expect("an account");
        }
        assert_eq!(total, BALANCE * ACCOUNTS as i64, "money came or went");
        let mut there = |unit: u64| {
            let key = program::key(unit);
            let found = reader.read(ledger, Seek::Equal(&key), |_| ());
            found.expect("readable").is_some()
        };
        for unit in &self.acknowledged {
            assert!(there(*unit), "unit {unit} was acknowledged and is lost");
        }
        for unit in &self.refused {
            assert!(!there(*unit), "unit {unit} was backed out and is there");
        }
        for unit in self.remote.deposits.keys() {
            assert!(there(*unit), "unit {unit} is at the partner alone");
        }
        // What has been looked at once stays as it is.
        self.acknowledged.clear();
        self.refused.clear();
    }

    /// True when nothing is left to do.
    pub(super) fn rests(&self) -> bool {
        self.core.is_idle()
            && self.building.is_empty()
            && self.waiting.is_empty()
            && self.submitted.is_empty()
            && self.jobs.is_empty()
            && self.kernel.next_alarm().is_none()
    }

    /// Nothing of any task is left behind.
    pub(super) fn check_at_rest(&self) {
        assert_eq!(self.kernel.locks().each().count(), 0, "locks are left");
        assert!(self.kernel.is_idle(), "units or waits are left");
        assert!(self.tasks.is_empty(), "tasks are left");
        assert!(self.starts.is_empty(), "starts are left");
        assert!(self.remote.pending.is_empty(), "deposits are left");
    }

    /// What is not over, for a history that does not come to rest.
    pub(super) fn describe(&self) -> String {
        format!(
            "{} active, {} building, {} waiting, {} submitted, {} jobs, alarm {:?}, tasks {:?}",
            self.core.active(),
            self.building.len(),
            self.waiting.len(),
            self.submitted.len(),
            self.jobs.len(),
            self.kernel.next_alarm(),
            self.tasks,
        )
    }
}
