//! Statements of a program as the server has them, without doing them: what would be
//! wrong when the program runs.
//!
//! Each is rewritten with the types of the catalogue and prepared, so unknown tables
//! and columns and types that do not go together are found. The types of columns are
//! held against the host variables that would get them.

use std::collections::HashMap;

use sql::block::{FieldDescriptor, StatementBlock};
use sql::code::{Sqlca, message_text};
use sql::field::can_decode;
use sql::{ProblemKind, RewriteOptions, RowCount, StatementKind, StatementProblem, rewrite};

use super::exchange::SqlTransport;
use super::report::SqlFailure;
use super::session::{ProgramName, Session};

/// What is wrong with a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatementFinding {
    /// SQLCODE that the program would get.
    pub sqlcode: i32,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
}

/// Looks at the statements of programs over one session.
#[derive(Debug, Default)]
pub struct StatementChecker {
    /// Types of the columns of each cursor whose query was looked at.
    cursors: HashMap<ProgramName, Vec<u32>>,
}

impl StatementFinding {
    fn of(ca: &Sqlca) -> StatementFinding {
        StatementFinding {
            sqlcode: ca.sqlcode,
            message: message_text(ca),
            help: None,
        }
    }
}

impl StatementChecker {
    /// Looks at a statement. Queries of cursors come before their FETCHes.
    ///
    /// # Errors
    /// The connection is of no more use.
    pub fn check(
        &mut self,
        session: &mut Session,
        transport: &mut dyn SqlTransport,
        block: &StatementBlock,
    ) -> Result<Vec<StatementFinding>, String> {
        use StatementKind as K;
        let name = (block.token, block.name.clone());
        let columns = match block.kind {
            K::Fetch => {
                let columns = self.cursors.get(&name).cloned();
                return Ok(
                    columns.map_or_else(Vec::new, |columns| fetched(&columns, &block.outputs))
                );
            }
            K::Open if block.text.is_empty() => return Ok(Vec::new()),
            K::SelectInto
            | K::SetVariables
            | K::Open
            | K::Insert
            | K::Update
            | K::Delete
            | K::LockTable => session.columns_of(transport, block),
            _ => return Ok(Vec::new()),
        };
        match columns {
            Ok(columns) => {
                let found = fetched(&columns, &block.outputs);
                if block.kind == K::Open {
                    self.cursors.insert(name, columns);
                }
                Ok(found)
            }
            Err(CheckFailure::Findings(findings)) => Ok(findings),
            Err(CheckFailure::Server(SqlFailure::Lost(ca))) => Err(message_text(&ca)),
            Err(CheckFailure::Server(failure)) => {
                Ok(vec![StatementFinding::of(&failure.into_sqlca())])
            }
        }
    }
}

enum CheckFailure {
    Findings(Vec<StatementFinding>),
    Server(SqlFailure),
}

impl From<SqlFailure> for CheckFailure {
    fn from(failure: SqlFailure) -> Self {
        CheckFailure::Server(failure)
    }
}

impl Session {
    /// Prepares a statement; the types of its columns.
    fn columns_of(
        &mut self,
        transport: &mut dyn SqlTransport,
        block: &StatementBlock,
    ) -> Result<Vec<u32>, CheckFailure> {
        let mut statement = block.statement().map_err(SqlFailure::from)?;
        if block.rows > 0 || block.rows_input > 0 {
            statement.rows = Some(RowCount::Rows(block.rows.max(2)));
        }
        let options = RewriteOptions {
            qualifier: self.options.qualifier.clone(),
            dates: self.options.dates,
            decimal_digits: self.options.decimal_digits,
        };
        let hosts = block.host_types();
        let mut advice = Vec::new();
        // The look-ups are repeated for what a first round has asked for.
        for _ in 0..ROUNDS {
            let rewritten = rewrite(&statement, &self.catalog, &hosts, &options);
            let wanted = self.catalog.take_wanted();
            if !wanted.is_empty() {
                self.look_up(transport, &wanted)?;
                continue;
            }
            match rewritten {
                Ok(rewritten) => advice = rewritten.warnings,
                Err(problems) => {
                    let wrong = problems.iter().filter(|p| p.kind == ProblemKind::Error);
                    return Err(CheckFailure::Findings(
                        wrong.map(StatementFinding::from).collect(),
                    ));
                }
            }
            break;
        }
        match self.prepare(transport, &statement, &hosts, options.qualifier.clone()) {
            Ok(prepared) => {
                self.exchange.client.close_statement(&prepared.name);
                Ok(prepared.columns)
            }
            // What the rewriter knows of the same mistake has advice.
            Err(SqlFailure::Code(ca)) => {
                let same = advice
                    .iter()
                    .filter(|problem| problem.sqlcode == ca.sqlcode);
                let same: Vec<StatementFinding> = same.map(StatementFinding::from).collect();
                Err(if same.is_empty() {
                    SqlFailure::Code(ca).into()
                } else {
                    CheckFailure::Findings(same)
                })
            }
            Err(failure) => Err(failure.into()),
        }
    }
}

/// Rounds of look-ups: tables of a view or subquery are known after the first.
const ROUNDS: usize = 3;

impl From<&StatementProblem> for StatementFinding {
    fn from(problem: &StatementProblem) -> Self {
        StatementFinding {
            sqlcode: problem.sqlcode,
            message: problem.message.clone(),
            help: problem.help.clone(),
        }
    }
}

/// What is wrong with the variables that columns go to.
fn fetched(columns: &[u32], outputs: &[FieldDescriptor]) -> Vec<StatementFinding> {
    if outputs.is_empty() || columns.is_empty() {
        return Vec::new();
    }
    let mut findings = Vec::new();
    if columns.len() != outputs.len() {
        findings.push(StatementFinding {
            sqlcode: 0,
            message: format!(
                "{} columns for {} host variables",
                columns.len(),
                outputs.len()
            ),
            help: Some("a structure counts as its fields".to_owned()),
        });
    }
    for (number, (column, output)) in (1..).zip(columns.iter().zip(outputs)) {
        if !can_decode(*column, output.cobol) {
            findings.push(StatementFinding {
                sqlcode: -303,
                message: format!(
                    "column {number} of the result is text or a date, and host variable {number} is a number"
                ),
                help: None,
            });
        }
    }
    findings
}
