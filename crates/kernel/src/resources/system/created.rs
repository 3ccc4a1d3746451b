//! The memory of the definitions that programs have made with CREATE. They exist
//! until the region reads its definitions again.
//!
//! The definitions themselves are stored with all others. This module stores the
//! memory of each and the task that made it, so that limits apply to each task.
//!
//! Reference: CICS system programming reference, CREATE and DISCARD.

use std::collections::BTreeMap;

use super::super::GrowthAccount;
use crate::core::TaskKey;
use crate::kernel::CommandFailure;
use crate::types::{AccountKind, CountAndBytes};

/// Bytes that a definition takes in addition to its attributes.
const DEFINITION_BYTES: u64 = 512;

/// The type of a definition, as CREATE and DISCARD name it, and its name.
type Key = (&'static str, Vec<u8>);

/// The task that has made a definition, and the definition's memory.
#[derive(Debug, Clone, Copy)]
pub struct CreatedDefinition {
    task: TaskKey,
    amount: CountAndBytes,
}

/// Definitions that CREATE has made and that are in force.
#[derive(Debug, Default)]
pub struct CreatedDefinitions {
    made: BTreeMap<Key, CreatedDefinition>,
    pub(in crate::resources) account: GrowthAccount,
}

impl CreatedDefinitions {
    /// Counts a definition with so many bytes of attributes. The definition replaces the one
    /// with the same name, which is returned for [`Self::undo`].
    ///
    /// # Errors
    /// The limit of the task or of the region is reached; nothing has changed.
    pub fn add(
        &mut self,
        task: TaskKey,
        kind: &'static str,
        name: &[u8],
        attribute_bytes: usize,
    ) -> Result<Option<CreatedDefinition>, CommandFailure> {
        let before = self.remove(kind, name);
        let amount = CountAndBytes::one(DEFINITION_BYTES + attribute_bytes as u64);
        if let Err(refused) = self
            .account
            .check(AccountKind::CreatedDefinitions, task, amount)
        {
            self.undo(kind, name, before);
            return Err(refused);
        }
        self.put(kind, name, CreatedDefinition { task, amount });
        Ok(before)
    }

    /// The definition could not be installed: the definition before it counts again.
    pub fn undo(&mut self, kind: &'static str, name: &[u8], before: Option<CreatedDefinition>) {
        self.remove(kind, name);
        if let Some(before) = before {
            self.put(kind, name, before);
        }
    }

    /// A definition is discarded, or replaced.
    pub fn remove(&mut self, kind: &'static str, name: &[u8]) -> Option<CreatedDefinition> {
        let creation = self.made.remove(&(kind, trimmed(name)))?;
        self.account.remove(creation.task, creation.amount);
        Some(creation)
    }

    /// The definitions were read again, without those of programs.
    pub fn clear(&mut self) {
        for creation in std::mem::take(&mut self.made).into_values() {
            self.account.remove(creation.task, creation.amount);
        }
    }

    fn put(&mut self, kind: &'static str, name: &[u8], creation: CreatedDefinition) {
        self.account.add(creation.task, creation.amount);
        self.made.insert((kind, trimmed(name)), creation);
    }

    /// Memory of all these definitions, summed up again.
    #[cfg(any(test, feature = "sim"))]
    pub(in crate::resources) fn recount(&self) -> CountAndBytes {
        let made = self.made.values().map(|creation| creation.amount);
        made.fold(CountAndBytes::default(), CountAndBytes::plus)
    }
}

/// A name without the blanks that fill it up.
fn trimmed(name: &[u8]) -> Vec<u8> {
    name.trim_ascii_end().to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::AccountLimit;

    fn with_room_for(count: u64) -> CreatedDefinitions {
        let mut created = CreatedDefinitions::default();
        created.account.set_limit(AccountLimit {
            task: CountAndBytes {
                count,
                ..CountAndBytes::UNLIMITED
            },
            ..AccountLimit::default()
        });
        created
    }

    fn count(created: &CreatedDefinitions) -> u64 {
        assert_eq!(created.account.sum(), created.recount());
        created.account.sum().count
    }

    #[test]
    fn a_definition_of_a_name_that_is_there_takes_its_place() {
        let mut created = with_room_for(1);
        let task = TaskKey::for_test(1);
        assert!(created.add(task, "FILE", b"ONE     ", 10).is_ok());
        assert!(created.add(task, "FILE", b"ONE", 20).is_ok());
        assert_eq!(count(&created), 1);
        assert!(created.add(task, "PROGRAM", b"ONE", 0).is_err());
        assert!(
            created
                .add(TaskKey::for_test(2), "PROGRAM", b"ONE", 0)
                .is_ok()
        );
        assert_eq!(count(&created), 2);
    }

    #[test]
    fn what_cannot_be_installed_leaves_what_was_there() {
        let mut created = with_room_for(5);
        let task = TaskKey::for_test(1);
        let first = created.add(task, "FILE", b"ONE", 10).expect("room");
        assert!(first.is_none());
        let sum = created.account.sum();
        let before = created.add(task, "FILE", b"ONE", 99).expect("room");
        created.undo("FILE", b"ONE", before);
        assert_eq!(created.account.sum(), sum);
        let before = created.add(task, "FILE", b"TWO", 1).expect("room");
        created.undo("FILE", b"TWO", before);
        assert_eq!(count(&created), 1);
    }

    #[test]
    fn a_discard_and_a_reload_make_room() {
        let mut created = with_room_for(1);
        let task = TaskKey::for_test(1);
        assert!(created.add(task, "FILE", b"ONE", 10).is_ok());
        created.remove("FILE", b"ONE     ");
        assert!(created.add(task, "FILE", b"TWO", 10).is_ok());
        created.account.task_ended(task);
        created.clear();
        assert_eq!(created.account.sum(), CountAndBytes::default());
        assert!(created.add(task, "FILE", b"ONE", 10).is_ok());
    }
}
