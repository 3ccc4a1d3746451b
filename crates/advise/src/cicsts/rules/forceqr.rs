//! Everything on QR.

use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::cics;

pub(super) static RULE: TuningRule = TuningRule {
    name: "cics.forceqr",
    summary: "FORCEQR=YES runs threadsafe programs on the QR TCB.",
    why: "It is meant for testing programs that proved not to be threadsafe. One processor then \
          carries every program of the region.",
    severity: FindingSeverity::Warning,
    effect: None,
    sources: &[cics::FORCEQR],
    check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    if let Some((document, p)) = documents.sit("FORCEQR").filter(|(_, p)| p.is("YES")) {
        findings.push(TuningFinding::at(&RULE, document.place(p.at), p.text()).code("FORCEQR=NO"));
    }
}
