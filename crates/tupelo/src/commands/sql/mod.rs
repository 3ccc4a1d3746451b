//! `tupelo sql`: the SQL server of an application.
//!
//! Connects as the owner of schema `db2`. While a region serves the application, its
//! private cluster is used; otherwise the cluster is started if it does not run.

mod apply;
mod job;
mod prompt;
mod results;
mod setup;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use database::{Connection, Exchange, Server};
use miette::{IntoDiagnostic, Result, miette};
pub(in crate::commands) use results::{cell, is_number};
use sql::code::{ServerError, StatementContext, from_server_error};
use sql::ddl::{AppliedStatement, WrittenStatement};
use sql::{RewriteOptions, StatementKind, StatementProblem};

use crate::Outcome;
use crate::app::sql_types::TypedTables;
use crate::app::{Application, sql as settings};

/// Set up the SQL server of an application, run Db2's SQL there, or query its tables.
#[derive(Debug, clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Example:\n  tupelo sql --app bank 'SELECT * FROM ACCOUNT'\n  \
                  tupelo sql apply --app bank ddl/tables.sql"
)]
pub struct Args {
    #[command(subcommand)]
    action: Option<SqlAction>,
    #[command(flatten)]
    prompt: prompt::StatementArgs,
}

#[derive(Debug, clap::Subcommand)]
enum SqlAction {
    Setup(setup::Args),
    Apply(apply::Args),
}

/// The application whose server is used.
#[derive(Debug, clap::Args)]
pub struct SqlTarget {
    /// The application folder.
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    app: PathBuf,
    /// Where the private cluster is kept; FOLDER/.tupelo when absent.
    #[arg(long)]
    state: Option<PathBuf>,
}

/// A session of the owner.
struct OwnerSession {
    connection: Connection,
    options: RewriteOptions,
    tables: TypedTables,
    server: Arc<Server>,
}

/// Most time of a statement: building an index on a large table takes hours.
const STATEMENT_LIMIT: Duration = Duration::from_secs(24 * 3600);
/// Most rows that are shown.
const MOST_ROWS: usize = 100_000;

/// Runs the action.
pub fn run(args: Args) -> Result<Outcome> {
    match args.action {
        Some(SqlAction::Setup(args)) => setup::run(&args),
        Some(SqlAction::Apply(args)) => apply::run(&args),
        None => prompt::run(&args.prompt),
    }
}

impl SqlTarget {
    fn application(&self) -> Result<Application> {
        Application::open(&self.app, self.state.as_deref())
    }

    fn server(&self) -> Result<Arc<Server>> {
        settings::server(&self.application()?)
    }

    fn open(&self) -> Result<OwnerSession> {
        let server = self.server()?;
        let connection = server.open_owner().into_diagnostic()?;
        let config = server.config();
        Ok(OwnerSession {
            connection,
            options: RewriteOptions {
                qualifier: config.qualifier.clone(),
                decimal_digits: config.decimal_digits,
                ..RewriteOptions::default()
            },
            tables: TypedTables::default(),
            server,
        })
    }
}

/// The properties of a statement on which the SQLCODE of an error depends.
pub fn statement_context(text: &str) -> StatementContext {
    let first = text.split_whitespace().next().unwrap_or_default();
    let kind = match first.to_ascii_uppercase().as_str() {
        "INSERT" => StatementKind::Insert,
        "UPDATE" => StatementKind::Update,
        "DELETE" => StatementKind::Delete,
        _ => StatementKind::Other,
    };
    StatementContext {
        kind,
        has_inputs: false,
        rolls_back: false,
        connecting: false,
    }
}

/// A problem of a statement with its SQLCODE and remedy.
fn problem_text(problem: &StatementProblem) -> String {
    let mut text = problem.message.clone();
    if problem.sqlcode != 0 {
        text = format!("SQLCODE {}: {text}", problem.sqlcode);
    }
    if let Some(help) = &problem.help {
        text.push_str(&format!("\n  help: {help}"));
    }
    text
}

/// An error of the server with the SQLCODE that a program gets.
fn error_text(error: &ServerError, statement: &str) -> String {
    let sqlca = from_server_error(error, statement_context(statement));
    format!("SQLCODE {}: {}", sqlca.sqlcode, error.message)
}

impl OwnerSession {
    /// A statement of Db2 as it is to be run now.
    fn translate(&mut self, statement: &WrittenStatement) -> Result<AppliedStatement> {
        self.tables.translate(statement, &mut self.connection)
    }

    /// Runs a statement of PostgreSQL.
    fn query(&mut self, sql: &str) -> Result<Exchange> {
        let deadline = Instant::now() + STATEMENT_LIMIT;
        let answer = self.connection.query(sql, MOST_ROWS, deadline);
        answer.map_err(|error| miette!("{error}"))
    }
}

impl Drop for OwnerSession {
    fn drop(&mut self) {
        self.server.stop();
    }
}
