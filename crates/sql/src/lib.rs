//! Db2's SQL on PostgreSQL: statements, types, SQLCODE, the wire's messages.
//!
//! [`Statement`] reads the text of EXEC SQL, [`rewrite`] turns it into
//! PostgreSQL's SQL, [`wire`] talks to the server as a state machine over bytes,
//! [`field`] moves values between its messages and COBOL fields, and [`code`]
//! says in SQLCODE and SQLCA what happened.
//!
//! Invariant: no socket, thread, file or clock; nothing that a program or a
//! server sends makes it panic.

#![forbid(unsafe_code)]

pub mod block;
pub mod code;
pub mod cursor;
pub mod ddl;
mod dialect;
pub mod field;
mod rewrite;
mod schema;
pub mod sqlda;
mod statement;
pub mod temporal;
mod text;
mod types;
pub mod wire;

pub use rewrite::{RewriteOptions, RewrittenStatement, function_names, rewrite};
pub use schema::{CATALOG_VIEWS, SETUP_SQL, varchar_domain};
pub use statement::{
    CallArgument, CursorOptions, CursorSensitivity, FORMS, FetchDistance, FetchOrientation,
    Isolation, LockStrength, RowCount, Statement, StatementForm, StatementKind, StatementSupport,
    WheneverAction, WheneverCondition, call_arguments, form, verbs,
};
pub use text::{
    HostReference, HostType, HostVariables, NoHostVariables, ProblemKind, SqlToken,
    StatementProblem, TokenKind, lex, quoted_name,
};
pub use types::{Catalog, NoCatalog, SqlType, Table, TableColumn};
