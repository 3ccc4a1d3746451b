//! What a statement reports, and why it could not be done.

use sql::StatementProblem;
use sql::code::Sqlca;
use sql::field::EncodeError;

/// Why a statement was not done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SqlFailure {
    /// The program gets this.
    Code(Box<Sqlca>),
    /// The server rolled the unit of work back, or the session did: -911.
    UnitRolledBack(Box<Sqlca>),
    /// The server cancelled the statement.
    Cancelled(Box<Sqlca>),
    /// The connection is of no more use.
    Lost(Box<Sqlca>),
    /// The program ends its unit of work, which its process does.
    UnitEnds {
        /// By COMMIT; else by ROLLBACK.
        commit: bool,
    },
    /// The prepared statement does not fit its tables any more: once more.
    Stale,
}

impl SqlFailure {
    /// A code with its tokens.
    pub(super) fn code(sqlcode: i32, tokens: &[&str]) -> SqlFailure {
        SqlFailure::Code(Box::new(Sqlca::of(sqlcode, tokens)))
    }

    /// The connection broke, or the server sent what the protocol does not have.
    pub(super) fn lost(why: &str) -> SqlFailure {
        SqlFailure::Lost(Box::new(Sqlca::of(-924, &[why])))
    }
}

impl SqlFailure {
    /// What the program gets of it.
    pub(super) fn into_sqlca(self) -> Box<Sqlca> {
        match self {
            SqlFailure::Code(ca)
            | SqlFailure::UnitRolledBack(ca)
            | SqlFailure::Cancelled(ca)
            | SqlFailure::Lost(ca) => ca,
            SqlFailure::UnitEnds { .. } => Box::new(Sqlca::success(0)),
            SqlFailure::Stale => {
                Box::new(Sqlca::of(-901, &["the statement does not stay prepared"]))
            }
        }
    }
}

impl From<EncodeError> for SqlFailure {
    fn from(error: EncodeError) -> Self {
        SqlFailure::code(error.sqlcode(), &[])
    }
}

impl From<StatementProblem> for SqlFailure {
    fn from(problem: StatementProblem) -> Self {
        SqlFailure::code(problem.sqlcode, &[&problem.message])
    }
}

/// The first error of a list of problems.
pub(super) fn first_problem(problems: Vec<StatementProblem>) -> SqlFailure {
    let is_error = |p: &&StatementProblem| p.kind != sql::ProblemKind::Warning;
    let first = problems.iter().find(is_error).or(problems.first());
    match first {
        Some(problem) => problem.clone().into(),
        None => SqlFailure::code(-901, &["the statement could not be rewritten"]),
    }
}

/// The outcome of a statement, after its SQLCA is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatementOutcome {
    /// It is done, or the program has an SQLCODE.
    Done,
    /// The unit of work was rolled back on this connection (-911): the rest of it
    /// must be, too.
    UnitRolledBack,
    /// The server cancelled it: a purge, or a limit.
    Cancelled,
    /// The connection is of no more use.
    Lost,
    /// COMMIT or ROLLBACK of [`UnitOwner::Process`](super::UnitOwner::Process): nothing is
    /// done, and the SQLCA is not written.
    UnitEnds {
        /// COMMIT; else ROLLBACK.
        commit: bool,
    },
}
