//! Fewer sockets than the backlog.

use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::{PAPER_001, cics};

pub(super) static RULE: TuningRule = TuningRule {
    name: "cics.sockets.numsock",
    summary: "NUMSOCK of a listener is not above its BACKLOG.",
    why: "One socket listens and each connection that is being given away holds one. After a \
          burst of BACKLOG connections the listener has none left and the rest wait.",
    severity: FindingSeverity::Note,
    effect: None,
    sources: &[PAPER_001, cics::SOCKETS],
    check: &check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    for (document, entry) in documents.socket_entries("LISTENER") {
        let backlog = entry.number("BACKLOG").map_or(20, |(n, _)| n);
        let (sockets, at) = entry.number("NUMSOCK").unwrap_or((50, entry.at));
        if sockets <= backlog {
            let better = backlog.saturating_add(10);
            findings.push(
                TuningFinding::at(&RULE, document.place(at), format!("NUMSOCK={sockets}"))
                    .code(format!("NUMSOCK={better}"))
                    .because(document.place(entry.at), format!("BACKLOG={backlog}")),
            );
        }
    }
}
