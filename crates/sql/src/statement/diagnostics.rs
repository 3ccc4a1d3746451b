//! GET DIAGNOSTICS: its items stay as the statement's body, its host variables are
//! outputs.
//!
//! Reference: Db2 for z/OS SQL Reference, "GET DIAGNOSTICS".

use super::Statement;
use super::reader::Reader;
use crate::code::{CONDITION_ITEMS, STATEMENT_ITEMS};
use crate::text::{HostReference, StatementProblem, TokenKind};

/// Reads the items after GET.
pub(super) fn get(statement: &mut Statement, reader: &mut Reader) -> Result<(), StatementProblem> {
    reader.accept("CURRENT");
    reader.expect("DIAGNOSTICS")?;
    let start = reader.at;
    let by_condition = reader.accept("CONDITION") || reader.accept("EXCEPTION");
    if by_condition {
        let is_number = reader.peek().is_some_and(|t| t.kind == TokenKind::Number);
        if is_number {
            reader.at += 1;
        } else {
            // The next host variable is not an indicator.
            let Some(token) = reader.peek().filter(|t| t.kind == TokenKind::Host) else {
                return Err(reader.unexpected("the number of a condition"));
            };
            statement.inputs.push(HostReference {
                name: token.text.clone(),
                indicator: None,
                at: token.at,
            });
            reader.at += 1;
        }
    }
    let mut body = reader.tokens[start..reader.at].to_vec();
    let known = if by_condition {
        CONDITION_ITEMS
    } else {
        STATEMENT_ITEMS
    };
    loop {
        statement.outputs.push(reader.host("a host variable")?);
        if !reader.accept_mark("=") {
            return Err(reader.unexpected("="));
        }
        let Some(item) = reader.peek().cloned() else {
            return Err(reader.unexpected("an item of the diagnostics"));
        };
        if !known.contains(&item.text.as_str()) {
            let message = format!("{} is not an item that is served", item.text);
            let problem = StatementProblem::error(item.at, -104, message);
            return Err(problem.with_nearest(&item.text, known.iter().copied()));
        }
        reader.at += 1;
        body.push(item);
        let Some(comma) = reader.peek().filter(|t| t.is_mark(",")).cloned() else {
            break;
        };
        reader.at += 1;
        body.push(comma);
    }
    statement.body = body;
    reader.end()
}
