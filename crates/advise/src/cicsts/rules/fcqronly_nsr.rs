//! A file outside the LSR pools.

use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::cics;

pub(super) static RULE: TuningRule = TuningRule {
    name: "cics.fcqronly.nsr",
    summary: "FCQRONLY=NO is set and a local VSAM file is in no LSR pool.",
    why: "Commands on NSR files go to the QR TCB for either value of FCQRONLY, and each switches \
        there and back.",
    severity: FindingSeverity::Note,
    effect: None,
    sources: &[cics::PK45354, cics::THREADSAFE_FILES, cics::FILE],
    check: &check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    if !documents.sit("FCQRONLY").is_some_and(|(_, p)| p.is("NO")) {
        return;
    }
    for (document, file) in documents.definitions("FILE") {
        if file.is_nsr() && !file.is("RLSACCESS", "YES") && !file.has("REMOTESYSTEM") {
            let attribute = file.pool_attribute();
            findings.push(
                TuningFinding::at(&RULE, document.place(file.at(attribute)), "no LSR pool")
                    .code(file.alter("LSRPOOLNUM(1)"))
                    .needs("buffers of the file's CI sizes in the pool"),
            );
        }
    }
}
