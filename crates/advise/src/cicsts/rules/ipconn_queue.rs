//! Waiting for a session without an end.

use crate::document::Documents;
use crate::finding::{Finding, Severity};
use crate::rule::Rule;
use crate::source::cics;

pub(super) static RULE: Rule = Rule {
    name: "cics.ipconn.queue",
    summary: "An IPCONN that sends has neither QUEUELIMIT nor MAXQTIME.",
    why: "When the partner is slow, tasks wait for a session without a limit, and the wait \
          spreads to everything that calls them.",
    severity: Severity::Advice,
    effect: None,
    sources: &[cics::IPCONN],
    check,
};

fn check(documents: &Documents, findings: &mut Vec<Finding>) {
    for (document, ipconn) in documents.definitions("IPCONN") {
        let unlimited = |name| !ipconn.has(name) || ipconn.is(name, "NO");
        if let Some((count, at)) = ipconn.number("SENDCOUNT")
            && count > 0
            && unlimited("QUEUELIMIT")
            && unlimited("MAXQTIME")
        {
            findings.push(
                Finding::at(&RULE, document.place(at), "QUEUELIMIT(NO) MAXQTIME(NO)")
                    .code(ipconn.alter(&format!("QUEUELIMIT({}) MAXQTIME(5)", count.min(9999)))),
            );
        }
    }
}
