//! CALL of a procedure of the server.
//!
//! Host variables that are arguments by themselves are read and may be set: which
//! the procedure sets is its own, and asked for when the program runs.
//!
//! Reference: Db2 for z/OS SQL Reference, "CALL".

use super::reader::{Reader, shown};
use super::{Statement, dynamic};
use crate::text::{SqlToken, StatementProblem, TokenKind};

/// An argument of CALL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CallArgument {
    /// A host variable: its number from 1.
    Host(usize),
    /// A constant or NULL, as the server has it.
    Constant(String),
}

/// Reads CALL name (argument, …).
pub(super) fn call(statement: &mut Statement, mut reader: Reader) -> Result<(), StatementProblem> {
    if let Some(name) = reader.tokens.get(1).filter(|t| t.kind == TokenKind::Host) {
        let what = "CALL of a procedure that a host variable names";
        return Err(StatementProblem::refused(name.at, what));
    }
    if let Some(using) = reader.tokens.iter().find(|t| t.is("USING")) {
        return Err(StatementProblem::refused(using.at, "CALL USING DESCRIPTOR"));
    }
    statement.body = reader.rest();
    dynamic::finish(statement)?;
    let body = statement.body.clone();
    read(&body)?;
    statement.outputs.clone_from(&statement.inputs);
    Ok(())
}

/// The name of the procedure, in its parts, and the arguments of a CALL whose inputs
/// are numbered.
///
/// # Errors
/// An argument is neither a host variable nor a constant.
pub fn call_arguments(
    body: &[SqlToken],
) -> Result<(Vec<String>, Vec<CallArgument>), StatementProblem> {
    read(body)
}

fn read(body: &[SqlToken]) -> Result<(Vec<String>, Vec<CallArgument>), StatementProblem> {
    let mut reader = Reader::new(body.to_vec());
    reader.expect("CALL")?;
    let mut name = vec![reader.name("the name of a procedure")?];
    while reader.accept_mark(".") {
        name.push(reader.name("the name of a procedure")?);
    }
    let mut arguments = Vec::new();
    if reader.accept_mark("(") && !reader.accept_mark(")") {
        loop {
            arguments.push(argument(&mut reader)?);
            if reader.accept_mark(")") {
                break;
            }
            if !reader.accept_mark(",") {
                return Err(reader.unexpected(", or )"));
            }
        }
    }
    reader.end()?;
    Ok((name, arguments))
}

fn argument(reader: &mut Reader) -> Result<CallArgument, StatementProblem> {
    let sign = if reader.accept_mark("-") { "-" } else { "" };
    let Some(token) = reader.peek().cloned() else {
        return Err(reader.unexpected("an argument"));
    };
    reader.at += 1;
    Ok(match token.kind {
        // Before the inputs are numbered it has a name.
        TokenKind::Host => CallArgument::Host(token.text.parse().unwrap_or(0)),
        TokenKind::Number => CallArgument::Constant(format!("{sign}{}", token.text)),
        TokenKind::Text => CallArgument::Constant(format!("'{}'", token.text.replace('\'', "''"))),
        TokenKind::Word if token.text == "NULL" => CallArgument::Constant("NULL".to_owned()),
        _ => {
            let what = format!("{} as an argument of CALL", shown(&token));
            return Err(StatementProblem::refused(token.at, &what));
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn host_variables_of_a_call_are_read_and_set() {
        let mut call = Statement::parse("CALL BANK.PAY(:A, 3, -2.5, 'X''Y', NULL, :B:I)").unwrap();
        assert_eq!((call.inputs.len(), call.outputs.len()), (2, 2));
        call.number_inputs(&[1, 1]);
        let (name, arguments) = call_arguments(&call.body).unwrap();
        assert_eq!(name, ["BANK", "PAY"]);
        let constant = |text: &str| CallArgument::Constant(text.to_owned());
        assert_eq!(
            arguments,
            [
                CallArgument::Host(1),
                constant("3"),
                constant("-2.5"),
                constant("'X''Y'"),
                constant("NULL"),
                CallArgument::Host(2)
            ]
        );
    }

    #[test]
    fn what_a_call_cannot_have_is_refused_by_name() {
        for (text, found) in [
            (
                "CALL :P(:A)",
                "CALL of a procedure that a host variable names",
            ),
            ("CALL P USING DESCRIPTOR :DA", "CALL USING DESCRIPTOR"),
            ("CALL P(A + 1)", "A as an argument of CALL"),
        ] {
            let problem = Statement::parse(text).unwrap_err();
            assert!(problem.message.starts_with(found), "{problem:?}");
        }
    }
}
