//! Units of work: the changes of one task that are not committed yet.
//!
//! Files and everything else that the region stores are in one store, so their changes are one
//! part of the unit, which one transaction of the store commits. Other participants (a
//! database, a remote partner) join by name.

use std::collections::HashMap;

use store::UnitOfWork;

use super::deciders::DeciderPart;
use super::effect::{ParticipantId, UnitId};
use super::prepared::BranchId;
use super::request::CallingTask;
use super::timers::TimerId;
use crate::core::TaskKey;

/// A task's unit of work.
#[derive(Debug, Default)]
pub struct UnitState {
    /// Changes to the store.
    pub changes: UnitOfWork,
    /// Its number for the participants, once it has one.
    pub id: Option<UnitId>,
    /// Participants except the store, in the order they joined.
    pub participants: Vec<ParticipantId>,
    /// The participant that decides, and its token for the unit.
    pub decider: Option<Box<DeciderPart>>,
    /// The phase of its end.
    pub phase: UnitPhase,
    /// When the committer got changes that are not complete.
    pub commit_began: Option<u64>,
    /// The task has ended; its identity.
    pub end: Option<CallingTask>,
    /// The coordinator's name for it, once it is being prepared for one, and the task of the
    /// unit.
    pub branch: Option<BranchId>,
    pub caller: Option<CallingTask>,
}

/// The phase of the end of a unit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum UnitPhase {
    /// Its task is running.
    #[default]
    Active,
    /// Participants are preparing.
    Preparing {
        /// Participants that have not answered.
        missing: Vec<ParticipantId>,
        /// One of them cannot.
        refused: bool,
        /// The task ends with the unit.
        then: UnitContinuation,
    },
    /// The store commits.
    Deciding {
        /// The task ends with the unit.
        then: UnitContinuation,
    },
    /// A record of it is being stored; then another participant decides.
    Securing {
        /// The task ends with the unit.
        then: UnitContinuation,
    },
    /// The participant that decides has got the order to commit, or is asked for the outcome.
    AwaitingDecider {
        /// The task ends with the unit.
        then: UnitContinuation,
    },
    /// The decider has committed, and the store applies the changes.
    Applying {
        /// The task ends with the unit.
        then: UnitContinuation,
    },
    /// A record of it is being stored.
    Recording,
    /// It waits for its coordinator.
    Prepared,
    /// It is committed, and participants that the task waits for have not reported their commit
    /// or cannot be reached.
    Committing {
        /// These participants.
        missing: Vec<ParticipantId>,
        /// The task ends with the unit.
        then: UnitContinuation,
    },
    /// The only participant commits.
    OnePhase {
        /// The task ends with the unit.
        then: UnitContinuation,
        /// If it cannot be reached: how long the task waits for the outcome.
        limit: Option<TimerId>,
    },
}

/// The continuation after the end of a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnitContinuation {
    /// The task's SYNCPOINT is answered.
    Syncpoint,
    /// The task is over.
    EndTask,
    /// The task is answered whether its unit is prepared.
    Prepare,
    /// The coordinator of the branch is notified.
    Settle,
    /// The task got the answer that the unit is in doubt, or is of an earlier run of the region.
    Detached,
}

impl UnitState {
    /// True when there is nothing to commit.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty() && self.participants.is_empty()
    }

    /// The committer is finished with the unit. Returns the nanoseconds since it got the changes,
    /// 0 if it got none.
    pub fn commit_took(&mut self, now: u64) -> u64 {
        let began = self.commit_began.take();
        began.map_or(0, |began| now.saturating_sub(began))
    }

    /// True while its end is being decided.
    pub fn is_busy(&self) -> bool {
        self.commit_began.is_some() || self.phase != UnitPhase::Active
    }
}

/// The units of all tasks.
#[derive(Debug, Default)]
pub struct UnitTable {
    units: HashMap<TaskKey, UnitState>,
    /// The tasks of the units that have participants.
    tasks: HashMap<UnitId, TaskKey>,
}

impl UnitTable {
    /// A task's unit, which begins if it has not begun.
    pub fn of(&mut self, task: TaskKey) -> &mut UnitState {
        self.units.entry(task).or_default()
    }

    /// A task's unit, if it has begun.
    pub fn get(&self, task: TaskKey) -> Option<&UnitState> {
        self.units.get(&task)
    }

    /// A task's unit, if it has begun.
    pub fn get_mut(&mut self, task: TaskKey) -> Option<&mut UnitState> {
        self.units.get_mut(&task)
    }

    /// A participant joins a task's unit, which gets a number with the first
    /// one.
    pub fn join(
        &mut self,
        task: TaskKey,
        participant: ParticipantId,
        number: impl FnOnce() -> UnitId,
    ) -> UnitId {
        let unit = self.units.entry(task).or_default();
        if !unit.participants.contains(&participant) {
            unit.participants.push(participant);
        }
        let id = *unit.id.get_or_insert_with(number);
        self.tasks.insert(id, task);
        id
    }

    /// A participant has no changes for a task's unit after all.
    pub fn leave(&mut self, task: TaskKey, participant: ParticipantId) {
        let unit = self.units.get_mut(&task);
        let Some(unit) = unit.filter(|unit| unit.phase == UnitPhase::Active) else {
            return;
        };
        unit.participants.retain(|p| *p != participant);
        if unit.decider.as_ref().map(|d| d.participant) == Some(participant) {
            unit.decider = None;
        }
        if unit.participants.is_empty()
            && let Some(id) = unit.id.take()
        {
            self.tasks.remove(&id);
        }
    }

    /// All units, by the keys of their tasks.
    pub fn each(&self) -> impl Iterator<Item = (TaskKey, &UnitState)> {
        self.units.iter().map(|(key, unit)| (*key, unit))
    }

    /// Adds a unit without a task.
    pub fn put(&mut self, key: TaskKey, unit: UnitState) {
        if let Some(id) = unit.id {
            self.tasks.insert(id, key);
        }
        self.units.insert(key, unit);
    }

    /// The task whose unit is under way under a number.
    pub fn task_of(&self, unit: UnitId) -> Option<TaskKey> {
        self.tasks.get(&unit).copied()
    }

    /// Forgets a task's unit.
    pub fn remove(&mut self, task: TaskKey) -> Option<UnitState> {
        let unit = self.units.remove(&task)?;
        if let Some(id) = unit.id {
            self.tasks.remove(&id);
        }
        Some(unit)
    }

    /// True when no task has a unit.
    #[cfg(any(test, feature = "sim"))]
    pub fn is_empty(&self) -> bool {
        self.units.is_empty()
    }
}
