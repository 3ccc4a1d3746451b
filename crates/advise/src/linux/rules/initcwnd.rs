//! A small initial congestion window.

use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::{PAPER_000, kernel};

pub(super) static RULE: TuningRule = TuningRule {
    name: "linux.route.initcwnd",
    summary: "A route sets initcwnd below 10.",
    why: "A new connection may send this many segments before the first acknowledgement. A \
        response of 14,600 bytes takes one round trip with 10 segments, three with 2 and \
        four with 1.",
    severity: FindingSeverity::Warning,
    effect: None,
    sources: &[PAPER_000, kernel::RFC6928, kernel::IP_ROUTE],
    check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    for (document, route) in documents.ip_routes() {
        if let Some((value, at)) = route.number("initcwnd")
            && value < 10
        {
            findings.push(
                TuningFinding::at(&RULE, document.place(at), format!("initcwnd {value}"))
                    .code(route.change("initcwnd", None)),
            );
        }
    }
}
