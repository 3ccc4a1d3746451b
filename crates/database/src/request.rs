//! Requests of workers for a session, and the answer to one that gets none.
//!
//! The command, its operands and the work that the region asks of a waiting worker
//! are those of [`runtime::sql::lending`]; the worker's side is in `worker::sql`.

use link::{CallAnswer, CommandOperands};
use runtime::sql::lending::{operand, reason};

/// Why a worker asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallReason {
    /// First statement of a unit of work.
    Statement,
    /// A statement was cancelled.
    Cancelled,
    /// The connection of a tag is lost.
    Lost(u64),
    /// A cursor WITH HOLD is open.
    Holds,
}

impl CallReason {
    /// Reads a request; `None` for an unknown reason.
    pub fn parse(operands: &CommandOperands) -> Option<CallReason> {
        let tag = operands.get_int(operand::TAG).unwrap_or(0) as u64;
        match operands
            .get_int(operand::REASON)
            .unwrap_or(reason::FIRST_STATEMENT)
        {
            reason::FIRST_STATEMENT => Some(CallReason::Statement),
            reason::CANCELLED => Some(CallReason::Cancelled),
            reason::LOST => Some(CallReason::Lost(tag)),
            reason::HOLDS => Some(CallReason::Holds),
            _ => None,
        }
    }
}

/// Why a program gets no session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoSession {
    /// SQLCODE.
    pub sqlcode: i32,
    /// Token of the message.
    pub text: String,
}

impl NoSession {
    /// With its token, cut to what SQLERRMC has.
    pub fn new(sqlcode: i32, text: impl std::fmt::Display) -> NoSession {
        let text: String = text.to_string().chars().take(70).collect();
        NoSession { sqlcode, text }
    }

    /// The answer to the worker.
    pub fn answer(&self) -> CallAnswer {
        let operands = CommandOperands::new(0)
            .int(operand::SQLCODE, i64::from(self.sqlcode))
            .bytes(operand::TEXT, self.text.as_bytes());
        CallAnswer::of_data(operands.emit())
    }
}
