//! Units of work: what one task has changed and not committed yet.
//!
//! Files and everything else that the region keeps are in one store, so their
//! changes are one part of the unit, which one transaction of the store takes
//! over. Other participants (a data base, a remote partner) join by name.

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
    /// What its participants know it by, once there is one.
    pub id: Option<UnitId>,
    /// Participants beside the store, in the order they joined.
    pub participants: Vec<ParticipantId>,
    /// The one of them that decides, and how it knows the unit.
    pub decider: Option<Box<DeciderPart>>,
    /// How far its end has come.
    pub phase: UnitPhase,
    /// When the committer got changes that it has not answered.
    pub commit_began: Option<u64>,
    /// The task has ended, and how it is told from others.
    pub end: Option<CallingTask>,
    /// How a coordinator elsewhere knows it, once that has it prepared, and the
    /// task that it is of.
    pub branch: Option<BranchId>,
    pub caller: Option<CallingTask>,
}

/// How far the end of a unit has come.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum UnitPhase {
    /// Its task works on.
    #[default]
    Active,
    /// Participants make sure that they can commit.
    Preparing {
        /// Those who have not answered.
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
    /// A record of it is going to the store; then another participant decides.
    Securing {
        /// The task ends with the unit.
        then: UnitContinuation,
    },
    /// The participant that decides was told to commit, or is asked whether it
    /// has.
    AwaitingDecider {
        /// The task ends with the unit.
        then: UnitContinuation,
    },
    /// That has committed, and the store applies.
    Applying {
        /// The task ends with the unit.
        then: UnitContinuation,
    },
    /// A record of it is going to the store.
    Recording,
    /// It waits for its coordinator.
    Prepared,
    /// It is committed, and those who are waited for have not said that they
    /// have committed, or cannot be reached.
    Committing {
        /// Those.
        missing: Vec<ParticipantId>,
        /// The task ends with the unit.
        then: UnitContinuation,
    },
    /// The only participant commits.
    OnePhase {
        /// The task ends with the unit.
        then: UnitContinuation,
        /// When it cannot be reached: how long the task waits to hear of it.
        limit: Option<TimerId>,
    },
}

/// What follows the end of a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnitContinuation {
    /// The task's SYNCPOINT is answered.
    Syncpoint,
    /// The task is over.
    EndTask,
    /// The task is told whether its unit is prepared.
    Prepare,
    /// The coordinator of the branch is told.
    Settle,
    /// Its task was answered that the unit is in doubt, or is of an earlier life
    /// of the region.
    Detached,
}

impl UnitState {
    /// True when there is nothing to commit.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty() && self.participants.is_empty()
    }

    /// The committer has nothing of it any more; gives the nanoseconds since it
    /// got it, 0 when it got nothing.
    pub fn commit_took(&mut self, now: u64) -> u64 {
        let began = self.commit_began.take();
        began.map_or(0, |began| now.saturating_sub(began))
    }

    /// True while somebody else decides over it.
    pub fn is_busy(&self) -> bool {
        self.commit_began.is_some() || self.phase != UnitPhase::Active
    }
}

/// The units of all tasks.
#[derive(Debug, Default)]
pub struct UnitTable {
    units: HashMap<TaskKey, UnitState>,
    /// Whose those are that have participants.
    tasks: HashMap<UnitId, TaskKey>,
}

impl UnitTable {
    /// A task's unit, begun if there is none.
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

    /// A participant has changed nothing for a task's unit after all.
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

    /// Takes over a unit of no task.
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
