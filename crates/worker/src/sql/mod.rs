//! EXEC SQL in a task: CALL of DSNHLI, DSNTIAR and DSNTIAC.
//!
//! At the first statement of a unit of work the worker asks the region for a
//! connection ([`SQL_CONNECT`]); afterwards it talks to the server by itself, as
//! `runtime::sql` does. The region ends units: before a commit it has the waiting
//! worker settle ([`SQL_SETTLE`]), then it sends COMMIT over its own copy.
//!
//! While the server works the QR token is given back. A wait ends when the server
//! answers: for a task that is purged the region has the server cancel the statement.
//!
//! Reference: `docs/internals/sql.md`.

mod areas;
mod grant;
mod link;

pub use grant::SqlRefusal;
pub use link::{SqlLink, connect};

use runtime::sql::{SqlAreas, StatementOutcome, dsntiac, dsntiar};
use sql::code::{SQLCA_BYTES, Sqlca};

use crate::abend::Abend;
use crate::exec::CommandStop;
use crate::le::{LeArguments, LeResult, ServiceEnd};
use crate::services::CommandFailure;
use crate::worker::Worker;

use areas::WorkerAreas;
pub(crate) use grant::SqlGrant;
pub(crate) use link::SqlConnection;
use link::TaskTransport;
pub(crate) use link::settle;

/// Number of the command by which a worker asks for its unit's connection; no
/// command of CICS has it.
pub const SQL_CONNECT: u16 = 0xDB02;
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
    /// The descriptor's tag: of a connection that is lost, and of the answer.
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
}

/// CALL 'DSNHLI'.
pub(crate) fn serve(w: &mut Worker, arguments: &LeArguments<'_>) -> LeResult {
    let mut areas = WorkerAreas(arguments);
    if areas.bytes(1).len() < SQLCA_BYTES {
        let why = "an SQL statement without an SQLCA";
        return Err(ServiceEnd::Stop(CommandStop::Abend(Abend::new(
            cics::abend::AEXZ,
            why,
        ))));
    }
    w.services.progress();
    let mut link = match w.services.sql_open() {
        Ok(link) => link,
        Err(SqlRefusal::Code(ca)) => {
            write(&mut areas, &ca);
            return Ok(());
        }
        Err(SqlRefusal::Failed(CommandFailure::Condition(condition, _))) => {
            let why = format!("the region answered {condition}");
            write(&mut areas, &Sqlca::of(-924, &[&why]));
            return Ok(());
        }
        Err(SqlRefusal::Failed(failure)) => return Err(ServiceEnd::Stop(failure.into())),
    };
    let holding = w.on_qr();
    let executed = {
        let mut transport = TaskTransport::new(link.file(), &mut *w.services, holding);
        link.session.execute(&mut transport, &mut areas)
    };
    let ended = match executed {
        StatementOutcome::Lost => return stopped(w.services.sql_lost(link)),
        StatementOutcome::Done => Ok(()),
        StatementOutcome::UnitRolledBack => {
            w.services.sql_keep(link);
            return stopped(w.services.rollback());
        }
        StatementOutcome::Cancelled => {
            w.services.sql_keep(link);
            return stopped(w.services.sql_cancelled());
        }
    };
    w.services.sql_keep(link);
    ended
}

/// An answer of the region after a statement: only an abend counts, for the
/// program has its SQLCODE already.
fn stopped(answer: crate::services::ServiceResult<()>) -> LeResult {
    match answer {
        Err(failure @ CommandFailure::Abend(_)) => Err(ServiceEnd::Stop(failure.into())),
        _ => Ok(()),
    }
}

fn write(areas: &mut WorkerAreas<'_, '_>, ca: &Sqlca) {
    if let Some(area) = areas.bytes_mut(1).first_chunk_mut::<SQLCA_BYTES>() {
        ca.write(area);
    }
}

/// CALL 'DSNTIAR'.
pub(crate) fn tiar(_: &mut Worker, arguments: &LeArguments<'_>) -> LeResult {
    Err(ServiceEnd::ReturnCode(dsntiar(&mut WorkerAreas(arguments))))
}

/// CALL 'DSNTIAC'.
pub(crate) fn tiac(_: &mut Worker, arguments: &LeArguments<'_>) -> LeResult {
    Err(ServiceEnd::ReturnCode(dsntiac(&mut WorkerAreas(arguments))))
}
