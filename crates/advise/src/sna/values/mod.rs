//! The values that rules read, checked once for every statement.
//!
//! Each product has a table of keywords ([`rows`]) with what a value may be
//! ([`Form`]). A value that is not so is an error of the reader, and it is
//! *open*: no rule may say what depends on it ([`crate::worlds`]). The tables
//! make the reference page too.
//!
//! Invariant: nothing else in this area decides whether a value is a number.

mod form;
mod rows;
#[cfg(test)]
mod tests;

use std::collections::HashSet;

use cics::diagnostic::{Diagnostic, Severity, nearest};

pub(crate) use form::WORLDS;
use form::shown;
use rows::{Others, Row, Style};
pub(crate) use rows::{TABLES, Table};

use super::syntax::{Operand, Statement};
use crate::document::At;
use crate::worlds::Open;

/// What rules do with a wrong value.
const SILENT: &str = "what depends on it is not judged";

/// The table of a kind of text.
pub(crate) fn table(kind: &str) -> Option<&'static Table> {
    TABLES.iter().copied().find(|t| t.kinds.contains(&kind))
}

impl Table {
    /// The row of a statement's keyword.
    pub(crate) fn row(&self, verb: &str, name: &str) -> Option<&'static Row> {
        self.rows.iter().find(|r| r.is(verb, name))
    }

    /// Checks every value of some statements; gives those that are open.
    pub(crate) fn judge(
        &self,
        statements: &mut [Statement],
        told: &mut Vec<Diagnostic>,
    ) -> Vec<Open> {
        let mut open = Vec::new();
        let mut passed = Passed::default();
        for (s, statement) in statements.iter_mut().enumerate() {
            let cut = self.name_values(statement, told);
            self.tell_repeated(statement, told);
            self.tell_unlisted(statement, &mut passed, told);
            for (o, operand) in statement.operands.iter().enumerate() {
                let Some(row) = self.row(&statement.verb, &operand.name) else {
                    continue;
                };
                let place = (statement.verb.as_str(), operand.name.as_str(), operand.at);
                let samples = match cut.contains(&o) {
                    true => Some(row.form.samples("")),
                    false => self.value(row, place, &operand.value, told),
                };
                if let Some(samples) = samples {
                    open.push(Open {
                        statement: s,
                        operand: o,
                        samples,
                    });
                }
            }
        }
        open
    }

    /// Checks one value, and tells what is wrong with it. Where something is,
    /// or the value stands elsewhere, gives what it may be.
    pub(crate) fn value(
        &self,
        row: &Row,
        (verb, name, at): (&str, &str, At),
        value: &str,
        told: &mut Vec<Diagnostic>,
    ) -> Option<Vec<String>> {
        let spelled = self.style.spell(verb, name, value);
        let (severity, message) = match row.form.fault(value) {
            _ if self.variables && value.contains('&') => {
                (Severity::Note, format!("{spelled} has its value elsewhere"))
            }
            Some(fault) => (Severity::Error, format!("{spelled}{fault}")),
            None => return None,
        };
        let mut diagnostic = at.diagnostic(severity, message);
        diagnostic.help = Some(SILENT.to_owned());
        told.push(diagnostic);
        Some(row.form.samples(value))
    }

    /// Values without a keyword, where the product has none: a keyword whose
    /// value is missing, or a number that a comma or a blank cut off. Gives the
    /// operands whose values were cut so.
    fn name_values(&self, statement: &mut Statement, told: &mut Vec<Diagnostic>) -> Vec<usize> {
        let mut cut = Vec::new();
        if !matches!(self.style, Style::Equals | Style::Parentheses) {
            return cut;
        }
        let verb = statement.verb.clone();
        let mut positional = usize::from(self.row(&verb, "").is_some());
        let stray = |value: &str| is_numeric(value) && self.numbers_are_named(&verb);
        for o in 0..statement.operands.len() {
            let (before, rest) = statement.operands.split_at_mut(o);
            let Some(operand) = rest.first_mut().filter(|operand| operand.name.is_empty()) else {
                continue;
            };
            let word = operand.value.to_ascii_uppercase();
            if self.row(&verb, &word).is_some() {
                operand.name = word;
                operand.value.clear();
            } else if positional > 0 {
                positional -= 1;
            } else if stray(&operand.value) {
                let whose = before.last().filter(|b| self.row(&verb, &b.name).is_some());
                let rest = shown(&operand.value);
                let (at, message) = match whose {
                    // That its value is missing is told already.
                    Some(whose) if whose.value.is_empty() => (operand.at, String::new()),
                    Some(whose) => {
                        cut.push(o - 1);
                        let number = self.style.spell(&verb, &whose.name, &whose.value);
                        (whose.at, format!("{number} is cut off before {rest}"))
                    }
                    None => (operand.at, format!("{verb}: {rest} belongs to no keyword")),
                };
                if !message.is_empty() {
                    let mut d = at.diagnostic(Severity::Error, message);
                    d.help = Some("a number has no commas and no blanks in it".to_owned());
                    told.push(d);
                }
                // As a value of the statement's own row it would count.
                STRAY.clone_into(&mut operand.name);
            }
        }
        cut
    }

    /// Whether numbers of a statement always have keywords: of statements
    /// with rows, and of those only.
    fn numbers_are_named(&self, verb: &str) -> bool {
        self.rows.iter().any(|r| r.on.contains(&verb))
            || (self.rows.iter().any(|r| r.on.is_empty()) && STATEMENTS.contains(&verb))
    }

    /// Keywords that the statement does not have, where its keywords are known,
    /// and others that are spelled almost as one that is read.
    fn tell_unlisted(
        &self,
        statement: &Statement,
        passed: &mut Passed,
        told: &mut Vec<Diagnostic>,
    ) {
        let verb = statement.verb.as_str();
        let others = self.others.iter().find(|o| o.on.contains(&verb));
        for operand in statement
            .operands
            .iter()
            .filter(|o| !o.name.is_empty() && o.name != STRAY)
        {
            let name = operand.name.as_str();
            let listed = others.map_or(ALIKE, |o| o.names).contains(&name);
            if listed || self.row(verb, name).is_some() || !passed.is_new(verb, name) {
                continue;
            }
            let name = shown(name);
            let complete = others.is_some_and(|o| o.complete);
            let meant = self.meant(verb, &name, others);
            let message = match complete {
                true => format!("{verb} has no keyword {name}"),
                false => format!("{verb}: keyword {name} is passed over"),
            };
            if others.is_some() || meant.is_some() {
                let severity = if complete {
                    Severity::Error
                } else {
                    Severity::Note
                };
                let mut d = operand.at.diagnostic(severity, message);
                d.help = meant.map(|meant| format!("{meant} is meant?"));
                told.push(d);
            }
        }
    }

    /// The keywords that a word may be meant for.
    fn meant(&self, verb: &str, word: &str, others: Option<&Others>) -> Option<String> {
        let rows = self
            .rows
            .iter()
            .filter(|r| r.is_on(verb))
            .flat_map(|r| r.names);
        let all = rows
            .chain(others.map_or(&[][..], |o| o.names))
            .copied()
            .filter(|n| !n.is_empty());
        let longer: Vec<&str> = match others.is_some_and(|o| o.complete) {
            true => all.clone().filter(|n| n.contains(word)).collect(),
            false => Vec::new(),
        };
        match longer[..] {
            [] => nearest(word, all).map(str::to_owned),
            _ => Some(longer.join(" or ")),
        }
    }

    /// Keywords that stand twice on a statement. Commands change objects, so
    /// there the later value is meant.
    fn tell_repeated(&self, statement: &Statement, told: &mut Vec<Diagnostic>) {
        if self.style == Style::Command {
            return;
        }
        // No more names than the table has, however many operands there are.
        let mut seen: Vec<&str> = Vec::new();
        for operand in &statement.operands {
            let name = operand.name.as_str();
            if seen.contains(&name) {
                let name = self.style.shown(name);
                let message =
                    format!("{name} is given twice on this statement; the last one counts");
                told.push(operand.at.diagnostic(Severity::Warning, message));
            } else if !name.is_empty() && self.row(&statement.verb, name).is_some() {
                seen.push(name);
            }
        }
    }
}

/// Keywords that are told of already: each once a text.
#[derive(Debug, Default)]
struct Passed(HashSet<(String, String)>);

impl Passed {
    fn is_new(&mut self, verb: &str, name: &str) -> bool {
        let known = self.0.len() >= LISTED;
        !known && name.len() <= LONGEST && self.0.insert((verb.to_owned(), name.to_owned()))
    }
}

/// Keywords listed at most: text of a wrong kind has a new one on every line.
const LISTED: usize = 1000;
/// No keyword is longer.
const LONGEST: usize = 40;
/// Keywords that nobody reads and that are spelled almost as one that is read.
const ALIKE: &[&str] = &["PACING", "T1TIMER", "RECVBUFS"];

/// Statements of VTAM and NCP whose operands all have keywords.
const STATEMENTS: &[&str] = &[
    "APPL", "GROUP", "LINE", "CLUSTER", "PU", "LU", "TERMINAL", "PCCU", "BUILD", "HOST", "START",
];
/// The name of a number that belongs to no keyword; no keyword is spelled so.
const STRAY: &str = "?";

/// Whether a value is meant as a number.
fn is_numeric(value: &str) -> bool {
    let digits = value.strip_prefix('-').unwrap_or(value);
    digits.starts_with(|c: char| c.is_ascii_digit())
}

impl Style {
    /// The keyword as its product writes it.
    pub(crate) fn shown(self, name: &str) -> String {
        match self {
            Style::Stanza => name.to_ascii_lowercase(),
            _ => name.to_owned(),
        }
    }

    /// Keyword and value as the text has them.
    fn spell(self, verb: &str, name: &str, value: &str) -> String {
        let (name, value) = (self.shown(name), shown(value));
        match self {
            _ if name.is_empty() => format!("{verb} {value}"),
            _ if value.is_empty() => name,
            Style::Equals => format!("{name}={value}"),
            Style::Parentheses | Style::Command => format!("{name}({value})"),
            Style::Setting | Style::Stanza => format!("{name} = {value}"),
        }
    }
}

impl Operand {
    /// Takes a value that the text does not have, to see what would follow.
    pub(crate) fn suppose(&mut self, value: &str) {
        value.clone_into(&mut self.value);
    }
}
