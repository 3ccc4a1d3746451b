//! Required concurrency with file control on QR.

use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::{PAPER_000, cics};

pub(super) static RULE: TuningRule = TuningRule {
    name: "cics.concurrency.required",
    summary: "Programs have CONCURRENCY(REQUIRED) or API(OPENAPI) while FCQRONLY=YES.",
    why: "Such a program starts on an open TCB and returns to it after every command. Each file \
          command costs two switches; FCQRONLY=NO takes them away.",
    severity: FindingSeverity::Warning,
    effect: None,
    sources: &[PAPER_000, cics::FCQRONLY, cics::PROGRAM],
    check: &check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    let parameter = documents.sit("FCQRONLY");
    if documents.first_sit().is_none() || parameter.is_some_and(|(_, p)| p.is("NO")) {
        return;
    }
    let local = documents
        .definitions("FILE")
        .any(|(_, d)| !d.has("REMOTESYSTEM"));
    for (document, program) in documents.definitions("PROGRAM") {
        let required = program.is("CONCURRENCY", "REQUIRED") || program.is("API", "OPENAPI");
        if local && required {
            let attribute = if program.is("CONCURRENCY", "REQUIRED") {
                "CONCURRENCY"
            } else {
                "API"
            };
            let value = program.get(attribute).map_or("", |(v, _)| v);
            let place = document.place(program.at(attribute));
            let mut finding = TuningFinding::at(&RULE, place, format!("{attribute}({value})"))
                .code("FCQRONLY=NO");
            if let Some((sit, p)) = parameter {
                finding = finding.because(sit.place(p.at), p.text());
            }
            findings.push(finding);
        }
    }
}
