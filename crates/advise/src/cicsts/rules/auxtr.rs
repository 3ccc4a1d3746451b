//! Auxiliary trace from the start.

use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::{PAPER_000, cics};

pub(super) static RULE: TuningRule = TuningRule {
    name: "cics.auxtr",
    summary: "AUXTR=ON starts auxiliary trace with the region.",
    why: "It is the instrument for finding switches and waits, and each entry costs CPU and I/O. \
          Switch it on for a measured interval, and off for what is compared.",
    severity: FindingSeverity::Note,
    effect: None,
    sources: &[PAPER_000, cics::AUXTR],
    check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    if let Some((document, p)) = documents.sit("AUXTR").filter(|(_, p)| p.is("ON")) {
        findings.push(TuningFinding::at(&RULE, document.place(p.at), p.text()).code("AUXTR=OFF"));
    }
}
