//! Auxiliary trace from the start.

use crate::document::Documents;
use crate::finding::{Finding, Severity};
use crate::rule::Rule;
use crate::source::{PAPER_000, cics};

pub(super) static RULE: Rule = Rule {
    name: "cics.auxtr",
    summary: "AUXTR=ON starts auxiliary trace with the region.",
    why: "It is the instrument for finding switches and waits, and each entry costs CPU and I/O. \
          Switch it on for a measured interval, and off for what is compared.",
    severity: Severity::Note,
    effect: None,
    sources: &[PAPER_000, cics::AUXTR],
    check,
};

fn check(documents: &Documents, findings: &mut Vec<Finding>) {
    if let Some((document, p)) = documents.sit("AUXTR").filter(|(_, p)| p.is("ON")) {
        findings.push(Finding::at(&RULE, document.place(p.at), p.text()).code("AUXTR=OFF"));
    }
}
