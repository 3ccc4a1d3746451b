//! DELAYACKS on a port or route undoes AUTODELAYACKS.

use crate::document::Documents;
use crate::finding::{Finding, Severity};
use crate::rule::Rule;
use crate::source::ip;
use crate::tcpip::{Acknowledgement, Stack};

pub(super) static RULE: Rule = Rule {
    name: "tcpip.delayed-ack.forced",
    summary: "DELAYACKS on a port or route overrides AUTODELAYACKS on TCPCONFIG.",
    why: "AUTODELAYACKS lets the stack find the connections that delayed acknowledgements hurt. \
          Where DELAYACKS is coded on the port or the route, it does not look.",
    severity: Severity::Warning,
    effect: None,
    sources: &[ip::TCPCONFIG],
    check,
};

fn check(documents: &Documents, findings: &mut Vec<Finding>) {
    let Some(stack) = Stack::of(documents) else {
        return;
    };
    let (global, decision) = stack.global();
    if global != Acknowledgement::Automatic {
        return;
    }
    let ports = stack.ports().filter_map(|(d, p)| {
        let kept = p.options.iter().filter(|w| !w.is("DELAYAcks"));
        let code = p.statement(kept.map(|w| w.text.as_str()));
        Some((d, p.delay()?, code))
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
