//! Findings about a program, with their places.

use std::fmt;
use std::path::PathBuf;

pub use cics::diagnostic::Severity;

/// One finding about a program or a COPY member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// The file.
    pub file: PathBuf,
    /// Line, from 1; 0 when it is about the file.
    pub line: u32,
    /// Column, from 1; 0 when it is about the line.
    pub column: u32,
    /// The kind of the finding.
    pub kind: DiagnosticKind,
    /// The message.
    pub message: String,
    /// The remedy.
    pub help: Option<String>,
}

/// Kinds of findings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DiagnosticKind {
    /// The command, statement or language is known and not supported yet;
    /// the name as the manual heads it. A warning where the program can be
    /// compiled all the same.
    Unsupported(String),
    /// An EXEC CICS command is wrong.
    Command,
    /// The source text is wrong.
    Source,
    /// A COPY member was not found.
    MissingMember(String),
    /// The COBOL compiler said it.
    Compiler,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if self.line > 0 {
            write!(f, ":{}", self.line)?;
        }
        if self.column > 0 {
            write!(f, ":{}", self.column)?;
        }
        write!(f, ": {}: {}", self.severity, self.message)?;
        if let Some(help) = &self.help {
            write!(f, " ({help})")?;
        }
        Ok(())
    }
}
