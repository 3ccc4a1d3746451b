//! Listeners without TCP/IP.

use crate::document::Documents;
use crate::finding::{Finding, Severity};
use crate::rule::Rule;
use crate::source::cics;

pub(super) static RULE: Rule = Rule {
    name: "cics.tcpip",
    summary: "TCPIP=NO is set while TCPIPSERVICE or IPCONN resources are defined.",
    why: "CICS opens none of them.",
    severity: Severity::Warning,
    effect: None,
    sources: &[cics::TCPIP],
    check,
};

fn check(documents: &Documents, findings: &mut Vec<Finding>) {
    let Some((document, parameter)) = documents.sit("TCPIP").filter(|(_, p)| p.is("NO")) else {
        return;
    };
    let mut services = documents.definitions("TCPIPSERVICE");
    if let Some((csd, service)) = services.next().or(documents.definitions("IPCONN").next()) {
        findings.push(
            Finding::at(&RULE, document.place(parameter.at), parameter.text())
                .code("TCPIP=YES")
                .because(
                    csd.place(service.at),
                    format!("{} {}", service.kind, service.name),
                ),
        );
    }
}
