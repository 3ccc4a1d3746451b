//! Clauses at the end of a statement that the server does not get as they are.
//!
//! Isolation, FOR FETCH ONLY, FOR UPDATE OF, OPTIMIZE FOR and QUERYNO come in
//! any order after a query; what they ask is kept, and their tokens are taken
//! out. Reference: Db2 for z/OS SQL Reference, "select-statement".

use super::Statement;
use crate::text::{SqlToken, StatementProblem, TokenKind};

/// An isolation clause.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Isolation {
    /// WITH UR.
    UncommittedRead,
    /// WITH CS.
    CursorStability,
    /// WITH RS, and what USE AND KEEP asks.
    ReadStability(LockStrength),
    /// WITH RR, and what USE AND KEEP asks.
    RepeatableRead(LockStrength),
}

/// Locks that a query keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LockStrength {
    /// Others may read.
    Share,
    /// USE AND KEEP UPDATE or EXCLUSIVE LOCKS.
    Exclusive,
}

/// Takes the clauses out of the end of a body.
pub(super) fn take(statement: &mut Statement) -> Result<(), StatementProblem> {
    while let Some((from, clause)) = last_clause(&statement.body) {
        let taken = statement.body.split_off(from);
        let words: Vec<&str> = taken.iter().map(|t| t.text.as_str()).collect();
        match clause {
            QueryClause::Isolation => statement.isolation = Some(isolation(&words)),
            QueryClause::ReadOnly => statement.cursor.read_only = true,
            QueryClause::Update => {
                statement.cursor.for_update = true;
                let names = taken[2..].iter().skip(1);
                let is_name = |t: &&SqlToken| t.kind != TokenKind::Mark;
                statement.update_of = names.filter(is_name).map(|t| t.text.clone()).collect();
            }
            QueryClause::SkipLocked => statement.cursor.skip_locked = true,
            QueryClause::Ignored => {}
        }
    }
    Ok(())
}

enum QueryClause {
    Isolation,
    ReadOnly,
    Update,
    SkipLocked,
    Ignored,
}

/// The clause that a body ends with, and where it begins.
fn last_clause(body: &[SqlToken]) -> Option<(usize, QueryClause)> {
    let ends = |words: &[&str]| {
        let from = body.len().checked_sub(words.len())?;
        let fits = body[from..].iter().zip(words).all(|(t, w)| t.is(w));
        (fits && from > 0).then_some(from)
    };
    for level in ["UR", "CS", "RS", "RR"] {
        if let Some(from) = ends(&["WITH", level]) {
            return Some((from, QueryClause::Isolation));
        }
        for locks in ["SHARE", "UPDATE", "EXCLUSIVE"] {
            let words = ["WITH", level, "USE", "AND", "KEEP", locks, "LOCKS"];
            if let Some(from) = ends(&words) {
                return Some((from, QueryClause::Isolation));
            }
        }
    }
    for what in ["FETCH", "READ"] {
        if let Some(from) = ends(&["FOR", what, "ONLY"]) {
            return Some((from, QueryClause::ReadOnly));
        }
    }
    if let Some(from) = ends(&["SKIP", "LOCKED", "DATA"]) {
        return Some((from, QueryClause::SkipLocked));
    }
    if let Some(from) = ends(&["FOR", "UPDATE"]) {
        return Some((from, QueryClause::Update));
    }
    numbered(body).or_else(|| update_of(body))
}

/// OPTIMIZE FOR n ROWS and QUERYNO n.
fn numbered(body: &[SqlToken]) -> Option<(usize, QueryClause)> {
    let rows = body.last().is_some_and(|t| t.is_any(&["ROW", "ROWS"]));
    let from = body.len().checked_sub(2 + 2 * usize::from(rows))?;
    let tail = &body[from..];
    let optimize = rows && tail[0].is("OPTIMIZE") && tail[1].is("FOR");
    let query = !rows && tail[0].is("QUERYNO") && tail[1].kind == TokenKind::Number;
    (from > 0 && (optimize || query)).then_some((from, QueryClause::Ignored))
}

/// FOR UPDATE OF with its columns.
fn update_of(body: &[SqlToken]) -> Option<(usize, QueryClause)> {
    let at = body
        .windows(3)
        .rposition(|w| w[0].is("FOR") && w[1].is("UPDATE") && w[2].is("OF"))?;
    let is_list =
        |t: &SqlToken| t.is_mark(",") || matches!(t.kind, TokenKind::Word | TokenKind::Quoted);
    (at > 0 && body[at + 3..].iter().all(is_list)).then_some((at, QueryClause::Update))
}

fn isolation(words: &[&str]) -> Isolation {
    let strength = if words.contains(&"UPDATE") || words.contains(&"EXCLUSIVE") {
        LockStrength::Exclusive
    } else {
        LockStrength::Share
    };
    match words[1] {
        "UR" => Isolation::UncommittedRead,
        "RS" => Isolation::ReadStability(strength),
        "RR" => Isolation::RepeatableRead(strength),
        _ => Isolation::CursorStability,
    }
}
