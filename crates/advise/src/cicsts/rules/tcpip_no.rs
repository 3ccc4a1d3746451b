//! Listeners without TCP/IP.

use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::cics;

pub(super) static RULE: TuningRule = TuningRule {
    name: "cics.tcpip",
    summary: "TCPIP=NO is set while TCPIPSERVICE or IPCONN resources are defined.",
    why: "CICS opens none of them.",
    severity: FindingSeverity::Warning,
    effect: None,
    sources: &[cics::TCPIP],
    check: &check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    let Some((document, parameter)) = documents.sit("TCPIP").filter(|(_, p)| p.is("NO")) else {
        return;
    };
    let mut services = documents.definitions("TCPIPSERVICE");
    if let Some((csd, service)) = services.next().or(documents.definitions("IPCONN").next()) {
        findings.push(
            TuningFinding::at(&RULE, document.place(parameter.at), parameter.text())
                .code("TCPIP=YES")
                .because(
                    csd.place(service.at),
                    format!("{} {}", service.kind, service.name),
                ),
        );
    }
}
