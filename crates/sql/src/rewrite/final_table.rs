//! FINAL TABLE and OLD TABLE: a query over the rows that a change is for.
//!
//! The change is taken out of the query's tokens, is rewritten by itself with
//! RETURNING, and becomes a common table expression in front of the query; a name
//! that no program can write is in its place.
//!
//! Invariant: OLD TABLE is of a DELETE alone, for the server returns the new rows
//! of an UPDATE. Reference: Db2 for z/OS SQL Reference, "table-reference".

use super::{FromRelation, RewrittenStatement, StatementRewriter, parser_end};
use crate::dialect::{self, Db2Dialect};
use crate::statement::{Statement, form};
use crate::text::{SqlToken, StatementProblem, TokenKind};

/// The name of the rows in the rewritten query.
pub(super) const NAME: &str = "FINAL TABLE";

/// A query with a change in it.
pub(super) struct ChangedTable {
    /// The query, with [`NAME`] instead of the change.
    pub outer: Vec<SqlToken>,
    /// The change.
    inner: Vec<SqlToken>,
}

/// Takes the change out of a query; `None` if it has none.
pub(super) fn take(tokens: &[SqlToken]) -> Result<Option<ChangedTable>, StatementProblem> {
    let is_changed =
        |w: &[SqlToken]| w[0].is_any(&["FINAL", "OLD"]) && w[1].is("TABLE") && w[2].is_mark("(");
    let Some(at) = tokens.windows(3).position(is_changed) else {
        return Ok(None);
    };
    let name = format!("SELECT FROM {} TABLE", tokens[at].text);
    if tokens[at + 3..].windows(3).any(is_changed) || tokens[0].is("WITH") {
        let message = format!("{name} in a query with WITH or a second one");
        return Err(StatementProblem::refused(tokens[at].at, &message));
    }
    let mut depth = 1usize;
    let mut end = at + 3;
    while depth > 0 {
        let Some(token) = tokens.get(end) else {
            let message = "the parenthesis is never closed";
            return Err(StatementProblem::error(tokens[at + 2].at, -104, message));
        };
        depth += usize::from(token.is_mark("("));
        depth -= usize::from(token.is_mark(")"));
        end += 1;
    }
    let inner = tokens[at + 3..end - 1].to_vec();
    let is_old = tokens[at].is("OLD");
    if !inner.first().is_some_and(|t| {
        if is_old {
            t.is("DELETE")
        } else {
            t.is_any(&["INSERT", "UPDATE"])
        }
    }) {
        let what = if is_old {
            "SELECT FROM OLD TABLE of something other than DELETE"
        } else {
            "SELECT FROM FINAL TABLE of something other than INSERT and UPDATE"
        };
        return Err(StatementProblem::refused(tokens[at].at, what));
    }
    let mut outer = tokens[..at].to_vec();
    outer.push(SqlToken {
        kind: TokenKind::Quoted,
        text: NAME.to_owned(),
        ..tokens[at].clone()
    });
    outer.extend_from_slice(&tokens[end..]);
    Ok(Some(ChangedTable { outer, inner }))
}

impl<'a> StatementRewriter<'a> {
    /// Rewrites the change; its columns are known to the query afterwards.
    pub(super) fn changed_table(
        &mut self,
        changed: &'a ChangedTable,
    ) -> Result<String, Vec<StatementProblem>> {
        let tokens = &changed.inner;
        let words = [tokens[0].text.as_str()];
        let Some(form) = form(&words) else {
            return Err(vec![StatementProblem::error(
                tokens[0].at,
                -104,
                "FINAL TABLE",
            )]);
        };
        let statement = Statement::of_form(form);
        let outer = std::mem::replace(&mut self.tokens, tokens);
        let dialect = Db2Dialect;
        let mut parser = dialect::parser(&dialect, tokens);
        let ast = parser
            .parse_statement()
            .and_then(|s| parser_end(&mut parser).map(|()| s))
            .map_err(|error| vec![dialect::problem(&error, tokens)])?;
        let mut out = RewrittenStatement::default();
        self.returns_rows = true;
        self.change(&statement, ast, &mut out);
        self.returns_rows = false;
        self.tokens = outer;
        self.ctes.push(FromRelation {
            name: NAME.to_owned(),
            columns: self.target.take(),
        });
        Ok(out.sql)
    }
}
