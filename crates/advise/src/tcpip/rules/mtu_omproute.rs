//! An OMPROUTE interface with the default MTU.

use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::{PAPER_000, ip};
use crate::tcpip::{DEFAULT_MTU, mss};

pub(super) static RULE: TuningRule = TuningRule {
    name: "tcpip.mtu.omproute",
    summary: "An interface of OMPROUTE has no MTU, or one of 576 bytes or less.",
    why: "Every dynamic route over the interface gets this MTU. The default is 576, which makes \
          an MSS of 536.",
    severity: FindingSeverity::Warning,
    effect: None,
    sources: &[PAPER_000, ip::OMPROUTE],
    check: &check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    for (document, config) in documents.omproutes() {
        for interface in config.interfaces.iter().filter(|i| !i.v6() && !i.symbolic) {
            let (mtu, at) = interface.mtu.unwrap_or((DEFAULT_MTU, interface.at));
            if mtu <= DEFAULT_MTU {
                let coded = if interface.mtu.is_some() {
                    "MTU="
                } else {
                    "no MTU: "
                };
                let value = format!("{coded}{mtu}, hence MSS {}", mss(mtu, false));
                findings.push(TuningFinding::at(&RULE, document.place(at), value).code("MTU=1500"));
            }
        }
    }
}
