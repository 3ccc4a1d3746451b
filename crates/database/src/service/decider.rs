//! The participant: the server decides units of work.
//!
//! Before a commit the waiting worker reads what held cursors still have, if it has
//! reported some. Then the region sends what decides over its own copy of the
//! connection. At the end of a task the worker does not wait, and nothing is asked of
//! it.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use cics::resp::Condition;
use region::{
    Order, OutcomeReply, ParticipantRole, ParticipantVote, UnitId, UnitParticipant, UnitToken,
    WorkerReply, WorkerRequest, WorkerRequestError,
};
use runtime::sql::lending::{DECIDER, SQL_SETTLE};

use super::ServiceState;
use crate::outcomes::FORGET_AFTER;
use crate::pool::{JobCommit, UnitSession, UnitUse};
use crate::settle::{self, CommitExchange, UnitSettlement};

/// The name by which the region knows the participant after a restart.
pub const NAME: &str = DECIDER;

/// The way of the region's participant.
pub struct ServiceDecider(pub(super) Arc<ServiceState>);

impl UnitParticipant for ServiceDecider {
    fn name(&self) -> &str {
        NAME
    }

    /// The end of a branch that the server could not carry out is ordered again.
    fn is_waited_for(&self) -> bool {
        true
    }

    fn role(&self) -> ParticipantRole {
        ParticipantRole::Decides {
            prepares: self.0.server.prepares(),
        }
    }

    fn order(&self, unit: UnitId, order: Order, vote: ParticipantVote) {
        let taken = self.0.lock().take_unit(unit);
        match (order, taken) {
            (Order::CommitOnePhase, Some(UnitSession::Ready(in_use))) => {
                self.0
                    .commit(in_use, UnitCommit::OnePhase, EndReply::Vote(vote));
            }
            // A statement never got its session: nothing is changed. A job whose unit has no
            // other changes commits by itself.
            (Order::CommitOnePhase, None | Some(UnitSession::Opening | UnitSession::OfJob(_))) => {
                vote.yes();
            }
            (Order::BackOut, Some(UnitSession::Ready(in_use))) => self.0.back_out(*in_use),
            // The unit is a branch of another region's.
            (Order::Prepare, Some(UnitSession::Ready(in_use))) => {
                let inner = self.0.clone();
                self.0.settle(in_use, move |in_use, may_commit| {
                    inner.prepare(*in_use, may_commit, unit, vote);
                });
            }
            (Order::Prepare, None | Some(UnitSession::Opening)) => vote.yes(),
            (Order::Commit, _) => self.0.end_prepared(unit, true, Some(vote)),
            (Order::BackOut, None) => self.0.end_prepared(unit, false, None),
            // A dropped vote is a no.
            _ => {}
        }
    }

    fn decide(&self, unit: UnitId, token: UnitToken, reply: OutcomeReply) {
        let taken = self.0.lock().take_unit(unit);
        match taken {
            Some(UnitSession::Ready(in_use)) => {
                let (commit, reply) = (UnitCommit::Token(token), EndReply::Outcome(reply));
                self.0.commit(in_use, commit, reply);
            }
            Some(UnitSession::OfJob(job)) => self.0.commit_job(job, token, reply),
            // COMMIT was not sent.
            _ => reply.backed_out(),
        }
    }

    fn outcome(&self, _: UnitId, token: UnitToken, reply: OutcomeReply) {
        let inner = self.0.clone();
        self.0
            .outcome_queries
            .run(move || match inner.desk.ask(token) {
                Some(true) => reply.committed(),
                Some(false) => reply.backed_out(),
                None => {}
            });
    }

    fn forget(&self, tokens: &[UnitToken]) {
        if self.0.desk.forget(tokens) {
            let inner = self.0.clone();
            self.0.deletes.run(move || {
                std::thread::sleep(FORGET_AFTER);
                inner.desk.delete_forgotten();
            });
        }
    }
}

/// What decides a unit.
#[derive(Debug, Clone, Copy)]
enum UnitCommit {
    /// The transaction alone.
    OnePhase,
    /// A row with the unit's number.
    Token(UnitToken),
}

/// Where the outcome of a unit goes.
enum EndReply {
    Vote(ParticipantVote),
    Outcome(OutcomeReply),
}

impl UnitCommit {
    fn begin(self, in_use: &mut UnitUse) -> CommitExchange {
        let connection = &mut in_use.session.connection;
        match self {
            UnitCommit::OnePhase => settle::begin_commit_one_phase(connection),
            UnitCommit::Token(token) => settle::begin_commit_with_token(connection, token),
        }
    }
}

impl EndReply {
    fn committed(self) {
        match self {
            EndReply::Vote(vote) => vote.yes(),
            EndReply::Outcome(reply) => reply.committed(),
        }
    }

    fn backed_out(self) {
        match self {
            // A dropped vote is a no.
            EndReply::Vote(vote) => drop(vote),
            EndReply::Outcome(reply) => reply.backed_out(),
        }
    }
}

impl ServiceState {
    /// Has the worker read what held cursors have, if it has reported some, and
    /// calls `then` on a thread that may wait: with true if the unit may commit.
    fn settle(
        self: &Arc<Self>,
        in_use: Box<UnitUse>,
        then: impl FnOnce(Box<UnitUse>, bool) + Send + 'static,
    ) {
        if !in_use.holds_cursors {
            return self.commits.run(move || then(in_use, true));
        }
        let request = WorkerRequest {
            work: SQL_SETTLE,
            tag: in_use.session.lent.tag(),
            args: [1, 0, 0, 0],
            data: Vec::new(),
        };
        let (unit, inner) = (in_use.unit.clone(), self.clone());
        unit.ask_worker(&request, move |reply| {
            inner.commits.run(move || then(in_use, may_commit(&reply)));
        });
    }

    /// Commits a unit. What is sent leaves on the calling thread, which does not
    /// wait: the server works while a thread for the answer wakes up.
    fn commit(self: &Arc<Self>, mut in_use: Box<UnitUse>, commit: UnitCommit, reply: EndReply) {
        let inner = self.clone();
        if in_use.holds_cursors {
            return self.settle(in_use, move |mut in_use, may_commit| {
                if may_commit {
                    let sent = commit.begin(&mut in_use);
                    inner.finish_commit(*in_use, sent, reply);
                } else {
                    inner.back_out_now(*in_use);
                    reply.backed_out();
                }
            });
        }
        let sent = commit.begin(&mut in_use);
        self.commits
            .run(move || inner.finish_commit(*in_use, sent, reply));
    }

    /// Has a batch job's session commit. A reply that is dropped has the region ask.
    fn commit_job(self: &Arc<Self>, job: JobCommit, token: UnitToken, reply: OutcomeReply) {
        let inner = self.clone();
        self.commits.run(move || match (job.0)(token) {
            Some(true) => {
                inner.counts.committed.fetch_add(1, Ordering::Relaxed);
                reply.committed();
            }
            Some(false) => {
                inner.counts.rolled_back.fetch_add(1, Ordering::Relaxed);
                reply.backed_out();
            }
            None => {
                inner.counts.unknown.fetch_add(1, Ordering::Relaxed);
            }
        });
    }

    /// Waits for the outcome of a commit that was sent.
    fn finish_commit(self: &Arc<Self>, mut in_use: UnitUse, sent: CommitExchange, reply: EndReply) {
        match sent.finish(&mut in_use.session.connection) {
            UnitSettlement::Committed => {
                self.counts.committed.fetch_add(1, Ordering::Relaxed);
                self.give_back(in_use);
                reply.committed();
            }
            UnitSettlement::RolledBack => {
                self.counts.rolled_back.fetch_add(1, Ordering::Relaxed);
                self.give_back(in_use);
                reply.backed_out();
            }
            UnitSettlement::Unknown(number) => {
                self.counts.unknown.fetch_add(1, Ordering::Relaxed);
                self.close(in_use.session);
                self.ask_for_outcome(number, reply);
            }
        }
    }

    /// The connection failed within a commit.
    fn ask_for_outcome(&self, number: Option<String>, reply: EndReply) {
        let vote = match reply {
            EndReply::Vote(vote) => vote,
            // The dropped reply has the region ask for the outcome.
            EndReply::Outcome(_) => return,
        };
        vote.unsure();
        match number.map(|number| self.desk.ask_transaction(&number)) {
            Some(Some(true)) => vote.yes(),
            Some(_) => {}
            None => vote.never_known(),
        }
    }

    /// A unit is backed out, and nothing waits for that.
    fn back_out(self: &Arc<Self>, in_use: UnitUse) {
        let inner = self.clone();
        self.commits.run(move || inner.back_out_now(in_use));
    }

    pub(super) fn back_out_now(self: &Arc<Self>, mut in_use: UnitUse) {
        self.counts.rolled_back.fetch_add(1, Ordering::Relaxed);
        if in_use.session.lent.worker_is_there() {
            settle::roll_back(&mut in_use.session.connection);
            return self.give_back(in_use);
        }
        // The worker died, perhaps within a message or a statement: the server
        // would continue with that, and keep its locks.
        if let Some(key) = in_use.session.connection.cancel_key() {
            self.server.cancel(key);
        }
        self.close(in_use.session);
    }

    /// The session goes back to the pool, unless a late CancelRequest could hit its
    /// next task.
    pub(super) fn give_back(self: &Arc<Self>, in_use: UnitUse) {
        in_use.unit.unpin();
        if in_use.is_cancelled {
            self.close(in_use.session);
        } else {
            self.check_in(in_use.session);
        }
    }
}

/// Whether the worker lets its unit commit. One that does not wait has nothing to
/// read.
fn may_commit(reply: &Result<WorkerReply, WorkerRequestError>) -> bool {
    match reply {
        Ok(reply) => reply.condition == Condition::Normal,
        Err(WorkerRequestError::Busy | WorkerRequestError::Gone) => true,
    }
}
