//! Findings about the files of an API project.
//!
//! People write these files, so a load returns all errors
//! in them at once, each with its place and, if there is one, the fix.

use std::fmt;
use std::ops::Deref;
use std::path::Path;

use base::Severity;

/// A place in a file, counted from 1; line 0 means the file as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, PartialOrd, Ord)]
pub struct FilePosition {
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
}

/// One finding. With an error the project is not served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// The finding with its place.
    pub finding: base::Diagnostic,
    /// Whether it is a requirement on callers that nothing would enforce.
    pub unguarded: bool,
}

impl Diagnostic {
    pub(crate) fn position(&self) -> FilePosition {
        FilePosition {
            line: self.line,
            column: self.column,
        }
    }
}

impl Deref for Diagnostic {
    type Target = base::Diagnostic;

    fn deref(&self) -> &base::Diagnostic {
        &self.finding
    }
}

impl From<Diagnostic> for base::Diagnostic {
    fn from(diagnostic: Diagnostic) -> base::Diagnostic {
        diagnostic.finding
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.finding, f)
    }
}

/// All findings of one load, in the order they were made.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProjectDiagnostics(pub Vec<Diagnostic>);

impl ProjectDiagnostics {
    /// Whether any finding forbids serving the project.
    pub fn has_errors(&self) -> bool {
        self.0.iter().any(|d| d.severity == Severity::Error)
    }

    pub(crate) fn error(
        &mut self,
        file: &Path,
        position: FilePosition,
        message: impl Into<String>,
    ) {
        self.push(Severity::Error, file, position, message.into(), None);
    }

    /// How many errors there are.
    pub(crate) fn errors(&self) -> usize {
        let error = |d: &&Diagnostic| d.severity == Severity::Error;
        self.0.iter().filter(error).count()
    }

    pub(crate) fn error_help(
        &mut self,
        file: &Path,
        position: FilePosition,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        let help = Some(help.into());
        self.push(Severity::Error, file, position, message.into(), help);
    }

    pub(crate) fn warn(&mut self, file: &Path, position: FilePosition, message: impl Into<String>) {
        self.push(Severity::Warning, file, position, message.into(), None);
    }

    pub(crate) fn warn_help(
        &mut self,
        file: &Path,
        position: FilePosition,
        message: impl Into<String>,
        help: Option<String>,
    ) {
        self.push(Severity::Warning, file, position, message.into(), help);
    }

    /// Reports a finding on a copybook at its file and place.
    pub(crate) fn copybook(&mut self, fault: copybook::Diagnostic) {
        self.0.push(Diagnostic {
            finding: fault.finding,
            unguarded: false,
        });
    }

    fn push(
        &mut self,
        severity: Severity,
        file: &Path,
        position: FilePosition,
        message: String,
        help: Option<String>,
    ) {
        let place = (position.line, position.column);
        self.0.push(Diagnostic {
            finding: base::Diagnostic::new(severity, place, message)
                .in_file(file)
                .maybe_help(help),
            unguarded: false,
        });
    }

    /// A requirement on callers that nothing would enforce.
    pub(crate) fn unguarded(
        &mut self,
        file: &Path,
        position: FilePosition,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.error_help(file, position, message, help);
        if let Some(last) = self.0.last_mut() {
            last.unguarded = true;
        }
    }
}

impl fmt::Display for ProjectDiagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, diagnostic) in self.0.iter().enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            write!(f, "{diagnostic}")?;
        }
        Ok(())
    }
}

impl std::error::Error for ProjectDiagnostics {}
