//! Findings about a statement, with their places.

/// One finding about a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatementProblem {
    /// Offset in the statement's text, in bytes.
    pub at: usize,
    /// The kind of the finding.
    pub kind: ProblemKind,
    /// SQLCODE that Db2 gives; 0 if Db2 gives none.
    pub sqlcode: i32,
    /// The message.
    pub message: String,
    /// The remedy.
    pub help: Option<String>,
}

/// Kinds of findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProblemKind {
    /// The statement is wrong.
    Error,
    /// Db2 has it and this product does not.
    Refused,
    /// The statement runs; the finding is worth reading.
    Warning,
}

impl StatementProblem {
    /// An error at a place.
    pub fn error(at: usize, sqlcode: i32, message: impl Into<String>) -> Self {
        StatementProblem {
            at,
            kind: ProblemKind::Error,
            sqlcode,
            message: message.into(),
            help: None,
        }
    }

    /// A form of Db2 that is refused by name.
    pub fn refused(at: usize, what: &str) -> Self {
        StatementProblem {
            at,
            kind: ProblemKind::Refused,
            sqlcode: -84,
            message: format!("{what} is not supported"),
            help: None,
        }
    }

    /// A warning at a place.
    pub fn warning(at: usize, message: impl Into<String>) -> Self {
        StatementProblem {
            kind: ProblemKind::Warning,
            ..StatementProblem::error(at, 0, message)
        }
    }

    /// The same with advice.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The same with the nearest of some names as advice.
    #[must_use]
    pub fn with_nearest<'a>(
        mut self,
        name: &str,
        names: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        if let Some(help) = base::suggestion(name, names) {
            self.help = Some(help);
        }
        self
    }
}
