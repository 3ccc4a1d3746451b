//! The region's answer to the wish for a connection.

use link::CommandOperands;
use runtime::sql::{SessionOptions, UnitOwner};
use sql::code::Sqlca;
use sql::temporal::DateStyle;

use super::{grant_flag, operand};
use crate::services::CommandFailure;

/// Why a unit of work has no connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SqlRefusal {
    /// The program gets this.
    Code(Box<Sqlca>),
    /// The task ends, or the region has no service for EXEC SQL.
    Failed(CommandFailure),
}

/// A connection that the region gives a unit of work.
#[derive(Debug)]
pub(crate) struct SqlGrant {
    /// The descriptor's tag.
    pub tag: u64,
    /// Distinguishes sessions on one tag.
    pub generation: u64,
    /// Units of work that the session has served.
    pub units: u64,
    /// The session's options for statements.
    pub options: SessionOptions,
}

impl SqlGrant {
    /// Reads an answer.
    pub fn parse(answer: &CommandOperands) -> Result<SqlGrant, SqlRefusal> {
        let int = |at: u8| answer.get_int(at).unwrap_or(0);
        let code = i32::try_from(int(operand::SQLCODE)).unwrap_or(-901);
        if code != 0 {
            let text = answer.get_bytes(operand::TEXT).unwrap_or_default();
            let tokens: Vec<String> = text
                .split(|b| *b == 0xFF)
                .map(|t| String::from_utf8_lossy(t).into_owned())
                .collect();
            let tokens: Vec<&str> = tokens.iter().map(String::as_str).collect();
            return Err(SqlRefusal::Code(Box::new(Sqlca::of(code, &tokens))));
        }
        let defaults = SessionOptions::default();
        let qualifier = answer.get_bytes(operand::QUALIFIER).unwrap_or_default();
        Ok(SqlGrant {
            tag: int(operand::TAG) as u64,
            generation: int(operand::GENERATION) as u64,
            units: int(operand::UNITS) as u64,
            options: SessionOptions {
                owner: UnitOwner::Region,
                rolls_back: int(operand::FLAGS) & grant_flag::ROLLS_BACK != 0,
                dates: match int(operand::DATES) {
                    1 => DateStyle::Usa,
                    2 => DateStyle::Eur,
                    3 => DateStyle::Jis,
                    _ => DateStyle::Iso,
                },
                decimal_digits: match int(operand::DIGITS) {
                    31 => 31,
                    _ => 15,
                },
                qualifier: (!qualifier.is_empty())
                    .then(|| String::from_utf8_lossy(qualifier).into_owned()),
                cursor_bytes: usize::try_from(int(operand::CURSOR_BYTES))
                    .ok()
                    .filter(|bytes| *bytes > 0)
                    .unwrap_or(defaults.cursor_bytes),
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_a_connection_or_an_sqlcode() {
        let answer = CommandOperands::default()
            .int(operand::TAG, 7)
            .int(operand::GENERATION, 3)
            .int(operand::FLAGS, grant_flag::ROLLS_BACK)
            .int(operand::DATES, 2)
            .bytes(operand::QUALIFIER, "GENASA1");
        let grant = SqlGrant::parse(&answer).unwrap();
        assert_eq!((grant.tag, grant.generation), (7, 3));
        assert!(grant.options.rolls_back);
        assert_eq!(grant.options.dates, DateStyle::Eur);
        assert_eq!(grant.options.qualifier.as_deref(), Some("GENASA1"));
        let answer = CommandOperands::default()
            .int(operand::SQLCODE, -904)
            .bytes(operand::TEXT, b"00D31024\xFF00000100".to_vec());
        let Err(SqlRefusal::Code(ca)) = SqlGrant::parse(&answer) else {
            panic!();
        };
        assert_eq!((ca.sqlcode, ca.tokens.len()), (-904, 2));
    }
}
