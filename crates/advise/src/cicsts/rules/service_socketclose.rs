//! A connection for each request.

use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::{PAPER_002, cics};

pub(super) static RULE: TuningRule = TuningRule {
    name: "cics.tcpipservice.socketclose",
    summary: "A TCPIPSERVICE for HTTP has SOCKETCLOSE(0).",
    why: "CICS closes the connection after each request, so each pays a connection set-up, and \
          with SSL a handshake. NO keeps it while the client does.",
    severity: FindingSeverity::Warning,
    effect: None,
    sources: &[PAPER_002, cics::TCPIPSERVICE, cics::MAXSOCKETS_MXT],
    check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    for (document, service) in documents.definitions("TCPIPSERVICE") {
        let http = !service.has("PROTOCOL") || service.is("PROTOCOL", "HTTP");
        if let Some((0, at)) = service.number("SOCKETCLOSE")
            && http
        {
            let value = service.get("SOCKETCLOSE").map_or("0", |(v, _)| v);
            findings.push(
                TuningFinding::at(&RULE, document.place(at), format!("SOCKETCLOSE({value})"))
                    .code(service.alter("SOCKETCLOSE(NO)")),
            );
        }
    }
}
