//! Browses of terminals in progress: one a task.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Where the browse of each task is.
#[derive(Debug, Default)]
pub struct TerminalBrowses(Mutex<HashMap<u64, BrowsePosition>>);

#[derive(Debug, Clone, Copy)]
enum BrowsePosition {
    /// The first is this name or the next greater.
    From([u8; 4]),
    /// This name was given.
    After([u8; 4]),
}

impl TerminalBrowses {
    /// START. Returns false if the task has a browse.
    pub fn start(&self, task: u64, at: [u8; 4]) -> bool {
        let mut all = self.lock();
        let free = !all.contains_key(&task);
        if free {
            all.insert(task, BrowsePosition::From(at));
        }
        free
    }

    /// NEXT, of names in order. Returns `None` if the task has no browse, and
    /// `Some(None)` at the end.
    pub fn next(&self, task: u64, names: &[[u8; 4]]) -> Option<Option<[u8; 4]>> {
        let mut all = self.lock();
        let position = all.get_mut(&task)?;
        let found = names.iter().find(|name| match position {
            BrowsePosition::From(at) => **name >= *at,
            BrowsePosition::After(last) => **name > *last,
        });
        if let Some(found) = found {
            *position = BrowsePosition::After(*found);
        }
        Some(found.copied())
    }

    /// END, or the task's end. Returns false if the task has no browse.
    pub fn end(&self, task: u64) -> bool {
        self.lock().remove(&task).is_some()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<u64, BrowsePosition>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browse_gives_each_terminal_once() {
        let browses = TerminalBrowses::default();
        assert_eq!(browses.next(1, &[*b"T001"]), None);
        assert!(browses.start(1, *b"T002") && !browses.start(1, [0; 4]));
        let names = [*b"T001", *b"T002", *b"T003"];
        assert_eq!(browses.next(1, &names), Some(Some(*b"T002")));
        // One was removed and one was added.
        assert_eq!(browses.next(1, &[*b"T001", *b"T004"]), Some(Some(*b"T004")));
        assert_eq!(browses.next(1, &names), Some(None));
        assert!(browses.end(1) && !browses.end(1));
    }
}
