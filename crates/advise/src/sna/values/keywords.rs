//! Errors in the keywords of a statement: one without its value, a number
//! without its keyword, one given twice, one that the statement does not have.

use std::collections::HashSet;

use base::{Diagnostic, Severity, did_you_mean, nearest};

use super::form::shown;
use super::rows::{KeywordStyle, Table, UnreadKeywords};
use crate::sna::kinds::aix;
use crate::sna::syntax::Statement;

impl Table {
    /// Reports values without a keyword, for products that have none: a keyword
    /// without a value, or a number that a comma or blank cut off. Returns the
    /// operands with such values.
    pub(super) fn name_values(
        &self,
        statement: &mut Statement,
        findings: &mut Vec<Diagnostic>,
    ) -> Vec<usize> {
        let mut cut = Vec::new();
        if !matches!(self.style, KeywordStyle::Equals | KeywordStyle::Parentheses) {
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
                    // The missing value has been reported.
                    Some(whose) if whose.value.is_empty() => (operand.at, String::new()),
                    Some(whose) => {
                        cut.push(o - 1);
                        let number = self.style.spell(&verb, &whose.name, &whose.value);
                        (whose.at, format!("{number} is cut off before {rest}"))
                    }
                    None => (operand.at, format!("{verb}: {rest} has no keyword")),
                };
                if !message.is_empty() {
                    let mut d = at.diagnostic(Severity::Error, message);
                    d.help = Some("a number has no commas and no blanks in it".to_owned());
                    findings.push(d);
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

    /// Reports unknown keywords of statements whose keywords are all known, and
    /// misspelt keywords of others. An unknown keyword is removed from the
    /// statement.
    pub(super) fn report_unlisted(
        &self,
        statement: &mut Statement,
        passed: &mut ReportedKeywords,
        findings: &mut Vec<Diagnostic>,
    ) {
        let verb = statement.verb.as_str();
        let others = self.others.iter().find(|o| o.on.contains(&verb));
        let complete = others.is_some_and(|o| o.complete);
        for operand in statement
            .operands
            .iter_mut()
            .filter(|o| !o.name.is_empty() && o.name != STRAY)
        {
            let name = operand.name.as_str();
            let listed = others.map_or(ALIKE, |o| o.names).contains(&name);
            if listed || self.row(verb, name).is_some() {
                continue;
            }
            if passed.is_new(verb, name) {
                let name = shown(name);
                let meant = self.meant(verb, &name, others);
                let (severity, message) = if complete {
                    (Severity::Error, format!("{verb} has no keyword {name}"))
                } else {
                    (Severity::Note, format!("{verb}: keyword {name} is skipped"))
                };
                if others.is_some() || meant.is_some() {
                    let mut d = operand.at.diagnostic(severity, message);
                    d.help = meant.map(did_you_mean);
                    findings.push(d);
                }
            }
            if complete {
                STRAY.clone_into(&mut operand.name);
            }
        }
    }

    /// The keywords that are similar to a word.
    fn meant(&self, verb: &str, word: &str, others: Option<&UnreadKeywords>) -> Option<String> {
        let rows = self
            .rows
            .iter()
            .filter(|r| r.is_on(verb))
            .flat_map(|r| r.names);
        let all = rows
            .chain(others.map_or(&[][..], |o| o.names))
            .copied()
            .filter(|n| !n.is_empty());
        let longer: Vec<&str> = if others.is_some_and(|o| o.complete) {
            all.clone().filter(|n| n.contains(word)).collect()
        } else {
            Vec::new()
        };
        // If not all keywords of a statement are known, a similar word may
        // be another keyword, and so may a word with a prefix.
        let likely = |near: &&str| match others {
            Some(_) => !word.ends_with(*near),
            None => is_slip(word, near),
        };
        match longer[..] {
            [] => nearest(word, all).filter(likely).map(str::to_owned),
            _ => Some(longer.join(" or ")),
        }
    }

    /// Reports keywords that occur twice in a statement. Commands change
    /// objects, options and devices, so there the later value applies.
    pub(super) fn report_repeated(&self, statement: &Statement, findings: &mut Vec<Diagnostic>) {
        let device = [aix::OPTION, aix::ADAPTER].contains(&statement.verb.as_str());
        if self.style == KeywordStyle::Command || (self.style == KeywordStyle::Stanza && device) {
            return;
        }
        // The number of names is bounded by the table, not by the operands.
        let mut seen: Vec<&str> = Vec::new();
        for operand in &statement.operands {
            let name = operand.name.as_str();
            if seen.contains(&name) {
                let name = self.style.shown(name);
                let message =
                    format!("{name} is given twice on this statement; the last one counts");
                findings.push(operand.at.diagnostic(Severity::Warning, message));
            } else if !name.is_empty() && self.row(&statement.verb, name).is_some() {
                seen.push(name);
            }
        }
    }
}

/// Whether two words begin alike and differ in one letter, or in two that
/// changed places.
fn is_slip(word: &str, near: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (word.chars().collect(), near.chars().collect());
    let pairs = || a.iter().zip(&b);
    let begin = pairs().take_while(|(x, y)| x == y).count();
    let end = a.iter().rev().zip(b.iter().rev());
    let end = end.take_while(|(x, y)| x == y).count();
    let longest = a.len().max(b.len());
    let swapped = a.len() == b.len()
        && begin + end + 2 == longest
        && a[begin] == b[begin + 1]
        && a[begin + 1] == b[begin];
    begin > 0 && (begin + end + 1 >= longest || swapped)
}

/// Keywords that were reported: each once a text.
#[derive(Debug, Default)]
pub(super) struct ReportedKeywords(HashSet<(String, String)>);

impl ReportedKeywords {
    fn is_new(&mut self, verb: &str, name: &str) -> bool {
        let known = self.0.len() >= LISTED;
        !known && name.len() <= LONGEST && self.0.insert((verb.to_owned(), name.to_owned()))
    }
}

/// Keywords listed at most: text of a wrong kind has a new one on every line.
const LISTED: usize = 1000;
/// No keyword is longer.
const LONGEST: usize = 40;
/// Keywords that no rule reads and that are spelled almost like one that is
/// read.
const ALIKE: &[&str] = &["PACING", "T1TIMER", "RECVBUFS"];

/// Statements of VTAM and NCP whose operands all have keywords.
const STATEMENTS: &[&str] = &[
    "APPL", "GROUP", "LINE", "CLUSTER", "PU", "LU", "TERMINAL", "PCCU", "BUILD", "HOST",
];
/// The name of a value without a keyword; no keyword is spelled so.
const STRAY: &str = "?";

/// Whether a value is intended as a number.
fn is_numeric(value: &str) -> bool {
    let digits = value.strip_prefix('-').unwrap_or(value);
    digits.starts_with(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_is_one_letter_and_never_the_first() {
        for (word, near) in [
            ("MAXDTA", "MAXDATA"),
            ("MAXDAAT", "MAXDATA"),
            ("DELAYS", "DELAY"),
        ] {
            assert!(is_slip(word, near), "{word}");
        }
        for (word, near) in [("LUTYPE", "PUTYPE"), ("AUTOSYN", "AUTOSES"), ("", "A")] {
            assert!(!is_slip(word, near), "{word}");
        }
    }
}
