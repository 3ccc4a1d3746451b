//! A tuning rule, the tables of all rules, and the run over a set of documents.

use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::worlds::for_each_candidate;
use crate::{cicsts, linux, sna, tcpip};

/// A rule: one row in the table of its `rules/mod.rs` and one fixture
/// `testdata/rules/NAME.txt`. Rules over one value stand together in the file of
/// their kind of value; each other rule has its own file.
pub struct TuningRule {
    /// Stable dotted name, as `tcpip.mtu.route`.
    pub name: &'static str,
    /// The condition that it checks, in one sentence.
    pub summary: &'static str,
    /// Why that matters, in plain sentences.
    pub why: &'static str,
    /// Its usual severity.
    pub severity: FindingSeverity,
    /// Published effect, if there is one.
    pub effect: Option<&'static str>,
    /// Papers and manuals that say so.
    pub sources: &'static [&'static str],
    /// How it finds its faults.
    pub(crate) check: &'static dyn RuleCheck,
}

/// How a rule finds its faults: the key, test and wanted value of a rule over one
/// value, or a function.
pub(crate) trait RuleCheck: Sync {
    /// Adds the findings of `rule` in the documents of `set`.
    fn find(&self, rule: &'static TuningRule, set: &DocumentSet, out: &mut Vec<TuningFinding>);
}

impl<F: Fn(&DocumentSet, &mut Vec<TuningFinding>) + Sync> RuleCheck for F {
    fn find(&self, _: &'static TuningRule, set: &DocumentSet, out: &mut Vec<TuningFinding>) {
        self(set, out);
    }
}

/// Every rule, by area.
pub fn rules() -> impl Iterator<Item = &'static TuningRule> {
    [
        tcpip::rules::RULES,
        linux::rules::RULES,
        cicsts::rules::RULES,
        sna::rules::RULES,
    ]
    .into_iter()
    .flatten()
    .copied()
}

/// The rule of a name.
pub fn rule(name: &str) -> Option<&'static TuningRule> {
    rules().find(|r| r.name == name)
}

/// Runs the rules over the documents. With names in `only`, a rule runs if its name
/// is one of them or begins with one and a dot (`tcpip.mtu`). If a value could not
/// be read, only findings that hold for every possible value are returned. Findings
/// are in the order of the files, then of the places.
pub fn advise(documents: &DocumentSet, only: &[String]) -> Vec<TuningFinding> {
    let mut findings = for_each_candidate(documents, |documents| {
        let mut findings = Vec::new();
        for rule in rules().filter(|r| only.is_empty() || only.iter().any(|o| selects(o, r.name))) {
            rule.check.find(rule, documents, &mut findings);
        }
        findings
    });
    let order = |file: &str| documents.all.iter().position(|d| *d.name == *file);
    findings.sort_by_cached_key(|f| {
        let place = (order(&f.place.file), f.place.line, f.place.column);
        (place, std::cmp::Reverse(f.severity))
    });
    findings
}

/// Whether a name in `only` selects a rule.
fn selects(word: &str, name: &str) -> bool {
    match name.strip_prefix(word) {
        Some(rest) => rest.is_empty() || rest.starts_with('.'),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_dotted_and_sourced() {
        let mut names: Vec<&str> = rules().map(|r| r.name).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
        for rule in rules() {
            let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || ".-".contains(c);
            assert!(
                rule.name.contains('.') && rule.name.chars().all(plain),
                "{}",
                rule.name
            );
            assert!(!rule.sources.is_empty(), "{}", rule.name);
            assert!(
                rule.summary.ends_with('.') && rule.why.ends_with('.'),
                "{}",
                rule.name
            );
        }
    }

    #[test]
    fn a_prefix_selects_whole_words_only() {
        assert!(selects("tcpip.mtu", "tcpip.mtu.route"));
        assert!(selects("tcpip.mtu.route", "tcpip.mtu.route"));
        assert!(!selects("tcpip.mt", "tcpip.mtu.route"));
    }
}
