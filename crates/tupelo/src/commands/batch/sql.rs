//! EXEC SQL of batch programs: a session for each step whose program has statements.
//!
//! The role is that of `[sql]`. While a region runs, its private cluster is used;
//! otherwise the cluster runs as long as the job.

use std::os::fd::{AsRawFd, OwnedFd};
use std::path::Path;
use std::sync::Arc;

use batch::SqlAt;
use database::{DateFormat, Server};
use miette::{IntoDiagnostic, Result, WrapErr};

use crate::app::{Application, sql as settings};

/// The routine that a module with EXEC SQL calls.
const CALLED: &[u8] = b"DSNHLI";

/// The SQL server of a job.
pub struct SqlSteps(Arc<Server>);

/// A session that lasts as long as its step.
pub struct StepSession {
    /// The session's parameters for the step.
    pub at: SqlAt,
    _copy: OwnedFd,
}

impl SqlSteps {
    /// `None` if no module of the folder has EXEC SQL.
    pub fn of(app: &Application, modules: &Path) -> Result<Option<SqlSteps>> {
        let entries = std::fs::read_dir(modules).into_iter().flatten().flatten();
        let mut paths = entries.map(|entry| entry.path());
        if !paths.any(|path| has_sql(&path)) {
            return Ok(None);
        }
        Ok(Some(SqlSteps(settings::server(app)?)))
    }

    /// The server, whether a program has EXEC SQL or not.
    pub fn always(app: &Application) -> Result<SqlSteps> {
        Ok(SqlSteps(settings::server(app)?))
    }

    /// The server.
    pub fn server(&self) -> Arc<Server> {
        self.0.clone()
    }

    /// Connects for a step.
    pub fn open(&self) -> Result<StepSession> {
        let config = self.0.config();
        let connection = self.0.open_role(&config.role).into_diagnostic();
        let connection = connection.wrap_err("EXEC SQL cannot be served")?;
        let copy = connection.socket().inheritable_copy().into_diagnostic()?;
        let dates = match config.dates {
            DateFormat::Iso => "ISO",
            DateFormat::Usa => "USA",
            DateFormat::Eur => "EUR",
            DateFormat::Jis => "JIS",
        };
        Ok(StepSession {
            at: SqlAt {
                descriptor: copy.as_raw_fd(),
                dates: dates.to_owned(),
                decimal_digits: config.decimal_digits,
                qualifier: config.qualifier.clone(),
            },
            _copy: copy,
        })
    }
}

impl Drop for SqlSteps {
    fn drop(&mut self) {
        self.0.stop();
    }
}

fn has_sql(module: &Path) -> bool {
    let bytes = std::fs::read(module).unwrap_or_default();
    bytes.windows(CALLED.len()).any(|part| part == CALLED)
}
