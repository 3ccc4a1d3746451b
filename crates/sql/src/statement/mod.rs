//! Statements: what EXEC SQL is, before its SQL is understood.
//!
//! [`Statement::parse`] finds the statement's row in the table, takes host
//! variables, cursor names and clauses that the server does not get out of it,
//! and leaves the rest as tokens for [`crate::rewrite`]. A program's statement
//! names host variables; after [`Statement::number_inputs`] it has numbers, and
//! its text can be kept in a statement block and be parsed again at run time.

mod call;
mod clauses;
mod cursor;
mod diagnostics;
mod dynamic;
mod read;
mod reader;
mod table;

pub use call::{CallArgument, call_arguments};
pub use clauses::{Isolation, LockStrength};
pub use cursor::{CursorOptions, CursorSensitivity, FetchDistance, FetchOrientation};
pub use read::{WheneverAction, WheneverCondition};
pub use table::{FORMS, StatementForm, StatementKind, StatementSupport, form, verbs};

use crate::text::{HostReference, SqlToken, StatementProblem, TokenKind, lex, quoted_name};
use crate::types::Table;

/// One statement.
#[derive(Debug, Clone)]
pub struct Statement {
    /// The statement's kind.
    pub kind: StatementKind,
    /// Its row.
    pub form: &'static StatementForm,
    /// The SQL for the server: the query of a cursor, a searched UPDATE, the
    /// expressions of SET as a SELECT. Empty where nothing is left.
    pub body: Vec<SqlToken>,
    /// Host variables that the statement reads, in the order of the body.
    pub inputs: Vec<HostReference>,
    /// Host variables that it sets.
    pub outputs: Vec<HostReference>,
    /// Cursor, prepared statement, savepoint, member or register.
    pub name: Option<String>,
    /// Prepared statement that a cursor is declared for.
    pub prepared: Option<String>,
    /// SQLDA of USING DESCRIPTOR and INTO DESCRIPTOR.
    pub descriptor: Option<String>,
    /// How a cursor is declared.
    pub cursor: CursorOptions,
    /// The orientation of FETCH.
    pub orientation: FetchOrientation,
    /// Isolation clause.
    pub isolation: Option<Isolation>,
    /// Rows of FOR n ROWS: a number, or the number of the input that has it.
    pub rows: Option<RowCount>,
    /// Columns of FOR UPDATE OF; empty for all.
    pub update_of: Vec<String>,
    /// Condition and action of WHENEVER.
    pub whenever: Option<(WheneverCondition, WheneverAction)>,
    /// The table of DECLARE TABLE.
    pub table: Option<Table>,
    /// Warnings about the statement.
    pub warnings: Vec<StatementProblem>,
}

/// A number of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowCount {
    /// A number.
    Rows(u32),
    /// The value of an input, from 1.
    Input(usize),
}

impl Statement {
    /// Reads a statement.
    pub fn parse(text: &str) -> Result<Statement, StatementProblem> {
        read::statement(lex(text)?)
    }

    /// Reads a query or searched statement that a program prepares, or a query
    /// that a cursor is declared for.
    pub fn parse_dynamic(text: &str) -> Result<Statement, StatementProblem> {
        dynamic::statement(lex(text)?)
    }

    /// Puts numbers in the place of the inputs' names. `fields` says how many
    /// fields each input has: a structure of several becomes as many numbers.
    pub fn number_inputs(&mut self, fields: &[usize]) {
        let mut number = 0;
        let mut input = 0;
        let mut body = Vec::with_capacity(self.body.len());
        for token in self.body.drain(..) {
            if token.kind != TokenKind::Host {
                body.push(token);
                continue;
            }
            let count = fields.get(input).copied().unwrap_or(1);
            input += 1;
            for field in 0..count {
                if field > 0 {
                    body.push(SqlToken {
                        kind: TokenKind::Mark,
                        text: ",".to_owned(),
                        ..token.clone()
                    });
                }
                number += 1;
                body.push(SqlToken {
                    text: number.to_string(),
                    ..token.clone()
                });
            }
        }
        self.body = body;
    }

    /// The body as text: what a statement block keeps.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for token in &self.body {
            let opened = out.is_empty() || out.ends_with(['(', '.']);
            let is_mark = token.kind == TokenKind::Mark;
            let closes = is_mark && matches!(token.text.as_str(), "," | ")" | ".");
            if !opened && !closes {
                out.push(' ');
            }
            let text = &token.text;
            match token.kind {
                TokenKind::Quoted => out.push_str(&quoted_name(text)),
                TokenKind::Text => out.push_str(&format!("'{}'", text.replace('\'', "''"))),
                TokenKind::Hex => out.push_str(&format!("X'{text}'")),
                TokenKind::BinaryHex => out.push_str(&format!("BX'{text}'")),
                TokenKind::Graphic => out.push_str(&format!("G'{}'", text.replace('\'', "''"))),
                TokenKind::GraphicHex => out.push_str(&format!("UX'{text}'")),
                TokenKind::Host => out.push_str(&format!(":{text}")),
                _ => out.push_str(text),
            }
        }
        out
    }

    /// A statement of a form without anything else.
    pub(crate) fn of_form(form: &'static StatementForm) -> Statement {
        Statement::new(form)
    }

    fn new(form: &'static StatementForm) -> Statement {
        Statement {
            kind: form.kind,
            form,
            body: Vec::new(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            name: None,
            prepared: None,
            descriptor: None,
            cursor: CursorOptions::default(),
            orientation: FetchOrientation::Next,
            isolation: None,
            rows: None,
            update_of: Vec::new(),
            whenever: None,
            table: None,
            warnings: Vec::new(),
        }
    }
}
