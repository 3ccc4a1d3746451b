//! EXEC SQL at run time: a session with PostgreSQL and the statements on it.
//!
//! A statement is a CALL of [`sql::block::SQL_ENTRY`] with a statement block, the
//! SQLCA and the host variables. [`Session::execute`] does it on the program's
//! storage ([`SqlAreas`]) over a connection ([`SqlTransport`]) that is
//! authenticated and set up. A worker and a batch program share this; they
//! differ in [`UnitOwner`], which says who ends units of work.
//!
//! * `session`: what a connection has, and the way of a statement;
//! * `unit`: BEGIN, the savepoint before a statement, the end of a unit;
//! * `exchange`: a batch of messages out, its replies in;
//! * `prepare`, `catalog`: from a block to a prepared statement, with types of the
//!   server's catalogue;
//! * `bind`, `receive`: host variables to the wire and back;
//! * `query`, `change`, `cursor`, `dynamic`, `other`: the statements;
//! * `stream`: rows of a cursor that arrive while the program works;
//! * `descriptor`, `diagnostics`, `call`: SQLDA, GET DIAGNOSTICS, procedures;
//! * `lending`: how a worker's session comes from its region;
//! * `check`: statements looked at without being done;
//! * `service`: DSNTIAR and DSNTIAC.
//!
//! Invariant: the wire is quiet whenever the program waits for its host or has
//! ended ([`Session::quiet`]), so that the region can use its copy of the connection.

mod areas;
mod bind;
mod call;
mod catalog;
mod change;
mod check;
mod cursor;
mod descriptor;
mod diagnostics;
mod dynamic;
mod exchange;
pub mod lending;
mod other;
mod prepare;
mod query;
mod receive;
mod report;
mod service;
mod session;
mod stream;
#[cfg(test)]
mod tests;
mod unit;

pub use areas::SqlAreas;
pub use catalog::{TABLE_COLUMNS, table_column};
pub use check::{StatementChecker, StatementFinding};
pub use exchange::SqlTransport;
pub use report::{SqlFailure, StatementOutcome};
pub use service::{dsntiac, dsntiar};
pub use session::{Session, SessionOptions, UnitOwner};
pub use unit::SettledUnit;
