//! Units of work of this region in which other regions take part over `ipconn`; this
//! region is the coordinator.
//!
//! A program links to another region without SYNCONRETURN. If that region changes or
//! locks something, it is a participant of the program's unit. Whenever the connection
//! to it is made, it is asked for the units that it has prepared, and gets the decision
//! for each. Format: `docs/internals/ipconn.md`.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use ipconn::wire::{InUnit, OfUnit, ReplyMessage, UnitStep};
use ipconn::{
    BranchCoordinator, ConnectionDirectory, MessageSubject, OpenCallback, OrderOutcome,
    RegionCaller, ReplyOutcome, UnitMessage,
};
use region::{
    CallFailure, Handle, Order, ParticipantId, ParticipantVote, TaskUnit, UnitId, UnitParticipant,
};

/// The regions that take part in units of this region; cheap to clone.
#[derive(Clone, Default)]
pub struct Coordinator(Arc<CoordinatorState>);

#[derive(Default)]
struct CoordinatorState {
    region: OnceLock<Handle>,
    calls: OnceLock<(ConnectionDirectory, RegionCaller)>,
    /// By connection and region: a connection may lead to another region later.
    remotes: Mutex<HashMap<(String, String), Arc<RemoteParticipant>>>,
}

/// A participating region, reached by one connection.
pub struct RemoteParticipant {
    name: String,
    connection: String,
    id: OnceLock<ParticipantId>,
    caller: RegionCaller,
    region: Handle,
    units: Mutex<BranchCoordinator>,
    /// The votes for orders that it has not answered.
    votes: Mutex<HashMap<UnitId, ParticipantVote>>,
}

/// Why a LINK cannot be part of a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotJoined {
    /// The region is not connected.
    Unreachable,
    /// The task has ended, or is being ended.
    Ending,
}

/// A LINK that is part of a unit.
pub struct JoinedLink {
    remote: Arc<RemoteParticipant>,
    task: TaskUnit,
    unit: UnitId,
    of: OfUnit,
}

impl std::fmt::Debug for Coordinator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Coordinator")
    }
}

impl Coordinator {
    /// The callback for connections that are made.
    pub fn opened(&self) -> OpenCallback {
        let inner = Arc::downgrade(&self.0);
        Arc::new(move |connection, applid| {
            if let Some(remote) = CoordinatorState::remote(&inner, connection, applid) {
                remote.resync();
            }
        })
    }

    /// Sets the connections and the caller.
    pub fn calls(&self, directory: ConnectionDirectory, caller: RegionCaller) {
        let _ = self.0.calls.set((directory, caller));
    }

    /// The region has started: the units that others have prepared for it are decided.
    pub fn start(&self, region: Handle) {
        if self.0.region.set(region).is_err() {
            return;
        }
        let Some((directory, _)) = self.0.calls.get() else {
            return;
        };
        for connection in directory.connections() {
            if connection.lanes > 0 {
                let opened = self.opened();
                opened(&connection.name, &connection.applid);
            }
        }
    }

    /// Makes a LINK of a task over a connection part of the task's unit.
    pub fn join(&self, connection: &str, task: &TaskUnit) -> Result<JoinedLink, NotJoined> {
        let directory = self.0.calls.get().map(|(directory, _)| directory);
        let applid = directory.and_then(|directory| directory.applid(connection));
        let applid = applid.ok_or(NotJoined::Unreachable)?;
        let remote = CoordinatorState::remote(&Arc::downgrade(&self.0), connection, &applid);
        let remote = remote.ok_or(NotJoined::Unreachable)?;
        remote.join(task).ok_or(NotJoined::Ending)
    }
}

impl CoordinatorState {
    fn remote(
        inner: &Weak<CoordinatorState>,
        connection: &str,
        applid: &str,
    ) -> Option<Arc<RemoteParticipant>> {
        let inner = inner.upgrade()?;
        let (directory, caller) = inner.calls.get()?;
        let region = inner.region.get()?;
        let link = directory.sysid(connection)?.parse().ok()?;
        let mut remotes = lock(&inner.remotes);
        let key = (connection.to_owned(), applid.to_owned());
        let remote = remotes.entry(key).or_insert_with(|| {
            let remote = Arc::new(RemoteParticipant {
                name: format!("ipconn {connection} {applid}"),
                connection: connection.to_owned(),
                id: OnceLock::new(),
                caller: caller.clone(),
                region: region.clone(),
                units: Mutex::new(BranchCoordinator::new(link, region.units_after())),
                votes: Mutex::default(),
            });
            let id = region.add_participant(Arc::new(ParticipantOrders(remote.clone())));
            let _ = remote.id.set(id);
            remote
        });
        Some(remote.clone())
    }
}

impl RemoteParticipant {
    fn join(self: &Arc<Self>, task: &TaskUnit) -> Option<JoinedLink> {
        let unit = task.join(*self.id.get()?).ok()?;
        let of = lock(&self.units).join(unit.0);
        Some(JoinedLink {
            remote: self.clone(),
            task: task.clone(),
            unit,
            of,
        })
    }

    /// Asks for the units that are prepared there, and for the outcome of those that the
    /// region was to commit in one phase.
    fn resync(self: &Arc<Self>) {
        let messages = lock(&self.units).connected();
        for message in messages {
            self.send(message);
        }
    }

    fn send(self: &Arc<Self>, message: UnitMessage) {
        let (remote, about) = (self.clone(), message.about);
        let answer = move |reply: Result<ReplyMessage, CallFailure>| remote.replied(about, &reply);
        self.caller
            .send_request(&self.connection, message.bytes, Box::new(answer));
    }

    fn replied(self: &Arc<Self>, about: MessageSubject, reply: &Result<ReplyMessage, CallFailure>) {
        let reply = reply.as_ref().map(|reply| (&reply.head, reply.commarea()));
        let replied = lock(&self.units).replied(about, reply);
        match replied {
            ReplyOutcome::Vote(unit, yes) => {
                let vote = lock(&self.votes).remove(&UnitId(unit));
                if let Some(vote) = vote.filter(|_| yes) {
                    vote.yes();
                }
            }
            ReplyOutcome::Unsure(unit, question) => {
                if let Some(vote) = lock(&self.votes).get(&UnitId(unit)) {
                    vote.unsure();
                }
                tracing::info!(
                    "{}: asking for the outcome of the unit {}",
                    self.name,
                    UnitId(unit)
                );
                self.send(question);
            }
            ReplyOutcome::Again(message) => self.send(message),
            ReplyOutcome::InDoubt(units) => {
                let units: Vec<UnitId> = units.into_iter().map(UnitId).collect();
                if !units.is_empty() {
                    let count = units.len();
                    tracing::info!("{}: {count} units of work are in doubt there", self.name);
                }
                if let Some(id) = self.id.get() {
                    self.region.in_doubt(*id, &units);
                }
            }
            ReplyOutcome::Nothing => {}
        }
    }
}

/// The orders that the region sends to a [`RemoteParticipant`].
struct ParticipantOrders(Arc<RemoteParticipant>);

impl UnitParticipant for ParticipantOrders {
    fn name(&self) -> &str {
        &self.0.name
    }

    fn is_waited_for(&self) -> bool {
        true
    }

    fn order(&self, unit: UnitId, order: Order, vote: ParticipantVote) {
        let remote = &self.0;
        let ordered = lock(&remote.units).order(unit.0, order);
        // A dropped vote counts as a no.
        if let OrderOutcome::Send(message) = ordered {
            let before = lock(&remote.votes).insert(unit, vote);
            drop(before);
            remote.send(message);
        }
    }
}

impl JoinedLink {
    /// The unit's part of the request.
    pub fn of_unit(&self) -> OfUnit {
        self.of
    }

    /// Whether the unit's earlier changes there are lost: the LINK must fail.
    pub fn is_lost(&self) -> bool {
        lock(&self.remote.units).is_lost(self.unit.0)
    }

    /// The reply reports whether the unit has changes there now.
    pub fn answered(&self, in_unit: InUnit) {
        let takes_part = lock(&self.remote.units).linked(self.unit.0, self.before(), in_unit);
        self.leave_unless(takes_part);
    }

    /// The request was not accepted: the unit's changes are as before.
    pub fn not_taken(&self) {
        let takes_part = lock(&self.remote.units).not_taken(self.unit.0, self.before());
        self.leave_unless(takes_part);
    }

    /// The outcome of the request is unknown.
    pub fn lost(&self) {
        lock(&self.remote.units).lost(self.unit.0);
    }

    fn before(&self) -> u32 {
        match self.of.step {
            UnitStep::Link(before) => before,
            _ => 0,
        }
    }

    fn leave_unless(&self, takes_part: bool) {
        if let Some(id) = self.remote.id.get().filter(|_| !takes_part) {
            self.task.leave(*id);
        }
    }
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}
