//! One string for a file.

use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::cics;

pub(super) static RULE: TuningRule = TuningRule {
    name: "cics.file.strings",
    summary: "A local VSAM file has STRINGS(1), coded.",
    why: "Only one request on the file runs at a time; others wait for the string.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[cics::FILE],
    check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    for (document, file) in documents.definitions("FILE") {
        if let Some((1, at)) = file.number("STRINGS")
            && !file.has("REMOTESYSTEM")
            && !file.is("RLSACCESS", "YES")
        {
            findings.push(
                TuningFinding::at(&RULE, document.place(at), "STRINGS(1)")
                    .code(file.alter("STRINGS(10)"))
                    .needs("strings in the file's LSR pool"),
            );
        }
    }
}
