//! OPENAPI without threadsafe.

use crate::document::Documents;
use crate::finding::{Finding, Severity};
use crate::rule::Rule;
use crate::source::cics;

pub(super) static RULE: Rule = Rule {
    name: "cics.concurrency.openapi",
    summary: "A program has API(OPENAPI) with CONCURRENCY(QUASIRENT), coded or by default.",
    why: "An OPENAPI program must be threadsafe; CICS does not install the definition otherwise.",
    severity: Severity::Warning,
    effect: None,
    sources: &[cics::PROGRAM],
    check,
};

fn check(documents: &Documents, findings: &mut Vec<Finding>) {
    for (document, program) in documents.definitions("PROGRAM") {
        let quasi = !program.has("CONCURRENCY") || program.is("CONCURRENCY", "QUASIRENT");
        if quasi && program.is("API", "OPENAPI") {
            findings.push(
                Finding::at(&RULE, document.place(program.at("API")), "API(OPENAPI)")
                    .code(program.alter("CONCURRENCY(REQUIRED) API(OPENAPI)"))
                    .needs("that the program is threadsafe; if it is not, API(CICSAPI)"),
            );
        }
    }
}
