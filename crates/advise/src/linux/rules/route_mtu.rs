//! A small MTU on a route.

use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::{PAPER_000, kernel};

pub(super) static RULE: TuningRule = TuningRule {
    name: "linux.route.mtu",
    summary: "A route sets mtu below 1500.",
    why: "Segments carry 40 bytes less than this. A tunnel on the path may be the reason; then \
          leave it.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[PAPER_000, kernel::IP_ROUTE],
    check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    for (document, route) in documents.ip_routes() {
        if let Some((value, at)) = route.number("mtu")
            && value < 1500
        {
            let finding = TuningFinding::at(&RULE, document.place(at), format!("mtu {value}"))
                .code(route.change("mtu", None))
                .needs("that every link of the path carries 1500 bytes");
            findings.push(match value {
                0..=576 => finding.severity(FindingSeverity::Warning),
                _ => finding,
            });
        }
    }
}
