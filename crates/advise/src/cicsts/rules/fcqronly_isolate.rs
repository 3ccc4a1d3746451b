//! Transaction isolation keeps file control on QR.

use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::cics;

pub(super) static RULE: TuningRule = TuningRule {
    name: "cics.fcqronly.isolate",
    summary: "FCQRONLY=NO and TRANISO=YES are set, and a transaction has ISOLATE(YES).",
    why: "Commands of an isolated transaction on LSR files are not threadsafe: they go to the QR \
          TCB and back.",
    severity: FindingSeverity::Note,
    effect: None,
    sources: &[cics::PK45354, cics::TRANSACTION],
    check: &check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    let on = |name, word| documents.sit(name).filter(|(_, p)| p.is(word));
    let (Some(_), Some((sit, isolation))) = (on("FCQRONLY", "NO"), on("TRANISO", "YES")) else {
        return;
    };
    for (document, transaction) in documents.definitions("TRANSACTION") {
        // ISOLATE(YES) is the default; it is deliberate only if it is
        // coded.
        if transaction.is("ISOLATE", "YES") {
            findings.push(
                TuningFinding::at(
                    &RULE,
                    document.place(transaction.at("ISOLATE")),
                    "ISOLATE(YES)",
                )
                .code(transaction.alter("ISOLATE(NO)"))
                .needs("that the transaction needs no protection from others")
                .because(sit.place(isolation.at), isolation.text()),
            );
        }
    }
}
