//! Accounts of what services keep for tasks outside of the kernel.
//!
//! A service reports what a task has there in all; the sums and their limits are
//! here with all others. What a task has ends with the task.
//!
//! Invariant: nothing but sums is here. Documents themselves are with web support.

use super::{GrowthAccount, Manager};
use crate::core::TaskKey;
use crate::kernel::CommandFailure;
use crate::types::{AccountKind, CountAndBytes};

/// What this manager is notified of.
pub const MANAGER: Manager = Manager {
    task_ended: |resources, _, caller| resources.outside.task_ended(caller.key),
    ..Manager::IDLE
};

/// Sums of what services keep.
#[derive(Debug, Default)]
pub struct OutsideAccounts {
    /// Documents of web support.
    pub(super) documents: GrowthAccount,
}

impl OutsideAccounts {
    /// A task has so many documents of so many bytes from now on.
    ///
    /// # Errors
    /// It would have more than before, and the limit of the task or of the region
    /// is reached; nothing has changed.
    pub fn set_documents(
        &mut self,
        task: TaskKey,
        amount: CountAndBytes,
    ) -> Result<(), CommandFailure> {
        self.documents.set(AccountKind::Documents, task, amount)
    }

    fn task_ended(&mut self, task: TaskKey) {
        let none = CountAndBytes::default();
        let gone = self.documents.set(AccountKind::Documents, task, none);
        debug_assert!(gone.is_ok(), "nothing fits any limit");
    }
}
