//! Names that a parser skips: each is listed once, with its first place and its
//! count.

use base::{Diagnostic, Severity};

use crate::document::LineColumn;

/// Collects unknown names.
#[derive(Debug, Default)]
pub struct UnknownNames {
    seen: Vec<(String, LineColumn, usize)>,
}

impl UnknownNames {
    /// Notes one.
    pub fn add(&mut self, name: &str, at: LineColumn) {
        if let Some((.., count)) = self.seen.iter_mut().find(|(n, ..)| n == name) {
            *count += 1;
        } else if self.seen.len() < LISTED {
            self.seen.push((name.to_owned(), at, 1));
        }
    }

    /// The number of occurrences of the listed names.
    pub fn total(&self) -> usize {
        self.seen.iter().map(|(.., count)| count).sum()
    }

    /// One note for each name. `what` is the noun, such as `statement`.
    pub fn report(self, what: &str, diagnostics: &mut Vec<Diagnostic>) {
        for (name, at, count) in self.seen {
            let times = match count {
                1 => String::new(),
                n => format!(", {n} times"),
            };
            let name: String = name.chars().take(40).collect();
            diagnostics
                .push(at.diagnostic(Severity::Note, format!("{what} {name} is skipped{times}")));
        }
    }
}

/// Names listed at most: text of a wrong kind has a new one on every line.
const LISTED: usize = 200;
