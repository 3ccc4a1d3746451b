//! No persistent connections.

use crate::document::Documents;
use crate::finding::{Finding, Severity};
use crate::rule::Rule;
use crate::source::cics;

pub(super) static RULE: Rule = Rule {
    name: "cics.tcpipservice.maxpersist",
    summary: "A TCPIPSERVICE for HTTP has MAXPERSIST(0).",
    why: "No client may keep its connection: each request pays a connection set-up, and with SSL \
          a handshake.",
    severity: Severity::Warning,
    effect: None,
    sources: &[cics::TCPIPSERVICE],
    check,
};

fn check(documents: &Documents, findings: &mut Vec<Finding>) {
    for (document, service) in documents.definitions("TCPIPSERVICE") {
        if let Some((0, at)) = service.number("MAXPERSIST") {
            findings.push(
                Finding::at(&RULE, document.place(at), "MAXPERSIST(0)")
                    .code(service.alter("MAXPERSIST(NO)")),
            );
        }
    }
}
