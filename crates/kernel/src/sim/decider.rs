//! A participant that decides units: a data base whose sessions live in workers.
//!
//! The participant dies, or loses its connections, its reply to a commit, or a commit
//! in transit. It keeps the committed changes with the tokens of the units until the
//! kernel lets it forget them.
//!
//! Rules: once nothing is in doubt, store and decider both have the changes of a unit,
//! or neither has; the kernel asks for no outcome that may be forgotten.

use std::collections::{BTreeMap, BTreeSet};

use super::SimWorld;
use super::model::ModelChange;
use super::terminals::Conversation;
use crate::core::TaskKey;
use crate::kernel::{Order, ParticipantId, UnitId, UnitToken};
use crate::resources::Kernel;

/// The name of the participant.
const NAME: &str = "decider";

/// A data base.
#[derive(Debug, Default)]
pub struct SimDecider {
    /// Deposits of units that it has committed, by the ledger's number.
    pub deposits: BTreeMap<u64, i64>,
    /// Committed units whose outcome the kernel may ask for.
    committed: BTreeSet<UnitToken>,
    forgotten: BTreeSet<UnitToken>,
    /// Open transactions.
    sessions: BTreeMap<UnitId, Session>,
    /// Commits in transit, of lost connections.
    in_flight: Vec<(UnitToken, Session)>,
    /// Orders and questions without a reply yet.
    pending_calls: Vec<(UnitId, DeciderCall)>,
    /// The participant cannot be reached.
    pub away: bool,
}

/// A transaction.
#[derive(Debug, Clone, Copy)]
pub struct Session {
    /// The worker that has the connection.
    worker: usize,
    /// The ledger's number; 0 until something is deposited.
    unit: u64,
    amount: i64,
    /// The connection is lost, and the changes with it.
    broken: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DeciderCall {
    Commit(UnitToken),
    OnePhase,
    Outcome(UnitToken),
}

/// The changes of a unit except files whose decider got the order to commit, and the unit's task.
#[derive(Debug, Clone)]
pub struct DecidingUnit {
    /// The task of the unit, while it waits.
    pub task: TaskKey,
    /// The ledger's number.
    pub unit: Option<u64>,
    /// Changes to queues and requests.
    pub changes: Vec<ModelChange>,
    /// The START that started the task.
    pub request: Option<u64>,
    /// The unit's change to the data saved at the terminal of its task.
    pub conversation: Option<Conversation>,
}

impl DecidingUnit {
    /// Whether no task may begin at a terminal: the unit is in doubt, its task has ended, and
    /// the unit changes the data saved there.
    pub fn holds(&self, at: usize) -> bool {
        let changes = self.conversation.is_some_and(|c| c.at == at);
        self.task == TaskKey::NO_TASK && changes
    }
}

impl SimDecider {
    /// Whether no work is left.
    pub fn rests(&self) -> bool {
        self.sessions.is_empty() && self.in_flight.is_empty() && self.pending_calls.is_empty()
    }

    fn commit(&mut self, session: Session, token: Option<UnitToken>) {
        self.committed.extend(token);
        if session.unit == 0 {
            return;
        }
        let before = self.deposits.insert(session.unit, session.amount);
        assert!(before.is_none(), "deposit {} comes twice", session.unit);
    }

    /// All connections are lost, or those of one worker.
    fn disconnect(&mut self, worker: Option<usize>) {
        for session in self.sessions.values_mut() {
            session.broken |= worker.is_none_or(|worker| session.worker == worker);
        }
    }
}

impl SimWorld {
    /// Deposits in a task's unit at the decider; false when that cannot be.
    pub(super) fn deposit_at_decider(&mut self, key: TaskKey, unit: u64, amount: i64) -> bool {
        let Some(session) = self.join_decider(key) else {
            return false;
        };
        session.unit = unit;
        session.amount += amount;
        !session.broken
    }

    /// The decider joins a task's unit; none when that cannot be.
    pub(super) fn join_decider(&mut self, key: TaskKey) -> Option<&mut Session> {
        let worker = self.core.runs_in(key).filter(|_| !self.decider.away)?;
        let caller = self.core.task(key)?.caller(key);
        let mut token = [0; 16];
        self.last_token += 1;
        token[..8].copy_from_slice(&self.last_token.to_be_bytes());
        token[8..].copy_from_slice(&self.random.below(1 << 31).to_be_bytes());
        let joined = self.kernel(|k, now, out| {
            let decider = decider(k);
            k.join_decider(now, &caller, decider, UnitToken(token), out)
        });
        let id = joined.expect("the only decider");
        let sessions = &mut self.decider.sessions;
        Some(sessions.entry(id).or_insert(Session {
            worker,
            unit: 0,
            amount: 0,
            broken: false,
        }))
    }

    /// Takes an order of the kernel that is also given to other participants; false if the
    /// order is for another participant.
    pub(super) fn order_decider(&mut self, id: UnitId, to: ParticipantId, order: Order) -> bool {
        if decider(&mut self.kernel) != to {
            return false;
        }
        match order {
            Order::BackOut => drop(self.decider.sessions.remove(&id)),
            Order::CommitOnePhase => self.decider.pending_calls.push((id, DeciderCall::OnePhase)),
            Order::Prepare | Order::Commit => unreachable!("it cannot prepare"),
        }
        true
    }

    /// Orders the decider to commit: the task's changes are in doubt from now on.
    pub(super) fn begin_decision(&mut self, id: UnitId, token: UnitToken) {
        self.decider
            .pending_calls
            .push((id, DeciderCall::Commit(token)));
        let task = self.kernel.task_of(id).expect("a unit that is under way");
        let start = self.core.task(task).and_then(|task| task.start);
        let returned = self.tasks.get(&task).and_then(|of| of.returned);
        let conversation = start.and_then(|start| self.terminals.changed_by(start, returned));
        if let Some(of) = self.tasks.get_mut(&task) {
            let deciding = DecidingUnit {
                task,
                unit: of.unit.take(),
                changes: std::mem::take(&mut of.changes),
                request: of.request,
                conversation,
            };
            self.model.deciding.insert(id, deciding);
        }
    }

    /// Asks the decider for the outcome of a unit.
    pub(super) fn ask_decider(&mut self, id: UnitId, token: UnitToken) {
        let forgotten = self.decider.forgotten.contains(&token);
        assert!(!forgotten, "unit {id} is asked for and may be forgotten");
        self.decider
            .pending_calls
            .push((id, DeciderCall::Outcome(token)));
    }

    /// Lets the decider forget a unit.
    pub(super) fn decider_forgets(&mut self, token: UnitToken) {
        assert!(self.decider.committed.remove(&token), "nothing to forget");
        self.decider.forgotten.insert(token);
    }

    /// One step of the decider: a reply to an order, or the arrival of a commit in transit.
    pub(super) fn decider_acts(&mut self, calm: bool) {
        if calm {
            self.decider.away = false;
        }
        if self.random.one_in(3)
            && !self.decider.away
            && let Some((token, session)) = self.random.take(&mut self.decider.in_flight)
        {
            self.arrives(token, session);
            return;
        }
        let Some((id, asked)) = self.random.take(&mut self.decider.pending_calls) else {
            return;
        };
        let reply = match asked {
            DeciderCall::Commit(token) => self.decider_commits(id, token, calm),
            DeciderCall::Outcome(token) => self.decider_outcome(id, token),
            DeciderCall::OnePhase => {
                let session = self.decider.sessions.remove(&id);
                let session = session.filter(|s| !s.broken && !self.decider.away);
                let committed = session.map(|session| self.decider.commit(session, None));
                let to = decider(&mut self.kernel);
                self.kernel(|k, now, out| k.voted(now, id, to, committed.is_some(), out));
                return;
            }
        };
        if reply == Some(false)
            && let Some(deciding) = self.model.deciding.remove(&id)
        {
            self.terminals.settled(&deciding, false);
            self.model.back_out(&deciding.changes);
            self.report.backed_out += u64::from(deciding.unit.is_some());
            self.refused.extend(deciding.unit);
        }
        self.report.unknown += u64::from(reply.is_none());
        let to = decider(&mut self.kernel);
        self.kernel(|k, now, out| k.outcome_known(now, id, to, reply, out));
    }

    /// The arrival of a commit that was sent before its connection was lost.
    fn arrives(&mut self, token: UnitToken, session: Session) {
        if self.random.one_in(2) {
            self.decider.commit(session, Some(token));
        }
    }

    fn decider_commits(&mut self, id: UnitId, token: UnitToken, calm: bool) -> Option<bool> {
        let session = self.decider.sessions.remove(&id);
        let lost = !calm && self.random.one_in(2);
        let Some(session) = session.filter(|s| !s.broken && !self.decider.away) else {
            // Its connection was lost before: it is certain, or not.
            return (!lost).then_some(false);
        };
        if !calm && self.random.one_in(6) {
            return (!lost).then_some(false);
        }
        if lost && self.random.one_in(2) {
            self.decider.in_flight.push((token, session));
            return None;
        }
        self.decider.commit(session, Some(token));
        (!lost).then_some(true)
    }

    fn decider_outcome(&mut self, id: UnitId, token: UnitToken) -> Option<bool> {
        if self.decider.away {
            return None;
        }
        // Open transactions and commits in transit end first: the reply is final.
        self.decider.sessions.remove(&id);
        let on_its_way = |(of, _): &(UnitToken, Session)| *of == token;
        if let Some(at) = self.decider.in_flight.iter().position(on_its_way) {
            let (token, session) = self.decider.in_flight.remove(at);
            self.arrives(token, session);
        }
        Some(self.decider.committed.contains(&token))
    }

    /// The decider dies, loses all connections, or returns.
    pub(super) fn decider_moves(&mut self, here: bool) {
        self.decider.away = !here;
        if here {
            let to = decider(&mut self.kernel);
            self.kernel(|k, _, out| k.decider_returned(to, out));
        } else {
            self.report.vanished += 1;
            self.decider.disconnect(None);
        }
    }

    /// A worker died, and its connections are lost.
    pub(super) fn decider_loses(&mut self, worker: usize) {
        self.decider.disconnect(Some(worker));
    }

    /// The region died: commits in transit arrive or not, and all other units are backed out.
    pub(super) fn region_left_decider(&mut self) {
        for (id, asked) in std::mem::take(&mut self.decider.pending_calls) {
            if let DeciderCall::Commit(token) = asked
                && let Some(session) = self.decider.sessions.remove(&id)
                && !session.broken
                && !self.decider.away
                && self.random.one_in(2)
            {
                self.decider.in_flight.push((token, session));
            }
        }
        self.decider.sessions.clear();
        for deciding in self.model.deciding.values_mut() {
            deciding.task = TaskKey::NO_TASK;
            if let Some(conversation) = &mut deciding.conversation {
                conversation.region_died();
            }
        }
    }

    /// The store has applied a unit.
    pub(super) fn unit_applied(&mut self, id: UnitId) {
        let Some(deciding) = self.model.deciding.remove(&id) else {
            return;
        };
        self.terminals.settled(&deciding, true);
        self.model.commit(&deciding.changes);
        if let Some(unit) = deciding.unit {
            self.report.committed += 1;
            self.report.decided += 1;
            self.acknowledged.insert(unit);
        }
        if let Some(number) = deciding.request {
            self.model.done(number);
        }
    }

    /// Checks that the unit of a task with a response is not in doubt.
    pub(super) fn must_be_decided(&self, key: TaskKey) {
        let mut all = self.model.deciding.values();
        assert!(all.all(|d| d.task != key), "answered while it is in doubt");
    }

    /// A task has ended; its unit may be in doubt.
    pub(super) fn deciding_without(&mut self, key: TaskKey) {
        for deciding in self.model.deciding.values_mut() {
            if deciding.task == key {
                deciding.task = TaskKey::NO_TASK;
            }
        }
    }
}

/// The decider's number: it depends on who came first in this life of the region.
fn decider(kernel: &mut Kernel) -> ParticipantId {
    let id = kernel.participant(NAME);
    kernel.set_decider(id, false);
    id
}
