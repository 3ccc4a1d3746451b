//! The rules for Linux, one row each. Those over one kernel setting are in
//! [`settings`], those over one number of a route in [`routes`]; the others have a
//! file each.

use crate::rule::TuningRule;

mod link_mtu;
mod link_qdisc;
mod routes;
mod rto_min;
mod settings;
mod syn_backlog;

/// The rows.
pub(crate) static RULES: &[&TuningRule] = &[
    &settings::SLOW_START_AFTER_IDLE,
    &settings::TCP_RMEM,
    &settings::TCP_WMEM,
    &settings::DEFAULT_QDISC,
    &settings::LOCAL_PORT_RANGE,
    &settings::TW_REUSE,
    &settings::TW_RECYCLE,
    &settings::MTU_PROBING,
    &settings::SYNCOOKIES,
    &settings::SOMAXCONN,
    &syn_backlog::RULE,
    &settings::WINDOW_SCALING,
    &settings::SACK,
    &settings::TIMESTAMPS,
    &settings::CORE_MEM,
    &routes::INITCWND,
    &routes::ADVMSS,
    &routes::MTU,
    &routes::QUICKACK,
    &routes::WINDOW,
    &rto_min::RULE,
    &link_mtu::RULE,
    &link_qdisc::RULE,
];
