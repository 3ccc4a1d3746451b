//! The rules that no history may break.

use std::collections::BTreeMap;

use store::{ReadExt, ReadStore, SeekKey, Table, WriteStore};

use super::model::StartFate;
use super::program::{self, ACCOUNTS};
use super::remote::ParticipantStage;
use super::{BALANCE, CLASS_LIMIT, MOST_STEPS_TO_REST, MXT, SimWorld};
use crate::core::CHILD_PLACES;
use crate::types::RegionStatistics;

/// The managers' counts of recoverable queues.
type QueueTotals = [u64; 5];

impl SimWorld {
    /// The rules that hold after every step.
    pub(super) fn check(&mut self) {
        self.check_limits();
        for (task, times) in &self.links.begun {
            assert_eq!(*times, 1, "task {task} was begun {times} times");
        }
        for (lock, owner, waiters) in self.kernel.locks().each() {
            let in_doubt = self.kernel.is_detached(owner);
            let owned = self.core.task(owner).is_some() || in_doubt;
            assert!(owned, "{lock} has no owner");
            assert!(!waiters.contains(&owner), "{lock} waits for itself");
            for waiter in waiters {
                // A unit that the decider has backed out is restored with its locks
                // where the store has refused to forget it. Another unit in doubt may
                // have had one of them since.
                let waits = self.kernel.waits(waiter) || self.kernel.is_detached(waiter);
                assert!(waits, "no task waits for {lock}");
            }
        }
        self.check_money();
        self.check_queues();
        self.check_counters();
        self.kernel.resources.check_accounts();
    }

    /// MXT holds, except for a few children whose parents wait. The class holds,
    /// except for parents that have taken their place in it again.
    fn check_limits(&mut self) {
        self.core.check_books();
        self.kernel.check_starts();
        let [over_mxt, over_class] = self.core.over_limits(MXT, CLASS_LIMIT);
        assert!(over_mxt <= CHILD_PLACES, "{over_mxt} tasks above MXT");
        let most = self.over_class + self.returned;
        assert!(
            over_class <= most,
            "{over_class} above the class's, {most} may be"
        );
        self.over_class = over_class;
        self.returned = 0;
    }

    /// Units of work are stored completely or not at all.
    fn check_money(&mut self) {
        let mut reader = self.store.reader().expect("a reader");
        let find = |r: &mut dyn ReadStore, name: &str| {
            let name = name.parse().expect("a name");
            r.find(&name).expect("readable").expect("defined").id
        };
        let accounts = find(reader.as_mut(), "ACCOUNTS");
        let ledger = find(reader.as_mut(), "LEDGER");
        let mut total = 0;
        for account in 0..ACCOUNTS {
            let key = program::key(account);
            let found = reader.read(accounts, SeekKey::Equal(&key), |e| {
                program::balance(e.record)
            });
            total += found.expect("readable").expect("an account");
        }
        let mut there = |unit: u64| {
            let key = program::key(unit);
            let found = reader.read(ledger, SeekKey::Equal(&key), |_| ());
            found.expect("readable").is_some()
        };
        let remotes = self.remotes.iter().flat_map(|r| &r.deposits);
        for (unit, amount) in remotes.chain(&self.decider.deposits) {
            // A deposit that only a participant has is in doubt.
            if there(*unit) {
                total += amount;
            } else {
                let mut deciding = self.model.deciding.values();
                let in_doubt = deciding.any(|d| d.unit == Some(*unit));
                assert!(in_doubt, "unit {unit} is at a participant alone");
            }
        }
        for branch in self.remotes.iter().flat_map(|r| r.branches.values()) {
            // The unit is decided, and this partner does not know the outcome yet.
            if branch.stage == ParticipantStage::Prepared && there(branch.unit) {
                total += branch.amount;
            }
        }
        assert_eq!(total, BALANCE * ACCOUNTS as i64, "money came or went");
        for unit in &self.acknowledged {
            assert!(there(*unit), "unit {unit} was acknowledged and is lost");
        }
        for unit in &self.refused {
            assert!(!there(*unit), "unit {unit} was backed out and is there");
        }
        // Checked units do not change any more.
        self.acknowledged.clear();
        self.refused.clear();
    }

    /// Recoverable queues have the items of committed units and commands, and the counts of
    /// their managers agree.
    fn check_queues(&mut self) {
        let mut reader = self.store.reader().expect("a reader");
        let items = table(reader.as_mut(), "tsqueue");
        let items = items.iter().filter(|(key, _)| key.len() == 20);
        let items: Vec<u64> = items.map(|(_, item)| program::number_in(item)).collect();
        assert_eq!(items, self.model.items, "items of the queue");
        let records = table(reader.as_mut(), "tdqueue");
        let of = |name: &[u8]| -> Vec<u64> {
            let own = records.iter().filter(|(key, _)| key.starts_with(name));
            own.map(|(_, r)| program::number_in(r)).collect()
        };
        let [logical, physical] = program::TD_QUEUES.map(|name| of(name.as_bytes()));
        assert_eq!(self.model.logical, logical, "records of the logical queue");
        assert_eq!(self.model.physical, physical, "records of the physical one");
        if self.is_store_idle() {
            let [queues, items, records, bytes, _] = self.counted();
            assert!(queues <= 1 || !self.tasks.is_empty(), "{queues} queues");
            assert_eq!(items, self.model.items.len() as u64, "items counted");
            let there = (logical.len() + physical.len()) as u64;
            assert_eq!((records, bytes), (there, there * 72), "records counted");
        }
    }

    /// The managers' counts of queues.
    pub(super) fn counted(&self) -> QueueTotals {
        let mut s = RegionStatistics::default();
        self.kernel.resources.count(&mut s);
        [s.ts_queues, s.ts_items, s.td_items, s.td_bytes, s.ts_bytes]
    }

    /// Counters in memory are those of the store, except for changes in progress.
    fn check_counters(&mut self) {
        let mut reader = self.store.reader().expect("a reader");
        let there = table(reader.as_mut(), "counter");
        let there: BTreeMap<Vec<u8>, i128> = there
            .into_iter()
            .map(|(key, counter)| {
                let value = counter[..16].try_into().expect("a counter");
                (key, i128::from_be_bytes(value))
            })
            .collect();
        let mut known = 0;
        for (key, now, stored) in self.kernel.resources.counters.values() {
            if self.is_store_idle() {
                assert_eq!(stored, there.get(&key[..]).copied(), "a counter");
                assert_eq!(now, stored, "a counter that no task changes");
            }
            known += usize::from(stored.is_some());
        }
        // The counters are read when a task first uses one.
        assert!(known == 0 || !self.is_store_idle() || known == there.len());
    }

    /// Whether the store has no job or result in progress.
    fn is_store_idle(&self) -> bool {
        self.jobs.is_empty() && self.ahead.is_none()
    }

    /// True if no work is left.
    pub(super) fn rests(&self) -> bool {
        self.core.is_idle()
            && self.building.is_empty()
            && self.waiting.is_empty()
            && self.submitted.is_empty()
            && self.is_store_idle()
            && self
                .remotes
                .iter()
                .all(|r| r.pending_orders.is_empty() && r.branches.is_empty())
            && self.decider.rests()
            && self.model.deciding.is_empty()
            && self.kernel.in_doubt_units().is_empty()
            && self.kernel.open_decisions().count() == 0
            && self.kernel.next_alarm().is_none()
            && self.terminals.is_idle()
    }

    /// No state of any task is left, and a restart finds the committed state.
    pub(super) fn check_at_rest(&mut self) {
        assert_eq!(self.kernel.locks().each().count(), 0, "locks are left");
        assert!(self.kernel.is_idle(), "units or waits are left");
        assert!(self.kernel.has_no_starts(), "starts are left");
        assert!(self.tasks.is_empty(), "tasks are left");
        self.core.check_idle();
        assert!(self.starts.is_empty(), "starts are left");
        let resources = &self.kernel.resources;
        assert!(resources.enqueue.is_idle(), "enqueues are left");
        assert!(resources.children.is_idle(), "children are left");
        assert!(resources.interval.is_idle(), "requests are left");
        assert!(resources.facilities.is_idle(), "facilities have work left");
        assert!(resources.temporary_storage.is_idle(), "items are left");
        assert!(resources.transient_data.is_idle(), "records are left");
        for (number, request) in &self.model.requests {
            let open = matches!(request.fate, StartFate::Begins | StartFate::Uncommitted);
            assert!(!open, "request {number} is lost: {request:?}");
        }
        let before = self.counted();
        self.crash();
        // The removal of a unit's record may have failed after the unit was backed out: a
        // restart finds the unit in doubt, and asks its decider again.
        for _ in 0..MOST_STEPS_TO_REST {
            if self.kernel.in_doubt_units().is_empty() {
                break;
            }
            self.step(true);
        }
        assert_eq!(self.counted(), before, "a restart finds other queues");
        self.check();
    }

    /// The work that is left, for a history that does not come to rest.
    pub(super) fn describe(&self) -> String {
        format!(
            "{} active, {} building, {} waiting, {} submitted, {} jobs, alarm {:?}, {:?}, {:?}, in doubt {:?}, tasks {:?}",
            self.core.active(),
            self.building.len(),
            self.waiting.len(),
            self.submitted.len(),
            self.jobs.len(),
            self.kernel.next_alarm(),
            self.remotes,
            self.decider,
            self.kernel.in_doubt_units(),
            self.tasks,
        )
    }
}

/// All entries of a table of the store.
fn table(reader: &mut dyn ReadStore, name: &'static str) -> Vec<(Vec<u8>, Vec<u8>)> {
    let table = Table::new(name);
    let mut all: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
    loop {
        let last = all.last().map(|(key, _)| key.clone());
        let seek = last.as_deref().map_or(SeekKey::First, SeekKey::Greater);
        let more = reader.seek_table(table, seek, &mut |e| {
            all.push((e.key.to_vec(), e.record.to_vec()));
        });
        if !more.expect("readable") {
            return all;
        }
    }
}
