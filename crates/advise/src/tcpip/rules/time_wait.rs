//! A long TIME_WAIT.

use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::ip;

pub(super) static RULE: TuningRule = TuningRule {
    name: "tcpip.time-wait",
    summary: "TIMEWAITINTERVAL is above its default of 60 seconds.",
    why: "Closed connections keep their ports and their storage for this long.",
    severity: FindingSeverity::Note,
    effect: None,
    sources: &[ip::TCPCONFIG],
    check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    for (document, profile) in documents.profiles() {
        if let Some((seconds, at)) = profile.tcp.number("TIMEWAITINTERVAL")
            && seconds > 60
        {
            let value = format!("TIMEWAITINTERVAL {seconds}");
            findings.push(
                TuningFinding::at(&RULE, document.place(at), value)
                    .code("TCPCONFIG TIMEWAITINTERVAL 60"),
            );
        }
    }
}
