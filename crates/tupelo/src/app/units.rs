//! Units of work that regions over `ipconn` take part in: this region decides
//! them.
//!
//! A region that a program has linked to without SYNCONRETURN, and that has
//! changed or locked something for it, is a participant of the program's unit.
//! Whenever the connection to it is made it is asked for the units that it has
//! prepared, and is told how they ended. Format: `docs/internals/ipconn.md`.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};

use ipconn::wire::{Ending, InUnit, OfUnit, Reply, RequestBuilder, RequestHead, Step, parse_units};
use ipconn::{Caller, Directory, Failed, Opened};
use region::{Handle, Order, Participant, ParticipantId, TaskUnit, UnitId, Vote};

/// The regions that take part in units of this one; cheap to clone.
#[derive(Clone, Default)]
pub struct Coordinator(Arc<Inner>);

#[derive(Default)]
struct Inner {
    region: OnceLock<Handle>,
    calls: OnceLock<(Directory, Caller)>,
    /// By connection and region: a connection may lead to another one later.
    remotes: Mutex<HashMap<(String, String), Arc<Remote>>>,
}

/// A region that takes part, by one connection.
pub struct Remote {
    name: String,
    connection: String,
    link: region::Name<4>,
    id: OnceLock<ParticipantId>,
    caller: Caller,
    region: Handle,
    units: Mutex<HashMap<UnitId, Part>>,
}

/// What a unit has there.
#[derive(Debug, Clone, Copy, Default)]
struct Part {
    /// LINKs that ran.
    links: u32,
    /// What they changed is lost, so the unit cannot be committed.
    lost: bool,
}

/// Why a LINK cannot be part of a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotJoined {
    /// The region is not connected.
    Unreachable,
    /// The task is over, or shall end.
    Ending,
}

/// A LINK that is part of a unit.
pub struct Joined {
    remote: Arc<Remote>,
    task: TaskUnit,
    unit: UnitId,
    before: u32,
}

impl std::fmt::Debug for Coordinator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Coordinator")
    }
}

impl Coordinator {
    /// What the thread of the connections tells of those that are made.
    pub fn opened(&self) -> Opened {
        let inner = Arc::downgrade(&self.0);
        Arc::new(move |connection, applid| {
            if let Some(remote) = Inner::remote(&inner, connection, applid) {
                remote.resync();
            }
        })
    }

    /// How regions are called.
    pub fn calls(&self, directory: Directory, caller: Caller) {
        let _ = self.0.calls.set((directory, caller));
    }

    /// The region has started: what others have prepared for it is decided.
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

    /// A LINK of a task by a connection becomes part of its unit.
    pub fn join(&self, connection: &str, task: &TaskUnit) -> Result<Joined, NotJoined> {
        let directory = self.0.calls.get().map(|(directory, _)| directory);
        let applid = directory.and_then(|directory| directory.applid(connection));
        let applid = applid.ok_or(NotJoined::Unreachable)?;
        let remote = Inner::remote(&Arc::downgrade(&self.0), connection, &applid);
        let remote = remote.ok_or(NotJoined::Unreachable)?;
        remote.join(task).ok_or(NotJoined::Ending)
    }
}

impl Inner {
    fn remote(inner: &Weak<Inner>, connection: &str, applid: &str) -> Option<Arc<Remote>> {
        let inner = inner.upgrade()?;
        let (directory, caller) = inner.calls.get()?;
        let region = inner.region.get()?;
        let link = directory.sysid(connection)?.parse().ok()?;
        let mut remotes = lock(&inner.remotes);
        let key = (connection.to_owned(), applid.to_owned());
        let remote = remotes.entry(key).or_insert_with(|| {
            let remote = Arc::new(Remote {
                name: format!("ipconn {connection} {applid}"),
                connection: connection.to_owned(),
                link,
                id: OnceLock::new(),
                caller: caller.clone(),
                region: region.clone(),
                units: Mutex::default(),
            });
            let id = region.add_participant(Arc::new(Orders(remote.clone())));
            let _ = remote.id.set(id);
            remote
        });
        Some(remote.clone())
    }
}

impl Remote {
    fn join(self: &Arc<Self>, task: &TaskUnit) -> Option<Joined> {
        let unit = task.join(*self.id.get()?)?;
        let before = lock(&self.units).entry(unit).or_default().links;
        Some(Joined {
            remote: self.clone(),
            task: task.clone(),
            unit,
            before,
        })
    }

    /// A message about a unit.
    fn message(&self, unit: u64, step: Step) -> Vec<u8> {
        let link = self.link;
        let head = RequestHead {
            unit: Some(OfUnit { unit, step, link }),
            ..RequestHead::default()
        };
        RequestBuilder::new(head, 0).finish()
    }

    /// Asks for the units that are prepared there, and has them decided.
    fn resync(self: &Arc<Self>) {
        let remote = self.clone();
        let answer = move |reply: Result<Reply, Failed>| match reply {
            Ok(reply) if reply.head.ending == Ending::Normal => {
                let units = parse_units(reply.commarea());
                let Some((units, id)) = units.zip(remote.id.get()) else {
                    tracing::warn!("{}: units in doubt that make no sense", remote.name);
                    return;
                };
                let units: Vec<UnitId> = units.into_iter().map(UnitId).collect();
                if !units.is_empty() {
                    tracing::info!(
                        "{}: {} units of work are in doubt there",
                        remote.name,
                        units.len()
                    );
                }
                remote.region.in_doubt(*id, &units);
            }
            Err(Failed::NoSession(_) | Failed::Busy(_)) => remote.resync(),
            // It is asked by the next connection.
            Ok(_) | Err(_) => {}
        };
        let message = self.message(0, Step::Resync);
        self.caller.ask(&self.connection, message, Box::new(answer));
    }

    /// Tells it how a unit has ended; `vote` is given when it has done so.
    fn tell(self: &Arc<Self>, unit: UnitId, step: Step, vote: Vote) {
        let remote = self.clone();
        let answer = move |reply: Result<Reply, Failed>| match reply {
            Ok(reply) if reply.head.ending == Ending::Normal => vote.yes(),
            // Others have all sessions: it is said again until it is heard, or
            // the connection ends.
            Err(Failed::NoSession(_) | Failed::Busy(_)) => remote.tell(unit, step, vote),
            Ok(_) | Err(_) => {}
        };
        let message = self.message(unit.0, step);
        self.caller.ask(&self.connection, message, Box::new(answer));
    }

    fn prepare(&self, unit: UnitId, vote: Vote) {
        let part = lock(&self.units).get(&unit).copied();
        if part.is_none_or(|part| part.lost) {
            // A vote that is dropped is a no.
            return;
        }
        let answer = move |reply: Result<Reply, Failed>| {
            if reply.is_ok_and(|reply| reply.head.ending == Ending::Normal) {
                vote.yes();
            }
        };
        let message = self.message(unit.0, Step::Prepare);
        self.caller.ask(&self.connection, message, Box::new(answer));
    }
}

/// What the region holds of a [`Remote`].
struct Orders(Arc<Remote>);

impl Participant for Orders {
    fn name(&self) -> &str {
        &self.0.name
    }

    fn commits_alone(&self) -> bool {
        false
    }

    fn order(&self, unit: UnitId, order: Order, vote: Vote) {
        let remote = &self.0;
        match order {
            Order::Prepare => remote.prepare(unit, vote),
            Order::Commit => {
                lock(&remote.units).remove(&unit);
                remote.tell(unit, Step::Commit, vote);
            }
            Order::BackOut => {
                lock(&remote.units).remove(&unit);
                remote.tell(unit, Step::BackOut, vote);
            }
            // It prepares always: a vote that is dropped is a no.
            Order::CommitOnePhase => {}
        }
    }
}

impl Joined {
    /// What the request says of it.
    pub fn of_unit(&self) -> OfUnit {
        OfUnit {
            unit: self.unit.0,
            step: Step::Link(self.before),
            link: self.remote.link,
        }
    }

    /// Whether what the unit had there is lost already: the LINK must fail.
    pub fn is_lost(&self) -> bool {
        let units = lock(&self.remote.units);
        units.get(&self.unit).is_none_or(|part| part.lost)
    }

    /// The reply says what the unit has there now.
    pub fn answered(&self, in_unit: InUnit) {
        match in_unit {
            InUnit::Nothing => self.forget(),
            InUnit::Held => {
                if let Some(part) = lock(&self.remote.units).get_mut(&self.unit) {
                    part.links = self.before + 1;
                }
            }
            InUnit::Lost => self.lost(),
            InUnit::Unchanged => self.not_taken(),
        }
    }

    /// The request was not taken: the unit has what it had.
    pub fn not_taken(&self) {
        if self.before == 0 {
            self.forget();
        }
    }

    /// Nobody knows what became of it.
    pub fn lost(&self) {
        if let Some(part) = lock(&self.remote.units).get_mut(&self.unit) {
            part.lost = true;
        }
    }

    fn forget(&self) {
        lock(&self.remote.units).remove(&self.unit);
        if let Some(id) = self.remote.id.get() {
            self.task.leave(*id);
        }
    }
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}
