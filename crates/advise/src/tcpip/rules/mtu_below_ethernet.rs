//! A route's MTU is below that of Ethernet.

use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::{PAPER_000, ip};
use crate::tcpip::{DEFAULT_MTU, ETHERNET_MTU, mss};

pub(super) static RULE: TuningRule = TuningRule {
    name: "tcpip.mtu.below-ethernet",
    summary: "A static route has an MTU above 576 and below the 1500 bytes of Ethernet.",
    why: "An MSS of 1460 is the least one wants where the path ends in Ethernet. A tunnel on the \
          path may be the reason for less; then leave it.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[PAPER_000, ip::BEGINROUTES],
    check: &check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    for (document, profile) in documents.profiles() {
        for route in profile.routes.iter().filter(|r| !r.v6()) {
            let Some(mtu) = route.mtu else {
                continue;
            };
            let interface = profile.interfaces.iter().find(|i| i.name == route.link);
            let limit = interface
                .and_then(|i| i.mtu)
                .map_or(ETHERNET_MTU, |(mtu, _)| mtu);
            if mtu > DEFAULT_MTU && mtu < ETHERNET_MTU.min(limit) {
                let value = format!("MTU {mtu}, hence MSS {}", mss(mtu, false));
                let options = route.options.iter().map(|w| w.text.as_str());
                findings.push(
                    TuningFinding::at(&RULE, document.place(route.mtu_at), value)
                        .code(route.statement(ETHERNET_MTU, options))
                        .needs("that every link of the path carries 1500 bytes"),
                );
            }
        }
    }
}
