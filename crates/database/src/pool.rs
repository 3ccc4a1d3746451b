//! Sessions of workers: which are idle, which belong to a unit of work, and which
//! tasks wait for one. Data and choices; nothing here waits or talks.
//!
//! The key is the role: a session that logged in as one role never serves another.
//! Within a role a session stays with the worker that it was lent to, and a worker has
//! one session at a time.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Instant;

use region::{LentDescriptor, ServiceCommand, TaskUnit, UnitId, UnitToken};

use crate::session::Session;

/// All sessions.
#[derive(Debug, Default)]
pub struct SessionPool {
    roles: HashMap<Arc<str>, RolePool>,
    units: HashMap<UnitId, UnitSession>,
    last_tag: u64,
    /// Counts sessions that came back or were closed, so that a task that is about to
    /// wait sees one that it has missed.
    pub changes: u64,
    /// A thread looks after tasks that wait.
    pub is_watched: bool,
    /// No session is kept any more.
    pub is_closed: bool,
}

#[derive(Debug, Default)]
struct RolePool {
    open: usize,
    idle: Vec<Session>,
    /// Sessions whose unit is being ended, and which come back.
    returning: Vec<Arc<LentDescriptor>>,
    waiting: VecDeque<SessionWaiter>,
}

/// What a unit of work has.
#[derive(Debug)]
pub enum UnitSession {
    /// A session is being opened, or waited for.
    Opening,
    /// A session.
    Ready(Box<UnitUse>),
    /// It had one that is lost, with what it had changed.
    Lost,
    /// A batch job has the session.
    OfJob(JobCommit),
}

/// Has a batch job's session commit with a token. Gives the outcome if it is known.
pub struct JobCommit(pub Box<dyn FnOnce(UnitToken) -> Option<bool> + Send>);

impl std::fmt::Debug for JobCommit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("JobCommit")
    }
}

/// A session in a unit of work.
#[derive(Debug)]
pub struct UnitUse {
    /// The session.
    pub session: Session,
    /// The unit of its task.
    pub unit: TaskUnit,
    /// Number of the task.
    pub task: u64,
    /// A statement of it was cancelled: the request may still arrive, so no other
    /// task gets the session.
    pub is_cancelled: bool,
    /// Its program has cursors WITH HOLD: their rows are read before a commit.
    pub holds_cursors: bool,
}

/// A task that waits for a session.
#[derive(Debug)]
pub struct SessionWaiter {
    /// Its command.
    pub command: ServiceCommand,
    /// Its unit.
    pub unit: TaskUnit,
    /// The unit's number.
    pub number: UnitId,
    /// Role.
    pub role: Arc<str>,
    /// Until when it waits.
    pub until: Instant,
}

/// What a task gets.
#[derive(Debug)]
pub enum SessionChoice {
    /// A session of its worker.
    Session(Box<Session>),
    /// A new one, for which there is room. These sessions are closed for it.
    Open(Vec<Session>),
    /// Nothing yet.
    Wait,
    /// Its unit is over.
    Over,
}

/// Sessions of a role, counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoleCount {
    /// The role.
    pub role: Arc<str>,
    /// Open ones.
    pub open: usize,
    /// Those of them that no task has.
    pub idle: usize,
    /// Tasks that wait for one.
    pub waiting: usize,
}

impl SessionPool {
    /// A tag that no session had.
    pub fn next_tag(&mut self) -> u64 {
        self.last_tag += 1;
        self.last_tag
    }

    /// What a unit has.
    pub fn unit(&mut self, number: UnitId) -> Option<&mut UnitSession> {
        self.units.get_mut(&number)
    }

    /// Sets what a unit has.
    pub fn set_unit(&mut self, number: UnitId, session: UnitSession) {
        self.units.insert(number, session);
    }

    /// Takes what a unit has, which is being ended: a session comes back, or is
    /// closed.
    pub fn take_unit(&mut self, number: UnitId) -> Option<UnitSession> {
        let taken = self.units.remove(&number);
        if let Some(UnitSession::Ready(in_use)) = &taken {
            let role = self.roles.entry(in_use.session.role.clone()).or_default();
            role.returning.push(in_use.session.lent.clone());
        }
        taken
    }

    /// The session that a task uses.
    pub fn of_task(&mut self, task: u64) -> Option<&mut UnitUse> {
        self.units.values_mut().find_map(|unit| match unit {
            UnitSession::Ready(in_use) if in_use.task == task => Some(&mut **in_use),
            _ => None,
        })
    }

    /// Chooses for a task. A choice to open counts as open from now on.
    pub fn choose(&mut self, waiter: &SessionWaiter, limit: usize) -> SessionChoice {
        if !self.units.contains_key(&waiter.number) {
            return SessionChoice::Over;
        }
        let role = self.roles.entry(waiter.role.clone()).or_default();
        if let Some(at) = role.idle.iter().position(|s| waiter.unit.has(&s.lent)) {
            return SessionChoice::Session(Box::new(role.idle.swap_remove(at)));
        }
        if self.is_busy_at(&waiter.unit) {
            return SessionChoice::Wait;
        }
        let mut closed = self.take_idle_at(&waiter.unit);
        let role = self.roles.entry(waiter.role.clone()).or_default();
        if role.open >= limit {
            if role.idle.is_empty() {
                return SessionChoice::Wait;
            }
            // The one that was idle the longest makes room.
            role.open -= 1;
            closed.push(role.idle.remove(0));
        }
        role.open += 1;
        SessionChoice::Open(closed)
    }

    /// Whether the task's worker has a session that another unit still uses: that of
    /// its task before, whose commit is under way, or that of an open task between
    /// its runs. A worker has one session at a time.
    fn is_busy_at(&self, unit: &TaskUnit) -> bool {
        let in_use = self.units.values().any(|other| match other {
            UnitSession::Ready(in_use) => unit.has(&in_use.session.lent),
            UnitSession::Opening | UnitSession::Lost | UnitSession::OfJob(_) => false,
        });
        let mut returning = self.roles.values().flat_map(|role| &role.returning);
        in_use || returning.any(|lent| unit.has(lent))
    }

    /// Idle sessions of other roles that the task's worker has: it drops them when it
    /// gets another.
    fn take_idle_at(&mut self, unit: &TaskUnit) -> Vec<Session> {
        let mut taken = Vec::new();
        for role in self.roles.values_mut() {
            let of_worker = role.idle.extract_if(.., |session| unit.has(&session.lent));
            let before = taken.len();
            taken.extend(of_worker);
            role.open = role.open.saturating_sub(taken.len() - before);
        }
        taken
    }

    /// A task waits.
    pub fn wait(&mut self, waiter: SessionWaiter) {
        let role = self.roles.entry(waiter.role.clone()).or_default();
        role.waiting.push_back(waiter);
    }

    /// A session is back and idle.
    pub fn put_idle(&mut self, session: Session) {
        let role = self.roles.entry(session.role.clone()).or_default();
        role.returning
            .retain(|lent| !Arc::ptr_eq(lent, &session.lent));
        role.idle.push(session);
        self.changes += 1;
    }

    /// A session is closed.
    pub fn closed(&mut self, role: &Arc<str>, lent: Option<&Arc<LentDescriptor>>) {
        let role = self.roles.entry(role.clone()).or_default();
        role.open = role.open.saturating_sub(1);
        if let Some(lent) = lent {
            role.returning.retain(|other| !Arc::ptr_eq(other, lent));
        }
        self.changes += 1;
    }

    /// Idle sessions that nothing can be done with: their workers are gone, or the
    /// server has ended that of the task's worker. Whether it has ended others is
    /// looked at when a task of such a worker comes: each look is a system call.
    pub fn take_dead(&mut self, waiter: &SessionWaiter) -> Vec<Session> {
        let Some(role) = self.roles.get_mut(&waiter.role) else {
            return Vec::new();
        };
        let is_usable = |session: &Session| {
            if waiter.unit.has(&session.lent) {
                session.is_usable()
            } else {
                session.lent.worker_is_there()
            }
        };
        let dead = role.idle.extract_if(.., |session| !is_usable(session));
        let dead: Vec<Session> = dead.collect();
        role.open = role.open.saturating_sub(dead.len());
        dead
    }

    /// All tasks that wait, to be looked at again.
    pub fn take_waiting(&mut self) -> Vec<SessionWaiter> {
        let roles = self.roles.values_mut();
        roles
            .flat_map(|role| std::mem::take(&mut role.waiting))
            .collect()
    }

    /// Tasks that have waited long enough, and when the next one has.
    pub fn take_expired(&mut self, now: Instant) -> (Vec<SessionWaiter>, Option<Instant>) {
        let mut expired = Vec::new();
        for role in self.roles.values_mut() {
            let waiting = std::mem::take(&mut role.waiting);
            for waiter in waiting {
                if waiter.until <= now {
                    expired.push(waiter);
                } else {
                    role.waiting.push_back(waiter);
                }
            }
        }
        let waiting = self.roles.values().flat_map(|role| &role.waiting);
        (expired, waiting.map(|waiter| waiter.until).min())
    }

    /// All idle sessions, for the end.
    pub fn take_idle(&mut self) -> Vec<Session> {
        let roles = self.roles.values_mut();
        roles
            .flat_map(|role| std::mem::take(&mut role.idle))
            .collect()
    }

    /// Counts by role, in the roles' order.
    pub fn counts(&self) -> Vec<RoleCount> {
        let counts = self.roles.iter().map(|(name, role)| RoleCount {
            role: name.clone(),
            open: role.open,
            idle: role.idle.len(),
            waiting: role.waiting.len(),
        });
        let mut counts: Vec<RoleCount> = counts.collect();
        counts.sort_unstable_by(|a, b| a.role.cmp(&b.role));
        counts
    }
}
