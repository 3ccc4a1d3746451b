//! TCPCONFIG leaves acknowledgements delayed.

use super::delayed_ack_port::is_application_port;
use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::{PAPER_002, ip};
use crate::tcpip::{AckPolicy, TcpStack, TcpipProfile};

pub(super) static RULE: TuningRule = TuningRule {
    name: "tcpip.delayed-ack.global",
    summary: "TCPCONFIG codes or defaults to DELAYACKS, and ports or routes are left with it.",
    why: "An acknowledgement of pushed data may wait 200 ms for data to ride on. A partner that \
          writes twice and then reads waits for it on every request. NODELAYACKS on TCPCONFIG is \
          global: no port and no route can undo it.",
    severity: FindingSeverity::Warning,
    effect: Some(
        "published, Web Services without SSL: response 0.9042 s to 0.0888 s; with SSL 1.6228 s \
         to 0.1344 s",
    ),
    sources: &[PAPER_002, ip::TCPCONFIG],
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
    let mut ports = stack
        .ports()
        .filter(|(_, p)| is_application_port(documents, p))
        .peekable();
    let immediate = |(d, p)| stack.port(d, p).0 == AckPolicy::Immediate;
    if ports.peek().is_some() && ports.all(immediate) {
        return;
    }
    let (document, profile) = stack.profiles[0];
    let coded = decision.place.is_some();
    // A member for OBEYFILE or INCLUDE omits the statements of other members.
    let is_fragment = |p: &TcpipProfile| {
        let says_nothing = p.tcp.at.is_none() && p.ports.is_empty() && p.routes.is_empty();
        says_nothing && p.interfaces.is_empty() && p.links.is_empty()
    };
    if !coded && stack.profiles.iter().all(|(_, p)| is_fragment(p)) {
        return;
    }
    let place = decision.place.unwrap_or_else(|| match profile.tcp.at {
        Some(at) => document.place(at),
        None => document.absent(),
    });
    let mut finding = TuningFinding::at(&RULE, place, decision.says).code("TCPCONFIG NODELAYACKS");
    if let (false, Some(unread)) = (coded, stack.unread()) {
        finding = finding.needs(unread);
    }
    findings.push(finding);
}
