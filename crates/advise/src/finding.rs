//! A finding of a rule.

use std::fmt;

use serde::Serialize;

use crate::document::FilePlace;
use crate::rule::TuningRule;

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FindingSeverity {
    /// The effect depends on the load; measure it.
    Note,
    /// The sources advise another value.
    Advice,
    /// It costs time on every request or every connection, or statements
    /// contradict each other.
    Warning,
}

impl fmt::Display for FindingSeverity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            FindingSeverity::Note => "note",
            FindingSeverity::Advice => "advice",
            FindingSeverity::Warning => "warning",
        })
    }
}

/// One finding: a place, the value there, and the value to code instead.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct TuningFinding {
    /// The rule's dotted name.
    pub rule: &'static str,
    /// Its severity.
    pub severity: FindingSeverity,
    /// Where.
    pub place: FilePlace,
    /// The value found.
    pub value: String,
    /// The effect of the current value.
    pub why: String,
    /// The statement to code, exactly, a line each.
    pub code: Vec<String>,
    /// Preconditions: releases, APARs, other settings.
    pub needs: Vec<String>,
    /// Other places that contributed to it, each with its content.
    pub because: Vec<(FilePlace, String)>,
    /// Published or calculated effect, if one is known.
    pub effect: Option<String>,
    /// Papers and manuals.
    pub sources: &'static [&'static str],
}

impl TuningFinding {
    /// A finding of a rule, with the rule's severity, reason and effect.
    pub fn at(
        rule: &'static TuningRule,
        place: FilePlace,
        value: impl Into<String>,
    ) -> TuningFinding {
        TuningFinding {
            rule: rule.name,
            severity: rule.severity,
            place,
            value: value.into(),
            why: rule.why.to_owned(),
            code: Vec::new(),
            needs: Vec::new(),
            because: Vec::new(),
            effect: rule.effect.map(str::to_owned),
            sources: rule.sources,
        }
    }

    /// Adds lines to code.
    pub fn code(mut self, text: impl Into<String>) -> TuningFinding {
        self.code.extend(text.into().lines().map(str::to_owned));
        self
    }

    /// Sets the reason for this case.
    pub fn why(mut self, text: impl Into<String>) -> TuningFinding {
        self.why = text.into();
        self
    }

    /// Adds a condition.
    pub fn needs(mut self, text: impl Into<String>) -> TuningFinding {
        self.needs.push(text.into());
        self
    }

    /// Adds a place that decided it.
    pub fn because(mut self, place: FilePlace, text: impl Into<String>) -> TuningFinding {
        self.because.push((place, text.into()));
        self
    }

    /// States the effect in figures of this case.
    pub fn effect(mut self, text: impl Into<String>) -> TuningFinding {
        self.effect = Some(text.into());
        self
    }

    /// Matters more or less than the rule usually does.
    pub fn severity(mut self, severity: FindingSeverity) -> TuningFinding {
        self.severity = severity;
        self
    }
}
