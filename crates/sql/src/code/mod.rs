//! SQLCODE, SQLSTATE, SQLCA and the texts of DSNTIAR.

mod diagnostics;
mod dsntiar;
mod server;
mod sqlca;

pub use diagnostics::{CONDITION_ITEMS, DiagnosticValue, STATEMENT_ITEMS, diagnostic};
pub use dsntiar::{TiarCode, dsntiar, message_lines, message_text};
pub use server::{ServerError, StatementContext, from_server_error};
pub use sqlca::{SQLCA_BYTES, SQLCA_COPYBOOK, SQLDA_COPYBOOK, Sqlca, sqlstate};
