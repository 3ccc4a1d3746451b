//! OPENAPI without threadsafe.

use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::cics;

pub(super) static RULE: TuningRule = TuningRule {
    name: "cics.concurrency.openapi",
    summary: "A program has API(OPENAPI) with CONCURRENCY(QUASIRENT), coded or by default.",
    why: "An OPENAPI program must be threadsafe; CICS does not install the definition otherwise.",
    severity: FindingSeverity::Warning,
    effect: None,
    sources: &[cics::PROGRAM],
    check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    for (document, program) in documents.definitions("PROGRAM") {
        let quasi = !program.has("CONCURRENCY") || program.is("CONCURRENCY", "QUASIRENT");
        if quasi && program.is("API", "OPENAPI") {
            findings.push(
                TuningFinding::at(&RULE, document.place(program.at("API")), "API(OPENAPI)")
                    .code(program.alter("CONCURRENCY(REQUIRED) API(OPENAPI)"))
                    .needs("that the program is threadsafe; if it is not, API(CICSAPI)"),
            );
        }
    }
}
