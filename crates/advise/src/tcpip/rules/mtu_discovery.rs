//! Large packets without path MTU discovery.

use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::ip;
use crate::tcpip::ETHERNET_MTU;

pub(super) static RULE: TuningRule = TuningRule {
    name: "tcpip.mtu.discovery",
    summary: "A route through a router has an MTU above 1500 and path MTU discovery is off.",
    why: "Beyond the first router a link may carry less. Without discovery, routers fragment \
          each large packet, and one lost fragment loses them all.",
    severity: FindingSeverity::Advice,
    effect: None,
    sources: &[ip::IPCONFIG],
    check: &check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    let names = ["PATHMTUDISCOVERY", "NOPATHMTUDISCOVERY"];
    let coded = documents
        .profiles()
        .filter_map(|(_, p)| p.ip.last(&names))
        .last();
    if coded.is_some_and(|s| s.name == "PATHMTUDISCOVERY") {
        return;
    }
    for (document, profile) in documents.profiles() {
        let large = |r: &&crate::tcpip::Route| {
            !r.v6() && r.first_hop != "=" && r.mtu.is_some_and(|mtu| mtu > ETHERNET_MTU)
        };
        for route in profile.routes.iter().filter(large) {
            let value = format!("MTU {}", route.mtu_text());
            findings.push(
                TuningFinding::at(&RULE, document.place(route.mtu_at), value)
                    .code("IPCONFIG PATHMTUDISCOVERY"),
            );
        }
    }
}
