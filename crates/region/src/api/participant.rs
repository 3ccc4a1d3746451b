//! Participants in units of work in addition to the region's store: a data base, a
//! remote partner.

use std::os::fd::OwnedFd;
use std::sync::Arc;

use crate::api::{LentDescriptor, RegionHost, WorkerReply, WorkerRequest, WorkerRequestError};
use kernel::core::TaskKey;
use kernel::{Order, ParticipantId, UnitId, UnitToken};

/// A resource that has changed something for a task and commits with it.
///
/// The participant keeps what it has prepared until the region reports the unit's end, also
/// when the participant, its connection or the region fails meanwhile. After it
/// has returned, and before it accepts new orders, it reports its prepared units
/// ([`crate::Handle::in_doubt`]) and receives their ends.
pub trait UnitParticipant: Send + Sync {
    /// Its name, by which the region knows it again after a restart; at most
    /// 255 bytes.
    fn name(&self) -> &str;

    /// Whether a task continues only after the participant has committed its decided
    /// unit, or cannot be reached: the next reader at the participant shall see the change.
    fn is_waited_for(&self) -> bool {
        false
    }

    /// Orders to prepare, commit or back out a unit of work. The call must not
    /// wait: work that takes time is done elsewhere, and `vote` is given then. A
    /// vote that is dropped is a no.
    ///
    /// After a no to a prepare or to a commit in one phase the program receives
    /// ROLLEDBACK: its unit was backed out. A participant that loses its partner
    /// during a commit in one phase therefore calls [`ParticipantVote::unsure`],
    /// asks the partner for the unit's outcome (PostgreSQL: `pg_xact_status`), and
    /// votes then.
    fn order(&self, unit: UnitId, order: Order, vote: ParticipantVote);

    /// What the participant can do at the end of a unit with other participants.
    fn role(&self) -> ParticipantRole {
        ParticipantRole::Prepares
    }

    /// The decider commits: all other participants are prepared, and the store keeps the
    /// unit durably. The call must not wait. The token is part of what it commits,
    /// so that the decider can report the unit's outcome later.
    ///
    /// A reply that is dropped leaves the unit in doubt: [`UnitParticipant::outcome`]
    /// follows. A unit with changes of the decider alone comes as
    /// [`Order::CommitOnePhase`] instead.
    fn decide(&self, unit: UnitId, token: UnitToken, reply: OutcomeReply) {
        let _ = (unit, token);
        drop(reply);
    }

    /// Asks the decider for the outcome of a unit that it was, or may have been,
    /// ordered to commit. The reply is final: while the commit may still be under
    /// way, the decider waits for it or makes it impossible first. It may be asked
    /// more than once. A dropped reply means that the outcome is not known yet;
    /// the region asks again after a second.
    fn outcome(&self, unit: UnitId, token: UnitToken, reply: OutcomeReply) {
        let _ = (unit, token);
        drop(reply);
    }

    /// The decider is not asked for the outcome of these units any more.
    fn forget(&self, tokens: &[UnitToken]) {
        let _ = tokens;
    }
}

/// The abilities of a participant at the end of a unit of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParticipantRole {
    /// The participant prepares, and the store decides.
    Prepares,
    /// The participant decides the units that it joins, at most one a unit.
    Decides {
        /// The participant can prepare if a coordinator elsewhere decides.
        prepares: bool,
    },
}

/// Why a participant cannot join a unit of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum JoinError {
    /// The task is over, or shall end.
    #[error("the task is over or shall end")]
    Ending,
    /// Another participant decides the unit.
    #[error("another participant decides the unit of work")]
    SecondDecider,
    /// The unit is part of one of another region, and the participant can only
    /// decide.
    #[error("another region decides the unit of work, and the participant cannot prepare")]
    Branch,
}

/// A decider's reply whether a unit is committed, given once.
pub struct OutcomeReply {
    host: Arc<dyn RegionHost>,
    on: Option<(UnitId, ParticipantId)>,
}

impl OutcomeReply {
    pub(crate) fn new(host: Arc<dyn RegionHost>, unit: UnitId, participant: ParticipantId) -> Self {
        OutcomeReply {
            host,
            on: Some((unit, participant)),
        }
    }

    /// The unit is committed.
    pub fn committed(mut self) {
        self.give(Some(true));
    }

    /// The unit is backed out, and cannot be committed any more.
    pub fn backed_out(mut self) {
        self.give(Some(false));
    }

    fn give(&mut self, committed: Option<bool>) {
        if let Some((unit, participant)) = self.on.take() {
            self.host
                .clone()
                .outcome_replied(unit, participant, committed);
        }
    }
}

impl Drop for OutcomeReply {
    fn drop(&mut self) {
        self.give(None);
    }
}

impl std::fmt::Debug for OutcomeReply {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("OutcomeReply").field(&self.on).finish()
    }
}

/// The unit of work of a running task, for participants that change something for it.
#[derive(Clone)]
pub struct TaskUnit {
    host: Arc<dyn RegionHost>,
    task: TaskKey,
}

impl TaskUnit {
    pub(crate) fn new(host: Arc<dyn RegionHost>, task: TaskKey) -> TaskUnit {
        TaskUnit { host, task }
    }

    /// A participant changes something for the task. Returns the unit of work
    /// that this is part of.
    ///
    /// # Errors
    /// The task is over or shall end; or the participant decides, and the unit
    /// has a decider or is part of another region's.
    pub fn join(&self, participant: ParticipantId) -> Result<UnitId, JoinError> {
        self.host.clone().join(self.task, participant)
    }

    /// Lends the task's worker a descriptor: it has a copy when it is asked to
    /// take it ([`TaskUnit::ask_worker`]), or when it is answered.
    ///
    /// # Errors
    /// The task runs in no worker now, or the worker's socket is full.
    pub fn lend(&self, tag: u64, fd: OwnedFd) -> std::io::Result<LentDescriptor> {
        self.host.clone().lend(self.task, tag, fd)
    }

    /// Whether the task runs in the worker that has a descriptor.
    pub fn has(&self, descriptor: &LentDescriptor) -> bool {
        self.host.clone().runs_in(self.task, descriptor.worker())
    }

    /// Asks the task's worker to do something with a descriptor before its call is
    /// answered. Only for participants that have an order to reply to: nothing
    /// else may answer the task meanwhile. `done` is called once, from any thread.
    pub fn ask_worker(
        &self,
        request: &WorkerRequest,
        done: impl FnOnce(Result<WorkerReply, WorkerRequestError>) + Send + 'static,
    ) {
        let host = self.host.clone();
        host.ask_worker(self.task, None, request, Box::new(done));
    }

    /// Has all runs of the task go to the worker that it runs in now, until
    /// [`TaskUnit::unpin`] or the task's end. A task that is not an open task's run
    /// stays in its worker anyway. False when it runs in no worker.
    pub fn pin(&self) -> bool {
        self.host.clone().pin(self.task)
    }

    /// Lets runs of the task go to any worker again.
    pub fn unpin(&self) {
        self.host.clone().unpin(self.task);
    }

    /// The participant has changed nothing after all; it gets no further orders.
    pub fn leave(&self, participant: ParticipantId) {
        self.host.clone().leave(self.task, participant);
    }
}

impl std::fmt::Debug for TaskUnit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("TaskUnit").field(&self.task).finish()
    }
}

/// A participant's answer to an order, given once.
pub struct ParticipantVote {
    host: Arc<dyn RegionHost>,
    /// The unit and the participant; `None` once the vote is given or not awaited.
    on: Option<(UnitId, ParticipantId)>,
}

impl ParticipantVote {
    /// For an order; `counts` when it is to be answered.
    pub(crate) fn new(
        host: Arc<dyn RegionHost>,
        unit: UnitId,
        participant: ParticipantId,
        counts: bool,
    ) -> Self {
        ParticipantVote {
            host,
            on: counts.then_some((unit, participant)),
        }
    }

    /// The order was carried out, or can be.
    pub fn yes(mut self) {
        self.give(true);
    }

    /// The partner has begun to commit in one phase and cannot be reached. It is
    /// asked, and the vote given then; after some time the task ends with ASP7:
    /// the unit is in doubt.
    pub fn unsure(&self) {
        if let Some((unit, _)) = self.on {
            self.host.clone().unsure(unit);
        }
    }

    /// What became of the unit cannot be found out. After some time the task ends
    /// with ASP7: its unit is in doubt.
    pub fn never_known(mut self) {
        self.unsure();
        self.on = None;
    }

    fn give(&mut self, yes: bool) {
        if let Some((unit, participant)) = self.on.take() {
            self.host.clone().vote(unit, participant, yes);
        }
    }
}

impl Drop for ParticipantVote {
    fn drop(&mut self) {
        self.give(false);
    }
}
