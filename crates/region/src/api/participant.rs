//! Participants in units of work beside the region's store: a data base, a
//! remote partner.

use std::sync::Arc;

use crate::core::TaskKey;
use crate::kernel::{Order, ParticipantId, UnitId};
use crate::shell::Shared;

/// Somebody who has changed something for a task and commits with it.
///
/// What it has prepared it keeps until it hears of the end, also when it, the
/// way to it or the region is away meanwhile. When it is there again, and
/// before it takes new orders, it says what it has prepared
/// ([`crate::Handle::in_doubt`]) and is told.
pub trait Participant: Send + Sync {
    /// Its name, by which the region knows it again after a restart; at most
    /// 255 bytes.
    fn name(&self) -> &str;

    /// Whether it can commit in one phase and say afterwards, whatever happened
    /// meanwhile, what became of that. One that cannot prepares always.
    fn commits_alone(&self) -> bool {
        true
    }

    /// A unit of work is to be prepared, committed or backed out. It must not
    /// wait: what takes time is done elsewhere, and `vote` given back then. A
    /// vote that is dropped is a no.
    ///
    /// After a no to a prepare or to a commit in one phase the program is told
    /// that its unit was backed out. So who has lost its partner while that
    /// committed in one phase first asks it what became of the unit
    /// (PostgreSQL: `pg_xact_status`), and votes then.
    fn order(&self, unit: UnitId, order: Order, vote: Vote);
}

/// The unit of work of a task that runs, for those who change something for it.
#[derive(Clone)]
pub struct TaskUnit {
    shared: Arc<Shared>,
    task: TaskKey,
}

impl TaskUnit {
    pub(crate) fn new(shared: Arc<Shared>, task: TaskKey) -> TaskUnit {
        TaskUnit { shared, task }
    }

    /// A participant changes something for the task: the unit of work that this
    /// is part of. None when the task is over or shall end.
    pub fn join(&self, participant: ParticipantId) -> Option<UnitId> {
        self.shared.join_unit(self.task, participant)
    }

    /// It has changed nothing after all, and is told nothing.
    pub fn leave(&self, participant: ParticipantId) {
        self.shared.leave_unit(self.task, participant);
    }
}

impl std::fmt::Debug for TaskUnit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("TaskUnit").field(&self.task).finish()
    }
}

/// A participant's answer to an order, given once.
pub struct Vote {
    shared: Arc<Shared>,
    /// What it is about, unless it is given or nobody waits for it.
    on: Option<(UnitId, ParticipantId)>,
}

impl Vote {
    /// For an order; `counts` when it is to be answered.
    pub(crate) fn new(
        shared: &Arc<Shared>,
        unit: UnitId,
        participant: ParticipantId,
        counts: bool,
    ) -> Self {
        Vote {
            shared: shared.clone(),
            on: counts.then_some((unit, participant)),
        }
    }

    /// The order was carried out, or can be.
    pub fn yes(mut self) {
        self.give(true);
    }

    fn give(&mut self, yes: bool) {
        if let Some((unit, participant)) = self.on.take() {
            self.shared.voted(unit, participant, yes);
        }
    }
}

impl Drop for Vote {
    fn drop(&mut self) {
        self.give(false);
    }
}
