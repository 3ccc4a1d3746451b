//! IPIC connections that time out.

use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::cics;

pub(super) static RULE: TuningRule = TuningRule {
    name: "cics.tcpipservice.ipic-socketclose",
    summary: "A TCPIPSERVICE for IPIC or ECI has another SOCKETCLOSE than NO.",
    why: "These connections are to stay open; the manual demands NO.",
    severity: FindingSeverity::Warning,
    effect: None,
    sources: &[cics::TCPIPSERVICE, cics::IPCONN],
    check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    for (document, service) in documents.definitions("TCPIPSERVICE") {
        let stays = service.is("PROTOCOL", "IPIC") || service.is("PROTOCOL", "ECI");
        if let Some((value, at)) = service.get("SOCKETCLOSE")
            && stays
            && !value.eq_ignore_ascii_case("NO")
        {
            findings.push(
                TuningFinding::at(&RULE, document.place(at), format!("SOCKETCLOSE({value})"))
                    .code(service.alter("SOCKETCLOSE(NO)")),
            );
        }
    }
}
