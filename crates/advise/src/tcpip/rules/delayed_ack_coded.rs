//! DELAYACKS on a port or route, against what TCPCONFIG says.

use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::{RuleCheck, TuningRule};
use crate::source::{PAPER_002, ip};
use crate::tcpip::{AckPolicy, TcpStack};

/// A finding for each DELAYACKS on a port or a route while TCPCONFIG has this.
struct CodedAgainst(AckPolicy);

impl RuleCheck for CodedAgainst {
    fn find(&self, rule: &'static TuningRule, set: &DocumentSet, out: &mut Vec<TuningFinding>) {
        let Some(stack) = TcpStack::of(set) else {
            return;
        };
        let (holds, decision) = stack.global();
        if holds != self.0 {
            return;
        }
        let ports = stack.ports().filter_map(|(d, p)| {
            let kept = p.options.iter().filter(|w| !w.is("DELAYAcks"));
            Some((d, p.delay()?, p.statement(kept.map(|w| w.text.as_str()))))
        });
        let ways = stack
            .ways
            .iter()
            .filter_map(|w| Some((w.document, w.delay?, w.mended.clone())));
        for (document, (delay, at), code) in ports.chain(ways) {
            if delay {
                let mut finding =
                    TuningFinding::at(rule, document.place(at), "DELAYACKS").code(code);
                if let Some(place) = decision.place.clone() {
                    finding = finding.because(place, &*decision.says);
                }
                out.push(finding);
            }
        }
    }
}

pub(super) static FORCED: TuningRule = TuningRule {
    name: "tcpip.delayed-ack.forced",
    summary: "DELAYACKS on a port or route overrides AUTODELAYACKS on TCPCONFIG.",
    why: "AUTODELAYACKS lets the stack find the connections that delayed acknowledgements hurt. \
          Where DELAYACKS is coded on the port or the route, it does not look.",
    severity: FindingSeverity::Warning,
    effect: None,
    sources: &[ip::TCPCONFIG],
    check: &CodedAgainst(AckPolicy::Automatic),
};

pub(super) static IGNORED: TuningRule = TuningRule {
    name: "tcpip.delayed-ack.ignored",
    summary: "DELAYACKS is coded on a port or route although TCPCONFIG says NODELAYACKS.",
    why: "NODELAYACKS on TCPCONFIG is global and cannot be overridden, so the word has no \
        effect, although the profile looks as if it had.",
    severity: FindingSeverity::Note,
    effect: None,
    sources: &[PAPER_002, ip::TCPCONFIG],
    check: &CodedAgainst(AckPolicy::Immediate),
};
