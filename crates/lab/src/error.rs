//! Why an experiment failed. A result that differs from the paper is not an error;
//! it is in the report.

use std::io;
use thiserror::Error;

/// Why an experiment gave no report.
#[derive(Debug, Error)]
pub enum LabError {
    /// The kernel denies a permission that the experiment needs.
    #[error("{what} is not permitted here: {hint}")]
    Permission {
        /// The attempted operation.
        what: String,
        /// The remedy.
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
        /// Its message.
        message: String,
    },
    /// The system refused something.
    #[error("{what}: {error}")]
    System {
        /// The attempted operation.
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

    /// Adds the attempted operation to a system error.
    pub fn system(what: impl Into<String>) -> impl FnOnce(io::Error) -> LabError {
        let what = what.into();
        |error| LabError::System { what, error }
    }
}
