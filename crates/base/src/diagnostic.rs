//! Findings about texts that people wrote, with their places.
//!
//! Every reader of such a text returns all of its findings at once. A crate that knows
//! more about a finding, such as its kind, has a type of its own around this one.

use std::fmt;
use std::path::PathBuf;

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing; nothing is lost.
    Note,
    /// The text can be used, but something is ignored or will fail later.
    Warning,
    /// The text cannot be used.
    Error,
}

/// One finding about a place in a text.
///
/// Its text begins with `file:line:column: severity: message`, which editors and other
/// tools read; the remedy is on a line of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// How much it matters.
    pub severity: Severity,
    /// The file; empty if the reader of the text does not know it, or if the finding is
    /// not about a file.
    pub file: PathBuf,
    /// Line, from 1; 0 for the file as a whole.
    pub line: u32,
    /// Column in characters, from 1; 0 for the whole line.
    pub column: u32,
    /// The message.
    pub message: String,
    /// The remedy.
    pub help: Option<String>,
}

impl Diagnostic {
    /// A finding at a line and column, without a file and a remedy.
    pub fn new(
        severity: Severity,
        (line, column): (u32, u32),
        message: impl Into<String>,
    ) -> Diagnostic {
        Diagnostic {
            severity,
            file: PathBuf::new(),
            line,
            column,
            message: message.into(),
            help: None,
        }
    }

    /// The same finding with its file.
    pub fn in_file(self, file: impl Into<PathBuf>) -> Diagnostic {
        Diagnostic {
            file: file.into(),
            ..self
        }
    }

    /// The same finding with this remedy.
    pub fn with_help(self, help: impl Into<String>) -> Diagnostic {
        self.maybe_help(Some(help.into()))
    }

    /// The same finding with the remedy if there is one.
    pub fn maybe_help(self, help: Option<String>) -> Diagnostic {
        Diagnostic { help, ..self }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        })
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let has_file = !self.file.as_os_str().is_empty();
        if has_file {
            write!(f, "{}", self.file.display())?;
        }
        if self.line > 0 {
            write!(f, "{}{}", if has_file { ":" } else { "" }, self.line)?;
            if self.column > 0 {
                write!(f, ":{}", self.column)?;
            }
        }
        if has_file || self.line > 0 {
            f.write_str(": ")?;
        }
        write!(f, "{}: {}", self.severity, self.message)?;
        if let Some(help) = &self.help {
            write!(f, "\n  help: {help}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_shows_its_place_and_its_remedy() {
        let found = |place| Diagnostic::new(Severity::Error, place, "there is no RIDFDL");
        assert_eq!(
            found((2, 8))
                .in_file("a.cbl")
                .with_help("did you mean RIDFLD?")
                .to_string(),
            "a.cbl:2:8: error: there is no RIDFDL\n  help: did you mean RIDFLD?"
        );
        for (place, file, shown) in [
            ((2, 0), "a.cbl", "a.cbl:2: "),
            ((0, 0), "a.cbl", "a.cbl: "),
            ((2, 8), "", "2:8: "),
            ((0, 0), "", ""),
        ] {
            let text = found(place).in_file(file).to_string();
            assert_eq!(text, format!("{shown}error: there is no RIDFDL"));
        }
    }
}
