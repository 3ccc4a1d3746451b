//! What the region sends at the end of a unit of work, over its own copy of the
//! connection.
//!
//! A program may have sent anything before: statements whose answers are not read
//! yet, a COMMIT of its own, half a message. So the region reads back a random
//! number that it has sent; every answer after that one is the region's own.
//! The commands use the extended protocol, since the text of a statement is visible
//! to other sessions of the role (`pg_stat_activity`) and bound values are not.

use std::time::{Duration, Instant};

use region::UnitToken;
use sql::wire::{Client, TransactionState, oid};

use crate::connection::{Connection, ConnectionError, Exchange, nonce};

/// How long the server may take for a COMMIT. Afterwards the connection is taken
/// back and the outcome asked for.
const COMMIT_LIMIT: Duration = Duration::from_secs(if cfg!(test) { 3 } else { 30 });
/// Rows that are read at most: a program may have left answers on the connection.
const MOST_ROWS: usize = 16;

/// The unit's row. The table is qualified: a program can have a temporary one of
/// its name.
const INSERT_UNIT: &str = "INSERT INTO db2.unit (id) VALUES ($1)";
/// The region's random number, and the transaction's number if it has changed
/// something.
const PROBE: &str =
    "SELECT $1, pg_catalog.textin(pg_catalog.xid8out(pg_catalog.pg_current_xact_id_if_assigned()))";

/// How a unit ended at the server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UnitSettlement {
    /// It is committed.
    Committed,
    /// It is rolled back.
    RolledBack,
    /// The connection failed. The outcome must be asked for; with the number of the
    /// transaction if it was known.
    Unknown(Option<String>),
}

/// What became of a unit that was to be prepared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PrepareResult {
    /// It is prepared.
    Prepared,
    /// It had changed nothing, and is over.
    NothingChanged,
    /// It is rolled back.
    RolledBack,
    /// The connection failed, or a program has left statements on it.
    Unknown,
}

/// Prepares a unit under a name, which has no quote.
pub fn prepare(connection: &mut Connection, name: &str) -> PrepareResult {
    let deadline = Instant::now() + COMMIT_LIMIT;
    let has_changed = match probe(connection, deadline) {
        Ok(number) => number.is_some() && connection.state() != TransactionState::Idle,
        Err(_) => return PrepareResult::RolledBack,
    };
    if !has_changed {
        return if connection.state() == TransactionState::Idle || roll_back(connection) {
            PrepareResult::NothingChanged
        } else {
            PrepareResult::RolledBack
        };
    }
    let expected = nonce();
    let commands = |client: &mut Client| {
        statement(client, &format!("PREPARE TRANSACTION '{name}'"), &[]);
        statement(client, "SELECT $1", &[(oid::TEXT, expected.as_bytes())]);
        client.sync();
    };
    match connection.exchange(commands, MOST_ROWS, deadline) {
        // The server rolls back what it cannot prepare.
        Ok(answer) if answer.error.is_some() => {
            log_refusal(&answer);
            if roll_back(connection) {
                PrepareResult::RolledBack
            } else {
                PrepareResult::Unknown
            }
        }
        Ok(answer) if has_nonce(&answer, &expected) => PrepareResult::Prepared,
        Ok(_) => {
            distrust(connection);
            PrepareResult::Unknown
        }
        Err(error) => {
            broken(connection, &error, None);
            PrepareResult::Unknown
        }
    }
}

/// Reads a random number back. Returns the transaction's number if it has changed
/// something.
///
/// # Errors
/// Nothing of the unit is committed: it has failed, or the connection was taken back.
fn probe(connection: &mut Connection, deadline: Instant) -> Result<Option<String>, ()> {
    let expected = nonce();
    let commands = |client: &mut Client| {
        statement(client, PROBE, &[(oid::TEXT, expected.as_bytes())]);
        client.sync();
    };
    match connection.exchange(commands, MOST_ROWS, deadline) {
        // The transaction has failed.
        Ok(answer) if answer.error.is_some() => {
            roll_back(connection);
            Err(())
        }
        Ok(answer) if has_nonce(&answer, &expected) => Ok(answer.text(0, 1).map(str::to_owned)),
        Ok(_) => {
            connection.socket().shut_down();
            Err(())
        }
        // COMMIT was not sent.
        Err(error) => {
            broken(connection, &error, None);
            Err(())
        }
    }
}

/// Commits a unit together with its row.
pub fn commit_with_token(connection: &mut Connection, token: UnitToken) -> UnitSettlement {
    let expected = nonce();
    let commands = |client: &mut Client| {
        statement(client, INSERT_UNIT, &[(oid::UUID, token.as_bytes())]);
        statement(client, "SELECT $1", &[(oid::TEXT, expected.as_bytes())]);
        statement(client, "COMMIT", &[]);
        client.sync();
    };
    match connection.exchange(commands, MOST_ROWS, Instant::now() + COMMIT_LIMIT) {
        // The server stops at the first error: COMMIT was not reached, or it failed
        // and rolled back. The error may be of a statement that a program has left;
        // a rollback that is read back shows that nothing of the kind was there.
        Ok(answer) if answer.error.is_some() => {
            log_refusal(&answer);
            if roll_back(connection) {
                UnitSettlement::RolledBack
            } else {
                UnitSettlement::Unknown(None)
            }
        }
        Ok(answer) if has_nonce(&answer, &expected) => UnitSettlement::Committed,
        Ok(_) => distrust(connection),
        Err(error) => broken(connection, &error, None),
    }
}

/// Commits a unit with changes of the server alone.
pub fn commit_one_phase(connection: &mut Connection) -> UnitSettlement {
    let deadline = Instant::now() + COMMIT_LIMIT;
    let Ok(number) = probe(connection, deadline) else {
        return UnitSettlement::RolledBack;
    };
    if connection.state() == TransactionState::Idle {
        return UnitSettlement::Committed;
    }
    let commit = |client: &mut Client| {
        statement(client, "COMMIT", &[]);
        client.sync();
    };
    match connection.exchange(commit, MOST_ROWS, deadline) {
        Ok(answer) if answer.error.is_some() => {
            log_refusal(&answer);
            UnitSettlement::RolledBack
        }
        Ok(_) => UnitSettlement::Committed,
        // A transaction that has changed nothing has no outcome.
        Err(error) => match (broken(connection, &error, number.clone()), number) {
            (_, None) => UnitSettlement::Committed,
            (unknown, Some(_)) => unknown,
        },
    }
}

/// Rolls a unit back. Returns false if the connection had to be taken back, which
/// rolls back, too.
pub fn roll_back(connection: &mut Connection) -> bool {
    let expected = nonce();
    let commands = |client: &mut Client| {
        statement(client, "ROLLBACK", &[]);
        statement(client, "SELECT $1", &[(oid::TEXT, expected.as_bytes())]);
        client.sync();
    };
    let done = connection.exchange(commands, MOST_ROWS, Instant::now() + COMMIT_LIMIT);
    let is_done = done.is_ok_and(|answer| has_nonce(&answer, &expected));
    if !is_done {
        connection.socket().shut_down();
    }
    is_done
}

/// An unnamed statement with binary values, from Parse to Execute.
pub fn statement(client: &mut Client, sql: &str, values: &[(u32, &[u8])]) {
    let types: Vec<u32> = values.iter().map(|(oid, _)| *oid).collect();
    client.parse("", sql, &types);
    let bound = client.bind("", "", values.len(), |bind| {
        for (_, value) in values {
            bind.value(|out| {
                out.extend_from_slice(value);
                Ok::<(), std::convert::Infallible>(())
            })?;
        }
        Ok::<(), std::convert::Infallible>(())
    });
    let Ok(()) = bound;
    client.execute("", 0);
}

/// Whether the random number was read back, as the only row.
fn has_nonce(answer: &Exchange, expected: &str) -> bool {
    answer.rows.len() == 1 && answer.text(0, 0) == Some(expected)
}

/// Answers that are not the region's: the outcome must be asked for.
fn distrust(connection: &Connection) -> UnitSettlement {
    tracing::warn!("a program has left statements on its connection: it is taken back");
    connection.socket().shut_down();
    UnitSettlement::Unknown(None)
}

fn broken(
    connection: &Connection,
    error: &ConnectionError,
    number: Option<String>,
) -> UnitSettlement {
    tracing::warn!(%error, "a connection failed at the end of a unit of work");
    connection.socket().shut_down();
    UnitSettlement::Unknown(number)
}

fn log_refusal(answer: &Exchange) {
    if let Some(error) = &answer.error {
        let (sqlstate, message) = (&error.sqlstate, &error.message);
        tracing::warn!(%sqlstate, %message, "the server did not commit a unit of work");
    }
}
