//! Waiting for a session without an end.

use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::cics;

pub(super) static RULE: TuningRule = TuningRule {
    name: "cics.ipconn.queue",
    summary: "An IPCONN that sends has neither QUEUELIMIT nor MAXQTIME.",
    why: "When the partner is slow, tasks wait for a session without a limit, and the wait \
          spreads to everything that calls them.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[cics::IPCONN],
    check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    for (document, ipconn) in documents.definitions("IPCONN") {
        let unlimited = |name| !ipconn.has(name) || ipconn.is(name, "NO");
        if let Some((count, at)) = ipconn.number("SENDCOUNT")
            && count > 0
            && unlimited("QUEUELIMIT")
            && unlimited("MAXQTIME")
        {
            findings.push(
                TuningFinding::at(&RULE, document.place(at), "QUEUELIMIT(NO) MAXQTIME(NO)")
                    .code(ipconn.alter(&format!("QUEUELIMIT({}) MAXQTIME(5)", count.min(9999)))),
            );
        }
    }
}
