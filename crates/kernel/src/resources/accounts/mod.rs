//! Accounts: how much tasks have added to the region's tables, by region and by task.
//!
//! A manager has a [`GrowthAccount`] for each table that commands add to, and checks it
//! before it adds. [`Resources::accounts`] collects the sums in the order of
//! [`ACCOUNTS`], and counts everything again, for tests and the simulation.
//!
//! A task's sum is what it has added, minus what it has removed itself and what was its own
//! and is gone. It ends with the task; what the task leaves is in the region's sum until it
//! is removed.
//!
//! Invariant: each change updates the sums; no command counts a table.

#[cfg(test)]
mod tests;

use std::collections::HashMap;

use super::Resources;
use crate::core::TaskKey;
use crate::kernel::CommandFailure;
use crate::types::{AccountKind, AccountLimit, AccountLimits, AtLimit, CountAndBytes};

/// Sums of one account, and its limit.
#[derive(Debug, Default)]
pub struct GrowthAccount {
    sum: CountAndBytes,
    /// The sum of each task that has not ended.
    tasks: HashMap<TaskKey, CountAndBytes>,
    limit: AccountLimit,
}

impl GrowthAccount {
    /// The sum of the region.
    pub fn sum(&self) -> CountAndBytes {
        self.sum
    }

    /// The sums of tasks that have added something and have not ended.
    pub fn tasks(&self) -> impl Iterator<Item = (TaskKey, CountAndBytes)> {
        self.tasks.iter().map(|(task, sum)| (*task, *sum))
    }

    /// The limit in force.
    pub fn limit(&self) -> AccountLimit {
        self.limit
    }

    /// Puts a limit in force. Existing entries stay.
    pub fn set_limit(&mut self, limit: AccountLimit) {
        self.limit = limit;
    }

    /// Whether a task may add this.
    ///
    /// # Errors
    /// The limit of the task or of the region is reached: the condition or the
    /// abend of the account.
    pub fn check(
        &self,
        kind: AccountKind,
        task: TaskKey,
        more: CountAndBytes,
    ) -> Result<(), CommandFailure> {
        let own = self.tasks.get(&task).copied().unwrap_or_default();
        let own_fits = own.plus(more).fits(self.limit.task);
        if own_fits && self.sum.plus(more).fits(self.limit.region) {
            return Ok(());
        }
        Err(match kind.row().at_limit {
            AtLimit::Condition(raised) | AtLimit::OwnSetting(raised) => {
                CommandFailure::Condition(raised, 0)
            }
            AtLimit::Abend(code) => CommandFailure::Abend(code),
        })
    }

    /// A task has added this.
    pub fn add(&mut self, task: TaskKey, more: CountAndBytes) {
        self.sum = self.sum.plus(more);
        if task != TaskKey::NO_TASK {
            let own = self.tasks.entry(task).or_default();
            *own = own.plus(more);
        }
    }

    /// Something that a task has added is gone.
    pub fn remove(&mut self, task: TaskKey, less: CountAndBytes) {
        debug_assert!(less.fits(self.sum), "{less:?} of {:?}", self.sum);
        self.sum = self.sum.minus(less);
        if let Some(own) = self.tasks.get_mut(&task) {
            *own = own.minus(less);
            if *own == CountAndBytes::default() {
                self.tasks.remove(&task);
            }
        }
    }

    /// Sets the amount of a task.
    ///
    /// As for [`Self::check`], if the amount is larger than before; then nothing has
    /// changed.
    pub fn set(
        &mut self,
        kind: AccountKind,
        task: TaskKey,
        amount: CountAndBytes,
    ) -> Result<(), CommandFailure> {
        let own = self.tasks.get(&task).copied().unwrap_or_default();
        if !amount.fits(own) {
            self.check(kind, task, amount.minus(own))?;
        }
        self.remove(task, own);
        if amount != CountAndBytes::default() {
            self.add(task, amount);
        }
        Ok(())
    }

    /// A task is over. What it has added stays in the region's sum.
    pub fn task_ended(&mut self, task: TaskKey) {
        self.tasks.remove(&task);
    }
}

/// The sums of one account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccountSums {
    /// The account.
    pub kind: AccountKind,
    /// The region's sum.
    pub region: CountAndBytes,
    /// The sums of tasks, by their keys; empty if the account does not distinguish tasks.
    pub tasks: Vec<(TaskKey, CountAndBytes)>,
}

impl AccountSums {
    /// The sums of an account by task, in the order of the tasks' keys.
    pub(super) fn new(
        kind: AccountKind,
        region: CountAndBytes,
        tasks: impl Iterator<Item = (TaskKey, CountAndBytes)>,
    ) -> AccountSums {
        let mut tasks: Vec<_> = tasks.collect();
        tasks.sort_unstable_by_key(|(task, _)| *task);
        AccountSums {
            kind,
            region,
            tasks,
        }
    }

    fn of(kind: AccountKind, account: &GrowthAccount) -> AccountSums {
        AccountSums::new(kind, account.sum(), account.tasks())
    }

    fn of_region(kind: AccountKind, region: CountAndBytes) -> AccountSums {
        AccountSums::new(kind, region, std::iter::empty())
    }
}

impl Resources {
    /// The sums of all accounts, in the order of [`crate::ACCOUNTS`].
    pub fn accounts(&self) -> Vec<AccountSums> {
        let kinds = AccountKind::ALL.iter();
        kinds.map(|kind| self.account(*kind)).collect()
    }

    fn account(&self, kind: AccountKind) -> AccountSums {
        match kind {
            AccountKind::Starts => AccountSums::of(kind, &self.interval.account),
            AccountKind::EnqueueNames => AccountSums::of(kind, &self.enqueue.account),
            AccountKind::TemporaryStorage => {
                AccountSums::of(kind, &self.temporary_storage.memory_account)
            }
            AccountKind::RecoverableTemporaryStorage => {
                let ts = &self.temporary_storage;
                AccountSums::new(kind, ts.stored_amount(), ts.unit_amounts())
            }
            AccountKind::TransientData => {
                AccountSums::of_region(kind, self.transient_data.amount())
            }
            AccountKind::Reports => AccountSums::of(kind, &self.spool.account),
            AccountKind::Journals => AccountSums::of(kind, &self.journals.account),
            AccountKind::Facilities => AccountSums::of_region(kind, self.facilities.amount()),
            AccountKind::SharedStorage => AccountSums::of_region(kind, self.storage.amount()),
            AccountKind::Counters => AccountSums::of(kind, &self.counters.account),
            AccountKind::Children => AccountSums::of(kind, &self.children.account),
            AccountKind::CreatedDefinitions => AccountSums::of(kind, &self.system.created.account),
            AccountKind::Dumps => AccountSums::of(kind, &self.dump.account),
            AccountKind::DumpCodes => AccountSums::of(kind, &self.dump.codes_account),
            AccountKind::Documents => AccountSums::of(kind, &self.outside.documents),
        }
    }

    /// Puts limits in force.
    pub fn limit_accounts(&mut self, limits: &AccountLimits) {
        let set = |account: &mut GrowthAccount, kind| account.set_limit(limits.of(kind));
        set(&mut self.interval.account, AccountKind::Starts);
        set(&mut self.enqueue.account, AccountKind::EnqueueNames);
        set(
            &mut self.temporary_storage.memory_account,
            AccountKind::TemporaryStorage,
        );
        set(&mut self.spool.account, AccountKind::Reports);
        set(&mut self.journals.account, AccountKind::Journals);
        set(&mut self.counters.account, AccountKind::Counters);
        set(&mut self.children.account, AccountKind::Children);
        set(
            &mut self.system.created.account,
            AccountKind::CreatedDefinitions,
        );
        set(&mut self.dump.account, AccountKind::Dumps);
        set(&mut self.dump.codes_account, AccountKind::DumpCodes);
        set(&mut self.outside.documents, AccountKind::Documents);
    }

    /// Counts everything again and compares it with the sums.
    #[cfg(any(test, feature = "sim"))]
    pub fn check_accounts(&self) {
        let recounted = |kind: AccountKind| match kind {
            AccountKind::Starts => self.interval.recount(),
            AccountKind::EnqueueNames => self.enqueue.recount(),
            AccountKind::TemporaryStorage => self.temporary_storage.recount_memory(),
            AccountKind::RecoverableTemporaryStorage => self.temporary_storage.recount_stored(),
            AccountKind::Reports => self.spool.recount(),
            AccountKind::Journals => self.journals.recount(),
            AccountKind::SharedStorage => self.storage.recount(),
            AccountKind::Counters => self.counters.recount(),
            AccountKind::Children => self.children.recount(),
            AccountKind::CreatedDefinitions => self.system.created.recount(),
            // Files outside of the region: only their sum is here.
            AccountKind::Dumps => self.dump.account.sum(),
            AccountKind::DumpCodes => self.dump.recount_codes(),
            // A service has them: only their sum is here.
            AccountKind::Documents => self.outside.documents.sum(),
            // Its sum is that of the queues. The simulation compares them with the store.
            AccountKind::TransientData => self.transient_data.amount(),
            // It compares its own sum with what is there.
            AccountKind::Facilities => {
                self.facilities.check_books();
                self.facilities.amount()
            }
        };
        for sums in self.accounts() {
            assert_eq!(sums.region, recounted(sums.kind), "{:?}", sums.kind);
            let is_owned = matches!(
                sums.kind,
                AccountKind::Starts
                    | AccountKind::EnqueueNames
                    | AccountKind::Reports
                    | AccountKind::Children
            );
            if is_owned {
                // What is there has one task each, or one that has ended.
                let own = sums.tasks.iter().map(|(_, own)| *own);
                let own = own.fold(CountAndBytes::default(), CountAndBytes::plus);
                assert!(own.fits(sums.region), "{:?} of tasks: {own:?}", sums.kind);
            }
        }
    }
}
