//! How a host that is a region's worker gets the session of a unit of work: the
//! numbers that worker and region have for it.
//!
//! At the first statement of a unit a worker sends [`SQL_CONNECT`]; the region answers
//! with a connection that it has lent, or with an SQLCODE. A worker may name a session
//! that it has since an earlier unit of its task and not wait: it does the statement
//! first, and again on another session if the answer has one. Before a commit the
//! region has the waiting worker do [`SQL_SETTLE`], if the unit has reported cursors
//! WITH HOLD. The worker's side is `worker::sql`, the region's side is the crate
//! `database`.
//!
//! Reference: `docs/internals/sql.md`.

/// The name by which the store knows the SQL server as the participant that decides.
pub const DECIDER: &str = "SQL";
/// Number of the command by which a worker asks for its unit's connection; no
/// command of CICS has it.
pub const SQL_CONNECT: u16 = 0xDB02;
/// The work by which a worker takes over a descriptor that was lent.
pub const TAKE: u64 = 1;
/// The work by which the region has a waiting worker prepare for a commit. The
/// result is the transaction's state (`I`, `T`, `E`) and flags ([`settled`]).
pub const SQL_SETTLE: u64 = 4;

/// Flags of the second byte of [`SQL_SETTLE`]'s result.
pub mod settled {
    /// The unit may have changed rows.
    pub const CHANGED: u8 = 1;
    /// Cursors stay open over the commit.
    pub const HOLDS: u8 = 2;
}

/// Why a worker sends [`SQL_CONNECT`].
pub mod reason {
    /// The first statement of a unit of work.
    pub const FIRST_STATEMENT: i64 = 0;
    /// A statement was cancelled: the region may end the task.
    pub const CANCELLED: i64 = 1;
    /// The connection is of no more use.
    pub const LOST: i64 = 2;
    /// A cursor WITH HOLD is open that has rows at the server.
    pub const HOLDS: i64 = 3;
}

/// Flags of [`operand::FLAGS`].
pub mod grant_flag {
    /// DROLLBACK(YES): a deadlock rolls the unit of work back.
    pub const ROLLS_BACK: i64 = 1;
}

/// Operands of [`SQL_CONNECT`] and of its answer.
pub mod operand {
    /// Of the request: [`super::reason`].
    pub const REASON: u8 = 0;
    /// The descriptor's tag: of a connection that is lost, of one that the first
    /// statement uses already, and of the answer.
    pub const TAG: u8 = 1;
    /// Another number is another session: nothing of the former is there.
    pub const GENERATION: u8 = 2;
    /// The server's version: 150018.
    pub const VERSION: u8 = 3;
    /// [`super::grant_flag`].
    pub const FLAGS: u8 = 4;
    /// Dates as text: 0 ISO, 1 USA, 2 EUR, 3 JIS.
    pub const DATES: u8 = 5;
    /// Digits of decimal arithmetic: 15 or 31.
    pub const DIGITS: u8 = 6;
    /// Schema of tables that are named without one; the search path if absent.
    pub const QUALIFIER: u8 = 7;
    /// Bytes that the rows of one cursor may take.
    pub const CURSOR_BYTES: u8 = 8;
    /// Why there is no connection: an SQLCODE. Absent or 0 if there is one.
    pub const SQLCODE: u8 = 9;
    /// Tokens of the SQLCODE, with X'FF' between.
    pub const TEXT: u8 = 10;
    /// CURRENT SERVER.
    pub const LOCATION: u8 = 11;
    /// Units of work that the session has served: another number is another unit.
    pub const UNITS: u8 = 12;
}
