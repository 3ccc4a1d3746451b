//! SQL text before it is understood: tokens, host variables, problems.
//!
//! The text of one statement is the text between `EXEC SQL` and `END-EXEC`,
//! or what a program prepares at run time. Offsets count bytes of that text;
//! the caller maps them to lines and columns of its own source.

mod host;
mod lex;
mod problem;

pub use host::{HostReference, HostType, HostVariables, NoHostVariables};
pub use lex::{SqlToken, TokenKind, lex};
pub use problem::{ProblemKind, StatementProblem};

/// A name between quotation marks, as a statement writes it: `SAY "A"` becomes
/// `"SAY ""A"""`.
pub fn quoted_name(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
