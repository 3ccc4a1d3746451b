//! A parsed file of configuration text: its kind, its statements, its errors.
//! Parsers keep positions as line and column. A finding converts them to a
//! [`FilePlace`] with the file's name and line.

use std::sync::Arc;

use base::{Diagnostic, Severity};
use serde::Serialize;

use crate::kind::{self, DocumentKind, UnknownKind};
use crate::text::without_numbers;
use crate::{cicsts, linux, sna, tcpip};

/// One file.
#[derive(Debug, Clone)]
pub struct Document {
    /// The file's name as the caller gave it.
    pub name: Arc<str>,
    /// Its kind.
    pub kind: &'static DocumentKind,
    /// Its content.
    pub content: DocumentContent,
    /// Errors in the text itself, in its order.
    pub diagnostics: Vec<Diagnostic>,
    lines: Arc<[Arc<str>]>,
}

impl Document {
    /// Reads a text. Without a kind, the kind is recognised from the content.
    /// Sequence numbers in columns 73 to 80 are ignored.
    ///
    /// # Errors
    ///
    /// If no kind is given and none is recognised.
    pub fn read(
        name: &str,
        text: &str,
        kind: Option<&'static DocumentKind>,
    ) -> Result<Document, UnknownKind> {
        let text = &*without_numbers(text);
        let reported = kind.is_some();
        let kind = match kind {
            Some(kind) => kind,
            None => kind::recognise(text).ok_or_else(|| UnknownKind {
                name: name.into(),
                empty: text.trim().is_empty(),
            })?,
        };
        let ParsedText {
            content,
            mut diagnostics,
        } = (kind.parse)(text);
        if reported && (kind.recognise)(text) == 0 && !text.trim().is_empty() {
            let at = LineColumn { line: 1, column: 1 };
            let message = format!("no statement in it is one of {}: {}", kind.word, kind.title);
            diagnostics.push(at.diagnostic(Severity::Warning, message));
        }
        if text.trim().is_empty() {
            let at = LineColumn { line: 1, column: 1 };
            let message = "the text is empty: there are no statements to judge";
            diagnostics.push(at.diagnostic(Severity::Note, message));
        }
        diagnostics.sort_by_key(|d| (d.line, d.column));
        Ok(Document {
            name: name.into(),
            kind,
            content,
            diagnostics,
            lines: text.lines().map(|l| l.trim_end().into()).collect(),
        })
    }

    /// The place of a line and column of this file.
    pub fn place(&self, at: LineColumn) -> FilePlace {
        let text = (at.line as usize)
            .checked_sub(1)
            .and_then(|i| self.lines.get(i));
        FilePlace {
            file: self.name.clone(),
            line: at.line,
            column: at.column,
            text: text.cloned().unwrap_or_else(|| "".into()),
        }
    }

    /// The position of a finding about a missing statement: the beginning of
    /// the file.
    pub fn absent(&self) -> FilePlace {
        FilePlace {
            file: self.name.clone(),
            line: 0,
            column: 0,
            text: "".into(),
        }
    }

    /// Whether a word occurs anywhere in the text, including comments: there
    /// people note which fixes they have applied.
    pub fn mentions(&self, word: &str) -> bool {
        self.lines.iter().any(|line| line.contains(word))
    }

    /// A copy in which candidate values can be inserted, without the errors of
    /// the text. Lines are shared.
    pub(crate) fn copy_for_candidates(&self) -> Document {
        let content = match &self.content {
            DocumentContent::Sna(content) => DocumentContent::Sna(sna::SnaContent {
                statements: content.statements.clone(),
                open: Vec::new(),
            }),
            DocumentContent::Cics(cicsts::CicsContent::Csd(csd)) => {
                DocumentContent::Cics(cicsts::CicsContent::Csd(cicsts::CsdDefinitions {
                    definitions: csd.definitions.clone(),
                    open: Vec::new(),
                }))
            }
            other => other.clone(),
        };
        Document {
            name: self.name.clone(),
            kind: self.kind,
            content,
            diagnostics: Vec::new(),
            lines: self.lines.clone(),
        }
    }

    /// Whether a statement could not be understood.
    pub fn has_errors(&self) -> bool {
        self.diagnostics
            .iter()
            .any(|d| d.severity == Severity::Error)
    }
}

/// The files of one question.
#[derive(Debug, Clone, Default)]
pub struct DocumentSet {
    /// In the order in which they were given.
    pub all: Vec<Document>,
}

impl DocumentSet {
    /// A set of documents.
    pub fn new(all: impl IntoIterator<Item = Document>) -> DocumentSet {
        DocumentSet {
            all: all.into_iter().collect(),
        }
    }
}

/// The content of a document, typed by kind.
#[derive(Debug, Clone)]
pub enum DocumentContent {
    /// PROFILE.TCPIP, OMPROUTE and Policy Agent.
    Tcpip(tcpip::TcpipContent),
    /// Settings of a Linux system.
    Linux(linux::LinuxContent),
    /// CICS definitions and system initialization parameters.
    Cics(cicsts::CicsContent),
    /// VTAM, NCP and the SNA products.
    Sna(sna::SnaContent),
}

/// The result of a parser.
#[derive(Debug, Clone)]
pub struct ParsedText {
    /// The statements.
    pub content: DocumentContent,
    /// Errors and skipped statements.
    pub diagnostics: Vec<Diagnostic>,
}

/// A line and a column, both from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct LineColumn {
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

impl LineColumn {
    /// From indices that count from 0.
    pub fn from_zero(line: usize, column: usize) -> LineColumn {
        let one_up = |n: usize| u32::try_from(n.saturating_add(1)).unwrap_or(u32::MAX);
        LineColumn {
            line: one_up(line),
            column: one_up(column),
        }
    }

    /// A diagnostic at this place.
    pub fn diagnostic(self, severity: Severity, message: impl Into<String>) -> Diagnostic {
        Diagnostic::new(severity, (self.line, self.column), message)
    }
}

/// A place in a file.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct FilePlace {
    /// The file's name.
    pub file: Arc<str>,
    /// Line, from 1; 0 for a finding about a missing statement.
    pub line: u32,
    /// Column in characters, from 1; 0 as above.
    pub column: u32,
    /// The whole line.
    pub text: Arc<str>,
}

impl std::fmt::Display for FilePlace {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.line {
            0 => write!(f, "{}", self.file),
            line => write!(f, "{}:{line}:{}", self.file, self.column),
        }
    }
}
