//! A small advertised MSS.

use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::{PAPER_000, kernel};

pub(super) static RULE: TuningRule = TuningRule {
    name: "linux.route.advmss",
    summary: "A route sets advmss below 1460, or 1440 for IPv6.",
    why: "The partner sends segments of no more than this: at 536 a request that fits one \
          Ethernet packet takes three.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[PAPER_000, kernel::IP_ROUTE],
    check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    for (document, route) in documents.ip_routes() {
        let ethernet = if route.v6() { 1440 } else { 1460 };
        if let Some((value, at)) = route.number("advmss")
            && value < ethernet
        {
            let finding = TuningFinding::at(&RULE, document.place(at), format!("advmss {value}"))
                .code(route.change("advmss", None));
            findings.push(match value {
                0..=536 => finding.severity(FindingSeverity::Warning),
                _ => finding,
            });
        }
    }
}
