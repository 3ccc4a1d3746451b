//! Transaction isolation keeps file control on QR.

use crate::document::Documents;
use crate::finding::{Finding, Severity};
use crate::rule::Rule;
use crate::source::cics;

pub(super) static RULE: Rule = Rule {
    name: "cics.fcqronly.isolate",
    summary: "FCQRONLY=NO and TRANISO=YES are set, and a transaction has ISOLATE(YES).",
    why: "Commands of an isolated transaction on LSR files are not threadsafe: they go to the QR \
          TCB and back.",
    severity: Severity::Note,
    effect: None,
    sources: &[cics::PK45354, cics::TRANSACTION],
    check,
};

fn check(documents: &Documents, findings: &mut Vec<Finding>) {
    let on = |name, word| documents.sit(name).filter(|(_, p)| p.is(word));
    let (Some(_), Some((sit, isolation))) = (on("FCQRONLY", "NO"), on("TRANISO", "YES")) else {
        return;
    };
    for (document, transaction) in documents.definitions("TRANSACTION") {
        // ISOLATE(YES) is the default; only where it is coded is it meant.
        if transaction.is("ISOLATE", "YES") {
            findings.push(
                Finding::at(
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
