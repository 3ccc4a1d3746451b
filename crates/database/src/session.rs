//! A session that a worker uses, as the region keeps it.
//!
//! It stays with one worker and one role for its life. The region has its own copy
//! of the descriptor; what it sends goes over that copy.

use std::sync::Arc;
use std::time::{Duration, Instant};

use link::{CallAnswer, CommandOperands, UserId};
use region::LentDescriptor;
use runtime::sql::lending::{grant_flag, operand};

use crate::config::{DateFormat, SqlConfig};
use crate::connection::{Connection, ConnectionError};

/// How long the server may take to put a session back.
const RESET_LIMIT: Duration = Duration::from_secs(10);

/// What a task of another user must not find: settings, temporary tables, locks,
/// cursors. Prepared statements stay; the worker knows their names.
const RESET: &str = "SET SESSION AUTHORIZATION DEFAULT; RESET ALL; CLOSE ALL; UNLISTEN *; \
                     SELECT pg_catalog.pg_advisory_unlock_all(); DISCARD TEMP";

/// A worker's session.
#[derive(Debug)]
pub struct Session {
    /// The region's copy of the connection.
    pub connection: Connection,
    /// What the worker was lent.
    pub lent: Arc<LentDescriptor>,
    /// Its role.
    pub role: Arc<str>,
    /// The user whose tasks it served last.
    pub user: UserId,
    /// Units of work that had it.
    pub units: u64,
}

impl Session {
    /// Whether a task of the session's worker may get it: the worker's process is
    /// there, and the server has sent nothing, such as its own end.
    pub fn is_usable(&self) -> bool {
        self.lent.worker_is_there() && !self.connection.socket().has_input()
    }

    /// Makes the session as new for a task of another user.
    ///
    /// # Errors
    /// The connection is of no more use.
    pub fn reset(&mut self, user: UserId) -> Result<(), ConnectionError> {
        let deadline = Instant::now() + RESET_LIMIT;
        self.connection.query(RESET, 10, deadline)?;
        self.user = user;
        Ok(())
    }

    /// Takes the session back: the connection ends for the worker, too.
    pub fn take_back(self) {
        self.connection.socket().shut_down();
    }

    /// The answer to the worker's request.
    pub fn answer(&self, config: &SqlConfig) -> CallAnswer {
        let dates = match config.dates {
            DateFormat::Iso => 0,
            DateFormat::Usa => 1,
            DateFormat::Eur => 2,
            DateFormat::Jis => 3,
        };
        let flags = if config.deadlock_rolls_back {
            grant_flag::ROLLS_BACK
        } else {
            0
        };
        let tag = self.lent.tag() as i64;
        let mut operands = CommandOperands::new(0)
            .int(operand::TAG, tag)
            .int(operand::GENERATION, tag)
            .int(operand::UNITS, self.units as i64)
            .int(operand::VERSION, i64::from(self.connection.version()))
            .int(operand::FLAGS, flags)
            .int(operand::DATES, dates)
            .int(operand::DIGITS, i64::from(config.decimal_digits))
            .int(operand::CURSOR_BYTES, i64::from(config.held_kib) << 10)
            .bytes(operand::LOCATION, config.location.as_bytes());
        if let Some(qualifier) = &config.qualifier {
            operands = operands.bytes(operand::QUALIFIER, qualifier.as_bytes());
        }
        CallAnswer::of_data(operands.emit())
    }
}
