//! IPIC connections that time out.

use crate::document::Documents;
use crate::finding::{Finding, Severity};
use crate::rule::Rule;
use crate::source::cics;

pub(super) static RULE: Rule = Rule {
    name: "cics.tcpipservice.ipic-socketclose",
    summary: "A TCPIPSERVICE for IPIC or ECI has another SOCKETCLOSE than NO.",
    why: "These connections are to stay open; the manual demands NO.",
    severity: Severity::Warning,
    effect: None,
    sources: &[cics::TCPIPSERVICE, cics::IPCONN],
    check,
};

fn check(documents: &Documents, findings: &mut Vec<Finding>) {
    for (document, service) in documents.definitions("TCPIPSERVICE") {
        let stays = service.is("PROTOCOL", "IPIC") || service.is("PROTOCOL", "ECI");
        if let Some((value, at)) = service.get("SOCKETCLOSE")
            && stays
            && !value.eq_ignore_ascii_case("NO")
        {
            findings.push(
                Finding::at(&RULE, document.place(at), format!("SOCKETCLOSE({value})"))
                    .code(service.alter("SOCKETCLOSE(NO)")),
            );
        }
    }
}
