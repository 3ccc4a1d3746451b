//! A static route with the default MTU.

use crate::document::DocumentSet;
use crate::finding::{FindingSeverity, TuningFinding};
use crate::rule::TuningRule;
use crate::source::{PAPER_000, ip};
use crate::tcpip::{DEFAULT_MTU, DEFAULT_MTU_V6, ETHERNET_MTU, Route, mss};

pub(super) static RULE: TuningRule = TuningRule {
    name: "tcpip.mtu.route",
    summary: "A static route has no MTU, DEFAULTSIZE, or one of 576 bytes or less.",
    why: "An IPv4 route without an MTU takes 576 bytes, so segments carry 536: a request that \
          fits one Ethernet packet takes three. Code at least what the path carries.",
    severity: FindingSeverity::Warning,
    effect: Some(
        "published: 3 packets for the request and 6 for the response at MSS 536; with NODELAYACKS \
         on the port, response time -38 %",
    ),
    sources: &[PAPER_000, ip::BEGINROUTES],
    check: &check,
};

fn check(documents: &DocumentSet, findings: &mut Vec<TuningFinding>) {
    for (document, profile) in documents.profiles() {
        for route in &profile.routes {
            if let Some((value, mtu)) = too_small(documents, route) {
                let options = route.options.iter().map(|w| w.text.as_str());
                let finding = TuningFinding::at(&RULE, document.place(route.mtu_at), value)
                    .code(route.statement(mtu, options));
                findings.push(if route.v6() {
                    finding
                        .severity(FindingSeverity::Advice)
                        .why("An IPv6 route without an MTU takes the least that IPv6 allows.")
                        .effect(segments(DEFAULT_MTU_V6, mtu, true))
                } else {
                    finding
                });
            }
        }
    }
}

/// The number of packets for 10,000 bytes with each of the two MTUs.
fn segments(from: u64, to: u64, v6: bool) -> String {
    let packets = |mtu| 10_000_u64.div_ceil(mss(mtu, v6).max(1));
    format!(
        "10,000 bytes take {} packets instead of {}",
        packets(to),
        packets(from)
    )
}

/// A route's MTU and the recommended one, if it is 576 or less, or for IPv6 the
/// minimum.
pub(super) fn too_small(documents: &DocumentSet, route: &Route) -> Option<(String, u64)> {
    let mtu = route.effective_mtu()?;
    let small = if route.v6() {
        route.mtu.is_none()
    } else {
        mtu <= DEFAULT_MTU
    };
    if !small || route.link.starts_with("LOOPBACK") {
        return None;
    }
    let coded = match route.mtu {
        Some(mtu) => format!("MTU {mtu}"),
        None => format!("no MTU: {mtu}"),
    };
    let interface = documents
        .profiles()
        .flat_map(|(_, p)| &p.interfaces)
        .find(|i| i.name == route.link);
    let better = interface
        .and_then(|i| i.mtu)
        .map_or(ETHERNET_MTU, |(mtu, _)| mtu);
    let value = format!("{coded}, hence MSS {}", mss(mtu, route.v6()));
    (better > mtu).then_some((value, better))
}
