//! From Db2's SQL to PostgreSQL's.
//!
//! [`rewrite`] parses the body of a [`Statement`] with the dialect of this
//! crate, goes through every expression with the types that are known of it,
//! and writes PostgreSQL's SQL. A form is the same, rewritten, left to the
//! client, or refused by name: nothing that is not understood passes through.
//!
//! Types come from a [`Catalog`] (DECLARE TABLE when a program is translated,
//! the server's catalogue at run time) and from the host variables. Where a
//! type is not known the server infers it, and what needs one (truncation,
//! scale of a division, dates as text) is done as the server has it.
//!
//! Reference: Db2 for z/OS SQL Reference; PostgreSQL 15 documentation.

mod arithmetic;
mod assign;
mod build;
mod change;
mod compare;
mod complexity;
mod expression;
mod final_table;
mod functions;
mod merge;
mod names;
mod query;
mod results;

pub use functions::function_names;

use crate::dialect::{self, Db2Dialect};
use crate::field::CobolType;
use crate::statement::{Statement, StatementKind};
use crate::temporal::DateStyle;
use crate::text::{HostVariables, ProblemKind, SqlToken, StatementProblem, TokenKind};
use crate::types::{Catalog, SqlType};
use crate::wire::oid;

/// How statements are rewritten.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RewriteOptions {
    /// Schema of tables that are named without one; `None` means the server's
    /// search path.
    pub qualifier: Option<String>,
    /// Format in which dates and times become text.
    pub dates: DateStyle,
    /// Most digits of decimal arithmetic: 15 or 31.
    pub decimal_digits: u8,
}

impl Default for RewriteOptions {
    fn default() -> Self {
        RewriteOptions {
            qualifier: None,
            dates: DateStyle::Iso,
            decimal_digits: 15,
        }
    }
}

/// A statement for PostgreSQL.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RewrittenStatement {
    /// Its text, with `$1`, `$2` … for the inputs.
    pub sql: String,
    /// Type of each parameter as Parse declares it; 0 leaves it to the server.
    pub parameters: Vec<u32>,
    /// Types of the result's columns, as far as they are known.
    pub columns: Vec<SqlType>,
    /// The last two columns are ctid and xmin of the row.
    pub locates_rows: bool,
    /// The last two parameters are ctid and xmin of a cursor's row.
    pub is_positioned: bool,
    /// The result has one row with the identity column's value.
    pub returns_identity: bool,
    /// A query that changes rows: SELECT FROM FINAL TABLE.
    pub changes: bool,
    /// Warnings about the statement.
    pub warnings: Vec<StatementProblem>,
}

/// Rewrites the body of a statement whose inputs are numbered.
pub fn rewrite(
    statement: &Statement,
    catalog: &dyn Catalog,
    hosts: &dyn HostVariables,
    options: &RewriteOptions,
) -> Result<RewrittenStatement, Vec<StatementProblem>> {
    if let Some(problem) = complexity::too_complex(&statement.body) {
        return Err(vec![problem]);
    }
    let changed = final_table::take(&statement.body).map_err(|problem| vec![problem])?;
    let tokens = changed.as_ref().map_or(&statement.body, |c| &c.outer);
    let Some(first) = tokens.first() else {
        let message = format!("{} has no SQL of its own", statement.form.name);
        return Err(vec![StatementProblem::error(0, -104, message)]);
    };
    if let Some(refused) = refused_forms(tokens) {
        return Err(vec![refused]);
    }
    let inputs = statement
        .body
        .iter()
        .filter(|t| t.kind == TokenKind::Host)
        .filter_map(|t| t.text.parse::<usize>().ok())
        .max()
        .unwrap_or(0);
    let mut rewriter = StatementRewriter {
        options,
        catalog,
        hosts,
        tokens,
        parameters: vec![0; inputs],
        scopes: Vec::new(),
        ctes: Vec::new(),
        problems: Vec::new(),
        returns_rows: false,
        target: None,
    };
    let inner = match &changed {
        Some(changed) => Some(rewriter.changed_table(changed)?),
        None => None,
    };
    let dialect = Db2Dialect;
    let mut parser = dialect::parser(&dialect, tokens);
    let mut out = RewrittenStatement {
        sql: String::new(),
        parameters: Vec::new(),
        columns: Vec::new(),
        locates_rows: false,
        is_positioned: false,
        returns_identity: false,
        changes: inner.is_some(),
        warnings: Vec::new(),
    };
    let parsed = match statement.kind {
        StatementKind::Insert
        | StatementKind::Update
        | StatementKind::Delete
        | StatementKind::Merge => parser
            .parse_statement()
            .and_then(|s| parser_end(&mut parser).map(|()| s))
            .map(|s| rewriter.change(statement, s, &mut out)),
        StatementKind::LockTable => {
            rewriter.lock_table(&mut out);
            Ok(())
        }
        StatementKind::SelectInto | StatementKind::DeclareCursor | StatementKind::SetVariables => {
            parser
                .parse_query()
                .and_then(|q| parser_end(&mut parser).map(|()| q))
                .map(|q| rewriter.select(statement, *q, &mut out))
        }
        _ => {
            let problem = StatementProblem::refused(first.at, statement.form.name);
            return Err(vec![problem]);
        }
    };
    if let Err(error) = parsed {
        return Err(vec![dialect::problem(&error, tokens)]);
    }
    if let Some(inner) = inner {
        out.sql = format!("WITH \"{}\" AS ({inner}) {}", final_table::NAME, out.sql);
    }
    let is_warning = |p: &StatementProblem| p.kind == ProblemKind::Warning;
    if !rewriter.problems.iter().all(is_warning) {
        return Err(rewriter.problems);
    }
    out.warnings = rewriter.problems;
    let mut parameters = rewriter.parameters;
    parameters.append(&mut out.parameters);
    out.parameters = parameters;
    Ok(out)
}

fn parser_end(
    parser: &mut sqlparser::parser::Parser<'_>,
) -> Result<(), sqlparser::parser::ParserError> {
    if parser.peek_token_ref().token == sqlparser::tokenizer::Token::EOF {
        return Ok(());
    }
    let found = parser.peek_token();
    parser.expected("the end of the statement", found)
}

/// Forms that are refused before the parser sees them.
fn refused_forms(tokens: &[SqlToken]) -> Option<StatementProblem> {
    const PAIRS: &[(&str, &str, &str)] = &[
        ("NOT", "ATOMIC", "NOT ATOMIC of MERGE"),
        ("ROW", "CHANGE", "ROW CHANGE TIMESTAMP"),
        ("XMLTABLE", "(", "XMLTABLE"),
        ("XMLQUERY", "(", "XMLQUERY"),
        ("FOR", "SYSTEM_TIME", "a period of a temporal table"),
        ("FOR", "BUSINESS_TIME", "a period of a temporal table"),
    ];
    tokens.windows(2).find_map(|w| {
        let fits = |p: &&(&str, &str, &str)| w[0].is(p.0) && w[1].text == p.1;
        let found = PAIRS.iter().find(fits)?;
        Some(StatementProblem::refused(w[0].at, found.2))
    })
}

/// A table or subquery of a FROM clause.
#[derive(Debug, Clone)]
struct FromRelation {
    /// Name that columns are qualified with.
    name: String,
    /// Its columns, if they are known.
    columns: Option<Vec<(String, SqlType)>>,
}

struct StatementRewriter<'a> {
    options: &'a RewriteOptions,
    catalog: &'a dyn Catalog,
    hosts: &'a dyn HostVariables,
    tokens: &'a [SqlToken],
    parameters: Vec<u32>,
    /// Tables of the queries around, innermost last.
    scopes: Vec<Vec<FromRelation>>,
    /// Common table expressions.
    ctes: Vec<FromRelation>,
    problems: Vec<StatementProblem>,
    /// A change returns the rows: it is in FINAL TABLE or OLD TABLE.
    returns_rows: bool,
    /// The columns of the table that a change is for.
    target: Option<Vec<(String, SqlType)>>,
}

impl StatementRewriter<'_> {
    /// Offset in the statement's text of a span.
    fn place(&self, span: sqlparser::tokenizer::Span) -> usize {
        let index = usize::try_from(span.start.column)
            .unwrap_or(0)
            .saturating_sub(1);
        let token = self.tokens.get(index).or(self.tokens.first());
        token.map_or(0, |t| t.at)
    }

    fn refuse(&mut self, span: sqlparser::tokenizer::Span, what: &str) {
        let at = self.place(span);
        self.problems.push(StatementProblem::refused(at, what));
    }

    fn error(&mut self, at: usize, sqlcode: i32, message: String) {
        self.problems
            .push(StatementProblem::error(at, sqlcode, message));
    }

    /// The type of an input, and the type that its parameter is declared with.
    fn input(&mut self, number: usize) -> SqlType {
        let Some(host) = self.hosts.input(number) else {
            return SqlType::Unknown;
        };
        let declared = declared(&host.cobol);
        if let Some(parameter) = self.parameters.get_mut(number - 1)
            && *parameter == 0
        {
            *parameter = declared;
        }
        host.cobol.sql_type()
    }

    /// Declares the parameter of an input as a type.
    fn declare(&mut self, number: usize, oid: u32) {
        if let Some(parameter) = number
            .checked_sub(1)
            .and_then(|n| self.parameters.get_mut(n))
        {
            *parameter = oid;
        }
    }
}

/// The type that a field is declared with where nothing asks for another.
fn declared(cobol: &CobolType) -> u32 {
    match cobol.sql_type() {
        SqlType::Smallint | SqlType::Integer => oid::INT4,
        SqlType::Bigint => oid::INT8,
        // A whole number keeps the index of an integer column in use.
        SqlType::Decimal(digits, 0) if digits <= 9 => oid::INT4,
        SqlType::Decimal(digits, 0) if digits <= 18 => oid::INT8,
        SqlType::Decimal(..) | SqlType::Decfloat(_) => oid::NUMERIC,
        SqlType::Real => oid::FLOAT4,
        SqlType::Double => oid::FLOAT8,
        SqlType::Binary(_) | SqlType::Varbinary(_) | SqlType::Blob(_) => oid::BYTEA,
        SqlType::Clob(_) => oid::TEXT,
        _ => oid::BPCHAR,
    }
}
