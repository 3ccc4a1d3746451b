//! Everything on QR.

use crate::document::Documents;
use crate::finding::{Finding, Severity};
use crate::rule::Rule;
use crate::source::cics;

pub(super) static RULE: Rule = Rule {
    name: "cics.forceqr",
    summary: "FORCEQR=YES runs threadsafe programs on the QR TCB.",
    why: "It is meant for testing programs that proved not to be threadsafe. One processor then \
          carries every program of the region.",
    severity: Severity::Warning,
    effect: None,
    sources: &[cics::FORCEQR],
    check,
};

fn check(documents: &Documents, findings: &mut Vec<Finding>) {
    if let Some((document, p)) = documents.sit("FORCEQR").filter(|(_, p)| p.is("YES")) {
        findings.push(Finding::at(&RULE, document.place(p.at), p.text()).code("FORCEQR=NO"));
    }
}
