//! EXEC SQL in a task: CALL of DSNHLI, DSNTIAR and DSNTIAC.
//!
//! At the first statement of a unit of work the worker asks the region for a
//! connection ([`SQL_CONNECT`]); afterwards it talks to the server by itself, as
//! `runtime::sql` does. The region ends units: before a commit it has the waiting
//! worker settle ([`SQL_SETTLE`]) if there are cursors WITH HOLD, then it sends COMMIT
//! over its own copy.
//!
//! While the server works the QR token is released. A wait ends when the server
//! answers: for a task that is purged the region has the server cancel the statement.
//!
//! Reference: `docs/internals/sql.md`.

mod areas;
mod grant;
mod link;
mod stepping;
mod variables;

pub use grant::SqlRefusal;
pub use link::{SqlLink, connect};
pub use runtime::sql::lending::{SQL_CONNECT, SQL_SETTLE, grant_flag, operand, reason, settled};

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

/// CALL 'DSNHLI'.
pub(crate) fn serve(w: &mut Worker, arguments: &LeArguments<'_>) -> LeResult {
    if w.task.stepped {
        return stepping::serve(w, arguments);
    }
    execute(w, arguments)
}

fn execute(w: &mut Worker, arguments: &LeArguments<'_>) -> LeResult {
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
        Err(refusal) => return refused(&mut areas, refusal),
    };
    let holding = w.on_qr();
    let mut transport = TaskTransport::new(link.file(), &mut *w.services, holding);
    let executed = link.session.execute(&mut transport, &mut areas);
    let reports_holds = link.must_report_holds();
    let ended = match executed {
        StatementOutcome::Lost => return stopped(w.services.sql_lost(link)),
        StatementOutcome::Done | StatementOutcome::UnitEnds { .. } => Ok(()),
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
    if reports_holds {
        return stopped(w.services.sql_holds());
    }
    ended
}

/// The unit of work has no connection.
fn refused(areas: &mut WorkerAreas<'_, '_>, refusal: SqlRefusal) -> LeResult {
    match refusal {
        SqlRefusal::Code(ca) => write(areas, &ca),
        SqlRefusal::Failed(CommandFailure::Condition(condition, _)) => {
            let why = format!("the region answered {condition}");
            write(areas, &Sqlca::of(-924, &[&why]));
        }
        SqlRefusal::Failed(failure) => return Err(ServiceEnd::Stop(failure.into())),
    }
    Ok(())
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
