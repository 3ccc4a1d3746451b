//! A class that is not defined.

use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::cics;

pub(super) static RULE: TuningRule = TuningRule {
    name: "cics.tranclass.undefined",
    summary: "A TRANSACTION names a TRANCLASS that the given definitions lack, though they \
              define others.",
    why: "A transaction whose class is not installed runs without a class: only MXT limits it.",
    severity: FindingSeverity::Warning,
    effect: None,
    sources: &[cics::TRANSACTION, cics::TRANCLASS],
    check: &check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    let defined: Vec<&str> = documents
        .definitions("TRANCLASS")
        .map(|(_, d)| d.name.as_str())
        .collect();
    if defined.is_empty() {
        return;
    }
    for (document, transaction) in documents.definitions("TRANSACTION") {
        let Some((class, at)) = transaction.get("TRANCLASS") else {
            continue;
        };
        let known = defined.iter().any(|d| d.eq_ignore_ascii_case(class));
        // Those that CICS supplies.
        let supplied = class.to_ascii_uppercase().starts_with("DFH");
        if !known && !supplied {
            findings.push(
                TuningFinding::at(&RULE, document.place(at), format!("TRANCLASS({class})")).code(
                    format!(
                        "DEFINE TRANCLASS({class}) GROUP({}) MAXACTIVE(10) PURGETHRESH(100)",
                        transaction.group
                    ),
                ),
            );
        }
    }
}
