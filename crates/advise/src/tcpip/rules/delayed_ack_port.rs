//! A port is left with delayed acknowledgements.

use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::{PAPER_000, PAPER_002, ip};
use crate::tcpip::{AckPolicy, Port, TcpStack};

pub(super) static RULE: TuningRule = TuningRule {
    name: "tcpip.delayed-ack.port",
    summary: "A port that applications use is left with delayed acknowledgements.",
    why: "Requests on this port may wait 200 ms for the acknowledgement of their first part. \
          NODELAYACKS on the port overrides DELAYACKS on TCPCONFIG. Ports below 1024 other than \
          80 and 443 are left to TCPCONFIG, unless a TCPIPSERVICE listens there.",
    severity: FindingSeverity::Warning,
    effect: Some("published, with an MTU of 1500 on the route: response time -38 %"),
    sources: &[PAPER_000, PAPER_002, ip::PORT],
    check: &check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    let Some(stack) = TcpStack::of(documents) else {
        return;
    };
    if stack.every_way_is_immediate() {
        return;
    }
    for (document, port) in stack
        .ports()
        .filter(|(_, p)| is_application_port(documents, p))
    {
        let (acknowledgement, decision) = stack.port(document, port);
        if acknowledgement != AckPolicy::Delayed {
            continue;
        }
        let mut finding = TuningFinding::at(&RULE, document.place(port.at), &*decision.says)
            .code(with_nodelayacks(port));
        if let Some(place) = decision.place {
            finding = finding.because(place, decision.says);
        }
        for way in &stack.ways {
            if stack.way(way).0 == AckPolicy::Immediate {
                let text = format!("connections over {} acknowledge at once", way.subject);
                finding = finding.because(way.document.place(way.at), text);
            }
        }
        findings.push(finding);
    }
}

/// Whether a port belongs to an application rather than to a standard server.
pub(super) fn is_application_port(documents: &DocumentSet, port: &Port) -> bool {
    let listens = |number: u64| u16::try_from(number).is_ok_and(|n| port.covers(n));
    port.first >= 1024
        || port.covers(80)
        || port.covers(443)
        || documents
            .definitions("TCPIPSERVICE")
            .any(|(_, d)| d.number("PORTNUMBER").is_some_and(|(n, _)| listens(n)))
}

/// The entry with NODELAYACKS in its place among the options.
fn with_nodelayacks(port: &Port) -> String {
    let kept = |w: &&crate::tcpip::PlacedWord| !w.is("DELAYAcks");
    let (before, after): (Vec<_>, Vec<_>) = port
        .options
        .iter()
        .filter(kept)
        .partition(|w| w.is("NOAUTOLog"));
    let words = before.iter().map(|w| w.text.as_str());
    let rest = after.iter().map(|w| w.text.as_str());
    port.statement(words.chain(["NODELAYACKS"]).chain(rest))
}
