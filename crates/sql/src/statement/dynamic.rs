//! Queries and searched statements: their host variables and last clauses.
//!
//! The same for a program's own statements, for queries of cursors, and for
//! text that is prepared at run time.

use super::reader::Reader;
use super::{RowCount, Statement, StatementKind, clauses, form, read};
use crate::text::{HostReference, SqlToken, StatementProblem, TokenKind};

/// A prepared text: a query, or any statement that may be prepared.
pub(super) fn statement(mut tokens: Vec<SqlToken>) -> Result<Statement, StatementProblem> {
    while tokens.last().is_some_and(|t| t.is_mark(";")) {
        tokens.pop();
    }
    let query = tokens.iter().find(|t| !t.is_mark("("));
    if query.is_some_and(|t| t.is_any(&["SELECT", "WITH"]))
        && let Some(form) = form(&["SELECT"])
    {
        let mut statement = Statement::new(form);
        statement.body = tokens;
        finish(&mut statement)?;
        return Ok(statement);
    }
    let statement = read::statement(tokens)?;
    use StatementKind as K;
    let fits = matches!(
        statement.kind,
        K::Insert
            | K::Update
            | K::Delete
            | K::Merge
            | K::Commit
            | K::Rollback
            | K::Savepoint
            | K::ReleaseSavepoint
            | K::RollbackToSavepoint
            | K::LockTable
            | K::Definition
            | K::SetRegister
            | K::Call
    );
    if !fits {
        let message = format!("{} cannot be prepared", statement.form.name);
        return Err(StatementProblem::error(0, -84, message));
    }
    Ok(statement)
}

/// Takes clauses, positioned conditions and indicators out of a body.
pub(super) fn finish(statement: &mut Statement) -> Result<(), StatementProblem> {
    clauses::take(statement)?;
    let row = positioned(statement)?;
    indicators(statement)?;
    // After the inputs of the body, which have their numbers there.
    if let Some(RowNumber::Host(host)) = row {
        statement.inputs.push(host);
        statement.rows = Some(RowCount::Input(statement.inputs.len()));
    } else if let Some(RowNumber::Number(row)) = row {
        statement.rows = Some(RowCount::Rows(row));
    }
    markers(statement);
    Ok(())
}

/// The row that FOR ROW n OF ROWSET names.
enum RowNumber {
    Number(u32),
    Host(HostReference),
}

/// `WHERE CURRENT OF cursor`, and `FOR ROW n OF ROWSET`, at the end.
fn positioned(statement: &mut Statement) -> Result<Option<RowNumber>, StatementProblem> {
    let at = statement
        .body
        .windows(3)
        .rposition(|w| w[0].is("WHERE") && w[1].is("CURRENT") && w[2].is("OF"));
    let Some(at) = at else { return Ok(None) };
    let tail = statement.body.split_off(at);
    let mut reader = Reader::new(tail);
    reader.at = 3;
    statement.name = Some(reader.name("the name of a cursor")?);
    if !reader.accept_all(&["FOR", "ROW"]) {
        reader.end()?;
        return Ok(None);
    }
    let number = reader.peek().filter(|t| t.kind == TokenKind::Number);
    let row = match number.map(|t| t.text.parse::<u32>()) {
        Some(Ok(row)) if row > 0 => {
            reader.at += 1;
            RowNumber::Number(row)
        }
        Some(_) => return Err(reader.unexpected("the number of a row, from 1")),
        None => RowNumber::Host(reader.host("the number of a row")?),
    };
    if !reader.accept_all(&["OF", "ROWSET"]) {
        return Err(reader.unexpected("OF ROWSET"));
    }
    reader.end()?;
    Ok(Some(row))
}

/// Notes the body's host variables and takes their indicators out.
fn indicators(statement: &mut Statement) -> Result<(), StatementProblem> {
    let mut reader = Reader::new(std::mem::take(&mut statement.body));
    let mut body = Vec::with_capacity(reader.tokens.len());
    while let Some(token) = reader.peek().cloned() {
        if token.kind == TokenKind::Host {
            statement.inputs.push(reader.host("a host variable")?);
        } else {
            reader.at += 1;
        }
        body.push(token);
    }
    statement.body = body;
    Ok(())
}

/// Parameter markers become inputs with numbers as names.
fn markers(statement: &mut Statement) {
    if !statement.body.iter().any(|t| t.kind == TokenKind::Marker) {
        return;
    }
    statement.inputs.clear();
    for token in &mut statement.body {
        if matches!(token.kind, TokenKind::Marker | TokenKind::Host) {
            token.kind = TokenKind::Host;
            token.text = (statement.inputs.len() + 1).to_string();
            statement.inputs.push(HostReference {
                name: token.text.clone(),
                indicator: None,
                at: token.at,
            });
        }
    }
}
