//! Fewer sockets than the backlog.

use crate::document::Documents;
use crate::finding::{Finding, Severity};
use crate::rule::Rule;
use crate::source::{PAPER_001, cics};

pub(super) static RULE: Rule = Rule {
    name: "cics.sockets.numsock",
    summary: "NUMSOCK of a listener is not above its BACKLOG.",
    why: "One socket listens and each connection that is being given away holds one. After a \
          burst of BACKLOG connections the listener has none left and the rest wait.",
    severity: Severity::Note,
    effect: None,
    sources: &[PAPER_001, cics::SOCKETS],
    check,
};

fn check(documents: &Documents, findings: &mut Vec<Finding>) {
    for (document, entry) in documents.socket_entries("LISTENER") {
        let backlog = entry.number("BACKLOG").map_or(20, |(n, _)| n);
        let (sockets, at) = entry.number("NUMSOCK").unwrap_or((50, entry.at));
        if sockets <= backlog {
            let better = backlog.saturating_add(10);
            findings.push(
                Finding::at(&RULE, document.place(at), format!("NUMSOCK={sockets}"))
                    .code(format!("NUMSOCK={better}"))
                    .because(document.place(entry.at), format!("BACKLOG={backlog}")),
            );
        }
    }
}
