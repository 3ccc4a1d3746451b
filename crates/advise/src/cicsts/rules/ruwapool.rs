//! Run-unit storage, acquired again for each LINK.

use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::cics;

pub(super) static RULE: TuningRule = TuningRule {
    name: "cics.ruwapool",
    summary: "RUWAPOOL=NO is coded.",
    why: "Each LINK to a Language Environment program then gets and frees its run-unit work \
          area; with YES a task keeps them in a pool.",
    severity: FindingSeverity::Note,
    effect: None,
    sources: &[cics::RUWAPOOL],
    check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    if let Some((document, p)) = documents.sit("RUWAPOOL").filter(|(_, p)| p.is("NO")) {
        findings
            .push(TuningFinding::at(&RULE, document.place(p.at), p.text()).code("RUWAPOOL=YES"));
    }
}
