//! Findings about the files of an API project.
//!
//! People write these files, so a load returns all errors
//! in them at once, each with its place and, if there is one, the fix.

use std::fmt;
use std::path::{Path, PathBuf};

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DiagnosticSeverity {
    /// The project is served; the finding says what will not be as expected.
    Warning,
    /// The project is not served.
    Error,
}

/// A place in a file, counted from 1; line 0 means the file as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, PartialOrd, Ord)]
pub struct FilePosition {
    /// Line, from 1.
    pub line: u32,
    /// Column, from 1.
    pub column: u32,
}

/// One finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// Whether the project can be served despite the finding.
    pub severity: DiagnosticSeverity,
    /// The file it is about.
    pub file: PathBuf,
    /// The place in it.
    pub position: FilePosition,
    /// The problem.
    pub message: String,
    /// The suggested fix, if there is a likely one.
    pub help: Option<String>,
    /// Whether it is a requirement on callers that nothing would enforce.
    pub unguarded: bool,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.severity {
            DiagnosticSeverity::Warning => "warning",
            DiagnosticSeverity::Error => "error",
        };
        write!(f, "{}", self.file.display())?;
        if self.position.line > 0 {
            write!(f, ":{}:{}", self.position.line, self.position.column)?;
        }
        write!(f, ": {kind}: {}", self.message)?;
        if let Some(help) = &self.help {
            write!(f, "\n  help: {help}")?;
        }
        Ok(())
    }
}

/// All findings of one load, in the order they were made.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProjectDiagnostics(pub Vec<Diagnostic>);

impl ProjectDiagnostics {
    /// Whether any finding forbids serving the project.
    pub fn has_errors(&self) -> bool {
        self.0
            .iter()
            .any(|d| d.severity == DiagnosticSeverity::Error)
    }

    pub(crate) fn error(
        &mut self,
        file: &Path,
        position: FilePosition,
        message: impl Into<String>,
    ) {
        self.push(
            DiagnosticSeverity::Error,
            file,
            position,
            message.into(),
            None,
        );
    }

    /// How many errors there are.
    pub(crate) fn errors(&self) -> usize {
        let error = |d: &&Diagnostic| d.severity == DiagnosticSeverity::Error;
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
        self.push(
            DiagnosticSeverity::Error,
            file,
            position,
            message.into(),
            help,
        );
    }

    pub(crate) fn warn(&mut self, file: &Path, position: FilePosition, message: impl Into<String>) {
        self.push(
            DiagnosticSeverity::Warning,
            file,
            position,
            message.into(),
            None,
        );
    }

    pub(crate) fn warn_help(
        &mut self,
        file: &Path,
        position: FilePosition,
        message: impl Into<String>,
        help: Option<String>,
    ) {
        self.push(
            DiagnosticSeverity::Warning,
            file,
            position,
            message.into(),
            help,
        );
    }

    /// Reports a finding on a copybook at its file and place.
    pub(crate) fn copybook(&mut self, fault: copybook::Diagnostic) {
        let severity = match fault.severity {
            copybook::Severity::Warning => DiagnosticSeverity::Warning,
            copybook::Severity::Error => DiagnosticSeverity::Error,
        };
        let position = FilePosition {
            line: fault.at.line,
            column: fault.at.column,
        };
        let file = Path::new(&*fault.file);
        self.push(severity, file, position, fault.message, fault.help);
    }

    fn push(
        &mut self,
        severity: DiagnosticSeverity,
        file: &Path,
        position: FilePosition,
        message: String,
        help: Option<String>,
    ) {
        self.0.push(Diagnostic {
            severity,
            file: file.to_path_buf(),
            position,
            message,
            help,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_prints_its_place_and_its_fix() {
        let mut d = ProjectDiagnostics::default();
        d.error_help(
            Path::new("request.yaml"),
            FilePosition { line: 3, column: 7 },
            "no field CUST",
            "did you mean CUST-NO?",
        );
        assert_eq!(
            d.to_string(),
            "request.yaml:3:7: error: no field CUST\n  help: did you mean CUST-NO?"
        );
    }
}
