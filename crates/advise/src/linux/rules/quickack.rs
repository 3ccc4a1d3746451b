//! Quick acknowledgements off.

use crate::document::Documents;
use crate::finding::{Finding, Severity};
use crate::rule::Rule;
use crate::source::{PAPER_002, kernel};

pub(super) static RULE: Rule = Rule {
    name: "linux.route.quickack",
    summary: "A route sets quickack 0.",
    why: "Acknowledgements on this route may wait 40 ms from the first segment on. quickack 1 is \
          to Linux what NODELAYACKS is to z/OS; without either, the kernel acknowledges at once \
          until a connection looks interactive.",
    severity: Severity::Advice,
    effect: None,
    sources: &[PAPER_002, kernel::IP_ROUTE],
    check,
};

fn check(documents: &Documents, findings: &mut Vec<Finding>) {
    for (document, route) in documents.ip_routes() {
        if let Some((value, at)) = route.number("quickack")
            && value == 0
        {
            findings.push(
                Finding::at(&RULE, document.place(at), format!("quickack {value}"))
                    .code(route.change("quickack", Some("1"))),
            );
        }
    }
}
