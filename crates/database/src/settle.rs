//! What the region sends at the end of a unit of work, over its own copy of the
//! connection.
//!
//! A program may have sent anything before: statements whose answers are not read
//! yet, a COMMIT of its own, half a message. So the region reads back a random
//! number that it has sent; every answer after that one is the region's own.
//! The commands use the extended protocol, since the text of a statement is visible
//! to other sessions of the role (`pg_stat_activity`) and bound values are not.

use std::io;
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
const PROBE: &str = "SELECT $1, pg_catalog.pg_current_xact_id_if_assigned()";

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
    connection.send_now(|client| {
        statement(client, PROBE, &[(oid::TEXT, expected.as_bytes())]);
        client.sync();
    });
    take_probe(connection, &expected, deadline)
}

fn take_probe(
    connection: &mut Connection,
    expected: &str,
    deadline: Instant,
) -> Result<Option<String>, ()> {
    let mut answer = Exchange::default();
    match connection.take_answers(&mut answer, MOST_ROWS, deadline) {
        // The transaction has failed.
        Ok(()) if answer.error.is_some() => {
            roll_back(connection);
            Err(())
        }
        Ok(()) if has_nonce(&answer, expected) => Ok(transaction_number(&answer)),
        Ok(()) => {
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

/// A commit that was sent, or is about to be.
#[derive(Debug)]
pub struct CommitExchange {
    /// The random number that is read back.
    expected: String,
    deadline: Instant,
    is_one_phase: bool,
    /// COMMIT was sent with what shows that the answers are the region's.
    has_commit: bool,
}

/// Begins to commit a unit together with its row. It does not wait.
pub fn begin_commit_with_token(connection: &mut Connection, token: UnitToken) -> CommitExchange {
    let commit = CommitExchange::new(false, true);
    connection.send_now(|client| {
        statement(client, INSERT_UNIT, &[(oid::UUID, token.as_bytes())]);
        let expected = commit.expected.as_bytes();
        statement(client, "SELECT $1", &[(oid::TEXT, expected)]);
        statement(client, "COMMIT", &[]);
        client.sync();
    });
    commit
}

/// Begins to commit a unit with changes of the server alone. It does not wait.
///
/// On a local connection COMMIT leaves at once. The server sends the transaction's
/// number before it looks at COMMIT: a connection that ended without it has not
/// committed. Elsewhere the answer may be lost on its way, so the number comes first;
/// and so it does where a program has left something on the connection.
pub fn begin_commit_one_phase(connection: &mut Connection) -> CommitExchange {
    let has_commit = connection.is_local() && !connection.socket().has_input();
    let commit = CommitExchange::new(true, has_commit);
    connection.send_now(|client| {
        statement(client, PROBE, &[(oid::TEXT, commit.expected.as_bytes())]);
        if has_commit {
            client.flush();
            statement(client, "COMMIT", &[]);
        }
        client.sync();
    });
    commit
}

impl CommitExchange {
    fn new(is_one_phase: bool, has_commit: bool) -> CommitExchange {
        CommitExchange {
            expected: nonce(),
            deadline: Instant::now() + COMMIT_LIMIT,
            is_one_phase,
            has_commit,
        }
    }

    /// Waits for the outcome.
    pub fn finish(self, connection: &mut Connection) -> UnitSettlement {
        match (self.is_one_phase, self.has_commit) {
            (false, _) => self.finish_with_token(connection),
            (true, true) => self.finish_one_phase(connection),
            (true, false) => self.finish_in_two_steps(connection),
        }
    }

    fn finish_with_token(self, connection: &mut Connection) -> UnitSettlement {
        let mut answer = Exchange::default();
        match connection.take_answers(&mut answer, MOST_ROWS, self.deadline) {
            // The server stops at the first error: COMMIT was not reached, or it failed
            // and rolled back. The error may be of a statement that a program has left;
            // a rollback that is read back shows that nothing of the kind was there.
            Ok(()) if answer.error.is_some() => {
                log_refusal(&answer);
                if roll_back(connection) {
                    UnitSettlement::RolledBack
                } else {
                    UnitSettlement::Unknown(None)
                }
            }
            Ok(()) if has_nonce(&answer, &self.expected) => UnitSettlement::Committed,
            Ok(()) => distrust(connection),
            Err(error) => broken(connection, &error, None),
        }
    }

    fn finish_one_phase(self, connection: &mut Connection) -> UnitSettlement {
        let mut answer = Exchange::default();
        let taken = connection.take_answers(&mut answer, MOST_ROWS, self.deadline);
        let is_own = has_nonce(&answer, &self.expected);
        let number = transaction_number(&answer).filter(|_| is_own);
        let error = match taken {
            Ok(()) if answer.error.is_some() => {
                log_refusal(&answer);
                return if roll_back(connection) {
                    UnitSettlement::RolledBack
                } else {
                    UnitSettlement::Unknown(number)
                };
            }
            Ok(()) if is_own => return UnitSettlement::Committed,
            Ok(()) => return distrust(connection),
            Err(error) => error,
        };
        let outcome = broken(connection, &error, number.clone());
        match (is_own, number) {
            // A transaction that has changed nothing has no outcome.
            (true, None) => UnitSettlement::Committed,
            (false, _) if has_ended(&error) => UnitSettlement::RolledBack,
            _ => outcome,
        }
    }

    fn finish_in_two_steps(self, connection: &mut Connection) -> UnitSettlement {
        let Ok(number) = take_probe(connection, &self.expected, self.deadline) else {
            return UnitSettlement::RolledBack;
        };
        if connection.state() == TransactionState::Idle {
            return UnitSettlement::Committed;
        }
        let commit = |client: &mut Client| {
            statement(client, "COMMIT", &[]);
            client.sync();
        };
        match connection.exchange(commit, MOST_ROWS, self.deadline) {
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
}

/// Whether the server or its connection has ended, and all that it had sent was
/// received.
fn has_ended(error: &ConnectionError) -> bool {
    match error {
        ConnectionError::Socket(error) => error.kind() != io::ErrorKind::TimedOut,
        ConnectionError::Ended(_) => true,
        ConnectionError::Wire(_) => false,
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

/// The number of the transaction in the answer to [`PROBE`], an `xid8`.
fn transaction_number(answer: &Exchange) -> Option<String> {
    let value = answer.rows.first()?.get(1)?.as_deref()?;
    let number = u64::from_be_bytes(value.try_into().ok()?);
    Some(number.to_string())
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
