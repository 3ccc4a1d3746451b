//! Units of work of a batch step: its process has a copy of the session, and this one ends
//! them, as a region ends those of its workers.

use std::sync::Arc;
use std::time::{Duration, Instant};

use region::UnitToken;

use crate::connection::Connection;
use crate::outcomes::OutcomeDesk;
use crate::server::Server;
use crate::settle::{self, UnitSettlement};

/// Rows of units that are over are deleted together, so many at a time.
const DELETED_TOGETHER: usize = 200;
/// How long an unknown outcome is asked for.
const ASK_LIMIT: Duration = Duration::from_secs(30);
/// Time between two questions.
const ASK_PAUSE: Duration = Duration::from_secs(1);

/// What ends the units of a step.
#[derive(Debug)]
pub struct StepUnits {
    connection: Connection,
    desk: OutcomeDesk,
    forgotten: usize,
}

impl StepUnits {
    /// Over this process's copy of the step's session.
    pub fn new(server: Arc<Server>, connection: Connection) -> StepUnits {
        StepUnits {
            connection,
            desk: OutcomeDesk::new(server),
            forgotten: 0,
        }
    }

    /// Commits the step's transaction with a row of the token. Returns whether it is
    /// committed; when it is not, it cannot be any more. `None` if that is not known.
    pub fn commit(&mut self, token: UnitToken) -> Option<bool> {
        let sent = settle::begin_commit_with_token(&mut self.connection, token);
        match sent.finish(&mut self.connection) {
            UnitSettlement::Committed => Some(true),
            UnitSettlement::RolledBack => Some(false),
            UnitSettlement::Unknown(_) => ask(&self.desk, token),
        }
    }

    /// The outcome of a token is not asked for any more.
    pub fn forget(&mut self, token: UnitToken) {
        self.forgotten += 1;
        let _ = self.desk.forget(&[token]);
        if self.forgotten >= DELETED_TOGETHER {
            self.forgotten = 0;
            self.desk.delete_forgotten();
        }
    }
}

impl Drop for StepUnits {
    fn drop(&mut self) {
        self.desk.delete_forgotten();
    }
}

/// Whether a unit of work is committed; when it is not, it cannot be any more. `None` if the
/// server does not report that within half a minute.
fn ask(desk: &OutcomeDesk, token: UnitToken) -> Option<bool> {
    let limit = Instant::now() + ASK_LIMIT;
    loop {
        let outcome = desk.ask(token);
        if outcome.is_some() || Instant::now() >= limit {
            return outcome;
        }
        std::thread::sleep(ASK_PAUSE);
    }
}

/// Asks for the outcomes of units that a step has left.
#[derive(Debug)]
pub struct LeftUnits(OutcomeDesk);

impl LeftUnits {
    /// At a server.
    pub fn new(server: Arc<Server>) -> LeftUnits {
        LeftUnits(OutcomeDesk::new(server))
    }

    /// As [`StepUnits::commit`] returns it.
    pub fn ask(&self, token: UnitToken) -> Option<bool> {
        ask(&self.0, token)
    }

    /// The outcomes were carried out.
    pub fn forget(&self, tokens: &[UnitToken]) {
        if self.0.forget(tokens) {
            self.0.delete_forgotten();
        }
    }
}
