//! What became of units of work whose COMMIT was not answered.
//!
//! The owner's session asks for a unit's row by inserting it as refused. That waits
//! for a transaction that has inserted it and is still there; then the row is either
//! committed, or it is the owner's and the unit cannot commit any more.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use region::UnitToken;
use sql::wire::{Client, oid};

use crate::connection::{Connection, Exchange};
use crate::server::{Server, ServerError};
use crate::settle::statement;

/// How long one question may take.
const ASK_LIMIT: Duration = Duration::from_secs(20);
/// How long a question waits for a transaction that is still there.
const WAIT: &str = "SET lock_timeout = '5s'";
/// How often the number of a transaction is asked for, once a second.
const MAX_NUMBER_QUERIES: u32 = 600;

/// How long rows that are not asked for any more are gathered, to be deleted together.
pub const FORGET_AFTER: Duration = Duration::from_millis(200);

/// Asks with the owner's session, which it opens and keeps.
#[derive(Debug)]
pub struct OutcomeDesk {
    server: Arc<Server>,
    connection: Mutex<Option<Connection>>,
    /// Units whose rows are to be deleted.
    forgotten: Mutex<Vec<UnitToken>>,
}

impl OutcomeDesk {
    /// A desk that has no session yet.
    pub fn new(server: Arc<Server>) -> OutcomeDesk {
        OutcomeDesk {
            server,
            connection: Mutex::default(),
            forgotten: Mutex::default(),
        }
    }

    /// Whether a unit is committed; when it is not, it cannot be any more. `None`
    /// if the server does not say now.
    pub fn ask(&self, token: UnitToken) -> Option<bool> {
        let bytes: &[u8] = token.as_bytes();
        let refuse = |client: &mut Client| {
            let insert = "INSERT INTO db2.unit (id, refused) VALUES ($1, true) \
                          ON CONFLICT DO NOTHING";
            statement(client, insert, &[(oid::UUID, bytes)]);
            client.sync();
        };
        // Two commands: the second must see what the first has waited for.
        let read = |client: &mut Client| {
            let select = "SELECT pg_catalog.textin(pg_catalog.boolout(refused)) \
                          FROM db2.unit WHERE id = $1";
            statement(client, select, &[(oid::UUID, bytes)]);
            client.sync();
        };
        let answer = self.with(|connection, deadline| {
            let refused = connection.exchange(refuse, 1, deadline).ok()?;
            if let Some(error) = refused.error {
                tracing::info!(message = %error.message, "the outcome of a unit is not known yet");
                return None;
            }
            connection.exchange(read, 1, deadline).ok()
        })?;
        match answer.text(0, 0) {
            Some("f") => Some(true),
            Some("t") => Some(false),
            _ => None,
        }
    }

    /// Whether the server lists a transaction as prepared. `None` if it does not say now.
    pub fn is_prepared(&self, name: &str) -> Option<bool> {
        let ask = format!("SELECT gid FROM pg_catalog.pg_prepared_xacts WHERE gid = '{name}'");
        let answer = self.with(|connection, deadline| connection.query(&ask, 1, deadline).ok())?;
        answer.error.is_none().then_some(!answer.rows.is_empty())
    }

    /// What became of a transaction by its number. Waits while it is under way,
    /// ten minutes at most.
    pub fn ask_transaction(&self, number: &str) -> Option<bool> {
        for _ in 0..MAX_NUMBER_QUERIES {
            let ask = |client: &mut Client| {
                let select = "SELECT pg_catalog.pg_xact_status(pg_catalog.xid8in(\
                              pg_catalog.textout($1)))";
                statement(client, select, &[(oid::TEXT, number.as_bytes())]);
                client.sync();
            };
            let answer =
                self.with(|connection, deadline| connection.exchange(ask, 1, deadline).ok());
            match answer.as_ref().and_then(|answer| answer.text(0, 0)) {
                Some("committed") => return Some(true),
                Some("aborted") => return Some(false),
                _ => std::thread::sleep(Duration::from_secs(1)),
            }
        }
        None
    }

    /// Units that are not asked for any more. True if [`OutcomeDesk::delete_forgotten`]
    /// must follow after a while.
    #[must_use]
    pub fn forget(&self, tokens: &[UnitToken]) -> bool {
        let mut forgotten = self
            .forgotten
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let is_first = forgotten.is_empty();
        forgotten.extend_from_slice(tokens);
        is_first && !tokens.is_empty()
    }

    /// Deletes the rows of units that are not asked for any more. Units that commit do
    /// not wait for its flush: a row that is back after a loss of power does no harm.
    pub fn delete_forgotten(&self) {
        let tokens = {
            let mut forgotten = self
                .forgotten
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            std::mem::take(&mut *forgotten)
        };
        if tokens.is_empty() {
            return;
        }
        let list: Vec<String> = tokens.iter().map(|token| format!("'{token}'")).collect();
        let delete = format!(
            "SET LOCAL synchronous_commit = off; DELETE FROM db2.unit WHERE id IN ({})",
            list.join(", ")
        );
        self.with(|connection, deadline| connection.query(&delete, 1, deadline).ok());
    }

    /// Ends the session.
    pub fn close(&self) {
        *self
            .connection
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// Does something with the session. One that gave no result is dropped.
    fn with(
        &self,
        work: impl FnOnce(&mut Connection, Instant) -> Option<Exchange>,
    ) -> Option<Exchange> {
        let deadline = Instant::now() + ASK_LIMIT;
        let mut slot = self
            .connection
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let is_dead = slot.as_ref().is_some_and(|c| c.socket().has_input());
        if is_dead || slot.is_none() {
            *slot = self.open(deadline);
        }
        let result = work(slot.as_mut()?, deadline);
        if result.is_none() {
            *slot = None;
        }
        result
    }

    fn open(&self, deadline: Instant) -> Option<Connection> {
        let opened = self.server.open_owner().and_then(|mut connection| {
            let set = connection.query(WAIT, 1, deadline);
            set.map(|_| connection).map_err(ServerError::from)
        });
        if let Err(error) = &opened {
            tracing::warn!(%error, "the outcome of a unit of work cannot be asked for");
        }
        opened.ok()
    }
}
