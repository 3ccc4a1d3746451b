//! More TCBs for sockets than the region has.

use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::cics;

pub(super) static RULE: TuningRule = TuningRule {
    name: "cics.sockets.tcblim",
    summary: "TCBLIM is above MAXOPENTCBS.",
    why: "The region stops at MAXOPENTCBS, so TCBLIM has no effect: sockets may take every open \
        TCB.",
    severity: FindingSeverity::Warning,
    effect: None,
    sources: &[cics::SOCKETS, cics::MAXOPENTCBS],
    check: &check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    let Some((sit, open)) = documents.sit("MAXOPENTCBS") else {
        return;
    };
    let Some(most) = open.number() else {
        return;
    };
    for (document, entry) in documents.socket_entries("CICS") {
        if let Some((limit, at)) = entry.number("TCBLIM")
            && limit > most
        {
            findings.push(
                TuningFinding::at(&RULE, document.place(at), format!("TCBLIM={limit}"))
                    .code(format!("TCBLIM={most}"))
                    .because(sit.place(open.at), open.text()),
            );
        }
    }
}
