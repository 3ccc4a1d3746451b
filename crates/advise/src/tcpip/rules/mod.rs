//! The rules for PROFILE.TCPIP, OMPROUTE and Policy Agent, one row each.
//! Those over one number are in [`numbers`]; the others have a file each.

use crate::rule::TuningRule;

mod buffer_max;
mod delayed_ack_coded;
mod delayed_ack_global;
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
mod numbers;
mod port_option_order;
mod port_overlap;
mod ports_ephemeral;

/// The rows.
pub(crate) static RULES: &[&TuningRule] = &[
    &delayed_ack_global::RULE,
    &delayed_ack_port::RULE,
    &delayed_ack_unreserved::RULE,
    &delayed_ack_coded::FORCED,
    &delayed_ack_coded::IGNORED,
    &nagle_off::RULE,
    &mtu_route::RULE,
    &mtu_policy_route::RULE,
    &mtu_omproute::RULE,
    &mtu_omproute_interface::RULE,
    &mtu_interface::RULE,
    &mtu_below_ethernet::RULE,
    &mtu_discovery::RULE,
    &numbers::BUFFER_RECEIVE,
    &numbers::BUFFER_SEND,
    &buffer_max::RULE,
    &numbers::SOMAXCONN,
    &ports_ephemeral::RULE,
    &numbers::TIME_WAIT,
    &port_overlap::RULE,
    &port_option_order::RULE,
    &gateway::RULE,
    &inbperf::RULE,
];
