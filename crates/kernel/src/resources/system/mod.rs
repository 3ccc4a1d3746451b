//! INQUIRE and SET: data about the region for programs, and changes by programs.
//!
//! The shell serves these commands outside of the kernel, since it can access the state of both
//! the core and the kernel. This module has the browses of tasks, and the times at which
//! statistics are recorded.
//!
//! Reference: CICS system programming reference, INQUIRE PROGRAM, FILE,
//! TRANSACTION, TRANCLASS, TASK, SYSTEM, ASSOCIATION.

mod created;
mod kind;
mod recording;

pub use created::{CreatedDefinition, CreatedDefinitions};
pub use kind::ResourceKind;
pub use recording::{DAY_S, StatisticsRecording, day_s};

use std::collections::{HashMap, VecDeque};

use super::Manager;
use crate::core::TaskKey;

/// The hooks of this manager.
pub const MANAGER: Manager = Manager {
    task_ended: |resources, _, caller| {
        let system = &mut resources.system;
        system.browses.retain(|(task, _), _| *task != caller.key);
        system.created.account.task_ended(caller.key);
    },
    alarm: recording::alarm,
    ..Manager::IDLE
};

/// Browses in progress, one of a kind a task, and how statistics are recorded.
#[derive(Debug, Default)]
pub struct SystemBrowses {
    browses: HashMap<(TaskKey, ResourceKind), BrowsePosition>,
    recorder: recording::StatisticsRecorder,
    /// Definitions that programs have made with CREATE.
    pub created: CreatedDefinitions,
}

/// Position of a browse.
#[derive(Debug)]
enum BrowsePosition {
    /// The first result is this name or the next greater one.
    From(Vec<u8>),
    /// The last name that was returned.
    After(Vec<u8>),
    /// The names that existed at its start and are not returned yet.
    List(VecDeque<Vec<u8>>),
}

impl SystemBrowses {
    /// START, from a name on; false if the task has such a browse.
    pub fn start(&mut self, task: TaskKey, kind: ResourceKind, at: &[u8]) -> bool {
        if self.browses.contains_key(&(task, kind)) {
            return false;
        }
        let browse = BrowsePosition::From(at.to_vec());
        self.browses.insert((task, kind), browse);
        true
    }

    /// START with the names that exist now; false if the task has such a browse.
    pub fn start_list(&mut self, task: TaskKey, kind: ResourceKind, names: Vec<Vec<u8>>) -> bool {
        if self.browses.contains_key(&(task, kind)) {
            return false;
        }
        let browse = BrowsePosition::List(names.into());
        self.browses.insert((task, kind), browse);
        true
    }

    /// NEXT: the next of these names, which are in order. `None` when the task
    /// has no such browse.
    pub fn next(
        &mut self,
        task: TaskKey,
        kind: ResourceKind,
        names: &[Vec<u8>],
    ) -> Option<NextName> {
        let browse = self.browses.get_mut(&(task, kind))?;
        if let BrowsePosition::List(left) = browse {
            let next = std::iter::from_fn(|| left.pop_front()).find(|n| names.contains(n));
            return Some(next.map_or(NextName::End, NextName::Name));
        }
        let found = names.iter().find(|name| match browse {
            BrowsePosition::From(at) => *name >= at,
            BrowsePosition::After(last) => *name > last,
            BrowsePosition::List(_) => false,
        });
        let Some(name) = found else {
            return Some(NextName::End);
        };
        *browse = BrowsePosition::After(name.clone());
        Some(NextName::Name(name.clone()))
    }

    /// END; false if the task has no such browse.
    pub fn end(&mut self, task: TaskKey, kind: ResourceKind) -> bool {
        self.browses.remove(&(task, kind)).is_some()
    }
}

/// The result of NEXT.
#[derive(Debug, PartialEq, Eq)]
pub enum NextName {
    /// A name.
    Name(Vec<u8>),
    /// There is no further name.
    End,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browse_returns_each_name_once_even_when_names_come_and_go() {
        let task = TaskKey::for_test(1);
        let mut s = SystemBrowses::default();
        let names = |list: &[&str]| -> Vec<Vec<u8>> {
            list.iter().map(|n| n.as_bytes().to_vec()).collect()
        };
        let name = |n: &str| Some(NextName::Name(n.as_bytes().to_vec()));
        assert_eq!(s.next(task, ResourceKind::File, &[]), None);
        assert!(s.start(task, ResourceKind::File, b"B"));
        assert!(!s.start(task, ResourceKind::File, b""));
        assert!(s.start(task, ResourceKind::Program, b""));
        assert_eq!(
            s.next(task, ResourceKind::File, &names(&["A", "B", "C"])),
            name("B")
        );
        assert_eq!(
            s.next(task, ResourceKind::File, &names(&["A", "D"])),
            name("D")
        );
        assert_eq!(
            s.next(task, ResourceKind::File, &names(&["A", "D"])),
            Some(NextName::End)
        );
        assert!(s.end(task, ResourceKind::File));
        assert!(!s.end(task, ResourceKind::File));
    }
}
