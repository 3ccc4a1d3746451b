//! Serves the workers' requests for sessions.
//!
//! ```text
//!  SQL_CONNECT ──▶ join the unit ──▶ idle session of this worker? ──yes──▶ answer
//!                                      │ no: room, or an idle one of another worker
//!                                      ├──▶ connect, lend, TAKE ──▶ answer
//!                                      └──▶ wait for one, at most thread_wait_ms
//! ```
//!
//! The end of the unit is in `decider.rs`. What waits for the server is done on
//! threads of [`Executor`]s, never on the region's.

mod branches;
mod decider;
mod metrics;

use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use cics::resp::Condition;
use link::CallAnswer;
use region::{
    CommandService, Handle, JoinError, OpenTask, ParticipantId, ServiceCommand, TaskUnit, UnitId,
    UnitToken, WorkerRequest,
};
use runtime::sql::lending::{SQL_CONNECT, TAKE};

use crate::executor::Executor;
use crate::outcomes::OutcomeDesk;
use crate::pool::{JobCommit, SessionChoice, SessionPool, SessionWaiter, UnitSession, UnitUse};
use crate::request::{CallReason, NoSession};
use crate::server::Server;
use crate::session::Session;
use branches::PreparedTransaction;
use metrics::ServiceCounters;
pub use metrics::sample as metrics_sample;

/// Threads that connect.
const CONNECTS: usize = 16;
/// Threads that end units: as many commits are flushed together at most.
const COMMITS: usize = 64;
/// The abend of a task that was purged.
const PURGED: [u8; 4] = *b"AEXY";

/// EXEC SQL of a region.
#[derive(Debug, Clone)]
pub struct SqlService(Arc<ServiceState>);

struct ServiceState {
    server: Arc<Server>,
    desk: OutcomeDesk,
    pool: Mutex<SessionPool>,
    /// While the region runs.
    handle: Mutex<Option<Handle>>,
    id: OnceLock<ParticipantId>,
    connects: Executor,
    commits: Executor,
    outcome_queries: Executor,
    deletes: Executor,
    counts: ServiceCounters,
    /// Transactions that wait for a coordinator elsewhere.
    prepared: Mutex<HashMap<UnitId, PreparedTransaction>>,
    /// Those of an earlier life of the region were looked for.
    is_recovered: Mutex<bool>,
}

impl SqlService {
    /// A service over a server. Nothing is connected before a program asks.
    pub fn new(server: Arc<Server>) -> SqlService {
        SqlService(Arc::new(ServiceState {
            desk: OutcomeDesk::new(server.clone()),
            server,
            pool: Mutex::default(),
            handle: Mutex::default(),
            id: OnceLock::new(),
            connects: Executor::new("tupelo-sql", CONNECTS),
            commits: Executor::new("tupelo-sqlend", COMMITS),
            outcome_queries: Executor::new("tupelo-sqlask", 1),
            deletes: Executor::new("tupelo-sqldel", 1),
            counts: ServiceCounters::default(),
            prepared: Mutex::default(),
            is_recovered: Mutex::default(),
        }))
    }

    /// The service, for the configuration of the region.
    pub fn service(&self) -> Arc<dyn CommandService> {
        Arc::new(self.clone())
    }

    /// The region runs. Its units are joined when a program's first statement comes,
    /// for a region without a decider is faster; or at once when some are in doubt.
    pub fn start(&self, handle: &Handle) {
        *self.0.lock_handle() = Some(handle.clone());
        let units = handle.in_doubt_units();
        let is_asked = units.iter().any(|unit| unit.decider == decider::NAME);
        // Branches of other regions may have transactions that are prepared.
        let is_open = |(_, name): &(UnitId, String)| name == decider::NAME;
        let may_be_prepared =
            !handle.prepared_units().is_empty() || handle.decisions().iter().any(is_open);
        if is_asked || may_be_prepared {
            self.0.participant();
        }
        if may_be_prepared {
            let inner = self.0.clone();
            self.0.connects.run(move || {
                inner.recover();
            });
        }
    }

    /// The server.
    pub fn server(&self) -> &Arc<Server> {
        &self.0.server
    }

    /// The server decides the unit of work of a batch job's task, over a session that the job
    /// has. `commit` has the job commit with a token, and may wait for it.
    ///
    /// # Errors
    /// The task shall end, or another participant decides the unit.
    pub fn join_for_job(
        &self,
        task: &OpenTask,
        commit: Box<dyn FnOnce(UnitToken) -> Option<bool> + Send>,
    ) -> Result<(), JoinError> {
        let id = self.0.participant().ok_or(JoinError::Ending)?;
        let number = task.join(id)?;
        let of_job = UnitSession::OfJob(JobCommit(commit));
        self.0.lock().set_unit(number, of_job);
        Ok(())
    }

    /// Ends all sessions and the private cluster. The region is over by then.
    pub fn stop(&self) {
        let sessions = {
            let mut pool = self.0.lock();
            pool.is_closed = true;
            pool.take_idle()
        };
        sessions.into_iter().for_each(Session::take_back);
        // The region has this service, and its handle the region.
        *self.0.lock_handle() = None;
        let asking = [&self.0.outcome_queries, &self.0.deletes];
        for executor in [&self.0.connects, &self.0.commits]
            .into_iter()
            .chain(asking)
        {
            executor.stop();
        }
        self.0.desk.delete_forgotten();
        self.0.desk.close();
        self.0.server.stop();
    }
}

/// Why a task's unit cannot have a session.
enum JoinFailure {
    /// The region does not run yet.
    NotStarted,
    /// The unit does not take the participant.
    Unit(JoinError),
}

impl JoinFailure {
    fn no_session(&self) -> NoSession {
        match self {
            JoinFailure::NotStarted => NoSession::new(-923, "the region is not started"),
            JoinFailure::Unit(error @ (JoinError::Branch | JoinError::SecondDecider)) => {
                NoSession::new(-904, error)
            }
            JoinFailure::Unit(error @ JoinError::Ending) => NoSession::new(-924, error),
        }
    }
}

impl CommandService for SqlService {
    fn commands(&self) -> &'static [u16] {
        &[SQL_CONNECT]
    }

    fn serve(&self, command: ServiceCommand) {
        match (CallReason::parse(&command.operands), command.unit()) {
            (Some(CallReason::Statement), Some(unit)) => self.0.connect(command, unit),
            (Some(CallReason::Holds), Some(unit)) => self.0.holds_cursors(command, &unit),
            (Some(CallReason::Cancelled), _) => self.0.cancelled(command),
            (Some(CallReason::Lost(tag)), Some(unit)) => self.0.lost(command, &unit, tag),
            _ => command.answer(&CallAnswer::of_condition(Condition::InvReq, 0)),
        }
    }

    fn task_ended(&self, _: u64) {}

    fn task_purged(&self, task: u64) {
        let key = {
            let mut pool = self.0.lock();
            pool.of_task(task).and_then(|in_use| {
                in_use.is_cancelled = true;
                in_use.session.connection.cancel_key()
            })
        };
        if let Some(key) = key {
            let server = self.0.server.clone();
            self.0.outcome_queries.run(move || server.cancel(key));
        }
    }

    fn metrics(&self, out: &mut String) {
        metrics::write(&self.0.lock().counts(), &self.0.counts, out);
    }
}

impl ServiceState {
    fn lock_handle(&self) -> MutexGuard<'_, Option<Handle>> {
        self.handle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_prepared(&self) -> MutexGuard<'_, HashMap<UnitId, PreparedTransaction>> {
        self.prepared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_recovered(&self) -> MutexGuard<'_, bool> {
        let recovered = self.is_recovered.lock();
        recovered.unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, SessionPool> {
        self.pool.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A task's first statement in a unit.
    fn connect(self: &Arc<Self>, command: ServiceCommand, unit: TaskUnit) {
        let is_asked = self.server.knows_whether_it_prepares();
        self.connect_unless(command, unit, is_asked);
    }

    /// A task has a cursor WITH HOLD: its worker settles before a commit.
    fn holds_cursors(self: &Arc<Self>, command: ServiceCommand, unit: &TaskUnit) {
        if let Ok(number) = self.join(unit)
            && let Some(UnitSession::Ready(in_use)) = self.lock().unit(number)
        {
            in_use.holds_cursors = true;
        }
        command.answer(&CallAnswer::default());
    }

    /// The same; `is_asked` if the server was asked whether it prepares transactions.
    fn connect_unless(
        self: &Arc<Self>,
        mut command: ServiceCommand,
        unit: TaskUnit,
        is_asked: bool,
    ) {
        let number = match self.join(&unit) {
            Ok(number) => number,
            Err(JoinFailure::Unit(JoinError::Branch)) if !is_asked => {
                command.later();
                return self
                    .learn_to_prepare(move |inner| inner.connect_unless(command, unit, true));
            }
            Err(failure) => return command.answer(&failure.no_session().answer()),
        };
        let config = self.server.config();
        let answer = match self.lock().unit(number) {
            Some(UnitSession::Ready(in_use)) if unit.has(&in_use.session.lent) => {
                Some(in_use.session.answer(config))
            }
            Some(_) => Some(NoSession::new(-918, "the unit of work must be backed out").answer()),
            None => None,
        };
        if let Some(answer) = answer {
            return command.answer(&answer);
        }
        let wait = Duration::from_millis(u64::from(config.thread_wait_ms));
        let waiter = SessionWaiter {
            role: config.role_of(command.transid.as_str()).into(),
            command,
            unit,
            number,
            until: Instant::now() + wait,
        };
        self.lock().set_unit(number, UnitSession::Opening);
        self.place(waiter);
    }

    /// The participant that decides; `None` before the region runs.
    fn participant(self: &Arc<Self>) -> Option<ParticipantId> {
        if let Some(id) = self.id.get() {
            return Some(*id);
        }
        let handle = self.lock_handle().clone()?;
        let add = || handle.add_participant(Arc::new(decider::ServiceDecider(self.clone())));
        Some(*self.id.get_or_init(add))
    }

    fn join(self: &Arc<Self>, unit: &TaskUnit) -> Result<UnitId, JoinFailure> {
        let id = self.participant().ok_or(JoinFailure::NotStarted)?;
        unit.join(id).map_err(JoinFailure::Unit)
    }

    /// Gives a task a session, opens one, or has it wait.
    fn place(self: &Arc<Self>, mut waiter: SessionWaiter) {
        let limit = self.server.config().limit_of(&waiter.role);
        let (choice, dead, changes) = {
            let mut pool = self.lock();
            let dead = pool.take_dead(&waiter);
            (pool.choose(&waiter, limit), dead, pool.changes)
        };
        dead.into_iter().for_each(Session::take_back);
        match choice {
            SessionChoice::Session(session) if session.user == waiter.command.userid => {
                self.deliver(*session, waiter);
            }
            SessionChoice::Session(mut session) => {
                waiter.command.later();
                let inner = self.clone();
                self.connects
                    .run(move || match session.reset(waiter.command.userid) {
                        Ok(()) => inner.deliver(*session, waiter),
                        Err(_) => inner.reopen(*session, waiter),
                    });
            }
            SessionChoice::Open(closed) => {
                closed.into_iter().for_each(Session::take_back);
                waiter.command.later();
                let inner = self.clone();
                self.connects.run(move || inner.open(waiter));
            }
            SessionChoice::Wait => {
                waiter.command.later();
                let has_changed = {
                    let mut pool = self.lock();
                    pool.wait(waiter);
                    pool.changes != changes
                };
                self.watch();
                if has_changed {
                    self.look_at_waiting();
                }
            }
            // What is answered after a purge is dropped.
            SessionChoice::Over => waiter.command.answer(&CallAnswer::of_abend(&PURGED)),
        }
    }

    /// A session broke before its task got it: another takes its room.
    fn reopen(self: &Arc<Self>, session: Session, waiter: SessionWaiter) {
        session.take_back();
        self.open(waiter);
    }

    /// Connects for a task, and has its worker take the connection.
    fn open(self: &Arc<Self>, waiter: SessionWaiter) {
        if self.server.prepares() {
            self.recover();
        }
        let connection = match self.server.open_role(&waiter.role) {
            Ok(connection) => connection,
            Err(error) => {
                let role = &*waiter.role;
                tracing::warn!(%role, %error, "no session for EXEC SQL");
                return self.fail(waiter, &error.no_session());
            }
        };
        let tag = self.lock().next_tag();
        let copy = connection.socket().copy();
        let lent = match copy.and_then(|fd| waiter.unit.lend(tag, fd)) {
            Ok(lent) => Arc::new(lent),
            Err(error) => return self.fail(waiter, &NoSession::new(-924, error)),
        };
        self.counts.connected.fetch_add(1, Ordering::Relaxed);
        let session = Session {
            connection,
            lent,
            role: waiter.role.clone(),
            user: waiter.command.userid,
            units: 0,
        };
        let take = WorkerRequest {
            work: TAKE,
            tag,
            ..WorkerRequest::default()
        };
        let SessionWaiter {
            command,
            unit,
            number,
            role,
            until,
        } = waiter;
        let inner = self.clone();
        command.ask_worker(&take, move |command, reply| {
            let waiter = SessionWaiter {
                command,
                unit,
                number,
                role,
                until,
            };
            if reply.is_ok_and(|reply| reply.condition == Condition::Normal) {
                inner.deliver(session, waiter);
            } else {
                session.take_back();
                inner.fail(waiter, &NoSession::new(-924, "the worker did not take it"));
            }
        });
    }

    /// There is no session for a task, whose room is free again.
    fn fail(self: &Arc<Self>, waiter: SessionWaiter, none: &NoSession) {
        self.counts.failed.fetch_add(1, Ordering::Relaxed);
        let role = waiter.role.clone();
        self.lock().closed(&role, None);
        self.refuse(waiter, none);
        self.look_at_waiting();
    }

    /// A task gets no session: its unit has nothing of the server.
    fn refuse(&self, waiter: SessionWaiter, none: &NoSession) {
        self.lock().take_unit(waiter.number);
        if let Some(id) = self.id.get() {
            waiter.unit.leave(*id);
        }
        waiter.command.answer(&none.answer());
    }

    /// A task gets a session, unless its unit ended meanwhile.
    fn deliver(self: &Arc<Self>, mut session: Session, waiter: SessionWaiter) {
        session.units += 1;
        let answer = session.answer(self.server.config());
        let mut pool = self.lock();
        if !matches!(pool.unit(waiter.number), Some(UnitSession::Opening)) {
            drop(pool);
            return self.check_in(session);
        }
        let in_use = UnitUse {
            session,
            unit: waiter.unit.clone(),
            task: waiter.command.task,
            is_cancelled: false,
            holds_cursors: false,
        };
        pool.set_unit(waiter.number, UnitSession::Ready(Box::new(in_use)));
        drop(pool);
        waiter.unit.pin();
        waiter.command.answer(&answer);
    }

    /// A session comes back after its unit.
    fn check_in(self: &Arc<Self>, session: Session) {
        let mut pool = self.lock();
        if pool.is_closed || !session.is_usable() {
            drop(pool);
            return self.close(session);
        }
        pool.put_idle(session);
        drop(pool);
        self.look_at_waiting();
    }

    /// A session is closed, also for its worker.
    fn close(self: &Arc<Self>, session: Session) {
        let role = session.role.clone();
        self.lock().closed(&role, Some(&session.lent));
        session.take_back();
        self.look_at_waiting();
    }

    /// Tasks that wait are looked at again, in their order.
    fn look_at_waiting(self: &Arc<Self>) {
        let waiting = self.lock().take_waiting();
        waiting.into_iter().for_each(|waiter| self.place(waiter));
    }

    /// Has a thread end waits that last too long. It goes when nothing waits.
    fn watch(self: &Arc<Self>) {
        if std::mem::replace(&mut self.lock().is_watched, true) {
            return;
        }
        let inner = self.clone();
        let thread = std::thread::Builder::new().name("tupelo-sqlwait".to_owned());
        let spawned = thread.spawn(move || {
            loop {
                let now = Instant::now();
                let (expired, next) = {
                    let mut pool = inner.lock();
                    let (expired, next) = pool.take_expired(now);
                    pool.is_watched = next.is_some();
                    (expired, next)
                };
                for waiter in expired {
                    let why = format!("all sessions of role {} are in use", waiter.role);
                    inner.refuse(waiter, &NoSession::new(-904, why));
                }
                match next {
                    Some(next) => std::thread::sleep(next.saturating_duration_since(now)),
                    None => return,
                }
            }
        });
        if spawned.is_err() {
            self.lock().is_watched = false;
        }
    }

    /// A statement was cancelled: a task that was purged ends.
    fn cancelled(&self, command: ServiceCommand) {
        let is_purged = self
            .lock()
            .of_task(command.task)
            .is_some_and(|u| u.is_cancelled);
        if is_purged {
            command.answer(&CallAnswer::of_abend(&PURGED));
        } else {
            command.answer(&CallAnswer::default());
        }
    }

    /// A worker has lost its connection: what the unit had changed is gone.
    fn lost(self: &Arc<Self>, command: ServiceCommand, unit: &TaskUnit, tag: u64) {
        if let Ok(number) = self.join(unit) {
            let mut pool = self.lock();
            let is_its_own = matches!(
                pool.unit(number),
                Some(UnitSession::Ready(in_use)) if in_use.session.lent.tag() == tag
            );
            let taken = is_its_own.then(|| pool.take_unit(number)).flatten();
            if is_its_own {
                pool.set_unit(number, UnitSession::Lost);
            }
            drop(pool);
            if let Some(UnitSession::Ready(in_use)) = taken {
                self.close(in_use.session);
            }
        }
        command.answer(&CallAnswer::default());
    }
}

impl std::fmt::Debug for ServiceState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SqlService")
            .field("server", &self.server)
            .finish_non_exhaustive()
    }
}
