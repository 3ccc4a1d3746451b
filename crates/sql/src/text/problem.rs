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
        if let Some(near) = nearest(name, names) {
            self.help = Some(format!("did you mean {near}?"));
        }
        self
    }
}

/// The name that a misspelt one most likely stands for.
pub fn nearest<'a>(name: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let most = match name.len() {
        0..=2 => return None,
        3..=5 => 1,
        6..=9 => 2,
        _ => 3,
    };
    let mut best: Option<(usize, &str)> = None;
    for candidate in names {
        if candidate.len().abs_diff(name.len()) > most || candidate == name {
            continue;
        }
        let distance = distance(name, candidate);
        if distance <= most && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, name)| name)
}

/// Letters to add, leave out, change or exchange.
fn distance(a: &str, b: &str) -> usize {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut next = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let change = usize::from(a[i - 1] != b[j - 1]);
            next[j] = (row[j] + 1).min(next[j - 1] + 1).min(row[j - 1] + change);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                next[j] = next[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut row, next);
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelt_name_has_a_nearest_one_and_a_strange_one_has_none() {
        let names = ["SELECT", "INSERT", "UPDATE"];
        assert_eq!(nearest("SELCT", names), Some("SELECT"));
        assert_eq!(nearest("UDPATE", names), Some("UPDATE"));
        assert_eq!(nearest("XYZZY", names), None);
    }
}
