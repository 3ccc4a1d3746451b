//! NONAGLE for the whole stack.

use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::{PAPER_000, ip};

pub(super) static RULE: TuningRule = TuningRule {
    name: "tcpip.nagle.off",
    summary: "TCPCONFIG NONAGLE switches Nagle's algorithm off for every connection.",
    why: "Each small write then goes out as a packet of its own. The advised cure for \
          write-write-read is one write of the whole message, and NODELAYACKS at the other end; \
          an application that needs it sets TCP_NODELAY on its own sockets.",
    severity: FindingSeverity::Note,
    effect: None,
    sources: &[PAPER_000, ip::TCPCONFIG],
    check: &check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    for (document, profile) in documents.profiles() {
        if let Some(setting) = profile.tcp.last(&["NAGLE", "NONAGLE"])
            && setting.name == "NONAGLE"
        {
            let place = document.place(setting.at);
            findings.push(TuningFinding::at(&RULE, place, "NONAGLE").code("TCPCONFIG NAGLE"));
        }
    }
}
