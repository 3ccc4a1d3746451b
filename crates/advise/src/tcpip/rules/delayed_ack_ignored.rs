//! DELAYACKS where TCPCONFIG says NODELAYACKS.

use crate::document::Documents;
use crate::finding::{Finding, Severity};
use crate::rule::Rule;
use crate::source::{PAPER_002, ip};
use crate::tcpip::{Acknowledgement, Stack};

pub(super) static RULE: Rule = Rule {
    name: "tcpip.delayed-ack.ignored",
    summary: "DELAYACKS is coded on a port or route although TCPCONFIG says NODELAYACKS.",
    why: "NODELAYACKS on TCPCONFIG is global and cannot be overridden, so the word has no effect. \
          Whoever coded it may believe otherwise.",
    severity: Severity::Note,
    effect: None,
    sources: &[PAPER_002, ip::TCPCONFIG],
    check,
};

fn check(documents: &Documents, findings: &mut Vec<Finding>) {
    let Some(stack) = Stack::of(documents) else {
        return;
    };
    let (global, decision) = stack.global();
    if global != Acknowledgement::Immediate {
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
            let mut finding = Finding::at(&RULE, document.place(at), "DELAYACKS").code(code);
            if let Some(place) = decision.place.clone() {
                finding = finding.because(place, &*decision.says);
            }
            findings.push(finding);
        }
    }
}
