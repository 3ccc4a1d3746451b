//! Findings about a program, with their places.

use std::fmt;
use std::ops::{Deref, DerefMut};

pub use base::Severity;

/// One finding about a program or a COPY member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// The finding with its place.
    pub finding: base::Diagnostic,
    /// The kind of the finding.
    pub kind: DiagnosticKind,
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

impl Deref for Diagnostic {
    type Target = base::Diagnostic;

    fn deref(&self) -> &base::Diagnostic {
        &self.finding
    }
}

impl DerefMut for Diagnostic {
    fn deref_mut(&mut self) -> &mut base::Diagnostic {
        &mut self.finding
    }
}

impl From<&Diagnostic> for base::Diagnostic {
    fn from(diagnostic: &Diagnostic) -> base::Diagnostic {
        diagnostic.finding.clone()
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.finding, f)
    }
}
