//! Why an experiment could not be carried out. A result that differs from the
//! paper is no error: it stands in the report.

use std::io;
use thiserror::Error;

/// Why an experiment gave no report.
#[derive(Debug, Error)]
pub enum LabError {
    /// The kernel does not let this user do what the experiment needs.
    #[error("{what} is not permitted here: {hint}")]
    Permission {
        /// What was tried.
        what: String,
        /// What would make it work.
        hint: String,
    },
    /// A tool that the experiment needs is not installed.
    #[error("`{0}` is not installed")]
    Missing(&'static str),
    /// A command of another tool failed.
    #[error("`{command}` failed: {message}")]
    Command {
        /// The command line.
        command: String,
        /// What it said.
        message: String,
    },
    /// The system refused something.
    #[error("{what}: {error}")]
    System {
        /// What was tried.
        what: String,
        /// The system's answer.
        error: io::Error,
    },
    /// The load driver could not run.
    #[error(transparent)]
    Load(#[from] drive::load::LoadError),
    /// Something that the experiment relies on did not happen.
    #[error("{0}")]
    Failed(String),
}

impl LabError {
    /// Whether the place lacks something, so that a test may be skipped.
    pub fn is_lacking(&self) -> bool {
        matches!(self, LabError::Permission { .. } | LabError::Missing(_))
    }

    /// Adds to a system error what was tried.
    pub fn system(what: impl Into<String>) -> impl FnOnce(io::Error) -> LabError {
        let what = what.into();
        |error| LabError::System { what, error }
    }
}
