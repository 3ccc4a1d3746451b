//! Quick acknowledgements off.

use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::{PAPER_002, kernel};

pub(super) static RULE: TuningRule = TuningRule {
    name: "linux.route.quickack",
    summary: "A route sets quickack 0.",
    why: "Acknowledgements on this route may wait 40 ms from the first segment on. quickack 1 is \
          to Linux what NODELAYACKS is to z/OS; without either, the kernel acknowledges at once \
          until a connection looks interactive.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[PAPER_002, kernel::IP_ROUTE],
    check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    for (document, route) in documents.ip_routes() {
        if let Some((value, at)) = route.number("quickack")
            && value == 0
        {
            findings.push(
                TuningFinding::at(&RULE, document.place(at), format!("quickack {value}"))
                    .code(route.change("quickack", Some("1"))),
            );
        }
    }
}
