//! The rules for Linux: one file each, one row here.

use crate::document::DocumentSet;
use crate::finding::TuningFinding;
use crate::linux::SysctlValue;
use crate::rule::TuningRule;

mod advmss;
mod core_mem;
mod default_qdisc;
mod initcwnd;
mod link_mtu;
mod link_qdisc;
mod local_port_range;
mod mtu_probing;
mod quickack;
mod route_mtu;
mod route_window;
mod rto_min;
mod sack;
mod slow_start_after_idle;
mod somaxconn;
mod syn_backlog;
mod syncookies;
mod tcp_rmem;
mod tcp_wmem;
mod timestamps;
mod tw_recycle;
mod tw_reuse;
mod window_scaling;

/// The rows.
pub(crate) static RULES: &[&TuningRule] = &[
    &slow_start_after_idle::RULE,
    &tcp_rmem::RULE,
    &tcp_wmem::RULE,
    &default_qdisc::RULE,
    &local_port_range::RULE,
    &tw_reuse::RULE,
    &tw_recycle::RULE,
    &mtu_probing::RULE,
    &syncookies::RULE,
    &somaxconn::RULE,
    &syn_backlog::RULE,
    &window_scaling::RULE,
    &sack::RULE,
    &timestamps::RULE,
    &core_mem::RULE,
    &initcwnd::RULE,
    &advmss::RULE,
    &route_mtu::RULE,
    &quickack::RULE,
    &route_window::RULE,
    &rto_min::RULE,
    &link_mtu::RULE,
    &link_qdisc::RULE,
];

/// A finding for a kernel setting if `better` returns another value.
fn setting(
    documents: &DocumentSet,
    rule: &'static TuningRule,
    key: &str,
    findings: &mut Vec<TuningFinding>,
    better: impl Fn(&SysctlValue) -> Option<String>,
) {
    for (document, sysctl) in documents.sysctls() {
        if let Some(value) = sysctl.get(key)
            && let Some(wanted) = better(value)
        {
            findings.push(
                TuningFinding::at(rule, document.place(value.value_at), &*value.value)
                    .code(value.set(&wanted)),
            );
        }
    }
}

/// A finding for a numeric kernel setting with a bad value.
fn number(
    documents: &DocumentSet,
    rule: &'static TuningRule,
    key: &str,
    findings: &mut Vec<TuningFinding>,
    bad: impl Fn(u64) -> bool,
    wanted: &str,
) {
    setting(documents, rule, key, findings, |value| {
        bad(value.number()?).then(|| wanted.to_owned())
    });
}

/// Minimum, default and maximum in bytes, with a default and a maximum that are
/// large enough. Returns `None` if they are already.
fn three(value: &SysctlValue, usual: u64, most: u64) -> Option<String> {
    let numbers = value.numbers()?;
    let [least, now, end] = numbers[..] else {
        return None;
    };
    let small = now < usual || end < most;
    small.then(|| format!("{least} {} {}", now.max(usual), end.max(most)))
}
