//! A clamped window.

use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::kernel;

pub(super) static RULE: TuningRule = TuningRule {
    name: "linux.route.window",
    summary: "A route sets window below 65535.",
    why: "The partner may have no more than this under way: one window a round trip.",
    severity: FindingSeverity::Warning,
    effect: None,
    sources: &[kernel::IP_ROUTE],
    check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    for (document, route) in documents.ip_routes() {
        if let Some((value, at)) = route.number("window")
            && (1..65_535).contains(&value)
        {
            findings.push(
                TuningFinding::at(&RULE, document.place(at), format!("window {value}"))
                    .code(route.change("window", None)),
            );
        }
    }
}
