//! A clamped window.

use crate::document::Documents;
use crate::finding::{Finding, Severity};
use crate::rule::Rule;
use crate::source::kernel;

pub(super) static RULE: Rule = Rule {
    name: "linux.route.window",
    summary: "A route sets window below 65535.",
    why: "The partner may have no more than this under way: one window a round trip.",
    severity: Severity::Warning,
    effect: None,
    sources: &[kernel::IP_ROUTE],
    check,
};

fn check(documents: &Documents, findings: &mut Vec<Finding>) {
    for (document, route) in documents.ip_routes() {
        if let Some((value, at)) = route.number("window")
            && (1..65_535).contains(&value)
        {
            findings.push(
                Finding::at(&RULE, document.place(at), format!("window {value}"))
                    .code(route.change("window", None)),
            );
        }
    }
}
