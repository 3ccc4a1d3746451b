//! The rules judged against captures whose truth is known: of what was said, how
//! much was right.
//!
//! A claim is a rule named in a capture with a confidence, however often. It is
//! right when the capture's maker planted it or says that it follows. A rule is
//! silent on a capture in which it was planted and is not named.
//! `cargo xtask judge` prints the table; a part of it runs with the tests.

use crate::rules::{RULES, is_own_time};
use crate::synth::Case;
use crate::{Confidence, Options, explain};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Judgement {
    /// Captures judged.
    pub captures: u64,
    /// One line a rule and confidence, in the rules' order, the highest first;
    /// lines without a number are left out.
    pub lines: Vec<Line>,
}

/// What one rule said with one confidence.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// The rule's name.
    pub rule: String,
    /// `high`, `medium` or `low`; `silent` counts stand in the line `none`.
    pub confidence: String,
    /// Captures in which it was right.
    pub right: u64,
    /// Captures in which it was wrong.
    pub wrong: u64,
    /// Captures in which it was planted and not named.
    pub silent: u64,
}

/// A claim that was wrong, or a cause that was not named.
#[derive(Clone, Debug)]
pub struct Miss {
    /// The capture's name.
    pub case: String,
    /// The rule.
    pub rule: &'static str,
    /// What it said, none where it was silent.
    pub confidence: Option<Confidence>,
    /// The sentence of its costliest finding.
    pub text: String,
}

/// Judges every rule on every capture; the misses beside the table.
pub fn judge(cases: &[Case]) -> (Judgement, Vec<Miss>) {
    let mut counts = vec![[[0_u64; 2]; 3]; RULES.len()];
    let mut silent = vec![0_u64; RULES.len()];
    let mut misses = Vec::new();
    for case in cases {
        let said = said(&case.capture);
        for (nth, rule) in RULES.iter().enumerate() {
            let id = rule.about().id;
            let right = case.truth.planted.contains(&id) || case.truth.allowed.contains(&id);
            let own: Vec<_> = said.iter().filter(|(rule, ..)| *rule == id).collect();
            let confidences: BTreeSet<Confidence> = own.iter().map(|(_, c, _)| *c).collect();
            for confidence in confidences {
                counts[nth][confidence as usize][usize::from(right)] += 1;
                if !right {
                    let text = own.iter().find(|(_, c, _)| *c == confidence);
                    misses.push(Miss {
                        case: case.name.clone(),
                        rule: id,
                        confidence: Some(confidence),
                        text: text.map_or(String::new(), |(.., text)| text.clone()),
                    });
                }
            }
            if own.is_empty() && !is_own_time(id) && case.truth.planted.contains(&id) {
                silent[nth] += 1;
                misses.push(Miss {
                    case: case.name.clone(),
                    rule: id,
                    confidence: None,
                    text: String::new(),
                });
            }
        }
    }
    (table(cases.len(), &counts, &silent), misses)
}

impl Judgement {
    /// Right and wrong claims of a confidence, over all rules.
    pub fn total(&self, confidence: &str) -> (u64, u64) {
        let lines = self
            .lines
            .iter()
            .filter(|line| line.confidence == confidence);
        lines.fold((0, 0), |sum, line| (sum.0 + line.right, sum.1 + line.wrong))
    }

    /// Causes that were planted and not named, and all that were planted and
    /// named at any confidence.
    pub fn missed(&self) -> u64 {
        self.lines.iter().map(|line| line.silent).sum()
    }

    /// The lines of one rule.
    pub fn of(&self, rule: &str) -> impl Iterator<Item = &Line> {
        self.lines.iter().filter(move |line| line.rule == rule)
    }
}

/// What the rules say of a capture; times of thinking are no claims.
fn said(capture: &[u8]) -> Vec<(&'static str, Confidence, String)> {
    let options = Options {
        keep_findings: 1_000,
        ..Options::default()
    };
    let Ok(explanation) = explain(capture, &options) else {
        return Vec::new();
    };
    (explanation.findings.into_iter())
        .filter(|finding| !is_own_time(finding.rule))
        .map(|finding| (finding.rule, finding.confidence, finding.text))
        .collect()
}

fn table(captures: usize, counts: &[[[u64; 2]; 3]], silent: &[u64]) -> Judgement {
    let mut lines = Vec::new();
    for (nth, rule) in RULES.iter().enumerate() {
        let line = |confidence: &str| Line {
            rule: rule.about().id.to_owned(),
            confidence: confidence.to_owned(),
            ..Line::default()
        };
        for (confidence, name) in [(2, "high"), (1, "medium"), (0, "low")] {
            let [wrong, right] = counts[nth][confidence];
            if wrong + right > 0 {
                lines.push(Line {
                    right,
                    wrong,
                    ..line(name)
                });
            }
        }
        if silent[nth] > 0 {
            lines.push(Line {
                silent: silent[nth],
                ..line("none")
            });
        }
    }
    Judgement {
        captures: captures as u64,
        lines,
    }
}
