//! The four shapes of SNA configuration text, all read into [`Statement`]s.

pub mod assembler;
pub mod keyword;
pub mod lines;
pub mod statement;

pub use statement::{KeywordOperand, ParsedStatements, Statement};
