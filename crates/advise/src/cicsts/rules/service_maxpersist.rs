//! No persistent connections.

use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::cics;

pub(super) static RULE: TuningRule = TuningRule {
    name: "cics.tcpipservice.maxpersist",
    summary: "A TCPIPSERVICE for HTTP has MAXPERSIST(0).",
    why: "No client may keep its connection: each request pays a connection set-up, and with SSL \
          a handshake.",
    severity: FindingSeverity::Warning,
    effect: None,
    sources: &[cics::TCPIPSERVICE],
    check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    for (document, service) in documents.definitions("TCPIPSERVICE") {
        if let Some((0, at)) = service.number("MAXPERSIST") {
            findings.push(
                TuningFinding::at(&RULE, document.place(at), "MAXPERSIST(0)")
                    .code(service.alter("MAXPERSIST(NO)")),
            );
        }
    }
}
