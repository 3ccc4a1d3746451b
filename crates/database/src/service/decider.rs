//! The participant: the server decides units of work.
//!
//! Before a commit the waiting worker reads what held cursors still have. Then the
//! region sends what decides over its own copy of the connection. At the end of a
//! task the worker does not wait, and nothing is asked of it.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use cics::resp::Condition;
use region::{
    Order, OutcomeReply, ParticipantRole, ParticipantVote, UnitId, UnitParticipant, UnitToken,
    WorkerReply, WorkerRequest, WorkerRequestError,
};
use runtime::sql::lending::SQL_SETTLE;

use super::ServiceState;
use crate::pool::{UnitSession, UnitUse};
use crate::settle::{self, UnitSettlement};

/// The name by which the region knows the participant after a restart.
pub const NAME: &str = "SQL";

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
                let inner = self.0.clone();
                self.0.settle(in_use, move |in_use, may_commit| {
                    inner.commit_one_phase(*in_use, may_commit, vote);
                });
            }
            // A statement never got its session: nothing is changed.
            (Order::CommitOnePhase, None | Some(UnitSession::Opening)) => vote.yes(),
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
        let Some(UnitSession::Ready(in_use)) = taken else {
            // COMMIT was not sent.
            return reply.backed_out();
        };
        let inner = self.0.clone();
        self.0.settle(in_use, move |in_use, may_commit| {
            inner.commit_with_token(*in_use, may_commit, token, reply);
        });
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
        let (inner, tokens) = (self.0.clone(), tokens.to_vec());
        self.0
            .outcome_queries
            .run(move || inner.desk.forget(&tokens));
    }
}

impl ServiceState {
    /// Has the worker read what held cursors have, and calls `then` on a thread that
    /// may wait: with true if the unit may commit.
    fn settle(
        self: &Arc<Self>,
        in_use: Box<UnitUse>,
        then: impl FnOnce(Box<UnitUse>, bool) + Send + 'static,
    ) {
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

    fn commit_one_phase(
        self: &Arc<Self>,
        mut in_use: UnitUse,
        may_commit: bool,
        vote: ParticipantVote,
    ) {
        if !may_commit {
            self.back_out_now(in_use);
            return;
        }
        match settle::commit_one_phase(&mut in_use.session.connection) {
            UnitSettlement::Committed => {
                self.counts.committed.fetch_add(1, Ordering::Relaxed);
                self.give_back(in_use);
                vote.yes();
            }
            UnitSettlement::RolledBack => {
                self.counts.rolled_back.fetch_add(1, Ordering::Relaxed);
                self.give_back(in_use);
            }
            UnitSettlement::Unknown(number) => {
                self.counts.unknown.fetch_add(1, Ordering::Relaxed);
                self.close(in_use.session);
                vote.unsure();
                let outcome = number.and_then(|number| self.desk.ask_transaction(&number));
                if outcome == Some(true) {
                    vote.yes();
                }
            }
        }
    }

    fn commit_with_token(
        self: &Arc<Self>,
        mut in_use: UnitUse,
        may_commit: bool,
        token: UnitToken,
        reply: OutcomeReply,
    ) {
        if !may_commit {
            self.back_out_now(in_use);
            return reply.backed_out();
        }
        match settle::commit_with_token(&mut in_use.session.connection, token) {
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
            // The dropped reply has the region ask for the outcome.
            UnitSettlement::Unknown(_) => {
                self.counts.unknown.fetch_add(1, Ordering::Relaxed);
                self.close(in_use.session);
            }
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
        // would go on with that, and keep its locks.
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
