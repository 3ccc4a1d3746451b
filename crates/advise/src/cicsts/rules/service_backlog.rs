//! A short backlog.

use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::{PAPER_000, cics};

pub(super) static RULE: TuningRule = TuningRule {
    name: "cics.tcpipservice.backlog",
    summary: "A TCPIPSERVICE has a BACKLOG from 1 to 9.",
    why: "Connection requests that come while the listener starts a task wait in this queue; \
          beyond it they are refused. From CICS TS 5.1 on, 0 means as many as SOMAXCONN; before, \
          0 refuses all.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[PAPER_000, cics::BACKLOG, cics::TCPIPSERVICE],
    check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    for (document, service) in documents.definitions("TCPIPSERVICE") {
        if let Some((backlog @ 1..10, at)) = service.number("BACKLOG") {
            findings.push(
                TuningFinding::at(&RULE, document.place(at), format!("BACKLOG({backlog})"))
                    .code(service.alter("BACKLOG(1024)"))
                    .needs("a SOMAXCONN as large in the TCP/IP profile"),
            );
        }
    }
}
