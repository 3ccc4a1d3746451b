//! A CICS listener's port has no PORT entry that could say NODELAYACKS.

use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::{PAPER_000, ip};
use crate::tcpip::{AckPolicy, TcpStack};

pub(super) static RULE: TuningRule = TuningRule {
    name: "tcpip.delayed-ack.unreserved",
    summary: "A TCPIPSERVICE or socket listener listens on a port that the profile does not reserve, with delayed \
              acknowledgements.",
    why: "The port takes what TCPCONFIG says, which is DELAYACKS. A PORT entry reserves it for \
          the region and carries NODELAYACKS.",
    severity: FindingSeverity::Warning,
    effect: None,
    sources: &[PAPER_000, ip::PORT],
    check: &check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    let Some(stack) = TcpStack::of(documents) else {
        return;
    };
    let (global, decision) = stack.global();
    if global != AckPolicy::Delayed || stack.every_way_is_immediate() {
        return;
    }
    let services = documents.definitions("TCPIPSERVICE");
    let services = services.filter_map(|(d, s)| Some((d, s.number("PORTNUMBER")?)));
    let listeners = documents.socket_entries("LISTENER");
    let listeners = listeners.filter_map(|(d, l)| Some((d, l.number("PORT")?)));
    for (document, (number, at)) in services.chain(listeners) {
        let reserved = |n| stack.ports().any(|(_, p)| p.covers(n));
        if u16::try_from(number).is_ok_and(|n| n > 0 && !reserved(n)) {
            let mut finding =
                TuningFinding::at(&RULE, document.place(at), format!("port {number}"))
                    .code(format!("PORT {number} TCP jobname NODELAYACKS"))
                    .needs("the job name of the region instead of jobname");
            if let Some(place) = decision.place.clone() {
                finding = finding.because(place, &*decision.says);
            }
            findings.push(finding);
        }
    }
}
