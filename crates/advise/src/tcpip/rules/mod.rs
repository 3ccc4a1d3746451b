//! The rules for PROFILE.TCPIP, OMPROUTE and Policy Agent: one file each, one
//! row here.

use crate::document::DocumentSet;
use crate::finding::TuningFinding;
use crate::rule::TuningRule;
use crate::tcpip::{AckPolicy, TcpStack};

mod buffer_max;
mod buffer_receive;
mod buffer_send;
mod delayed_ack_forced;
mod delayed_ack_global;
mod delayed_ack_ignored;
mod delayed_ack_port;
mod delayed_ack_unreserved;
mod gateway;
mod inbperf;
mod mtu_below_ethernet;
mod mtu_discovery;
mod mtu_interface;
mod mtu_omproute;
mod mtu_omproute_interface;
mod mtu_policy_route;
mod mtu_route;
mod nagle_off;
mod port_option_order;
mod port_overlap;
mod ports_ephemeral;
mod somaxconn;
mod time_wait;

/// The rows.
pub(crate) static RULES: &[&TuningRule] = &[
    &delayed_ack_global::RULE,
    &delayed_ack_port::RULE,
    &delayed_ack_unreserved::RULE,
    &delayed_ack_forced::RULE,
    &delayed_ack_ignored::RULE,
    &nagle_off::RULE,
    &mtu_route::RULE,
    &mtu_policy_route::RULE,
    &mtu_omproute::RULE,
    &mtu_omproute_interface::RULE,
    &mtu_interface::RULE,
    &mtu_below_ethernet::RULE,
    &mtu_discovery::RULE,
    &buffer_receive::RULE,
    &buffer_send::RULE,
    &buffer_max::RULE,
    &somaxconn::RULE,
    &ports_ephemeral::RULE,
    &time_wait::RULE,
    &port_overlap::RULE,
    &port_option_order::RULE,
    &gateway::RULE,
    &inbperf::RULE,
];

/// A finding for each DELAYACKS on a port or a route while TCPCONFIG has
/// `global`.
fn coded_against(
    documents: &DocumentSet,
    rule: &'static TuningRule,
    global: AckPolicy,
    findings: &mut Vec<TuningFinding>,
) {
    let Some(stack) = TcpStack::of(documents) else {
        return;
    };
    let (holds, decision) = stack.global();
    if holds != global {
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
            let mut finding = TuningFinding::at(rule, document.place(at), "DELAYACKS").code(code);
            if let Some(place) = decision.place.clone() {
                finding = finding.because(place, &*decision.says);
            }
            findings.push(finding);
        }
    }
}
