//! Outbound connections that are not kept.

use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::{PAPER_002, cics};

pub(super) static RULE: TuningRule = TuningRule {
    name: "cics.urimap.pool",
    summary: "A URIMAP with USAGE(CLIENT) has SOCKETCLOSE(0), coded or by default.",
    why: "Each WEB OPEN makes a connection, and with SSL a handshake, and its end closes it. \
          With a time, CICS TS 4.2 and later keep the connection in a pool for the next.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[PAPER_002, cics::URIMAP],
    check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    for (document, map) in documents.definitions("URIMAP") {
        let closes =
            !map.has("SOCKETCLOSE") || map.number("SOCKETCLOSE").is_some_and(|(n, _)| n == 0);
        if map.is("USAGE", "CLIENT") && closes {
            findings.push(
                TuningFinding::at(
                    &RULE,
                    document.place(map.at("SOCKETCLOSE")),
                    "SOCKETCLOSE(0)",
                )
                .code(map.alter("SOCKETCLOSE(000030)"))
                .needs("CICS TS 4.2 or later"),
            );
        }
    }
}
