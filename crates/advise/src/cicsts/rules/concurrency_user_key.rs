//! OPENAPI programs in user key.

use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::cics;

pub(super) static RULE: TuningRule = TuningRule {
    name: "cics.concurrency.user-key",
    summary: "A program has API(OPENAPI) and EXECKEY(USER).",
    why: "It runs on an L9 TCB, and each call to DB2, MQ or sockets switches to an L8 TCB and \
          back. CONCURRENCY(REQUIRED) with API(CICSAPI) stays on L8 in either key.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[cics::PROGRAM, cics::MAXOPENTCBS],
    check: &check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    // Without STGPROT=YES both keys run alike.
    if documents.sit("STGPROT").is_some_and(|(_, p)| p.is("NO")) {
        return;
    }
    for (document, program) in documents.definitions("PROGRAM") {
        if program.is("API", "OPENAPI") && program.is("EXECKEY", "USER") {
            let place = document.place(program.at("EXECKEY"));
            findings.push(
                TuningFinding::at(&RULE, place, "API(OPENAPI) EXECKEY(USER)")
                    .code(program.alter("CONCURRENCY(REQUIRED) API(CICSAPI)"))
                    .needs("a program that uses no other interface than CICS and its attachments"),
            );
        }
    }
}
