//! Diagnostics of a copybook: message, place and remedy.
//!
//! The parser never stops at the first fault: [`Diagnostics`] holds all of
//! them in source order, together with the text of every file they point
//! into, so that a caller can show the place.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

pub use base::Severity;

/// A place in one source file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct SourcePosition {
    /// Index into [`Diagnostics::files`].
    pub file: u16,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1; a tab is one character.
    pub column: u32,
    /// Offset in bytes from the start of the file.
    pub offset: u32,
    /// Length in bytes, never past the end of the line.
    pub length: u32,
}

/// One source file: the text that was parsed, or a COPY member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    /// Name to show, usually a path.
    pub name: Arc<str>,
    /// Its text.
    pub text: Arc<str>,
}

/// The kind of fault, for callers that handle some kinds separately.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FaultKind {
    /// The text is wrong.
    Text,
    /// A COPY member is not there or cannot be read; its name.
    MissingMember(String),
    /// The text is right, and not supported; what it is.
    Unsupported(String),
}

/// One fault. With an error no layout is produced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// The fault with its file, line and column.
    pub finding: base::Diagnostic,
    /// The kind of fault.
    pub kind: FaultKind,
    /// The place, with its bytes.
    pub at: SourcePosition,
}

impl Deref for Diagnostic {
    type Target = base::Diagnostic;

    fn deref(&self) -> &base::Diagnostic {
        &self.finding
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

/// All diagnostics of one parse, with the files they point into.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Diagnostics {
    /// In source order of the main file; those of a COPY member are where its text
    /// was read.
    pub list: Vec<Diagnostic>,
    /// The main text first, then COPY members in the order they were read.
    pub files: Vec<SourceFile>,
}

impl Diagnostics {
    /// Whether any of them is an error.
    pub fn has_errors(&self) -> bool {
        self.list.iter().any(|d| d.severity == Severity::Error)
    }

    /// Adds a file unless it is there, and returns its index.
    pub(crate) fn add_file(&mut self, name: &str, text: &str) -> u16 {
        let known = self
            .files
            .iter()
            .position(|f| *f.name == *name && *f.text == *text);
        let index = known.unwrap_or_else(|| {
            self.files.push(SourceFile {
                name: name.into(),
                text: text.into(),
            });
            self.files.len() - 1
        });
        u16::try_from(index).unwrap_or(u16::MAX)
    }

    /// Adds an error.
    pub(crate) fn error(&mut self, at: SourcePosition, message: impl Into<String>) {
        self.push(Severity::Error, FaultKind::Text, at, message.into(), None);
    }

    /// Adds an error with advice.
    pub(crate) fn error_help(
        &mut self,
        at: SourcePosition,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        let help = Some(help.into());
        self.push(Severity::Error, FaultKind::Text, at, message.into(), help);
    }

    /// Adds that a COPY member is not there or cannot be read.
    pub(crate) fn missing_member(
        &mut self,
        at: SourcePosition,
        member: String,
        message: String,
        help: Option<String>,
    ) {
        let kind = FaultKind::MissingMember(member);
        self.push(Severity::Error, kind, at, message, help);
    }

    /// Whether text is missing that a COPY member would have brought.
    pub(crate) fn lacks_a_member(&self) -> bool {
        let mut kinds = self.list.iter().map(|d| &d.kind);
        kinds.any(|kind| matches!(kind, FaultKind::MissingMember(_)))
    }

    /// Adds that something right is not supported.
    pub(crate) fn unsupported(
        &mut self,
        at: SourcePosition,
        what: String,
        message: String,
        help: impl Into<String>,
    ) {
        let kind = FaultKind::Unsupported(what);
        self.push(Severity::Error, kind, at, message, Some(help.into()));
    }

    /// Adds a warning.
    pub(crate) fn warn(&mut self, at: SourcePosition, message: impl Into<String>) {
        self.push(Severity::Warning, FaultKind::Text, at, message.into(), None);
    }

    /// Adds a warning with advice.
    pub(crate) fn warn_help(
        &mut self,
        at: SourcePosition,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        let help = Some(help.into());
        self.push(Severity::Warning, FaultKind::Text, at, message.into(), help);
    }

    fn push(
        &mut self,
        severity: Severity,
        kind: FaultKind,
        at: SourcePosition,
        message: String,
        help: Option<String>,
    ) {
        // A damaged text can give the same fault twice when an entry is read
        // again after recovery; one is enough.
        let known = self
            .list
            .iter()
            .rev()
            .take(8)
            .any(|d| d.at == at && d.message == message);
        if !known {
            let file = self.files.get(usize::from(at.file));
            self.list.push(Diagnostic {
                finding: base::Diagnostic::new(severity, (at.line, at.column), message)
                    .in_file(file.map_or("", |file| &*file.name))
                    .maybe_help(help),
                kind,
                at,
            });
        }
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, diagnostic) in self.list.iter().enumerate() {
            if index > 0 {
                writeln!(f)?;
            }
            write!(f, "{diagnostic}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostics {}
