//! Sockets on subtasks.

use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::{PAPER_001, cics};

pub(super) static RULE: TuningRule = TuningRule {
    name: "cics.sockets.ote",
    summary: "EZACICD TYPE=CICS has OTE=NO, coded or by default.",
    why: "Each socket call then goes from the QR TCB to a subtask and back. With OTE=YES calls \
          run on the L8 TCB that a threadsafe program is on.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[PAPER_001, cics::SOCKETS],
    check: &check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    for (document, entry) in documents.socket_entries("CICS") {
        let ote = entry.get("OTE");
        if !ote.is_some_and(|(v, _)| v.eq_ignore_ascii_case("YES")) {
            let at = ote.map_or(entry.at, |(_, at)| at);
            findings.push(
                TuningFinding::at(&RULE, document.place(at), "OTE=NO")
                    .code("OTE=YES")
                    .needs("CONCURRENCY(THREADSAFE) for the programs that call EZASOKET"),
            );
        }
    }
}
