//! A small MTU on a route.

use crate::document::Documents;
use crate::finding::{Finding, Severity};
use crate::rule::Rule;
use crate::source::{PAPER_000, kernel};

pub(super) static RULE: Rule = Rule {
    name: "linux.route.mtu",
    summary: "A route sets mtu below 1500.",
    why: "Segments carry 40 bytes less than this. A tunnel on the path may be the reason; then \
          leave it.",
    severity: Severity::Advice,
    effect: None,
    sources: &[PAPER_000, kernel::IP_ROUTE],
    check,
};

fn check(documents: &Documents, findings: &mut Vec<Finding>) {
    for (document, route) in documents.ip_routes() {
        if let Some((value, at)) = route.number("mtu")
            && value < 1500
        {
            let finding = Finding::at(&RULE, document.place(at), format!("mtu {value}"))
                .code(route.change("mtu", None))
                .needs("that every link of the path carries 1500 bytes");
            findings.push(match value {
                0..=576 => finding.severity(Severity::Warning),
                _ => finding,
            });
        }
    }
}
