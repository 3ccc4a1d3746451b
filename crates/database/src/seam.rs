//! What worker and region say to each other about a session.
//!
//! The worker's command `SQL_CONNECT` and its operands, and the work that the
//! region asks of a waiting worker. The worker's side is in `worker::sql`.

use link::{CallAnswer, CommandOperands};

/// The command by which a worker asks for the session of its unit of work.
pub const SQL_CONNECT: u16 = 0xDB02;
/// Takes over a descriptor that was lent.
pub const TAKE: u64 = 1;
/// Before a commit: rows of held cursors are read, and the state is reported.
pub const SQL_SETTLE: u64 = 4;

/// Operands by number.
pub mod operand {
    /// Of the request: why it is made.
    pub const REASON: u8 = 0;
    /// The descriptor's tag.
    pub const TAG: u8 = 1;
    /// Another number is another session.
    pub const GENERATION: u8 = 2;
    /// `server_version_num`.
    pub const VERSION: u8 = 3;
    /// Bit 0: a deadlock backs the unit out (-911).
    pub const FLAGS: u8 = 4;
    /// Form of dates: 0 ISO, 1 USA, 2 EUR, 3 JIS.
    pub const DATES: u8 = 5;
    /// Digits of decimal arithmetic: 15 or 31.
    pub const DIGITS: u8 = 6;
    /// Schema of unqualified tables.
    pub const QUALIFIER: u8 = 7;
    /// Bytes of kept rows of a held cursor.
    pub const CURSOR_BYTES: u8 = 8;
    /// Why there is no session.
    pub const SQLCODE: u8 = 9;
    /// Tokens of the message, separated by FF.
    pub const TEXT: u8 = 10;
    /// CURRENT SERVER.
    pub const LOCATION: u8 = 11;
}

/// Why a worker asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallReason {
    /// First statement of a unit of work.
    Statement,
    /// A statement was cancelled.
    Cancelled,
    /// The connection of a tag is lost.
    Lost(u64),
}

impl CallReason {
    /// Reads a request; `None` for an unknown reason.
    pub fn parse(operands: &CommandOperands) -> Option<CallReason> {
        match operands.get_int(operand::REASON).unwrap_or(0) {
            0 => Some(CallReason::Statement),
            1 => Some(CallReason::Cancelled),
            2 => Some(CallReason::Lost(
                operands.get_int(operand::TAG).unwrap_or(0) as u64,
            )),
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
