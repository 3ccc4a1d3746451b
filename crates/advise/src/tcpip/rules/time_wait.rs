//! A long TIME_WAIT.

use crate::document::Documents;
use crate::finding::{Finding, Severity};
use crate::rule::Rule;
use crate::source::ip;

pub(super) static RULE: Rule = Rule {
    name: "tcpip.time-wait",
    summary: "TIMEWAITINTERVAL is above its default of 60 seconds.",
    why: "Closed connections keep their ports and their storage for this long.",
    severity: Severity::Note,
    effect: None,
    sources: &[ip::TCPCONFIG],
    check,
};

fn check(documents: &Documents, findings: &mut Vec<Finding>) {
    for (document, profile) in documents.profiles() {
        if let Some((seconds, at)) = profile.tcp.number("TIMEWAITINTERVAL")
            && seconds > 60
        {
            let value = format!("TIMEWAITINTERVAL {seconds}");
            findings.push(
                Finding::at(&RULE, document.place(at), value).code("TCPCONFIG TIMEWAITINTERVAL 60"),
            );
        }
    }
}
