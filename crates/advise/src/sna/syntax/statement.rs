//! The common form of every SNA configuration text.
//!
//! A mode table, an NCP generation, a control-language program and an AIX
//! stanza differ only in punctuation: each is a row of statements with a
//! verb, a name and operands. Rules look at statements, never at text.

use base::{Diagnostic, Severity};

use crate::document::LineColumn;

/// A keyword with its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeywordOperand {
    /// The keyword in upper case; empty for a positional value.
    pub name: String,
    /// The value as written, without outer blanks.
    pub value: String,
    /// Start of the operand.
    pub at: LineColumn,
}

/// One statement of any of the syntaxes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// Its verb, in upper case: `MODEENT`, `LINE`, `CRTMODD`, `MODE`.
    pub verb: String,
    /// Its label or name as written; empty without one.
    pub name: String,
    /// Its operands in their order.
    pub operands: Vec<KeywordOperand>,
    /// Start of the verb.
    pub at: LineColumn,
}

impl Statement {
    /// A statement without operands.
    pub fn new(verb: &str, name: &str, at: LineColumn) -> Self {
        Self {
            verb: verb.to_ascii_uppercase(),
            name: name.to_owned(),
            operands: Vec::new(),
            at,
        }
    }

    /// The operand of a keyword; the last one where it is given twice.
    pub fn operand(&self, name: &str) -> Option<&KeywordOperand> {
        self.operands.iter().rev().find(|o| o.name == name)
    }

    /// The first of several spellings of a keyword that is given.
    pub fn any(&self, names: &[&str]) -> Option<&KeywordOperand> {
        names.iter().find_map(|n| self.operand(n))
    }
}

impl KeywordOperand {
    /// The value as a whole number, of a list the first one.
    pub fn number(&self) -> Option<u32> {
        #[cfg(test)]
        reads::note(&self.name);
        if self.value.starts_with('(') {
            number(self.list().first()?)
        } else {
            number(&self.value)
        }
    }

    /// The elements of a list in parentheses, or the single value.
    pub fn list(&self) -> Vec<&str> {
        #[cfg(test)]
        reads::note(&self.name);
        let inner = self
            .value
            .strip_prefix('(')
            .map_or(self.value.as_str(), |v| v.strip_suffix(')').unwrap_or(v));
        split(inner)
    }

    /// Whether the value is this word, in any case.
    pub fn is(&self, word: &str) -> bool {
        unquote(&self.value).eq_ignore_ascii_case(word)
    }
}

/// The result of a reader.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ParsedStatements {
    /// The statements in their order.
    pub statements: Vec<Statement>,
    /// Statements that could not be understood.
    pub diagnostics: Vec<Diagnostic>,
}

impl ParsedStatements {
    /// Adds a warning about a place.
    pub fn warn(&mut self, at: LineColumn, message: impl Into<String>) {
        self.diagnostics
            .push(at.diagnostic(Severity::Warning, message));
    }
}

/// A whole number in one piece: no product takes commas between thousands.
pub fn number(text: &str) -> Option<u32> {
    let text = unquote(text);
    let plain = text.bytes().all(|b| b.is_ascii_digit());
    text.parse().ok().filter(|_| plain)
}

/// A value without the quotes around it.
pub fn unquote(text: &str) -> &str {
    let text = text.trim();
    for quote in ['\'', '"'] {
        if let Some(inner) = text.strip_prefix(quote).and_then(|t| t.strip_suffix(quote)) {
            return inner.trim();
        }
    }
    text
}

/// Splits at the commas outside parentheses and quotes.
pub(crate) fn split(text: &str) -> Vec<&str> {
    let (mut depth, mut quoted, mut start) = (0i32, false, 0);
    let mut parts = Vec::new();
    for (i, c) in text.char_indices() {
        match c {
            '\'' => quoted = !quoted,
            '(' if !quoted => depth += 1,
            ')' if !quoted => depth -= 1,
            ',' if !quoted && depth <= 0 => {
                parts.push(text[start..i].trim());
                start = i + 1;
            }
            _ => {}
        }
    }
    parts.push(text[start..].trim());
    parts
}

/// The keywords whose numbers a test's rules have read.
#[cfg(test)]
pub(crate) mod reads {
    use std::cell::RefCell;
    use std::collections::BTreeSet;

    thread_local! {
        static READ: RefCell<BTreeSet<String>> = const { RefCell::new(BTreeSet::new()) };
    }

    pub(crate) fn note(name: &str) {
        READ.with_borrow_mut(|read| {
            if !read.contains(name) {
                read.insert(name.to_owned());
            }
        });
    }

    pub(crate) fn clear() {
        READ.with_borrow_mut(BTreeSet::clear);
    }

    pub(crate) fn all() -> BTreeSet<String> {
        READ.with_borrow(BTreeSet::clone)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operand(value: &str) -> KeywordOperand {
        KeywordOperand {
            name: "X".to_owned(),
            value: value.to_owned(),
            at: LineColumn { line: 1, column: 1 },
        }
    }

    #[test]
    fn lists_keep_their_empty_places() {
        assert_eq!(
            operand("(200,384,,,100,50)").list(),
            ["200", "384", "", "", "100", "50"]
        );
        assert_eq!(operand("4000").list(), ["4000"]);
        assert_eq!(operand("(A,(B,C))").list(), ["A", "(B,C)"]);
    }

    #[test]
    fn numbers_may_have_quotes_and_nothing_else_except_digits() {
        assert_eq!(number("30720"), Some(30_720));
        assert_eq!(number("'4096'"), Some(4096));
        for wrong in [
            "*CALC", "8,1", "30,720", "'4,096'", "4 096", ",256", "256,", "+5", "-1",
        ] {
            assert_eq!(number(wrong), None, "{wrong}");
        }
        assert_eq!(number(""), None);
        assert_eq!(number("99999999999"), None);
    }
}
