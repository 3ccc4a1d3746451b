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
        for (s, statement) in statements.iter_mut().enumerate() {
            self.name_values(statement, told);
            self.tell_repeated(statement, told);
            self.tell_unlisted(statement, told);
            for (o, operand) in statement.operands.iter().enumerate() {
                let Some(row) = self.row(&statement.verb, &operand.name) else {
                    continue;
                };
                let (name, at) = (operand.name.as_str(), operand.at);
                let place = (statement.verb.as_str(), name, at);
                if let Some(samples) = self.value(row, place, &operand.value, told) {
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
    /// value is missing, or a number that a comma or a blank cut off.
    fn name_values(&self, statement: &mut Statement, told: &mut Vec<Diagnostic>) {
        if !matches!(self.style, Style::Equals | Style::Parentheses) {
            return;
        }
        let verb = statement.verb.clone();
        let mut positional = usize::from(self.row(&verb, "").is_some());
        for operand in statement.operands.iter_mut().filter(|o| o.name.is_empty()) {
            let word = operand.value.to_ascii_uppercase();
            if self.row(&verb, &word).is_some() {
                operand.name = word;
                operand.value.clear();
            } else if positional > 0 {
                positional -= 1;
            } else if is_numeric(&operand.value) && self.numbers_are_named(&verb) {
                // As a value of the statement's own row it would count.
                operand.name = STRAY.to_owned();
                let message = format!("{verb}: {} belongs to no keyword", shown(&operand.value));
                let mut d = operand.at.diagnostic(Severity::Error, message);
                d.help = Some("a number has no commas and no blanks in it".to_owned());
                told.push(d);
            }
        }
    }

    /// Whether numbers of a statement always have keywords: of statements
    /// with rows, and of those only.
    fn numbers_are_named(&self, verb: &str) -> bool {
        self.rows.iter().any(|r| r.on.contains(&verb))
            || (self.rows.iter().any(|r| r.on.is_empty()) && STATEMENTS.contains(&verb))
    }

    /// Keywords that the statement does not have, where its keywords are known.
    fn tell_unlisted(&self, statement: &Statement, told: &mut Vec<Diagnostic>) {
        let verb = statement.verb.as_str();
        let Some(others) = self.others.iter().find(|o| o.on.contains(&verb)) else {
            return;
        };
        for operand in statement
            .operands
            .iter()
            .filter(|o| !o.name.is_empty() && o.name != STRAY)
        {
            let name = operand.name.as_str();
            if self.row(verb, name).is_none() && !others.names.contains(&name) {
                others.tell(verb, operand, self.rows, told);
            }
        }
    }

    /// Keywords that stand twice on a statement. Commands change objects, so
    /// there the later value is meant.
    fn tell_repeated(&self, statement: &Statement, told: &mut Vec<Diagnostic>) {
        if self.style == Style::Command {
            return;
        }
        for (i, operand) in statement.operands.iter().enumerate() {
            let listed =
                !operand.name.is_empty() && self.row(&statement.verb, &operand.name).is_some();
            if listed
                && statement.operands[..i]
                    .iter()
                    .any(|o| o.name == operand.name)
            {
                let name = self.style.shown(&operand.name);
                let message =
                    format!("{name} is given twice on this statement; the last one counts");
                told.push(operand.at.diagnostic(Severity::Warning, message));
            }
        }
    }
}

impl Others {
    /// A keyword that is in no list of the statement.
    fn tell(&self, verb: &str, operand: &Operand, rows: &[Row], told: &mut Vec<Diagnostic>) {
        let name = shown(&operand.name);
        if !self.complete {
            let message = format!("{verb}: keyword {name} is passed over");
            told.push(operand.at.diagnostic(Severity::Note, message));
            return;
        }
        let rows = rows
            .iter()
            .filter(|r| r.on.contains(&verb))
            .flat_map(|r| r.names);
        let all = rows.chain(self.names).copied();
        let alike: Vec<&str> = all.clone().filter(|n| n.contains(&operand.name)).collect();
        let meant = match alike[..] {
            [] => nearest(&operand.name, all).map(str::to_owned),
            _ => Some(alike.join(" or ")),
        };
        let mut d = operand
            .at
            .diagnostic(Severity::Error, format!("{verb} has no keyword {name}"));
        d.help = meant.map(|meant| format!("{meant} is meant?"));
        told.push(d);
    }
}

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
