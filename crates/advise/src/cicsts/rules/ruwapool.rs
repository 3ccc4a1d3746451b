//! Run-unit storage anew for each LINK.

use crate::document::Documents;
use crate::finding::{Finding, Severity};
use crate::rule::Rule;
use crate::source::cics;

pub(super) static RULE: Rule = Rule {
    name: "cics.ruwapool",
    summary: "RUWAPOOL=NO is coded.",
    why: "Each LINK to a Language Environment program then gets and frees its run-unit work \
          area; with YES a task keeps them in a pool.",
    severity: Severity::Note,
    effect: None,
    sources: &[cics::RUWAPOOL],
    check,
};

fn check(documents: &Documents, findings: &mut Vec<Finding>) {
    if let Some((document, p)) = documents.sit("RUWAPOOL").filter(|(_, p)| p.is("NO")) {
        findings.push(Finding::at(&RULE, document.place(p.at), p.text()).code("RUWAPOOL=YES"));
    }
}
